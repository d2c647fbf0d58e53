package reduceplace

import (
	"context"
	"fmt"
	"math"
	"sort"

	"mrsched/model"
)

// threshold is optimal for K jobs of a known law that come one by one and never leave. If later jobs are expected to
// put more data than a job has for each reduce on y slots, it leaves these y and takes the R after them.
//
// Complexity: O(K·r·D·log J) once for D different R and J jobs in the law; O(log r + R) per job. Ties: data equal to a
// threshold takes the cheaper slots. Source: Tan et al., INFOCOM 2013, Theorems 1 and 2.   Differs: here jobs do leave;
// the job that finds m others running decides as number m+1 of K, K being --horizon. The law of X/R may depend on R,
// the rank of a job's first slot is y+1, and if fewer than y+R slots are free it takes the most expensive R.
type threshold struct {
	x       []float64   // by job: the assumed data per reduce
	next    [][]float64 // q_{i,n} by n from 0 to K, then by i from 1
	running int
}

func newThreshold(ctx context.Context, r *run) (*threshold, error) {
	law := r.law()
	k, err := r.horizon(law)
	if err != nil {
		return nil, err
	}
	return &threshold{x: r.expected, next: thresholds(ctx, law, k, r.in.Slots)}, nil
}

func (p *threshold) offset(job int32, r int, free *freeSlots) int {
	q := p.next[min(p.running+1, len(p.next)-1)]
	y := sort.Search(len(q), func(i int) bool { return q[i] <= p.x[job] })
	return min(y, free.count-r)
}

func (p *threshold) placed(int32, []int32) { p.running++ }
func (p *threshold) departed(int32)        { p.running-- }

// Limits on the evaluations of laws that thresholds need: by default (about a second), and if --horizon asks for more.
const (
	thresholdSteps    = 2e7
	maxThresholdSteps = 2e9
	maxThresholdRanks = 3e7 // 8 bytes each
)

// horizon is K of threshold: --horizon, or the number of jobs that may run at a time, limited by the slots and by the
// time to compute thresholds.
func (r *run) horizon(law Law) (int, error) {
	steps := func(k int) float64 { // Σ_n min(r, n·max R)·D
		v := float64(max(1, law.MaxReduces()))
		full := min(float64(k), float64(r.in.Slots)/v)
		return (full*(full+1)/2*v + (float64(k)-full)*float64(r.in.Slots)) * float64(len(law))
	}
	if k := int(r.p.horizon); k > 0 {
		if n := steps(k); n > maxThresholdSteps || n/float64(len(law)) > maxThresholdRanks {
			return 0, model.NewInputError(model.Finding{Code: model.CodeParameter,
				What: fmt.Sprintf("--horizon %d is too much for %s and %s of reduces", k, model.Counted(r.in.Slots, "slot"),
					model.Counted(len(law), "different number")),
				Expected: "a smaller horizon"})
		}
		return k, nil
	}
	top := max(1, min(r.in.MaxRunning, r.in.Slots))
	return max(1, sort.Search(top, func(k int) bool { return steps(k+1) > thresholdSteps })), nil
}

// thresholds gives q_{i,n} for K jobs on r slots, by n from 0 to K, then by i from 1 to min(r, (K−n)·max R): the
// expected data of the reduce that comes onto the i-th cheapest of the slots that are free after n jobs. Beyond that
// they are 0. If ctx ends, only those of the last jobs are known.
//
// With q_{i,K} = 0 for i ≥ 1, q_{i,n} = ∞ for i ≤ 0 and (u, R) the n-th job,
//
//	q_{i,n−1} = E[ q_{i,n}·1{u < q_{i,n}} + u·1{q_{i,n} ≤ u < q_{i−R,n}} + q_{i−R,n}·1{u ≥ q_{i−R,n}} ],
//
// since R copies of u are inserted into the falling list q_{1,n}, q_{2,n}, … after the y members above u.
func thresholds(ctx context.Context, law Law, k, r int) [][]float64 {
	q := make([][]float64, k+1)
	for n := k; n > 0 && ctx.Err() == nil; n-- {
		q[n-1] = before(law, q[n], min(r, (k-n+1)*law.MaxReduces()))
	}
	return q
}

// before is one step of the recursion, for the first ranks.
func before(law Law, q []float64, ranks int) []float64 {
	out := make([]float64, ranks)
	probability, moment := make([]float64, ranks), make([]float64, ranks) // of u < q_i
	for _, part := range law {
		v := part.Reduces
		_, mean := part.Data.Below(math.Inf(1))
		zero, none := part.Data.Below(0)
		for i := range out {
			probability[i], moment[i] = zero, none
			own := 0.0
			if i < len(q) {
				probability[i], moment[i] = part.Data.Below(q[i])
				own = q[i] * probability[i]
			}
			switch { // ranks count from 0 here
			case i < v:
				own += mean - moment[i]
			case i-v < len(q):
				own += moment[i-v] - moment[i] + q[i-v]*(1-probability[i-v])
			default:
				own += moment[i-v] - moment[i]
			}
			out[i] += part.Probability * own
		}
	}
	return out
}
