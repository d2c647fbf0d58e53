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
// 1, remote ones 3. With m1 on A, m2, m3 and m5 on B, and m4 on C, A has load 1. With m3 there B keeps 3 + 1, so the
// makespan falls from 7 to 4.
func TestExplainCrowded(t *testing.T) {
	r := laid(t, uniform(4, 12, 0), "ABC", "A", "A", "A", "BC", "BC")
	_, x := asking(t, r, []int32{0, 1, 1, 2, 1}, 2)
	if a := x.Alternatives[0]; a.Machine != "A" || a.Objective != "4" || a.Change != "-3" || a.Start != "1" ||
		a.End != "2" {
		t.Errorf("alternatives %+v", x.Alternatives)
	}
}

// TestExplain: for random assignments moves are assignments that the checker accepts, and without a map the optimum is
// no lower than the bound less the stated fall.
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
		for i := range int32(r.in.Tasks) {
			e, _ := asking(t, r, server, i)
			for _, m := range e.Moves(e.Row[r.in.TaskIndex(i)]) {
				s := &model.Schedule{Entries: slices.Clone(e.Rows)}
				for row, entry := range m.Entries {
					s.Entries[row] = entry
				}
				if v := r.in.Check(s); len(v) > 0 {
					t.Fatalf("task %d: %+v: %v", i, m, v)
				}
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
}
