package reduceplace

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver/explain"
)

// explainer says why reduces have their slots.
type explainer struct {
	*explain.Desk
	ctx  context.Context
	in   *reduceplace.Instance
	slot []int32 // by task
}

// Explain says why reduces have their slots and why their job starts when it does, what the bound loses without the
// job, and what other slots would cost. Starts do not depend on slots, so there are no alternatives in time.
func (r *run) Explain(ctx context.Context, q explain.Question) (*explain.Explanation, error) {
	x := r.explainer(ctx, q)
	return x.Answer(ctx, x)
}

func (r *run) explainer(ctx context.Context, q explain.Question) *explainer {
	x := &explainer{ctx: ctx, in: r.in, slot: r.in.Placed(q.Schedule), Desk: explain.NewDesk(r.in, q, r.in.JobOf)}
	x.Placed = true
	return x
}

func (x *explainer) task(row int32) int32 { return int32(x.Rows[row].Task) }

// Holds are the arrival, and for a job that waits the running jobs or the slots that they hold, and the job before it.
func (x *explainer) Holds(row int32) []explain.Hold {
	in, j := x.in, x.JobOf(row)
	at := in.Start[j]
	release := x.Released(in.Arrival[j], in.Arrival[j], fmt.Sprintf("job %s arrives", in.JobID(j)))
	if at == in.Arrival[j] {
		return []explain.Hold{release}
	}
	running, held, head := 0, 0, j
	var ended []int32 // jobs that end when it starts
	for i := range int32(in.Jobs) {
		if in.Start[i] < at && in.End[i] >= at { // jobs of length 0 hold nothing
			running, held = running+1, held+int(in.Reduces[i])
			if in.End[i] == at {
				ended = append(ended, i)
			}
		}
	}
	if k := slices.IndexFunc(in.Order, func(i int32) bool { return in.Start[i] == at && in.Arrival[i] < at }); k >= 0 {
		head = in.Order[k]
	}
	wait := explain.Hold{Kind: explain.Machine, Until: at, By: model.None, Text: fmt.Sprintf(
		"job %s needs %s and %d of %d are free until job %s ends at %s", in.JobID(head),
		model.Counted(in.Reduces[head], "slot"), in.Slots-held, in.Slots, explain.Names(ended, in.JobID), x.At(at))}
	if running >= in.MaxRunning {
		wait.Text = fmt.Sprintf("%s may run at a time (--max-running-jobs), and as many do until job %s ends at %s",
			model.Counted(in.MaxRunning, "job"), explain.Names(ended, in.JobID), x.At(at))
	}
	list := []explain.Hold{wait}
	if head != j {
		list = append(list, explain.Hold{Kind: explain.Rank, Until: at, By: model.None, Text: fmt.Sprintf(
			"jobs start in the order in which they arrive, and job %s, which came before, waits as long", in.JobID(head))})
	}
	return append(list, release)
}

// data is what a task fetches.
func (x *explainer) data(task int32) *big.Rat {
	bytes, parts := x.in.Data(x.in.JobOf(task), task)
	return big.NewRat(int64(bytes), parts)
}

// cost is what a task costs on a slot.
func (x *explainer) cost(task, slot int32) *big.Rat {
	c := big.NewRat(int64(x.in.Cost[slot]), int64(model.UnitCost))
	return c.Mul(c, x.data(task))
}

// holder is the first job that holds a slot while a job runs, or None, with all tasks that do.
func (x *explainer) holder(slot, job int32) (by int32, tasks []int32) {
	by = model.None
	for _, i := range x.On[slot] {
		j := x.JobOf(i)
		if x.in.Start[j] < x.in.End[job] && x.in.End[j] > x.in.Start[job] {
			if tasks = append(tasks, x.task(i)); by == model.None {
				by = j
			}
		}
	}
	return by, tasks
}

// Tell says who holds the cheaper slots, what would free them, and what the bound loses without the job. Of a job it
// looks at the reduce on the dearest slot.
func (x *explainer) Tell(int32) error {
	dearest := slices.MaxFunc(x.Asked, func(a, b int32) int {
		return cmp.Or(cmp.Compare(x.Rows[a].Machine, x.Rows[b].Machine), cmp.Compare(b, a))
	})
	t, own := x.task(dearest), x.Rows[dearest].Machine
	x.Where(explain.Place, "%s fetches %s bytes on %s at %s each, which costs %s", x.ID(dearest),
		model.LowerNumber(x.data(t)), x.in.MachineName(own), x.in.Cost[own], model.LowerNumber(x.cost(t, own)))
	cheaper, _ := slices.BinarySearch(x.in.Cost, x.in.Cost[own])
	if cheaper == 0 {
		x.Where(explain.Place, "no slot costs less")
	}
	var jobs []int32 // in the way, in the order of the slots' costs
	slots := map[int32][]int32{}
	for s := range int32(cheaper) {
		by, _ := x.holder(s, x.Job)
		if slots[by] == nil {
			jobs = append(jobs, by)
		}
		slots[by] = append(slots[by], s)
	}
	for _, by := range jobs[:min(len(jobs), explain.Listed+1)] {
		x.inTheWay(by, slots[by], t, own)
	}
	if more := len(jobs) - explain.Listed - 1; more > 0 {
		x.Where(explain.Place, "%s in the way on other cheaper slots", model.Counted(more, "more job"))
	}
	c := &reduceplace.Certificate{}
	if ok, err := x.Certificate(c); !ok {
		return err
	}
	left, err := x.in.ProvenWithout(c, x.Job)
	if err == nil {
		x.Falls("job", "", c.Claim, left, "job "+x.JobID(x.Job))
	}
	return err
}

// inTheWay says that a job holds slots which are cheaper than a task's own, and what the first one would save if it did
// not.
func (x *explainer) inTheWay(by int32, slots []int32, task, own int32) {
	in, s := x.in, slots[0]
	what := fmt.Sprintf("%s (from %s a byte)", explain.Names(slots, in.MachineName), in.Cost[s])
	switch {
	case by == model.None:
		x.Where(explain.Place, "%s: free until %s, and left so", what, x.At(in.End[x.Job]))
		return
	case by == x.Job:
		x.Where(explain.Place, "%s: held by its own job's other reduces", what)
		return
	}
	x.Where(explain.Place, "%s: held by job %s from %s to %s", what, in.JobID(by), x.At(in.Start[by]), x.At(in.End[by]))
	_, tasks := x.holder(s, x.Job)
	if alone := !slices.ContainsFunc(tasks, func(t int32) bool { return in.JobOf(t) != by }); alone {
		saves := new(big.Rat).Sub(x.cost(task, own), x.cost(task, s))
		x.Change("without job %s, slot %s would save %s for reduce %s", in.JobID(by), in.MachineName(s),
			model.LowerNumber(saves), x.ID(x.Row[task]))
	}
}

// exchangeWork limits the tasks that all exchanges together inspect.
const exchangeWork = 5_000_000

// Moves exchange tasks between two slots: the task in question, the tasks in its way on the other slot, the tasks in
// their way on the first, and so on. No smaller set with the first task can be exchanged.
//
// Source: the chains of Kempe, Amer. J. Math. 1879, on the interval graph of two slots.
func (x *explainer) Moves(row int32) (list []explain.Move) {
	t, work := x.task(row), 0
	for s := range int32(x.in.Slots) {
		if s == x.slot[t] || work > exchangeWork {
			continue
		}
		moved, seen := []int32{t}, map[int32]bool{t: true}
		m := explain.Move{Row: row, Entries: map[int32]model.Entry{}, Note: fmt.Sprintf("%s a byte", x.in.Cost[s])}
		for i := 0; i < len(moved); i++ {
			to := s
			if x.slot[moved[i]] == s {
				to = x.slot[t]
			}
			bytes, parts := x.in.Data(x.in.JobOf(moved[i]), moved[i])
			m.About += float64(float64(bytes) / float64(parts) * (x.in.Cost[to] - x.in.Cost[x.slot[moved[i]]]).Float())
			e := x.Rows[x.Row[moved[i]]]
			e.Machine = to
			m.Entries[x.Row[moved[i]]] = e
			_, others := x.holder(to, x.in.JobOf(moved[i]))
			for _, h := range others {
				if !seen[h] {
					seen[h] = true
					moved = append(moved, h)
				}
			}
		}
		if work += len(moved); len(moved) == 2 && x.in.JobOf(moved[1]) == x.Job && !x.in.Uneven(x.Job) {
			continue // two equal reduces
		}
		if len(moved) > 1 {
			m.Note += "; changes places with " + explain.Names(moved[1:], func(t int32) string { return x.ID(x.Row[t]) })
		}
		list = append(list, m)
	}
	return list
}
