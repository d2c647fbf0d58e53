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
	w, report := mustImport(t, "history.json", "topology.json", Options{History: true})
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
	if diff := cmp.Diff(notes, report.Notes()[len(report.Notes())-len(notes):]); diff != "" {
		t.Error(diff)
	}
	if w.Tasks[0].Processing.Value != 10*model.Second {
		t.Errorf("m_0 takes %s", w.Tasks[0].Processing.Value)
	}

	w, _ = mustImport(t, "history.json", "topology.json", Options{})
	if len(w.History) != 0 || w.Jobs[0].Class != "" {
		t.Errorf("without being asked: %d past runs, class %q", len(w.History), w.Jobs[0].Class)
	}
}

// TestSpeeds: the maps of class sort with 64 to 127 B take 10, 20 and 30 s, in the lower middle 20; those of bob 4 and
// 8 s, in the lower middle 4. So host a has 20/10 and 20/30, the lower of which is 0.667; b has 20/20 and 4/4; d has
// 4/8. Nothing is like the attempts on c, like the reduce, or like m_8, which took no time. Recorded times on a are
// multiplied by 0.667, and so on; m_4 takes the median of what is recorded in its job: 5, 10, 20 and 30 s.
func TestSpeeds(t *testing.T) {
	w, report := mustImport(t, "history.json", "topology.json", Options{Speeds: true})
	var got strings.Builder
	for _, n := range w.Topology {
		if n.Kind == model.HostNode {
			fmt.Fprintf(&got, "%s %v %v\n", n.ID, n.Speed.Known, n.Speed.Value)
		}
	}
	for _, task := range w.Tasks {
		fmt.Fprintf(&got, "%s %s\n", task.ID, task.Processing.Value)
	}
	const want = `a.example true 0.667
b.example true 1
c.example false 0
d.example true 0.5
m_0 6.67
m_1 20
m_2 20.01
m_3 5
m_4 10
r_0 1.5
m_5 4
m_6 4
m_7 1
m_8 0
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
	notes := []string{
		"a host's speed is the median over its attempts of expected time / recorded time; expected is the median over all " +
			"attempts of the same class, kind and power of two of bytes",
		"3 hosts have speeds from fewer than 5 attempts",
		"1 host has no known speed",
		"7 recorded durations are multiplied by the speeds of their hosts",
	}
	if diff := cmp.Diff(notes, report.Notes()[len(report.Notes())-len(notes):]); diff != "" {
		t.Error(diff)
	}
	if len(w.History) != 0 {
		t.Errorf("%d past runs", len(w.History))
	}
	w, _ = mustImport(t, "history.json", "", Options{Speeds: true}) // the trace names the same hosts
	for _, n := range w.Topology {
		if n.ID == "a.example" && n.Speed != model.Some(0.667) {
			t.Errorf("without a topology, host a has speed %v", n.Speed)
		}
	}
}

// TestRealHistory compares with the counts of an independent script: 5650 successful maps, of which 4644 state their
// input, and 2754 reduces.
func TestRealHistory(t *testing.T) {
	w, report := importReal(t, "19-jobs.trace.json.gz", "19-jobs.topology.json.gz",
		Options{IncludeFailed: true, History: true, Speeds: true})
	var kinds [2]int
	for _, r := range w.History {
		kinds[r.Kind]++
	}
	if kinds != [2]int{5650, 2754} || report.RunsWithoutBytes != 1006 || report.RunsWithoutName != 0 {
		t.Errorf("%v past runs, report %+v", kinds, report)
	}
	known := 0
	for _, n := range w.Topology {
		if n.Speed.Known {
			known++
		}
	}
	if known+report.HostsWithoutSpeed != report.Hosts || known != 1499 {
		t.Errorf("%d hosts with a speed, %d without, of %d", known, report.HostsWithoutSpeed, report.Hosts)
	}
}
