package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"mrsched/model"
)

// benchNetwork keeps a number of groups going: whenever one completes, another starts. An event is one completion with
// the start that follows and the filling that both need.
func benchNetwork(b *testing.B, racks, groups int, node Rate, pick func(r *rand.Rand) Flow) {
	net, err := New(Uniform(racks, 10, 62_500_000*BytePerSecond, node))
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range groups {
		net.Start(pick(r))
	}
	var done []Completion
	b.ReportAllocs()
	b.ResetTimer()
	for events := 0; events < b.N; events += len(done) {
		t, _ := net.NextCompletion()
		done = net.Advance(t, done[:0])
		for range done {
			net.Start(pick(r))
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkRacks(b *testing.B) {
	for _, size := range []struct{ racks, groups int }{{10, 1000}, {60, 5000}} {
		b.Run(fmt.Sprintf("%dx10/%d", size.racks, size.groups), func(b *testing.B) {
			benchNetwork(b, size.racks, size.groups, 0, func(r *rand.Rand) Flow {
				from := r.IntN(size.racks)
				to := (from + 1 + r.IntN(size.racks-1)) % size.racks
				return Flow{From: Rack(from), To: Rack(to), Weight: 1 + r.Int32N(10), Limit: 31_250_000 * BytePerSecond,
					Volume: model.Bytes(1 + r.IntN(1_000_000_000))}
			})
		})
	}
}

// BenchmarkSkewed has the same number of groups on a tenth of the pairs, like a few large jobs.
func BenchmarkSkewed(b *testing.B) {
	benchNetwork(b, 60, 5000, 0, func(r *rand.Rand) Flow {
		from := r.IntN(20)
		return Flow{From: Rack(from), To: Rack((from + 1 + r.IntN(18)) % 60), Weight: 1 + r.Int32N(10),
			Volume: model.Bytes(1 + r.IntN(1_000_000_000))}
	})
}

func BenchmarkNodes(b *testing.B) {
	for _, size := range []struct{ racks, groups int }{{10, 1000}, {60, 5000}} {
		b.Run(fmt.Sprintf("%dx10/%d", size.racks, size.groups), func(b *testing.B) {
			benchNetwork(b, size.racks, size.groups, 31_250_000*BytePerSecond, func(r *rand.Rand) Flow {
				nodes := 10 * size.racks
				from := r.IntN(nodes)
				return Flow{From: Node(from), To: Node((from + 1 + r.IntN(nodes-1)) % nodes), Weight: 1,
					Volume: model.Bytes(1 + r.IntN(100_000_000))}
			})
		})
	}
}

// BenchmarkMix has one flow per job and rack instead of one per pair of racks.
func BenchmarkMix(b *testing.B) {
	for _, racks := range []int{10, 60} {
		b.Run(fmt.Sprintf("%dx10/%d", racks, 10*racks), func(b *testing.B) {
			benchNetwork(b, racks, 10*racks, 0, func(r *rand.Rand) Flow {
				mix := make([]Share, racks)
				for k := range mix {
					mix[k] = Share{k, 1 + r.Int64N(100)}
				}
				return Flow{Mix: mix, To: Rack(r.IntN(racks)), Weight: 1 + r.Int32N(10),
					Volume: model.Bytes(1 + r.IntN(1_000_000_000))}
			})
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
