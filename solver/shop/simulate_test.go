package shop

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/model/tier"
	"mrsched/solver"
)

// seconds are the tries of tasks.
func seconds(tries ...[]model.Time) [][]model.Time {
	for u, list := range tries {
		tries[u] = slices.Clone(list)
		for k := range list {
			tries[u][k] *= model.Second
		}
	}
	return tries
}

// TestRules are runs by hand on two nodes of one core. The plan: a on n0 from 0 to 4, then b to 6, then y to 8; c on n1
// from 0 to 3, then x to 5. b and x follow c; x and y share the only unit of db.
func TestRules(t *testing.T) {
	b := begun(1, 1)
	lengths := []model.Time{4, 2, 3, 2, 2}
	for u, id := range []string{"a", "b", "c", "x", "y"} {
		add(b, id, lengths[u], 1)
	}
	b.Delay("c", "b", 0, model.Locus{})
	b.Delay("c", "x", 0, model.Locus{})
	b.Capacity(model.Capacity{Resource: "db", Amount: model.UnitAmount}, "dc", model.Locus{})
	for _, id := range []string{"x", "y"} {
		b.Demand(model.TaskDemand{Resource: "db", Amount: model.UnitAmount}, id, model.Locus{})
	}
	in := built(t, b, shop.Makespan)
	plan := &model.Schedule{}
	for u, start := range []model.Time{0, 4, 0, 3, 6} {
		plan.Entries = append(plan.Entries, model.Entry{Task: model.TaskIndex(u), Machine: []int32{0, 0, 1, 1, 0}[u],
			Start: start * model.Second, End: (start + lengths[u]) * model.Second})
	}
	if broken := in.Check(plan); len(broken) > 0 {
		t.Fatal(broken)
	}
	pinned := []int32{0, 0, 1, 1, 0}
	anywhere := slices.Repeat([]int32{model.None}, 5)
	order := solver.Rule{Order: in.InOrder(plan), Node: pinned, InTurn: true, Pause: 300 * model.Second}
	priority := solver.Rule{Order: order.Order, Node: anywhere, Pause: 300 * model.Second}
	one := priority
	one.Most = 1
	for _, c := range []struct {
		name    string
		rule    solver.Rule
		tries   [][]model.Time
		starts  []model.Time // seconds; of the last tries
		delayed string
	}{
		{"order as planned", order, nil, []model.Time{0, 4, 0, 3, 6}, ""},
		{"order never takes another node", order, seconds([]model.Time{10}, nil, []model.Time{1}),
			[]model.Time{0, 10, 0, 1, 12}, "a"},
		{"order keeps the order of a pool", order, seconds(nil, nil, []model.Time{9}, nil, nil),
			[]model.Time{0, 9, 0, 9, 11}, "c"},
		{"a failed try has begun: b, then y take its node", order, seconds([]model.Time{1, 2}, nil, []model.Time{1}),
			[]model.Time{301, 1, 0, 1, 3}, "a"},
		{"priority takes any node", priority, seconds([]model.Time{10}, nil, []model.Time{1}, []model.Time{1}),
			[]model.Time{0, 2, 0, 1, 4}, "a"},
		{"priority lets y pass what is not ready", priority, seconds(nil, nil, []model.Time{9}, nil, nil),
			[]model.Time{0, 9, 0, 9, 4}, "c"},
		{"one active task", one, seconds(nil, nil, []model.Time{9}, nil, nil), []model.Time{0, 15, 4, 13, 17}, "c"},
		{"fifo: the lower task first", solver.Rule{}, nil, []model.Time{0, 3, 0, 4, 6}, ""},
	} {
		r := &run{in: in}
		d := r.simulated(t.Context(), c.rule, c.tries)
		trial, err := r.simulate(t.Context(), c.rule, c.tries)
		if err != nil {
			t.Fatal(err)
		}
		last := model.Time(0)
		for u, want := range c.starts {
			if got := d.b.start[u]; got != want*model.Second {
				t.Errorf("%s: %s starts at %s, want %d", c.name, in.Workload().Tasks[u].ID, got, want)
			}
			last = max(last, d.b.end[u])
		}
		delayed := ""
		if u := trial.Delayed[0]; u != model.None {
			delayed = in.Workload().Tasks[u].ID
		}
		if trial.End[0] != last || delayed != c.delayed {
			t.Errorf("%s: the job ends at %s, delayed by %q, want %s and %q", c.name, trial.End[0], delayed, last, c.delayed)
		}
	}
}

// TestOrderKeepsPlan: with the planned times, no task starts later than planned; with others, the schedule breaks no
// rule of an instance with these times, however tasks are started.
func TestOrderKeepsPlan(t *testing.T) {
	tier.Slow(t)
	r := rand.New(rand.NewPCG(5, 8))
	for k := range tier.Draws(200, 5000) {
		in := small(t, r, k)
		if k%50 == 0 {
			in = medium(t, uint64(k/50))
		}
		x := &run{in: in}
		out := outcome(t, x, "price-list", testOptions)
		if out.Schedule == nil {
			continue
		}
		rule := solver.Rule{Order: in.InOrder(out.Schedule), Node: make([]int32, in.Tasks), InTurn: true}
		for u, e := range out.Schedule.Entries {
			rule.Node[u] = e.Machine
		}
		d := x.simulated(t.Context(), rule, nil)
		for u, e := range out.Schedule.Entries {
			if d.b.node[u] == model.None || d.b.start[u] > e.Start {
				t.Errorf("instance %d: task %d starts at %s on %d, planned %s", k, u, d.b.start[u], d.b.node[u], e.Start)
			}
		}
		tries := make([][]model.Time, in.Tasks)
		for u := range tries {
			tries[u] = []model.Time{1 + model.Time(r.IntN(30))*model.Second/2}
		}
		free := rule
		free.InTurn, free.Node = false, slices.Repeat([]int32{model.None}, in.Tasks)
		for name, rule := range map[string]solver.Rule{"order": rule, "priority": free, "own": {}} {
			if d := x.simulated(t.Context(), rule, tries); d.started == in.Tasks {
				if broken := d.in.Check(d.b.schedule()); len(broken) > 0 {
					t.Errorf("instance %d, %s: %s", k, name, broken[0])
				}
			} else if len(in.AwayFrom) == 0 {
				t.Errorf("instance %d, %s: %d of %d tasks started", k, name, d.started, in.Tasks)
			}
		}
	}
}

// TestNeverEnds: a task that comes to its turn when its node has left for good never ends, nor do its job and what
// follows it; it is their cause.
func TestNeverEnds(t *testing.T) {
	b := begun(1, 1)
	add(b, "a", 4, 1)
	add(b, "b", 4, 1)
	add(b, "c", 0, 1)
	b.Delay("b", "c", 0, model.Locus{})
	b.Unavailable(model.Unavailable{From: 10 * model.Second}, "n0", model.Locus{})
	in := built(t, b, shop.Makespan)
	rule := solver.Rule{Order: []int32{0, 1, 2}, Node: []int32{0, 0, 1}, InTurn: true}
	for last, want := range map[model.Time]string{5: "9", 7: fmt.Sprint(shop.Never)} {
		trial, err := (&run{in: in}).simulate(t.Context(), rule, seconds([]model.Time{last}, nil, nil))
		if err != nil || trial.End[0].String() != want {
			t.Errorf("after %d s the job ends at %v, want %s (%v)", last, trial.End, want, err)
		} else if last == 7 && trial.Delayed[0] != 1 {
			t.Errorf("delayed by %v, want b, which cannot run", trial.Delayed)
		}
	}
}
