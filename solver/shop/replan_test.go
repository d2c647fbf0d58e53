package shop

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/model/tier"
	"mrsched/solver"
)

// earlierPlan is a plan of an instance with some changed rows: another node, start or end, new tasks and removed tasks.
func earlierPlan(r *rand.Rand, in *shop.Instance, s *model.Schedule) *model.Replan {
	last := model.Time(1)
	for _, e := range s.Entries {
		last = max(last, e.End)
	}
	p := &model.Replan{From: "0", Until: model.Time(r.Int64N(int64(last))), Tolerance: model.Time(r.IntN(2)) * model.Second,
		Penalty: model.Weight(r.IntN(3)) * model.UnitWeight / 2}
	for _, e := range s.Entries {
		id, _, _ := in.TaskName(e.Task)
		row := model.ReplanRow{Task: id, Machine: in.MachineName(e.Machine), Start: e.Start, End: e.End}
		switch r.IntN(16) {
		case 0:
			row.Machine = in.MachineName(int32(r.IntN(in.Nodes)))
		case 1:
			row.Machine = "nowhere"
		case 2:
			row.Start += model.Time(r.IntN(6)) * model.Second / 2
		case 3:
			row.End++
		case 4:
			row.Task = "gone " + id
		case 5:
			continue
		}
		p.Rows = append(p.Rows, row)
	}
	slices.SortStableFunc(p.Rows, func(a, b model.ReplanRow) int { return int(min(max(a.Start-b.Start, -1), 1)) })
	return p
}

// underPlan opens an instance with a plan of the list schedulers.
func underPlan(t *testing.T, r *rand.Rand, in *shop.Instance) *run {
	t.Helper()
	first := &run{in: in}
	out := outcome(t, first, []string{"fifo", "heft", "graphene"}[r.IntN(3)], testOptions)
	p := earlierPlan(r, in, out.Schedule)
	if err := p.Bind(in); err != nil {
		t.Fatal(err)
	}
	again, err := first.replanned(p)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// notWorse solves by best, which costs less than the repaired plan, penalty included, or is that plan; nil if there is
// no such plan: nodes that leave for good have left already.
func notWorse(t *testing.T, x *run, about int) (out *solver.Outcome, better bool) {
	t.Helper()
	plan := Repaired(t.Context(), x.in)
	if plan == nil {
		return nil, false
	}
	keeps(t, x.in, plan)
	out = outcome(t, x, "best", testOptions)
	is, was := x.in.Evaluate(out.Schedule).Total(), x.in.Evaluate(plan).Total()
	if is.Cmp(was) > 0 {
		t.Errorf("%d: %s, and the repaired plan costs %s", about, is, was)
	}
	if is.Cmp(was) == 0 && !slices.Equal(out.Schedule.Entries, plan.Entries) {
		t.Errorf("%d: tasks move although both plans cost %s", about, is)
	}
	return out, is.Cmp(was) < 0
}

// keeps fails unless a schedule breaks no rule, keeps every frozen row, and starts nothing else before the freeze ends.
func keeps(t *testing.T, in *shop.Instance, s *model.Schedule) (frozen int) {
	t.Helper()
	if found := in.Check(s); len(found) > 0 {
		t.Fatal(found[0])
	}
	p, fixed := in.Replan(), map[model.TaskIndex]bool{}
	for _, f := range in.Workload().Fixed {
		fixed[f.Task] = true
	}
	for _, b := range in.Workload().State {
		fixed[b.Task] = true
	}
	for _, e := range s.Entries {
		id, _, _ := in.TaskName(e.Task)
		k := slices.IndexFunc(p.Rows, func(row model.ReplanRow) bool { return row.Task == id })
		switch {
		case k >= 0 && p.Rows[k].Stands && p.Rows[k].Start < p.Until:
			if frozen++; e.Start != p.Rows[k].Start || in.MachineName(e.Machine) != p.Rows[k].Machine {
				t.Fatalf("%s is frozen on %s at %s, and starts on %s at %s", id, p.Rows[k].Machine, p.Rows[k].Start,
					in.MachineName(e.Machine), e.Start)
			}
		case e.Start < p.Until && !fixed[e.Task]:
			t.Fatalf("%s starts at %s before %s, and is not frozen", id, e.Start, p.Until)
		}
	}
	return frozen
}

// TestReplanBrute: on tiny instances with a plan, under all features and objectives, no bound exceeds the cheapest
// schedule that keeps the plan. best costs no less than that, and no more than the repaired plan, penalty included.
func TestReplanBrute(t *testing.T) {
	tier.Slow(t)
	r := rand.New(rand.NewPCG(14, 5))
	tried, frozen, better, optimal := 0, 0, 0, 0
	for k := 0; tried < tier.Draws(80, 640); k++ {
		in := small(t, r, k)
		if in.Tasks > 5 {
			continue
		}
		tried++
		x := underPlan(t, r, in)
		out, less := notWorse(t, x, k)
		if out == nil {
			continue
		}
		frozen += keeps(t, x.in, out.Schedule)
		if less {
			better++
		}
		want := brute(x.in)
		least, is := x.in.Objective.Rat(want.first.Into(new(big.Int))), x.in.Evaluate(out.Schedule).Value
		least.Sub(least, x.in.Less())
		if is.Cmp(least) < 0 {
			t.Fatalf("instance %d: best costs %s, and the optimum is %s", k, is, least)
		}
		if is.Cmp(least) == 0 {
			optimal++
		}
		atMost(t, x.in, out, least, k)
	}
	if frozen < tried/3 || better < tried/40 || optimal < tried/2 {
		t.Errorf("%d tried: %d rows frozen, %d better than repaired, %d optimal", tried, frozen, better, optimal)
	}
}

// TestReplanMedium: on larger instances the search must trade changes against cost.
func TestReplanMedium(t *testing.T) {
	tier.Slow(t)
	r := rand.New(rand.NewPCG(13, 5))
	changes := [2]int{}
	for k := range tier.Draws(12, 24) {
		x := underPlan(t, r, medium(t, uint64(k)))
		for dear, penalty := range []model.Weight{0, 1000 * model.UnitWeight} {
			x.in.Replan().Penalty = penalty
			if out, _ := notWorse(t, x, k); out != nil {
				keeps(t, x.in, out.Schedule)
				changes[dear] += x.in.Replan().Changes(out.Schedule)
			}
		}
	}
	if changes[1]*10 > changes[0]*9 {
		t.Errorf("%d changes without a penalty, and %d with one", changes[0], changes[1])
	}
}
