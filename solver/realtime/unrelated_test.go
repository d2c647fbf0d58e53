package realtime

import (
	"math"
	"math/rand/v2"
	"testing"

	"mrsched/model"
	"mrsched/model/tier"
	"mrsched/solver/unrelated"
)

// TestTree: trees find the optimum of instances that need cases, and refute less. The checker accepts their proofs for
// that limit only.
func TestTree(t *testing.T) {
	tier.Slow(t)
	for _, seed := range []uint64{0, 1, 4}[:tier.Draws(2, 3)] {
		random := rand.New(rand.NewPCG(seed, 8))
		x, j := spec{unit: 1}, job{reducers: 4}
		for w := range 8 { // some workers have slots of a class, which cases distinguish
			x.workers = append(x.workers, worker{1, 0, 1 + int64(w%2)*int64(1-seed%2)})
		}
		for range 20 {
			var times []float64
			for range x.workers {
				times = append(times, float64(1+random.IntN(1e3)))
			}
			j.parts, j.given = append(j.parts, 1), append(j.given, times)
		}
		x.jobs = []job{j}
		r := x.run(t, inPhases)
		_, cost, _ := bounded(t, r, "exact")
		set, want := r.in.Sets[0], model.Time(cost)
		p := r.phase(set)
		for limit, verdict := range map[model.Time]unrelated.Verdict{want: unrelated.Feasible, want - 1: unrelated.Refuted} {
			a, err := p.Decide(t.Context(), unrelated.Question{Limit: limit, Nodes: math.MaxInt, Work: math.MaxInt64})
			if err != nil || a.Verdict != verdict {
				t.Fatalf("seed %d: %v at %s, the optimum is %s; %v", seed, a, limit, want, err)
			}
			if verdict == unrelated.Feasible {
				continue
			}
			proof := proofOf(*a.Proof)
			if err := r.in.Refute(set, limit, &proof); err != nil || proof.Cases == nil {
				t.Errorf("seed %d: %+v, %v", seed, proof, err)
			}
			if r.in.Refute(set, want, &proof) == nil {
				t.Errorf("seed %d: a proof refutes the optimum", seed)
			}
		}
	}
}
