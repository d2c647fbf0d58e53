package realtime

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// TestPartitionCount: --partitions, otherwise the job's number, otherwise one per reducer; no sketch without δ.
func TestPartitionCount(t *testing.T) {
	for _, c := range []struct {
		job, flag  int64
		delta      float64
		want, sets int
	}{{0, 0, 0.5, 2, 2}, {5, 0, 0.5, 5, 2}, {5, 7, 0.5, 7, 2}, {0, 7, 0.05, 7, 4}, {1, 0, 0, 1, 1}} {
		in := opened(t, Options{Delta: c.delta, Partitions: c.flag}, func(b *input) {
			b.machines(1)
			b.job(reducing("j", 2, c.job))
			b.key("j", "k", 3)
		})
		if sets := in.SetsOf(0); len(sets) != c.sets || int(sets[0].Count) != c.want {
			t.Errorf("%+v: %d sets of %d", c, len(sets), sets[0].Count)
		}
	}
}

// TestSetsAreExact: for any keys, Hadoop's hash and the 3 = ⌈ln 20⌉ rows of the sketch make a set each, with the bytes
// that the hash puts there. Rows of one key add up, and renaming the maps changes nothing. The
// rows themselves stay.
func TestSetsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts, seed := rapid.IntRange(1, 6).Draw(t, "partitions"), rapid.Int64Range(0, 100).Draw(t, "seed")
		names := rapid.SliceOfNDistinct(rapid.StringMatching("[a-z]{1,3}"), 1, 12, rapid.ID).Draw(t, "keys")
		build := func(maps string) *Instance {
			return opened(t, Options{Delta: 0.05, SketchSeed: seed}, func(b *input) {
				b.machines(2)
				b.job(reducing("j", 3, int64(parts)))
				for i, key := range names {
					b.KeyData(model.KeyData{Map: fmt.Sprintf("%s%d", maps, i%2), Key: key, Bytes: model.Bytes(i)}, "j", model.Locus{})
					b.KeyData(model.KeyData{Map: maps, Key: key, Bytes: model.Bytes(2 * i)}, "j", model.Locus{})
				}
			})
		}
		in := build("m")
		if again := build("other"); !slices.Equal(again.Bytes, in.Bytes) {
			t.Errorf("%v, and with other maps %v", in.Bytes, again.Bytes)
		}
		if in.Workload().Keys[0].Map != "m0" {
			t.Error("the workload's rows are sorted")
		}
		hashes := NewHashes(3, uint64(seed))
		if sets := in.SetsOf(0); len(sets) != 4 || in.Tasks != 4*parts {
			t.Fatalf("%d sets, %d tasks", len(sets), in.Tasks)
		}
		for k, s := range in.SetsOf(0) {
			if last := s.First + s.Count - 1; s != (Set{0, int32(k), int32(k * parts), int32(parts)}) || in.SetOf(last) != s {
				t.Errorf("set %d is %+v, its last task is of %+v", k, s, in.SetOf(last))
			}
			want := make([]model.Bytes, parts)
			for i, key := range names {
				at := HadoopPartition(key, parts)
				if k > 0 {
					at = hashes[k-1].Of(Point(key), parts)
				}
				want[at] += model.Bytes(3 * i)
			}
			if got := in.Bytes[s.First : s.First+s.Count]; !slices.Equal(got, want) {
				t.Errorf("set %d: %v, want %v", k, got, want)
			}
		}
	})
}
