package shop

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/model"
)

// calendar sorts and merges the rows of unavailable, without what lies before now: nothing else happens there.
func (in *Instance) calendar() {
	w := in.workload
	rows := slices.Clone(w.Unavailable)
	slices.SortStableFunc(rows, func(a, b model.Unavailable) int {
		return cmp.Or(cmp.Compare(in.nodeOf[a.Node], in.nodeOf[b.Node]), cmp.Compare(a.From, b.From))
	})
	in.AwayFirst = make([]int32, in.Nodes+1)
	last := int32(model.None)
	for _, a := range rows {
		i, until := in.nodeOf[a.Node], a.Until.Or(Never)
		if a.From = max(a.From, w.Now.Or(a.From)); a.From >= until {
			continue
		}
		if n := len(in.AwayFrom); last == i && a.From <= in.AwayUntil[n-1] {
			in.AwayUntil[n-1] = max(in.AwayUntil[n-1], until)
			continue
		}
		last = i
		in.AwayFrom, in.AwayUntil = append(in.AwayFrom, a.From), append(in.AwayUntil, until)
		in.AwayFirst[i+1]++
	}
	for i := range in.Nodes {
		in.AwayFirst[i+1] += in.AwayFirst[i]
	}
}

// Away is the first absence of node i that a task from start to end overlaps; ok is false if there is none. A task of
// length 0 overlaps nothing.
func (in *Instance) Away(i int32, start, end model.Time) (from, until model.Time, ok bool) {
	first, last := in.AwayFirst[i], in.AwayFirst[i+1]
	if first == last || start == end {
		return 0, 0, false
	}
	k, _ := slices.BinarySearchFunc(in.AwayUntil[first:last], start, func(until, start model.Time) int {
		if until <= start {
			return -1
		}
		return 1
	})
	if at := int(first) + k; at < int(last) && in.AwayFrom[at] < end {
		return in.AwayFrom[at], in.AwayUntil[at], true
	}
	return 0, 0, false
}

// demandTime reports tasks that cannot run because every node leaves for good too early, even if all that they wait for
// ends as early as possible. If it reports none, the nodes may still lack room for all of them.
func (in *Instance) demandTime(found *model.Findings) {
	if !slices.Contains(in.AwayUntil, Never) {
		return
	}
	head := slices.Clone(in.Earliest)
	for _, u := range in.Topo {
		end := in.earliestEnd(u, head[u])
		if end >= Never && head[u] < Never { // not only because a task before it is reported
			found.Add(model.Finding{Code: model.CodeNoRoom, Pos: in.workload.Where(model.TableTasks, int(u)),
				What: fmt.Sprintf("task %q does not end before every node that it fits leaves for good, as it cannot start "+
					"before %s s", in.workload.Tasks[u].ID, head[u]),
				Expected: "a node that may run it and is there for long enough", Like: "leaves",
				Hint: fmt.Sprintf("%s: state until if it comes back", in.Gone())})
		}
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			head[in.SuccStep[a]] = max(head[in.SuccStep[a]], later(end, in.SuccDelay[a]))
		}
	}
}

// Gone says which nodes leave for good; empty: none does.
func (in *Instance) Gone() string {
	rows := in.leaving()
	if len(rows) == 0 {
		return ""
	}
	w := in.workload
	a, where, more := &w.Unavailable[rows[0]], "", ""
	if pos := w.Where(model.TableUnavailable, rows[0]); pos.File != "" {
		where = fmt.Sprintf(" (%s)", pos)
	}
	if len(rows) > 1 {
		more = fmt.Sprintf("; so do %d more", len(rows)-1)
	}
	return fmt.Sprintf("node %q leaves at %s s for good%s%s", w.Topology[a.Node].ID, a.From, where, more)
}

// leaving are the rows of unavailable without an end.
func (in *Instance) leaving() (rows []int) {
	for r := range in.workload.Unavailable {
		if !in.workload.Unavailable[r].Until.Known {
			rows = append(rows, r)
		}
	}
	return rows
}

// HasTime says whether task u could run on node i at some time, were it empty.
func (in *Instance) HasTime(u, i int32) bool {
	return in.Runs(u, i) && in.present(i, in.Earliest[u], in.Length(u, i)) < Never
}

// later adds to a time; Never stays Never.
func later(t, more model.Time) model.Time {
	if t >= Never {
		return Never
	}
	return t + more
}

// earliestEnd is the earliest end of a step that starts at from or later and has a node to itself; Never if no node is
// there for long enough.
func (in *Instance) earliestEnd(u int32, from model.Time) model.Time {
	switch {
	case int(u) >= in.Tasks || from >= Never:
		return from
	case in.Fixed(u):
		return in.FixedStart(u) + in.Least[u]
	}
	end := Never
	for i := range int32(in.Nodes) {
		if in.Runs(u, i) {
			length := in.Length(u, i)
			end = min(end, later(in.present(i, from, length), length))
		}
		if end == from+in.Least[u] {
			break
		}
	}
	return end
}

// fix reads the table fixed. Other rules do not apply to a fixed task, but it must end after time 0, on an available
// node, and the fixed tasks of a node must fit together.
func (in *Instance) fix(found *model.Findings) {
	w := in.workload
	if len(w.Fixed) > 0 && len(in.fixedNode) == 0 {
		in.fixNone()
	}
	for k, f := range w.Fixed {
		u, i := int32(f.Task), in.nodeOf[f.Node]
		length, name := in.Length(u, i), in.MachineName(i)
		hint := "correct the row, or drop it: then the task is scheduled"
		problem := func(format string, args ...any) {
			found.Add(model.Finding{Code: model.CodeFixedTask, Pos: w.Where(model.TableFixed, k),
				What: fmt.Sprintf("task %q cannot run on %s from %s s on: ", w.Tasks[u].ID, name, f.Start) +
					fmt.Sprintf(format, args...), Expected: "what runs, and where, as it is", Hint: hint})
		}
		in.fixedNode[u], in.fixedStart[u] = i, f.Start
		if length < 0 {
			problem("the table times has no row for it there")
		} else if f.Start < 0 && f.Start+length <= 0 {
			hint = "leave out of tasks what has ended; without its row here alone, it would be scheduled once more"
			problem("it takes %s s there and has ended before time 0", length)
		} else if from, _, away := in.Away(i, f.Start, f.Start+length); away {
			problem("it takes %s s there, and the node is unavailable from %s s on", length, from)
		}
	}
	if found.Empty() {
		in.checkFixed(found)
	}
}

// fixNone makes room for fixed tasks.
func (in *Instance) fixNone() {
	in.fixedNode, in.fixedStart = slices.Repeat([]int32{model.None}, in.Tasks), make([]model.Time, in.Tasks)
}

// checkFixed requires that the fixed tasks of every node, and of every place, fit together.
func (in *Instance) checkFixed(found *model.Findings) {
	w, on := in.workload, in.crowds()
	row := make(map[model.TaskIndex]int, len(w.Fixed))
	for k, f := range w.Fixed {
		i := in.nodeOf[f.Node]
		row[f.Task] = k
		in.join(on, model.Entry{Task: f.Task, Machine: i, Start: f.Start, End: f.Start + in.Length(int32(f.Task), i)})
	}
	for u, k := range in.stateRow {
		if k != model.None {
			e := model.Entry{Task: model.TaskIndex(u), Machine: in.FixedNode(int32(u)), Start: in.FixedStart(int32(u))}
			e.End = e.Start + in.Length(int32(u), e.Machine)
			row[e.Task] = model.None
			in.join(on, e)
		}
	}
	for k, entries := range on {
		in.eachShortage(entries, k, func(e model.Entry, x limit) {
			of := "the node"
			if k >= in.Nodes {
				_, of = in.limits(k)
			}
			found.Add(model.Finding{Code: model.CodeFixedTask, Pos: w.Where(model.TableFixed, row[e.Task]),
				What: fmt.Sprintf("task %q cannot run on %s from %s s on: it takes more of %s than %s has beside other fixed "+
					"tasks", w.Tasks[e.Task].ID, in.MachineName(e.Machine), e.Start, in.Resource[x.resource], of),
				Expected: "what runs, and where, as it is", Hint: "correct the row, or drop it: then the task is scheduled"})
		})
	}
}

// eachShortage tracks what is free under the entries of a crowd, and passes, for every limit, the first entry that
// finds too little. A task of length 0 must fit alone.
func (in *Instance) eachShortage(entries []model.Entry, crowd int, report func(e model.Entry, x limit)) {
	if len(entries) == 0 {
		return
	}
	for _, e := range entries {
		if crowd < in.Nodes {
			if r := in.lacks(int32(e.Task), e.Machine); r != model.None {
				report(e, limit{r, 0})
				break
			}
		}
	}
	limits, _ := in.limits(crowd)
	takes := func(e model.Entry, r int32) int64 {
		if crowd >= in.Nodes {
			return in.Part(int32(e.Task), int32(crowd-in.Nodes))
		}
		return in.Demands(int32(e.Task))[r]
	}
	starts, ends := slices.Clone(entries), slices.Clone(entries)
	slices.SortFunc(starts, func(a, b model.Entry) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Task, b.Task))
	})
	slices.SortFunc(ends, func(a, b model.Entry) int { return cmp.Compare(a.End, b.End) })
	for _, x := range limits {
		r, free, k := x.resource, x.capacity, 0
		for _, e := range starts {
			need := takes(e, r)
			if e.End <= e.Start {
				if need > x.capacity {
					report(e, x)
					break
				}
				continue
			}
			for ; k < len(ends) && ends[k].End <= e.Start; k++ {
				if o := ends[k]; o.End > o.Start {
					free += takes(o, r)
				}
			}
			if need > free {
				report(e, x)
				break
			}
			free -= need
		}
	}
}
