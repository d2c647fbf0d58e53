package shop

import (
	"fmt"
	"math"
	"slices"

	"mrsched/model"
)

// Doubts are rows of fixed that break a rule which other tasks keep, or make a job late. The rules do not apply to
// fixed tasks, so such a row has an effect, but probably not the one that is meant.
func (in *Instance) Doubts() (found []model.Finding) {
	w := in.workload
	if in.Identical || len(w.Fixed) == 0 {
		return nil
	}
	waits := in.fixedWaits()
	for k, f := range w.Fixed {
		u, i := int32(f.Task), in.nodeOf[f.Node]
		doubt := func(expected, hint, format string, args ...any) {
			found = append(found, model.Finding{Code: model.CodeFixedDoubt, Pos: w.Where(model.TableFixed, k),
				What: fmt.Sprintf("task %q is fixed to %s from %s s on, and ", w.Tasks[u].ID, in.MachineName(i), f.Start) +
					fmt.Sprintf(format, args...), Expected: expected, Hint: hint})
		}
		if !in.eligible(u, i) {
			doubt("a node that eligible allows", "correct the row, or the table eligible",
				"the table eligible leaves that node out")
		}
		if t := in.Earliest[u]; t > 0 && f.Start < t {
			doubt("a start after the release", "correct the row, or the release", "is released at %s s", t)
		}
		const hint = "fix those before it too, where and when they ran, or drop the row"
		switch x := &waits[u]; {
		case x.cause != model.None && f.Start < x.ready:
			doubt("a start after the tasks before it", hint, "task %q before it, with the delay between them, leaves it no "+
				"time before %s s", w.Tasks[x.cause].ID, x.ready)
		case x.open != model.None:
			doubt("a start after tasks whose end is known", hint, "task %q before it is not fixed: a plan may end that later",
				w.Tasks[x.open].ID)
		}
		if end, due := f.Start+in.Least[u]+in.Tail[u], in.Due[in.Job[u]]; end > due {
			doubt("a start early enough", "correct the row, or the deadline", "its job is due at %s s, and cannot end before "+
				"%s s", due, end)
		}
	}
	return found
}

// known is what a step waits for. Without such a task, cause and open are None.
type known struct {
	ready model.Time // the earliest time at which all before it can have ended
	cause int32      // the task that causes ready
	open  int32      // a task just before it that is not fixed
}

// fixedWaits says, by step, what it waits for if arcs into fixed tasks count.
func (in *Instance) fixedWaits() []known {
	all := *in
	all.fixedNode = nil
	all.build()
	list := slices.Repeat([]known{{math.MinInt64, model.None, model.None}}, all.Steps)
	for _, u := range all.Topo {
		x := list[u]
		end := x.ready
		if int(u) < in.Tasks {
			end, x.cause, x.open = in.earliestEnd(u, max(x.ready, in.Earliest[u])), u, model.None
			if !in.Fixed(u) {
				x.open = u
			}
		}
		for a := all.SuccFirst[u]; a < all.SuccFirst[u+1]; a++ {
			y := &list[all.SuccStep[a]]
			if t := later(end, all.SuccDelay[a]); t > y.ready {
				y.ready, y.cause = t, x.cause
			}
			if x.open != model.None {
				y.open = x.open
			}
		}
	}
	return list
}
