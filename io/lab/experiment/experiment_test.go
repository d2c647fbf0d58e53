package experiment

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/model"
	"mrsched/model/tier"
)

// labOf measures figures of a problem with few seeds, jobs and tasks.
func labOf(t *testing.T, problem string, jobsMax, threads int) *Lab {
	t.Helper()
	p, err := engine.FindProblem(problem, nil)
	must(t, err)
	return &Lab{ctx: t.Context(), problem: p, seeds: []uint64{1, 2}, threads: threads, jobsMax: jobsMax, tasksMax: 1000,
		progress: func(int, int) {}, memo: map[string][]map[string]reading{}}
}

// labsOf are a lab with one thread and, by night, one with two.
func labsOf(t *testing.T, problem string, jobsMax int) []*Lab {
	t.Helper()
	labs := []*Lab{labOf(t, problem, jobsMax, 1)}
	if tier.Nightly {
		labs = append(labs, labOf(t, problem, jobsMax, 2))
	}
	return labs
}

// measured is a figure, whose claims must have reasons. Labs with other numbers of threads must give the same bytes.
func measured(t *testing.T, name string, labs ...*Lab) (f *report.Figure) {
	t.Helper()
	k := slices.IndexFunc(All(), func(e Experiment) bool { return e.Name == name })
	e := All()[k]
	var text string
	for i, l := range labs {
		f = &report.Figure{Name: name, Title: e.Title, Source: e.Source, Parameters: map[string]any{}}
		must(t, e.measure(&figure{l, f}))
		var b bytes.Buffer
		must(t, errors.Join(f.WriteCSV(&b), f.WriteJSON(&b), f.WriteSVG(&b)))
		if i > 0 && b.String() != text {
			t.Errorf("%s: other bytes with %d threads", name, l.threads)
		}
		text = b.String()
	}
	for _, c := range f.Claims {
		if about := c.Claim + c.Why; c.Why == "" || strings.Contains(about, "NaN") || strings.Contains(about, "Inf") ||
			strings.Contains(about, "%!") {
			t.Errorf("%s: reason %q of %q", name, c.Why, c.Claim)
		}
	}
	return f
}

// twoJobs has job a (release 0) with tasks 0 and 1 and job b (release 7) with task 2.
func twoJobs(t *testing.T) *model.Workload {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("two", "msjo", model.Some(int64(1)), nil)
	b.Job(model.Job{ID: "a", Weight: model.UnitWeight}, model.Locus{})
	b.Job(model.Job{ID: "b", Weight: model.UnitWeight, Release: 7 * model.Second}, model.Locus{})
	for _, x := range []struct{ id, job string }{{"a1", "a"}, {"a2", "a"}, {"b1", "b"}} {
		b.Task(model.Task{ID: x.id, Processing: model.Some(model.Second)}, x.job, "", model.Locus{})
	}
	w, err := b.Build()
	must(t, err)
	return w
}

// TestWaitingShares by hand: waits 2, 10 and 12 − 7 = 5 s, that is 0.2, 1 and 0.5 of the longest.
func TestWaitingShares(t *testing.T) {
	end := func(u model.TaskIndex, seconds model.Time) model.Entry {
		return model.Entry{Task: u, End: seconds * model.Second}
	}
	got := waitingShares(twoJobs(t), &model.Schedule{Entries: []model.Entry{end(0, 2), end(1, 10), end(2, 12)}})
	for k, want := range []float64{0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 3} {
		if math.Abs(got[k]-want/3) > 1e-12 {
			t.Errorf("share at %d/10 is %g, want %g/3", k, got[k], want)
		}
	}
}

// TestBatched: a job known at 0 stays; one of 7 s waits until 10 s, or until 7 s; the original is unchanged.
func TestBatched(t *testing.T) {
	w := twoJobs(t)
	for interval, want := range map[float64]model.Time{10: 10 * model.Second, 7: 7 * model.Second, 3: 9 * model.Second} {
		if x := batched(w, interval); x.Jobs[0].Release != 0 || x.Jobs[1].Release != want ||
			w.Jobs[1].Release != 7*model.Second {
			t.Errorf("interval %g: releases %s and %s", interval, x.Jobs[0].Release, x.Jobs[1].Release)
		}
	}
}

// TestThreads: two threads write what one writes; by night for all figures of realtime and multitenant.
func TestThreads(t *testing.T) {
	tier.Slow(t)
	measured(t, "multitenant-fig1", labOf(t, "multitenant", 2, 1), labOf(t, "multitenant", 2, 2))
	measured(t, "realtime-fig12", labOf(t, "realtime", 4, 1), labOf(t, "realtime", 4, 2))
}

func TestSteps(t *testing.T) {
	if got := steps(0.1, 0.1, 0.5); len(got) != 5 || number(got[4]) != "0.5" {
		t.Errorf("%v", got)
	}
	if got := steps(10, 10, 25); !slices.Equal(got, []float64{10, 20}) {
		t.Errorf("%v", got)
	}
}

// TestExperimentsExist: names are unique, and every algorithm and setting of a figure exists.
func TestExperimentsExist(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range All() {
		if seen[e.Name] || e.Title == "" || e.measure == nil {
			t.Errorf("experiment %s is incomplete or there twice", e.Name)
		}
		seen[e.Name] = true
	}
	p, err := engine.FindProblem("msjo", nil)
	must(t, err)
	for _, m := range []mode{exactLP, stopped, asPublished, strongTasks, publishedTasks} {
		if _, err := engine.SettingValues(p.Params, m.params); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
	}
	for name := range label {
		if _, ok := p.Algorithm(name); !ok {
			t.Errorf("no algorithm %s", name)
		}
	}
	if _, err := engine.SettingValues(p.Params, engine.Settings{"epsilonn": "1"}); err == nil {
		t.Error("an unknown setting is accepted")
	}
}

// must fails a test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
