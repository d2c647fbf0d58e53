package realtime

import (
	"context"
	"slices"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// The parameters of algorithms.
const (
	estimatesParam  = "estimates"
	neighboursParam = "max-neighbours"
	distanceParam   = "distance"
	lofParam        = "lof-threshold"
	partitionParam  = "partitioner"
)

// Problem is realtime's entry for the driver.
func Problem() *solver.Problem {
	return solver.Define(solver.Problem{
		Name:       "realtime",
		Title:      "Jobs with deadlines and skewed partitions on unequal workers",
		Algorithms: methods().Algorithms(),
		Removed:    map[string]string{"admit": "llf"},
		Columns:    usedColumns(),
		Results:    realtime.Describe(),
		Shown:      []string{"miss_rate", "tardiness", "balance"}, // of the goals deadlines and partitions
		Small: solver.Small{ // of both goals, with estimated and with true times
			Generate: instances.SmallRealtime,
			Variants: []map[string]string{{partitionParam: "dp"}, {partitionParam: "hash"}},
		},
	}, solver.Typed[params, *realtime.Instance, *run]{
		Instance: newInstance,
		Run:      func(_ *model.Workload, in *realtime.Instance, p params) (*run, error) { return newRun(in, p), nil },
		Notes: func(in *realtime.Instance, p params) []string {
			if p.goal != "auto" || in.Goal != realtime.Partitions {
				return nil
			}
			return []string{"no job has a deadline, so the goal is partitions, the makespan of the reduce phases; --goal says " +
				"which, --deadline-factor gives deadlines"}
		},
		Proofs: solver.Proofs[*run]{Conflict: (*run).deadlineConflict,
			Optimal: func(r *run, ctx context.Context, s *model.Schedule, nodes int) (bool, error) {
				return r.goal.optimal(ctx, r, s, nodes)
			}},
	})
}

// params are the settings of a run.
type params struct {
	goal           string
	deadlineFactor float64
	partitions     int64
	sketchDelta    float64
	sketchSeed     int64
	resplitCost    string
	estimates      string
	maxNeighbours  int64
	distance       string
	lofThreshold   float64
	partitioner    string
}

// Table describes the settings and binds them to their fields.
func (p *params) Table() []solver.Param {
	return []solver.Param{
		{Name: "goal", Value: &p.goal, Default: "auto", Choices: []string{"auto", string(realtime.Deadlines),
			string(realtime.Partitions)}, View: true,
			Usage: "objective: the number of missed deadlines, or the makespan of the reduce phases alone; " +
				"auto: deadlines if a job has one"},
		{Name: "deadline-factor", Value: &p.deadlineFactor, Default: "0", Minimum: 0, Maximum: 1e6, View: true,
			Usage: "give each job without a deadline one: this many times its longest map and longest " +
				"partition at speed 1; 0: no deadline"},
		{Name: "partitions", Value: &p.partitions, Default: "0", Minimum: 0, Maximum: 1e8, View: true,
			Usage: "number of partitions into which the keys of the table keys are hashed; 0: the column " +
				"`partitions`, else one per reducer"},
		{Name: "sketch-delta", Value: &p.sketchDelta, Default: "0.0004", Minimum: 0, Maximum: 1, View: true,
			Usage: "δ of the Count-Min sketches of keys, which have ⌈ln 1/δ⌉ rows; each row is a partitioner " +
				"to choose from; 0: no sketches"},
		{Name: "sketch-seed", Value: &p.sketchSeed, Default: "1", Minimum: 0, Maximum: 1e18, View: true,
			Usage: "seed of the sketches' hash functions"},
		{Name: "resplit-cost", Value: &p.resplitCost, Seconds: true, View: true,
			Usage: "allow partitions to be split at a cost of this many seconds for each further piece; " +
				"empty: partitions are not split"},
		{Name: estimatesParam, Value: &p.estimates, Default: "auto", Choices: []string{"auto", "history", "true"},
			Usage: "times that algorithms without foresight plan with: k-NN estimates from the table " +
				"history, or the true times; auto: history if there is any"},
		{Name: neighboursParam, Value: &p.maxNeighbours, Default: "256", Minimum: 1, Maximum: 1e6,
			Usage: "largest number of past runs that an estimate averages"},
		{Name: distanceParam, Value: &p.distance, Default: "plain", Choices: []string{"plain", "scaled"},
			Usage: "how far a past run is from a task: in bytes and in percent of the most cores and memory that a run " +
				"needed, as in the paper, or (ours) with each divided by its standard deviation"},
		{Name: lofParam, Value: &p.lofThreshold, Default: "1.5", Minimum: 0, Maximum: 1e6,
			Usage: "Local Outlier Factor above which llf considers a worker overloaded and moves tasks " +
				"away; 0: never"},
		{Name: partitionParam, Value: &p.partitioner, Default: "dp", Choices: []string{"hash", "lb", "dp", "lb-sketch",
			"dp-sketch"},
			Usage: "how policies assign partitions to reducers"},
	}
}

func newInstance(w *model.Workload, p params) (*realtime.Instance, error) {
	o := realtime.Options{DeadlineFactor: p.deadlineFactor, Partitions: p.partitions, Delta: p.sketchDelta,
		SketchSeed: p.sketchSeed}
	if p.goal != "auto" {
		o.Goal = realtime.Goal(p.goal)
	}
	if p.resplitCost != "" {
		c, err := model.ParseTime(p.resplitCost)
		if err != nil {
			return nil, model.NewInputError(model.Finding{Code: model.CodeParameter,
				What: "--resplit-cost " + p.resplitCost + " is no time", Expected: "seconds"})
		}
		o.Resplit = model.Some(c)
	}
	return realtime.New(w, o)
}

// usedColumns are the columns that the problem uses.
func usedColumns() []solver.Column {
	const timed = "without processing_time, and without rows in `times` for all workers"
	const fromHistory = "if times are estimated from the table history"
	deadlines := func(table model.Table, names ...string) []solver.Column {
		return solver.Sometimes("with --goal deadlines", goalDeadlines, table, names...)
	}
	estimates := func(table model.Table, names ...string) []solver.Column {
		return solver.Sometimes(fromHistory, estimated, table, names...)
	}
	estimatesOf := func(name string, is func(t *model.Task) bool) []solver.Column {
		return solver.Sometimes(fromHistory, func(u solver.Use) bool { return estimatedFrom(u, is) }, model.TableTasks, name)
	}
	return slices.Concat(
		solver.Machines(),
		solver.Always(model.TableJobs, "reduces"),
		deadlines(model.TableJobs, "release", "deadline"),
		solver.Taken("unless partitions, keys or listed reduces say it", model.TableJobs, "intermediate_bytes"),
		solver.Taken("of jobs with keys, without --partitions", model.TableJobs, "partitions"),
		solver.Taken("of tasks "+timed, model.TableJobs, "task_overhead", "reduce_bytes_per_s"),
		solver.Taken("with --goal deadlines, of maps "+timed, model.TableJobs, "map_bytes_per_s"),
		estimates(model.TableJobs, "class"),
		solver.Always(model.TableTasks, "job", "kind"),
		solver.Taken("of reduces; of maps with --goal deadlines; without rows in `times` for all workers", model.TableTasks,
			"processing_time"),
		solver.Sometimes("of reduces; with --goal deadlines, of maps without processing_time or of estimated times",
			func(u solver.Use) bool {
				return u.Takes("tasks.input_bytes") || estimatedFrom(u, func(t *model.Task) bool { return t.InputBytes.Known })
			}, model.TableTasks, "input_bytes"),
		solver.Taken("with --goal deadlines, of maps of jobs with reduces", model.TableTasks, "shuffle_delay"),
		deadlines(model.TableTasks, "release"),
		solver.Sometimes("with --goal deadlines, if there are placements", func(u solver.Use) bool {
			return goalDeadlines(u) && len(u.Workload.Placements) > 0
		}, model.TableTasks, "block"),
		estimatesOf("cpu", func(t *model.Task) bool { return t.CPU.Known }),
		estimatesOf("memory_bytes", func(t *model.Task) bool { return t.MemoryBytes.Known }),
		deadlines(model.TablePlacements, "block", "node"),
		solver.Always(model.TableTopology, "kind", "reduce_slots", "speed"),
		solver.Sometimes("with --goal deadlines, or where a node has one reduce slot, which is named after the node if it "+
			"has no other", func(u solver.Use) bool { return goalDeadlines(u) || nameSlots(u.Workload) },
			model.TableTopology, "map_slots"),
		solver.Always(model.TablePartitions, "job", "partition", "bytes"),
		solver.Always(model.TableKeys, "job", "key", "bytes"),
		solver.Always(model.TableTimes, "job", "task", "worker", "seconds"),
		estimates(model.TableHistory, "class", "worker", "kind", "bytes", "cpu", "memory_bytes", "seconds"),
	)
}

func goalDeadlines(u solver.Use) bool { return u.View.(*realtime.Instance).Goal == realtime.Deadlines }

// estimated reports whether the algorithm uses estimates from the table history.
func estimated(u solver.Use) bool {
	return len(u.Workload.History) > 0 && solver.Bind[params](u.Params).estimates != "true" &&
		slices.Contains(u.Algorithm.Params, estimatesParam)
}

// estimatedFrom reports whether times of tasks that satisfy a condition are estimated.
func estimatedFrom(u solver.Use, is func(t *model.Task) bool) bool {
	return estimated(u) && u.SomeTask(func(t *model.Task) bool {
		return (t.Kind == model.Reduce || goalDeadlines(u)) && is(t)
	})
}

// nameSlots reports whether map slots affect the names of reduce slots.
func nameSlots(w *model.Workload) bool {
	return slices.ContainsFunc(w.Topology, func(n model.Node) bool {
		return n.Kind == model.HostNode && n.ReduceSlots == 1 && n.MapSlots > 0
	})
}
