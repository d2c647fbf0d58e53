package msjo

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/explain"
)

// TestExplainFig1 by hand. MarS runs (README.md)
//
//	m1  2.m1 0–75, 1.m3 75–150, 1.r1 150–250     m2  1.m1 0–75, 1.m4 75–150, 1.r2 150–250     m3  1.m2 0–75, 2.r1 75–175
//
// at 250 + 175 = 425. 1.r1 waits until 150 for 1.m3 and 1.m4, and on m1 for 1.m3. 2.r1 on m1 from 75 pushes 1.m3 to
// 175–250, so both reduces of job 1 start at 250: 350 + 175 = 525. On m2 it pushes 1.m4.
func TestExplainFig1(t *testing.T) {
	in := fig1(t)
	out := solved(t, in, "mars", solver.Params{})
	ask := func(id string) *explain.Explanation {
		w := in.Workload()
		u := slices.IndexFunc(w.Tasks, func(x model.Task) bool { return x.ID == id })
		q := explain.Question{Workload: w, Schedule: out.Schedule, Task: model.TaskIndex(u), Alternatives: 2,
			Algorithm: out.Algorithm}
		if u < 0 {
			q.Job = model.JobIndex(slices.IndexFunc(w.Jobs, func(j model.Job) bool { return j.ID == id }))
		}
		x, err := opened(t, in, nil).Explain(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	told := func(list []explain.Fact) (words []string) {
		for _, f := range list {
			if f.Task != "" {
				words = append(words, f.Kind+" "+f.Task+" "+string(f.Until))
			}
		}
		return words
	}
	for id, want := range map[string][]string{
		"1.r1": {"barrier 1.m3 150", "machine 1.m3 150", "barrier 1.m1 75"},
		"2.r1": {"barrier 2.m1 75", "machine 1.m2 75"},
		"1":    {"barrier 1.m3 150", "machine 1.m3 150", "barrier 1.m1 75", "lower-ranked 1.m3 75", "release 2.m1 0"},
	} {
		if got := told(ask(id).When); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	if a := ask("2.r1").Alternatives[0]; a.Machine != "m1" || a.Start != "75" || a.End != "175" || a.Objective != "525" ||
		a.Change != "100" || !strings.HasPrefix(a.Note, "3 other tasks move, as on m2; job 1 ends 100 s later") {
		t.Errorf("2.r1: alternative %+v", a)
	}
}

// TestMovesArePossible judges all moves of the tasks of drawn schedules, and what is said if a task takes less time.
// The checker accepts a schedule after a move, and a task that was pushed cannot start a microsecond earlier.
func TestMovesArePossible(t *testing.T) {
	pushed, priced := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 8, false)
		name := rapid.SampledFrom([]string{"huwf", "stf", "htwf", "wspt-list", "mars"}).Draw(t, "algorithm")
		out := solved(t, in, name, solver.Params{})
		r := opened(t, in, nil)
		for row, entry := range out.Schedule.Entries {
			e := r.explainer(context.Background(), explain.Question{Workload: in.Workload(), Schedule: out.Schedule,
				Task: entry.Task})
			if _, err := e.Answer(e.ctx, e); err != nil {
				t.Fatal(err)
			}
			for _, m := range e.Moves(int32(row)) {
				pushed += movesLeast(t, in, e.Rows, &m)
			}
			for _, b := range out.Bounds {
				priced += lessTime(t, in, b, out.Schedule, row)
			}
		}
	})
	if pushed == 0 || priced == 0 {
		t.Errorf("%d tasks pushed, %d prices", pushed, priced)
	}
}

// movesLeast judges one move and counts the tasks that it pushes.
func movesLeast(t *rapid.T, in *shop.Instance, rows []model.Entry, m *explain.Move) int {
	s := &model.Schedule{Entries: slices.Clone(rows)}
	for i, e := range m.Entries {
		s.Entries[i] = e
	}
	if v := in.Check(s); len(v) > 0 {
		t.Fatalf("%+v: %v", m, v)
	}
	for i, e := range m.Entries {
		if i == m.Row || e.Start == e.End {
			continue
		}
		s.Entries[i].Start, s.Entries[i].End = e.Start-1, e.End-1
		if v := in.Check(s); len(v) == 0 || e.Start <= rows[i].Start {
			t.Fatalf("%+v: row %d need not move", m, i)
		}
		s.Entries[i] = e
	}
	return len(m.Entries) - 1
}

// lessTime: a bound's prices prove no more for a shorter task than a schedule with it costs.
func lessTime(t *rapid.T, in *shop.Instance, b solver.Bound, s *model.Schedule, row int) int {
	cert, ok := b.Certificate.(*shop.Certificate)
	if !ok {
		return 0
	}
	text, err := json.Marshal(cert)
	if err != nil {
		t.Fatal(err)
	}
	var c shop.Certificate
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	u := s.Entries[row].Task
	times := slices.Clone(in.Least)
	times[u] /= 2
	shorter := in.Lasting(times)
	after := &model.Schedule{Entries: slices.Clone(s.Entries)}
	after.Entries[row].End = after.Entries[row].Start + times[u]
	v := provenBy(shorter, c)
	if v != nil && v.Cmp(shorter.Evaluate(after).Value) > 0 {
		t.Fatalf("%s is proven if task %d is shorter, %s is reached", v, u, shorter.Evaluate(after).Value)
	}
	if v == nil {
		return 0
	}
	return 1
}
