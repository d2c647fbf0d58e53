package shop

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/model/tier"
	"mrsched/solver"
)

// TestBrute: on tiny instances of all features and objectives, exact is optimal, the search is never worse than a list
// schedule, no bound exceeds the optimum, and every schedule is valid.
func TestBrute(t *testing.T) {
	tier.Slow(t)
	r := rand.New(rand.NewPCG(11, 3))
	tried := 0
	for k := 0; tried < tier.Draws(50, 1600); k++ {
		in := small(t, r, k)
		if in.Tasks > 5 {
			continue
		}
		tried++
		want := brute(in)
		optimum := in.Objective.Rat(want.first.Into(new(big.Int)))
		optimum.Sub(optimum, in.Less())
		cost := map[string]price{}
		for _, a := range algorithms() {
			out := outcome(t, &run{in: in}, a.Name, testOptions)
			p := priceOf(in, in.Completions(out.Schedule))
			cost[a.Name] = p
			if p.less(want) || a.Name == "exact" && want.less(p) && (in.Objective != shop.Makespan || p.first != want.first) {
				t.Errorf("instance %d: %s costs %v, brute force %v", k, a.Name, p, want)
			}
			if p.less(cost["best"]) && a.Name != "exact" {
				t.Errorf("instance %d: %s is cheaper than best", k, a.Name)
			}
			if a.Exhaustive && out.Status != model.StatusOptimal {
				t.Errorf("instance %d: exact ends with %s", k, out.Status)
			}
			atMost(t, in, out, optimum, k)
		}
	}
}

// TestMedium: on larger instances with calendars, fixed tasks, places and reading, every schedule is valid. Two threads
// give the same schedules and bounds as one. Bounds of several jobs with cells and two-sided prices exceed those of
// single jobs on some.
func TestMedium(t *testing.T) {
	tier.Slow(t)
	better := 0
	for k := range uint64(tier.Draws(6, 24)) {
		in := medium(t, k)
		for _, a := range algorithms() {
			if a.Exhaustive {
				continue
			}
			more := testOptions
			more.Threads = 2
			out, again := outcome(t, &run{in: in}, a.Name, testOptions), outcome(t, &run{in: in}, a.Name, more)
			if !reflect.DeepEqual(out.Schedule, again.Schedule) || !reflect.DeepEqual(out.Bounds, again.Bounds) {
				t.Errorf("%d: %s differs at two threads", k, a.Name)
			}
		}
		out, opt := &solver.Outcome{}, solver.Options{Iterations: 40, Threads: 1}
		if err := (&run{in: in}).bounds(t.Context(), t.Context(), out, true, opt); err != nil {
			t.Fatal(err)
		}
		alone, most := new(big.Rat), new(big.Rat)
		for _, b := range out.Bounds {
			v := rounded(t, in, b.Certificate.(*shop.Certificate))
			if b.Method == shop.MethodAlone {
				alone = v
			}
			if v.Cmp(most) > 0 {
				most = v
			}
		}
		if most.Cmp(alone) > 0 {
			better++
		}
	}
	if better == 0 {
		t.Errorf("no bound exceeds that of single jobs")
	}
}

// TestNoPlace: nodes that leave for good have room for only some tasks, so no algorithm finds a schedule.
func TestNoPlace(t *testing.T) {
	b := begun(0)
	b.Unavailable(model.Unavailable{From: 10 * model.Second}, "n0", model.Locus{})
	add(b, "x", 6, 1)
	add(b, "y", 6, 1)
	in := built(t, b, shop.WeightedEnds)
	for _, a := range algorithms() {
		if out := outcome(t, &run{in: in}, a.Name, testOptions); out.Schedule != nil || out.Status != model.StatusLimit {
			t.Errorf("%s: %+v", a.Name, out)
		}
	}
}

// TestProfile compares a profile with an array of the free amount in every unit of time.
func TestProfile(t *testing.T) {
	const end = 300
	r := rand.New(rand.NewPCG(2, 2))
	for range 300 {
		p := profile{at: []model.Time{beginning}, free: []int64{5, 9}}
		var flat [end][2]int64
		for k := range flat {
			flat[k] = [2]int64{5, 9}
		}
		type taken struct {
			start, end model.Time
			demand     []int64
		}
		var list []taken
		for range 25 {
			demand := []int64{int64(r.IntN(4)), int64(r.IntN(6))}
			from, length := model.Time(r.IntN(30)), model.Time(1+r.IntN(9))
			room := func(s model.Time) bool {
				for k := s; k < s+length && k < end; k++ {
					if flat[k][0] < demand[0] || flat[k][1] < demand[1] {
						return false
					}
				}
				return true
			}
			first, last := from, model.Time(end)
			for !room(first) {
				first++
			}
			for last -= length; last >= 0 && !room(last); {
				last--
			}
			if got := p.earliest(from, length, shop.Never, demand); got != first {
				t.Fatalf("earliest from %d for %d: %d, expected %d", from, length, got, first)
			}
			if got := p.latest(end, length, 0, demand); last >= 0 && got != last || last < 0 && got != beginning {
				t.Fatalf("latest for %d: %d, expected %d", length, got, last)
			}
			x, sign := taken{first, first + length, demand}, int64(-1)
			if len(list) > 0 && r.IntN(3) == 0 {
				k := r.IntN(len(list))
				x, sign = list[k], 1
				list = slices.Delete(list, k, k+1)
			} else {
				list = append(list, x)
			}
			p.add(x.start, x.end, x.demand, sign)
			for k := x.start; k < x.end && k < end; k++ {
				flat[k][0] += sign * x.demand[0]
				flat[k][1] += sign * x.demand[1]
			}
		}
	}
}

// TestQueue compares the tree with a scan.
func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for n := 1; n < 40; n++ {
		order := model.Indices(n)
		q := newQueue(order, 2)
		waits := map[int32][]int64{}
		for range 60 {
			k := int32(r.IntN(n))
			if waits[k] == nil {
				waits[k] = []int64{int64(r.IntN(5)), int64(r.IntN(5))}
				q.set(k, waits[k])
			} else {
				delete(waits, k)
				q.set(k, nil)
			}
			free, from := []int64{int64(r.IntN(5)), int64(r.IntN(5))}, int32(r.IntN(n))
			want := int32(-1)
			for k := from; k < int32(n) && want < 0; k++ {
				if d := waits[k]; d != nil && d[0] <= free[0] && d[1] <= free[1] {
					want = k
				}
			}
			if got := q.next(from, free); got != want {
				t.Fatalf("%d tasks: next from %d is %d, expected %d", n, from, got, want)
			}
		}
	}
}

// TestPolicies: two tenants share a node of 4 cores. Tenant x has four tasks of one core, released first; tenant y has
// two of two cores. fifo starts all of x. fair starts x, y, and then x, because y's other task does not fit. drf sees
// equal shares after two tasks of x and one of y.
func TestPolicies(t *testing.T) {
	b, at := hosts(4), model.Locus{}
	for k, tenant := range []string{"x", "y"} {
		b.Job(model.Job{ID: tenant, Tenant: tenant, Weight: model.UnitWeight}, at)
		for u := range 4 - 2*k {
			b.Task(model.Task{ID: fmt.Sprint(tenant, u), Processing: model.Some(model.Second), CPU: model.Some(float64(k + 1))},
				tenant, "", at)
		}
	}
	in := built(t, b, shop.WeightedEnds)
	for name, want := range map[string][]string{"fifo": {"x0", "x1", "x2", "x3"}, "fair": {"x0", "x1", "y0"},
		"drf": {"x0", "x1", "y0"}} {
		var first []string
		for _, e := range outcome(t, &run{in: in}, name, testOptions).Schedule.Entries {
			if id, _, _ := in.TaskName(e.Task); e.Start == 0 {
				first = append(first, id)
			}
		}
		if !slices.Equal(first, want) {
			t.Errorf("%s starts %v first, expected %v", name, first, want)
		}
	}
}

// TestNoTime: a limit that expires before any task is scheduled still yields a schedule.
func TestNoTime(t *testing.T) {
	in := medium(t, 1)
	ctx, cancel := context.WithDeadline(context.Background(), time.Now())
	defer cancel()
	out, err := (&run{in: in}).Solve(ctx, "best", testOptions)
	if err != nil || out.Schedule == nil || out.Status != model.StatusLimit {
		t.Fatalf("%v: %+v", err, out)
	}
}

// TestSharedBound: eight tasks of 10 s on three nodes take one of two licences each, of the root or of the rack to
// which their job is bound. Each licence runs four of them, which a bound proves.
func TestSharedBound(t *testing.T) {
	for _, place := range []string{"dc", "rack"} {
		b, at := begun(4, 4, 4), model.Locus{}
		b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "dc", at)
		b.Node(model.Node{ID: "far", Kind: model.HostNode, CPU: model.Some(4.0)}, "rack", at)
		b.Eligible("j", "", place, at)
		b.Capacity(model.Capacity{Resource: "licence", Amount: 2 * model.UnitAmount}, place, at)
		for k := range 8 {
			id := fmt.Sprint("t", k)
			add(b, id, 10, 0.5)
			b.Demand(model.TaskDemand{Resource: "licence", Amount: model.UnitAmount}, id, at)
		}
		in := built(t, b, shop.Makespan)
		for _, name := range []string{"fifo", "heft", "best"} {
			out := outcome(t, &run{in: in}, name, testOptions)
			if end := in.Evaluate(out.Schedule).Value.RatString(); end != "40" {
				t.Errorf("%s, %s: ends at %s, expected 40", place, name, end)
			}
			if v := rounded(t, in, out.Bounds[0].Certificate.(*shop.Certificate)); v.RatString() != "40" {
				t.Errorf("%s, %s: the bound is %s, expected 40", place, name, v.RatString())
			}
		}
	}
}
