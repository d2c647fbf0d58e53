package realtime

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// checkPolicy compares a policy's schedule and missed deadlines.
func checkPolicy(t *testing.T, r *run, name, want string, missed int) *solver.Outcome {
	t.Helper()
	out := solved(t, r, name)
	if got := timetable(r.in, out.Schedule); got != want {
		t.Errorf("%s: got  %s\nwant %s", name, got, want)
	}
	if e := r.in.Ends(out.Schedule); e.Missed != missed {
		t.Errorf("%s: %d missed, want %d", name, e.Missed, missed)
	}
	return out
}

// TestPolicies: three jobs of maps alone on one slot, one order for each policy.
//
//	    maps   due
//	A   4, 4    20
//	B   10      18
//	C   2       11
func TestPolicies(t *testing.T) {
	r := spec{0, []worker{{1, 1, 0}}, []job{{id: "A", due: 20, maps: []float64{4, 4}},
		{id: "B", due: 18, maps: []float64{10}}, {id: "C", due: 11, maps: []float64{2}}}}.run(t, nil)
	// Laxities, for the longest map: at 0, A 20 − 4 = 16, B 18 − 10 = 8, C 11 − 2 = 9. At 10, A 20 − 10 − 4 = 6, C 11 −
	// 10 − 2 = −1: last, and late. At 14, A 2.
	checkPolicy(t, r, "llf", "B.m1 w1 0–10; A.m1 w1 10–14; A.m2 w1 14–18; C.m1 w1 18–20", 1)
	// Due 11, 18, 20.
	checkPolicy(t, r, "edf", "C.m1 w1 0–2; B.m1 w1 2–12; A.m1 w1 12–16; A.m2 w1 16–20", 0)
	checkPolicy(t, r, "fifo", "A.m1 w1 0–4; A.m2 w1 4–8; B.m1 w1 8–18; C.m1 w1 18–20", 1)
	// Slot times: at 4, A 4, B and C 0; at 14, C 0.
	checkPolicy(t, r, "fair", "A.m1 w1 0–4; B.m1 w1 4–14; C.m1 w1 14–16; A.m2 w1 16–20", 1)

	// Jobs without a deadline come after all others, even late ones, in the order of arrival.
	r = spec{0, []worker{{1, 1, 0}}, []job{{id: "N", maps: []float64{1}}, {id: "M", maps: []float64{1}},
		{id: "L", due: 1, maps: []float64{2}}, {id: "D", due: 9, maps: []float64{1}}}}.run(t, nil)
	checkPolicy(t, r, "llf", "D.m1 w1 0–1; L.m1 w1 1–3; N.m1 w1 3–4; M.m1 w1 4–5", 1)
	checkPolicy(t, r, "edf", "L.m1 w1 0–2; D.m1 w1 2–3; N.m1 w1 3–4; M.m1 w1 4–5", 1)
}

// TestLLFPhases: two jobs with both phases on one worker with a slot of each kind.
//
//	    maps   reduce   due
//	A   2, 3   4        20
//	B   3      9        17
//
// Laxities at 0: A 20 − 3 − 4 = 13, B 17 − 3 − 9 = 5: B.m1. At 3, A's longest map has 3 s left: 20 − 3 − 3 − 4 = 10. Of
// B only the reduce waits, for another slot. A's maps have one rank: the lower first. At 8 A.r1 is ready; the slot has
// B.r1 until 12.
//
// Ranks are computed only when tasks enter a queue or end. With B due at 8.5, its laxity is −3.5 at 0, so A's maps go
// first, until 2 and 5. B.m1 ends at 8, A.r1 at 9, B.r1 at 18. B's deadline passes while B.r1 waits for a busy slot.
func TestLLFPhases(t *testing.T) {
	x := spec{0, []worker{{1, 1, 1}}, []job{{id: "A", due: 20, maps: []float64{2, 3}, reduces: []float64{4}},
		{id: "B", due: 17, maps: []float64{3}, reduces: []float64{9}}}}
	r := x.run(t, nil)
	out := checkPolicy(t, r, "llf",
		"B.m1 w1/m1 0–3; A.m1 w1/m1 3–5; B.r1 w1/r1 3–12; A.m2 w1/m1 5–8; A.r1 w1/r1 12–16", 0)
	// The mean laxity on arrival is (13 + 5)/2.
	if got := fmt.Sprintf("%v %v", factsOf(out).LaxityOnArrival, *factsOf(out).HopelessOnArrival); got != "9 0" {
		t.Errorf("facts %+v", out.Facts)
	}
	asked, p := map[string]bool{}, policyOf(t, "llf")
	p.rank = func(s *simulation, j int32) (model.Time, bool) {
		asked[s.now.String()] = true
		return llfRank(s, j)
	}
	x.jobs[1].due = 8.5
	if _, err := x.run(t, nil).simulate(context.Background(), p, solver.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(asked)); !slices.Equal(got, []string{"0", "18", "2", "5", "8", "9"}) {
		t.Errorf("asked at %v", got)
	}
}

func policyOf(t tester, name string) policy {
	t.Helper()
	list := policyList()
	k := slices.IndexFunc(list, func(p policy) bool { return p.Name == name })
	if k < 0 {
		t.Fatalf("no policy %q", name)
	}
	return list[k]
}

// thinks maps task ids to their expected time on every worker, in seconds; other tasks have their true time.
type thinks struct {
	*realtime.Instance
	of map[string]float64
}

func (b thinks) Time(task, worker int32) model.Time {
	id, _, _ := b.TaskName(model.TaskIndex(task))
	if v, ok := b.of[id]; ok {
		return model.TimeOf(v)
	}
	return b.Instance.Time(task, worker)
}

// TestLLFNegativeLast: a job of negative laxity waits for all others until its laxity is positive again.
//
// Maps are dealt to w1, w2 in turn: B's 1 and 5 s, A's 2 and 1, C's 1 and 2. Laxities at 0: B 20 − 5 = 15, C 50 − 2 =
// 48, and A, due at 9 with A.m1 expected to take 10, has −1: it comes last. On w1: B.m1; at 1 C.m1; at 2 A.m1, which is
// expected to end at 12 and ends at 4. That leaves A.m2: at 5, when B.m2 ends on w2, A has 9 − 5 − 1 = 3 and C 50 − 5 −
// 2 = 43: A.m2. Where A.m2 is expected to take 6, A has 9 − 5 − 6 = −2 at 5 and stays last.
func TestLLFNegativeLast(t *testing.T) {
	x := spec{0, []worker{{1, 1, 0}, {1, 1, 0}}, []job{{id: "B", due: 20, maps: []float64{1, 5}},
		{id: "A", due: 9, maps: []float64{2, 1}}, {id: "C", due: 50, maps: []float64{1, 2}}}}
	for second, want := range map[float64]string{
		1: "B.m1 w1 0–1; B.m2 w2 0–5; C.m1 w1 1–2; A.m1 w1 2–4; A.m2 w2 5–6; C.m2 w2 6–8",
		6: "B.m1 w1 0–1; B.m2 w2 0–5; C.m1 w1 1–2; A.m1 w1 2–4; C.m2 w2 5–7; A.m2 w2 7–8",
	} {
		r := x.run(t, nil)
		r.expected = thinks{r.in, map[string]float64{"A.m1": 10, "A.m2": second}}
		checkPolicy(t, r, "llf", want, 0)
	}
}

// TestLOF: a job of twelve maps, one per worker, is due at 20. Eleven workers have speed 1, w12 has 0.1: l = 10
// neighbours are alike then for all but the last. Its laxity on arrival is 20 − 10; on the workers it is 19 eleven
// times, and 10 on w12. Reachability distances among the eleven are 0, floored at 1 µs, those of the twelfth 9 s. So
// its factor is 9·10⁶, and it lies below the median. w12 loses its map to the worker that is expected to end it first:
// w1, after the map that waits there, at 2 instead of 10. At 1 the others have ended, and one task on one worker is
// left. Reduces move, too, and the job keeps its number of slots; hash puts twelve on twelve slots. LOF does not act
// for a job of negative laxity: due at 9, it is expected to take 10.
func TestLOF(t *testing.T) {
	for _, c := range []struct {
		threshold, due float64
		reduces        bool
		want, facts    string // evaluations, overloaded workers, moved tasks
	}{
		{1.5, 20, false, "A.m12 w1 1–2", "2 1 1"}, {8.9e6, 20, false, "A.m12 w1 1–2", "2 1 1"},
		{9.01e6, 20, false, "A.m12 w12 0–10", "1 0 0"}, {0, 20, false, "A.m12 w12 0–10", "0 0 0"},
		{1.5, 9, false, "A.m12 w12 0–10", "0 0 0"}, {1.5, 20, true, "A.r12 w1 1–2", "2 1 1"},
	} {
		x, a := spec{workers: slices.Repeat([]worker{{1, 1, 0}}, 12)}, job{id: "A", due: c.due}
		if a.maps = slices.Repeat([]float64{1}, 12); c.reduces {
			x.workers, a.maps, a.reduces = slices.Repeat([]worker{{1, 0, 1}}, 12), nil, a.maps
		}
		x.workers[11].speed, x.jobs = 0.1, []job{a}
		r := x.run(t, solver.Params{lofParam: c.threshold, partitionParam: "hash"})
		out := solved(t, r, "llf")
		f := factsOf(out)
		if got := timetable(r.in, out.Schedule); !strings.Contains(got, c.want) ||
			fmt.Sprint(f.Evaluations, f.OverloadedWorkers, f.MovedTasks) != c.facts {
			t.Errorf("%+v: %+v, %s", c, f.OutlierFacts, got)
		}
		if hopeless := *f.HopelessOnArrival; hopeless != 0 != (c.due == 9) {
			t.Errorf("%+v: %d hopeless", c, hopeless)
		}
		if factsOf(solved(t, r, "edf")).OutlierFacts != nil {
			t.Error("edf moves tasks")
		}
	}
}

// TestLOFLooks: LOF runs each time that another sixteenth of a phase's tasks have entered or ended while some wait. Of
// 320 maps dealt to ten slots it runs when they enter, and at most 16 times as they end.
func TestLOFLooks(t *testing.T) {
	x, a := spec{workers: slices.Repeat([]worker{{1, 1, 0}}, 10)}, job{due: 1e6}
	for k := range 320 {
		a.maps = append(a.maps, 1+float64(k%7))
	}
	x.jobs = []job{a}
	if n := factsOf(solved(t, x.run(t, solver.Params{lofParam: 1.5}), "llf")).Evaluations; n < 14 || n > 17 {
		t.Errorf("%d evaluations", n)
	}
}

// TestEstimateFacts: maps of 2 s expected to take 3 and of 4 expected to take 1 are off by 1/2 and 3/4.
func TestEstimateFacts(t *testing.T) {
	r := spec{0, []worker{{1, 1, 0}}, []job{{id: "A", due: 20, maps: []float64{2, 4, 0}}}}.run(t, nil)
	r.expected = thinks{r.in, map[string]float64{"A.m1": 3, "A.m2": 1}}
	f := factsOf(solved(t, r, "fifo"))
	if got := fmt.Sprintf("%v %v", f.EstimateErrorMean, f.EstimateErrorMax); got != "0.625 0.75" {
		t.Errorf("facts %+v", f)
	}
}
