package realtime

import (
	"context"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/model/tier"
	"mrsched/solver"
)

// example opens a shipped example with its deadlines, or for goal partitions.
func example(t *testing.T, set solver.Params) *run {
	t.Helper()
	w, err := workload.Read("../../instances/examples/deadlines.json", nil, workload.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, w, set)
}

// asked is a question about a task, or a job, of a run.
func asked(r *run, s *model.Schedule, id string, k int) solver.Question {
	q := solver.Question{Schedule: s, Task: model.None, Alternatives: k}
	if task, ok := r.in.FindTask(id); ok {
		q.Task, q.Job = task, model.JobIndex(r.in.JobOf(int32(task)))
	}
	for j := range r.in.Jobs {
		if r.in.Workload().Jobs[j].ID == id {
			q.Job = model.JobIndex(j)
		}
	}
	return q
}

func explained(t tester, r *run, q solver.Question) *solver.Explanation {
	t.Helper()
	e, err := r.Explain(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// kindsOf are the kinds of reasons.
func kindsOf(list []solver.Reason) (kinds []string) {
	for _, r := range list {
		kinds = append(kinds, r.Kind)
	}
	return kinds
}

// TestExplainDeadlines by hand: job mail arrives at 3. On worker new, of speed 2, its map takes (1 + 6)/2 s, and so
// does its larger partition, so mail cannot end by 9. Under llf it waits for job index until 19, although index is not
// due until 25, and for its own map until 10.5. After ads/us, which ends at 11.5, three partitions of index run 3.5 s
// later, and mail still ends with mail/ham on old at 20.
func TestExplainDeadlines(t *testing.T) {
	r := example(t, solver.Params{lofParam: 1.5})
	e := explained(t, r, asked(r, solved(t, r, "llf").Schedule, "mail/spam", 3))
	if !slices.Equal(kindsOf(e.When), []string{solver.ReasonRank, solver.ReasonBarrier, solver.ReasonDeadline,
		solver.ReasonNecessary}) {
		t.Fatalf("when: %+v", e.When)
	}
	if w := e.When[0]; w.Task != "index/u-z" || w.Job != "index" || w.Until != "19" {
		t.Errorf("%+v", w)
	}
	if w := e.When[1]; w.Task != "mail.m1" || w.Until != "10.5" {
		t.Errorf("%+v", w)
	}
	if len(e.Alternatives) != 3 {
		t.Fatalf("alternatives: %+v", e.Alternatives)
	}
	first := e.Alternatives[0]
	first.Note = ""
	if want := (solver.Alternative{Machine: "new/r1", Start: "11.5", End: "15", Objective: "2", Change: "0"}); first != want {
		t.Errorf("%+v, want %+v", first, want)
	}
	c, err := r.Conflict(context.Background())
	if err != nil || c == nil || len(c.Members) != 1 || c.Members[0].ID != "mail" || !c.Minimal {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestExplainPhases by hand: lst has index/u-z, 6 s on old, after index/k-o, also 6 s. On new it takes 1.5 s, so new
// would end at 6 + 1.5; then all later phases begin 4.5 s earlier. Prices are proportional to the speeds 2, 1 and ½, so
// its 3 s at speed 1 add 3/3.5.
func TestExplainPhases(t *testing.T) {
	r := example(t, inPhases)
	bounded(t, r, "lst") // with the bounds that prices come from
	s := solved(t, r, "lst").Schedule
	e := explained(t, r, asked(r, s, "index/u-z", 1))
	if !slices.Equal(kindsOf(e.When), []string{solver.ReasonRank, solver.ReasonBarrier}) || e.When[0].Task != "index/k-o" {
		t.Errorf("when: %+v", e.When)
	}
	if len(e.Alternatives) != 1 || e.Alternatives[0].Machine != "new/r1" || e.Alternatives[0].End != "1.5" ||
		e.Alternatives[0].Objective != "17.5" || e.Alternatives[0].Change != "-4.5" {
		t.Errorf("alternatives: %+v", e.Alternatives)
	}
	if len(e.Prices) != 3 || e.Prices[0].Value != "7" || e.Prices[1].Value != "0.857142" || e.Prices[2].Value != "0" {
		t.Errorf("prices: %+v", e.Prices)
	}
	e = explained(t, r, asked(r, s, "mail", 3))
	if e.When[0].Kind != solver.ReasonBarrier || e.When[0].Job != "fraud" || e.Alternatives[0].Task == "" {
		t.Errorf("%+v", e)
	}
	if e = explained(t, r, asked(r, s, "index.m1", 3)); e.Subject == "" || e.When != nil { // maps have no place
		t.Errorf("%+v", e)
	}
	r = example(t, solver.Params{"goal": "partitions", "resplit-cost": "0.5"})
	e = explained(t, r, asked(r, solved(t, r, "skewtune").Schedule, "mail/spam", 3))
	if len(e.Alternatives) != 0 || len(e.Changes) == 0 { // split partitions are not moved, and it says so
		t.Errorf("%+v", e)
	}
}

// TestConflictByHand: small sets of jobs on one slot of each kind.
func TestConflictByHand(t *testing.T) {
	for name, c := range map[string]struct {
		jobs []job
		want []string
	}{
		// 4 + 3 > 6, and 4 + 2 = 6; j3 need not be late.
		"two of three": {[]job{mapsBy(4, 4), mapsBy(6, 3), mapsBy(6, 2)}, []string{"j1", "j2"}},
		// Any two fit.
		"all three":  {[]job{mapsBy(5, 2), mapsBy(5, 2), mapsBy(5, 2)}, []string{"j1", "j2", "j3"}},
		"one alone":  {[]job{mapsBy(9, 1), mapsBy(4, 2).reducing(3)}, []string{"j2"}},
		"later ones": {[]job{mapsBy(5, 2), mapsBy(4, 3).at(10), mapsBy(4, 3).at(11)}, []string{"j2", "j3"}},
		"none":       {[]job{mapsBy(0, 6), mapsBy(6, 6)}, nil},
	} {
		r := spec{0, []worker{{1, 1, 1}}, c.jobs}.run(t, nil)
		got, err := r.Conflict(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		if got != nil {
			for _, m := range got.Members {
				ids = append(ids, m.ID)
			}
			if !got.Minimal || got.Proof == "" || got.Infeasible {
				t.Errorf("%s: %+v", name, got)
			}
		}
		if !slices.Equal(ids, c.want) {
			t.Errorf("%s: %v, want %v", name, ids, c.want)
		}
	}
}

// TestConflictsAreTrue: in the best schedule for the jobs of a conflict alone, one of them is late. There is a conflict
// whenever the bound proves that a job must be late.
func TestConflictsAreTrue(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := spec{workers: drawWorkers(rt, 3, 1)}
		x.jobs = drawJobs(rt, 6, 2, 2, 25, len(x.workers))
		r := x.run(rt, nil)
		c, err := r.Conflict(context.Background())
		if err != nil {
			rt.Fatal(err)
		}
		if err := r.prove(context.Background(), solver.Options{Threads: 1}, 1); err != nil {
			rt.Fatal(err)
		}
		if bound := r.lateBound(); bound > 0 != (c != nil) && bound > 0 {
			rt.Fatalf("bound %d, %+v", bound, c)
		}
		if c == nil {
			return
		}
		var jobs []int32
		for _, m := range c.Members {
			jobs = append(jobs, int32(slices.IndexFunc(r.in.Workload().Jobs, func(j model.Job) bool { return j.ID == m.ID })))
		}
		if _, missed, _ := bounded(rt, newRun(r.only(jobs), r.p), "exact"); missed == 0 {
			rt.Fatalf("all of %v can be on time: %+v", jobs, c)
		}
	})
}

// anyRun draws an instance of either goal and a schedule of it. Partitions may be split only under skewtune.
func anyRun(t *rapid.T) (*run, *model.Schedule) {
	x := spec{workers: drawWorkers(t, 3, 1)}
	x.jobs = drawJobs(t, 6, 3, 3, 25, len(x.workers))
	set, names := solver.Params{lofParam: 1.5}, []string{"best", "llf", "fifo", "fair"}
	reduces := slices.ContainsFunc(x.jobs, func(j job) bool { return len(j.reduces)+len(j.keys) > 0 })
	if reduces && rapid.Bool().Draw(t, "phases") {
		set["goal"], names = "partitions", []string{"hash", "lb", "dp", "skewtune"}
	}
	name := rapid.SampledFrom(names).Draw(t, "algorithm")
	if name == "skewtune" {
		set["resplit-cost"] = rapid.SampledFrom([]string{"0", "1", "2"}).Draw(t, "cost")
	}
	r := x.run(t, set)
	out, _, _ := bounded(t, r, name)
	return r, out.Schedule
}

// TestExplanations: see checkMoves and checkBinding.
func TestExplanations(t *testing.T) {
	tier.Slow(t)
	rapid.Check(t, func(t *rapid.T) {
		r, s := anyRun(t)
		for j := range r.in.Jobs {
			checkMoves(t, r, solver.Question{Schedule: s, Task: model.None, Job: model.JobIndex(j), Alternatives: 3})
		}
		for i := range s.Entries {
			checkBinding(t, r, s, i)
		}
	})
}

// checkMoves: every move of whole tasks gives a schedule that the checker accepts, at the cost by which moves are
// ranked. The explanation lists the best move first, with its exact cost.
func checkMoves(t *rapid.T, r *run, q solver.Question) {
	x := newExplainer(r, q)
	if len(x.rows) == 0 {
		return
	}
	m := newMover(x)
	blocks, _ := x.blocks()
	best := (*big.Rat)(nil)
	for _, b := range blocks {
		for _, v := range x.moves(b) {
			m.timetable(&v)
			after := &m.after
			if bad := r.in.Check(after); len(bad) > 0 && !r.in.Resplit.Known {
				t.Fatalf("%+v: %v", v, bad)
			} else if len(bad) > 0 {
				continue
			}
			value := r.in.Evaluate(after).Value
			if missed := v.cost.Missed; r.in.Goal == realtime.Deadlines && value.Cmp(big.NewRat(int64(missed), 1)) != 0 {
				t.Fatalf("%+v costs %s", v, value)
			}
			if e := x.entry(b[0]); (v.slot != e.Machine || v.start != e.Start) && (best == nil || value.Cmp(best) < 0) {
				best = value
			}
		}
	}
	list := explained(t, r, q).Alternatives
	if best == nil && len(list) > 0 {
		t.Fatalf("%+v", list)
	}
	if best == nil || r.in.Resplit.Known {
		return // the checker may reject more than are tried
	}
	change := new(big.Rat).Sub(best, r.in.Evaluate(q.Schedule).Value)
	if len(list) == 0 || list[0].Objective != model.ExactNumber(best) || list[0].Change != model.ExactNumber(change) {
		t.Fatalf("%+v, best %s", list, best)
	}
}

// checkBinding: an entry reported as idle can start earlier on its slot with all else unchanged, as early as reported.
// Any other entry cannot.
func checkBinding(t *rapid.T, r *run, s *model.Schedule, i int) {
	x := newExplainer(r, solver.Question{Schedule: s, Task: s.Entries[i].Task})
	if x.pieces(int32(s.Entries[i].Task)) > 1 {
		return // by rounding, further pieces may begin with the first
	}
	first := x.binding(int32(i))[0]
	starts := []model.Time{x.allowed(int32(i))} // an earlier start that may be free
	for k := range s.Entries {
		starts = append(starts, s.Entries[k].End)
	}
	earliest := s.Entries[i].Start
	for _, at := range starts {
		after := &model.Schedule{Entries: slices.Clone(s.Entries)}
		e := &after.Entries[i]
		e.Start, e.End = at, at+e.End-e.Start
		if at < earliest && len(r.in.Check(after)) == 0 {
			earliest = at
		}
	}
	if idle := first.Kind == solver.ReasonIdle; idle != (earliest < s.Entries[i].Start) || idle &&
		first.Until != model.Number(earliest.String()) {
		t.Fatalf("entry %+v: %+v; it could start at %s", s.Entries[i], first, earliest)
	}
}
