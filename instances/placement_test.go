package instances

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"mrsched/model"
	"mrsched/solver"
)

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
	for s := range a.ReduceSlots {
		if a.ReduceSlots[s] != b.ReduceSlots[s] {
			t.Fatal(a.ReduceSlots[s], b.ReduceSlots[s])
		}
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

// TestSmallPlacement: every instance can be opened, and all kinds of jobs occur.
func TestSmallPlacement(t *testing.T) {
	kinds := map[string]int{}
	for k := range 400 {
		w, err := SmallPlacement(rand.New(rand.NewPCG(1, uint64(k))), k)
		if err != nil {
			t.Fatalf("%d: %v", k, err)
		}
		if len(w.Jobs) > 6 || len(w.ReduceSlots) > 4 {
			t.Fatalf("%d: %d jobs, %d slots", k, len(w.Jobs), len(w.ReduceSlots))
		}
		for i := range w.Jobs {
			if w.Jobs[i].MapWork.Known && w.Jobs[i].MapWork.Value == 0 {
				kinds["no work"]++
			}
			if w.Jobs[i].Reduces.Known {
				kinds["implied reduces"]++
			}
		}
		for _, u := range w.Tasks {
			if u.Kind == model.Reduce && u.InputBytes.Known {
				kinds["own data"]++
			}
		}
		if w.HasTopology && len(w.ReduceSlots) == 0 {
			kinds["topology"]++
		}
	}
	expectSeen(t, kinds, 20, "no work", "implied reduces", "own data", "topology")
}
