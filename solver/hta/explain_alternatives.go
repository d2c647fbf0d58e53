package hta

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver"
)

// option is a server for a task, with the loads if the task moved there.
type option struct {
	step
	makespan, total model.Time
}

// alternatives appends the cheapest servers of some tasks; way is a chain of moves to try before them.
func (e *explainer) alternatives(ctx context.Context, tasks []int32, way []step) error {
	tried := solver.NewAlternatives(e.in, e.q.Schedule, e.q.Alternatives)
	if len(way) > 1 {
		if err := e.try(tried, way, "with a chain: "+e.told(way)); err != nil {
			return err
		}
	}
	var options []option
	for _, t := range tasks {
		if err := ctx.Err(); err != nil {
			return err
		}
		options = append(options, e.servers(t)...)
	}
	slices.SortStableFunc(options, func(a, b option) int {
		return cmp.Or(cmp.Compare(a.makespan, b.makespan), cmp.Compare(a.total, b.total),
			cmp.Compare(e.loads.Load[a.to], e.loads.Load[b.to]))
	})
	for _, o := range options[:min(len(options), e.q.Alternatives)] {
		l := e.in.Locality(e.in.Block[o.task], o.to)
		if err := e.try(tried, []step{o.step}, fmt.Sprintf("%s; all loads together %s s (now %s s)", localityText(l), o.total,
			e.loads.Total)); err != nil {
			return err
		}
	}
	e.out.Alternatives = tried.List()
	return nil
}

// try evaluates some moves as an alternative for the first task in them.
func (e *explainer) try(tried *solver.Alternatives, way []step, note string) error {
	s := e.in.Schedule(e.moved(way))
	at := s.Entries[way[0].task]
	a := solver.AlternativeAt(e.name(at.Machine), at.Start, at.End)
	a.Note = note
	if e.q.Task == model.None {
		a.Task = e.id(way[0].task)
	}
	if broken := tried.Try(a, s); len(broken) > 0 {
		return fmt.Errorf("an alternative for %s breaks a constraint: %s", e.id(way[0].task), broken[0])
	}
	return nil
}

// servers gives the loads after moving a task to each other server.
//
// Complexity: O(servers).
func (e *explainer) servers(t int32) []option {
	from, b, r := e.server[t], e.in.Block[t], e.loads.Remote()
	if e.near(t) != hta.NodeLocal {
		r--
	}
	counts := make([][3]int, e.in.Servers)
	for v, s := range e.server {
		if int32(v) != t {
			counts[s][e.near(int32(v))]++
		}
	}
	var list []option
	for _, extra := range []int{0, 1} { // it is node-local, or not
		load, total := make([]model.Time, e.in.Servers), model.Time(0)
		top := [2]int32{model.None, model.None} // the two fullest servers without the task
		for s := range load {
			for near, n := range counts[s] {
				load[s] += model.Time(n) * e.in.Price(hta.Locality(near), r+extra)
			}
			total += load[s]
			switch {
			case top[0] == model.None || load[s] > load[top[0]]:
				top[0], top[1] = int32(s), top[0]
			case top[1] == model.None || load[s] > load[top[1]]:
				top[1] = int32(s)
			}
		}
		for s := range int32(e.in.Servers) {
			near := e.in.Locality(b, s)
			if s == from || (near != hta.NodeLocal) != (extra == 1) {
				continue
			}
			own := load[s] + e.in.Price(near, r+extra)
			rest := top[0]
			if rest == s {
				rest = top[1]
			}
			o := option{step{t, s}, own, total + own - load[s]}
			if rest != model.None {
				o.makespan = max(own, load[rest])
			}
			list = append(list, o)
		}
	}
	return list
}

// price says how much less the certificate proves about a changed instance; nil is one without maps.
func (e *explainer) price(name string, in *hta.Instance, what string) error {
	if e.q.Certificate == nil {
		return nil
	}
	var c hta.Certificate
	if err := json.Unmarshal(e.q.Certificate, &c); err != nil {
		return err
	}
	value, _ := new(big.Rat).SetString(c.Value)
	less := new(big.Rat).Set(value)
	if in != nil {
		for s := range c.Levels {
			c.Levels[s] = min(c.Levels[s], int32(in.Tasks))
		}
		if err := in.Sign(&c); err != nil {
			return err
		}
		changed, _ := new(big.Rat).SetString(c.Value)
		if less.Sub(value, changed); less.Sign() < 0 {
			less.SetInt64(0)
		}
	}
	n := model.Number(model.FormatRat(less, model.ValueDigits, model.RoundUp))
	e.out.Prices = append(e.out.Prices, solver.Price{Name: name, Value: n,
		Text: fmt.Sprintf("s is what the bound %s falls by at most %s", c.Method, what)})
	return nil
}

// taskPrices says what a map and a further replica are worth to the bound.
func (e *explainer) taskPrices(ctx context.Context, t int32) error {
	u := e.in.TaskIndex(t)
	if err := e.price("map", e.without(func(v model.TaskIndex) bool { return v == u }), "without "+e.id(t)); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil || e.near(t) == hta.NodeLocal {
		return err
	}
	s := e.server[t]
	return e.price("replica", e.with(t, s), fmt.Sprintf("with a replica of block %s on %s", e.block(t), e.name(s)))
}
