package msjo

import (
	"context"
	"testing"
	"time"

	"mrsched/model/msjo"
	"mrsched/solver"
	"mrsched/solver/lp/lpsolve"
)

func TestProbe(t *testing.T) {
	_ = solver.Options{}
	_ = lpsolve.NewSolver
	_ = context.Background
	for _, jobs := range []int64{10, 20, 50} {
		in := marsInstance(t, jobs, 1)
		for _, f := range []string{"schulz", "published", "mares"} {
			at := time.Now()
			v := in
			if f != "mares" {
				v = in.Under(msjo.TaskObjective)
			}
			c := newCollapsed(v)
			fo := byCompletion{c: c, published: f == "published"}
			if f == "mares" {
				fo.machine = make([]int32, in.Tasks)
				for u := range fo.machine {
					fo.machine[u] = int32(u % in.Machines)
				}
			}
			s := newCompletionADMM(fo)
			tp := &taskPrices{price: make([]float64, in.Tasks), arc: make([]float64, len(in.SuccNode))}
			price := make([]float64, in.Tasks)
			for it := 1; it <= 3000; it++ {
				s.step()
				if it == 10 || it == 30 || it == 100 || it == 300 || it == 1000 || it == 3000 {
					b := 0.0
					val, ex := s.value(), s.excess()
					if f != "mares" {
						s.prices(price)
						s.settle(price, tp)
						b = tp.value(v, fo.published)
					}
					t.Logf("%d %s it %d: value %.3f excess %.2g stretched %.2f bound %.3f sets %d %v", jobs, f, it, val, ex-1, val*ex, b, len(s.sets()), time.Since(at))
				}
			}
		}
	}
}
