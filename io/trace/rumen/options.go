package rumen

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mrsched/io/trace"
	"mrsched/model"
)

// Ways to weigh jobs, for Options.Weights.
const (
	// ByPriority weighs VERY_HIGH 5, HIGH 4, NORMAL 3, LOW 2, VERY_LOW 1; unknown priorities count as NORMAL.
	ByPriority = "priority"
	// Uniform weighs every job 1.
	Uniform = "uniform"
	// BySize weighs a job by the number of its maps and reduces. (Traces know the bytes of few tasks, and of none that
	// failed.)
	BySize = "size"
)

// WeightNames lists the values of Options.Weights.
func WeightNames() []string { return []string{ByPriority, Uniform, BySize} }

// Options say what to import and supply what the trace does not say. The zero value imports the jobs that
// succeeded, weighed by priority, and gives hosts no slots.
type Options struct {
	IncludeFailed bool   // also import FAILED and KILLED jobs
	Weights       string // ByPriority (also if empty), Uniform or BySize
	// MapSlots and ReduceSlots are the slots of every host, be it one of the topology or, without one, of the trace.
	MapSlots, ReduceSlots int64
	// Machines is the workload's number of identical machines.
	Machines model.Optional[int64]
	// History also imports the successful attempts as past runs, and names the jobs' classes.
	History bool
	// Speeds estimates the speeds of the hosts from the attempts, and takes processing times for those of a host of
	// speed 1.
	Speeds bool
}

// DefaultOptions give each node two slots of each kind, as a default installation of Hadoop had at the time.
func DefaultOptions() Options { return Options{Weights: ByPriority, MapSlots: 2, ReduceSlots: 2} }

// check reports values that are out of range.
func (o *Options) check(findings *model.Findings) {
	check := trace.Options{Found: findings}
	o.Weights = cmp.Or(o.Weights, ByPriority)
	if !slices.Contains(WeightNames(), o.Weights) {
		findings.Add(model.Finding{Code: model.CodeParameter, What: fmt.Sprintf("weights %q", o.Weights),
			Expected: "priority, uniform or size", Hint: model.DidYouMean(o.Weights, WeightNames())})
	}
	if o.MapSlots < 0 || o.ReduceSlots < 0 {
		check.Bad(fmt.Sprintf("%s and %s a node", model.Counted(o.MapSlots, "map slot"),
			model.Counted(o.ReduceSlots, "reduce slot")), "0 or more of each")
	}
	check.Count(o.Machines.Or(1), math.MaxInt64, "machines", "at least 1")
}

const priorityNormal = "NORMAL"

// priorityWeights are the weights of Hadoop's five priorities.
var priorityWeights = map[string]model.Weight{
	"VERY_HIGH":    5 * model.UnitWeight,
	"HIGH":         4 * model.UnitWeight,
	priorityNormal: 3 * model.UnitWeight,
	"LOW":          2 * model.UnitWeight,
	"VERY_LOW":     1 * model.UnitWeight,
}

// weight is a job's weight; assumed says that its priority is unknown.
func (o *Options) weight(j *job) (w model.Weight, assumed bool) {
	switch o.Weights {
	case Uniform:
		return model.UnitWeight, false
	case BySize:
		return model.Weight(j.size()) * model.UnitWeight, false
	}
	if w, ok := priorityWeights[j.priority]; ok {
		return w, false
	}
	return priorityWeights[priorityNormal], true
}

// Report says what was imported, what was left out, and how often something had to be assumed.
type Report struct {
	Objects             int                   // JSON objects in the trace
	Jobs, Maps, Reduces int                   // imported
	Topology            bool                  // a topology was given
	Racks, Hosts        int                   // of the topology or, without one, those that the trace names
	MovedHosts          int                   // hosts that the trace names in several racks
	RepeatedJobs        int                   // jobs that were renamed, as an earlier job has their id
	FirstSubmit         model.Optional[int64] // time 0 of the workload, in ms since 1970

	// Left out.
	SkippedFailed   int // FAILED or KILLED jobs
	DroppedEmpty    int // jobs without a map or reduce
	SetupTasks      int // setup and cleanup tasks of imported jobs
	Attempts        int // unsuccessful or repeated attempts of imported tasks
	DroppedReplicas int // preferred locations that are no host of the topology, or no host at all
	RepeatedReplica int // preferred locations that name a host again

	// Assumed.
	IncludedFailed      int  // FAILED or KILLED jobs that were imported like any other
	Impossible          int  // numbers that cannot be; see limitTimes
	Unlimited           bool // one task has times, and nothing limits them
	FromJob             int  // tasks that take their job's median duration
	FromTrace           int  // tasks that take the whole trace's median duration
	UnknownShuffle      int  // jobs with maps and reduces of which no shuffle time is known
	UnknownSubmit       int  // jobs released at 0, as they have no submitTime
	UnknownPriority     int  // jobs weighed as NORMAL
	MapsWithoutBlock    int
	UnknownIntermediate int // jobs with maps and reduces whose intermediate bytes are unknown

	// With Options.History.
	Runs             int // attempts that became past runs
	RunsWithoutTime  int // tasks without a past run, as they have no successful attempt or its times are unknown
	RunsWithoutName  int // attempts left out, as their host or the name, user and queue of their job are unknown
	RunsWithoutBytes int // past runs of unknown bytes, which count as 0

	// With Options.Speeds.
	HostsWithoutSpeed int // hosts of unknown speed, as no attempt on them compares with another
	HostsFewAttempts  int // hosts whose speed is estimated from fewer than five attempts
	ScaledTimes       int // tasks whose recorded time was multiplied by the speed of their host

	options Options
}

// count adds an imported job.
func (r *Report) count(j *job) {
	r.Jobs++
	r.Maps += len(j.tasks[model.Map])
	r.Reduces += len(j.tasks[model.Reduce])
	r.SetupTasks += j.ignored.setupTasks
	r.Attempts += j.ignored.attempts
	r.DroppedReplicas += j.ignored.replicas
	r.RepeatedReplica += j.ignored.repeats
	if j.failed() {
		r.IncludedFailed++
	}
}

// Notes are the report in sentences, one for each count above 0.
func (r *Report) Notes() []string {
	var notes trace.Notes
	notes.Add("imported from a Rumen trace of %s", model.Counted(r.Objects, "job"))
	notes.Count(r.SkippedFailed, "FAILED or KILLED job", "{is|are} left out")
	notes.Count(r.IncludedFailed, "FAILED or KILLED job", "{is|are} imported like any other")
	notes.Count(r.DroppedEmpty, "job", "without maps and reduces {is|are} left out")
	notes.Count(r.RepeatedJobs, "job", "with {the id of an earlier job is|ids of earlier jobs are} renamed: .2, .3, … "+
		"follows {its id|their ids} and those of {its|their} tasks")
	notes.Count(r.SetupTasks, "setup or cleanup task", "{is|are} left out")
	notes.Count(r.Attempts, "failed, killed or superfluous attempt", "{is|are} left out")
	if r.FirstSubmit.Known {
		notes.Add("time 0 is the first submission, %d ms after 1970-01-01T00:00Z", r.FirstSubmit.Value)
	}
	notes.Count(r.UnknownSubmit, "job", "without a recorded submission {is|are} released at time 0")
	notes.Count(r.Impossible, "number", "{is|are} replaced, as {it|they} cannot be: negative or too large, before the "+
		"start, of a task that took longer than its job, or of a job that was a year away from its tasks")
	if r.Unlimited {
		notes.Lack("the trace has the times of one task, of a job that does not state its own: a time that is too long " +
			"would not be noticed")
	}
	notes.Count(r.FromJob, "task", "without a recorded duration {takes its|take their} job's median")
	notes.Count(r.FromTrace, "task", "of {a job|jobs} without any recorded duration of that kind {takes|take} "+
		"the trace's median")
	notes.Count(r.UnknownShuffle, "job", "without a recorded shuffle {has|have} no shuffle delay")
	notes.Add("%s", weightNotes[r.options.Weights])
	notes.Count(r.UnknownPriority, "job", "without a known priority {is|are} weighed as NORMAL")
	r.noteNodes(&notes)
	notes.Count(r.RepeatedReplica, "replica", "on {a host that holds|hosts that hold} the block already {is|are} dropped")
	notes.Count(r.MapsWithoutBlock, "map", "without known replicas {reads|read} no block")
	notes.Count(r.UnknownIntermediate, "job",
		"{has|have} unknown intermediate bytes, as not every map's output is recorded")
	if r.options.History {
		r.noteHistory(&notes)
	}
	if r.options.Speeds {
		r.noteSpeeds(&notes)
	}
	return notes
}

// weightNotes are the notes on Options.Weights.
var weightNotes = map[string]string{
	Uniform:    "every job weighs 1",
	BySize:     "the weight of a job is its number of maps and reduces",
	ByPriority: "priorities weigh 5 (VERY_HIGH), 4, 3 (NORMAL), 2 and 1 (VERY_LOW)",
}

func (r *Report) noteNodes(notes *trace.Notes) {
	hosts := model.Counted(r.Hosts, "host")
	slots := model.Counted(r.options.MapSlots, "map slot") + " and " +
		model.Counted(r.options.ReduceSlots, "reduce slot")
	racks := "without racks"
	if r.Racks > 0 {
		racks = "in " + model.Counted(r.Racks, "rack")
	}
	switch {
	case r.Topology:
		notes.Add("each of the topology's %s is given %s", hosts, slots)
		notes.Count(r.DroppedReplicas, "replica", "on {a host|hosts} outside the topology {is|are} dropped")
		if r.DroppedReplicas > 0 && r.MapsWithoutBlock == r.Maps {
			notes.Add("no host of the topology holds any replica: it may be the topology of another trace")
		}
		return
	case r.Hosts == 0:
		notes.Add("no topology was given (--topology FILE), and the trace names no host: there are no nodes")
	default:
		notes.Add("no topology was given (--topology FILE): the trace names %s %s; every host gets %s", hosts, racks, slots)
	}
	notes.Count(r.MovedHosts, "host", "that the trace names in several racks {stays|stay} in the first")
	notes.Count(r.DroppedReplicas, "replica", "without a host {is|are} dropped")
}

func (r *Report) noteHistory(notes *trace.Notes) {
	notes.Add("%s: a job's class is its name, else its user, else its queue; a reduce's time begins when its shuffle ends",
		model.Counted(r.Runs, "past run"))
	notes.Count(r.RunsWithoutTime, "task", "without a recorded duration {leaves no past run|leave no past runs}")
	notes.Count(r.RunsWithoutName, "attempt", "without a host or class {leaves no past run|leave no past runs}")
	notes.Count(r.RunsWithoutBytes, "past run", "without recorded bytes {counts|count} as having read none")
}

func (r *Report) noteSpeeds(notes *trace.Notes) {
	notes.Add("a host's speed is the median over its attempts of expected time / recorded time; expected is the median " +
		"over all attempts of the same class, kind and power of two of bytes")
	notes.Count(r.HostsFewAttempts, "host", "{has a speed|have speeds} from fewer than 5 attempts")
	notes.Count(r.HostsWithoutSpeed, "host", "{has|have} no known speed")
	notes.Count(r.ScaledTimes, "recorded duration",
		"{is multiplied by the speed of its host|are multiplied by the speeds of their hosts}")
}
