package shop

import (
	"math/rand/v2"
	"testing"

	"mrsched/model/proof"
	"mrsched/model/tier"
)

// TestLargest: on tiny random models, no objective above the largest that a reason alone refutes has an overloaded
// interval, and that one has, or is too small for the longest chains.
func TestLargest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	intervals, chains := 0, 0
	for range tier.Draws(600, 20_000) {
		m, topo := tinyModel(r)
		const end = 40
		x := newReasons(m, topo)
		got, o := x.largest(end)
		want := int64(end - 1)
		chain, over := naive(m, want)
		for ; !over && want >= chain; _, over = naive(m, want) {
			want--
		}
		if chain >= end {
			continue // no solution is below end
		}
		if got != want || (o == nil) != (want < chain) || o != nil && !overloads(m, o, x, got) {
			t.Fatalf("%+v: %d by %+v, expected %d, the chain takes %d", m, got, o, want, chain)
		}
		if o != nil {
			intervals++
			continue
		}
		length := int64(0)
		for _, u := range x.chain(len(topo)) {
			length = max(length, m.Least[u]) + m.Arcs[u].Delay // to its end, as any arc to a successor
		}
		if chains++; length != chain && len(m.Sums) == 0 {
			t.Fatalf("%+v: the chain %v takes %d, expected %d", m, x.chain(len(topo)), length, chain)
		}
	}
	if intervals < 50 || chains < 50 {
		t.Errorf("%d intervals, %d chains", intervals, chains)
	}
}

// overloads says whether tasks need too much of an interval.
func overloads(m *proof.Model, o *overload, x *reasons, k int64) bool {
	least, most := x.windows(k)
	left := m.Limits[o.limit].Capacity * (o.until - o.from)
	for _, n := range m.Limits[o.limit].Tasks {
		left -= n.Amount * inside(&n, least, most, o.from, o.until)
	}
	return left < 0
}

// tinyModel has up to six tasks in order, their makespan or the sum of what two jobs cost, two limits and an absence.
func tinyModel(r *rand.Rand) (m *proof.Model, topo []int32) {
	n := 2 + r.IntN(5)
	m = &proof.Model{Objective: int32(n)}
	length, makespan, step := make([]int64, n), r.IntN(2) == 0, r.IntN(2) == 0
	for u := range int32(n) {
		length[u] = int64(1 + r.IntN(5))
		m.Least, m.Most = append(m.Least, int64(r.IntN(2)*r.IntN(8))), append(m.Most, 40)
		end := m.Objective
		if !makespan {
			end += 1 + u%2
		}
		m.Arcs = append(m.Arcs, proof.Arc{From: u, To: end, Delay: length[u]})
		topo = append(topo, u)
	}
	for u := range int32(n) {
		for v := u + 1; int(v) < n; v++ {
			if r.IntN(4) == 0 {
				m.Arcs = append(m.Arcs, proof.Arc{From: u, To: v, Delay: length[u]})
			}
		}
	}
	away := int64(r.IntN(9))
	m.Least, m.Most = append(m.Least, 0, 0, 0, away, 0), append(m.Most, 200, 60, 60, away, 1)
	if !makespan {
		x := proof.Sum{Of: m.Objective}
		for j := range int32(2) {
			x.Terms = append(x.Terms, proof.Term{Variable: int32(n) + 1 + j, Due: int64(r.IntN(12)), Factor: int64(1 + r.IntN(3)),
				Step: step})
		}
		m.Sums = []proof.Sum{x}
	}
	option := int32(n + 4)
	m.Arcs = append(m.Arcs, proof.Arc{From: 0, To: 1, Delay: 9, If: option})
	for range 2 {
		l := proof.Limit{Capacity: 2 * int64(2+r.IntN(3))}
		for u := range int32(n) {
			if r.IntN(3) > 0 {
				l.Tasks = append(l.Tasks, proof.Need{Variable: u, Length: length[u], Amount: 2 * int64(1+r.IntN(2)),
					If: option * int32(r.IntN(6)/5)})
			}
		}
		if r.IntN(2) == 0 {
			l.Tasks = append(l.Tasks, proof.Need{Variable: int32(n + 3), Length: 3, Amount: l.Capacity})
		}
		m.Limits = append(m.Limits, l)
	}
	return m, topo
}

// naive is the least objective by chains, and whether an interval is overloaded if the objective is at most k.
func naive(m *proof.Model, k int64) (chain int64, over bool) {
	least, most := append([]int64{}, m.Least...), append([]int64{}, m.Most...)
	most[m.Objective] = k
	for range m.Least {
		for _, a := range m.Arcs {
			if a.If == 0 {
				least[a.To] = max(least[a.To], least[a.From]+a.Delay)
				most[a.From] = min(most[a.From], most[a.To]-a.Delay)
			}
		}
	}
	cost := func(x proof.Sum, of int, s int64) (sum int64) {
		for i, t := range x.Terms {
			at := least[t.Variable]
			if i == of {
				at = s
			}
			switch late := at - t.Due; {
			case late > 0 && t.Step:
				sum += t.Factor
			case late > 0:
				sum += late * t.Factor
			}
		}
		return sum
	}
	for _, x := range m.Sums {
		least[x.Of] = cost(x, -1, 0)
		for i, t := range x.Terms {
			for most[t.Variable] > least[t.Variable] && cost(x, i, most[t.Variable]) > k {
				most[t.Variable]--
			}
		}
	}
	for range m.Least {
		for _, a := range m.Arcs {
			if a.If == 0 {
				most[a.From] = min(most[a.From], most[a.To]-a.Delay)
			}
		}
	}
	for _, l := range m.Limits {
		for a := int64(-1); a < 45; a++ {
			for b := a + 1; b < 46; b++ {
				need := int64(0)
				for _, n := range l.Tasks {
					ran := n.Length
					for _, s := range []int64{least[n.Variable], most[n.Variable]} {
						ran = min(ran, max(0, min(s+n.Length, b)-max(s, a)))
					}
					if n.If == 0 {
						need += ran * n.Amount
					}
				}
				over = over || need > l.Capacity*(b-a)
			}
		}
	}
	return least[m.Objective], over
}
