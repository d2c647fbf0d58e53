package shop

import (
	"math/big"
	"math/bits"
	"slices"

	"mrsched/model"
)

// shortRun is the run that a bounded slowdown counts at the least (Feitelson et al., JSSPP 1997).
const shortRun = 10 * model.Second

// origin is from when on job j waits: its release, or its end if it is over before that, in rows of fixed.
func (in *Instance) origin(j int) model.Time { return min(in.Release[j], in.Alone[j]) }

// Less is by how much the value of the objective is less than that of Objective: under FlowTime Σ w_j · origin.
func (in *Instance) Less() *big.Rat {
	sum, x := new(big.Int), new(big.Int)
	for j := 0; in.flow && j < in.Jobs; j++ {
		sum.Add(sum, in.JobCost(WeightedEnds, j, in.origin(j), x))
	}
	return WeightedEnds.Rat(sum)
}

// waits states, as metrics, the mean and the 95th percentile over jobs of the wait until the first task starts, of the
// time until the last one ends, and of the bounded slowdown: that time over the run between the two, which counts as
// shortRun at the least; at least 1, and rounded down to millionths.
func (in *Instance) waits(s *model.Schedule, done []model.Time, metrics map[string]any) {
	list := make([][3]int64, in.Jobs)
	for j, first := range s.FirstStarts(in.Jobs, func(u model.TaskIndex) int32 { return in.Job[u] }) {
		wait, all := max(0, first.Value-in.origin(j)), max(0, done[j]-in.origin(j))
		hi, lo := bits.Mul64(uint64(all), 1_000_000)
		slow, _ := bits.Div64(hi, lo, uint64(max(done[j]-first.Value, shortRun)))
		list[j] = [3]int64{int64(wait), int64(all), max(1_000_000, int64(slow))}
	}
	values := make([]int64, in.Jobs)
	for k, name := range []string{"wait", "turnaround", "bounded_slowdown"} {
		sum, x := new(big.Int), new(big.Int)
		for j := range list {
			values[j] = list[j][k]
			sum.Add(sum, x.SetInt64(values[j]))
		}
		slices.Sort(values)
		at, part := 19*(in.Jobs-1)/20, int64(19*(in.Jobs-1)%20)
		high := new(big.Int).Mul(big.NewInt(part), big.NewInt(values[min(at+1, in.Jobs-1)]))
		high.Add(high, x.Mul(big.NewInt(20-part), big.NewInt(values[at])))
		metrics["mean_"+name] = model.LowerNumber(new(big.Rat).SetFrac(sum, big.NewInt(int64(in.Jobs)*1_000_000)))
		metrics["p95_"+name] = model.LowerNumber(new(big.Rat).SetFrac(high, big.NewInt(20*1_000_000)))
	}
}
