package rumen

import (
	"fmt"

	"mrsched/model"
)

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
	IncludedFailed      int // FAILED or KILLED jobs that were imported like any other
	FromJob             int // tasks that take their job's median duration
	FromTrace           int // tasks that take the whole trace's median duration
	UnknownShuffle      int // jobs with maps and reduces of which no shuffle time is known
	UnknownSubmit       int // jobs released at 0, as they have no submitTime
	UnknownPriority     int // jobs weighed as NORMAL
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
	notes := []string{fmt.Sprintf("imported from a Rumen trace of %s", model.Counted(r.Objects, "job"))}
	add(&notes, r.SkippedFailed, "FAILED or KILLED job", "is left out", "are left out")
	add(&notes, r.IncludedFailed, "FAILED or KILLED job", "is imported like any other", "are imported like any other")
	add(&notes, r.DroppedEmpty, "job", "without maps and reduces is left out", "without maps and reduces are left out")
	add(&notes, r.RepeatedJobs, "job",
		"with the id of an earlier job is renamed: .2, .3, … follows its id and those of its tasks",
		"with ids of earlier jobs are renamed: .2, .3, … follows their ids and those of their tasks")
	add(&notes, r.SetupTasks, "setup or cleanup task", "is left out", "are left out")
	add(&notes, r.Attempts, "failed, killed or superfluous attempt", "is left out", "are left out")
	if r.FirstSubmit.Known {
		notes = append(notes, fmt.Sprintf("time 0 is the first submission, %d ms after 1970-01-01T00:00Z",
			r.FirstSubmit.Value))
	}
	add(&notes, r.UnknownSubmit, "job", "without a recorded submission is released at time 0",
		"without a recorded submission are released at time 0")
	add(&notes, r.FromJob, "task", "without a recorded duration takes its job's median",
		"without a recorded duration take their job's median")
	add(&notes, r.FromTrace, "task", "of a job without any recorded duration of that kind takes the trace's median",
		"of jobs without any recorded duration of that kind take the trace's median")
	add(&notes, r.UnknownShuffle, "job", "without a recorded shuffle has no shuffle delay",
		"without a recorded shuffle have no shuffle delay")
	notes = append(notes, r.weights()...)
	add(&notes, r.UnknownPriority, "job", "without a known priority is weighed as NORMAL",
		"without a known priority are weighed as NORMAL")
	if r.Topology {
		notes = append(notes, fmt.Sprintf("each of the topology's %s is given %s and %s", model.Counted(r.Hosts, "host"),
			model.Counted(int(r.options.MapSlots), "map slot"), model.Counted(int(r.options.ReduceSlots), "reduce slot")))
		add(&notes, r.DroppedReplicas, "replica", "on a host outside the topology is dropped",
			"on hosts outside the topology are dropped")
		if r.DroppedReplicas > 0 && r.MapsWithoutBlock == r.Maps {
			notes = append(notes, "no host of the topology holds any replica: it may be the topology of another trace")
		}
	} else {
		notes = append(notes, r.hosts())
		add(&notes, r.MovedHosts, "host", "that the trace names in several racks stays in the first",
			"that the trace names in several racks stay in the first")
		add(&notes, r.DroppedReplicas, "replica", "without a host is dropped", "without a host are dropped")
	}
	add(&notes, r.RepeatedReplica, "replica", "on a host that holds the block already is dropped",
		"on hosts that hold the block already are dropped")
	add(&notes, r.MapsWithoutBlock, "map", "without known replicas reads no block", "without known replicas read no block")
	add(&notes, r.UnknownIntermediate, "job", "has unknown intermediate bytes, as not every map's output is recorded",
		"have unknown intermediate bytes, as not every map's output is recorded")
	notes = append(notes, r.history()...)
	return append(notes, r.speeds()...)
}

// hosts is the note on the nodes if there is no topology.
func (r *Report) hosts() string {
	if r.Hosts == 0 {
		return "no topology was given (--topology FILE), and the trace names no host: there are no nodes"
	}
	racks := "without racks"
	if r.Racks > 0 {
		racks = "in " + model.Counted(r.Racks, "rack")
	}
	return fmt.Sprintf("no topology was given (--topology FILE): the trace names %s %s; every host gets %s and %s",
		model.Counted(r.Hosts, "host"), racks, model.Counted(int(r.options.MapSlots), "map slot"),
		model.Counted(int(r.options.ReduceSlots), "reduce slot"))
}

// history are the notes on past runs.
func (r *Report) history() (notes []string) {
	if !r.options.History {
		return nil
	}
	notes = append(notes, fmt.Sprintf("%s: a job's class is its name, else its user, else its queue; a reduce's time "+
		"begins when its shuffle ends", model.Counted(r.Runs, "past run")))
	add(&notes, r.RunsWithoutTime, "task", "without a recorded duration leaves no past run",
		"without a recorded duration leave no past runs")
	add(&notes, r.RunsWithoutName, "attempt", "without a host or class leaves no past run",
		"without a host or class leave no past runs")
	add(&notes, r.RunsWithoutBytes, "past run", "without recorded bytes counts as having read none",
		"without recorded bytes count as having read none")
	return notes
}

// speeds are the notes on the speeds of hosts.
func (r *Report) speeds() (notes []string) {
	if !r.options.Speeds {
		return nil
	}
	notes = append(notes, "a host's speed is the median over its attempts of expected time / recorded time; "+
		"expected is the median over all attempts of the same class, kind and power of two of bytes")
	add(&notes, r.HostsFewAttempts, "host",
		"has a speed from fewer than 5 attempts", "have speeds from fewer than 5 attempts")
	add(&notes, r.HostsWithoutSpeed, "host", "has no known speed", "have no known speed")
	add(&notes, r.ScaledTimes, "recorded duration", "is multiplied by the speed of its host",
		"are multiplied by the speeds of their hosts")
	return notes
}

// add adds a sentence about a number of things, unless that is 0.
func add(notes *[]string, n int, noun, one, many string) {
	if n == 1 {
		*notes = append(*notes, "1 "+noun+" "+one)
	} else if n > 1 {
		*notes = append(*notes, model.Counted(n, noun)+" "+many)
	}
}

func (r *Report) weights() []string {
	switch r.options.Weights {
	case Uniform:
		return []string{"every job weighs 1"}
	case BySize:
		return []string{"the weight of a job is its number of maps and reduces"}
	}
	return []string{"priorities weigh 5 (VERY_HIGH), 4, 3 (NORMAL), 2 and 1 (VERY_LOW)"}
}
