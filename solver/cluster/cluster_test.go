package cluster

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/cluster"
	"mrsched/solver"
)

var testOptions = solver.Options{Iterations: 60, Seed: 1, Threads: 1}

func small(t *testing.T, r *rand.Rand, k int) *cluster.Instance {
	t.Helper()
	w, err := instances.SmallCluster(r, k)
	if err != nil {
		t.Fatal(err)
	}
	in, err := cluster.New(w)
	if err != nil {
		t.Fatal(err)
	}
	return in.Under(cluster.Objective(cluster.Objectives()[k%4]))
}

// brute is the least price over all orders of tasks and all nodes, with each task as early as it fits. One of these
// schedules is optimal.
func brute(in *cluster.Instance) (best price) {
	b, found := newBoard(in), false
	ready, waiting := slices.Clone(in.Earliest), slices.Clone(in.Preds)
	left := 0
	for u := range int32(in.Tasks) {
		if in.Fixed(u) {
			b.pass(u, b.end[u], ready, waiting)
		} else {
			left++
		}
	}
	var extend func(left int, ready []model.Time, waiting []int32)
	extend = func(left int, ready []model.Time, waiting []int32) {
		if left == 0 {
			if p := priceOf(in, in.Completions(b.schedule())); !found || p.less(best) {
				best, found = p, true
			}
			return
		}
		for u := range int32(in.Tasks) {
			if b.node[u] != model.None || waiting[u] > 0 {
				continue
			}
			for i := range int32(in.Nodes) {
				at, ok := b.soonest(u, ready[u], cluster.Never-1, []int32{i})
				if !ok {
					continue
				}
				b.place(u, i, at.start)
				nextReady, nextWaiting := slices.Clone(ready), slices.Clone(waiting)
				b.pass(u, at.end, nextReady, nextWaiting)
				extend(left-1, nextReady, nextWaiting)
				b.remove(u)
			}
		}
	}
	extend(left, ready, waiting)
	return best
}

// TestBrute: on tiny instances of all features and objectives, exact is optimal, the search is never worse than a list
// schedule, no bound exceeds the optimum, and every schedule is valid.
func TestBrute(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 3))
	for k := range 160 {
		in := small(t, r, k)
		if in.Tasks > 5 {
			continue
		}
		want := brute(in)
		run := &run{in: in}
		cost := map[string]price{}
		for _, a := range algorithms() {
			out, err := run.Solve(context.Background(), a.Name, testOptions)
			if err != nil {
				t.Fatal(err)
			}
			if found := in.Check(out.Schedule); len(found) > 0 {
				t.Fatalf("instance %d: %s: %s", k, a.Name, found[0])
			}
			p := priceOf(in, in.Completions(out.Schedule))
			cost[a.Name] = p
			if p.less(want) || a.Name == "exact" && want.less(p) {
				t.Errorf("instance %d: %s costs %v, brute force %v", k, a.Name, p, want)
			}
			if p.less(cost["best"]) && a.Name != "exact" {
				t.Errorf("instance %d: %s is cheaper than best", k, a.Name)
			}
			if a.Exhaustive && out.Status != model.StatusOptimal {
				t.Errorf("instance %d: exact ends with %s", k, out.Status)
			}
			optimum := in.Objective.Rat(want.first.Into(new(big.Int)))
			for _, b := range out.Bounds {
				v, _ := new(big.Rat).SetString(b.Certificate.(*cluster.Certificate).Value)
				if v.Cmp(optimum) > 0 {
					t.Errorf("instance %d: bound %s of %s is above the optimum %s", k, v, b.Method, optimum)
				}
			}
		}
	}
}

// TestValid checks all algorithms on larger instances with calendars, fixed tasks, places and reading. Two threads must
// give the same schedule as one.
func TestValid(t *testing.T) {
	for k := range 12 {
		in := medium(t, uint64(k)).Under(cluster.Objective(cluster.Objectives()[k%4]))
		run := &run{in: in}
		for _, a := range algorithms() {
			if a.Exhaustive {
				continue
			}
			out, err := run.Solve(context.Background(), a.Name, testOptions)
			if err != nil {
				t.Fatal(err)
			}
			if found := in.Check(out.Schedule); len(found) > 0 {
				t.Fatalf("%d: %s: %s", k, a.Name, found[0])
			}
			more := testOptions
			more.Threads = 2
			again, err := run.Solve(context.Background(), a.Name, more)
			if err != nil || !reflect.DeepEqual(out.Schedule, again.Schedule) {
				t.Errorf("%d: %s differs at two threads: %v", k, a.Name, err)
			}
		}
	}
}

// medium has about forty tasks of all features.
func medium(t *testing.T, seed uint64) *cluster.Instance {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	b, at := model.NewBuilder(), model.Locus{}
	b.Scalars("medium", "cluster", model.Optional[int64]{}, nil)
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at)
	for i := range 6 {
		if i%3 == 0 {
			b.Node(model.Node{ID: fmt.Sprint("r", i/3), Kind: model.RackNode, Bandwidth: model.Some(1e8)}, "root", at)
		}
		n := model.Node{ID: fmt.Sprint("n", i), Kind: model.HostNode, CPU: model.Some(float64(4 + 4*(i%2))),
			Speed: model.Some(1 + float64(i%3)/2), Bandwidth: model.Some(5e7)}
		b.Node(n, fmt.Sprint("r", i/3), at)
		from := model.Time(40+r.IntN(100)) * model.Second
		b.Unavailable(model.Unavailable{From: from, Until: model.Some(from + 10*model.Second)}, n.ID, at)
	}
	b.FixedTask("j0.0", "n0", -model.Second, at)
	for j := range 6 {
		job := fmt.Sprint("j", j)
		b.Job(model.Job{ID: job, Release: model.Time(r.IntN(40)) * model.Second, Weight: model.Weight(1+r.IntN(5)) * model.UnitWeight,
			Deadline: model.Some(model.Time(40+r.IntN(60)) * model.Second), Tenant: fmt.Sprint("t", j%3)}, at)
		for u := range 7 {
			x := model.Task{ID: fmt.Sprintf("%s.%d", job, u), Processing: model.Some(model.Time(5+r.IntN(20)) * model.Second),
				CPU: model.Some(float64(1 + r.IntN(4))), InputBytes: model.Some(model.Bytes(r.IntN(1e9)))}
			if u > 4 {
				x.Kind = model.Reduce
			}
			if r.IntN(8) == 0 {
				x.Processing = model.Some(model.Time(0))
			}
			b.Task(x, job, fmt.Sprint("b", u), at)
			if j%3 == 1 && u > 1 {
				b.Delay(fmt.Sprintf("%s.%d", job, r.IntN(u)), x.ID, model.Second, at)
			}
		}
		if j > 3 {
			b.Dependency(job, "j1", model.Second, at)
		}
	}
	for u := range 5 {
		b.Placement(fmt.Sprint("b", u), fmt.Sprint("n", r.IntN(6)), at)
	}
	b.Eligible("j2", "", "r1", at)
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cluster.New(w)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestNoPlace: nodes that leave for good have room for only some tasks, so no algorithm finds a schedule.
func TestNoPlace(t *testing.T) {
	b, at := model.NewBuilder(), model.Locus{}
	b.Scalars("leaving", "cluster", model.Optional[int64]{}, nil)
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at)
	b.Node(model.Node{ID: "n", Kind: model.HostNode}, "root", at)
	b.Unavailable(model.Unavailable{From: 10 * model.Second}, "n", at)
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, at)
	for _, id := range []string{"x", "y"} {
		b.Task(model.Task{ID: id, Processing: model.Some(6 * model.Second)}, "j", "", at)
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cluster.New(w)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range algorithms() {
		out, err := (&run{in: in}).Solve(context.Background(), a.Name, testOptions)
		if err != nil || out.Schedule != nil || out.Status != model.StatusLimit {
			t.Errorf("%s: %+v, %v", a.Name, out, err)
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
			if got := p.earliest(from, length, cluster.Never, demand); got != first {
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
	b, at := model.NewBuilder(), model.Locus{}
	b.Scalars("tenants", "cluster", model.Optional[int64]{}, nil)
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at)
	b.Node(model.Node{ID: "n", Kind: model.HostNode, CPU: model.Some(4.0)}, "root", at)
	for k, tenant := range []string{"x", "y"} {
		b.Job(model.Job{ID: tenant, Tenant: tenant, Weight: model.UnitWeight}, at)
		for u := range 4 - 2*k {
			b.Task(model.Task{ID: fmt.Sprint(tenant, u), Processing: model.Some(model.Second), CPU: model.Some(float64(k + 1))}, tenant,
				"", at)
		}
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cluster.New(w)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{"fifo": {"x0", "x1", "x2", "x3"}, "fair": {"x0", "x1", "y0"},
		"drf": {"x0", "x1", "y0"}} {
		out, err := (&run{in: in}).Solve(context.Background(), name, testOptions)
		if err != nil {
			t.Fatal(err)
		}
		var first []string
		for _, e := range out.Schedule.Entries {
			if e.Start == 0 {
				first = append(first, w.Tasks[e.Task].ID)
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
