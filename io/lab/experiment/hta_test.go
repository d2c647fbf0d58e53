package experiment

import (
	"errors"
	"math"
	"slices"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/model"
)

// TestHTACases: every preset takes the parameters of its cases.
func TestHTACases(t *testing.T) {
	seen := map[htaCase]bool{}
	for _, c := range slices.Concat(roundRobinCases(), additiveCases(), thm54Cases()) {
		if _, err := c.workload(1); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		seen[c] = true
	}
	for _, c := range drawnCases {
		if c.remote = htaRatios[0]; !seen[c.htaCase] {
			t.Errorf("%+v is drawn and not measured", c)
		}
	}
}

// TestAssign: by Theorem 4.3, 24 tasks on 6 servers at costs 1 and 3 have optimum 4, and round robin may need 12; on
// thm54 with 5 servers flow needs 5·3 = 15 where 4·3 = 12 would do.
func TestAssign(t *testing.T) {
	l := labOf(t, "hta", 0, 1)
	for _, x := range []struct {
		c                 htaCase
		name              string
		makespan, optimum model.Time
		leastRemote       int
	}{
		{htaCase{preset: "thm43", tasks: 24, servers: 6, remote: 3}, "worst", 12, 4, 0},
		{htaCase{preset: "thm54", servers: 5}, "flow", 15, 12, 9},
	} {
		w, err := x.c.workload(1)
		fail(t, err)
		a, err := l.assign(l.ctx, w, 1, "worst", "flow")
		fail(t, err)
		if a.makespan[x.name] != x.makespan*model.Second || a.optimum != model.Some(x.optimum*model.Second) ||
			a.against() != a.optimum.Value {
			t.Errorf("%+v: %s has makespan %s, the optimum is %v", x.c, x.name, a.makespan[x.name], a.optimum)
		}
		if got := leastRemote(l.ctx, a.in, a.optimum.Value); got != x.leastRemote {
			t.Errorf("%+v: %d remote tasks, not %d", x.c, got, x.leastRemote)
		}
		a.optimum.Known = false
		if a.against() != a.bound {
			t.Errorf("%+v: %s in place of the bound %s", x.c, a.against(), a.bound)
		}
	}
}

// TestExcess by hand: on 5 servers 3/4 of w_rem are allowed, on 2 nothing.
func TestExcess(t *testing.T) {
	for _, x := range []struct {
		e           excess
		share, used float64
		allowed     bool
	}{
		{excess{3, 4, 5}, 0.75, 1, true},
		{excess{2, 8, 5}, 0.25, 1 / 3., true},
		{excess{31, 40, 5}, 0.775, 31 / 30., false},
		{excess{0, 4, 2}, 0, 0, true},
		{excess{1, 4, 2}, 0.25, math.Inf(1), false},
	} {
		if e := x.e; math.Abs(e.share()-x.share) > 1e-12 || e.used() != x.used && math.Abs(e.used()-x.used) > 1e-12 ||
			e.allowed() != x.allowed {
			t.Errorf("%+v: %g %g %v", e, e.share(), e.used(), e.allowed())
		}
	}
}

// TestDistribution: of two instances with a proven optimum one is at 0 and one at 0.75; the third is left out.
func TestDistribution(t *testing.T) {
	l := labOf(t, "hta", 0, 1)
	l.seeds = l.seeds[:1]
	w, err := htaCase{preset: "thm54", servers: 5}.workload(1)
	fail(t, err)
	a, err := l.assign(l.ctx, w, 1, "flow")
	fail(t, err)
	at, open := *a, *a
	at.makespan = map[string]model.Time{"flow": a.optimum.Value}
	open.optimum.Known = false
	f := &figure{l, &report.Figure{}}
	f.additive("flow", "x", report.Main, 0, []*assigned{a, &at, &open})
	for _, p := range f.Curves[0].Points {
		want := 50.0
		if p.X > 0.74 {
			want = 100
		}
		if p.Samples[0] != want {
			t.Errorf("%g %% at %g, not %g", p.Samples[0], p.X, want)
		}
	}
	if c := f.Claims[0]; c.Ours != "on 2 of 2" || c.Verdict != report.Holds {
		t.Errorf("%+v", c)
	}
}

// TestHolding: one exception contradicts a theorem; without measurements there is no claim.
func TestHolding(t *testing.T) {
	f := &figure{nil, &report.Figure{}}
	var h holding
	f.theorem(h, "", "")
	h.add(true)
	f.theorem(h, "", "")
	h.add(false)
	f.theorem(h, "", "")
	if len(f.Claims) != 2 || f.Claims[0].Verdict != report.Holds || f.Claims[1].Verdict != report.Contradicted ||
		f.Claims[1].Ours != "on 1 of 2" {
		t.Errorf("%+v", f.Claims)
	}
}

// TestScale: a single size gives times and memory, but no growth; no size at all is an error.
func TestScale(t *testing.T) {
	l := labOf(t, "hta", 0, 1)
	l.seeds = l.seeds[:1]
	f := drawn(t, "hta-scale", l)
	for _, c := range f.Curves {
		if p := c.Points; len(p) != 1 || p[0].X != 1000 || p[0].Mean() <= 0 {
			t.Errorf("%+v", c)
		}
	}
	for _, c := range f.Claims {
		if c.Published != "≤ 2000" && c.Published != "≤ 1536" {
			t.Errorf("%+v", c)
		}
	}
	l.tasksMax = 999
	list, err := Find("hta-scale")
	fail(t, err)
	if _, err := list[0].Draw(l, func(int, int) {}); !errors.As(err, new(*engine.UsageError)) {
		t.Errorf("no task at all: %v", err)
	}
}
