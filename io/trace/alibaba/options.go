package alibaba

import (
	"fmt"
	"math"
	"slices"

	"mrsched/io/trace"
	"mrsched/model"
)

// File is one file to import.
type File = trace.File

// Values of Options.Instances.
const (
	All = "all" // every instance is a task
	One = "one" // every task is a task, however many instances it has
)

// Values of Options.Durations.
const (
	Net   = "net"   // from the task's start, or the end of what it waits for, to its end
	Gross = "gross" // from the task's start to its end
)

// Instances lists the values of Options.Instances, Durations those of Options.Durations; the first are the defaults.
func Instances() []string { return []string{All, One} }

// Durations lists the values of Options.Durations.
func Durations() []string { return []string{Net, Gross} }

// Options say what to import, and what the lines do not tell.
type Options struct {
	Jobs          model.Optional[int64] // import so many; unknown: all
	IncludeFailed bool                  // also import tasks that are not Terminated
	Instances     string                // All or One
	MaxInstances  model.Optional[int64] // of a task; unknown: any number
	Durations     string                // Net or Gross
	Machines      model.Optional[int64] // unknown: as many instances as were under way at once
}

// DefaultOptions import every instance of every Terminated task, with net times.
func DefaultOptions() Options { return Options{Instances: All, Durations: Net} }

// maxRows bounds the tasks and the rows of delays, which must fit into memory.
const maxRows = 50_000_000

// check reports options that make no sense.
func (o *Options) check(found *model.Findings) {
	check := trace.Options{Found: found}
	const sensible = "1 or more, and sensibly many"
	check.Count(o.Jobs.Or(1), math.MaxInt64, "jobs", sensible)
	check.Count(o.MaxInstances.Or(1), maxRows, "instances a task", sensible)
	check.Count(o.Machines.Or(1), math.MaxInt32, "machines", sensible)
	if !slices.Contains(Instances(), o.Instances) {
		check.Bad(fmt.Sprintf("instances %q", o.Instances), "all or one")
	}
	if o.Instances == One && o.MaxInstances.Known {
		check.Bad("a largest number of instances, of tasks that count as one", "one of the two options")
	}
	if !slices.Contains(Durations(), o.Durations) {
		check.Bad(fmt.Sprintf("durations %q", o.Durations), "net or gross")
	}
}
