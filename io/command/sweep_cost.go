package command

import (
	"math/bits"

	"mrsched/io/sweep"
	"mrsched/model"
	"mrsched/model/realtime"
)

// The estimates of this file divide a sweep into shards and tell how long it will still take. They need not be right,
// but the same in every process, whatever its processor: everything is whole numbers, and nothing is measured.

// term is a part of what a run takes: a time, in picoseconds, times powers of the instance's size and of the limit of
// iterations, whose exponents are in hundredths.
type term struct {
	picoseconds                                    int64
	tasks, jobs, machines, rows, parts, iterations int64
}

const (
	// runOverhead is what every run takes, in microseconds.
	runOverhead = 50
	// largestCost, in microseconds, keeps sums far from overflow.
	largestCost = 1 << 38
	// mostRuns is how many of largestCost may be added up.
	mostRuns = 10_000_000
)

// of is the term's value for an instance and a limit of iterations, in microseconds.
func (c term) of(s instanceSize, iterations int64) int64 {
	exponents := c.tasks*binaryLog(s.tasks) + c.jobs*binaryLog(s.jobs) + c.machines*binaryLog(s.machines) +
		c.rows*binaryLog(s.rows) + c.parts*binaryLog(s.parts) +
		c.iterations*binaryLog(iterations)
	return powerOfTwo(binaryLog(c.picoseconds)+exponents/100) / 1_000_000
}

// runCosts estimates what the runs of a plan take, in microseconds; each at least 1. To every run falls a part of what
// it takes to load its instance: once a shard, if there are as many runs.
func runCosts(p *sweep.Plan, runs []sweep.Run, shards int) []int64 {
	count := make([]int64, len(p.Instances))
	for _, run := range runs {
		count[run.Instance]++
	}
	sizes, loads := make([]instanceSize, len(count)), make([]int64, len(count))
	for i := range p.Instances {
		if n := count[i]; n > 0 {
			sizes[i] = sizeOf(&p.Instances[i])
			loads[i] = loadCost(p.Instances[i].Problem, sizes[i]) * min(n, int64(shards)) / n
		}
	}
	costs := make([]int64, len(runs))
	for i, run := range runs {
		costs[i] = min(largestCost, loads[run.Instance]+runCost(sizes[run.Instance], &p.Variants[run.Variant], p.TimeLimit))
	}
	return costs
}

// loadCost estimates what reading or generating an instance takes, in microseconds.
func loadCost(problem string, s instanceSize) int64 {
	return min(largestCost, loadCosts[problem].of(s, 1))
}

// runCost estimates what a run on a loaded instance takes, in microseconds; at least 1.
func runCost(s instanceSize, v *sweep.Variant, limit model.Time) int64 {
	if v.Note != "" || v.FromAll && (leftOut(v, s) || excluded(v, s)) {
		return 1
	}
	iterations := int64(v.Iterations)
	if iterations == 0 {
		iterations = unlimited
	}
	cost := int64(0)
	for _, c := range costsOf(s, v) {
		cost += c.of(s, iterations)
	}
	if tree, ok := treeCosts[v.Problem+" "+v.Algorithm]; ok {
		cost += min(tree.whole.of(s, iterations), tree.limit.of(s, iterations))
	}
	if limit > 0 {
		cost = min(cost, int64(limit))
	}
	return min(runOverhead+cost, largestCost)
}

// The modes in which algorithms have costs of their own, as keys of algorithmCosts name them.
const (
	modeRacks      = " racks"      // hta, where racks have a cost
	modeSkewed     = " skewed"     // hta, where blocks or servers are not alike: searches have something to do
	modePartitions = " partitions" // realtime --goal partitions
)

// costsOf are the terms of an algorithm: of the mode in which it works on the instance, else as such. Algorithms that
// nobody has measured are taken for slow ones.
func costsOf(s instanceSize, v *sweep.Variant) []term {
	name, mode := v.Problem+" "+v.Algorithm, ""
	switch {
	case v.Problem == "hta" && s.racks:
		mode = modeRacks
	case v.Problem == "hta" && s.skewed:
		mode = modeSkewed
	case v.Problem == "realtime" && v.Values.Text("goal") == string(realtime.Partitions):
		mode = modePartitions
	}
	if c, ok := algorithmCosts[name+mode]; ok {
		return c
	}
	if c, ok := algorithmCosts[name]; ok {
		return c
	}
	return unknownCosts
}

// leftOut guesses what opened.leavesOut will say.
func leftOut(v *sweep.Variant, s instanceSize) bool {
	p, err := findProblem(v.Problem, nil)
	if err != nil {
		return false
	}
	a, _ := p.Algorithm(v.Algorithm)
	limit := int64(a.SizeLimit)
	if s.guessed {
		limit *= 2
	}
	return limit > 0 && s.tasks > limit
}

// stationarySlots is about how many slots the algorithm stationary can enumerate.
const stationarySlots = 12

// excluded guesses what solver.Excluder will say.
func excluded(v *sweep.Variant, s instanceSize) bool {
	switch v.Problem + " " + v.Algorithm {
	case "reduceplace stationary":
		return s.machines > stationarySlots
	case "realtime skewtune":
		return v.Values.Text("resplit-cost") == ""
	}
	return false
}

// logUnit is the number of parts into which binaryLog divides a factor of 2.
const logUnit = 1 << 10

// binaryLog is the logarithm to base 2 of x ≥ 1, in parts of logUnit, rounded down: its whole part is the position of
// the highest bit, each further bit says whether the square of what is left reaches 2.
func binaryLog(x int64) int64 {
	whole := bits.Len64(uint64(x)) - 1
	log := int64(whole)
	left := uint64(x) << (62 - whole) >> 31 // in [2³¹, 2³²)
	for unit := int64(1); unit < logUnit; unit *= 2 {
		log *= 2
		if left = left * left >> 31; left >= 1<<32 {
			left >>= 1
			log++
		}
	}
	return log
}

// powerOfTwo is 2 to a number in parts of logUnit, rounded down; at most 2⁵⁹, so that some may be added.
func powerOfTwo(log int64) int64 {
	if log < 0 {
		return 0
	}
	whole, part := log/logUnit, log%logUnit
	if whole >= 59 {
		return 1 << 59
	}
	x := uint64(1) << 31 // 2^(part/logUnit) in units of 2⁻³¹: a product of the roots of 2 that the bits of part name
	for i, root := range roots {
		if part&(logUnit>>(i+1)) != 0 {
			x = x * root >> 31
		}
	}
	if whole >= 31 {
		return int64(x << (whole - 31))
	}
	return int64(x >> (31 - whole))
}

// roots are 2^(1/2), 2^(1/4), … in units of 2⁻³¹.
var roots = [...]uint64{3037000500, 2553802834, 2341847524, 2242560872, 2194507417, 2170868212, 2159144272, 2153306067,
	2150392887, 2148937775}

// costSeconds is an estimate in seconds.
func costSeconds(cost int64) float64 { return float64(cost) / 1e6 }

func estimateText(cost int64) string { return shorten(model.Number(model.FormatFixed(cost, 6))) + " s" }
