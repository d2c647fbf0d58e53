package model

import (
	"fmt"
	"slices"
	"strings"
)

// Warning is a finding of values that are valid but probably wrong.
type Warning struct {
	Finding
	Columns []string // TABLE.COLUMN: a run that uses none of them is not concerned
}

// A doubt is a kind of values that are valid but probably wrong: the columns that it is about, and a test, which has
// one finding with a count, or one for each job.
type doubt struct {
	columns []string
	test    func(*Workload) []Finding
}

// doubts are all that one look at the values can tell, in the order in which they are listed. What only the text of a
// file tells, the reader adds; what only a problem's instance tells are the Doubts of its view.
var doubts = []doubt{
	about((*Workload).Lacks, "tasks.job", "tasks.processing_time"),
	about((*Workload).oddIDs, "tasks.job", "tasks.kind", "topology.kind"),
	about((*Workload).farReleases, "jobs.release"),
	// before deadlines, which follow from times
	about(outliers((*Workload).processingTimes), "tasks.processing_time"),
	about(outliers((*Workload).shuffleDelays), "tasks.shuffle_delay"),
	about(outliers((*Workload).givenTimes), "times.seconds"),
	about((*Workload).allLong, "tasks.processing_time"),
	about((*Workload).smallMemory, "tasks.memory_bytes", "topology.memory_bytes"),
	about((*Workload).Contradictions, "jobs.intermediate_bytes", "tasks.output_bytes"),
	about((*Workload).weightless, "jobs.weight"),
	about((*Workload).bareNodes, "capacities.amount"), // where these count
	about(unlimited("cpu", func(t *Task) bool { return t.CPU.Value > 0 }, func(n *Node) bool { return n.CPU.Known }),
		"topology.cpu"),
	about(unlimited("memory_bytes", func(t *Task) bool { return t.MemoryBytes.Value > 0 },
		func(n *Node) bool { return n.MemoryBytes.Known }), "topology.memory_bytes"),
	about((*Workload).slotless, "capacities.amount"), // where nodes without slots run tasks
	about((*Workload).unplaced, "placements.block"),
	about((*Workload).dueTimes, "jobs.deadline"),
	about((*Workload).farAbsence, "unavailable.from"),
	about((*Workload).unordered, "delays.from"),
	about((*Workload).oddState, "state.task"),
	about((*Workload).slowLinks, "topology.bandwidth_bytes_per_s"),
}

func about(test func(*Workload) []Finding, columns ...string) doubt { return doubt{columns, test} }

// Warnings lists what is probably wrong with the values: first what the reader found, then by doubt.
func (w *Workload) Warnings() []Warning {
	list := slices.Clone(w.ReaderWarnings)
	for _, d := range doubts {
		for _, f := range d.test(w) {
			list = append(list, Warning{f, d.columns})
		}
	}
	return list
}

// NoteOfLack begins the notes in which an importer says what its files lacked.
const NoteOfLack = "incomplete: "

// noteOfImport begins the note in which an importer says what it read.
const noteOfImport = "imported from "

// Imported says whether an importer made the workload, by its notes. Then it chose the columns, and no user.
func (w *Workload) Imported() bool {
	return slices.ContainsFunc(w.Notes, func(note string) bool { return strings.HasPrefix(note, noteOfImport) })
}

// Lacks are the findings of what the imported files lacked.
func (w *Workload) Lacks() (found []Finding) {
	for _, note := range w.Notes {
		if what, ok := strings.CutPrefix(note, NoteOfLack); ok {
			found = append(found, Finding{Code: CodeIncomplete, Pos: w.File(TableTasks), What: what,
				Expected: "all that ran", Hint: "results are about the rest alone; import the whole of it"})
		}
	}
	return found
}

// dueTimes are deadlines that look like moments; else those that change nothing, but for those of which the reader
// warns, and those that cannot be met.
func (w *Workload) dueTimes() []Finding {
	if found := w.moments(); len(found) > 0 {
		return found
	}
	return append(slices.DeleteFunc(w.Loose(), w.taken), w.hopeless()...)
}

// taken reports whether the reader already warns, in the same row, of the value that causes a finding.
func (w *Workload) taken(f Finding) bool {
	return slices.ContainsFunc(w.ReaderWarnings, func(d Warning) bool {
		return d.Code == CodeNextDay && d.Pos.File == f.Pos.File && d.Pos.Line == f.Pos.Line
	})
}

// tally keeps the first of the findings of one kind and counts the others.
func tally(found []Finding, f func() Finding) []Finding {
	if len(found) == 0 {
		return append(found, f())
	}
	found[0].More++
	return found
}

// unordered finds jobs whose rows of delays leave a reduce without any map to wait for, or a map that no reduce waits
// for: rows of delays replace the wait of all reduces for all maps.
func (w *Workload) unordered() (found []Finding) {
	if len(w.Delays) == 0 {
		return nil
	}
	rows, first := make([]int, len(w.Jobs)), make([]int, len(w.Jobs))        // of delays, by job
	within, back := make([]bool, len(w.Jobs)), make([]bool, len(w.Jobs))     // some row: not from map to reduce; back
	waits, awaited := make([]bool, len(w.Tasks)), make([]bool, len(w.Tasks)) // by task: some row is to it; is from it
	for r, d := range w.Delays {
		j := w.Tasks[d.From].Job
		if !w.WithinJob(d) {
			continue
		}
		awaited[d.From], waits[d.To] = true, true
		from, to := w.Tasks[d.From].Kind, w.Tasks[d.To].Kind
		within[j], back[j] = within[j] || from == Reduce || to == Map, back[j] || from == Reduce && to == Map
		if rows[j]++; rows[j] == 1 {
			first[j] = r
		}
	}
	reduces, maps := make([]lacking, len(w.Jobs)), make([]lacking, len(w.Jobs))
	for u := range w.Tasks {
		t := &w.Tasks[u]
		switch {
		case t.Kind == Reduce:
			reduces[t.Job].add(t.ID, waits[u])
		default:
			maps[t.Job].add(t.ID, awaited[u])
		}
	}
	for j := range w.Jobs {
		r, m := &reduces[j], &maps[j]
		if rows[j] == 0 || r.all == 0 || m.all == 0 || r.open+m.open == 0 {
			continue
		}
		found = tally(found, func() Finding {
			var parts []string
			if r.open > 0 {
				parts = append(parts, r.text("reduce")+" can start before any map ends")
			}
			if m.open > 0 {
				parts = append(parts, "no reduce waits for "+m.text("map"))
			}
			return Finding{Code: CodeUnordered, Pos: w.Where(TableDelays, first[j]),
				What: fmt.Sprintf("job %q has %s in delays, which replace the wait of its reduces for all its maps: %s",
					w.Jobs[j].ID, Counted(rows[j], "row"), strings.Join(parts, ", and ")),
				Expected: fmt.Sprintf("no row of this job, or also one from each map to each reduce (%d × %d rows)",
					m.all, r.all),
				Hint: orderHint(within[j], back[j])}
		})
	}
	return found
}

// orderHint says how to make the reduces of a job wait for its maps again; within: some row is not from a map to a
// reduce; back: some row is from a reduce to a map.
func orderHint(within, back bool) string {
	switch {
	case back:
		return "a map waits for a reduce there: are from and to swapped? a row says that to waits for from"
	case within:
		return "keep the rows, and add one from each map to each reduce, with the map's shuffle_delay as its delay"
	}
	return "for a longer wait after a map, state the map's shuffle_delay in tasks and drop the rows"
}

// lacking counts tasks of one kind, and those that lack something.
type lacking struct {
	all, open int
	first     string // of those that lack it
}

func (l *lacking) add(id string, has bool) {
	if l.all++; has {
		return
	}
	if l.open++; l.open == 1 {
		l.first = id
	}
}

// text names the tasks that lack something: `reduce "r1"`, or `2 of 3 reduces (such as "r1")`.
func (l *lacking) text(kind string) string {
	if l.open == 1 {
		return fmt.Sprintf("%s %q", kind, l.first)
	}
	return fmt.Sprintf("%d of %s (such as %q)", l.open, Counted(l.all, kind), l.first)
}

// slowTransfer is longer than any sensible transfer of one task's output.
const slowTransfer = DaySeconds

// slowLinks finds links that need longer than slowTransfer for the largest output of one task.
func (w *Workload) slowLinks() (found []Finding) {
	largest := -1
	for i := range w.Tasks {
		if t := &w.Tasks[i]; t.OutputBytes.Known && (largest < 0 ||
			t.OutputBytes.Value > w.Tasks[largest].OutputBytes.Value) {
			largest = i
		}
	}
	if largest < 0 {
		return nil
	}
	t := &w.Tasks[largest]
	for i := range w.Topology {
		n := &w.Topology[i]
		seconds := float64(t.OutputBytes.Value) / n.Bandwidth.Or(0)
		if !n.Bandwidth.Known || seconds <= slowTransfer {
			continue
		}
		found = tally(found, func() Finding {
			return Finding{Code: CodeSlowLink, Pos: w.Where(TableTopology, i),
				What: fmt.Sprintf("the link of %q, %v bytes per second, needs %.0f days for the output of task %q, %s bytes",
					n.ID, n.Bandwidth.Value, seconds/slowTransfer, t.ID, t.OutputBytes.Value),
				Expected: "bytes per second",
				Hint:     fmt.Sprintf("if it is in Mbit/s, write the unit: %vMbit/s", n.Bandwidth.Value)}
		})
	}
	return found
}
