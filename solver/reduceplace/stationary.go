package reduceplace

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// stationary is optimal in the long run for Poisson arrivals and exponential work, in a tiny system whose law of jobs
// is known. A job takes the set A of free slots with the least H(A)·X/R + C(state with A), where C is the expected cost
// until the system is empty. The larger X/R, the smaller H(A): thresholds.
//
// Complexity: a step of the iteration looks at every way to place a job in every state, at most maxChoices. Ties: the
// least H(A), then the set that is least as a number with a bit for each slot. Source: Tan et al., INFOCOM 2013,
// Theorem 3.   Differs: R may vary, and depend on X/R; a full queue, which an arrival finds with a probability below
// fullProbability, turns jobs away; the work of the jobs that it places need not be exponential.
type stationary struct {
	in      *reduceplace.Instance
	x       []float64 // by job: the assumed data per reduce
	v       *values
	sets    map[int32]uint64 // of running jobs
	state   []uint64         // the same, sorted
	started int
}

const stationaryName = "stationary"

// fullProbability is how likely an arrival may find the queue of stationary's model full.
const fullProbability = 1e-6

// queueFor is how many jobs may wait while K run: ρ^(K+Q) ≤ fullProbability.
func queueFor(load float64, k int) int {
	return max(2, int(math.Ceil(math.Log(fullProbability)/math.Log(load)))-k)
}

// system is the tiny system of an instance, with its load.
func (r *run) system() (*tinySystem, float64, error) {
	load := r.p.load
	if load == 0 {
		load = r.load()
	}
	if !(load > 0 && load < 1) {
		what := fmt.Sprintf("map work takes %.4g of the time between the first and last arrival", load)
		if math.IsNaN(load) || math.IsInf(load, 0) {
			what = "jobs that arrive all at once determine no load"
		}
		return nil, 0, model.NewInputError(model.Finding{Code: model.CodeParameter, What: what,
			Expected: "more than 0 and less than 1: else there is no stationary policy", Hint: "set --load"})
	}
	height := make([]float64, r.in.Slots)
	for s, h := range r.in.Cost {
		height[s] = h.Float()
	}
	s, err := newTinySystem(height, r.law(), r.in.MaxRunning, queueFor(load, r.in.MaxRunning))
	return s, load, err
}

// Excludes says why stationary cannot run: too many states, or no load that it could expect.
func (r *run) Excludes(algorithm string) (x solver.Exclusion) {
	if algorithm != stationaryName {
		return x
	}
	_, _, err := r.system()
	if input := (*model.InputError)(nil); errors.As(err, &input) {
		_, x.Why, _ = strings.Cut(input.Findings[0].String(), ": ") // without its code
	}
	return x
}

// load is the workload's λ·E[B]: the mean work over the mean time between arrivals.
func (r *run) load() float64 {
	in, n := r.in, r.in.Jobs
	span := (in.Arrival[in.Order[n-1]] - in.Arrival[in.Order[0]]).Seconds()
	work := 0.0
	for _, b := range in.Work {
		work += b.Seconds()
	}
	return work / float64(n) * float64(n-1) / span
}

func (r *run) newStationary(v *values) *stationary {
	return &stationary{in: r.in, x: r.expected, v: v, sets: map[int32]uint64{}}
}

// solveStationary computes the policy and follows it.
func solveStationary(ctx context.Context, r *run, opt solver.Options) (*found, error) {
	s, load, err := r.system()
	if err != nil {
		return nil, err
	}
	v := solveValues(ctx, s, load)
	f := r.follow(ctx, r.newStationary(v), opt)
	f.facts = Facts{EstimateFacts: r.estimates, States: len(v.value), Load: rounded(load)}
	if f.status == model.StatusFeasible {
		f.facts.ExpectedCostPerJob = rounded(v.perJob())
	}
	return f, nil
}

// rounded is a finite number as results print it.
func rounded(v float64) model.Number { return model.LowerNumber(new(big.Rat).SetFloat64(v)) }

func (p *stationary) choose(list []int32, job int32, r int, _ *freeSlots) []int32 {
	c, waiting := p.v.number[key(p.state)], 0
	if len(p.state) == p.v.k-1 {
		arrived := sort.Search(p.in.Jobs, func(i int) bool { return p.in.Arrival[p.in.Order[i]] > p.in.Start[job] })
		waiting = max(0, min(arrived-p.started-1, p.v.queue-1))
	}
	for set := p.v.best(c, waiting, r, p.x[job]); set != 0; set &= set - 1 {
		list = append(list, int32(bits.TrailingZeros64(set)))
	}
	return list
}

func (p *stationary) placed(job int32, slots []int32) {
	p.started++
	set := uint64(0)
	for _, s := range slots {
		set |= 1 << s
	}
	p.sets[job] = set
	p.state = with(p.state, set)
}

func (p *stationary) departed(job int32) {
	at, _ := slices.BinarySearch(p.state, p.sets[job])
	p.state = slices.Delete(p.state, at, at+1)
	delete(p.sets, job)
}
