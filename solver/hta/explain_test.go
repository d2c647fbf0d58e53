package hta

import (
	"context"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver"
)

// asking is an explainer of an assignment, with the instance's bound.
func asking(t rapid.TB, r *run, server []int32) *explainer {
	t.Helper()
	if err := r.prove(context.Background(), solver.Options{}); err != nil {
		t.Fatal(err)
	}
	cert, err := json.Marshal(r.bounds[0].Certificate)
	if err != nil {
		t.Fatal(err)
	}
	e := &explainer{run: r, server: server, loads: r.in.Measure(server), on: make([][]int32, r.in.Servers),
		number: map[model.TaskIndex]int32{},
		q:      solver.Question{Schedule: r.in.Schedule(server), Alternatives: 3, Certificate: cert}}
	for k, s := range server {
		e.on[s] = append(e.on[s], int32(k))
	}
	return e
}

// crowded has 3 maps of block b, which only server a holds, and 2 maps of block c on servers b and c. Local maps cost
// 1, remote ones 3.
func crowded(t testing.TB) *run {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("crowded", "hta", model.Optional[int64]{}, nil)
	b.Cost(model.AssignmentCost{Local: model.Second, Remote: model.RemoteCost{Base: 3 * model.Second}}, model.Locus{})
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	for _, x := range [][2]string{{"m1", "b"}, {"m2", "b"}, {"m3", "b"}, {"m4", "c"}, {"m5", "c"}} {
		b.Task(model.Task{ID: x[0]}, "j", x[1], model.Locus{})
	}
	for _, x := range [][2]string{{"b", "A"}, {"c", "B"}, {"c", "C"}} {
		b.Placement(x[0], x[1], model.Locus{})
	}
	w, err := b.Build()
	return opened(t, w, err, params{})
}

// TestExplainCrowded by hand: with m1 and m2 on A, m3 on B (3, remote), m4 and m5 on C the makespan is 3, so A has room
// for m3. If remote maps cost 2, the makespan is 2, and A runs only two of the three maps whose block only it holds.
func TestExplainCrowded(t *testing.T) {
	r := crowded(t)
	e := asking(t, r, []int32{0, 0, 1, 2, 2})
	way := e.why(2)
	if len(way) != 1 || way[0] != (step{2, 0}) || !strings.Contains(e.out.Where[0].Text,
		"moving m3 to A would make it node-local at a makespan of 3 (now 3)") {
		t.Errorf("chain %v: %+v", way, e.out.Where)
	}
	r.in.Cost.Remote.Base = 2 * model.Second
	e = asking(t, r, []int32{0, 0, 1, 2, 2})
	e.why(2)
	if x := e.out.Where[0]; x.Kind != solver.ReasonCut || x.Text != "this server holds all replicas of these 3 maps, "+
		"of which this is one: A; at a makespan of 2 it runs at most 2 of them node-locally, so that 1 or more run "+
		"elsewhere" {
		t.Errorf("cut: %+v", e.out.Where)
	}
}

// TestExplainChange by hand: m2, m3 (3 each) and m5 on B, one map on A and on C: 7.
func TestExplainChange(t *testing.T) {
	r := crowded(t)
	e := asking(t, r, []int32{0, 1, 1, 2, 1})
	q := e.q
	q.Task = r.in.TaskIndex(2)
	x, err := r.Explain(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	// A, which holds b, has load 1. With m3 there B keeps 3 + 1, so the makespan falls from 7 to 4.
	if a := x.Alternatives[0]; a.Machine != "A" || a.Objective != "4" || a.Change != "-3" || a.Start != "1" ||
		a.End != "2" {
		t.Errorf("alternatives %+v", x.Alternatives)
	}
	if len(x.Changes) == 0 || !strings.HasPrefix(x.Changes[0], "if B held block b too, it would be node-local there "+
		"and the makespan 3 (now 7)") {
		t.Errorf("changes %v", x.Changes)
	}
}

// TestExplain: for random assignments every move reports the resulting loads, chains have the promised effect, and cuts
// agree with the placements.
func TestExplain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := small(t)
		server := make([]int32, r.in.Tasks)
		for k := range server {
			server[k] = int32(rapid.IntRange(0, r.in.Servers-1).Draw(t, "server"))
			if own := r.in.Replicas(r.in.Block[k]); rapid.Bool().Draw(t, "local") {
				server[k] = own[int(server[k])%len(own)]
			}
		}
		e := asking(t, r, server)
		for k := range int32(r.in.Tasks) {
			for _, o := range e.servers(k) {
				l := r.in.Measure(e.moved([]step{o.step}))
				if l.Makespan != o.makespan || l.Total != o.total {
					t.Fatalf("task %d to %d: %s and %s, said %s and %s", k, o.to, l.Makespan, l.Total, o.makespan, o.total)
				}
			}
			if e.near(k) == hta.NodeLocal {
				continue
			}
			x := e.search(k, e.loadsWithout(k))
			if x.end != model.None {
				after := e.moved(x.chain(x.end))
				if l := r.in.Measure(after); l.Makespan > e.loads.Makespan || !r.in.Local(r.in.Block[k], after[k]) ||
					l.Counts[hta.NodeLocal] <= e.loads.Counts[hta.NodeLocal] {
					t.Fatalf("task %d: the chain leads to %+v from %+v", k, l, e.loads)
				}
				continue
			}
			for _, c := range []*cut{e.cutOf(x.servers), e.certified(k)} {
				if c != nil {
					proof(t, e, k, c)
				}
			}
		}
		answer(t, r, e)
	})
}

// proof recomputes a cut from the workload.
func proof(t *rapid.T, e *explainer, k int32, c *cut) {
	maps := 0
	for v := range int32(e.in.Tasks) {
		inside := true
		for _, p := range e.w.Placements {
			if p.Block == e.w.Tasks[e.in.TaskIndex(v)].Block {
				s, _ := e.in.Machine(e.w.Topology[p.Node].ID)
				inside = inside && slices.Contains(c.servers, s)
			}
		}
		if inside {
			maps++
		}
		if v == k && !inside {
			t.Fatalf("task %d is not in its cut", k)
		}
	}
	if maps != c.maps || model.Time(c.each)*e.in.Cost.Local > e.loads.Makespan ||
		model.Time(c.each+1)*e.in.Cost.Local <= e.loads.Makespan {
		t.Fatalf("task %d: cut %+v of %d maps at makespan %s", k, c, maps, e.loads.Makespan)
	}
}

// answer asks about all tasks and jobs. Try evaluates the stated cost of alternatives.
func answer(t *rapid.T, r *run, e *explainer) {
	for k := range int32(r.in.Tasks) {
		q := e.q
		q.Task = r.in.TaskIndex(k)
		q.Job = r.w.Tasks[q.Task].Job
		x, err := r.Explain(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(x.Alternatives) > 3 || r.in.Servers > 1 && len(x.Alternatives) == 0 || len(x.Prices) == 0 {
			t.Fatalf("task %d: %+v", k, x)
		}
	}
	q := e.q
	q.Task = model.None
	if _, err := r.Explain(context.Background(), q); err != nil {
		t.Fatal(err)
	}
}

// TestPricesOfCuts: with one map less, or one replica more, the optimum is no lower than the bound less the stated
// fall.
func TestPricesOfCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := small(t)
		e := asking(t, r, make([]int32, r.in.Tasks))
		u := r.in.TaskIndex(0)
		for _, in := range []*hta.Instance{e.without(func(v model.TaskIndex) bool { return v == u }),
			e.with(0, int32(r.in.Servers-1))} {
			if in == nil {
				continue
			}
			e.out.Prices = nil
			if err := e.price("x", in, "x"); err != nil {
				t.Fatal(err)
			}
			said, _ := e.out.Prices[0].Value.Rat()
			least := exactly(t, &run{in: in, w: r.w, p: r.p})
			if fall := big.NewRat(int64(r.value-least), int64(model.Second)); fall.Cmp(said) > 0 {
				t.Fatalf("the bound falls by %s, said at most %s", fall, said)
			}
		}
	})
}

// TestGrowingRemoteCosts by hand: each of r remote maps costs 2 + r s. m1 reads b, which A holds, and runs on B; m2
// reads c, which B holds, and runs on A; m3 reads c on B. With r = 2, A has 4 and B 4 + 1 = 5. If m2 moves to B it is
// node-local, m1 then costs 3, and B has 3 + 1 + 1 = 5: there is room, although 5 + 1 > 5. If C also holds c, moving m2
// there leaves 3 + 1 = 4 on B: this lowers the makespan although A has less.
func TestGrowingRemoteCosts(t *testing.T) {
	for _, c := range []struct {
		where  [][2]string
		forces string
		change string
	}{
		{[][2]string{{"b", "A"}, {"c", "B"}}, "moving m2 to B would make it node-local at a makespan of 5 (now 5)",
			"moving this map alone cannot lower it"},
		{[][2]string{{"b", "A"}, {"c", "B"}, {"c", "C"}}, "moving m2 to B would make it node-local at a makespan of 5 " +
			"(now 5)", "moving this map alone lowers it nevertheless"},
	} {
		b := model.NewBuilder()
		b.Scalars("growing", "hta", model.Optional[int64]{}, nil)
		b.Cost(model.AssignmentCost{Local: model.Second, Remote: model.RemoteCost{Base: 2 * model.Second,
			PerRemote: model.Second}}, model.Locus{})
		b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
		for _, x := range [][2]string{{"m1", "b"}, {"m2", "c"}, {"m3", "c"}} {
			b.Task(model.Task{ID: x[0]}, "j", x[1], model.Locus{})
		}
		for _, x := range c.where {
			b.Placement(x[0], x[1], model.Locus{})
		}
		w, err := b.Build()
		r := opened(t, w, err, params{})
		e := asking(t, r, []int32{1, 0, 1})
		if way := e.why(1); len(way) != 1 || !strings.Contains(e.out.Where[0].Text, c.forces) {
			t.Errorf("%v: chain %v: %+v", c.where, way, e.out.Where)
		}
		e.changes(1)
		if last := e.out.Changes[len(e.out.Changes)-1]; !strings.Contains(last, c.change) {
			t.Errorf("%v: %q", c.where, last)
		}
	}
}
