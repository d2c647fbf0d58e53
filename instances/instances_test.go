package instances

import (
	"maps"
	"math"
	"slices"
	"testing"

	"mrsched/model"
	"mrsched/solver"
)

// TestWikipediaFiles checks the paper's statements about its 27 files (§6.2): 149 MB to 9.98 GB, 43.7 GB in total, ten
// below 1 GB.
func TestWikipediaFiles(t *testing.T) {
	var total int64
	for _, mb := range wikipediaMB {
		total += mb
	}
	if n := len(wikipediaMB); n != 27 || wikipediaMB[0] != 149 || wikipediaMB[n-1] != 9980 || total != 43_700 ||
		!slices.IsSorted(wikipediaMB) || wikipediaMB[wikipediaSmall-1] >= 1000 || wikipediaMB[wikipediaSmall] < 1000 {
		t.Errorf("%d files, %d MB in all: %v", n, total, wikipediaMB)
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

func placement(t *testing.T, more solver.Params) *model.Workload {
	t.Helper()
	p := solver.Params{"jobs": 3000, "slots": 200, "mu": 2.0}
	maps.Copy(p, more)
	return workloadOf(t, placementPreset(), 1, p)
}

// TestPlacement compares means with those of the distributions: 4 standard errors of 3000 draws are at most 8 %.
func TestPlacement(t *testing.T) {
	for _, correlate := range []string{"none", "block1", "block2", "block3"} {
		w := placement(t, solver.Params{"correlate": correlate})
		var work, data, reduces float64
		for _, j := range w.Jobs {
			work, data, reduces = work+j.MapWork.Value.Seconds(), data+float64(j.IntermediateBytes.Value)/1e6,
				reduces+float64(j.Reduces.Value)
			if x := float64(j.IntermediateBytes.Value) / 1e6; x < 1 || x > 100 || j.Reduces.Value < 1 || j.Reduces.Value > 10 {
				t.Fatalf("%+v", j)
			}
		}
		n := float64(len(w.Jobs))
		for name, is := range map[string]float64{"work": work / n / 0.5, "data": data / n / 50.5,
			"reduces":  reduces / n / 5.5,
			"arrivals": w.Jobs[len(w.Jobs)-1].Release.Seconds() / n * 0.6} {
			if math.Abs(is-1) > 0.08 {
				t.Errorf("%s: mean %s is %.3f of the law's", correlate, name, is)
			}
		}
		if w.MaxRunningJobs.Value != 100 || len(w.ReduceSlots) != 200 || len(w.Tasks) != 0 {
			t.Errorf("K %d, %d slots, %d tasks", w.MaxRunningJobs.Value, len(w.ReduceSlots), len(w.Tasks))
		}
	}
}

// TestPlacementStreams: another load, or listed maps, change no other draw; maps add up to their job's data.
func TestPlacementStreams(t *testing.T) {
	a, b := placement(t, nil), placement(t, solver.Params{"lambda": 0.9, "maps": 3})
	made := make([]model.Bytes, len(b.Jobs))
	for _, u := range b.Tasks {
		made[u.Job] += u.OutputBytes.Value
	}
	for i := range a.Jobs {
		x, y := a.Jobs[i], b.Jobs[i]
		if x.IntermediateBytes != y.IntermediateBytes || x.Reduces != y.Reduces || x.MapWork != y.MapWork ||
			made[i] != y.IntermediateBytes.Value {
			t.Fatalf("%+v, %+v, maps put out %d", x, y, made[i])
		}
	}
	if !slices.Equal(a.ReduceSlots, b.ReduceSlots) {
		t.Fatal(a.ReduceSlots, b.ReduceSlots)
	}
	for _, bad := range []solver.Params{{"slots": 9}, {"jobs": 1_000_000, "maps": 1_000_000}} { // for 10 reduces; maps
		if _, err := generatePlacement(settings(t, placementPreset(), bad), 1); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}

// TestMeasuredBlocks computes the lines by the textbook formulas instead of gonum's.
func TestMeasuredBlocks(t *testing.T) {
	blocks := MeasuredBlocks()
	if len(blocks) != 3 || len(blocks[0])+len(blocks[1])+len(blocks[2]) != 23 {
		t.Fatal("Table I has 23 rows in three blocks")
	}
	for k, block := range blocks {
		n := float64(len(block))
		var x, y, xx, xy, yy float64
		for _, j := range block {
			x, y, xx, xy, yy = x+j.Intermediate, y+j.Seconds, xx+j.Intermediate*j.Intermediate, xy+j.Intermediate*j.Seconds,
				yy+j.Seconds*j.Seconds
		}
		slope := (n*xy - x*y) / (n*xx - x*x)
		r2 := (n*xy - x*y) * (n*xy - x*y) / ((n*xx - x*x) * (n*yy - y*y))
		a, b, c := block.Line()
		if math.Abs(b-slope) > 1e-9 || math.Abs(a-(y-slope*x)/n) > 1e-6 || math.Abs(c-r2) > 1e-9 {
			t.Errorf("block %d: %g + %g·x, R² %g; want slope %g, R² %g", k+1, a, b, c, slope, r2)
		}
	}
}
