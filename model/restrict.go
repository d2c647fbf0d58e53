package model

import (
	"fmt"
	"slices"
	"strings"
)

// Restrict returns the workload with only some of its jobs, in its own order, and the blocks that they read. Unknown
// ids are findings. Lines of Skipped say that jobs no longer wait for jobs that are left out, and that fixed tasks of
// these take no room. The result shares no mutable data with the original.
func (w *Workload) Restrict(jobs []string) (*Workload, error) {
	known := make(map[string]int32, len(w.Jobs))
	for j := range w.Jobs {
		known[w.Jobs[j].ID] = int32(j)
	}
	var found Findings
	wanted := make([]bool, len(w.Jobs))
	count := 0
	for _, id := range jobs {
		j, ok := known[id]
		if !ok {
			found.Add(w.noJob(id))
			continue
		}
		if !wanted[j] {
			wanted[j] = true
			count++
		}
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	b := NewBuilder()
	b.Scalars(w.Name, w.Problem, w.Machines, append([]string(nil), w.Notes...))
	b.MaxRunningJobs(w.MaxRunningJobs)
	b.Origin(w.Origin)
	b.Now(w.Now, w.Grace)
	if w.Cost != nil {
		b.Cost(*w.Cost, Locus{})
	}
	b.Note("restricted to %d of %d jobs", count, len(w.Jobs))
	w.copyInto(b, wanted)
	r, err := b.Build()
	if r != nil {
		r.Skipped, r.ReaderWarnings = slices.Clone(w.Skipped), w.ReaderWarnings
		for _, line := range []string{w.released(wanted), w.freed(wanted)} {
			if line != "" {
				r.Skipped = append(r.Skipped, line)
			}
		}
	}
	return r, err
}

// released says which dependencies of wanted jobs on others are dropped; empty: none.
func (w *Workload) released(wanted []bool) string {
	var first *Dependency
	n := 0
	for i := range w.Dependencies {
		if d := &w.Dependencies[i]; wanted[d.Job] && !wanted[d.After] {
			if n++; n == 1 {
				first = d
			}
		}
	}
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf("job %q waits for job %q, which --job leaves out: the dependency is dropped, as if that were over",
		w.Jobs[first.Job].ID, w.Jobs[first.After].ID)
	if n > 1 {
		text += fmt.Sprintf(" (and %d more)", n-1)
	}
	return text
}

// freed says which fixed tasks no longer take room on their nodes; empty: none.
func (w *Workload) freed(wanted []bool) string {
	n, first := 0, FixedTask{}
	count := func(f FixedTask) {
		if !wanted[w.Tasks[f.Task].Job] {
			if n++; n == 1 {
				first = f
			}
		}
	}
	for _, f := range w.Fixed {
		count(f)
	}
	for _, s := range w.State {
		if !s.End.Known {
			count(FixedTask{Task: s.Task, Node: s.Node})
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("--job leaves out %s (such as %q on node %q): the room that they take counts as free",
		Counted(n, "fixed task"), w.Tasks[first.Task].ID, w.Topology[first.Node].ID)
}

// maxListed is how many things a message lists by name.
const maxListed = 5

// noJob is the finding for a named job that does not exist. It has no position in a file.
func (w *Workload) noJob(id string) Finding {
	names := make([]string, min(len(w.Jobs), maxSuggestionPool))
	for j := range names {
		names[j] = w.Jobs[j].ID
	}
	f := Finding{Code: CodeUnknownJob, What: fmt.Sprintf("--job %s: the instance has no such job", id)}
	if near := Nearest(id, names); near != "" {
		f.Hint = fmt.Sprintf("did you mean %q?", near)
		return f
	}
	f.Expected = "one of " + strings.Join(names[:min(len(names), maxListed)], ", ")
	if len(w.Jobs) > maxListed {
		f.Expected += ", …"
	}
	return f
}

// copyInto adds the wanted jobs and all that belongs to them.
func (w *Workload) copyInto(b *Builder, wanted []bool) {
	locus := func(t Table, row int) Locus { return Locus{Pos: w.Where(t, row)} }
	for j := range w.Jobs {
		if wanted[j] {
			b.Job(w.Jobs[j], locus(TableJobs, j))
		}
	}
	read := make([]bool, len(w.Blocks))
	for u := range w.Tasks {
		t := w.Tasks[u]
		if !wanted[t.Job] {
			continue
		}
		block := ""
		if t.Block != None {
			block = w.Blocks[t.Block]
			read[t.Block] = true
		}
		b.Task(t, w.Jobs[t.Job].ID, block, locus(TableTasks, u))
	}
	for i, d := range w.Delays {
		if wanted[w.Tasks[d.From].Job] && wanted[w.Tasks[d.To].Job] {
			b.Delay(w.Tasks[d.From].ID, w.Tasks[d.To].ID, d.Delay, locus(TableDelays, i))
		}
	}
	for i := range w.Topology {
		if n := w.Topology[i]; w.HasTopology {
			parent := ""
			if n.Parent != None {
				parent = w.Topology[n.Parent].ID
			}
			b.Node(n, parent, locus(TableTopology, i))
		}
	}
	for i := range w.ReduceSlots {
		b.ReduceSlot(w.ReduceSlots[i], locus(TableSlots, i))
	}
	for i, p := range w.Placements {
		if read[p.Block] {
			b.Placement(w.Blocks[p.Block], w.Topology[p.Node].ID, locus(TablePlacements, i))
		}
	}
	for i := range w.History {
		b.PastRun(w.History[i], locus(TableHistory, i))
	}
	for i := range w.Parts {
		if p := w.Parts[i]; wanted[p.Job] {
			b.Part(p, w.Jobs[p.Job].ID, locus(TablePartitions, i))
		}
	}
	for i := range w.Keys {
		if k := w.Keys[i]; wanted[k.Job] {
			b.KeyData(k, w.Jobs[k.Job].ID, locus(TableKeys, i))
		}
	}
	for i := range w.Times {
		if t := w.Times[i]; wanted[t.Job] {
			b.GivenTime(t, w.Jobs[t.Job].ID, w.Topology[t.Worker].ID, locus(TableTimes, i))
		}
	}
	w.copyClusterRows(b, wanted, locus)
}

// copyClusterRows adds the rows of the tables about clusters that belong to wanted jobs or to none.
func (w *Workload) copyClusterRows(b *Builder, wanted []bool, locus func(t Table, row int) Locus) {
	node := func(n NodeIndex) string { return w.Topology[n].ID }
	for i, c := range w.Capacities {
		b.Capacity(c, node(c.Node), locus(TableCapacities, i))
	}
	for i, d := range w.Demands {
		if wanted[w.Tasks[d.Task].Job] {
			b.Demand(d, w.Tasks[d.Task].ID, locus(TableDemands, i))
		}
	}
	for i, d := range w.Dependencies {
		if wanted[d.Job] && wanted[d.After] {
			b.Dependency(w.Jobs[d.Job].ID, w.Jobs[d.After].ID, d.Delay, locus(TableDependencies, i))
		}
	}
	for i, e := range w.Eligible {
		switch {
		case e.Task == None && wanted[e.Job]:
			b.Eligible(w.Jobs[e.Job].ID, "", node(e.Place), locus(TableEligible, i))
		case e.Task != None && wanted[w.Tasks[e.Task].Job]:
			b.Eligible("", w.Tasks[e.Task].ID, node(e.Place), locus(TableEligible, i))
		}
	}
	for i, u := range w.Unavailable {
		b.Unavailable(u, node(u.Node), locus(TableUnavailable, i))
	}
	for i, f := range w.Fixed {
		if wanted[w.Tasks[f.Task].Job] {
			b.FixedTask(w.Tasks[f.Task].ID, node(f.Node), f.Start, locus(TableFixed, i))
		}
	}
	for i, s := range w.State {
		if wanted[w.Tasks[s.Task].Job] {
			b.StateRow(s, w.Tasks[s.Task].ID, node(s.Node), locus(TableState, i))
		}
	}
	for i := range w.Runs {
		b.TaskRun(w.Runs[i], locus(TableRuns, i))
	}
}
