package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/model"
	realtimemodel "mrsched/model/realtime"
	"mrsched/model/tier"
)

// labOf measures figures of a problem on one instance, with few jobs.
func labOf(t *testing.T, problem string, jobsMax int) *Lab {
	t.Helper()
	l, err := newLab(t.Context(), problem, Size{Seeds: 1, Seed: 1, JobsMax: jobsMax, Threads: 1})
	fail(t, err)
	return l
}

// drawn are figures by name: one, or all of a problem. Numbers of threads, one or several, must give the same bytes.
func drawn(t *testing.T, name string, jobsMax int, threads ...int) map[string]*report.Figure {
	t.Helper()
	list, err := Find(name)
	fail(t, err)
	figures, texts := map[string]*report.Figure{}, map[string]string{}
	for i, n := range threads {
		size := Size{Seeds: 2, Seed: 1, JobsMax: jobsMax, Threads: n}
		fail(t, Draw(t.Context(), size, list, func(int, int) {}, func(f *report.Figure) error {
			var b bytes.Buffer
			fail(t, errors.Join(f.WriteCSV(&b), f.WriteJSON(&b), f.WriteSVG(&b)))
			if i > 0 && b.String() != texts[f.Name] {
				t.Errorf("%s: other bytes with %d threads", f.Name, n)
			}
			figures[f.Name], texts[f.Name] = f, b.String()
			return nil
		}))
	}
	for _, f := range figures {
		for _, c := range f.Claims {
			if about := c.Claim + fmt.Sprint(c.Ours); strings.Contains(about, "NaN") || strings.Contains(about, "Inf") ||
				strings.Contains(about, "%!") {
				t.Errorf("%s: %q", f.Name, about)
			}
		}
	}
	return figures
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
	fail(t, err)
	return w
}

// TestByHand compares functions with values computed by hand.
func TestByHand(t *testing.T) {
	row := func(u model.TaskIndex, machine int32, from, until model.Time) model.Entry {
		return model.Entry{Task: u, Machine: machine, Start: from * model.Second, End: until * model.Second}
	}
	span := func(from, until model.Time) tenantSpan { return tenantSpan{from * model.Second, until * model.Second} }
	sum, union := covered([]tenantSpan{span(3, 6), span(8, 9), span(0, 4), span(2, 3)})
	in := &realtimemodel.Instance{Bytes: []model.Bytes{10, 20, 5}}
	x := reducersOf(in, &model.Schedule{Entries: []model.Entry{row(2, 9, 0, 1), row(0, 4, 0, 2),
		row(1, 4, 2, 5)}})
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"waits of 2, 10 and 12 − 7 = 5 s: 0.2, 1 and 0.5 of the longest", waitingShares(twoJobs(t), &model.Schedule{
			Entries: []model.Entry{row(0, 0, 0, 2), row(1, 0, 0, 10), row(2, 0, 0, 12)}}),
			samples{0, 0, 1 / 3., 1 / 3., 1 / 3., 2 / 3., 2 / 3., 2 / 3., 2 / 3., 2 / 3., 1}},
		{"steps", steps(10, 10, 25), samples{10, 20}},
		{"steps up to the last", steps(0.1, 0.1, 0.5), samples{0.1, 0.2, 0.3, 0.4, 0.5}},
		// y = x, but 0.5 too high in the middle and a quarter too low at the ends once the line is fitted: s² =
		// (2/16 + 1/4)/1 = 0.375, and the slope's variance is s²/2, as Σ(x − x̄)² = 2
		{"the error of a slope", slopeError(instances.MeasuredBlock{{Intermediate: 0, Seconds: 0},
			{Intermediate: 1, Seconds: 1.75}, {Intermediate: 2, Seconds: 2}}), math.Sqrt(0.375 / 2)},
		{"saved", saved([]float64{75, 120}, []float64{100, 100}), samples{25, -20}},
		{"changes; none from 0", changes([]float64{3, 1, 5}, []float64{2, 2, 0}), samples{50, -50, 0}},
		{"two rows on one slot add up, a slot without rows does not count", []samples{x.bytes, x.seconds},
			[]samples{{30, 5}, {5, 1}}},
		{"0–4, 2–3, 3–6 and 8–9 are 9 s together, and cover 7", samples{sum, union}, samples{9, 7}},
		{"over 1, parts at 1.1 and 1.4 gain 10 and 30 points", tenantSteps([][]samples{{{1.1}}, {{1.4}}}),
			[][]samples{{{10}}, {{30}}}},
		{"improved", improved([]samples{{-3, -1, 0, 2}, {0}}), samples{50, 0}},
		{"numbers", samples{asFloat(model.Number("1.5")), asFloat(3), asFloat("x"), asFloat(model.Number("?"))},
			samples{1.5, 3, 0, 0}},
	} {
		if got, want := fmt.Sprintf("%.9v", c.got), fmt.Sprintf("%.9v", c.want); got != want {
			t.Errorf("%s: %s, want %s", c.what, got, want)
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
	drawn(t, "multitenant-fig1", 2, 1, 2)
	drawn(t, "realtime-fig12", 4, 1, 2)
}

// TestExperimentsExist: names are unique, and every algorithm and setting of a figure exists.
func TestExperimentsExist(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range All() {
		if seen[e.Name] || e.Title == "" || e.draw == nil || e.y == "" {
			t.Errorf("experiment %s is incomplete or there twice", e.Name)
		}
		seen[e.Name] = true
	}
	p, err := engine.FindProblem("msjo", nil)
	fail(t, err)
	for _, settings := range []engine.Settings{stopped, asPublished, taskParams} {
		if _, err := engine.SettingValues(p.Params, settings); err != nil {
			t.Errorf("%v: %v", settings, err)
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

// tried are the numbers of threads with which all figures of a problem are drawn: two of them by night.
func tried() []int {
	if tier.Nightly {
		return []int{1, 2}
	}
	return []int{1}
}

// fail fails a test at an error.
func fail(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
