package sim

import (
	"math/rand/v2"
	"testing"

	"mrsched/model"
)

// BenchmarkNetwork keeps groups of flows going between 60 racks of 10 nodes: whenever one completes, another starts. An
// event is one completion with the start that follows and the filling that both need.
func BenchmarkNetwork(b *testing.B) {
	const racks = 60
	for _, c := range []struct {
		name   string
		groups int
		node   Rate
		pick   func(r *rand.Rand) Flow
	}{
		{"racks", 5000, 0, func(r *rand.Rand) Flow {
			from := r.IntN(racks)
			return Flow{From: Rack(from), To: Rack((from + 1 + r.IntN(racks-1)) % racks), Limit: 31_250_000 * BytePerSecond}
		}},
		{"few pairs", 5000, 0, func(r *rand.Rand) Flow { // like a few large jobs
			from := r.IntN(20)
			return Flow{From: Rack(from), To: Rack(from + 1 + r.IntN(18))}
		}},
		{"nodes", 5000, 31_250_000 * BytePerSecond, func(r *rand.Rand) Flow {
			from := r.IntN(10 * racks)
			return Flow{From: Node(from), To: Node((from + 1 + r.IntN(10*racks-1)) % (10 * racks))}
		}},
		{"mix", 10 * racks, 0, func(r *rand.Rand) Flow { // one flow per job and rack instead of one per pair of racks
			mix := make([]Share, racks)
			for k := range mix {
				mix[k] = Share{k, 1 + r.Int64N(100)}
			}
			return Flow{Mix: mix, To: Rack(r.IntN(racks))}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := mustNew(b, Uniform(racks, 10, 62_500_000*BytePerSecond, c.node))
			r := rand.New(rand.NewPCG(1, 2))
			start := func() {
				f := c.pick(r)
				f.Weight, f.Volume = 1+r.Int32N(10), model.Bytes(1+r.IntN(1_000_000_000))
				n.Start(f)
			}
			for range c.groups {
				start()
			}
			var done []Completion
			b.ReportAllocs()
			b.ResetTimer()
			for events := 0; events < b.N; events += len(done) {
				t, _ := n.NextCompletion()
				done = n.Advance(t, done[:0])
				for range done {
					start()
				}
			}
		})
	}
}

func BenchmarkQueue(b *testing.B) {
	var q Queue[int32]
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 10_000 {
		q.Push(model.Time(r.IntN(1_000_000)), Kind(i%4), int32(i))
	}
	b.ReportAllocs()
	for b.Loop() {
		e, _ := q.Pop()
		q.Push(e.Time+model.Time(r.IntN(1_000_000)), e.Kind, e.Payload)
	}
}
