package reduceplace

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// mixed has slots of cost 0.5, 1, 3 and 10. Job e splits 10 bytes evenly among three reduces; job u's reduces fetch 7
// and 2 bytes; job n has no reduces, and 99 bytes that are never fetched. All arrive at 0 with a second of work.
func mixed(t testing.TB, k int64) *Instance {
	t.Helper()
	return opened(t, Options{MaxRunning: k}, func(b *model.Builder) {
		for i, c := range []float64{0.5, 1, 3, 10} {
			b.ReduceSlot(model.ReduceSlot{ID: fmt.Sprint("s", i), NodeName: fmt.Sprint("n", i/2), Cost: model.CostOf(c)},
				model.Locus{})
		}
		work := model.Some(model.Second)
		b.Job(model.Job{ID: "e", MapWork: work, Reduces: model.Some(int64(3)),
			IntermediateBytes: model.Some(model.Bytes(10))}, model.Locus{})
		b.Job(model.Job{ID: "u", Release: model.Second / 2, MapWork: work}, model.Locus{})
		b.Job(model.Job{ID: "n", MapWork: work, IntermediateBytes: model.Some(model.Bytes(99))}, model.Locus{})
		b.Task(model.Task{ID: "u2", Kind: model.Reduce, InputBytes: model.Some(model.Bytes(7))}, "u", "", model.Locus{})
		b.Task(model.Task{ID: "nm", Kind: model.Map}, "n", "", model.Locus{})
		b.Task(model.Task{ID: "u1", Kind: model.Reduce, InputBytes: model.Some(model.Bytes(2))}, "u", "", model.Locus{})
	})
}

// TestFetching: e on the first three slots costs 10/3·(0.5 + 1 + 3) = 15; u on slots 4 and 1 costs 7·10 + 2·0.5 = 71
// since its first listed reduce fetches 7 bytes. K = 1: e runs to 1 s, n to 2 s, u to 3 s after waiting 1.5 s; n waited
// 1 s.
func TestFetching(t *testing.T) {
	in := mixed(t, 1)
	slot := []int32{0, 1, 2, 3, 0}
	none := int32(model.None)
	for _, c := range []struct {
		want string
		on   []int32
	}{{"15", []int32{0, 1, 2, none, none}}, {"71", []int32{none, none, none, 3, 0}},
		{"64/3", []int32{0, 1, 1, 1, 2}},       // 10/3·2.5 + 7 + 6
		{"11", []int32{0, 1, none, none, 2}}} { // 10/3·1.5 + 6
		if got := in.Fetching(c.on); got.RatString() != c.want {
			t.Errorf("%v cost %s, want %s", c.on, got, c.want)
		}
	}
	s := in.Schedule(slot)
	if v, got := in.Check(s), in.Placed(s); len(v) > 0 || !slices.Equal(got, slot) {
		t.Fatalf("placed on %v: %v", got, v)
	}
	e := in.Evaluate(s)
	if e.Name != "fetching_cost" || e.Value.Cmp(big.NewRat(86, 1)) != 0 {
		t.Errorf("%s = %s, want fetching_cost = 86", e.Name, e.Value)
	}
	for name, want := range map[string]model.Number{"bytes": "19", "makespan": "3", "jobs_waiting": "2",
		"longest_wait": "1.5", "cost_per_job": "43", "cost_per_byte": "4.526315"} {
		if e.Metrics[name] != want {
			t.Errorf("%s = %v, want %s", name, e.Metrics[name], want)
		}
	}
	for k, want := range [][]string{{"n0", "0", "0.5", "1.666666"}, {"n0", "0", "1", "3.333333"}, {"n1", "0", "3", "10"},
		{"n1", "0.5", "10", "70"}, {"n0", "0.5", "0.5", "1"}} {
		if got := in.Cells(s.Entries[k]); !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", s.Entries[k], got, want)
		}
	}
	if !in.Uneven(1) || in.Uneven(0) {
		t.Error("u is uneven, e is not")
	}
}

// TestHugeCosts: costs beyond a machine word are exact.
func TestHugeCosts(t *testing.T) {
	const most = math.MaxInt64
	in := opened(t, Options{}, func(b *model.Builder) {
		for _, id := range []string{"a", "b", "c"} {
			b.ReduceSlot(model.ReduceSlot{ID: id, Cost: most}, model.Locus{})
		}
		addJob(b, "i", 0, model.Second, 1, most)
		addJob(b, "j", 0, model.Second, 2, most)
	})
	want := new(big.Int).Mul(big.NewInt(most), big.NewInt(most))
	s := in.Schedule([]int32{0, 1, 2})
	if got := in.Evaluate(s).Value; got.Cmp(new(big.Rat).SetFrac(want.Lsh(want, 1), big.NewInt(1e6))) != 0 {
		t.Errorf("cost %s", got)
	}
	if got := in.Cells(s.Entries[1])[3]; got != "42535295865117307923698453892116.250624" { // (2^63 − 1)²/2·10⁻⁶
		t.Errorf("a task costs %s", got)
	}
}

// TestData: the sources of a job's bytes and work, in order of precedence. Work is that of the maps over all three map
// slots, but no less than the longest map: two maps of 5 s take 5 s, four 20/3 s.
func TestData(t *testing.T) {
	const untimedMap = "a map without a time"
	none, three := model.Optional[model.Bytes]{}, model.Some(model.Bytes(3))
	type row struct {
		kind    model.TaskKind
		in, out model.Optional[model.Bytes]
		time    model.Optional[model.Time]
	}
	m := func(in, out model.Optional[model.Bytes]) row {
		return row{model.Map, in, out, model.Some(5 * model.Second)}
	}
	r := func(in model.Optional[model.Bytes]) row { return row{kind: model.Reduce, in: in} }
	work := model.Some(model.Second)
	reduces := model.Some(int64(2))
	for _, c := range []struct {
		name   string
		job    model.Job
		tasks  []row
		bytes  model.Bytes // −1: refused with one finding S413
		work   model.Time
		uneven bool
	}{
		{"stated", model.Job{MapWork: work, Reduces: reduces, IntermediateBytes: three}, nil, 3, model.Second, false},
		{"stated, maps say else", model.Job{MapWork: work, Reduces: reduces, IntermediateBytes: three},
			[]row{m(none, model.Some(model.Bytes(9)))}, 3, model.Second, false},
		{"reduces first", model.Job{MapWork: work, IntermediateBytes: three},
			[]row{r(model.Some(model.Bytes(4))), r(model.Some(model.Bytes(5)))}, 9, model.Second, true},
		{"reduces fetch 0: nobody knows which", model.Job{MapWork: work, IntermediateBytes: three},
			[]row{r(model.Some(model.Bytes(0))), r(model.Some(model.Bytes(0)))}, 3, model.Second, false},
		{"one reduce unknown", model.Job{MapWork: work, IntermediateBytes: three},
			[]row{r(model.Some(model.Bytes(4))), r(none)}, 3, model.Second, false},
		{"maps", model.Job{Reduces: reduces}, []row{m(none, three), m(none, three)}, 6, 5 * model.Second, false},
		{"four maps", model.Job{Reduces: reduces}, []row{m(none, three), m(none, three), m(none, three), m(none, three)}, 12,
			6_666_667, false},
		{"reduces alone", model.Job{}, []row{r(three)}, 3, 0, true},
		{"maps by ratio", model.Job{Reduces: reduces, ShuffleRatio: model.Some(0.5)}, []row{m(three, none), m(three, three)},
			3, 5 * model.Second, false},
		{"no ratio", model.Job{Reduces: reduces}, []row{m(three, none)}, -1, 0, false},
		{"a huge ratio", model.Job{Reduces: reduces, ShuffleRatio: model.Some(1e300)}, []row{m(three, none)}, -1, 0, false},
		{"one map unknown", model.Job{Reduces: reduces, ShuffleRatio: model.Some(0.5)}, []row{m(three, none), m(none, three)},
			-1, 0, false},
		{"no bytes", model.Job{MapWork: work, Reduces: reduces}, nil, -1, 0, false},
		{"no work", model.Job{Reduces: reduces, IntermediateBytes: three}, nil, -1, 0, false},
		{untimedMap, model.Job{Reduces: reduces, IntermediateBytes: three},
			[]row{m(none, three), {kind: model.Map}}, -1, 0, false},
		{"other reduces listed", model.Job{MapWork: work, Reduces: reduces, IntermediateBytes: three}, []row{r(none)},
			-1, 0, false},
		{"the reduces listed", model.Job{MapWork: work, Reduces: reduces, IntermediateBytes: three}, []row{r(none), r(none)},
			3, model.Second, false},
		{"no reduces", model.Job{MapWork: work}, []row{m(none, none)}, 0, model.Second, false},
	} {
		fill := func(b *model.Builder) {
			c.job.ID = "j"
			b.Job(c.job, model.Locus{})
			for k, x := range c.tasks {
				b.Task(model.Task{ID: fmt.Sprint("t", k), Kind: x.kind, InputBytes: x.in, OutputBytes: x.out, Processing: x.time},
					"j", "", model.Locus{})
			}
			b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
			b.Node(model.Node{ID: "n", Kind: model.HostNode, MapSlots: 3, ReduceSlots: 4}, "root", model.Locus{})
		}
		if c.bytes < 0 {
			want := map[bool]model.Code{false: model.CodeJobData, true: model.CodeNoTime}[c.name == untimedMap]
			expectRefused(t, c.name, Options{}, fill, want)
			continue
		}
		in := opened(t, Options{}, fill)
		if in.Bytes[0] != c.bytes || in.Work[0] != c.work || in.Reduces[0] > 0 && in.Uneven(0) != c.uneven {
			t.Errorf("%s: %d bytes, %s s of work, uneven %v; want %d, %s, %v", c.name, in.Bytes[0], in.Work[0], in.Uneven(0),
				c.bytes, c.work, c.uneven)
		}
	}
}

// TestTooMuch: input beyond the limits is rejected without using memory.
func TestTooMuch(t *testing.T) {
	nodes := func(b *model.Builder, n int64) {
		b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
		b.Node(model.Node{ID: "n", Kind: model.HostNode, ReduceSlots: n}, "root", model.Locus{})
	}
	huge := func(b *model.Builder, id, job string) {
		b.Task(model.Task{ID: id, Kind: model.Map, RecordedNode: "n", OutputBytes: model.Some(model.Bytes(math.MaxInt64))},
			job, "", model.Locus{})
	}
	expectRefused(t, "more reduces than slots", Options{}, func(b *model.Builder) {
		addJob(b, "j", 0, model.Second, math.MaxInt32, 3)
		b.Task(model.Task{ID: "m", Kind: model.Map}, "j", "", model.Locus{})
		nodes(b, 4)
	}, model.CodeFewSlots)
	expectRefused(t, "too many reduces", Options{}, func(b *model.Builder) {
		for i := range 1001 {
			addJob(b, fmt.Sprint(i), 0, model.Second, 100_000, 3)
		}
		nodes(b, 100_000)
	}, model.CodeOverflow)
	expectRefused(t, "maps' outputs", Options{}, func(b *model.Builder) {
		b.Job(model.Job{ID: "j", MapWork: model.Some(model.Second), Reduces: model.Some(int64(1))}, model.Locus{})
		huge(b, "a", "j")
		huge(b, "b", "j")
		nodes(b, 4)
	}, model.CodeOverflow)
	expectRefused(t, "outputs of two jobs on a node", Options{SlotCost: "data"}, func(b *model.Builder) {
		for _, id := range []string{"a", "b"} {
			addJob(b, id, 0, model.Second, 1, 3)
			huge(b, "m"+id, id)
		}
		nodes(b, 4)
	}, model.CodeOverflow)
}

// TestNames: listed reduces keep their ids, in the order of the table; the others are named after their job.
func TestNames(t *testing.T) {
	in := mixed(t, 0)
	var names []string
	for k := range in.TaskCount() {
		id, job, kind := in.TaskName(model.TaskIndex(k))
		if kind != model.Reduce || job != string(id[0]) {
			t.Errorf("%q is a %s of %q", id, kind, job)
		}
		names = append(names, id)
	}
	if !slices.Equal(names, []string{"e.r1", "e.r2", "e.r3", "u2", "u1"}) {
		t.Errorf("names %v", names)
	}
	for _, id := range []string{"", "e", "e.r", "e.r0", "e.r4", "e.r01", "e.r+1", "e.r-1", "e.r99999999999", "u.r1",
		"n.r1", "nm", "x.r1", ".r1"} {
		if k, ok := in.FindTask(id); ok {
			t.Errorf("%q is task %d", id, k)
		}
	}
	expectRefused(t, "two reduces called j.r1", Options{}, func(b *model.Builder) {
		oneJob(b)
		b.Job(model.Job{ID: "k", MapWork: model.Some(model.Second), IntermediateBytes: model.Some(model.Bytes(1))},
			model.Locus{})
		b.Task(model.Task{ID: "j.r1", Kind: model.Reduce}, "k", "", model.Locus{})
		slots(b, 1)
	}, model.CodeDuplicate)
}

// TestNamesInverse: FindTask finds every task by its name, whatever the jobs' names, and JobOf its job.
func TestNamesInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jobs := rapid.SliceOfNDistinct(rapid.StringMatching(`[ab]?(\.r)?[12]?(\.r[12])?x`), 1, 6, rapid.ID).Draw(t, "jobs")
		in := opened(t, Options{}, func(b *model.Builder) {
			for i, id := range jobs {
				n := rapid.Int64Range(1, 3).Draw(t, "R")
				addJob(b, id, 0, model.Second, n, 1)
				if rapid.Bool().Draw(t, "listed") {
					for k := range n {
						b.Task(model.Task{ID: fmt.Sprintf("t%d.%d", i, k), Kind: model.Reduce}, id, "", model.Locus{})
					}
				}
			}
			slots(b, 1, 1, 1)
		})
		for k := range in.TaskCount() {
			id, job, _ := in.TaskName(model.TaskIndex(k))
			if found, ok := in.FindTask(id); !ok || int(found) != k || jobs[in.JobOf(int32(k))] != job {
				t.Fatalf("task %d of %q is called %q, which is %d, %v", k, job, id, found, ok)
			}
		}
	})
}
