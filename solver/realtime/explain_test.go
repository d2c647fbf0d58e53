package realtime

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// example opens a shipped example with default parameters and some changes.
func example(t *testing.T, name string, with solver.Params) *run {
	t.Helper()
	w, err := workload.Read("../../instances/examples/"+name+".json", nil, workload.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := solver.Params{"goal": "auto", "sketch-delta": 0.0004, "sketch-seed": int64(1), "resplit-cost": "",
		estimatesParam: "auto", neighboursParam: int64(256), lofParam: 1.5, partitionParam: "dp"}
	for k, v := range with {
		p[k] = v
	}
	r, err := open(w, p)
	if err != nil {
		t.Fatal(err)
	}
	return r.(*run)
}

// solved is an algorithm's schedule for a run.
func solved(t rapid.TB, r *run, name string) *model.Schedule {
	t.Helper()
	out, err := r.Solve(context.Background(), name, solver.Options{Iterations: 100, Seed: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return out.Schedule
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

func explained(t rapid.TB, r *run, q solver.Question) *solver.Explanation {
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
// does its larger partition, so mail cannot end by 9. Under llf it waits for job index, although index is not due until
// 25.
func TestExplainDeadlines(t *testing.T) {
	r := example(t, "deadlines", nil)
	s := solved(t, r, "llf")
	e := explained(t, r, asked(r, s, "mail/spam", 3))
	if want := "partition mail/spam of job mail is on new/r1 from 19 to 22.5"; e.Subject != want {
		t.Errorf("%s", e.Subject)
	}
	if !slices.Equal(kindsOf(e.When), []string{solver.ReasonRank, solver.ReasonBarrier, solver.ReasonDeadline,
		solver.ReasonNecessary}) {
		t.Fatalf("when: %+v", e.When)
	}
	// At 17.5 all partitions of index but the last 1.5 s are done, so its laxity is 25 − 17.5 − 1.5. mail needs 3.5 s
	// more: 9 − 17.5 − 3.5.
	want := solver.Reason{Kind: solver.ReasonRank, Task: "index/u-z", Job: "index", Until: "19",
		Text: "new/r1 is busy with index/u-z of job index until 19, which was served first at 17.5: job index was due at " +
			"25 with a laxity of 6, job mail was due at 9 with a laxity of -12"}
	if e.When[0] != want {
		t.Errorf("%+v", e.When[0])
	}
	if e.When[1].Task != "mail.m1" || e.When[1].Until != "10.5" || e.When[2].Text !=
		"job mail is due at 9 and ends at 22.5, 13.5 late" {
		t.Errorf("when: %+v", e.When)
	}
	if want := "job mail is late in every schedule, whatever else runs: its partitions start at 6.5 at the earliest " +
		"and take 3.5 at least; it is due at 9"; e.When[3].Text != want {
		t.Errorf("%s", e.When[3].Text)
	}
	if want := "mail/spam takes 3.5 on new; 7 on mid and 14 on old"; e.Where[0].Text != want {
		t.Errorf("%s", e.Where[0].Text)
	}
	// After ads/us, which ends at 11.5, three partitions of index run 3.5 s later, and mail ends with mail/ham on old at
	// 20.
	first := solver.Alternative{Machine: "new/r1", Start: "11.5", End: "15", Objective: "2", Change: "0",
		Note: "job mail ends at 20, not 22.5; 3 others are pushed back"}
	if len(e.Alternatives) != 3 || e.Alternatives[0] != first {
		t.Errorf("alternatives: %+v", e.Alternatives)
	}
	c, err := r.Conflict(context.Background())
	if err != nil || c == nil || len(c.Members) != 1 || c.Members[0].ID != "mail" || !c.Minimal ||
		c.What != "job mail is late in every schedule" {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestExplainPhases by hand: lst has index/u-z, 6 s on old, after index/k-o, also 6 s. On new it takes 1.5 s, so new
// would end at 6 + 1.5; then all later phases begin 4.5 s earlier.
func TestExplainPhases(t *testing.T) {
	r := example(t, "deadlines", solver.Params{"goal": "partitions"})
	s := solved(t, r, "lst")
	e := explained(t, r, asked(r, s, "index/u-z", 1))
	if !slices.Equal(kindsOf(e.When), []string{solver.ReasonRank, solver.ReasonBarrier}) || e.When[0].Task != "index/k-o" {
		t.Errorf("when: %+v", e.When)
	}
	want := []solver.Alternative{{Machine: "new/r1", Start: "0", End: "1.5", Objective: "17.5", Change: "-4.5",
		Note: "job index ends at 7.5, not 12; 2 others are pushed back, 6 others start earlier"}}
	if !slices.Equal(e.Alternatives, want) {
		t.Errorf("alternatives: %+v", e.Alternatives)
	}
	// Prices are proportional to the speeds 2, 1 and ½, so its 3 s at speed 1 add 3/3.5.
	if len(e.Prices) != 3 || e.Prices[0].Value != "7" || e.Prices[1].Value != "0.857142" || e.Prices[2].Value != "0" {
		t.Errorf("prices: %+v", e.Prices)
	}
	e = explained(t, r, asked(r, s, "mail", 3))
	if e.When[0].Kind != solver.ReasonBarrier || e.When[0].Job != "fraud" || e.Alternatives[0].Task == "" {
		t.Errorf("%+v", e)
	}
	if e = explained(t, r, asked(r, s, "index.m1", 3)); e.Subject != "map index.m1 of job index has no place in this "+
		"schedule" || e.When != nil {
		t.Errorf("%+v", e)
	}
}

// TestExplainPieces: split partitions are not moved, and the explanation says so.
func TestExplainPieces(t *testing.T) {
	r := example(t, "deadlines", solver.Params{"goal": "partitions", "resplit-cost": "0.5"})
	s := solved(t, r, "skewtune")
	e := explained(t, r, asked(r, s, "mail/spam", 3))
	if len(e.Alternatives) != 0 || !strings.Contains(e.Subject, "in 2 pieces") ||
		!strings.Contains(strings.Join(e.Changes, "\n"), "pieces would have to be divided anew") {
		t.Errorf("%+v", e)
	}
}

// TestConflictByHand: small sets of jobs on one slot of each kind.
func TestConflictByHand(t *testing.T) {
	one := []lateWorker{{1, 1, 1}}
	for name, c := range map[string]struct {
		jobs []lateJob
		want []string
	}{
		// 4 + 3 > 6, and 4 + 2 = 6; j3 need not be late.
		"two of three": {[]lateJob{{maps: []model.Time{4}, deadline: 4}, {maps: []model.Time{3}, deadline: 6},
			{maps: []model.Time{2}, deadline: 6}}, []string{"j1", "j2"}},
		// Any two fit.
		"all three": {[]lateJob{{maps: []model.Time{2}, deadline: 5}, {maps: []model.Time{2}, deadline: 5},
			{maps: []model.Time{2}, deadline: 5}}, []string{"j1", "j2", "j3"}},
		"one alone": {[]lateJob{{maps: []model.Time{1}, deadline: 9}, {maps: []model.Time{2}, reduces: []model.Time{3},
			deadline: 4}}, []string{"j2"}},
		"later ones": {[]lateJob{{maps: []model.Time{2}, deadline: 5}, {release: 10, maps: []model.Time{3}, deadline: 4},
			{release: 11, maps: []model.Time{3}, deadline: 4}}, []string{"j2", "j3"}},
		"none": {[]lateJob{{maps: []model.Time{6}, deadline: -1}, {maps: []model.Time{6}, deadline: 6}}, nil},
	} {
		r := newRun(lateInstance(t, model.Second, one, c.jobs, realtime.Options{}), params{})
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
		workers := drawLateWorkers(rt)
		in := lateInstance(rt, model.Second, workers, drawLateJobs(rt, 6, 2, 2, 25, len(workers)),
			realtime.Options{Delta: 0.3})
		r := newRun(in, params{})
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
			jobs = append(jobs, int32(slices.IndexFunc(in.Workload().Jobs, func(j model.Job) bool { return j.ID == m.ID })))
		}
		if missed, _, _ := solveLate(rt, r.only(jobs), exactPlan); missed == 0 {
			rt.Fatalf("all of %v can be on time: %+v", jobs, c)
		}
	})
}

// anyRun draws an instance of either goal and a schedule of it. Partitions may be split only under skewtune.
func anyRun(rt *rapid.T) (*run, *model.Schedule) {
	workers := drawLateWorkers(rt)
	o := realtime.Options{Delta: 0.3}
	in := lateInstance(rt, model.Second, workers, drawLateJobs(rt, 6, 3, 3, 25, len(workers)), o)
	p := params{estimates: "auto", maxNeighbours: 9, lofThreshold: 1.5, partitioner: "dp"}
	if rapid.Bool().Draw(rt, "deadlines") {
		r := newRun(in, p)
		return r, solved(rt, r, rapid.SampledFrom([]string{"best", "llf", "fifo", "fair"}).Draw(rt, "policy"))
	}
	phases := *in
	phases.Goal = realtime.Partitions // it ignores releases, and nothing is due
	phases.Release = make([]model.Time, in.Jobs)
	phases.Due = slices.Repeat([]model.Time{realtime.NoDeadline}, in.Jobs)
	name := rapid.SampledFrom([]string{"hash", "lb", "dp", "skewtune"}).Draw(rt, "algorithm")
	if name == "skewtune" {
		phases.Resplit = model.Some(model.Time(rapid.Int64Range(0, 2).Draw(rt, "cost")) * model.Second)
	}
	r := newRun(&phases, p)
	if in.Tasks == in.Maps {
		return r, &model.Schedule{}
	}
	return r, solved(rt, r, name)
}

// TestMovesAreValid: every move of whole tasks gives a schedule that the checker accepts, at the cost by which moves
// are ranked. Moving nothing changes nothing. The explanation lists the best move first, with its exact cost.
func TestMovesAreValid(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r, s := anyRun(rt)
		now := r.in.Evaluate(s).Value
		for j := range r.in.Jobs {
			q := solver.Question{Schedule: s, Task: model.None, Job: model.JobIndex(j), Alternatives: 3}
			x := newExplainer(r, q)
			if len(x.rows) == 0 {
				continue
			}
			m := newMover(x)
			blocks, _ := x.blocks()
			best := (*big.Rat)(nil)
			for _, b := range blocks {
				for _, v := range x.moves(b) {
					m.timetable(&v)
					after := &m.after
					if bad := r.in.Check(after); len(bad) > 0 && !r.in.Resplit.Known {
						rt.Fatalf("%+v: %v", v, bad)
					} else if len(bad) > 0 {
						continue
					}
					value := r.in.Evaluate(after).Value
					if missed := v.cost.Missed; r.in.Goal == realtime.Deadlines && value.Cmp(big.NewRat(int64(missed), 1)) != 0 {
						rt.Fatalf("%+v costs %s", v, value)
					}
					if e := x.entry(b[0]); (v.slot != e.Machine || v.start != e.Start) && (best == nil || value.Cmp(best) < 0) {
						best = value
					}
				}
			}
			e := explained(rt, r, q)
			if best == nil {
				if len(e.Alternatives) > 0 {
					rt.Fatalf("%+v", e.Alternatives)
				}
				continue
			}
			if r.in.Resplit.Known {
				continue // the checker may reject more than are tried
			}
			if a := e.Alternatives; len(a) == 0 || a[0].Objective != model.ExactNumber(best) ||
				a[0].Change != model.ExactNumber(new(big.Rat).Sub(best, now)) {
				rt.Fatalf("%+v, best %s", a, best)
			}
		}
	})
}

// TestBindingBinds: an entry reported as idle can start earlier on its slot with all else unchanged, as early as
// reported. Any other entry cannot.
func TestBindingBinds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r, s := anyRun(rt)
		for i := range s.Entries {
			x := newExplainer(r, solver.Question{Schedule: s, Task: s.Entries[i].Task})
			if x.pieces(int32(s.Entries[i].Task)) > 1 {
				continue // by rounding, further pieces may begin with the first
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
				rt.Fatalf("entry %+v: %+v; it could start at %s", s.Entries[i], first, earliest)
			}
		}
	})
}
