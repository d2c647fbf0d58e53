package experiment

import (
	"math"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/model"
	"mrsched/model/tier"
	"mrsched/solver/multitenant"
)

// TestTenantFigures: six minutes of jobs give the paper's claims and ours, and threads change no byte.
func TestTenantFigures(t *testing.T) {
	tier.Slow(t)
	figures := drawn(t, "multitenant", 2, tried()...)
	claims := map[string]int{"multitenant-fig1": 3, "multitenant-table3": 4, "multitenant-fig8": 16, "multitenant-fig9": 6,
		"multitenant-fig10": 2, "multitenant-fig11": 6, "multitenant-fig12": 7,
		"multitenant-fig13": 10, "multitenant-fig14a": 8, "multitenant-fig14b": 10, "multitenant-small": 10,
		"multitenant-thresholds": 5}
	for name, f := range figures {
		if len(f.Claims) != claims[name] || len(f.Curves) == 0 {
			t.Errorf("%s: %d claims, %d curves", name, len(f.Claims), len(f.Curves))
		}
	}
	if len(figures) != len(claims) {
		t.Errorf("%d figures", len(figures))
	}
}

// TestTenantScenario: the paper's hours are cut to jobs-max percent, at most to all of them.
func TestTenantScenario(t *testing.T) {
	for most, want := range map[int][3]string{50: {"2", "1800", "9000"}, 100: {"4", "3600", "18000"},
		1000: {"4", "3600", "18000"}} {
		l := &Lab{Size: Size{JobsMax: most}}
		s := l.tenants(engine.Settings{"users": "7"}, engine.Settings{"saturation": "1"})
		if got := [3]string{s.generate["hours"], s.params["measure-from"], s.params["measure-until"]}; got != want ||
			s.generate["interarrival"] != "40" || s.generate["users"] != "7" || s.params["saturation"] != "1" {
			t.Errorf("jobs-max %d: %v, %+v", most, got, s)
		}
		if !s.steady(8100) || s.steady(1799) || s.steady(18001) {
			t.Errorf("jobs-max %d: the steady time", most)
		}
	}
}

// TestTenantConstants: the small cluster scales the preset's defaults.
func TestTenantConstants(t *testing.T) {
	p, err := engine.FindProblem("multitenant", nil)
	fail(t, err)
	l := &Lab{Size: Size{JobsMax: 1}, problem: p}
	w, err := generated("multitenant", "shufflewatcher", engine.Settings{"hours": "0.001"}, 1)
	fail(t, err)
	same, err := generated("multitenant", "shufflewatcher", engine.Settings{"hours": "0.001",
		"input-scale": number(largeScale), "users": number(largeUsers)}, 1)
	if err != nil || len(w.Jobs) != len(same.Jobs) || len(w.Tasks) != len(same.Tasks) ||
		w.Jobs[0].Release != same.Jobs[0].Release {
		t.Errorf("the preset's defaults are others: %v", err)
	}
	if s := l.smallTenants(smallUsers); math.Abs(asFloat(model.Number(s.generate["interarrival"]))-100) > 1e-12 ||
		math.Abs(asFloat(model.Number(s.generate["input-scale"]))-0.144) > 1e-12 {
		t.Errorf("%v", s.generate)
	}
}

// TestEffect by hand.
func TestEffect(t *testing.T) {
	f := &figure{nil, &report.Figure{}}
	for _, x := range []struct {
		published float64
		ours      []float64
		want      report.Verdict
	}{
		{40, []float64{22, 22.1}, report.Holds}, {40, []float64{10, 25}, report.Undecided},
		{-30, []float64{-70, -70.5}, report.Differs},
		{-30, []float64{-60, 10, -40}, report.Undecided}, {-30, []float64{5, 5.1}, report.Contradicted},
		{-30, []float64{-2, -2}, report.Contradicted},
	} {
		f.claim("", effect(x.published), x.ours)
		if c := f.Claims[len(f.Claims)-1]; c.Verdict != x.want || c.Published != x.published {
			t.Errorf("%v: %+v", x, c)
		}
	}
	for verdict, v := range map[report.Verdict][]float64{report.Holds: {1, 2}, report.Differs: {1, 0},
		report.Contradicted: {-1, 0}} {
		f.claim("", everySeed, v)
		if c := f.Claims[len(f.Claims)-1]; c.Verdict != verdict {
			t.Errorf("%v: %+v", v, c)
		}
	}
	for verdict, v := range map[report.Verdict][]float64{report.Holds: {0.3, 0.2}, report.Undecided: {10, -6},
		report.Contradicted: {-5, -5.1}} {
		f.claim("", hardly(1), v)
		if c := f.Claims[len(f.Claims)-1]; c.Verdict != verdict {
			t.Errorf("%v: %+v", v, c)
		}
	}
}

// TestReadTraffic by hand: two racks have uplinks of 10 bytes/s. Two minutes are read, from second 60 on. In the first
// minute one rack sends to the other at full rate. In the second, both send 4 bytes/s for 30 s; then nothing moves.
func TestReadTraffic(t *testing.T) {
	load := func(from, until model.Time, out0, out1 model.Bytes) multitenant.Load {
		return multitenant.Load{From: from * model.Second, Until: until * model.Second,
			Carried: [2][]model.Bytes{{out0, out1}, {out1, out0}}}
	}
	got := readTraffic([]multitenant.Load{load(0, 90, 900, 0), load(90, 120, 300, 0), load(120, 150, 120, 120)},
		[]int64{10, 10}, 60, 180)
	if len(got.minutes) != 2 || math.Abs(got.minutes[0]-50) > 1e-9 || math.Abs(got.minutes[1]-20) > 1e-9 {
		t.Errorf("minutes %v", got.minutes)
	}
	if math.Abs(got.full-50) > 1e-9 || math.Abs(got.slack-50) > 1e-9 {
		t.Errorf("%+v", got)
	}
	if v := (trafficRuns{got}).variation(); math.Abs(v[0]-100*math.Sqrt(450)/35) > 1e-9 { // of 50 and 20
		t.Errorf("variation %g", v)
	}
	if v := (trafficRuns{got}).minutes(func(load float64) bool { return load > 20 }); v[0] != 50 {
		t.Errorf("%g %% of the minutes", v)
	}
}
