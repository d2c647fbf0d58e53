package reduceplace

import (
	"math"
	"testing"

	"mrsched/model"
)

// TestEstimate by hand: job a's 4 maps have 10, 20, 40 and 50 of 120 bytes. After a quarter, the first one, X̂ = 4·10 =
// 40, which is 2/3 too small; after half, 10 + 20, X̂ = 60; after all it is exact. Job b lists no maps, so its data is
// known. Job c's first map gives no information.
func TestEstimate(t *testing.T) {
	build := func(maps bool) *model.Workload {
		b := model.NewBuilder()
		for _, id := range []string{"s1", "s2", "s3"} {
			b.ReduceSlot(model.ReduceSlot{ID: id, Cost: model.UnitCost}, model.Locus{})
		}
		for _, id := range []string{"a", "b", "c"} {
			b.Job(model.Job{ID: id, Reduces: model.Some[int64](2), IntermediateBytes: model.Some[model.Bytes](120),
				MapWork: model.Some(model.Second)}, model.Locus{})
		}
		if maps {
			for k, bytes := range []model.Bytes{10, 20, 40, 50} {
				b.Task(model.Task{ID: string(rune('A' + k)), Kind: model.Map, OutputBytes: model.Some(bytes)}, "a", "",
					model.Locus{})
			}
			b.Task(model.Task{ID: "c", Kind: model.Map}, "c", "", model.Locus{})
		}
		w, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	for _, c := range []struct{ share, expected, off float64 }{{0.01, 40, 2. / 3}, {0.25, 40, 2. / 3}, {0.5, 60, 0.5},
		{0.51, 4. / 3 * 70, 1 - 280./360}, {1, 120, 0}} {
		r, err := open(build(true), map[string]any{"estimate": c.share})
		if err != nil {
			t.Fatal(err)
		}
		x, e := r.(*run).expected, r.(*run).estimates
		if math.Abs(x[0]-c.expected/2) > 1e-9 || x[1] != 60 || x[2] != 60 {
			t.Errorf("share %g: %v", c.share, x)
		}
		if e.Estimated != 1 || e.Known != 2 || e.ErrorMax != decimals(c.off) || e.ErrorMean != e.ErrorMax {
			t.Errorf("share %g: %+v", c.share, e)
		}
	}
	if _, err := open(build(false), map[string]any{"estimate": 0.05}); err == nil {
		t.Error("an estimate without runs is accepted")
	}
}
