package simulation

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// night is a workload of two jobs of one task on one node, d due after 150 s. Night 1 (a week ago): d failed after 10
// s and then took 100 s, e took 20 s. Night 2: d took 120 s, e failed for good. Night 3: e took 40 s, d runs. A run
// without start is a night of its own.
func night(t *testing.T) *model.Workload {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("night", shop.Cluster, model.Some(int64(1)), nil)
	for _, id := range []string{"d", "e"} {
		b.Job(model.Job{ID: id, Weight: model.UnitWeight, Deadline: model.Optional[model.Time]{Value: 150 * model.Second,
			Known: id == "d"}}, model.Locus{})
		b.Task(model.Task{ID: id + ".t", Processing: model.Some(30 * model.Second)}, id, "", model.Locus{})
	}
	try := func(task, run string, day, took model.Time, state model.RunState, try int64) {
		r := model.TaskRun{Task: task, Run: run, State: state, Try: try, Start: model.Some(day*model.DaySeconds*model.Second -
			model.Second)}
		if took > 0 {
			r.End = model.Some(r.Start.Value + took*model.Second)
		}
		b.TaskRun(r, model.Locus{})
	}
	try("d.t", "one", -7, 100, model.Succeeded, 2)
	try("d.t", "one", -7, 10, model.Failed, 1)
	try("e.t", "another", -7, 20, model.Succeeded, 1)
	try("d.t", "two", -6, 120, model.Succeeded, 1)
	try("e.t", "two", -6, 5, model.Failed, 1)
	try("e.t", "three", -5, 40, model.Succeeded, 1)
	try("d.t", "three", -5, 0, model.Running, 1)
	b.TaskRun(model.TaskRun{Task: "e.t", Run: "bare", Duration: model.Some(50 * model.Second)}, model.Locus{})
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestPast reads those runs.
func TestPast(t *testing.T) {
	p, err := pastOf(night(t))
	if err != nil {
		t.Fatal(err)
	}
	const s = model.Second
	want := map[string][]pastRun{"d.t": {{-7, []model.Time{10 * s, 100 * s}}, {-6, []model.Time{120 * s}}},
		"e.t": {{-7, []model.Time{20 * s}}, {-model.DaySeconds, []model.Time{50 * s}}, {-5, []model.Time{40 * s}}}}
	if !reflect.DeepEqual(p.of, want) || p.Runs != 5 || p.Failed != 2 || p.Without != 0 ||
		fmt.Sprint(p.nights) != "[-86400 -7 -6 -5]" {
		t.Errorf("%+v", p)
	}
}

// TestRunOfNoTime: a run of 0 s takes a microsecond, and a note says so.
func TestRunOfNoTime(t *testing.T) {
	w := night(t)
	w.Runs = []model.TaskRun{{Task: "d.t", Run: "r", Duration: model.Some(model.Time(0)), State: model.Succeeded}}
	p, err := engine.FindProblem("", w)
	if err != nil {
		t.Fatal(err)
	}
	o, err := engine.Open(p, w, solver.Params{})
	if err != nil {
		t.Fatal(err)
	}
	c := &Case{Rule: solver.OwnRule, Opened: o}
	if past, err := Run(t.Context(), []*Case{c}, Options{Runs: 3, Threads: 1}); err != nil || past.Tries != 1 ||
		fmt.Sprint(c.ends) != "[[0.000001 0.000001 0.000001] [30.000001 30.000001 30.000001]]" ||
		!slices.Contains(past.Notes(Options{Runs: 3}, w), "1 attempt of 0 s is taken to last 0.000001 s") {
		t.Errorf("%v, %v", c.ends, err)
	}
}

// TestWilson compares with values worked by hand from (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n).
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		kept, n   int
		low, high string
	}{{0, 10, "0.000000", "0.277533"}, {10, 10, "0.722467", "1.000000"}, {5, 10, "0.236593", "0.763407"},
		{950, 1000, "0.934686", "0.961870"}} {
		low, high := wilson(float64(c.kept)/float64(c.n), c.n)
		if a, b := fmt.Sprintf("%.6f", low), fmt.Sprintf("%.6f", high); a != c.low || b != c.high {
			t.Errorf("%d of %d: %s to %s, want %s to %s", c.kept, c.n, a, b, c.low, c.high)
		}
	}
}

// TestTable: on the only node, d goes first. It ends at 120 in half of the runs, else at 410 after its retry, and
// then is late; meanwhile e ends. In night 1, d's failure comes with e's 20 s.
func TestTable(t *testing.T) {
	w := night(t)
	p, err := engine.FindProblem("", w)
	if err != nil {
		t.Fatal(err)
	}
	o, err := engine.Open(p, w, solver.Params{"objective": string(shop.WeightedEnds)})
	if err != nil {
		t.Fatal(err)
	}
	plan := &model.Schedule{Entries: []model.Entry{{Task: 0, End: 30 * model.Second},
		{Task: 1, Start: 30 * model.Second, End: 60 * model.Second}}}
	rows := func(opt Options) map[string][]string {
		c := &Case{Name: "plan", Rule: solver.OrderRule, Opened: o, Schedule: plan}
		if _, err := Run(t.Context(), []*Case{c}, opt); err != nil {
			t.Fatal(err)
		}
		list := map[string][]string{}
		for _, row := range Table([]*Case{c}).Rows {
			list[row[0]] = row
		}
		for k, end := range c.ends[0] {
			if end != 410*model.Second && end != 120*model.Second {
				t.Errorf("run %d: d ends at %s", k, end)
			}
		}
		return list
	}
	for _, night := range []bool{false, true} {
		one := rows(Options{Runs: 200, Threads: 1, Seed: 7, Night: night})
		if two := rows(Options{Runs: 200, Threads: 2, Seed: 7, Night: night}); !reflect.DeepEqual(one, two) {
			t.Errorf("two threads differ: %v, %v", one, two)
		}
		d := one["d"]
		if d[4] != "410" || d[5] != "150" || d[6] < "0.3" || d[6] > "0.8" || d[10] != "-260" || d[11] != "d.t" ||
			d[12] != "1" {
			t.Errorf("night %v: %q", night, d)
		}
		if e := one["e"]; e[5] != "" || e[6] != "" || e[11] == "" {
			t.Errorf("%q", e)
		}
	}
	past, err := pastOf(w)
	if err != nil {
		t.Fatal(err)
	}
	past.nights = past.nights[1:2]
	for k := range 20 {
		if got := past.drawn(o.Run.View().(*shop.Instance), k, Options{Night: true}); len(got[0]) != 2 ||
			got[1][0] != 20*model.Second {
			t.Errorf("night 1: %v", got)
		}
	}
	a := rows(Options{Runs: 200, Threads: 1, Seed: 7})
	if b := rows(Options{Runs: 200, Threads: 1, Seed: 8}); reflect.DeepEqual(a, b) {
		t.Error("the seed makes no difference")
	}
}
