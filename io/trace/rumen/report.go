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
	Racks, Hosts        int                   // of the topology
	FirstSubmit         model.Optional[int64] // time 0 of the workload, in ms since 1970

	// Left out.
	SkippedFailed   int // FAILED or KILLED jobs
	DroppedEmpty    int // jobs without a map or reduce
	SetupTasks      int // setup and cleanup tasks of imported jobs
	Attempts        int // unsuccessful or repeated attempts of imported tasks
	DroppedReplicas int // preferred locations that are no host of the topology, or no host at all
	RepeatedReplica int // preferred locations that name a host again

	// Assumed.
	IncludedFailed      int // FAILED or KILLED jobs that were imported as if they had not failed
	FromJob             int // tasks that take their job's median duration
	FromTrace           int // tasks that take the whole trace's median duration
	UnknownShuffle      int // jobs with maps and reduces of which no shuffle time is known
	UnknownSubmit       int // jobs released at 0 for want of a submitTime
	UnknownPriority     int // jobs weighed as NORMAL
	MapsWithoutBlock    int
	UnknownIntermediate int // jobs with maps and reduces whose intermediate bytes are unknown

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

// Notes are the report in sentences, one a line; what did not happen is not mentioned.
func (r *Report) Notes() []string {
	notes := []string{fmt.Sprintf("imported from a Rumen trace of %s", plural(r.Objects, "job"))}
	add := func(n int, noun, one, many string) {
		if n == 1 {
			notes = append(notes, "1 "+noun+" "+one)
		} else if n > 1 {
			notes = append(notes, plural(n, noun)+" "+many)
		}
	}
	add(r.SkippedFailed, "FAILED or KILLED job", "is left out", "are left out")
	add(r.IncludedFailed, "FAILED or KILLED job", "is imported as if it had not failed", "are imported as if they had not failed")
	add(r.DroppedEmpty, "job", "without maps and reduces is left out", "without maps and reduces are left out")
	add(r.SetupTasks, "setup or cleanup task", "is left out", "are left out")
	add(r.Attempts, "failed, killed or superfluous attempt", "is left out", "are left out")
	if r.FirstSubmit.Known {
		notes = append(notes, fmt.Sprintf("time 0 is the first submission, %d ms after 1970-01-01T00:00Z", r.FirstSubmit.Value))
	}
	add(r.UnknownSubmit, "job", "without a recorded submission is released at time 0", "without a recorded submission are released at time 0")
	add(r.FromJob, "task", "without a recorded duration takes its job's median", "without a recorded duration take their job's median")
	add(r.FromTrace, "task", "of a job without any recorded duration of that kind takes the trace's median",
		"of jobs without any recorded duration of that kind take the trace's median")
	add(r.UnknownShuffle, "job", "without a recorded shuffle has no shuffle delay", "without a recorded shuffle have no shuffle delay")
	notes = append(notes, r.weights()...)
	add(r.UnknownPriority, "job", "without a known priority is weighed as NORMAL", "without a known priority are weighed as NORMAL")
	if r.Topology {
		notes = append(notes, fmt.Sprintf("each of the topology's %s is given %s and %s", plural(r.Hosts, "host"),
			plural(int(r.options.MapSlots), "map slot"), plural(int(r.options.ReduceSlots), "reduce slot")))
		add(r.DroppedReplicas, "replica", "on a host outside the topology is dropped", "on hosts outside the topology are dropped")
	} else {
		notes = append(notes, "no topology was given: the nodes are those that hold replicas, without racks and slots")
		add(r.DroppedReplicas, "replica", "without a host is dropped", "without a host are dropped")
	}
	add(r.RepeatedReplica, "replica", "on a host that holds the block already is dropped", "on hosts that hold the block already are dropped")
	add(r.MapsWithoutBlock, "map", "without known replicas reads no block", "without known replicas read no block")
	add(r.UnknownIntermediate, "job", "has unknown intermediate bytes, as not every map's output is recorded",
		"have unknown intermediate bytes, as not every map's output is recorded")
	return notes
}

func (r *Report) weights() []string {
	switch r.options.Weights {
	case Uniform:
		return []string{"every job weighs 1"}
	case BySize:
		return []string{"every job weighs as much as it has maps and reduces"}
	}
	return []string{"priorities weigh 5 (VERY_HIGH), 4, 3 (NORMAL), 2 and 1 (VERY_LOW)"}
}

// plural is a number of things.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
