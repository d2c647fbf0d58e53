package realtime

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// TestSketch is computed by hand: the points of a and b (see TestPoint) end in 91 and aa in hexadecimal, one odd and
// one even, and both are below half the prime. x mod 2 puts a into cell 1 and b into cell 0, x + 1 the other way
// round, 2x both into cell 0.
func TestSketch(t *testing.T) {
	s := NewSketch([]Hash{{1, 0}, {1, 1}, {2, 0}}, 2)
	s.Add("a", 2)
	s.Add("b", 3)
	s.Add("a", 3)
	for i, want := range [][]int64{{3, 5}, {5, 3}, {8, 0}} {
		if !slices.Equal(s.Cells[i], want) {
			t.Errorf("row %d is %v, want %v", i+1, s.Cells[i], want)
		}
	}
	if a, b := s.query("a"), s.query("b"); a != 5 || b != 3 {
		t.Errorf("a has %d, b %d; want 5 and 3", a, b)
	}
}

// TestSketchSize: d = ⌈ln 1/δ⌉, with ln 2500 = 7.8, ln 20 = 2.996, ln 2 = 0.7; ε = e/p.
func TestSketchSize(t *testing.T) {
	for delta, want := range map[float64]int{0.0004: 8, 0.05: 3, 0.5: 1, 1: 1, math.Exp(-4): 4} {
		if got := SketchRows(delta); got != want {
			t.Errorf("%d rows for δ = %g, want %d", got, delta, want)
		}
	}
	if got := SketchError(40); math.Abs(got-0.0679570) > 1e-7 {
		t.Errorf("ε = %g of 40 partitions, want e/40", got)
	}
}

// query is the least of a key's cells: at least its data.
func (s *Sketch) query(key string) model.Bytes {
	x, least := Point(key), int64(math.MaxInt64)
	for i, h := range s.Hashes {
		least = min(least, s.Cells[i][h.Of(x, len(s.Cells[i]))])
	}
	return model.Bytes(least)
}

// TestSketchProperties: every row adds up to all data; its cells are the exact sizes of the partitions that its hash
// makes; the local sketches of the maps, however the data is spread over them, add up to the sketch of all data;
// queries never underestimate.
func TestSketchProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts, maps := rapid.IntRange(1, 9).Draw(t, "partitions"), rapid.IntRange(1, 4).Draw(t, "maps")
		hashes := NewHashes(rapid.IntRange(1, 5).Draw(t, "rows"), rapid.Uint64().Draw(t, "seed"))
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) model.KeyData {
			return model.KeyData{Map: fmt.Sprint(rapid.IntRange(1, maps).Draw(t, "map")),
				Key: rapid.StringN(0, 3, 6).Draw(t, "key"), Bytes: model.Bytes(rapid.Int64Range(0, 1000).Draw(t, "bytes"))}
		}), 0, 30).Draw(t, "rows")

		all, total, of := NewSketch(hashes, parts), int64(0), map[string]int64{}
		named := map[string]bool{}
		for _, k := range rows {
			all.Add(k.Key, k.Bytes)
			named[k.Map] = true
			total += int64(k.Bytes)
			of[k.Key] += int64(k.Bytes)
		}
		for i, h := range hashes {
			sum, exact := int64(0), make([]int64, parts)
			for key, v := range of {
				exact[h.Of(Point(key), parts)] += v
			}
			for _, v := range all.Cells[i] {
				sum += v
			}
			if sum != total || !slices.Equal(exact, all.Cells[i]) {
				t.Errorf("row %d: %v adds up to %d; want %v and %d", i+1, all.Cells[i], sum, exact, total)
			}
		}
		before := slices.Clone(rows)
		merged, local := sketchOf(rows, hashes, parts)
		if local != len(named) || !slices.Equal(rows, before) {
			t.Errorf("%d local sketches of %d maps", local, len(named))
		}
		for i := range hashes {
			if !slices.Equal(merged.Cells[i], all.Cells[i]) {
				t.Errorf("row %d: merged %v, want %v", i+1, merged.Cells[i], all.Cells[i])
			}
		}
		for key, v := range of {
			if got := all.query(key); int64(got) < v || int64(got) > total {
				t.Errorf("%q has %d, the sketch says %d of %d", key, v, got, total)
			}
		}
	})
}

// BenchmarkSketch is the sketch of a job with 200 000 keys in 8 rows of 100 000 cells.
func BenchmarkSketch(b *testing.B) {
	keys := make([]model.KeyData, 200_000)
	for i := range keys {
		keys[i] = model.KeyData{Key: fmt.Sprintf("u%d", i), Bytes: model.Bytes(i)}
	}
	hashes := NewHashes(8, 1)
	for b.Loop() {
		sketchOf(keys, hashes, 100_000)
	}
}
