package reduceplace

import (
	"context"
	"math"
	"math/big"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// example opens a shipped example with default parameters.
func example(t *testing.T, name string) *run {
	t.Helper()
	w, err := workload.Read("../../instances/examples/"+name+".json", nil, workload.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := open(w, solver.Params{"slot-cost": "auto", "window": int64(100)})
	if err != nil {
		t.Fatal(err)
	}
	return r.(*run)
}

// placed is an algorithm's schedule for a run.
func placed(t rapid.TB, r *run, name string) *model.Schedule {
	t.Helper()
	f, err := algorithmOf(t, name).Solve(context.Background(), r, solver.Options{Iterations: 50, Seed: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r.in.Schedule(f.slot)
}

// question asks about a task, or a job, of a run.
func question(r *run, s *model.Schedule, id string, k int) solver.Question {
	q := solver.Question{Schedule: s, Task: model.None, Alternatives: k}
	if task, ok := r.in.FindTask(id); ok {
		q.Task, q.Job = task, model.JobIndex(r.in.JobOf(int32(task)))
	}
	for j := range int32(r.in.Jobs) {
		if r.in.JobID(j) == id {
			q.Job = model.JobIndex(j)
		}
	}
	return q
}

func explained(t rapid.TB, r *run, q solver.Question) *solver.Explanation {
	t.Helper()
	e, err := r.Explain(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestExplainTree by hand: under rhc index is on A, B and C (13 per byte) until 245, logs from 10 to 185 on F (15) and
// G (19), sort from 20 on on D (13) and E (15). sessions, the fourth job, waits until logs ends. H (19) is free.
func TestExplainTree(t *testing.T) {
	r := example(t, "tree")
	s := placed(t, r, "rhc")
	e := explained(t, r, question(r, s, "logs.r1", 3))
	if want := "reduce logs.r1 of job logs is on slot F from 10 to 185; it fetches 200000000 bytes at 15 each, which " +
		"costs 3000000000"; e.Subject != want {
		t.Errorf("%s", e.Subject)
	}
	where := []solver.Reason{
		{Kind: solver.ReasonPlace, Text: "F costs 15 a byte; 4 of 8 slots cost less"},
		{Kind: solver.ReasonPlace, Text: "slots A, B and C (from 13 a byte): held by job index until 245", Job: "index",
			Until: "245"},
		{Kind: solver.ReasonPlace, Text: "slot D (from 13 a byte): free at 10, but job sort takes them at 20, before logs " +
			"ends", Job: "sort", Until: "20"},
	}
	if !reflect.DeepEqual(e.Where, where) {
		t.Errorf("where: %+v", e.Where)
	}
	if len(e.When) != 1 || e.When[0].Kind != solver.ReasonRelease || e.When[0].Until != "10" {
		t.Errorf("when: %+v", e.When)
	}
	// E costs as much as F. H: (19 − 15)·2·10⁸. A: (13 − 15)·(2·10⁸ − 3·10⁹), as index.r1, of 9·10⁹/3 bytes, takes its
	// place.
	alternatives := []solver.Alternative{
		{Machine: "E", Start: "10", End: "185", Objective: "434600000000", Change: "0",
			Note: "15 a byte; changes places on F and E with sort.r2 and join.r3"},
		{Machine: "H", Start: "10", End: "185", Objective: "435400000000", Change: "800000000",
			Note: "19 a byte; free all the time"},
		{Machine: "A", Start: "10", End: "185", Objective: "440200000000", Change: "5600000000",
			Note: "13 a byte; changes places on F and A with index.r1"},
	}
	if !reflect.DeepEqual(e.Alternatives, alternatives) {
		t.Errorf("alternatives: %+v", e.Alternatives)
	}
	changes := []string{
		"job index would have to end by 10, not 245, for slot A at 13 a byte: 400000000 less for reduce logs.r1",
		"job sort would have to start at 185, not 20, for slot D at 13 a byte: 400000000 less for reduce logs.r1",
	}
	if !slices.Equal(e.Changes, changes) {
		t.Errorf("changes: %q", e.Changes)
	}
	// All data of logs finds a cheaper slot, except on the last: 19·2·10⁸.
	if len(e.Prices) == 0 || e.Prices[0].Name != "charge" || e.Prices[0].Value != "3800000000" {
		t.Errorf("prices: %+v", e.Prices)
	}
	e = explained(t, r, question(r, s, "sessions", 1))
	if len(e.When) != 2 || e.When[0].Kind != solver.ReasonMachine || e.When[0].Job != "logs" || e.When[0].Until != "185" ||
		e.When[1].Kind != solver.ReasonRelease {
		t.Errorf("when: %+v", e.When)
	}
	// From G (19) to F (15), which rhc leaves free: 4·2.5·10⁸.
	if len(e.Alternatives) != 1 || e.Alternatives[0].Change != "-1000000000" || e.Alternatives[0].Machine != "F" {
		t.Errorf("alternatives: %+v", e.Alternatives)
	}
}

// TestExplainQueue by hand: four slots. wide, of three reduces, holds three from 0 to 9. j1 needs two and waits for
// them. j2 needs one, which is free, but comes after j1. With one job at a time, j1 waits for that reason.
func TestExplainQueue(t *testing.T) {
	jobs := []testJob{{0, 9, 3, 3}, {1, 9, 2, 2}, {2, 9, 1, 1}}
	for _, c := range []struct {
		k     int
		kinds [][]string
		first []string // job of the first reason
	}{
		{3, [][]string{{solver.ReasonRelease}, {solver.ReasonMachine, solver.ReasonRelease},
			{solver.ReasonRank, solver.ReasonMachine, solver.ReasonRelease}}, []string{"j0", "j0", "j1"}},
		{1, [][]string{{solver.ReasonRelease}, {solver.ReasonMachine, solver.ReasonRelease},
			{solver.ReasonMachine, solver.ReasonRelease}}, []string{"j0", "j0", "j1"}},
	} {
		r := testRun(t, []float64{1, 2, 3, 4}, c.k, jobs)
		s := placed(t, r, "greedy")
		for j, want := range c.kinds {
			e := explained(t, r, question(r, s, r.in.JobID(int32(j)), 0))
			var kinds []string
			for _, x := range e.When {
				kinds = append(kinds, x.Kind)
			}
			if !slices.Equal(kinds, want) || e.When[0].Job != c.first[j] {
				t.Errorf("%d at a time: job %d: %+v", c.k, j, e.When)
			}
		}
	}
}

// anyStream draws slots and jobs. Some jobs wait, some have no reduces, some no work.
func anyStream(t *rapid.T) *run {
	most := rapid.IntRange(1, 4).Draw(t, "max R")
	cost := make([]float64, rapid.IntRange(most, 10).Draw(t, "r"))
	for s := range cost {
		cost[s] = float64(rapid.IntRange(0, 9).Draw(t, "cost"))
	}
	slices.Sort(cost)
	var jobs []testJob
	at := 0.0
	for range rapid.IntRange(1, 15).Draw(t, "n") {
		at += float64(rapid.IntRange(0, 5).Draw(t, "between"))
		jobs = append(jobs, testJob{at, float64(rapid.IntRange(0, 9).Draw(t, "work")), rapid.IntRange(0, most).Draw(t, "R"),
			float64(rapid.IntRange(0, 99).Draw(t, "bytes"))})
	}
	return testRun(t, cost, rapid.IntRange(1, 5).Draw(t, "K"), jobs)
}

// TestExchangesAreValid: every exchange is a placement that the checker accepts, at the cost by which it is ranked. The
// explanation lists the cheapest, exactly evaluated.
func TestExchangesAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyStream(t)
		s := placed(t, r, rapid.SampledFrom([]string{"greedy", "random", "lookahead"}).Draw(t, "policy"))
		now := r.in.Evaluate(s).Value
		for j := range int32(r.in.Jobs) {
			q := solver.Question{Schedule: s, Task: model.None, Job: model.JobIndex(j), Alternatives: 4}
			if n := r.in.Reduces[j]; n > 0 && rapid.Bool().Draw(t, "task") {
				q.Task = model.TaskIndex(r.in.First[j] + rapid.Int32Range(0, n-1).Draw(t, "which"))
			}
			x := newExplainer(r.in, q)
			var changes []*big.Rat
			for _, e := range x.exchanges() {
				after := r.in.Schedule(x.after(&e))
				if bad := r.in.Check(after); len(bad) > 0 {
					t.Fatalf("%+v: %v", e, bad)
				}
				change := new(big.Rat).Sub(r.in.Evaluate(after).Value, now)
				if v, _ := change.Float64(); math.Abs(v-e.change) > 1e-6 {
					t.Fatalf("%+v changes the cost by %g", e, v)
				}
				changes = append(changes, change)
			}
			slices.SortFunc(changes, (*big.Rat).Cmp)
			told := explained(t, r, q).Alternatives
			if len(told) != min(4, len(changes)) {
				t.Fatalf("%d alternatives of %d", len(told), len(changes))
			}
			for i, a := range told {
				if a.Change != model.ExactNumber(changes[i]) || a.Objective != model.ExactNumber(new(big.Rat).Add(now,
					changes[i])) {
					t.Fatalf("alternative %d: %+v, want a change by %s", i, a, changes[i])
				}
			}
		}
	})
}

// TestWhenBinds: the first reason prevents any earlier start of the job while all other jobs stay.
func TestWhenBinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyStream(t)
		in := r.in
		s := placed(t, r, "greedy")
		for j := range int32(in.Jobs) {
			first := explained(t, r, solver.Question{Schedule: s, Task: model.None, Job: model.JobIndex(j)}).When[0]
			running, held, ahead := 0, int32(0), false
			for i := range int32(in.Jobs) {
				if in.Start[i] < in.Start[j] && in.End[i] >= in.Start[j] {
					running++
					held += in.Reduces[i]
				}
				ahead = ahead || in.Start[i] == in.Start[j] && in.Arrival[i] < in.Start[j] &&
					slices.Index(in.Order, i) < slices.Index(in.Order, j)
			}
			tight := running == in.MaxRunning || int(held+in.Reduces[j]) > in.Slots
			want := map[bool]string{true: solver.ReasonMachine, false: solver.ReasonRank}[tight]
			if in.Start[j] == in.Arrival[j] {
				want = solver.ReasonRelease
			}
			if first.Kind != want || want == solver.ReasonRank && !ahead {
				t.Fatalf("job %d, from %s: %+v; %d run, %d slots are held", j, in.Start[j], first, running, held)
			}
		}
	})
}

// TestChargesAddUp: the charges of all reduces, less the rent of the slots' time, add up to the bound, in the same
// units as prices.
func TestChargesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyStream(t)
		in := r.in
		s := placed(t, r, "greedy")
		err := r.prove(context.Background(), solver.Options{Threads: 1}, 1)
		bounds := r.bounds
		if err != nil {
			t.Fatal(err)
		}
		want, _ := new(big.Rat).SetString(bounds[0].Certificate.(*reduceplace.Certificate).Value)
		sum := new(big.Rat)
		for task := range int32(in.Tasks) {
			x := newExplainer(in, solver.Question{Schedule: s, Task: model.TaskIndex(task)})
			if prices := x.prices(context.Background()); len(prices) > 0 {
				v, _ := prices[0].Value.Rat()
				sum.Add(sum, v)
			} else { // it holds a slot for no time, or fetches nothing
				v := x.data(task)
				sum.Add(sum, v.Mul(v, big.NewRat(int64(in.Cost[0]), int64(model.UnitCost))))
			}
		}
		line := in.Timeline()
		num, den := unit(in, line)
		for p := range line.Periods {
			c := newWeigher(in, num, den).curve(context.Background(), &line.Periods[p], line.Intervals, math.MaxInt32)
			paid := c.paid(&reduceplace.Interval{From: 0, To: line.Periods[p].Points}, int(line.Periods[p].Points),
				big.NewRat(num, den))
			for k := 1; k < in.Slots; k++ {
				rent := new(big.Rat).Mul(c.at(paid, k), big.NewRat(int64(k)*int64(in.Cost[k]-in.Cost[k-1]), int64(model.UnitCost)))
				sum.Sub(sum, rent)
			}
		}
		if diff, _ := sum.Sub(sum, want).Float64(); math.Abs(diff) > 1e-4 { // charges are rounded down when printed
			t.Fatalf("charges less rents are off by %g", diff)
		}
	})
}
