package wfformat

import (
	"fmt"
	"io"
	"math"

	"mrsched/model"
)

// File is one file to import.
type File struct {
	Name string // for messages
	Text io.Reader
}

// Options say what the documents do not tell. The zero value asks for nothing.
type Options struct {
	Interarrival model.Optional[model.Time] // between the releases of two jobs; unknown: as recorded
	Bandwidth    model.Optional[float64]    // bytes a second at which files move; unknown: at once
	Machines     model.Optional[int64]      // unknown: what the documents state
}

// check reports options that make no sense.
func (o *Options) check(found *model.Findings) {
	bad := func(what, expected string) {
		found.Add(model.Finding{Code: model.CodeParameter, What: what, Expected: expected})
	}
	if t := o.Interarrival; t.Known && (t.Value < 0 || t.Value > model.MaxHorizon) {
		bad(fmt.Sprintf("%s s between releases", t.Value), "0 or more")
	}
	if v := o.Bandwidth; v.Known && (!(v.Value > 0) || math.IsInf(v.Value, 0)) {
		bad(fmt.Sprintf("%v bytes per second", v.Value), "a number above 0")
	}
	if m := o.Machines; m.Known && (m.Value < 1 || m.Value > math.MaxInt32) {
		bad(fmt.Sprintf("%d machines", m.Value), fmt.Sprintf("from 1 to %d", math.MaxInt32))
	}
}
