package model

import (
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
	about((*Workload).unordered, "delays.from"),
	about((*Workload).dueTimes, "jobs.deadline"),
	about((*Workload).oddState, "state.task"),
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

// HintOfLack begins what such a note advises, instead of the import of all.
const HintOfLack = "; hint: "

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
			f := Finding{Code: CodeIncomplete, Pos: w.File(TableTasks), What: what, Expected: "all that ran",
				Hint: "results are about the rest alone; import the whole of it"}
			if what, hint, own := strings.Cut(what, HintOfLack); own {
				f.What, f.Expected, f.Hint = what, "", hint
			}
			found = append(found, f)
		}
	}
	return found
}

// tally keeps the first of the findings of one kind and counts the others.
func tally(found []Finding, f func() Finding) []Finding {
	if len(found) == 0 {
		return append(found, f())
	}
	found[0].More++
	return found
}
