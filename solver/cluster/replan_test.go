package cluster

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model"
	"mrsched/model/cluster"
)

// earlierPlan is a plan of an instance with some changed rows: another node, start or end, new tasks and removed tasks.
func earlierPlan(r *rand.Rand, in *cluster.Instance, s *model.Schedule) *model.Replan {
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
func underPlan(t *testing.T, r *rand.Rand, in *cluster.Instance) *run {
	t.Helper()
	first := &run{in: in}
	out, err := first.Solve(context.Background(), []string{"fifo", "heft", "graphene"}[r.IntN(3)], testOptions)
	if err != nil || out.Schedule == nil {
		t.Fatal(err)
	}
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

// keeps fails unless a schedule breaks no rule, keeps every frozen row, and starts nothing else before the freeze ends.
func keeps(t *testing.T, in *cluster.Instance, s *model.Schedule) (frozen int) {
	t.Helper()
	if found := in.Check(s); len(found) > 0 {
		t.Fatal(found[0])
	}
	p, fixed := in.Replan(), map[model.TaskIndex]bool{}
	for _, f := range in.Workload().Fixed {
		fixed[f.Task] = true
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
	r := rand.New(rand.NewPCG(12, 5))
	tried, frozen, better, optimal := 0, 0, 0, 0
	for k := 0; tried < 320; k++ {
		in := small(t, r, k)
		if in.Tasks > 5 {
			continue
		}
		tried++
		x := underPlan(t, r, in)
		plan := repaired(t.Context(), x.in)
		if plan == nil {
			continue // nodes that leave for good have left already
		}
		keeps(t, x.in, plan)
		out, err := x.Solve(context.Background(), "best", testOptions)
		if err != nil {
			t.Fatal(err)
		}
		frozen += keeps(t, x.in, out.Schedule)
		is := x.in.Evaluate(out.Schedule)
		switch is.Total().Cmp(x.in.Evaluate(plan).Total()) {
		case 1:
			t.Fatalf("instance %d: %s, more than the repaired plan", k, is.Total())
		case -1:
			better++
		}
		want := brute(x.in)
		least := x.in.Objective.Rat(want.first.Into(new(big.Int)))
		if is.Value.Cmp(least) < 0 {
			t.Fatalf("instance %d: best costs %s, and the optimum is %s", k, is.Value, least)
		}
		if is.Value.Cmp(least) == 0 {
			optimal++
		}
		for _, b := range out.Bounds {
			v, _ := new(big.Rat).SetString(b.Certificate.(*cluster.Certificate).Value)
			if v.Cmp(least) > 0 {
				t.Fatalf("instance %d: %s proves %s, and the optimum is %s", k, b.Method, v, least)
			}
		}
	}
	if frozen < 100 || better < 20 || optimal < tried/2 {
		t.Errorf("%d tried: %d rows frozen, %d better than repaired, %d optimal", tried, frozen, better, optimal)
	}
}

// TestReplanMedium: on larger instances the search must trade changes against cost.
func TestReplanMedium(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 5))
	changes := [2]int{}
	for k := range 12 {
		in := medium(t, uint64(k)).Under(cluster.Objective(cluster.Objectives()[k%4]))
		x := underPlan(t, r, in)
		for dear, penalty := range []model.Weight{0, 1000 * model.UnitWeight} {
			x.in.Replan().Penalty = penalty
			plan := repaired(t.Context(), x.in)
			if plan == nil {
				continue
			}
			out, err := x.Solve(context.Background(), "best", testOptions)
			if err != nil {
				t.Fatal(err)
			}
			keeps(t, x.in, out.Schedule)
			if is, was := x.in.Evaluate(out.Schedule).Total(), x.in.Evaluate(plan).Total(); is.Cmp(was) > 0 {
				t.Errorf("%d: %s, and the repaired plan costs %s", k, is, was)
			}
			changes[dear] += x.in.Replan().Changes(out.Schedule)
		}
	}
	if changes[1]*5 > changes[0]*4 {
		t.Errorf("%d changes without a penalty, and %d with one", changes[0], changes[1])
	}
}

// TestReplanMoved: a frozen row that moves, and a task that starts before the freeze ends, break only the freeze rule.
func TestReplanMoved(t *testing.T) {
	w, err := smallNight().Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cluster.New(w)
	if err != nil {
		t.Fatal(err)
	}
	s := model.Second
	p := &model.Replan{Until: 5 * s, Rows: []model.ReplanRow{{Task: "a", Machine: "n1", End: 4 * s}}}
	if err := p.Bind(in); err != nil {
		t.Fatal(err)
	}
	in, err = in.Replanned(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a, b model.Entry
		want []model.Code
	}{
		{model.Entry{Task: 0, End: 4 * s}, model.Entry{Task: 1, Machine: 1, Start: 5 * s, End: 9 * s}, nil},
		{model.Entry{Task: 0, Start: s, End: 5 * s}, model.Entry{Task: 1, Machine: 1, Start: 5 * s, End: 9 * s},
			[]model.Code{model.CodeFrozen}},
		{model.Entry{Task: 0, End: 4 * s}, model.Entry{Task: 1, Machine: 1, Start: 4 * s, End: 8 * s},
			[]model.Code{model.CodeFrozen}},
	} {
		var got []model.Code
		for _, v := range in.Check(&model.Schedule{Entries: []model.Entry{c.a, c.b}}) {
			got = append(got, v.Code)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v, %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// smallNight has two tasks of 4 s on two nodes that run one task at a time.
func smallNight() *model.Builder {
	b, at := model.NewBuilder(), model.Locus{}
	b.Node(model.Node{ID: "dc", Kind: model.RootNode}, "", at)
	for _, id := range []string{"n1", "n2"} {
		b.Node(model.Node{ID: id, Kind: model.HostNode}, "dc", at)
	}
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, at)
	for _, id := range []string{"a", "b"} {
		b.Task(model.Task{ID: id, Processing: model.Some(4 * model.Second)}, "j", "", at)
	}
	return b
}
