package command

import (
	"math"

	"mrsched/io/sweep"
	"mrsched/model"
	"mrsched/solver"
)

// The estimates of this file divide a sweep into shards and tell how long it will still take. They need not be right, but
// the same in every process: everything is whole numbers, and nothing is measured.

// bytesPerTask is about how much of a workload's JSON a task takes.
const bytesPerTask = 120

// presetTasks estimates the tasks that the presets make of their parameters; for those that are not here, `tasks` says it.
var presetTasks = map[string]func(p solver.Params) int64{
	"mars": func(p solver.Params) int64 {
		if n := p.Int("tasks"); n > 0 {
			return n
		}
		return p.Int("jobs") * 47 // on average
	},
	"wikipedia": func(solver.Params) int64 { return 2000 },
	"placement": func(p solver.Params) int64 { return p.Int("jobs") * (1 + p.Int("max-reduces") + 2*p.Int("maps")) / 2 },
	"twitter":   jobsOfPartitions,
	"youtube":   jobsOfPartitions,
	"shufflewatcher": func(p solver.Params) int64 {
		hours := p.Float("hours") + p.Float("ramp-up")
		return int64(3600 * hours / p.Float("interarrival") * (1 + 2700*p.Float("input-scale")))
	},
}

func jobsOfPartitions(p solver.Params) int64 {
	return p.Int("jobs") * (p.Int("maps") + p.Int("partitions"))
}

// instanceTasks estimates how many tasks an instance has.
func instanceTasks(in *sweep.Instance) int64 {
	if in.Path == "" && in.Bytes == 0 {
		estimate := presetTasks[in.Preset]
		if estimate == nil {
			return max(1, in.Values.Int("tasks"))
		}
		return max(1, estimate(in.Values))
	}
	return 1 + in.Bytes/bytesPerTask
}

// algorithmCost is what an algorithm takes, in nanoseconds: as such, a task, a task and √tasks, and a task and iteration.
type algorithmCost struct{ fixed, task, steep, search int64 }

// algorithmCosts are orders of magnitude on one core, bounds and their verification included. The key is a problem and an
// algorithm, or a problem alone for its other algorithms. Tasks are those of instanceTasks.
var algorithmCosts = map[string]algorithmCost{
	"msjo":                    {task: 14_000},
	"msjo coge":               {task: 25_000},
	"msjo mars":               {task: 25_000},
	"msjo mars-list":          {task: 25_000},
	"msjo so-mars":            {task: 60_000},
	"msjo tmars":              {task: 45_000},
	"msjo tmars-list":         {task: 80_000},
	"msjo mares":              {task: 250_000},
	"msjo h-mares":            {task: 225_000},
	"msjo best":               {fixed: 1e8, steep: 11_000, search: 650},
	"msjo exact":              {fixed: 1e9},
	"hta":                     {task: 1_000},
	"hta flow-lp":             {steep: 150_000},
	"hta exact":               {fixed: 5e8},
	"reduceplace":             {task: 1_000},
	"reduceplace threshold":   {task: 3_000},
	"reduceplace lookahead":   {task: 3_000},
	"reduceplace stationary":  {fixed: 1e9},
	"reduceplace clairvoyant": {task: 1_000, search: 9},
	"reduceplace exact":       {fixed: 1e9},
	"realtime":                {task: 80_000},
	"realtime best":           {task: 80_000, search: 100},
	"realtime exact":          {fixed: 1e9},
	"multitenant":             {steep: 120},
	"multitenant best":        {task: 450_000},
}

const (
	// runOverhead is what every run takes, in nanoseconds.
	runOverhead = 100_000
	// largestProduct, in nanoseconds, and largestCost, in microseconds, keep sums far from overflow.
	largestProduct = 1 << 58
	largestCost    = 1 << 38
	// mostRuns is how many of largestCost may be added up.
	mostRuns = 10_000_000
)

// runCost estimates what a run takes, in microseconds; at least 1.
func runCost(in *sweep.Instance, v *sweep.Variant, limit model.Time) int64 {
	if v.Note != "" {
		return 1
	}
	tasks := instanceTasks(in)
	if v.FromAll && leftOutBySize(v, tasks) {
		return 1
	}
	c, ok := algorithmCosts[v.Problem+" "+v.Algorithm]
	if !ok {
		c = algorithmCosts[v.Problem]
	}
	iterations := int64(v.Iterations)
	if iterations == 0 {
		iterations = unlimited
	}
	parts := []int64{runOverhead, c.fixed, capped(c.task, tasks), capped(capped(c.steep, tasks), int64(math.Sqrt(float64(tasks)))),
		capped(capped(c.search, tasks), iterations)}
	var cost int64
	for _, p := range parts {
		cost += p / 1000
	}
	if limit > 0 {
		cost = min(cost, int64(limit))
	}
	return min(max(1, cost), largestCost)
}

// leftOutBySize guesses what opened.leavesOut will say.
func leftOutBySize(v *sweep.Variant, tasks int64) bool {
	p, err := findProblem(v.Problem, nil)
	if err != nil {
		return false
	}
	a, _ := p.Algorithm(v.Algorithm)
	return a.SizeLimit > 0 && tasks > 2*int64(a.SizeLimit)
}

// capped is the product of two numbers ≥ 0, or largestProduct if it is above.
func capped(a, b int64) int64 {
	if b > 0 && a > largestProduct/b {
		return largestProduct
	}
	return a * b
}

// costSeconds is an estimate in seconds.
func costSeconds(cost int64) float64 { return float64(cost) / 1e6 }

func estimateText(cost int64) string { return shorten(model.Number(model.FormatFixed(cost, 6))) + " s" }
