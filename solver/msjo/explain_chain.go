package msjo

import (
	"fmt"

	"mrsched/model"
	"mrsched/solver"
)

// link is one task of a critical chain; it waits for the next link.
type link struct {
	task int32
	hold hold
}

// chain leads from the last task of a job back to a release, or to a start without a reason to wait: each link's task
// starts when its hold ends. Ties: the lower task.
func (e *explainer) chain(j int32) []link {
	u := int32(model.None)
	for _, v := range e.in.JobNodes(int(j)) {
		if int(v) < e.in.Tasks && e.x.Entry[v].End == e.done[j] && (u == model.None || v < u) {
			u = v
		}
	}
	var chain []link
	for u != model.None && len(chain) <= e.in.Tasks {
		l := link{u, e.holds(u)[0]}
		chain = append(chain, l)
		u = l.hold.by
	}
	return chain
}

// maxLinks is how many links of a chain are listed; the rest is counted.
const maxLinks = 40

// tellChain lists a chain from its end.
func (e *explainer) tellChain(chain []link) {
	for k, l := range chain {
		if k == maxLinks && len(chain) > maxLinks+1 {
			last := chain[len(chain)-1]
			e.out.When = append(e.out.When, solver.Reason{Kind: last.hold.kind, Task: e.id(last.task), Job: e.jobOf(last.task),
				Until: model.Number(last.hold.until.String()),
				Text: fmt.Sprintf("and so on through %s, back to %s, which starts at %s s",
					model.Counted(len(chain)-k, "more task"), e.named(last.task), e.x.Entry[last.task].Start)})
			return
		}
		t := e.x.Entry[l.task]
		text := fmt.Sprintf("%s runs on %s from %s s to %s s; ", e.named(l.task), e.in.MachineName(t.Machine), t.Start, t.End)
		switch h := l.hold; h.kind {
		case solver.ReasonRelease:
			text += fmt.Sprintf("it starts as it is released, at %s s", h.until)
		case solver.ReasonBarrier:
			text += "it follows " + e.ending(h)
		case solver.ReasonMachine:
			text += fmt.Sprintf("until then %s runs %s", e.in.MachineName(t.Machine), e.named(h.by))
		default:
			text += fmt.Sprintf("nothing binds it: its machine could start it at %s s", e.holds(l.task)[1].until)
		}
		e.out.When = append(e.out.When, solver.Reason{Kind: l.hold.kind, Task: e.id(l.task), Job: e.jobOf(l.task), Text: text,
			Until: model.Number(t.Start.String())})
	}
}

// chainChanges divides the time from the chain's first start to the completion into its parts.
func (e *explainer) chainChanges(j int32, chain []link) {
	var own, others, delays model.Time
	count := 0
	for k, l := range chain {
		t := e.x.Entry[l.task]
		if e.in.Job[l.task] == j {
			own += t.End - t.Start
		} else {
			others += t.End - t.Start
			count++
		}
		if k > 0 && chain[k-1].hold.kind == solver.ReasonBarrier {
			delays += chain[k-1].hold.until - t.End
		}
	}
	first := e.x.Entry[chain[len(chain)-1].task].Start
	say := func(format string, args ...any) { e.out.Changes = append(e.out.Changes, fmt.Sprintf(format, args...)) }
	say("this chain takes %s s: %s s of tasks of job %s, %s s of other jobs' tasks, %s s of delays; it begins at %s s",
		e.done[j]-first, own, e.w.Jobs[j].ID, others, delays, first)
	switch {
	case e.done[j] == e.in.Alone[j]:
		say("the job cannot end earlier: its own precedence takes as long")
	case count > 0:
		say("shorter tasks, delays or an earlier beginning on this chain would help, or serving the job before %s of "+
			"other jobs on it", model.Counted(count, "task"))
	default:
		say("shorter tasks, delays or an earlier beginning on this chain would help")
	}
}
