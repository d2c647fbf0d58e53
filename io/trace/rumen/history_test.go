package rumen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mrsched/model"
)

// showRuns prints past runs, one a line.
func showRuns(w *model.Workload) string {
	var b strings.Builder
	for _, r := range w.History {
		fmt.Fprintf(&b, "%s %s %s %d B %s s", r.Class, r.Worker, r.Kind, r.Bytes, r.Time)
		if r.Node != model.None {
			b.WriteString(" there")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestHistory: classes are the name, the user and the queue of the three jobs. The reduce's time begins with the end of
// its shuffle. m_4 has no attempt, m_7 no host; of m_5 and m_6 no bytes are recorded.
func TestHistory(t *testing.T) {
	w := mustImport(t, "history.json", "topology.json", Options{History: true})
	const want = `sort a.example map 100 B 10 s there
sort b.example map 120 B 20 s there
sort a.example map 127 B 30 s there
sort c.example map 1000 B 5 s there
sort b.example reduce 77 B 1.5 s there
bob b.example map 0 B 4 s there
bob d.example map 0 B 8 s there
night d.example map 5 B 0 s there
`
	if diff := cmp.Diff(want, showRuns(w)); diff != "" {
		t.Error(diff)
	}
	if w.Jobs[0].Class != "sort" || w.Jobs[1].Class != "bob" || w.Jobs[2].Class != "night" {
		t.Errorf("classes %q, %q, %q", w.Jobs[0].Class, w.Jobs[1].Class, w.Jobs[2].Class)
	}
	notes := []string{
		"8 past runs: a job's class is its name, else its user, else its queue; a reduce's time begins when its shuffle ends",
		"1 task without a recorded duration leaves no past run",
		"1 attempt without a host or class leaves no past run",
		"2 past runs without recorded bytes count as having read none",
	}
	if diff := cmp.Diff(notes, w.Notes[len(w.Notes)-len(notes):]); diff != "" {
		t.Error(diff)
	}
	if w.Tasks[0].Processing.Value != 10*model.Second {
		t.Errorf("m_0 takes %s", w.Tasks[0].Processing.Value)
	}

	w = mustImport(t, "history.json", "topology.json", Options{})
	if len(w.History) != 0 || w.Jobs[0].Class != "" {
		t.Errorf("without being asked: %d past runs, class %q", len(w.History), w.Jobs[0].Class)
	}
}

// TestRealHistory compares with the counts of an independent script: 5650 successful maps, of which 4644 state their
// input, and 2754 reduces.
func TestRealHistory(t *testing.T) {
	w := importReal(t, "19-jobs.trace.json.gz", "19-jobs.topology.json.gz",
		Options{IncludeFailed: true, History: true})
	var kinds [2]int
	for _, r := range w.History {
		kinds[r.Kind]++
	}
	if kinds != [2]int{5650, 2754} {
		t.Errorf("%v past runs", kinds)
	}
	noted(t, w, "1006 past runs without recorded bytes count as having read none", "no without a host or class")
}
