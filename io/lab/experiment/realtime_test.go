package experiment

import (
	"slices"
	"strings"
	"testing"

	"mrsched/io/report"
	"mrsched/model"
	"mrsched/model/tier"
	"mrsched/solver/realtime"
)

// TestRealtimeFigures: two seeds do not contradict these claims, and threads change no byte.
func TestRealtimeFigures(t *testing.T) {
	tier.Slow(t)
	figures := drawn(t, "realtime", 4, tried()...)
	for _, x := range []struct {
		name  string
		holds []string // beginnings of claims
	}{
		{"realtime-fig1", []string{"skewness", "the skewness affects", "the load is imbalanced"}},
		{"realtime-fig4", []string{"with 300 past runs estimates of a map", "estimates of a map improve",
			"estimates of a partition improve"}},
		{"realtime-fig5-youtube", []string{"for a small number", "LLF has the smallest"}},
		{"realtime-fig6", []string{"most laxities", "the majority", "five tasks", "the workers of these five"}},
		{"realtime-fig8-youtube", []string{"DP takes less than Hadoop's", "DP takes less than SkewTune"}},
		{"realtime-fig9-youtube", []string{"DP takes less than LB", "DP takes less than default Hadoop"}},
		{"realtime-fig12", []string{"with sketches too, DP"}},
	} {
		f := figures[x.name]
		for _, beginning := range x.holds {
			i := slices.IndexFunc(f.Claims, func(c report.Claim) bool {
				return strings.HasPrefix(c.Claim, beginning)
			})
			if i < 0 || f.Claims[i].Verdict == report.Differs || f.Claims[i].Verdict == report.Contradicted {
				t.Errorf("%s: %q does not hold: %+v", x.name, beginning, f.Claims)
			}
		}
	}
}

// TestRealtimeFig5Cut: --jobs-max limits the loads, down to one job.
func TestRealtimeFig5Cut(t *testing.T) {
	f := drawn(t, "realtime-fig5", 1, 1)["realtime-fig5"]
	for _, c := range f.Curves {
		if len(c.Points) != 1 {
			t.Errorf("%s has %d points", c.Name, len(c.Points))
		}
	}
}

// TestSnapshot: the job's maps are dealt from the sixth slot on, so those on the five busy workers come last. These
// have one second less, at speed 1, than without.
func TestSnapshot(t *testing.T) {
	l := labOf(t, "realtime", 4)
	list, busy, err := l.sightings(1)
	fail(t, err)
	if len(list) != 59 || len(busy) != fig6Low {
		t.Fatalf("%d workers, %d busy", len(list), len(busy))
	}
	for i, s := range list {
		if busy[s.Worker] != (i < fig6Low) {
			t.Errorf("the %d-th least laxity, %s, is on worker %d", i+1, s.Laxity, s.Worker)
		}
		if i > 0 && s.Laxity < list[i-1].Laxity {
			t.Error("laxities fall")
		}
	}
}

// TestLearning: the last runs of the watched worker stay, and all runs of others, in their order; estimates need some.
func TestLearning(t *testing.T) {
	x, err := labOf(t, "realtime", 1).newLearning(1)
	fail(t, err)
	name := x.w.History[0].Worker
	for runs, want := range map[int]int{0: 81 * fig4Most, 3: 81*fig4Most + 3, fig4Most: 82 * fig4Most} {
		if w := x.known(runs, func(n string) bool { return n == name }); len(w.History) != want {
			t.Errorf("%d runs: %d rows, want %d", runs, len(w.History), want)
		} else if last := w.History[max(0, runs-1)]; runs > 0 && last != x.w.History[fig4Most-1] {
			t.Errorf("%d runs: the last is %+v", runs, last)
		}
	}
	if !x.in.IsMap(x.task[0]) || x.in.IsMap(x.task[1]) {
		t.Error("kinds are mixed up")
	}
}

// TestSight: laxities of 1 s ×9 and 0.5 s on a busy worker: half a second is missing, and nine of ten are near the
// median.
func TestSight(t *testing.T) {
	list := []realtime.Sighting{{Worker: 7, Laxity: model.Second / 2, Factor: 9, Overloaded: true},
		{Worker: 1, Laxity: model.Second, Factor: 1, Overloaded: true}}
	for range 8 {
		list = append(list, realtime.Sighting{Worker: 2, Laxity: model.Second, Factor: 1})
	}
	x := newSight(list, map[int32]bool{7: true})
	if x.median != 1000 || x.near != 90 || x.lower != 500 || x.found != 1 || x.other != 1 ||
		x.flagged[0] != 1000 || x.flagged[2] != 0 {
		t.Errorf("%+v", x)
	}
}

func straight(name string, ys ...float64) report.Curve {
	return newCurve(name, report.Main, 0, steps(1, 1, float64(len(ys))),
		func(x float64) samples { return samples{ys[int(x)-1], ys[int(x)-1]} })
}

// TestNoHigher: equal is not higher.
func TestNoHigher(t *testing.T) {
	low := straight("low", 1, 2, 3, 4)
	f := &figure{nil, &report.Figure{}}
	for _, x := range []struct {
		upper   report.Curve
		verdict report.Verdict
		ours    string
	}{
		{straight("u", 1, 2, 3, 4), report.Holds, "at 4 of 4 points"},
		{straight("u", 1, 2, 2.5, 4), report.Differs, "at 3 of 4 points, the opposite at 1"},
		{straight("u", 0, 1, 3, 3), report.Contradicted, "at 1 of 4 points, the opposite at 3"},
	} {
		f.noHigher("", low, x.upper)
		if c := f.Claims[len(f.Claims)-1]; c.Verdict != x.verdict || c.Ours != x.ours {
			t.Errorf("%+v", c)
		}
	}
}
