package realtime

import (
	"context"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/model/tier"
	"mrsched/solver"
)

func explained(t tester, r *run, q solver.Question) *solver.Explanation {
	t.Helper()
	e, err := r.Explain(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return e
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
