package realtime

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// TestSkewness is computed by hand: 100 − 100·(50+30+20+0)/(4·50) = 50; of one partition or equal ones 0; one that
// holds all of four 100 − 100/4 = 75. Balance: 100·(6+3+3)/(3·6) = 66⅔.
func TestSkewness(t *testing.T) {
	for _, c := range []struct {
		sizes []model.Bytes
		want  *big.Rat
	}{{[]model.Bytes{50, 30, 20, 0}, big.NewRat(50, 1)}, {[]model.Bytes{7}, new(big.Rat)},
		{[]model.Bytes{3, 3, 3}, new(big.Rat)}, {[]model.Bytes{0, 9, 0, 0}, big.NewRat(75, 1)},
		{[]model.Bytes{0, 0}, nil}, {[]model.Bytes{1 << 61, 1 << 61, 1 << 61, 0}, big.NewRat(25, 1)}} {
		if _, got := evenness(t, c.sizes); (got == nil) != (c.want == nil) || got != nil && got.Cmp(c.want) != 0 {
			t.Errorf("skewness of %v is %v, want %v", c.sizes, got, c.want)
		}
	}
	if got, _ := evenness(t, []model.Bytes{6, 3, 3}); got.FloatString(6) != "66.666666" {
		t.Errorf("balance %v", got)
	}
	if got, _ := evenness(t, []model.Bytes{0, 0}); got != nil {
		t.Errorf("balance without data %v", got)
	}
}

// evenness is the balance and the skewness, rounded down, of a job whose partitions lie on a slot each; nil if unknown.
func evenness(t interface {
	Helper()
	Fatal(args ...any)
}, sizes []model.Bytes) (balance, skewness *big.Rat) {
	t.Helper()
	in := opened(t, Options{}, func(b *model.Builder) {
		root(b)
		node(b, "A", 1, 0, int64(len(sizes)))
		j := job("x", int64(len(sizes)), 0)
		j.ReduceRate = model.Some(1e15)
		b.Job(j, model.Locus{})
		for k, v := range sizes {
			b.Part(model.Part{Partition: fmt.Sprint(k), Bytes: v}, "x", model.Locus{})
		}
	})
	s := &model.Schedule{}
	for k := range sizes {
		end := in.Time(int32(k), 0)
		s.Entries = append(s.Entries, model.Entry{Task: model.TaskIndex(k), Machine: int32(k), End: end})
	}
	found := map[string]*big.Rat{}
	for name, v := range in.Evaluate(s).Metrics {
		if n, ok := v.(model.Number); ok {
			found[name], _ = n.Rat()
		}
	}
	return found["balance"], found["skewness"]
}

// TestBalanceWithoutTheData: a schedule that places only a partition without data has neither balance nor skewness,
// although its job has data.
func TestBalanceWithoutTheData(t *testing.T) {
	in := lab(t, Options{Goal: Partitions})
	empty, ok := in.FindTask("x/p3")
	slot, ok2 := in.Machine("A/r1")
	if !ok || !ok2 {
		t.Fatal("no such partition or slot")
	}
	e := in.Evaluate(&model.Schedule{Entries: []model.Entry{{Task: empty, Machine: slot, End: model.Second}}})
	if e.Metrics["balance"] != nil || e.Metrics["skewness"] != nil {
		t.Error(e.Metrics)
	}
}

// lab has workers A (speed 1), B (2) and C (½) with slots A/m1, A/r1, B/m1, B/r1, B/r2 and C. Job x is due at 10 s, has
// two reducers, two maps of 3 and 4 s, the second with a shuffle delay of 1 s, and partitions of 30, 10 and 0 bytes
// that take 4, 2 and 1 s at speed 1. y arrives at 2 s, is due at 5 s and has 3 reducers; of its keys a (5 bytes)
// Hadoop's hash, 128, goes to y/p1 of two partitions and b (3 bytes), 129, to y/p2; there is a sketch of one row. z
// arrives at 3 s and has a map of 1 s.
func lab(t testing.TB, o Options) *Instance {
	t.Helper()
	o.Delta, o.SketchSeed = 0.5, 1
	return opened(t, o, func(b *model.Builder) {
		root(b)
		node(b, "A", 1, 1, 1)
		node(b, "B", 2, 1, 2)
		node(b, "C", 0.5, 0, 1)
		b.Job(model.Job{ID: "x", Weight: model.UnitWeight, Deadline: model.Some(10 * model.Second),
			Reduces: model.Some(int64(2)), TaskOverhead: model.Some(model.Second), MapRate: model.Some(10.0),
			ReduceRate: model.Some(10.0)}, model.Locus{})
		y := job("y", 3, 2)
		y.Release, y.Deadline = 2*model.Second, model.Some(3*model.Second)
		b.Job(y, model.Locus{})
		b.Job(model.Job{ID: "z", Weight: model.UnitWeight, Release: 3 * model.Second}, model.Locus{})
		b.Task(model.Task{ID: "x.m1", Kind: model.Map, InputBytes: model.Some(model.Bytes(20))}, "x", "", model.Locus{})
		b.Task(model.Task{ID: "x.m2", Kind: model.Map, Processing: model.Some(4 * model.Second), ShuffleDelay: model.Second},
			"x", "", model.Locus{})
		b.Task(model.Task{ID: "z.m1", Kind: model.Map, Processing: model.Some(model.Second)}, "z", "", model.Locus{})
		for id, v := range []model.Bytes{30, 10, 0} {
			b.Part(model.Part{Partition: fmt.Sprintf("p%d", id+1), Bytes: v}, "x", model.Locus{})
		}
		b.KeyData(model.KeyData{Key: "a", Bytes: 5}, "y", model.Locus{})
		b.KeyData(model.KeyData{Key: "b", Bytes: 3}, "y", model.Locus{})
	})
}

// row is a row of a schedule by names; times are seconds.
type row struct {
	task, slot string
	start, end float64
}

func (in *Instance) scheduled(t testing.TB, rows []row) *model.Schedule {
	t.Helper()
	s := &model.Schedule{}
	for _, r := range rows {
		task, ok := in.FindTask(r.task)
		slot, there := in.Machine(r.slot)
		if !ok || !there {
			t.Fatalf("no task %q or slot %q", r.task, r.slot)
		}
		s.Entries = append(s.Entries, model.Entry{Task: task, Machine: slot, Start: model.TimeOf(r.start),
			End: model.TimeOf(r.end)})
	}
	return s
}

// labRows schedules everything of lab; labPhases its reduce phases alone.
var (
	labRows = []row{{"x.m1", "A/m1", 0, 3}, {"x.m2", "B/m1", 0, 2}, {"z.m1", "A/m1", 3, 4},
		{"x/p1", "B/r1", 4, 6}, {"x/p2", "A/r1", 4, 6}, {"x/p3", "A/r1", 6, 7}, {"y/p1", "C", 2, 12},
		{"y/p2", "B/r2", 2, 3.5}}
	labPhases = []row{{"x/p1", "B/r1", 0, 2}, {"x/p2", "A/r1", 0, 2}, {"x/p3", "A/r1", 2, 3}, {"y/p1", "C", 3, 13},
		{"y/p2", "B/r2", 3, 4.5}}
)

func compareMetrics(t *testing.T, e model.Evaluation, want map[string]any) {
	t.Helper()
	for name, v := range want {
		if e.Metrics[name] != v {
			t.Errorf("%s = %v, want %v", name, e.Metrics[name], v)
		}
	}
	if len(e.Metrics) != len(want) {
		t.Errorf("metrics %v", e.Metrics)
	}
}

// TestDeadlineMisses is computed by hand. x ends at 7, y at 12 and z at 4: y is 7 s late, which is half of the jobs
// with a deadline, and 3.5 s for each of them; jobs take 7, 10 and 1 s. Data: 48 bytes; at most 30 on one of x's 2
// slots and 5 on one of y's 3: 100·48/(60 + 15) = 64. The largest partitions are 30 of 3 and 5 of 2: 100 − 100·48/(90 +
// 10) = 52.
func TestDeadlineMisses(t *testing.T) {
	in := lab(t, Options{})
	e := in.Evaluate(in.scheduled(t, labRows))
	if e.Name != "deadline_misses" || e.Value.Cmp(big.NewRat(1, 1)) != 0 {
		t.Errorf("%s = %s", e.Name, e.Value)
	}
	compareMetrics(t, e, map[string]any{"goal": "deadlines", "makespan": model.Number("12"),
		"jobs_with_deadline": model.Number("2"), "miss_rate": model.Number("0.5"), "tardiness": model.Number("3.5"),
		"longest_tardiness": model.Number("7"), "turn_around": model.Number("6"), "balance": model.Number("64"),
		"skewness": model.Number("52"), "jobs_by_sketch_row": model.Number("0")})
	for i, want := range []model.Time{7, 12, 4} {
		if got := in.Ends(in.scheduled(t, labRows)).Job[i]; got != want*model.Second {
			t.Errorf("job %d ends at %s, want %d", i+1, got, want)
		}
	}
	late := slices.Clone(labRows)
	late[5] = row{"x/p3", "A/r1", 9.000001, 10.000001}
	if e := in.Ends(in.scheduled(t, late)); e.Missed != 2 || e.Latest != 7*model.Second {
		t.Errorf("%+v: a microsecond late is late", e)
	}
	late[5] = row{"x/p3", "A/r1", 9, 10}
	if e := in.Ends(in.scheduled(t, late)); e.Missed != 1 {
		t.Errorf("%+v: in time to the microsecond is in time", e)
	}
}

// TestReduceMakespan: the phases of x and y end at 13; one row of y's sketch may be used instead.
func TestReduceMakespan(t *testing.T) {
	in := lab(t, Options{Goal: Partitions})
	e := in.Evaluate(in.scheduled(t, labPhases))
	if e.Name != "reduce_makespan" || e.Value.Cmp(big.NewRat(13, 1)) != 0 {
		t.Errorf("%s = %s", e.Name, e.Value)
	}
	compareMetrics(t, e, map[string]any{"goal": "partitions", "makespan": model.Number("13"),
		"balance": model.Number("64"), "skewness": model.Number("52"), "jobs_by_sketch_row": model.Number("0")})
	rows := slices.Concat(labPhases[:3], []row{{"y/h1.p1", "C", 3, 3}, {"y/h1.p2", "C", 3, 3}})
	if e := in.Evaluate(in.scheduled(t, rows)); e.Metrics["jobs_by_sketch_row"] != model.Number("1") {
		t.Errorf("%v", e.Metrics)
	}
	empty := in.Evaluate(&model.Schedule{})
	compareMetrics(t, empty, map[string]any{"goal": "partitions", "makespan": model.Number("0")})
}

// TestPieces: x/p1, 30 bytes, takes 2 s on B and 4 s on A. 1.5 s of it on B/r1 are 22.5 bytes; what starts later on
// A/r1 takes 1 s for the rest,
// 7.5 bytes, and ½ s for the split. With x/p2 and x/p3, 10 bytes, there are 17.5 on A: 100·40/(2·22.5) = 88 8/9 of
// balance.
func TestPieces(t *testing.T) {
	in := lab(t, Options{Goal: Partitions, Resplit: model.Some(model.Second / 2)})
	rows := []row{{"x/p2", "A/r1", 0, 2}, {"x/p3", "A/r1", 3.5, 4.5}, {"x/p1", "A/r1", 2, 3.5}, {"x/p1", "B/r1", 0, 1.5}}
	s := in.scheduled(t, rows)
	loads := map[int32]*big.Rat{}
	first, count, further := in.firstRows(s)
	for i := range s.Entries {
		x := &s.Entries[i]
		if loads[x.Machine] == nil {
			loads[x.Machine] = new(big.Rat)
		}
		loads[x.Machine].Add(loads[x.Machine], in.bytesOf(x, count[int32(x.Task)] > 1, first[int32(x.Task)] != int32(i)))
	}
	if further != 1 || loads[1].Cmp(big.NewRat(35, 2)) != 0 || loads[3].Cmp(big.NewRat(45, 2)) != 0 {
		t.Errorf("%d further pieces, loads %v", further, loads)
	}
	compareMetrics(t, in.Evaluate(s), map[string]any{"goal": "partitions", "makespan": model.Number("4.5"),
		"balance": model.Number("88.888888"),
		// 100 − 100·40/(3·30)
		"skewness": model.Number("55.555555"), "jobs_by_sketch_row": model.Number("0"), "further_pieces": model.Number("1")})
}

// TestEvennessProperties: balance lies between 100/R and 100, skewness is its complement, neither depends on the order
// or the unit. Both are rounded down at six decimals.
func TestEvennessProperties(t *testing.T) {
	rounding := big.NewRat(1, 500_000)
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) model.Bytes {
			return model.Bytes(rapid.Int64Range(0, 100).Draw(t,
				"bytes"))
		}), 1, 8).Draw(t, "list")
		b, skewness := evenness(t, list)
		if b == nil {
			if slices.Max(list) > 0 {
				t.Errorf("%v has no balance", list)
			}
			return
		}
		if new(big.Rat).Add(b, rounding).Cmp(big.NewRat(100, int64(len(list)))) < 0 || b.Cmp(big.NewRat(100, 1)) > 0 {
			t.Errorf("balance %s of %v", b, list)
		}
		lost := new(big.Rat).Sub(big.NewRat(100, 1), new(big.Rat).Add(b, skewness))
		if lost.Sign() < 0 || lost.Cmp(rounding) > 0 {
			t.Errorf("balance and skewness of %v lack %s", list, lost)
		}
		other := rapid.Permutation(list).Draw(t, "order")
		for i := range other {
			other[i] *= 7
		}
		if again, _ := evenness(t, other); again.Cmp(b) != 0 {
			t.Errorf("%s and %s", b, again)
		}
	})
}
