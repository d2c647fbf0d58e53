package realtime

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// evenness is the balance and the skewness, rounded down, of a job whose partitions lie on a slot each; nil if unknown.
func evenness(t tester, sizes []model.Bytes) (balance, skewness *big.Rat) {
	t.Helper()
	in := opened(t, Options{}, func(b *input) {
		b.node("A", 1, 0, int64(len(sizes)))
		j := reducing("x", int64(len(sizes)), 0)
		j.ReduceRate = model.Some(1e15)
		b.job(j)
		for k, v := range sizes {
			b.part("x", fmt.Sprint(k), v)
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

// TestEvenness: of R partitions on a slot each, balance is 100·sum/(R·most) and skewness the rest of 100, rounded down
// at six decimals. A schedule without data has neither, although its job has data.
func TestEvenness(t *testing.T) {
	size := rapid.Custom(func(t *rapid.T) model.Bytes {
		return model.Bytes(rapid.Int64Range(0, 100).Draw(t, "bytes")) << rapid.SampledFrom([]int{0, 53}).Draw(t, "unit")
	})
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(size, 1, 8).Draw(t, "list")
		balance, skewness := evenness(t, list)
		if slices.Max(list) == 0 {
			if balance != nil || skewness != nil {
				t.Errorf("%v: balance %s, skewness %s", list, balance, skewness)
			}
			return
		}
		want := new(big.Rat)
		for _, v := range list {
			want.Add(want, big.NewRat(int64(v), int64(slices.Max(list))))
		}
		want.Mul(want, big.NewRat(100, int64(len(list))))
		rest := new(big.Rat).Sub(big.NewRat(100, 1), want)
		for got, exact := range map[*big.Rat]*big.Rat{balance: want, skewness: rest} {
			if off := new(big.Rat).Sub(exact, got); off.Sign() < 0 || off.Cmp(big.NewRat(1, 1_000_000)) >= 0 {
				t.Errorf("%v: %s, want %s", list, got, exact)
			}
		}
	})
	in := lab(t, Options{Goal: Partitions})
	e := in.Evaluate(in.scheduled(t, []row{{"x/p3", "A/r1", 0, 1}}))
	if e.Metrics["balance"] != nil || e.Metrics["skewness"] != nil {
		t.Error(e.Metrics)
	}
}

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
// A/r1 takes 1 s for the rest, 7.5 bytes, and ½ s for the split. With x/p2 and x/p3, 10 bytes, there are 17.5 on A:
// 100·40/(2·22.5) = 88 8/9 of balance, and 100 − 100·40/(3·30) of skewness.
func TestPieces(t *testing.T) {
	in := lab(t, Options{Goal: Partitions, Resplit: model.Some(model.Second / 2)})
	rows := []row{{"x/p2", "A/r1", 0, 2}, {"x/p3", "A/r1", 3.5, 4.5}, {"x/p1", "A/r1", 2, 3.5}, {"x/p1", "B/r1", 0, 1.5}}
	compareMetrics(t, in.Evaluate(in.scheduled(t, rows)), map[string]any{"goal": "partitions",
		"makespan": model.Number("4.5"), "balance": model.Number("88.888888"), "skewness": model.Number("55.555555"),
		"jobs_by_sketch_row": model.Number("0"), "further_pieces": model.Number("1")})
}

// TestCheckIsShort: only the first violations of a kind have a message.
func TestCheckIsShort(t *testing.T) {
	in := opened(t, Options{}, func(b *input) {
		b.machines(1)
		b.job(reducing("j", 100, 0))
	})
	if v := in.Check(&model.Schedule{}); len(v) == 0 || len(v) >= 99 {
		t.Errorf("%d violations", len(v))
	}
}
