package reduceplace

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// placed is an algorithm's schedule for a run.
func placed(t rapid.TB, r *run, name string) *model.Schedule {
	t.Helper()
	return r.in.Schedule(policySlots(t, r, name))
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

// told are reasons without their texts.
func told(list []solver.Reason) string {
	var words []string
	for _, x := range list {
		words = append(words, strings.Fields(fmt.Sprint(x.Kind, " ", x.Job, " ", x.Until))...)
	}
	return strings.Join(words, " ")
}

// TestExplainQueue by hand: four slots. j0, of three reduces, holds three from 0 to 9. j1 needs two and waits for them.
// j2 needs one, which is free, but comes after j1. With one job at a time, j1 waits for that reason.
func TestExplainQueue(t *testing.T) {
	for k, want := range map[int][]string{
		3: {"release j0 0", "machine j0 9 release j1 1", "lower-ranked j1 9 machine j0 9 release j2 2"},
		1: {"release j0 0", "machine j0 9 release j1 1", "machine j1 18 release j2 2"},
	} {
		r := testRun(t, []float64{1, 2, 3, 4}, k, []testJob{{0, 9, 3, 3}, {1, 9, 2, 2}, {2, 9, 1, 1}})
		s := placed(t, r, "greedy")
		for j := range want {
			if got := told(explained(t, r, question(r, s, fmt.Sprint("j", j), 0)).When); got != want[j] {
				t.Errorf("%d at a time: job %d: %s, want %s", k, j, got, want[j])
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

// TestAnyStream judges policies and explanations of random streams of jobs.
func TestAnyStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyStream(t)
		r.p.horizon = rapid.Int64Range(0, 9).Draw(t, "horizon")
		policiesPass(t, r)
		exchangesAreValid(t, r)
		firstReasonBinds(t, r)
		chargesAddUp(t, r)
	})
}

// policiesPass: every policy places every job on free slots, also when jobs wait for slots, have no reduces or no work,
// and when it is stopped.
func policiesPass(t *rapid.T, r *run) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if rapid.IntRange(0, 9).Draw(t, "stopped") == 0 {
		cancel()
	}
	for _, name := range []string{"greedy", "rhc", "random", "threshold", "lookahead"} {
		f, err := algorithmOf(t, name).Solve(ctx, r, solver.Options{Seed: 1})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		bad := r.in.Check(r.in.Schedule(f.slot))
		if limit := f.status == model.StatusLimit; len(bad) > 0 || limit != (ctx.Err() != nil) {
			t.Fatalf("%s: status %s, %v", name, f.status, bad)
		}
	}
}

// exchangesAreValid: every exchange is a placement that the checker accepts, at the cost by which it is ranked. The
// explanation lists the cheapest, exactly evaluated.
func exchangesAreValid(t *rapid.T, r *run) {
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
			bad := r.in.Check(after)
			change := new(big.Rat).Sub(r.in.Evaluate(after).Value, now)
			if v, _ := change.Float64(); len(bad) > 0 || math.Abs(v-e.change) > 1e-6 {
				t.Fatalf("%+v changes the cost by %g: %v", e, v, bad)
			}
			changes = append(changes, change)
		}
		slices.SortFunc(changes, (*big.Rat).Cmp)
		told := explained(t, r, q).Alternatives
		if len(told) != min(4, len(changes)) {
			t.Fatalf("%d alternatives of %d", len(told), len(changes))
		}
		for i, a := range told {
			objective := model.ExactNumber(new(big.Rat).Add(now, changes[i]))
			if a.Change != model.ExactNumber(changes[i]) || a.Objective != objective {
				t.Fatalf("alternative %d: %+v, want a change by %s", i, a, changes[i])
			}
		}
	}
}

// firstReasonBinds: the first reason prevents any earlier start of the job while all other jobs stay.
func firstReasonBinds(t *rapid.T, r *run) {
	in, s := r.in, placed(t, r, "greedy")
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
}

// chargesAddUp: the charges of all reduces, less the rent of the slots' time, add up to the bound, in the same units as
// prices.
func chargesAddUp(t *rapid.T, r *run) {
	in, s, want, sum := r.in, placed(t, r, "greedy"), proven(t, r), new(big.Rat)
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
		points := line.Periods[p].Points
		paid := c.paid(&reduceplace.Interval{From: 0, To: points}, int(points), big.NewRat(num, den))
		for k := 1; k < in.Slots; k++ {
			rent := big.NewRat(int64(k)*int64(in.Cost[k]-in.Cost[k-1]), int64(model.UnitCost))
			sum.Sub(sum, rent.Mul(rent, c.at(paid, k)))
		}
	}
	if diff, _ := sum.Sub(sum, want).Float64(); math.Abs(diff) > 1e-4 { // charges are rounded down when printed
		t.Fatalf("charges less rents are off by %g", diff)
	}
}
