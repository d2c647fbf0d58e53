package shop

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model"
	"mrsched/model/tier"
)

// begunTiny is a tiny instance of which some tasks have begun, on any node at any time, whatever rules say.
func begunTiny(t testing.TB, r *rand.Rand) *Instance {
	t.Helper()
	for {
		b, now := drawTiny(r, 2+r.IntN(4)), model.Time(1+r.IntN(6))
		w, err := b.Build()
		if err != nil {
			continue
		}
		w.Fixed = nil
		if _, err := New(w); err != nil {
			continue
		}
		w.Now, w.Grace = model.Some(now), model.Some(model.Time(r.IntN(3)))
		for u := range w.Tasks {
			if r.IntN(2) > 0 {
				continue
			}
			hosts := w.Hosts()
			s := model.StateRow{Task: model.TaskIndex(u), Node: hosts[r.IntN(len(hosts))], Start: now - model.Time(r.IntN(8))}
			switch r.IntN(4) {
			case 0:
				s.End = model.Some(s.Start + model.Time(r.IntN(int(now-s.Start)+1)))
			case 1:
				s.Remaining = model.Some(model.Time(r.IntN(5)))
			}
			w.State = append(w.State, s)
		}
		if in, err := New(w); err == nil && len(w.State) > 0 {
			return in.Under(Objective(Objectives()[r.IntN(4)]))
		}
	}
}

// keepsReality says in the words of the specification whether a schedule keeps the rules, for tasks of some length.
func keepsReality(t *testing.T, in *Instance, s *model.Schedule) bool {
	w, state := in.workload, map[int32]model.StateRow{}
	for _, x := range w.State {
		state[int32(x.Task)] = x
	}
	before := *w
	before.State, before.Now = nil, model.Optional[model.Time]{}
	plain, err := New(&before)
	if err != nil {
		t.Fatal(err)
	}
	free := &model.Schedule{}
	for _, e := range s.Entries {
		x, begun := state[int32(e.Task)]
		if !begun {
			if free.Entries = append(free.Entries, e); e.Start < w.Now.Value {
				return false
			}
			continue
		}
		end := x.End.Or(w.Now.Value + x.Remaining.Value)
		if !x.End.Known && !x.Remaining.Known {
			usual := max(0, plain.Length(int32(e.Task), in.nodeOf[x.Node]))
			end = max(x.Start+usual, w.Now.Value+w.Grace.Value)
		}
		if in.nodeOf[x.Node] != e.Machine || e.Start != x.Start || e.End != end {
			return false
		}
	}
	room := func(e model.Entry, r int32, capacity int64, on func(i int32) bool) bool {
		for t := e.Start; t < e.End; t++ {
			taken, real := in.Demands(int32(e.Task))[r], int64(0)
			if taken == 0 {
				continue
			}
			for _, o := range s.Entries {
				_, begun := state[int32(o.Task)]
				switch {
				case o.Task == e.Task || !on(o.Machine) || o.Start > t || o.End <= t:
				case begun && !state[int32(o.Task)].End.Known:
					real += in.Asked(int32(o.Task), int32(r))
				case !begun:
					taken += in.Demands(int32(o.Task))[r]
				}
			}
			if taken+min(real, capacity) > capacity {
				return false
			}
		}
		return true
	}
	for _, e := range free.Entries {
		u := int32(e.Task)
		if _, _, away := in.Away(e.Machine, e.Start, e.End); away || !in.Allowed(u, e.Machine) || e.Start < in.Earliest[u] {
			return false
		}
		for r, c := range in.Capacities(in.Class[e.Machine]) {
			if !room(e, int32(r), c, func(i int32) bool { return i == e.Machine }) {
				return false
			}
		}
		for _, g := range in.Above(e.Machine) {
			x := &in.Groups[g]
			if !room(e, x.Resource, x.Capacity, func(i int32) bool { return slices.Contains(x.Nodes, i) }) {
				return false
			}
		}
	}
	return true
}

// TestStateRules: check accepts what the rules about what has happened allow, and nothing else.
func TestStateRules(t *testing.T) {
	r, kept, broken := rand.New(rand.NewPCG(5, 54)), 0, 0
	for k := range tier.Draws(3000, 60_000) {
		in := begunTiny(t, r)
		s := &model.Schedule{}
		for u := range int32(in.Tasks) {
			i, start := int32(r.IntN(in.Nodes)), in.now()+model.Time(r.IntN(20)-1)
			if in.Begun(u) && r.IntN(20) > 0 {
				i, start = in.FixedNode(u), in.FixedStart(u)
			}
			if in.Length(u, i) < 0 || !in.Begun(u) && in.Length(u, i) == 0 {
				break // there the specification of room is another one
			}
			s.Entries = append(s.Entries, model.Entry{Task: model.TaskIndex(u), Machine: i, Start: start,
				End: start + in.Length(u, i)})
		}
		if len(s.Entries) < in.Tasks {
			continue
		}
		found := slices.DeleteFunc(in.Check(s), func(v model.Violation) bool { return v.Code == model.CodePrecedence })
		want := keepsReality(t, in, s)
		if want != (len(found) == 0) {
			t.Fatalf("instance %d: %v, the rules say %v\n%v\n%v", k, found, want, s, in.workload.State)
		}
		if kept++; !want {
			kept--
			broken++
		}
	}
	if min(kept, broken) < 50 {
		t.Errorf("%d schedules keep the rules, %d break them", kept, broken)
	}
}

// TestStateOptimum: with what has happened, no schedule of the enumeration breaks a rule, and the critical paths bound
// its least cost.
func TestStateOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 54))
	for k := range tier.Draws(200, 4000) {
		in := begunTiny(t, r)
		least := optimum(in)
		if least == nil {
			continue
		}
		for u, a := range in.workload.Tasks {
			if in.Begun(int32(u)) && in.Alone[in.Job[u]] < in.FixedStart(int32(u))+in.Least[u] {
				t.Fatalf("instance %d: job of task %s ends before it", k, a.ID)
			}
		}
		if bound := in.Cost(in.Objective, in.Alone); bound.Cmp(least) > 0 {
			t.Fatalf("instance %d: bound %s, optimum %s", k, bound, least)
		}
	}
}

// TestStateMutations breaks one rule at a time and expects only its code.
func TestStateMutations(t *testing.T) {
	b, at := model.NewBuilder(), model.Locus{}
	b.Node(model.Node{ID: "dc", Kind: model.RootNode}, "", at)
	for _, id := range []string{"n1", "n2"} {
		b.Node(model.Node{ID: id, Kind: model.HostNode, CPU: model.Some(2.0)}, "dc", at)
	}
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, at)
	for _, id := range []string{"done", "wide", "long", "free", "last"} {
		b.Task(model.Task{ID: id, Processing: model.Some(4 * model.Second), CPU: model.Some(1.5)}, "j", "", at)
	}
	b.Delay("last", "done", 0, at) // it has ended before what it waits for: reality obeys no rule
	b.Again(10*model.Second, model.Optional[model.Time]{}, []model.Down{{Node: "n2", Until: model.Some(14 * model.Second)}})
	b.StateRow(model.StateRow{Start: model.Second, End: model.Some(3 * model.Second)}, "done", "n1", at)
	b.StateRow(model.StateRow{Start: 2 * model.Second, Remaining: model.Some(model.Second)}, "wide", "n1", at)
	b.StateRow(model.StateRow{Start: 2 * model.Second}, "long", "n1", at)
	b.StateRow(model.StateRow{Start: 9 * model.Second}, "free", "n2", at)
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(w.State); n != 3 {
		t.Fatalf("%d rows of state; what runs on a node that is down starts afresh", n)
	}
	in, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	good := [][3]int{{0, 1, 3}, {0, 2, 11}, {0, 2, 70}, {1, 14, 18}, {0, 70, 74}}
	schedule := func(change func(rows [][3]int)) *model.Schedule {
		rows, s := slices.Clone(good), &model.Schedule{}
		change(rows)
		for u, r := range rows {
			s.Entries = append(s.Entries, model.Entry{Task: model.TaskIndex(u), Machine: int32(r[0]),
				Start: model.Time(r[1]) * model.Second, End: model.Time(r[2]) * model.Second})
		}
		return s
	}
	for k, c := range []struct {
		code   model.Code
		change func(r [][3]int)
	}{
		{"", func([][3]int) {}},
		{model.CodeReality, func(r [][3]int) { r[0] = [3]int{0, 1, 4} }},
		{model.CodeReality, func(r [][3]int) { r[1] = [3]int{1, 2, 11} }},
		{model.CodeReality, func(r [][3]int) { r[2], r[4] = [3]int{0, 3, 71}, [3]int{0, 71, 75} }},
		{model.CodeReality, func(r [][3]int) { r[4] = [3]int{1, 3, 7} }},
		{model.CodeAway, func(r [][3]int) { r[3] = [3]int{1, 13, 17} }},
		{model.CodeCores, func(r [][3]int) { r[4] = [3]int{0, 69, 73} }},
	} {
		found := in.Check(schedule(c.change))
		if c.code == "" && len(found) > 0 || c.code != "" && (len(found) == 0 || slices.ContainsFunc(found,
			func(v model.Violation) bool { return v.Code != c.code })) {
			t.Errorf("%d: %v, expected %s", k, found, c.code)
		}
	}
	if s := fmt.Sprint(w.Notes); s != "[planned again at 10: 1 task ended, 2 tasks running; 1 task on nodes that are "+
		"down, to start afresh: free]" {
		t.Error(s)
	}
}
