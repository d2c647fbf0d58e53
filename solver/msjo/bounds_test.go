package msjo

import (
	"context"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/model/tier"
	"mrsched/solver"
)

// TestBoundFloor: with --bound auto, every algorithm's bound is at least that of --bound lp, the weighted critical
// paths, and the weighted area bounds of single jobs, or of single tasks under the task objective.
func TestBoundFloor(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 4))
	tried := tier.Draws(10, 60)
	for range tried {
		in := mixed(t, random)
		for _, objective := range []msjo.Objective{msjo.JobObjective, msjo.TaskObjective} {
			in := in.Under(objective)
			names := slices.Concat(comparators, []string{"coge", "best"})
			lp := strongest(t, in, solver.Params{"bound": "lp"}, "coge")
			floor := areas(in)
			for _, name := range names {
				b := strongest(t, in, solver.Params{"bound": "auto"}, name)
				if b.Cmp(lp) < 0 || b.Cmp(floor) < 0 {
					t.Fatalf("%s of %s: bound %s, LP %s, each by itself %s", objective, name, b.RatString(), lp.RatString(),
						floor.RatString())
				}
			}
		}
	}
}

// strongest is an algorithm's largest bound, re-read from its text.
func strongest(t *testing.T, in *msjo.Instance, p solver.Params, name string) *big.Rat {
	t.Helper()
	r := &run{in: in, p: solver.Bind[params](p), backend: backend}
	out, err := r.Solve(t.Context(), name, solver.Options{Iterations: 30, Seed: 1, Threads: 2})
	if err != nil {
		t.Fatal(name, err)
	}
	most := new(big.Rat)
	for _, b := range out.Bounds {
		text, err := json.Marshal(b.Certificate)
		if err != nil {
			t.Fatal(err)
		}
		proof, err := in.Certify(text)
		if err != nil {
			t.Fatal(name, b.Method, err)
		}
		if proof.Value.Cmp(most) > 0 {
			most = proof.Value
		}
	}
	return most
}

// areas adds up, for each end that counts, the weighted max of the critical path and, over a and b, of a + W(a, b)/m +
// b.
func areas(in *msjo.Instance) *big.Rat {
	sum, path := new(big.Rat), make([]model.Time, in.Nodes)
	add := func(w model.Weight, j int, tail []model.Time) {
		most := new(big.Rat)
		offer := func(v *big.Rat) {
			if v.Cmp(most) > 0 {
				most = v
			}
		}
		nodes := in.JobNodes(j)
		for _, x := range nodes {
			if tail[x] >= 0 {
				offer(new(big.Rat).SetInt64(int64(in.Head[x] + in.Processing[x] + tail[x])))
			}
			for _, y := range nodes {
				var work model.Time
				for u := range tasksOf(in, j) {
					if in.Head[u] >= in.Head[x] && tail[u] >= max(0, tail[y]) {
						work += in.Processing[u]
					}
				}
				if work > 0 {
					v := big.NewRat(int64(work), int64(in.Machines))
					offer(v.Add(v, new(big.Rat).SetInt64(int64(in.Head[x]+max(0, tail[y])))))
				}
			}
		}
		sum.Add(sum, most.Mul(most, new(big.Rat).SetInt64(int64(w))))
	}
	if in.Objective == msjo.JobObjective {
		for j := range in.Jobs {
			add(in.Weight[j], j, in.Tail)
		}
	} else {
		for u := range in.Tasks {
			in.PathsTo(int32(u), path)
			add(in.TaskWeight[u], int(in.Job[u]), path)
		}
	}
	return sum.Quo(sum, new(big.Rat).SetInt64(int64(model.UnitWeight)*int64(model.Second)))
}

// TestBoundsCutShort: a run without time proves only critical paths, and the next run does not reuse that.
func TestBoundsCutShort(t *testing.T) {
	maps := make([]float64, 40)
	for u := range maps {
		maps[u] = 10
	}
	in := handmade(t, 16, job{weight: 1, maps: maps})
	r := &run{in: in, p: solver.Bind[params](solver.Params{}), backend: backend}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, x := range []struct {
		ctx  context.Context
		want string
	}{{ended, "10"}, {context.Background(), "30"}} {
		b, err := r.aloneBound(x.ctx)
		if err != nil {
			t.Fatal(err)
		}
		if v := b.Certificate.(*msjo.Certificate).Value; v != x.want {
			t.Errorf("bound %s, want %s", v, x.want)
		}
		r.forget()
	}
}

// TestAscentShortOfTime: if time does not suffice for all steps, it ends the epochs earlier.
func TestAscentShortOfTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	steps, epochs := 0, 0
	ascend(ctx, solver.Options{}, 1, ascent{
		evaluate: func() float64 { steps++; time.Sleep(2 * time.Millisecond); return 0 },
		turn:     func(float64) {}, climb: func(float64) {}, keep: func() {}, revert: func() { epochs++ },
	})
	if steps >= 2*epochLeast && epochs <= steps*twoSidedEpochs/twoSidedSteps {
		t.Errorf("%d epochs ended in %d steps", epochs, steps)
	}
}
