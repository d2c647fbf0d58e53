package hta

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/model/tier"
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

// crowded has 3 maps whose block only server A holds, and 2 maps whose block B and C hold. Local maps cost 1, remote
// ones 3.
func crowded(t testing.TB) *run {
	t.Helper()
	return laid(t, uniform(4, 12, 0), "ABC", "A", "A", "A", "BC", "BC")
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
	if len(x.Changes) == 0 || !strings.HasPrefix(x.Changes[0], "if B held block onA too, it would be node-local there "+
		"and the makespan 3 (now 7)") {
		t.Errorf("changes %v", x.Changes)
	}
}

// TestExplain: for random assignments every move reports the resulting loads, chains have the promised effect, and cuts
// agree with the placements. With one map less, or one replica more, the optimum is no lower than the bound less the
// stated fall.
func TestExplain(t *testing.T) {
	for k := range uint64(tier.Draws(80, 800)) {
		r, random := drawn(t, k), rand.New(rand.NewPCG(k, 8))
		server := make([]int32, r.in.Tasks)
		for i := range server {
			server[i] = random.Int32N(int32(r.in.Servers))
			if own := r.in.Replicas(r.in.Block[i]); len(own) > 0 && random.IntN(2) == 0 {
				server[i] = own[int(server[i])%len(own)]
			}
		}
		e := asking(t, r, server)
		for i := range int32(r.in.Tasks) {
			moves(t, e, i)
		}
		answer(t, e)
		judgePrices(t, e)
	}
}

// moves judges what is said about a task's moves.
func moves(t *testing.T, e *explainer, k int32) {
	t.Helper()
	for _, o := range e.servers(k) {
		if l := e.in.Measure(e.moved([]step{o.step})); l.Makespan != o.makespan || l.Total != o.total {
			t.Fatalf("task %d to %d: %s and %s, said %s and %s", k, o.to, l.Makespan, l.Total, o.makespan, o.total)
		}
	}
	if e.near(k) == hta.NodeLocal {
		return
	}
	x := e.search(k, e.loadsWithout(k))
	if x.end != model.None {
		after := e.moved(x.chain(x.end))
		if l := e.in.Measure(after); l.Makespan > e.loads.Makespan || !e.in.Local(e.in.Block[k], after[k]) ||
			l.Counts[hta.NodeLocal] <= e.loads.Counts[hta.NodeLocal] {
			t.Fatalf("task %d: the chain leads to %+v from %+v", k, l, e.loads)
		}
		return
	}
	for _, c := range []*cut{e.cutOf(x.servers), e.certified(k)} {
		if c != nil && e.in.Unheld == 0 {
			proof(t, e, k, c)
		}
	}
}

// proof recomputes a cut from the workload.
func proof(t *testing.T, e *explainer, k int32, c *cut) {
	maps := 0
	for v := range int32(e.in.Tasks) {
		inside := true
		for _, p := range e.w.Placements {
			if p.Block == e.w.Tasks[e.in.TaskIndex(v)].Block {
				s, runs := e.in.Machine(e.w.Topology[p.Node].ID)
				inside = inside && (!runs || slices.Contains(c.servers, s))
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

// answer asks about all tasks, their jobs, and the whole. A map whose block no server holds is told so.
func answer(t *testing.T, e *explainer) {
	t.Helper()
	q := e.q
	for k := range int32(e.in.Tasks) {
		q.Task = e.in.TaskIndex(k)
		q.Job = e.w.Tasks[q.Task].Job
		x, err := e.Explain(context.Background(), q)
		if err != nil || len(x.Alternatives) > 3 || e.in.Servers > 1 && len(x.Alternatives) == 0 || len(x.Prices) == 0 {
			t.Fatalf("task %d: %+v, %v", k, x, err)
		}
		told := slices.ContainsFunc(x.Where, func(r solver.Reason) bool {
			return strings.Contains(r.Text, "lies only on nodes without map slots, so no server runs the map node-locally")
		})
		if told != (len(e.in.Replicas(e.in.Block[k])) == 0) {
			t.Errorf("task %d: %+v", k, x.Where)
		}
	}
	q.Task = model.None
	if _, err := e.Explain(context.Background(), q); err != nil {
		t.Fatal(err)
	}
}

// judgePrices compares the stated falls of the bound with optima.
func judgePrices(t *testing.T, e *explainer) {
	t.Helper()
	u := e.in.TaskIndex(0)
	for _, in := range []*hta.Instance{e.without(func(v model.TaskIndex) bool { return v == u }),
		e.with(0, int32(e.in.Servers-1))} {
		if in == nil {
			continue
		}
		e.out.Prices = nil
		if err := e.price("x", in, "x"); err != nil {
			t.Fatal(err)
		}
		said, _ := e.out.Prices[0].Value.Rat()
		least, _ := brute(in)
		if fall := rat(e.value - least); fall.Cmp(said) > 0 {
			t.Fatalf("the bound falls by %s, said at most %s", fall, said)
		}
	}
}

// TestGrowingRemoteCosts by hand: each of r remote maps costs 2 + r s. m1 reads b, which A holds, and runs on B; m2
// reads c, which B holds, and runs on A; m3 reads c on B. With r = 2, A has 4 and B 4 + 1 = 5. If m2 moves to B it is
// node-local, m1 then costs 3, and B has 3 + 1 + 1 = 5: there is room, although 5 + 1 > 5. If C also holds c, moving m2
// there leaves 3 + 1 = 4 on B: this lowers the makespan although A has less.
func TestGrowingRemoteCosts(t *testing.T) {
	for nodes, change := range map[string]string{"B": "moving this map alone cannot lower it",
		"BC": "moving this map alone lowers it nevertheless"} {
		r := laid(t, uniform(4, 8, 4), "ABC"[:1+len(nodes)], "A", nodes, nodes)
		e := asking(t, r, []int32{1, 0, 1})
		if way := e.why(1); len(way) != 1 || !strings.Contains(e.out.Where[0].Text,
			"moving m2 to B would make it node-local at a makespan of 5 (now 5)") {
			t.Errorf("%s: chain %v: %+v", nodes, way, e.out.Where)
		}
		e.changes(1)
		if last := e.out.Changes[len(e.out.Changes)-1]; !strings.Contains(last, change) {
			t.Errorf("%s: %q", nodes, last)
		}
	}
}
