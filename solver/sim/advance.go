package sim

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"mrsched/model"
)

// NextCompletion returns when the next flow completes if nothing changes before; false: none does until model.MaxTime.
func (n *Network) NextCompletion() (model.Time, bool) {
	n.flush()
	return n.next, n.next < never
}

// Advance moves the time to t, at most model.MaxTime. It appends the flows that complete up to and including t to done,
// in the order of time, then of their start. A flow that completes frees its rate for the others from that time on.
func (n *Network) Advance(t model.Time, done []Completion) []Completion {
	if t < n.now {
		panic(fmt.Sprintf("sim: advance from %v s back to %v s", n.now, t))
	}
	for {
		next, ok := n.NextCompletion()
		if !ok || next > t {
			n.now = t
			return done
		}
		n.now = next
		done = n.complete(done)
		if next == t {
			return done // without a filling, which a change at the same time would waste
		}
	}
}

// complete removes the flows that are due.
func (n *Network) complete(done []Completion) []Completion {
	old := len(done)
	for c, due := range n.due {
		if due > n.now {
			continue
		}
		c := int32(c)
		n.settle(c)
		p := &n.lanes[c]
		free := n.allocator.classes[c].level == Unlimited
		for slot := n.soonest(c); slot >= 0; slot = n.soonest(c) {
			x := &n.flows[slot]
			if !free && p.service.Less(x.target) {
				break
			}
			done = append(done, Completion{n.now, FlowID(slot + 1), x.tag, x.volume})
			n.leave(slot)
			n.release(slot, x.volume)
		}
		n.dropIfEmpty(c)
	}
	if now := done[old:]; len(now) > 1 {
		n.inOrder(now)
	}
	return done
}

// inOrder sorts completions of one time by the start of their flows, whose slots still hold it.
func (n *Network) inOrder(now []Completion) {
	slices.SortFunc(now, func(a, b Completion) int {
		return cmp.Compare(n.flows[a.Flow.slot()].sequence, n.flows[b.Flow.slot()].sequence)
	})
}

// flush brings levels and due times up to the changes.
func (n *Network) flush() {
	if len(n.stale) == 0 {
		return
	}
	n.allocator.fill(n.setLevel)
	for _, c := range n.stale {
		n.lanes[c].stale = false
		n.due[c] = n.dueOf(c)
	}
	n.stale = n.stale[:0]
	n.next = never
	for _, t := range n.due {
		n.next = min(n.next, t)
	}
}

func (n *Network) setLevel(c int32, level Rate) {
	n.settle(c)
	n.allocator.classes[c].level = level
	n.touch(c)
}

// dueOf is when the first flow of a class completes at the present level: at the end of the step in which the service
// reaches the target.
func (n *Network) dueOf(c int32) model.Time {
	p := &n.lanes[c]
	first := n.soonest(c)
	if first < 0 {
		return never
	}
	level := uint64(n.allocator.classes[c].level)
	x := &n.flows[first]
	if level == uint64(Unlimited) || !p.service.Less(x.target) {
		return n.stepEnd(n.now)
	}
	missing := x.target.Minus(p.service)
	if missing.High >= level {
		return never // at level 0, or beyond any time
	}
	wait, rest := bits.Div64(missing.High, missing.Low, level)
	if rest > 0 {
		wait++
	}
	if wait > uint64(model.MaxTime-p.settled) {
		return never
	}
	return n.stepEnd(p.settled + model.Time(wait))
}

// stepEnd is the first multiple of the step from a time on.
func (n *Network) stepEnd(t model.Time) model.Time { return (t + n.step - 1) / n.step * n.step }
