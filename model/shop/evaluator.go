package shop

import (
	"slices"

	"mrsched/model"
)

// Evaluator evaluates certificates. It holds what all of them use and what takes a while to compute. It is not safe
// for concurrent use.
type Evaluator struct {
	in     *Instance
	length []model.Time // by task and class: the least length on a node of the class that may run it; −1: there is none
	// Tail is by step: the longest path to the end of its job; All is by step: to the end of everything. They are −1 at
	// barriers behind which no task waits.
	Tail, All []model.Time
	waits     [][]wait  // by job: the jobs that it waits for
	always    [][]int32 // by class: nodes that are never away
	fluid     fluid
}

// wait makes a job end a delay after the end of another one, at least. Waits for single tasks of another job are none.
type wait struct {
	job   int32
	delay model.Time
}

// NewEvaluator prepares the evaluation of certificates.
func NewEvaluator(in *Instance) *Evaluator {
	e := &Evaluator{in: in, length: make([]model.Time, in.Tasks*in.Classes), always: make([][]int32, in.Classes)}
	for u := range int32(in.Tasks) {
		e.measure(u)
	}
	for i := range int32(in.Nodes) {
		if in.AwayFirst[i] == in.AwayFirst[i+1] {
			e.always[in.Class[i]] = append(e.always[in.Class[i]], i)
		}
	}
	e.Tail = e.tails(false)
	e.All = e.tails(true)
	e.waits = make([][]wait, in.Jobs)
	for a := range int32(in.Steps) {
		e.eachArc(a, func(b int32, delay model.Time) {
			if j := in.Job[b]; in.Job[a] != j && int(a) >= in.Tasks && e.Tail[b] >= 0 {
				e.waits[j] = append(e.waits[j], wait{in.Job[a], delay + e.Tail[b]})
			}
		})
	}
	return e
}

// Lengths are the least lengths of a task by class; −1 where it cannot run.
func (e *Evaluator) Lengths(u int32) []model.Time {
	return e.length[int(u)*e.in.Classes : (int(u)+1)*e.in.Classes]
}

// measure fills in the lengths of a task.
func (e *Evaluator) measure(u int32) {
	in, length := e.in, e.Lengths(u)
	if i := in.FixedNode(u); i != model.None {
		for k := range length {
			length[k] = -1
		}
		length[in.Class[i]] = in.Least[u]
		return
	}
	for k := range length {
		length[k] = -1
		if in.AllowedNodes(u, int32(k)) > 0 && in.Fits(u, int32(k)) {
			length[k] = in.RowLength(u, int32(k), model.Remote)
		}
	}
	if in.Reads(u) {
		in.eachNear(u, func(i int32) {
			if k := in.Class[i]; length[k] >= 0 && in.Allowed(u, i) {
				length[k] = min(length[k], in.Length(u, i))
			}
		})
	}
}

func (e *Evaluator) eachArc(a int32, visit func(b int32, delay model.Time)) {
	in := e.in
	for k := in.SuccFirst[a]; k < in.SuccFirst[a+1]; k++ {
		visit(in.SuccStep[k], in.SuccDelay[k])
	}
}

// tails are the longest paths to the end of each step's job, or of everything.
func (e *Evaluator) tails(all bool) []model.Time {
	in := e.in
	tail := slices.Repeat([]model.Time{-1}, in.Steps)
	for _, a := range slices.Backward(in.Topo) {
		if int(a) < in.Tasks {
			tail[a] = 0
		}
		own := int(a) >= in.Tasks && e.closes(a)
		if own { // everything of its job is before it
			tail[a] = 0
		}
		e.eachArc(a, func(b int32, delay model.Time) {
			if tail[b] >= 0 && (all || in.Job[a] == in.Job[b]) {
				tail[a] = max(tail[a], delay+in.Least[b]+tail[b])
			}
		})
	}
	return tail
}

// closes says whether a barrier stands after all tasks of a job.
func (e *Evaluator) closes(a int32) (closes bool) {
	e.eachArc(a, func(b int32, _ model.Time) { closes = closes || e.in.Job[a] != e.in.Job[b] })
	return closes
}

// earliest returns the earliest start and end of a task that is not fixed, starts at from or later, and has a node to
// itself.
func (e *Evaluator) earliest(u int32, from model.Time) (start, end model.Time) {
	in := e.in
	start, end = Never, Never
	for k, length := range e.Lengths(u) {
		if length < 0 || start <= from && end <= from+length {
			continue
		}
		nodes := in.ClassNodes(int32(k))
		anyNode := int(in.AllowedNodes(u, int32(k))) == len(nodes) && !in.Reads(u)
		if len(e.always[k]) == len(nodes) || anyNode && len(e.always[k]) > 0 {
			start, end = min(start, from), min(end, from+length)
			continue
		}
		for _, i := range nodes {
			if in.Runs(u, i) {
				s := in.present(i, from, in.Length(u, i))
				if s < Never {
					start, end = min(start, s), min(end, s+in.Length(u, i))
				}
			}
		}
	}
	if end >= Never { // no schedule exists
		return from, from + in.Least[u]
	}
	return start, end
}

// present is the earliest start from a time on at which a node stays for a length; Never or more if there is none.
func (in *Instance) present(i int32, from, length model.Time) model.Time {
	for {
		_, until, away := in.Away(i, from, from+length)
		if !away || until >= Never {
			return max(from, until)
		}
		from = until
	}
}
