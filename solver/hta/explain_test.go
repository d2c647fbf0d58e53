package hta

import (
	"context"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/model/tier"
	"mrsched/solver"
	"mrsched/solver/explain"
)

// asking is an explainer of an assignment, with the instance's bound, after it answered about a task's place.
func asking(t *testing.T, r *run, server []int32, task int32) (*explainer, *explain.Explanation) {
	t.Helper()
	if err := r.prove(context.Background(), solver.Options{}); err != nil {
		t.Fatal(err)
	}
	cert, err := json.Marshal(r.bounds[0].Certificate)
	if err != nil {
		t.Fatal(err)
	}
	u := r.in.TaskIndex(task)
	e := r.explainer(context.Background(), explain.Question{Workload: r.w, Schedule: r.in.Schedule(server), Task: u,
		Job: r.w.Tasks[u].Job, Alternatives: 3, Certificate: cert})
	x, err := e.Answer(e.ctx, e)
	if err != nil {
		t.Fatal(err)
	}
	return e, x
}

// TestExplainCrowded by hand: only A holds the block of m1, m2 and m3; B and C hold that of m4 and m5. Local maps cost
// 1, remote ones 3. With m1 and m2 on A, m3 on B, m4 and m5 on C the makespan is 3, so A has room for m3. If remote
// maps cost 2, the makespan is 2, and A runs only two of the three maps whose block only it holds.
func TestExplainCrowded(t *testing.T) {
	r := laid(t, uniform(4, 12, 0), "ABC", "A", "A", "A", "BC", "BC")
	texts := func(x *explain.Explanation) (list []string) {
		for _, f := range x.Where {
			list = append(list, f.Text)
		}
		return list
	}
	_, x := asking(t, r, []int32{0, 0, 1, 2, 2}, 2)
	if want := "nothing forces it: moving m3 to A would make it node-local at a makespan of 3 (now 3)"; !slices.Contains(
		texts(x), want) {
		t.Errorf("%q", texts(x))
	}
	// with m2 and m5 on B too, A has load 1; with m3 there B keeps 3 + 1, so the makespan falls from 7 to 4
	_, x = asking(t, r, []int32{0, 1, 1, 2, 1}, 2)
	if a := x.Alternatives[0]; a.Machine != "A" || a.Objective != "4" || a.Change != "-3" || a.Start != "1" ||
		a.End != "2" {
		t.Errorf("alternatives %+v", x.Alternatives)
	}
	r.in.Cost.Remote.Base = 2 * model.Second
	_, x = asking(t, r, []int32{0, 0, 1, 2, 2}, 2)
	if want := "A, and no others, hold all replicas of 3 maps, of which this is one; at a makespan of 2 they run at " +
		"most 2 of them node-locally, so that 1 or more run elsewhere"; !slices.Contains(texts(x), want) {
		t.Errorf("%q", texts(x))
	}
}

// TestExplain: for random assignments moves are assignments that the checker accepts, chains make a map node-local
// within the makespan, cuts hold all replicas of their maps, and without a map the optimum is no lower than the bound
// less the stated fall.
func TestExplain(t *testing.T) {
	chains, cuts := 0, 0
	for k := range uint64(tier.Draws(80, 800)) {
		r, random := drawn(t, k), rand.New(rand.NewPCG(k, 8))
		server := make([]int32, r.in.Tasks)
		for i := range server {
			server[i] = random.Int32N(int32(r.in.Servers))
			if own := r.in.Replicas(r.in.Block[i]); len(own) > 0 && random.IntN(2) == 0 {
				server[i] = own[int(server[i])%len(own)]
			}
		}
		for i := range int32(r.in.Tasks) {
			e, x := asking(t, r, server, i)
			for _, m := range e.Moves(e.Row[r.in.TaskIndex(i)]) {
				s := &model.Schedule{Entries: slices.Clone(e.Rows)}
				for row, entry := range m.Entries {
					s.Entries[row] = entry
				}
				if v := r.in.Check(s); len(v) > 0 {
					t.Fatalf("task %d: %+v: %v", i, m, v)
				}
			}
			if e.near(i) == hta.NodeLocal {
				continue
			}
			reached := e.search(i, e.loadsWithout(i))
			if reached.end != model.None {
				after := e.moved(reached.chain(reached.end))
				if l := e.in.Measure(after); l.Makespan > e.loads.Makespan || !e.in.Local(e.in.Block[i], after[i]) {
					t.Fatalf("task %d: the chain leads to %+v from %+v", i, l, e.loads)
				}
				chains++
			}
			if slices.ContainsFunc(x.Where, func(f explain.Fact) bool { return f.Kind == explain.Cut }) {
				cuts++
				cutHolds(t, e, i, reached.servers)
			}
		}
		_, x := asking(t, r, server, 0)
		said, _ := x.Prices[0].Value.Rat()
		value, _ := new(big.Rat).SetString(r.bounds[0].Certificate.(*hta.Certificate).Value)
		if in := (&explainer{r: r}).without(func(u model.TaskIndex) bool { return u == r.in.TaskIndex(0) }); in != nil {
			least, _ := brute(in)
			if fall := value.Sub(value, rat(least)); fall.Cmp(said) > 0 {
				t.Fatalf("the bound falls by %s, said at most %s", fall, said)
			}
		}
	}
	if chains == 0 || cuts == 0 {
		t.Errorf("%d chains, %d cuts", chains, cuts)
	}
}

// cutHolds: a task's own replicas lie in its cut, and more maps are inside, by the workload, than the cut's servers can
// run within the makespan.
func cutHolds(t *testing.T, e *explainer, task int32, servers []int32) {
	t.Helper()
	maps := 0
	for v := range int32(e.in.Tasks) {
		inside := e.in.Unheld == 0 || len(e.replicas(v)) > 0
		for _, p := range e.r.w.Placements {
			if p.Block == e.r.w.Tasks[e.in.TaskIndex(v)].Block {
				s, runs := e.in.Machine(e.r.w.Topology[p.Node].ID)
				inside = inside && (!runs || slices.Contains(servers, s))
			}
		}
		if inside {
			maps++
		}
		if v == task && !inside {
			t.Fatalf("task %d is not in its cut", task)
		}
	}
	if maps != e.inside(servers) || model.Time(maps)*e.in.Cost.Local <= e.loads.Makespan*model.Time(len(servers)) {
		t.Fatalf("task %d: %d servers run %d maps within %s", task, len(servers), maps, e.loads.Makespan)
	}
}
