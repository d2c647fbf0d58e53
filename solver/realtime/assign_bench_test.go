package realtime

import (
	"fmt"
	"testing"

	"mrsched/model"
	"mrsched/model/realtime"
)

// BenchmarkAssignSketch assigns 100 000 partitions to 1000 reducers for each of 8 rows, by bytes, by true times, and by
// lines.
func BenchmarkAssignSketch(b *testing.B) {
	r := assignRun(b, realtime.Options{Delta: 0.0004, SketchSeed: 1}, func(b *model.Builder) {
		b.Scalars("", "", model.Some(int64(1000)), nil)
		b.Job(model.Job{ID: "j", Weight: model.UnitWeight, Reduces: model.Some(int64(1000)),
			Partitions: model.Some(int64(100_000)), ReduceRate: model.Some(1.0)}, model.Locus{})
		for k := range 200_000 {
			b.KeyData(model.KeyData{Key: fmt.Sprint(k), Bytes: model.Bytes(1 + k%1000)}, "j", model.Locus{})
		}
	})
	line := wrongLine{wrong{r.in, make([]float64, r.in.Workers), make([]float64, r.in.Workers)}}
	for k := range line.rate {
		line.overhead[k], line.rate[k] = 1e5, 1e6/float64(1+k%7)
	}
	for _, c := range []struct {
		name, algorithm string
		b               expectation
	}{{"lb", "lb-sketch", nil}, {"dp/true", "dp-sketch", r.in}, {"dp/lines", "dp-sketch", line}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := r.assign(c.algorithm, 0, c.b, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
