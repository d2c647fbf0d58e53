package realtime

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// TestPolicies: three jobs of maps alone on one slot, one order for each policy.
//
//	    maps   due
//	A   4, 4    20
//	B   10      18
//	C   2       11
func TestPolicies(t *testing.T) {
	r := simRun(t, simWorkload(t, []simWorker{{1, 1, 0}}, []simJob{
		{id: "A", due: 20, maps: []float64{4, 4}}, {id: "B", due: 18, maps: []float64{10}},
		{id: "C", due: 11, maps: []float64{2}}}), simParams(nil))
	for name, c := range map[string]struct {
		want   string
		missed int
	}{
		// Laxities, for the longest map: at 0, A 20 − 4 = 16, B 18 − 10 = 8, C 11 − 2 = 9. At 10, A 20 − 10 − 4 = 6, C 11 −
		// 10 − 2 = −1: last, and late. At 14, A 2.
		"llf": {"B.m1 w1 0–10; A.m1 w1 10–14; A.m2 w1 14–18; C.m1 w1 18–20", 1},
		// Due 11, 18, 20.
		"edf":  {"C.m1 w1 0–2; B.m1 w1 2–12; A.m1 w1 12–16; A.m2 w1 16–20", 0},
		"fifo": {"A.m1 w1 0–4; A.m2 w1 4–8; B.m1 w1 8–18; C.m1 w1 18–20", 1},
		// Slot times: at 4, A 4, B and C 0; at 14, C 0.
		"fair": {"A.m1 w1 0–4; B.m1 w1 4–14; C.m1 w1 14–16; A.m2 w1 16–20", 1},
		// In line C, B, A: on one slot they end at 2, 12, 20. All are on time, so all are admitted.
		"admit": {"C.m1 w1 0–2; B.m1 w1 2–12; A.m1 w1 12–16; A.m2 w1 16–20", 0},
	} {
		t.Run(name, func(t *testing.T) {
			out := simSolve(t, r, name)
			if got := simOrder(r.in, out.Schedule); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if e := r.in.Ends(out.Schedule); e.Missed != c.missed {
				t.Errorf("%d missed, want %d", e.Missed, c.missed)
			}
		})
	}
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
func TestLLFPhases(t *testing.T) {
	r := simRun(t, simWorkload(t, []simWorker{{1, 1, 1}}, []simJob{
		{id: "A", due: 20, maps: []float64{2, 3}, reduces: []float64{4}}, {id: "B", due: 17, maps: []float64{3},
			reduces: []float64{9}}}), simParams(nil))
	out := simSolve(t, r, "llf")
	want := "B.m1 w1/m1 0–3; A.m1 w1/m1 3–5; B.r1 w1/r1 3–12; A.m2 w1/m1 5–8; A.r1 w1/r1 12–16"
	if got := simOrder(r.in, out.Schedule); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// The mean laxity on arrival is (13 + 5)/2.
	if got := fmt.Sprintf("%v %v", factsOf(out).LaxityOnArrival, *factsOf(out).HopelessOnArrival); got != "9 0" {
		t.Errorf("facts %+v", out.Facts)
	}
}

// TestLLFRemaining: laxity follows the remaining time of running and of waiting tasks.
//
// Two workers; A has maps of 6 on w1 and 1 on w2, both are dealt at 0, and is due at 10: laxity 10 − 6 = 4 while A.m1
// runs, as both time and what is left go down. B has maps of 2 and 2, due at 9, laxity 7 at 0: A.m2 goes first on w2.
// At 1, B.m2 starts on w2. At 6, B has 9 − 6 − 2 = 1.
func TestLLFRemaining(t *testing.T) {
	r := simRun(t, simWorkload(t, []simWorker{{1, 1, 0}, {1, 1, 0}}, []simJob{
		{id: "A", due: 10, maps: []float64{6, 1}}, {id: "B", due: 9, maps: []float64{2, 2}}}), simParams(nil))
	s := newSimulation(r, simPolicy(t, "llf"), r.in)
	for _, c := range []struct{ now, a, b model.Time }{{0, 4, 7}, {1, 4, 6}, {3, 4, 4}, {6, 4, 1}} {
		for at, ok := s.events.Next(); ok && at <= c.now*model.Second; at, ok = s.events.Next() {
			s.now = at
			for next := at; ok && next == at; next, ok = s.events.Next() {
				e, _ := s.events.Pop()
				if err := s.happen(e); err != nil {
					t.Fatal(err)
				}
			}
			s.settle()
			s.dispatch()
		}
		s.now = c.now * model.Second
		if a, b := s.laxity(0), s.laxity(1); c.now < 6 && a != c.a*model.Second || b != c.b*model.Second {
			t.Errorf("at %d laxities %s and %s, want %d and %d", c.now, a, b, c.a, c.b)
		}
	}
}

// TestLLFRecomputed: ranks are computed only when tasks enter a queue or end.
//
// B, of a map of 3 s and a reduce of 9, is due at 8.5: −3.5 at 0, so A's maps of 2 and 3 s go first (20 − 3 − 4 = 13).
// They end at 2 and 5, B.m1 at 8, A.r1 from 5 at 9, B.r1 from 9 at 18. When B's deadline passes B.r1 waits for a slot
// that is not idle.
func TestLLFRecomputed(t *testing.T) {
	r := simRun(t, simWorkload(t, []simWorker{{1, 1, 1}}, []simJob{
		{id: "A", due: 20, maps: []float64{2, 3}, reduces: []float64{4}}, {id: "B", due: 8.5, maps: []float64{3},
			reduces: []float64{9}}}), simParams(nil))
	asked := map[string]bool{}
	p := simPolicy(t, "llf")
	p.rank = func(s *simulation, j int32) (model.Time, bool) {
		asked[s.now.String()] = true
		return llfRank(s, j)
	}
	if _, err := r.simulate(context.Background(), p, solver.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(asked)); !slices.Equal(got, []string{"0", "18", "2", "5", "8", "9"}) {
		t.Errorf("asked at %v", got)
	}
}

// TestLLFNegativeLast: a job of negative laxity waits for all others until its laxity is positive again.
//
// Maps are dealt to w1, w2 in turn: B's 1 and 5 s, A's 2 and 1, C's 1 and 2. Laxities at 0: B 20 − 5 = 15, C 50 − 2 =
// 48, and A, due at 9 with A.m1 expected to take 10, has −1: it comes last. On w1: B.m1; at 1 C.m1; at 2 A.m1, which is
// expected to end at 12 and ends at 4. That leaves A.m2: at 5, when B.m2 ends on w2, A has 9 − 5 − 1 = 3 and C 50 − 5 −
// 2 = 43: A.m2.
func TestLLFNegativeLast(t *testing.T) {
	w := simWorkload(t, []simWorker{{1, 1, 0}, {1, 1, 0}}, []simJob{
		{id: "B", due: 20, maps: []float64{1, 5}}, {id: "A", due: 9, maps: []float64{2, 1}},
		{id: "C", due: 50, maps: []float64{1, 2}}})
	for _, c := range []struct {
		think map[string]float64
		want  string
	}{
		{map[string]float64{"A.m1": 10}, "B.m1 w1 0–1; B.m2 w2 0–5; C.m1 w1 1–2; A.m1 w1 2–4; A.m2 w2 5–6; C.m2 w2 6–8"},
		// A.m2 is expected to take 6: at 5, A has 9 − 5 − 6 = −2 and stays last.
		{map[string]float64{"A.m1": 10, "A.m2": 6}, "B.m1 w1 0–1; B.m2 w2 0–5; C.m1 w1 1–2; A.m1 w1 2–4; C.m2 w2 5–7; " +
			"A.m2 w2 7–8"},
		// Expected to take 2 s, A has 9 − 2 = 7 at 0 and goes first.
		{nil, "A.m1 w1 0–2; A.m2 w2 0–1; B.m2 w2 1–6; B.m1 w1 2–3; C.m1 w1 3–4; C.m2 w2 6–8"},
	} {
		r := simRun(t, w, simParams(nil))
		r.expected = simExpected{r.in, c.think}
		if got := simOrder(r.in, simSolve(t, r, "llf").Schedule); got != c.want {
			t.Errorf("%v: got  %s\nwant %s", c.think, got, c.want)
		}
	}
}

// TestNoDeadline: jobs without a deadline come after all others, even late ones, in the order of arrival.
func TestNoDeadline(t *testing.T) {
	r := simRun(t, simWorkload(t, []simWorker{{1, 1, 0}}, []simJob{
		{id: "N", maps: []float64{1}}, {id: "M", maps: []float64{1}}, {id: "L", due: 1, maps: []float64{2}},
		{id: "D", due: 9, maps: []float64{1}}}), simParams(nil))
	for _, name := range []string{"llf", "admit"} {
		if got, want := simOrder(r.in, simSolve(t, r, name).Schedule),
			"D.m1 w1 0–1; L.m1 w1 1–3; N.m1 w1 3–4; M.m1 w1 4–5"; got != want {
			t.Errorf("%s: got  %s\nwant %s", name, got, want)
		}
	}
	if got, want := simOrder(r.in, simSolve(t, r, "edf").Schedule),
		"L.m1 w1 0–2; D.m1 w1 2–3; N.m1 w1 3–4; M.m1 w1 4–5"; got != want {
		t.Errorf("edf: got  %s\nwant %s", got, want)
	}
}

// TestAdmit: where not all jobs can be on time, the one with the most work is held.
//
//	    maps    due   in line: ends on one slot
//	C   2       6     2
//	B   5, 4    10    11: late. B has the most work, 9: held
//	A   3       12    5
//	D   6       12    11, held back only by B
//
// B is last and late. Under edf B goes second: C 2, B 11 (late), A 14 (late), D 20 (late).
func TestAdmit(t *testing.T) {
	r := simRun(t, simWorkload(t, []simWorker{{1, 1, 0}}, []simJob{
		{id: "A", due: 12, maps: []float64{3}}, {id: "B", due: 10, maps: []float64{5, 4}},
		{id: "C", due: 6, maps: []float64{2}}, {id: "D", due: 12, maps: []float64{6}}}), simParams(nil))
	out := simSolve(t, r, "admit")
	if got, want := simOrder(r.in, out.Schedule),
		"C.m1 w1 0–2; A.m1 w1 2–5; D.m1 w1 5–11; B.m1 w1 11–16; B.m2 w1 16–20"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for name, missed := range map[string]int{"admit": 1, "edf": 3} {
		if e := r.in.Ends(simSolve(t, r, name).Schedule); e.Missed != missed {
			t.Errorf("%s: %d missed, want %d", name, e.Missed, missed)
		}
	}
}

// TestPipeline: a job's reduce phase begins when its maps have ended and the partitions before it are done.
//
// On 2 slots of each kind, work W with units of at most L takes W/2 + L/2. First job: maps of 4 in all, the longest 2:
// 2 + 1 = 3; partitions of 6, the longest 4: from 3, 3 + 2 = 8. Second: maps of 2, each 1: (4 + 2)/2 + 0.5 = 3.5;
// partitions of 2, each 1: the slots are through with the first job's 6 at 3 + 3 = 6, then 1 + 0.5 = 7.5. Third, maps
// alone, of 3 in all, the longest 3: (4 + 2 + 3)/2 + 1.5 = 6.
func TestPipeline(t *testing.T) {
	const half = model.Second / 2
	jobs := []hopeful{
		{inMaps: true, maps: 4 * half, longestMap: 2 * half, reduces: 6 * half, longestPart: 4 * half},
		{inMaps: true, maps: 2 * half, longestMap: half, reduces: 2 * half, longestPart: half},
		{inMaps: true, maps: 3 * half, longestMap: 3 * half},
	}
	for late := range model.Time(2) {
		var p pipeline
		for k, end := range []model.Time{16, 15, 12} {
			jobs[k].due = end*half - late
			if got := p.add(&jobs[k]); got != (late == 0) {
				t.Errorf("job %d, due %s: on time %v", k+1, jobs[k].due, got)
			}
		}
	}
}

// TestHold: the held jobs are those of the rule applied literally, which evaluates the whole line again after each.
func TestHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		time := func(most int64, what string) model.Time { return model.Time(rapid.Int64Range(0, most).Draw(t, what)) }
		var a admission
		for range rapid.IntRange(0, 20).Draw(t, "jobs") {
			c := hopeful{inMaps: rapid.Bool().Draw(t, "in maps"), due: time(60, "due")}
			if c.inMaps {
				c.maps, c.longestMap = time(9, "maps"), time(9, "longest map")
			}
			if rapid.Bool().Draw(t, "reduces") {
				c.reduces, c.longestPart = time(9, "parts"), time(9, "longest part")
			}
			a.hopes = append(a.hopes, c)
		}
		want, kept := make([]bool, len(a.hopes)), []int(nil)
		for i := range a.hopes {
			kept = append(kept, i)
			for {
				p, onTime, worst := pipeline{}, true, 0
				for k, at := range kept {
					onTime = p.add(&a.hopes[at]) && onTime
					if a.hopes[at].work() >= a.hopes[kept[worst]].work() {
						worst = k
					}
				}
				if onTime {
					break
				}
				want[kept[worst]] = true
				kept = slices.Delete(kept, worst, worst+1)
			}
		}
		for range 2 { // no state is left from the last time
			a.hold()
			for i, c := range a.hopes {
				if c.held != want[i] {
					t.Fatalf("job %d is held: %v", i, c.held)
				}
			}
		}
	})
}

// lofCluster is eleven workers of speed 1 and one of speed 0.1: l = 10 neighbours are alike then for all but the last.
// It returns them, and twelve tasks of 1 s.
func lofCluster(maps, reduces int64) (workers []simWorker, tasks []float64) {
	for k := range 12 {
		workers, tasks = append(workers, simWorker{1, maps, reduces}), append(tasks, 1)
		if k == 11 {
			workers[k].speed = 0.1
		}
	}
	return workers, tasks
}

// TestLOFMoves: a job of twelve maps, one per worker, is due at 20. Its laxity on arrival is 20 − 10; on the workers it
// is 19 eleven times, and 10 on w12. Reachability distances among the eleven are 0, floored at 1 µs, those of the
// twelfth 9 s. So its factor is 9·10⁶, and it lies below the median. w12 loses its map to the worker that is expected
// to end it first: w1, after the map that waits there, at 2 instead of 10. At 1 the others have ended, and one task on
// one worker is left.
func TestLOFMoves(t *testing.T) {
	workers, maps := lofCluster(1, 0)
	w := simWorkload(t, workers, []simJob{{id: "A", due: 20, maps: maps}})
	for threshold, c := range map[float64]struct {
		want, facts string
		end         model.Time
	}{
		1.5:    {"A.m12 w1 1–2", "2 1 1", 2},
		8.9e6:  {"A.m12 w1 1–2", "2 1 1", 2},
		9.01e6: {"A.m12 w12 0–10", "1 0 0", 10},
		0:      {"A.m12 w12 0–10", "0 0 0", 10},
	} {
		r := simRun(t, w, simParams(map[string]any{lofParam: threshold}))
		out := simSolve(t, r, "llf")
		if got := simOrder(r.in, out.Schedule); !strings.Contains(got, c.want) ||
			r.in.Ends(out.Schedule).Last != c.end*model.Second {
			t.Errorf("%g: got  %s\nwant %s", threshold, got, c.want)
		}
		x := factsOf(out)
		if got := fmt.Sprint(x.Evaluations, x.OverloadedWorkers, x.MovedTasks); got != c.facts {
			t.Errorf("%g: evaluations, workers, moves %s, want %s", threshold, got, c.facts)
		}
		if factsOf(simSolve(t, r, "edf")).OutlierFacts != nil {
			t.Error("edf moves tasks")
		}
	}
}

// TestLOFNotLate: LOF does not act for a job of negative laxity: due at 9, it is expected to take 10.
func TestLOFNotLate(t *testing.T) {
	workers, maps := lofCluster(1, 0)
	r := simRun(t, simWorkload(t, workers, []simJob{{id: "A", due: 9, maps: maps}}),
		simParams(map[string]any{lofParam: 1.5}))
	if out := simSolve(t, r, "llf"); factsOf(out).Evaluations != 0 || *factsOf(out).HopelessOnArrival != 1 {
		t.Errorf("facts %+v", out.Facts)
	}
}

// TestLOFReduces: reduce units also move, and a job keeps its number of slots. Hash puts twelve partitions on twelve
// slots.
func TestLOFReduces(t *testing.T) {
	workers, reduces := lofCluster(0, 1)
	r := simRun(t, simWorkload(t, workers, []simJob{{id: "A", due: 20, reduces: reduces}}),
		simParams(map[string]any{lofParam: 1.5, partitionParam: "hash"}))
	out := simSolve(t, r, "llf")
	if got := simOrder(r.in, out.Schedule); !strings.Contains(got, "A.r12 w1 1–2") || factsOf(out).MovedTasks != 1 {
		t.Errorf("got %s, %+v", got, out.Facts)
	}
}

// TestLOFLooks: LOF runs each time that another sixteenth of a phase's tasks have entered or ended while some wait. Of
// 320 maps dealt to ten slots it runs when they enter, and at most 16 times as they end.
func TestLOFLooks(t *testing.T) {
	workers, maps := make([]simWorker, 10), make([]float64, 320)
	for k := range workers {
		workers[k] = simWorker{1, 1, 0}
	}
	for k := range maps {
		maps[k] = 1 + float64(k%7)
	}
	r := simRun(t, simWorkload(t, workers, []simJob{{id: "A", due: 1e6, maps: maps}}),
		simParams(map[string]any{lofParam: 1.5}))
	if n := factsOf(simSolve(t, r, "llf")).Evaluations; n < 14 || n > 17 {
		t.Errorf("%d evaluations", n)
	}
}

// TestEstimateFacts: maps of 2 s expected to take 3 and of 4 expected to take 1 are off by 1/2 and 3/4.
func TestEstimateFacts(t *testing.T) {
	r := simRun(t, simWorkload(t, []simWorker{{1, 1, 0}}, []simJob{{id: "A", due: 20, maps: []float64{2, 4, 0}}}),
		simParams(nil))
	r.expected = simExpected{r.in, map[string]float64{"A.m1": 3, "A.m2": 1}}
	out := simSolve(t, r, "fifo")
	if got := fmt.Sprintf("%v %v", factsOf(out).EstimateErrorMean, factsOf(out).EstimateErrorMax); got !=
		"0.625 0.75" {
		t.Errorf("facts %+v", out.Facts)
	}
}

// TestPolicyRows: the table's rows apply to goal deadlines, name their parameters, and run.
func TestPolicyRows(t *testing.T) {
	r := simRun(t, simWorkload(t, []simWorker{{1, 1, 1}}, []simJob{{id: "A", due: 20, maps: []float64{1},
		reduces: []float64{1}}}), simParams(nil))
	for _, m := range policies() {
		if m.goal != realtime.Deadlines || m.Summary == "" || m.Source == "" {
			t.Errorf("%s: %+v", m.Name, m)
		}
		if want := 3 + map[string]int{"llf": 1, "admit": 1}[m.Name]; len(m.Params) != want {
			t.Errorf("%s: parameters %v", m.Name, m.Params)
		}
		out, err := m.Solve(context.Background(), r, solver.Options{})
		if err != nil || len(out.Schedule.Entries) != 2 {
			t.Errorf("%s: %v, %v", m.Name, out, err)
		}
	}
}

// factsOf are an outcome's facts.
func factsOf(out *solver.Outcome) Facts { return out.Facts.(Facts) }
