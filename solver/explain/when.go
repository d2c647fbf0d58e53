package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mrsched/model"
)

// maxLinks is the largest number of tasks of a chain of which it is said what held them.
const maxLinks = 40

// held lists what keeps a row from starting earlier: the binding reason, which is the latest, then the others in
// falling order. If none binds, the first is Idle, until the time from which on it could run. Ties: the machine comes
// last.
func (d *Desk) held(row int32) []Hold {
	if why := d.p.Stands(row); why != "" {
		return []Hold{{Kind: Place, Until: d.Rows[row].Start, By: model.None, Text: why}}
	}
	list := slices.Clone(d.p.Holds(row))
	slices.SortStableFunc(list, func(a, b Hold) int { return cmp.Compare(b.Until, a.Until) })
	e, ready := d.Rows[row], list[0].Until
	start, by, ok := d.p.Room(row, e.Machine, ready)
	switch {
	case !ok || start == ready && start >= e.Start:
	case by == model.None && start >= e.Start:
		return slices.Insert(list, 0, Hold{Kind: Machine, Until: start, By: by,
			Text: fmt.Sprintf("%s has no room for it until %s", d.Machine(row), d.At(start))})
	case start < e.Start:
		return slices.Insert(list, 0, Hold{Kind: Idle, Until: start, By: model.None, Text: fmt.Sprintf(
			"nothing: on %s, without moving anything else, it could start at %s%s", d.Machine(row), d.At(start), d.If)})
	default:
		return slices.Insert(list, 0, d.busy(row, by, ready))
	}
	k := d.place[row]
	if k == 0 || d.Packed || len(d.p.Machines(row)) == 0 {
		return list
	}
	if before := d.On[e.Machine][k-1]; d.Rows[before].End > 0 {
		list = append(list, d.busy(row, before, ready))
		slices.SortStableFunc(list, func(a, b Hold) int { return cmp.Compare(b.Until, a.Until) })
	}
	return list
}

// After are the holds of a row that waits for others: the latest, and the next in time. each passes every row that it
// waits for, with the time from which on that lets it start.
func (d *Desk) After(each func(pass func(by int32, until model.Time))) (list []Hold) {
	last, next := Hold{Kind: Barrier, Until: Never}, Hold{Kind: Barrier, Until: Never}
	each(func(by int32, until model.Time) {
		switch {
		case until > last.Until:
			last, next = Hold{Kind: Barrier, Until: until, By: by}, last
		case until == last.Until:
			last.With = append(last.With, by)
		case until > next.Until:
			next = Hold{Kind: Barrier, Until: until, By: by}
		}
	})
	for _, h := range []Hold{last, next} {
		if h.Until == Never {
			break
		}
		end := d.Rows[h.By].End
		if h.Text = fmt.Sprintf("it follows %s, which ends at %s", d.Named(h.By), d.At(end)); h.Until > end {
			h.Text += fmt.Sprintf(" and has a delay of %s: %s", d.Time(h.Until-end), d.At(h.Until))
		}
		if len(h.With) > 0 {
			h.Text += "; as late: " + Names(h.With, d.ID)
		}
		list = append(list, h)
	}
	return list
}

// busy says that another row has a row's machine. If that began when the row could run, it was served first.
func (d *Desk) busy(row, by int32, ready model.Time) Hold {
	b := &d.Rows[by]
	h := Hold{Kind: Machine, Until: b.End, By: by,
		Text: fmt.Sprintf("%s runs %s until %s", d.Machine(row), d.Named(by), d.At(b.End))}
	if b.Machine != d.Rows[row].Machine { // the node has several slots
		h.Text = fmt.Sprintf("%s has too little free for it until %s on %s ends at %s", d.Machine(row), d.Named(by),
			d.Machine(by), d.At(b.End))
	}
	if b.Start >= ready && b.End == d.Rows[row].Start {
		h.Kind = Rank
		h.Text += fmt.Sprintf(", which was served first at %s", d.At(b.Start))
	}
	return h
}

// when says what a row waits for, and when its job has to be done.
func (d *Desk) when(row int32, holds []Hold) {
	start := d.Rows[row].Start
	for k, h := range holds {
		if k > 0 && h.Until <= 0 && start > 0 {
			break // this tells nothing
		}
		also := ""
		if h.Until != start && h.Kind != Idle {
			also = "also: "
		}
		d.When(h.Kind, h.Until, h.By, "%s%s", also, h.Text)
	}
	due, ok := d.p.Due(d.Job)
	if !ok {
		return
	}
	text := fmt.Sprintf("job %s is due at %s and ends at %s", d.JobID(d.Job), d.At(due), d.At(d.Done[d.Job]))
	if late := d.Done[d.Job] - due; late > 0 {
		text += fmt.Sprintf(", %s late", d.Time(late))
	} else {
		text += fmt.Sprintf(", with %s to spare", d.Time(-late))
	}
	d.When(Deadline, due, model.None, "%s", text)
}

// chain are the rows that held each other, from a row back to a release, or to a start that nothing binds.
func (d *Desk) chain(row int32) []int32 {
	chain := []int32{row}
	for len(chain) <= len(d.Rows) {
		by := d.held(chain[len(chain)-1])[0].By
		if by == model.None {
			break
		}
		chain = append(chain, by)
	}
	return chain
}

// tellChain lists what held the first row of a chain, and divides the time from its first start to the job's end.
func (d *Desk) tellChain(chain []int32) {
	for _, i := range chain[1:min(len(chain), maxLinks)] {
		e, h := d.Rows[i], d.held(i)[0]
		d.When(h.Kind, e.Start, i, "%s runs on %s from %s to %s; %s", d.Named(i), d.Machine(i), d.At(e.Start),
			d.At(e.End), h.Text)
	}
	own, needed, others, count, first := model.Time(0), model.Time(0), model.Time(0), 0, chain[len(chain)-1]
	if more := len(chain) - maxLinks; more > 0 {
		d.When(d.held(first)[0].Kind, d.Rows[first].Start, first, "and so on through %s, back to %s from %s",
			model.Counted(more, "more task"), d.Named(first), d.At(d.Rows[first].Start))
	}
	waits := true // for all so far, in whatever order machines serve jobs
	for k, i := range chain {
		waits = waits && (k == 0 || d.held(chain[k-1])[0].Kind == Barrier)
		switch length := d.Rows[i].End - d.Rows[i].Start; {
		case d.JobOf(i) == d.Job:
			own += length
		case waits:
			needed += length
		default:
			others += length
			count++
		}
	}
	if len(chain) == 1 {
		return
	}
	text := fmt.Sprintf("the chain that leads to its end takes %s: tasks of job %s take %s of it",
		d.Time(d.Rows[chain[0]].End-d.Rows[first].Start), d.JobID(d.Job), d.Time(own))
	if needed > 0 {
		text += fmt.Sprintf(", tasks of jobs that it waits for %s", d.Time(needed))
	}
	if count > 0 {
		text += fmt.Sprintf(", %s of other jobs %s; serving the job before these would help",
			model.Counted(count, "task"), d.Time(others))
	}
	d.Change("%s", text)
}

// changes says what would allow an earlier start, how much later a row could start, and what a late job would need.
func (d *Desk) changes(row int32, holds []Hold) {
	switch start := d.Rows[row].Start; {
	case len(d.p.Machines(row)) == 0:
	case holds[0].Kind == Idle:
		d.Change("%s can start at %s without any other change%s", d.ID(row), d.At(holds[0].Until), d.If)
	default:
		d.earlier(row, start, holds)
	}
	if !d.Packed && len(d.p.Machines(row)) > 0 {
		d.later(row)
	}
	if due, ok := d.p.Due(d.Job); ok && d.Done[d.Job] > due {
		late := slices.DeleteFunc(slices.Clone(d.Of[d.Job]), func(i int32) bool { return d.Rows[i].End <= due })
		if d.Alone != nil && d.Alone[d.Job] > due {
			d.Change("no schedule ends job %s on time: with all its tasks as early as they can be, it ends at %s",
				d.JobID(d.Job), d.At(d.Alone[d.Job]))
			return
		}
		d.Change("job %s would be on time if %s ended by %s", d.JobID(d.Job), Names(late, d.ID), d.At(due))
	}
}

// earlier says which events would have to come earlier, and what would hold the row next.
func (d *Desk) earlier(row int32, start model.Time, holds []Hold) {
	var events []string
	var named []int32
	binding := 0
	for ; binding < len(holds) && holds[binding].Until >= start; binding++ {
		switch h := holds[binding]; {
		case h.By == model.None:
			events = append(events, "it were not so that "+h.Text)
		case h.Kind == Barrier:
			events = append(events, Names(append([]int32{h.By}, h.With...), d.Named)+" ended earlier")
			named = append(named, h.By)
		case !slices.Contains(named, h.By):
			events = append(events, d.Named(h.By)+" ended earlier or came later")
		}
	}
	next, then := model.Time(0), "nothing else holds it"
	if binding < len(holds) && holds[binding].Until > 0 {
		next, then = holds[binding].Until, holds[binding].Text
	}
	if len(events) > 0 && next < start {
		d.Change("%s could start earlier, at %s at best (%s), if %s", d.ID(row), d.At(next), then,
			strings.Join(events, " and "))
	}
}

// later says how much later a row could start with no other change.
func (d *Desk) later(row int32) {
	e := d.Rows[row]
	slack := d.Done[d.JobOf(row)] - e.End
	if on := d.On[e.Machine]; int(d.place[row])+1 < len(on) {
		slack = min(slack, d.Rows[on[d.place[row]+1]].Start-e.End)
	}
	d.p.Next(row, e.End, func(v int32, start, end model.Time) {
		if start != Never {
			slack = min(slack, d.Rows[v].Start-start)
		}
		if end != Never {
			slack = min(slack, d.Rows[v].End-end)
		}
	})
	if slack <= 0 {
		d.Change("if %s ended later, another task or the end of its job would move", d.ID(row))
		return
	}
	d.Change("%s could end up to %s later with nothing else moved and the job's end unchanged%s", d.ID(row), d.Time(slack),
		d.If)
}
