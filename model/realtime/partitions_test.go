package realtime

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// TestKeySets: of three partitions, numbered from 0, Hadoop's hash puts a (128, see TestHadoopHash) into 2, ab (4066)
// and abc (126145) into 1. Rows of one key add up, whichever map they come from.
func TestKeySets(t *testing.T) {
	in := opened(t, Options{Delta: 0.05, SketchSeed: 1}, func(b *model.Builder) {
		machines(b, 2)
		b.Job(job("j", 2, 3), model.Locus{})
		for _, k := range []model.KeyData{{Map: "m1", Key: "a", Bytes: 10}, {Map: "m2", Key: "a", Bytes: 1},
			{Map: "m1", Key: "ab", Bytes: 5}, {Key: "abc", Bytes: 7}} {
			b.KeyData(k, "j", model.Locus{})
		}
	})
	sets := in.SetsOf(0)
	if len(sets) != 4 || in.Tasks != 12 { // the hash, and ⌈ln 20⌉ = 3 rows
		t.Fatalf("%d sets, %d tasks", len(sets), in.Tasks)
	}
	if got := in.Bytes[:3]; !slices.Equal(got, []model.Bytes{0, 12, 11}) {
		t.Errorf("partitions %v, want 0, 12 and 11 bytes", got)
	}
	for k, s := range sets {
		if s != (Set{0, int32(k), int32(3 * k), 3}) {
			t.Errorf("set %d is %+v", k, s)
		}
		for task := s.First; task < s.First+3; task++ {
			if in.SetOf(task) != s {
				t.Errorf("task %d is of set %+v", task, in.SetOf(task))
			}
		}
	}
	for task, want := range map[model.TaskIndex]string{0: "j/p1", 2: "j/p3", 3: "j/h1.p1", 11: "j/h3.p3"} {
		if id, _, _ := in.TaskName(task); id != want {
			t.Errorf("task %d is called %s, want %s", task, id, want)
		}
	}
}

// TestPartitionCount: --partitions, otherwise the job's number, otherwise one per reducer; no sketch without δ.
func TestPartitionCount(t *testing.T) {
	for _, c := range []struct {
		job, flag  int64
		delta      float64
		want, sets int
	}{{0, 0, 0.5, 2, 2}, {5, 0, 0.5, 5, 2}, {5, 7, 0.5, 7, 2}, {0, 7, 0.05, 7, 4}, {1, 0, 0, 1, 1}} {
		in := opened(t, Options{Delta: c.delta, Partitions: c.flag}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 2, c.job), model.Locus{})
			b.KeyData(model.KeyData{Key: "k", Bytes: 3}, "j", model.Locus{})
		})
		if sets := in.SetsOf(0); len(sets) != c.sets || int(sets[0].Count) != c.want {
			t.Errorf("%+v: %d sets of %d", c, len(sets), sets[0].Count)
		}
	}
}

// TestSetsAreExact: for any keys, each set is that of its hash, and renaming the maps changes nothing.
func TestSetsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts, seed := rapid.IntRange(1, 6).Draw(t, "partitions"), rapid.Int64Range(0, 100).Draw(t, "seed")
		names := rapid.SliceOfNDistinct(rapid.StringMatching("[a-z]{1,3}"), 1, 12, rapid.ID).Draw(t, "keys")
		build := func(maps string) *Instance {
			return opened(t, Options{Delta: 0.05, SketchSeed: seed}, func(b *model.Builder) {
				machines(b, 2)
				b.Job(job("j", 3, int64(parts)), model.Locus{})
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
		hashes := NewHashes(3, uint64(seed))
		for _, s := range in.SetsOf(0) {
			want := make([]model.Bytes, parts)
			for i, key := range names {
				k := HadoopPartition(key, parts)
				if s.Row > 0 {
					k = hashes[s.Row-1].Of(Point(key), parts)
				}
				want[k] += model.Bytes(3 * i)
			}
			if got := in.Bytes[s.First : s.First+s.Count]; !slices.Equal(got, want) {
				t.Errorf("set %d: %v, want %v", s.Row, got, want)
			}
		}
	})
}

// TestEvenly: 7 bytes on 3 partitions are 3, 2 and 2.
func TestEvenly(t *testing.T) {
	for _, c := range []struct {
		bytes int64
		parts int
		want  []int64
	}{{7, 3, []int64{3, 2, 2}}, {0, 2, []int64{0, 0}}, {2, 3, []int64{1, 1, 0}}, {5, 1, []int64{5}}, {5, 0, nil}} {
		if got := evenly(c.bytes, c.parts); !slices.Equal(got, c.want) {
			t.Errorf("%d on %d: %v", c.bytes, c.parts, got)
		}
	}
}
