package unrelated

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model"
	"mrsched/model/tier"
)

// matrix is the instance of times by task and class. counts is the number of machines by class; nil: one each.
func matrix(times [][]model.Time, counts []int, most int) *Instance {
	s := Spec{Tasks: len(times), Most: most, Time: func(i, c int) model.Time { return times[i][c] }}
	for c := range times[0] {
		n := 1
		if counts != nil {
			n = counts[c]
		}
		s.Speed = append(s.Speed, 1)
		for range n {
			s.Class = append(s.Class, int32(c))
		}
	}
	if most == 0 {
		s.Most = len(s.Class)
	}
	return New(s)
}

// speeds is the instance of related machines, one of each speed.
func speeds(sizes, speed []float64) *Instance {
	s := Spec{Tasks: len(sizes), Speed: speed, Most: len(speed), Related: true,
		Time: func(i, c int) model.Time { return model.Time(math.Round(sizes[i] / speed[c])) }}
	for c := range speed {
		s.Class = append(s.Class, int32(c))
	}
	return New(s)
}

// skewed draws tasks of power-law sizes on machines of log-normal speeds.
func skewed(r *rand.Rand, tasks, machines int) *Instance {
	size, speed := make([]float64, tasks), make([]float64, machines)
	for c := range speed {
		speed[c] = math.Exp(0.5 * r.NormFloat64())
	}
	for i := range size {
		size[i] = math.Round(min(1e6*math.Pow(1-r.Float64(), -1/1.2), 2e7))
	}
	return speeds(size, speed)
}

// drawTimes draws times from 1 to most.
func drawTimes(r *rand.Rand, tasks, classes, most int) [][]model.Time {
	times := make([][]model.Time, tasks)
	for i := range times {
		for range classes {
			times[i] = append(times[i], model.Time(1+r.IntN(most)))
		}
	}
	return times
}

// tiny draws an instance that brute force can solve.
func tiny(r *rand.Rand) *Instance {
	if r.IntN(3) == 0 {
		return skewed(r, 1+r.IntN(6), 1+r.IntN(4))
	}
	times := drawTimes(r, 1+r.IntN(6), 1+r.IntN(3), []int{9, 1000}[r.IntN(2)])
	counts, machines := make([]int, len(times[0])), 0
	for c := range counts {
		counts[c] = 1 + r.IntN(2)
		machines += counts[c]
	}
	return matrix(times, counts, 1+r.IntN(machines))
}

// brute is the least makespan over all assignments.
func brute(in *Instance) model.Time {
	best, a := model.MaxTime, make(Assignment, in.n)
	var place func(i int)
	place = func(i int) {
		if i == in.n {
			if in.Used(a) <= in.most {
				best = min(best, in.Makespan(a))
			}
			return
		}
		for k := range int32(in.m) {
			a[i] = k
			place(i + 1)
		}
	}
	place(0)
	return best
}

// holds checks a proof independently of how it was found: knapsacks by trying all sets, decisions by a table of the
// permitted machines.
func holds(in *Instance, p *Proof, limit model.Time, may func(i int, k int32) bool) bool {
	if b := p.Branch; b != nil {
		alike := func(k int32) bool { // may be renamed
			for i := range in.n {
				if may(i, k) != may(i, b.Machine) {
					return false
				}
			}
			return in.class[k] == in.class[b.Machine]
		}
		return holds(in, &b.On, limit, func(i int, k int32) bool {
			return may(i, k) && (i != int(b.Task) || k == b.Machine)
		}) && holds(in, &b.Off, limit, func(i int, k int32) bool {
			return may(i, k) && (i != int(b.Task) || !alike(k))
		})
	}
	need, worth := int64(0), make([]int64, in.m)
	for i := range in.n {
		least, nowhere := int64(math.MaxInt64), true
		for k := range int32(in.m) {
			if in.on(i, k) <= limit && may(i, k) {
				nowhere = false
				if p.Machines != nil {
					least = min(least, p.Machines[k]*int64(in.on(i, k)))
				}
			}
		}
		if nowhere {
			return true
		}
		if p.Tasks != nil {
			least = p.Tasks[i]
		}
		need += least
	}
	for k := range int32(in.m) {
		if p.Machines != nil {
			worth[k] = p.Machines[k] * int64(limit/in.unit*in.unit)
		} else if p.Tasks != nil {
			worth[k] = bestSet(in, p.Tasks, k, limit, may)
		}
	}
	slices.Sort(worth)
	for _, v := range worth[in.m-in.most:] {
		need -= v
	}
	return need > 0 && (p.Machines != nil || p.Tasks != nil)
}

// bestSet is the largest price of a set of tasks that fits on a machine.
func bestSet(in *Instance, price []int64, k int32, limit model.Time, may func(i int, k int32) bool) (best int64) {
	for set := range 1 << in.n {
		value, weight := int64(0), model.Time(0)
		for i := range in.n {
			if set>>i&1 == 1 {
				value, weight = value+price[i], weight+in.on(i, k)
				if !may(i, k) {
					weight = model.MaxTime / 2
				}
			}
		}
		if weight <= limit {
			best = max(best, value)
		}
	}
	return best
}

func anywhere(int, int32) bool { return true }

// TestOrder: on instances that brute force solves, T* ≤ root bound ≤ optimum, and prices of tasks improve on T* for
// some. Trees decide the optimum, the search finds it, and rounding at most doubles T*. Every proof holds.
func TestOrder(t *testing.T) {
	ctx := context.Background()
	better, tried := 0, tier.Draws(120, 900)
	for seed := range uint64(tried) {
		in := tiny(rand.New(rand.NewPCG(seed, 1)))
		want := brute(in)
		relaxed, err := in.RelaxedBound(ctx)
		if err != nil {
			t.Fatal(err)
		}
		root, err := in.RootBound(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if relaxed.Value > root.Value || root.Value > want {
			t.Fatalf("seed %d: T* %d, root %d, optimum %d", seed, relaxed.Value, root.Value, want)
		}
		if root.Value > relaxed.Value {
			better++
		}
		for _, b := range []Bound{relaxed, root} {
			if b.Value > want || b.Value > 0 && !holds(in, &b.Proof, b.Value-1, anywhere) ||
				holds(in, &b.Proof, want, anywhere) {
				t.Fatalf("seed %d: %+v", seed, b)
			}
		}
		if a, err := in.Round(ctx); err != nil || a != nil && !in.Limited() && in.Makespan(a) > 2*relaxed.Value {
			t.Fatalf("seed %d: rounded %v, %v", seed, a, err)
		}
		decide(t, in, want)
		x := NewSearch([]*Instance{in}, []Bound{relaxed}, func() {})
		x.Start(ctx)
		for round := range uint64(20) {
			if x.Done() {
				break
			}
			if _, err := x.Round(ctx, round, 10_000, 1<<40); err != nil {
				t.Fatal(err)
			}
		}
		if _, a, cost := x.Best(); !x.Done() || cost != want || in.Makespan(a) != cost || in.Used(a) > in.most {
			t.Fatalf("seed %d: search %d, optimum %d", seed, cost, want)
		}
		if b := x.Bounds()[0]; b.Value != want || want > 0 && !holds(in, &b.Proof, want-1, anywhere) {
			t.Fatalf("seed %d: bound %+v, optimum %d", seed, b, want)
		}
	}
	if better*10 < tried {
		t.Errorf("prices of tasks are better on %d of %d instances", better, tried)
	}
}

// decide asks for the optimum and for less.
func decide(t *testing.T, in *Instance, want model.Time) {
	t.Helper()
	ask := func(limit model.Time) *Answer {
		a, err := in.Decide(context.Background(), Question{Limit: limit, Nodes: math.MaxInt, Work: math.MaxInt64})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask(want); a.Verdict != Feasible || in.Makespan(a.Assignment) > want || in.Used(a.Assignment) > in.most {
		t.Fatalf("at the optimum %+v", a)
	}
	if a := ask(want - 1); a.Verdict != Refuted || !holds(in, a.Proof, want-1, anywhere) {
		t.Fatalf("below the optimum %+v", a)
	}
	if _, ok, err := Confirm(context.Background(), []*Instance{in}, want, math.MaxInt); !ok || err != nil {
		t.Fatalf("not confirmed: %v", err)
	}
	if _, ok, _ := Confirm(context.Background(), []*Instance{in}, want+in.unit, math.MaxInt); ok {
		t.Fatal("more than the optimum is confirmed")
	}
}

// TestLeastBounds: of several instances, as for the sets of a job, the least bound bounds the least optimum, and no
// bound is wrong. If all times are multiples of a long unit, so are bounds on related machines. Proofs hold.
func TestLeastBounds(t *testing.T) {
	for seed := range uint64(tier.Draws(200, 2000)) {
		r := rand.New(rand.NewPCG(seed, 5))
		coarse := seed%2 == 0
		list := make([]*Instance, 1+r.IntN(4))
		for k := range list {
			if coarse {
				list[k] = coarseTimes(r)
			} else {
				list[k] = tiny(r)
			}
		}
		machines, tasks, err := LeastBounds(t.Context(), list)
		if err != nil {
			t.Fatal(err)
		}
		for k, in := range list {
			b, want := tasks[k], brute(in)
			if machines[k].Value > b.Value || b.Value > want || coarse && b.Value%in.unit != 0 ||
				b.Value > 0 && !holds(in, &b.Proof, b.Value-1, anywhere) {
				t.Fatalf("seed %d: %s and %s, in units of %s, optimum %s: %+v", seed, machines[k].Value, b.Value, in.unit, want,
					b.Proof)
			}
		}
	}
}

// coarseTimes draws related machines and times that are multiples of a long unit.
func coarseTimes(r *rand.Rand) *Instance {
	size, speed := make([]float64, 2+r.IntN(5)), make([]float64, 1+r.IntN(3))
	for i := range size {
		size[i] = float64(1+r.IntN(40)) * 250_000
	}
	for c := range speed {
		speed[c] = float64(1 + r.IntN(2))
	}
	return speeds(size, speed)
}

// TestDivisible: pieces may run where the whole takes too long, so one task of 10 on two machines takes 5.
func TestDivisible(t *testing.T) {
	in := New(Spec{Tasks: 1, Class: []int32{0, 0}, Speed: []float64{1}, Most: 2, Divisible: true,
		Time: func(int, int) model.Time { return 10 }})
	if b, err := in.RootBound(context.Background()); err != nil || b.Value != 5 {
		t.Errorf("%d, %v", b.Value, err)
	}
	a, err := in.Decide(context.Background(), Question{Limit: 5, Nodes: 9, Work: 1 << 40})
	if err != nil || a.Verdict != Undecided {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestRelated: on related machines the closed form equals T* of the linear program, up to the rounding of times to
// microseconds. Rounding stays within twice T* from any vertex.
func TestRelated(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 4))
		in := skewed(r, 5+r.IntN(60), 2+r.IntN(6))
		exact, err := in.relax(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		closed := Bound{Value: in.longest()}
		in.relatedBound(t.Context(), &closed)
		if d := closed.Value - exact.Value; d > 0 || d < -model.Time(in.n) {
			t.Errorf("seed %d: closed form %s, LP %s", seed, closed.Value, exact.Value)
		}
		for name, shares := range map[string][]share{"LP": exact.shares, "filled": in.relatedShares(exact.Value)} {
			if a := in.spread(in.matchSplit(shares)); in.Makespan(a) > 2*exact.Value {
				t.Errorf("seed %d, %s: %s, more than twice %s", seed, name, in.Makespan(a), exact.Value)
			}
		}
	}
}

// TestSampled: prices of a sample prove T* of more tasks up to three percent.
func TestSampled(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	in := matrix(drawTimes(r, 600, 8, 1e6), nil, 0)
	exact, err := in.relax(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sampled := Bound{Value: in.longest()}
	if err := in.sampledBound(t.Context(), &sampled, 1600); err != nil {
		t.Fatal(err)
	}
	if sampled.Value > exact.Value || float64(sampled.Value) < 0.97*float64(exact.Value) {
		t.Errorf("sample %s, LP %s", sampled.Value, exact.Value)
	}
}

// TestAdvance compares the limit that prices refute with the one found by trying all.
func TestAdvance(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		times := drawTimes(random, 2+random.IntN(6), 3, 30)
		in := matrix(times, nil, 0)
		trial := make([]float64, in.n)
		for i := range trial {
			trial[i] = random.Float64()
		}
		d := in.newConfiguration(in.longest(), trial, rootWork).dual()
		_, whole, _ := d.price(trial, 0)
		high, want := in.Makespan(in.Greedy()), in.longest()
		refutes := func(limit model.Time) bool {
			d.limit = limit
			v, _ := d.worth(whole, 0)
			return v > 0
		}
		for want < high && refutes(want) {
			want += in.unit
		}
		if want == in.longest() {
			continue
		}
		if got := d.advance(whole, in.longest(), random.Float64(), high, 0); got != want {
			t.Fatalf("%v: %d, want %d", times, got, want)
		}
		if got := d.advance(whole, in.longest(), 0, high, rootPart); got > want || got <= in.longest() {
			t.Fatalf("%v: about %d, want %d", times, got, want)
		}
	}
}
