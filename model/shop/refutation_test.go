package shop_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/model/tier"
)

// graphJob draws a job of a stage graph, with some equal and zero lengths, delays and releases.
func graphJob(t *testing.T, r *rand.Rand, tasks, machines int) *shop.Instance {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("graph", "msjo", model.Some(int64(machines)), nil)
	b.Job(model.Job{ID: "j", Release: model.Time(r.IntN(3)), Weight: model.UnitWeight}, model.Locus{})
	longest, arcs, delays := 1+r.IntN(6), 1+r.IntN(6), r.IntN(2)*4
	for u := range tasks {
		task := model.Task{ID: fmt.Sprint(u), Kind: model.Map, Processing: model.Some(model.Time(r.IntN(longest + 1)))}
		if r.IntN(6) == 0 {
			task.Release = model.Some(model.Time(r.IntN(10)))
		}
		b.Task(task, "j", "", model.Locus{})
	}
	for u := range tasks {
		for v := u + 1; v < tasks; v++ {
			if r.IntN(arcs+1) == 0 {
				b.Delay(fmt.Sprint(u), fmt.Sprint(v), model.Time(r.IntN(delays+1)), model.Locus{})
			}
		}
	}
	w, err := b.Build()
	return openedIdentical(t, w, err)
}

func openedIdentical(t *testing.T, w *model.Workload, err error) *shop.Instance {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	in, err := shop.NewIdentical(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// earliestEnd enumerates all topological orders of a job's tasks.
func earliestEnd(in *shop.Instance, job int) model.Time {
	best := model.MaxHorizon
	ready, idle := make([]model.Time, in.Steps), make([]model.Time, in.Nodes)
	copy(ready, in.Earliest)
	var visit func(done []bool, left int, ready, idle []model.Time, end model.Time)
	visit = func(done []bool, left int, ready, idle []model.Time, end model.Time) {
		if left == 0 {
			best = min(best, end)
			return
		}
		for _, u := range in.JobSteps(job) {
			if done[u] || waits(in, job, u, done) {
				continue
			}
			nowReady, nowIdle, start := append([]model.Time(nil), ready...), append([]model.Time(nil), idle...), ready[u]
			if int(u) < in.Tasks {
				k := 0
				for i := range idle {
					if idle[i] < idle[k] {
						k = i
					}
				}
				start = max(start, idle[k])
				nowIdle[k] = start + in.Least[u]
			}
			until := start + in.Least[u]
			for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
				nowReady[in.SuccStep[a]] = max(nowReady[in.SuccStep[a]], until+in.SuccDelay[a])
			}
			done[u] = true
			visit(done, left-1, nowReady, nowIdle, max(end, until))
			done[u] = false
			if int(u) >= in.Tasks {
				return // placing a barrier at once loses nothing
			}
		}
	}
	visit(make([]bool, in.Steps), len(in.JobSteps(job)), ready, idle, 0)
	return best
}

func waits(in *shop.Instance, job int, u int32, done []bool) bool {
	for _, v := range in.JobSteps(job) {
		for a := in.SuccFirst[v]; a < in.SuccFirst[v+1]; a++ {
			if in.SuccStep[a] == u && !done[v] {
				return true
			}
		}
	}
	return false
}

// TestRefutations: both searches find a schedule at the earliest end and refute earlier ends. Certificates prove the
// earliest end and nothing more.
func TestRefutations(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	tried := tier.Draws(200, 5000)
	for k := range tried {
		in := graphJob(t, r, 1+r.IntN(7), 1+r.IntN(4))
		if k%2 == 0 {
			w, err := instances.SmallMSJO(r, 6, k%4 == 0)
			in = openedIdentical(t, w, err)
		}
		for j := range in.Jobs {
			refuteJob(t, in, j)
		}
	}
}

func refuteJob(t *testing.T, in *shop.Instance, j int) {
	t.Helper()
	end := earliestEnd(in, j)
	x := shop.NewAloneSearch(in, int32(j))
	if end%x.Unit != 0 || x.Least > end || x.Most < end {
		t.Fatalf("earliest end %s; in units of %s between %s and %s", end, x.Unit, x.Least, x.Most)
	}
	for _, reversed := range []bool{false, true} {
		claim := shop.Refutation{Due: end, Nodes: 1 << 20, Reversed: reversed}
		v, start, _ := x.Try(t.Context(), claim)
		if v != shop.SearchFound || x.End(start) != end {
			t.Fatalf("%+v: verdict %d, want a schedule", claim, v)
		}
		if _, err := provenEnd(in, j, claim); err == nil {
			t.Fatalf("%+v was accepted", claim)
		}
		if claim.Due -= x.Unit; claim.Due < 0 {
			continue
		}
		v, _, claim.Nodes = x.Try(t.Context(), claim)
		if v != shop.SearchRefuted {
			t.Fatalf("%+v: verdict %d", claim, v)
		}
		other := in.Lasting(in.Least) // has no remembered refutations
		if got, err := provenEnd(other, j, claim); err != nil || got != end {
			t.Fatalf("%+v proves %s (%v), want %s", claim, got, err, end)
		}
	}
}

func provenEnd(in *shop.Instance, j int, claim shop.Refutation) (model.Time, error) {
	w, err := shop.NewEvaluator(in).Windows(&shop.Bounds{Alone: []shop.AloneBound{{Job: int32(j), Refuted: &claim}}}, nil)
	if err != nil {
		return 0, err
	}
	return w.Job[j], nil
}

// TestSearchesAgree: on larger jobs both directions find the same earliest end, and schedules that attain it.
func TestSearchesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 13))
	tried := tier.Draws(20, 150)
	for range tried {
		in := graphJob(t, r, 10+r.IntN(10), 1+r.IntN(5))
		x := shop.NewAloneSearch(in, 0)
		var ends [2]model.Time
		for k := range ends {
			for due := x.Least; ; due += x.Unit {
				v, start, _ := x.Try(t.Context(), shop.Refutation{Due: due, Nodes: 1 << 20, Reversed: k == 1})
				if v == shop.SearchOpen {
					t.Fatal("a million nodes do not suffice")
				}
				if v == shop.SearchFound {
					ends[k] = x.End(start)
					break
				}
			}
		}
		if ends[0] != ends[1] {
			t.Fatalf("forwards %s, backwards %s", ends[0], ends[1])
		}
	}
}

// TestRefutationRefused: certificates with claims beyond the limits, or that the search does not prove, are rejected.
func TestRefutationRefused(t *testing.T) {
	in := graphJob(t, rand.New(rand.NewPCG(1, 2)), 6, 2)
	for _, c := range []struct {
		says  string
		claim shop.Refutation
	}{
		{"search of job", shop.Refutation{Due: -1, Nodes: 1}},
		{"search of job", shop.Refutation{Due: 1 << 62, Nodes: 1}},
		{"search of job", shop.Refutation{Due: 1}},
		{"too large", shop.Refutation{Due: 1, Nodes: shop.MaxSearch}},
		{"do not show", shop.Refutation{Due: earliestEnd(in, 0), Nodes: 1000}},
	} {
		if _, err := provenEnd(in, 0, c.claim); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.claim, err, c.says)
		}
	}
}
