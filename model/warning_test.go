package model

import (
	"fmt"
	"strings"
	"testing"
)

// warningsOf builds a workload of one job with tasks of the given kinds and times ("m5" is a map of 5 s), named by
// position, and delays between them. It returns the codes of its warnings.
func warningsOf(t *testing.T, deadline Time, tasks []string, delays [][2]int, bandwidth float64) (codes []Code) {
	t.Helper()
	b := NewBuilder()
	j := Job{ID: "j", Release: 10 * Second, Weight: 1}
	if deadline > 0 {
		j.Deadline = Some(deadline)
	}
	b.Job(j, Locus{})
	for i, text := range tasks {
		kind, seconds := Map, Time(0)
		if text[0] == 'r' {
			kind = Reduce
		}
		if _, err := fmt.Sscan(text[1:], (*int64)(&seconds)); err != nil {
			t.Fatal(err)
		}
		x := Task{ID: fmt.Sprint(i), Kind: kind, Processing: Some(seconds * Second), OutputBytes: Some(Bytes(1e9))}
		if kind == Map {
			x.ShuffleDelay = 2 * Second
		}
		b.Task(x, "j", "", Locus{})
	}
	for _, d := range delays {
		b.Delay(fmt.Sprint(d[0]), fmt.Sprint(d[1]), 0, Locus{})
	}
	b.Node(Node{ID: "root"}, "", Locus{})
	b.Node(Node{ID: "n", Kind: HostNode, MapSlots: 1, Speed: Some(2.0), Bandwidth: Some(bandwidth)}, "root", Locus{})
	b.Node(Node{ID: "o", Kind: HostNode, ReduceSlots: 1, Speed: Some(4.0)}, "root", Locus{})
	b.Node(Node{ID: "idle", Kind: HostNode, Speed: Some(100.0), CPU: Some(1.0)}, "root", Locus{})
	w := built(t, b)
	for _, d := range w.Warnings() {
		if d.Code != CodeUnlimited { // the node without slots
			codes = append(codes, d.Code)
		}
	}
	return codes
}

// TestWarnings tests each warning on both sides of its limit, computed by hand.
func TestWarnings(t *testing.T) {
	const fast = 1e9
	pair := []string{"m40", "r40"} // 40/2 + 2 + 40/4 = 32
	for _, c := range []struct {
		name      string
		deadline  Time
		tasks     []string
		delays    [][2]int
		bandwidth float64
		want      []Code
	}{
		{"met", 32 * Second, pair, nil, fast, nil},
		{"hopeless", 32*Second - 1, pair, nil, fast, []Code{CodeHopeless}},
		{"maps alone have no shuffle", 20 * Second, []string{"m40"}, nil, fast, nil},
		{"with delays only tasks count", 20 * Second, pair, [][2]int{{0, 1}}, fast, nil},
		{"hopeless with delays", 20*Second - 1, pair, [][2]int{{0, 1}}, fast, []Code{CodeHopeless}},

		{"all joined", 0, []string{"m1", "m1", "r1"}, [][2]int{{0, 2}, {1, 2}}, fast, nil},
		{"joined over a map", 0, []string{"m1", "m1", "r1"}, [][2]int{{0, 1}, {1, 2}}, fast, nil},
		{"joined over a reduce", 0, []string{"m1", "r1", "r1"}, [][2]int{{0, 1}, {1, 2}}, fast, nil},
		{"a map for none", 0, []string{"m1", "m1", "r1"}, [][2]int{{0, 2}}, fast, []Code{CodeUnordered}},
		{"a map behind a reduce", 0, []string{"m1", "r1", "m1"}, [][2]int{{0, 1}, {1, 2}}, fast, []Code{CodeUnordered}},
		{"a reduce of none", 0, []string{"m1", "r1", "r1"}, [][2]int{{0, 1}}, fast, []Code{CodeUnordered}},
		{"no reduces", 0, []string{"m1", "m1", "m1"}, [][2]int{{0, 1}}, fast, nil},
		{"no delays", 0, []string{"m1", "m1", "r1"}, nil, fast, nil},

		{"thousand", 0, []string{"m3", "m4", "m5", "m4000"}, nil, fast, []Code{CodeOutlier}},
		{"least outlier", 0, []string{"m3", "m4", "m5", "m2000"}, nil, fast, []Code{CodeOutlier}},
		{"below", 0, []string{"m3", "m4", "m5", "m1999"}, nil, fast, nil},
		{"above", 0, []string{"m3", "m4", "m5", "m8000"}, nil, fast, nil},
		{"long tasks", 0, []string{"m3", "m4", "m5", "m300", "m4000"}, nil, fast, nil},
		{"few tasks", 0, []string{"m4", "m4000"}, nil, fast, nil},
		{"another kind", 0, []string{"m4", "m4", "m4", "r4000"}, nil, fast, nil},
		{"zero", 0, []string{"m0", "m0", "m0", "m4000"}, nil, fast, nil},

		{"half a day", 0, []string{"m43199", "m43200", "m43200"}, nil, fast, []Code{CodeOutlier}},
		{"nearly half", 0, []string{"m43199", "m43199", "m43200"}, nil, fast, nil},
		{"two long tasks", 0, []string{"m43200", "m43200"}, nil, fast, nil},

		{"slow link", 0, pair, nil, 11_574, []Code{CodeSlowLink}}, // 86 400 s · 11 574.07 bytes/s = 10^9 bytes
		{"a day", 0, pair, nil, 11_575, nil},
	} {
		if got := warningsOf(t, c.deadline, c.tasks, c.delays, c.bandwidth); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestLoneOutlier compares the only reduce of a job with those of other jobs.
func TestLoneOutlier(t *testing.T) {
	for longest, want := range map[Time]int{4000 * Second: 1, 400 * Second: 0} {
		b := NewBuilder()
		for i, p := range []Time{3 * Second, 4 * Second, 5 * Second, longest} {
			job := fmt.Sprint("j", i)
			b.Job(Job{ID: job}, Locus{})
			b.Task(Task{ID: job + ".r", Kind: Reduce, Processing: Some(p)}, job, "", Locus{})
		}
		w := built(t, b)
		if found := w.outliers(w.processingTimes()); len(found) != want || want > 0 && found[0].What !=
			`the processing_time 4000 of task "j3.r" is 1000 times the median 4 of the reduces of all jobs` {
			t.Errorf("%s: %v", longest, found)
		}
	}
}

// TestGivenOutlier: one time of the table times is stated in milliseconds, and the others in seconds.
func TestGivenOutlier(t *testing.T) {
	for longest, want := range map[Time]int{4000 * Second: 1, 40 * Second: 0} {
		b := NewBuilder()
		b.Job(Job{ID: "j"}, Locus{})
		b.Node(Node{ID: "root", Kind: RootNode}, "", Locus{})
		for i, x := range []Time{3 * Second, 4 * Second, 5 * Second, longest} {
			node := fmt.Sprint("n", i)
			b.Node(Node{ID: node, Kind: HostNode, MapSlots: 1}, "root", Locus{})
			b.Task(Task{ID: fmt.Sprint("m", i)}, "j", "", Locus{})
			b.GivenTime(GivenTime{Task: fmt.Sprint("m", i), Time: x}, "j", node, Locus{})
		}
		w := built(t, b)
		if found := w.outliers(w.givenTimes()); len(found) != want || want > 0 && found[0].What !=
			`the seconds 4000 of task "m3" is 1000 times the median 4 of the rows of job "j"` {
			t.Errorf("%s: %v", longest, found)
		}
	}
}

// TestSmallMemory warns of memory that is no plausible number of bytes, and suggests its unit.
func TestSmallMemory(t *testing.T) {
	for memory, hint := range map[Bytes]string{4: "4GB", 1024: "1024GB", 4096: "4096MB", 999_999: "999999MB",
		1_000_000: "", 0: ""} {
		b := NewBuilder()
		b.Job(Job{ID: "j"}, Locus{})
		b.Task(Task{ID: "m", MemoryBytes: Some(memory)}, "j", "", Locus{})
		w := built(t, b)
		found := w.smallMemory()
		if (len(found) == 0) != (hint == "") || hint != "" && !strings.HasSuffix(found[0].Hint, "write the unit: "+hint) {
			t.Errorf("%s: %v", memory, found)
		}
	}
}
