package msjo

import (
	"context"
	"testing"
	"time"

	"mrsched/model"
	"mrsched/model/msjo"
)

func TestCells(t *testing.T) {
	for _, n := range []int64{20, 100} {
		in := marsInstance(t, n, 1)
		c, r := relax(t, in, false, generationOptions{warm: true})
		order := (&run{in: in, c: c, solved: r}).midpointOrder(r)
		s := graph(in).NeverIdle(ranks(order), in.Machines)
		ub := float(in.Evaluate(s).Value) * 0.97
		var mk model.Time
		for _, e := range s.Entries {
			mk = max(mk, e.End)
		}
		for _, cells := range []int{100, 200, 400, 800} {
			for _, mix := range []float64{0.1, 0.25, 0.5} {
			volumeMix = mix
			cell := (mk + model.Time(cells) - 1) / model.Time(cells)
			at := time.Now()
			v, err := newVolume(in, cell, c.startPrices(r, cell, cells))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(n/20)*2*time.Second)
			if err := v.run(ctx, 2000, ub, options()); err != nil {
				t.Fatal(err)
			}
			cancel()
			d := time.Since(at)
			v.prices.Steps = v.bestSteps()
			e, _ := msjo.NewPriceEvaluator(in, v.prices)
			exact := float(e.Bound())
			t.Logf("%d jobs %d cells mix %g: %.6f %v its %d", n, cells, mix, exact/r.value, d, v.its)
			}
		}
	}
}
