package shop

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// nights are nights of 58 tasks, each with 12 nodes in a rack of its own and six pools, of the rack or of the root.
func nights(n int, ofRoot bool) *model.Builder {
	b, at := model.NewBuilder(), model.Locus{}
	b.Scalars("nights", "cluster", model.Optional[int64]{}, nil)
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at)
	for k := range n {
		rack := fmt.Sprint("rack", k)
		b.Node(model.Node{ID: rack, Kind: model.RackNode}, "root", at)
		for i := range 12 {
			b.Node(model.Node{ID: fmt.Sprint(rack, "n", i), Kind: model.HostNode, CPU: model.Some(16.0)}, rack, at)
		}
		for p := range 6 {
			c, place := model.Capacity{Resource: fmt.Sprint("pool", p), Amount: model.Amount(2+p) * model.UnitAmount}, rack
			if ofRoot {
				c.Resource, place = fmt.Sprint(c.Resource, "of", k), "root"
			}
			b.Capacity(c, place, at)
		}
		for u := range 58 {
			job, id := fmt.Sprint("j", k, ".", u%10), fmt.Sprint("j", k, ".", u%10, ".", u/10)
			if u < 10 {
				b.Job(model.Job{ID: job, Weight: model.UnitWeight}, at)
			}
			b.Task(model.Task{ID: id, Processing: model.Some(model.Time(60+u*37%600) * model.Second)}, job, "", at)
			if u >= 10 {
				b.Delay(fmt.Sprint("j", k, ".", u%10, ".", u/10-1), id, 0, at)
			}
			d := model.TaskDemand{Resource: fmt.Sprint("pool", u*u%6), Amount: model.UnitAmount}
			if ofRoot {
				d.Resource = fmt.Sprint(d.Resource, "of", k)
			}
			b.Demand(d, id, at)
		}
	}
	return b
}

// BenchmarkGrowth tells how the time and the memory of fifo with its bound grow with the number of tasks: the exponents
// compare with half as many.
func BenchmarkGrowth(b *testing.B) {
	for _, ofRoot := range []bool{false, true} {
		seconds, megabytes := 0.0, 0.0 // of half the size
		for n := 500; n <= 2000; n *= 2 {
			b.Run(fmt.Sprintf("root=%t/tasks=%d", ofRoot, 58*n), func(b *testing.B) {
				w, err := nights(n, ofRoot).Build()
				if err != nil {
					b.Fatal(err)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for b.Loop() {
					in, err := shop.New(w)
					if err != nil {
						b.Fatal(err)
					}
					out, err := (&run{in: in}).Solve(b.Context(), "fifo", solver.Options{Threads: 1})
					if err != nil || out.Schedule == nil || len(out.Bounds) == 0 {
						b.Fatal(err, out)
					}
				}
				runtime.ReadMemStats(&after)
				s := b.Elapsed().Seconds() / float64(b.N)
				m := float64(after.TotalAlloc-before.TotalAlloc) / 1e6 / float64(b.N)
				b.ReportMetric(s, "s")
				b.ReportMetric(m, "MB")
				if seconds > 0 {
					b.ReportMetric(math.Log2(s/seconds), "exponent-s")
					b.ReportMetric(math.Log2(m/megabytes), "exponent-MB")
				}
				seconds, megabytes = s, m
			})
		}
	}
}
