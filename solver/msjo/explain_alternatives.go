package msjo

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
	"mrsched/solver/list"
)

const (
	maxPlaces   = 12        // of one task on one machine
	maxMachines = 2000      // looked at
	maxPushes   = 2_000_000 // over all moves; beyond it, only places in gaps are tried
	// checkedMoves is the number of alternatives that are checked and evaluated as whole schedules, the best first. For
	// the others only the effect of the move is computed, in a fraction of the time.
	checkedMoves = 3
)

// unitsPerWeightSecond turns the units of option.change into weight × seconds.
var unitsPerWeightSecond = big.NewInt(int64(model.UnitWeight) * int64(model.Second))

// option is a place for a task, with the change of the objective in millionths of a weight times microseconds.
type option struct {
	task   int32
	place  list.Place
	change *big.Int
	alone  bool    // no other task moves
	also   []int32 // machines with the same effect, if no other task moves
}

// before reports whether an option is better than p.
func (o *option) before(p *option) bool {
	return cmp.Or(o.change.Cmp(p.change), cmp.Compare(o.place.Start, p.place.Start)) < 0
}

// same reports whether two options differ only in the machine.
func (o *option) same(p *option) bool {
	return o.alone && p.alone && o.task == p.task && o.place.Start == p.place.Start
}

// alternatives appends the cheapest places of some tasks, one per machine and task. Places on identical idle machines
// count once. For a job it prefers places that end the job earlier.
func (e *explainer) alternatives(ctx context.Context, tasks []int32) error {
	tried := solver.NewAlternatives(e.in, e.q.Schedule, e.q.Alternatives)
	if e.q.Alternatives == 0 {
		return nil
	}
	var options []option
	if e.q.Task == model.None { // a job ends earlier only if its last task does
		e.sooner = true
		options = e.options(ctx, tasks[:min(1, len(tasks))])
		e.sooner, e.pushes = false, 0
	}
	if len(options) == 0 {
		options = e.options(ctx, tasks)
	}
	for k, o := range options {
		if ctx.Err() != nil {
			break
		}
		moved, _ := e.x.Move(o.task, o.place, e.length(o.task), nil)
		a := solver.AlternativeAt(e.in.MachineName(moved[0].Machine), moved[0].Start, moved[0].End)
		a.Note = e.effect(moved, o.also)
		if e.q.Task == model.None {
			a.Task = e.id(o.task)
		}
		if k >= checkedMoves && e.in.Replan() == nil { // changes of an earlier plan may cost something
			tried.Offer(a, new(big.Rat).SetFrac(o.change, unitsPerWeightSecond))
			continue
		}
		if broken := tried.Try(a, e.x.Changed(moved)); len(broken) > 0 {
			return fmt.Errorf("an alternative for %s breaks a constraint: %s", e.id(o.task), broken[0])
		}
	}
	e.out.Alternatives = tried.List()
	return ctx.Err()
}

// options are the cheapest places of some tasks, as far as ctx allows.
func (e *explainer) options(ctx context.Context, tasks []int32) (list []option) {
	for _, u := range tasks {
		looked := 0
		for m := range e.candidates() {
			if looked++; looked > maxMachines || ctx.Err() != nil {
				break
			}
			list = e.offer(list, u, m)
		}
	}
	return list
}

func (e *explainer) length(u int32) model.Time { return e.x.Entry[u].End - e.x.Entry[u].Start }

// offer adds the best of a task's places on a machine to the options. These are sorted by cost, up to the number
// wanted. Ties: the earlier start, then the order of offers.
func (e *explainer) offer(options []option, u, m int32) []option {
	var limit *big.Int
	if len(options) == e.q.Alternatives {
		limit = options[len(options)-1].change
	}
	o, ok := e.cheapest(u, m, limit)
	if !ok {
		return options
	}
	if k := slices.IndexFunc(options, func(p option) bool { return p.same(&o) }); k >= 0 {
		options[k].also = append(options[k].also, m)
		return options
	}
	k := slices.IndexFunc(options, func(p option) bool { return o.before(&p) })
	if k < 0 {
		k = len(options)
	}
	options = slices.Insert(options, k, o)
	return options[:min(len(options), e.q.Alternatives)]
}

// cheapest is the best of a task's places on a machine, within the limit on the cost if there is one.
func (e *explainer) cheapest(u, m int32, limit *big.Int) (best option, ok bool) {
	places := e.x.Places(u, m, e.length(u))
	n := min(len(places), maxPlaces)
	for k := n - 1; k >= 0; k-- { // the gap first: it pushes the fewest tasks
		p := places[k]
		if k < n-1 && e.pushes > maxPushes {
			break
		}
		if len(places) > maxPlaces { // keep the first, the last and some between
			p = places[k*(len(places)-1)/(maxPlaces-1)]
		}
		cheap := e.within(u, p, limit)
		moved, valid := e.x.Move(u, p, e.length(u), func(v int32, from, to model.Time) bool {
			return !e.frozen(v) && cheap(v, from, to)
		})
		if own := e.in.Job[u]; !valid || e.sooner && e.completions(moved)[own] >= e.done[own] {
			continue
		}
		if o := (option{task: u, place: p, change: e.change(moved), alone: len(moved) == 1}); !ok || o.before(&best) {
			best, ok = o, true
		}
		if limit == nil || best.change.Cmp(limit) < 0 {
			limit = best.change
		}
	}
	return best, ok
}

// within counts pushes, and stops when the tasks pushed so far exceed a limit on the cost. It never stops a move that
// is cheap enough.
func (e *explainer) within(u int32, p list.Place, limit *big.Int) func(v int32, from, to model.Time) bool {
	most := math.Inf(1)
	if limit != nil {
		most, _ = new(big.Float).SetInt(limit).Float64()
		most += math.Abs(most)*limitSlack + 1
	}
	own, end := e.in.Job[u], p.Start+e.length(u)
	if e.in.Objective == msjo.TaskObjective {
		sum := float64(e.in.TaskWeight[u]) * float64(end-e.x.Entry[u].End)
		return func(v int32, from, to model.Time) bool {
			e.pushes++
			sum += float64(e.in.TaskWeight[v]) * float64(to-from)
			return sum <= most
		}
	}
	end = max(end, e.others(u))
	done := map[int32]model.Time{own: end}
	sum := float64(e.in.Weight[own]) * float64(end-e.done[own])
	return func(v int32, _, to model.Time) bool {
		e.pushes++
		j := e.in.Job[v]
		now, known := done[j]
		if !known {
			now = e.done[j]
		}
		if c := to + e.length(v); c > now {
			sum += float64(e.in.Weight[j]) * float64(c-now)
			done[j] = c
		}
		return sum <= most
	}
}

// limitSlack is the share by which a sum may exceed a limit before pushing stops. It far exceeds rounding errors.
const limitSlack = 1e-9

// change is the change of the objective by some changed entries, the moved task first.
func (e *explainer) change(moved []model.Entry) *big.Int {
	sum, x, y := new(big.Int), new(big.Int), new(big.Int)
	add := func(w model.Weight, t model.Time) {
		sum.Add(sum, x.Mul(x.SetInt64(int64(w)), y.SetInt64(int64(t))))
	}
	if e.in.Objective == msjo.TaskObjective {
		for _, t := range moved {
			add(e.in.TaskWeight[t.Task], t.End-e.x.Entry[t.Task].End)
		}
		return sum
	}
	done := e.completions(moved)
	for j, c := range done {
		add(e.in.Weight[j], c-e.done[j])
	}
	return sum
}

// completions returns the completions of the jobs with changed entries, the moved task first. The other tasks end no
// earlier than before.
func (e *explainer) completions(moved []model.Entry) map[int32]model.Time {
	own := e.in.Job[moved[0].Task]
	done := map[int32]model.Time{own: e.others(int32(moved[0].Task))}
	for _, t := range moved {
		j := e.in.Job[t.Task]
		if j != own {
			done[j] = max(done[j], e.done[j])
		}
		done[j] = max(done[j], t.End)
	}
	return done
}

// others is the time at which the last of the other tasks of a task's job ends.
func (e *explainer) others(u int32) model.Time {
	last, known := e.ends[u]
	if !known {
		for v := range tasksOf(e.in, int(e.in.Job[u])) {
			if v != u {
				last = max(last, e.x.Entry[v].End)
			}
		}
		if e.ends == nil {
			e.ends = map[int32]model.Time{}
		}
		e.ends[u] = last
	}
	return last
}

// effect describes the other moves and the jobs that change. also lists further machines with the same effect.
func (e *explainer) effect(moved []model.Entry, also []int32) string {
	text := "nothing else moves"
	switch n := len(moved) - 1; {
	case n == 1:
		text = "1 task is pushed"
	case n > 1:
		text = fmt.Sprintf("%d tasks are pushed", n)
	case len(also) > 0:
		names := make([]string, len(also))
		for k, m := range also {
			names[k] = e.in.MachineName(m)
		}
		text += ", as on " + solver.ShortList(names, maxNamed)
	}
	done := e.completions(moved)
	var earlier, later []string
	for _, j := range slices.Sorted(maps.Keys(done)) {
		switch by := done[j] - e.done[j]; {
		case by < 0:
			earlier = append(earlier, fmt.Sprintf("job %s ends %s s earlier", e.w.Jobs[j].ID, -by))
		case by > 0:
			later = append(later, fmt.Sprintf("job %s ends %s s later", e.w.Jobs[j].ID, by))
		}
	}
	if told := append(earlier, later...); len(told) > 0 {
		text += "; " + solver.ShortList(told, 2)
	}
	return text
}
