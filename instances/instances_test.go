package instances

import (
	"testing"

	"mrsched/model"
	"mrsched/solver"
)

// TestWikipediaFiles checks the paper's statements about its 27 files (§6.2): 149 MB to 9.98 GB, 43.7 GB in total, ten
// below 1 GB.
func TestWikipediaFiles(t *testing.T) {
	var total int64
	small := 0
	for _, mb := range wikipediaMB {
		total += mb
		if mb < 1000 {
			small++
		}
	}
	if n := len(wikipediaMB); n != 27 || wikipediaMB[0] != 149 || wikipediaMB[n-1] != 9980 || total != 43_700 ||
		small != wikipediaSmall {
		t.Errorf("%d files, %d to %d MB, %d MB in all, %d below 1 GB", n, wikipediaMB[0], wikipediaMB[n-1], total, small)
	}
}

// TestWikipedia: the smallest file of 149 MB fills 3 blocks of 64 MiB, the last one partly, and has 1 reduce.
func TestWikipedia(t *testing.T) {
	w := workloadOf(t, wikipediaPreset(), 1, solver.Params{"set": "small", "machines": 16, "map-time": 80.0,
		"reduce-time": 150.0, "time-spread": 0.0, "bandwidth": 400.0})
	if len(w.Jobs) != 10 || w.Machines.Value != 16 {
		t.Errorf("%d jobs on %d machines", len(w.Jobs), w.Machines.Value)
	}
	var maps, reduces int
	var read model.Bytes
	for _, task := range w.Tasks {
		if w.Jobs[task.Job].ID != "file1" {
			continue
		}
		want := 150 * model.Second
		if task.Kind == model.Map {
			maps++
			read += task.InputBytes.Value
			want = 80 * model.Second
			if task.ShuffleDelay != model.TimeOf(1.342177) { // 2^26 bytes · 8 / 400 Mbit/s
				t.Errorf("delay %s", task.ShuffleDelay)
			}
		} else {
			reduces++
		}
		if task.Processing.Value != want || task.Weight.Known {
			t.Errorf("task %s: %s s, weight %v", task.ID, task.Processing.Value, task.Weight)
		}
	}
	if maps != 3 || reduces != 1 || read != 149_000_000 {
		t.Errorf("%d maps, %d reduces, %d bytes", maps, reduces, read)
	}
}

// TestCut: jobs of 3 maps and 2 reduces each, cut to whole jobs, inside a job, and not at all.
func TestCut(t *testing.T) {
	for _, c := range []struct{ tasks, jobs, maps, reduces int }{{0, 3, 3, 2}, {15, 3, 3, 2}, {99, 3, 3, 2}, {5, 1, 3, 2},
		{7, 2, 1, 1}, {6, 2, 1, 0}, {9, 2, 2, 2}} {
		jobs := make([]marsJob, 3)
		for k := range jobs {
			jobs[k] = marsJob{maps: make([]model.Time, 3), reduces: make([]model.Time, 2)}
		}
		got := cut(jobs, c.tasks)
		last := got[len(got)-1]
		if len(got) != c.jobs || len(last.maps) != c.maps || len(last.reduces) != c.reduces {
			t.Errorf("%d tasks: %d jobs, the last with %d maps and %d reduces", c.tasks, len(got), len(last.maps),
				len(last.reduces))
		}
	}
}

// TestTaskWeights: tasks have their own weights only on request, and other draws do not change. Unit weights of jobs
// rise on request.
func TestTaskWeights(t *testing.T) {
	p := solver.Params{"jobs": 2, "machines": 5, "counts": "random", "times": "random", "uw-order": "increasing"}
	plain := workloadOf(t, marsPreset(), 3, p)
	p["task-weights"] = "random"
	weighted := workloadOf(t, marsPreset(), 3, p)
	work := map[model.JobIndex]float64{}
	for u := range plain.Tasks {
		a, b := plain.Tasks[u], weighted.Tasks[u]
		if a.Weight.Known || !b.Weight.Known || b.Weight.Value <= 0 || a.Processing != b.Processing {
			t.Fatalf("task %s: %+v and %+v", a.ID, a, b)
		}
		work[a.Job] += a.Processing.Value.Seconds()
	}
	if a, b := plain.Jobs[0].Weight.Float()/work[0], plain.Jobs[1].Weight.Float()/work[1]; a >= b {
		t.Errorf("unit weights %g, %g", a, b)
	}
}

// expectSeen requires that each of some features was seen often enough.
func expectSeen(t *testing.T, seen map[string]int, least int, names ...string) {
	t.Helper()
	for _, name := range names {
		if seen[name] < least {
			t.Errorf("%s: %d times", name, seen[name])
		}
	}
}
