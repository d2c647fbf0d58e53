package trace

import "mrsched/model"

// Unknown stands for a time or number that a trace does not state.
const Unknown = -1

// Millisecond is the unit of the times of most traces.
const Millisecond = model.Second / 1000

// MaxMillis bounds times: milliseconds that model.Time can hold.
const MaxMillis = int64(model.MaxTime / Millisecond)

// Origin is time 0 of a workload: the earliest submission that it saw, in milliseconds since 1970.
type Origin struct {
	Zero  int64
	Known bool
}

// Saw takes a submission, which may be Unknown.
func (o *Origin) Saw(ms int64) {
	if ms != Unknown && (!o.Known || ms < o.Zero) {
		o.Zero, o.Known = ms, true
	}
}

// Time is a point in time; 0 before the origin.
func (o *Origin) Time(ms int64) model.Time { return Millis(max(0, ms-o.Zero)) }

// Note says when time 0 is.
func (o *Origin) Note(notes *Notes) {
	if o.Known {
		notes.Add("time 0 is the first submission, %d ms after 1970-01-01T00:00Z", o.Zero)
	}
}

// Millis is a number of milliseconds, at most as many as a time can hold.
func Millis(ms int64) model.Time { return model.Time(min(ms, MaxMillis)) * Millisecond }
