package wfformat

import (
	"fmt"
	"math"

	"mrsched/io/trace"
	"mrsched/model"
)

// File is one file to import.
type File = trace.File

// Options say what the documents do not tell. The zero value asks for nothing.
type Options struct {
	Interarrival model.Optional[model.Time] // between the releases of two jobs; unknown: as recorded
	Bandwidth    model.Optional[float64]    // bytes a second at which files move; unknown: at once
	Machines     model.Optional[int64]      // unknown: what the documents state
}

// check reports options that make no sense.
func (o *Options) check(found *model.Findings) {
	check := trace.Options{Found: found}
	if t := o.Interarrival; t.Known && (t.Value < 0 || t.Value > model.MaxHorizon) {
		check.Bad(fmt.Sprintf("%s s between releases", t.Value), "0 or more")
	}
	check.Rate(o.Bandwidth.Or(1))
	check.Count(o.Machines.Or(1), math.MaxInt32, "machines", fmt.Sprintf("from 1 to %d", math.MaxInt32))
}
