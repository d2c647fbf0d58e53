package lcg

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model/proof"
)

// tiny draws a problem small enough to try everything.
func tiny(r *rand.Rand) *proof.Model {
	n := 3 + r.IntN(4)
	m := &proof.Model{Objective: int32(n)}
	length := make([]int64, n)
	for u := range n {
		length[u] = r.Int64N(4)
		m.Least = append(m.Least, r.Int64N(3))
		m.Most = append(m.Most, m.Least[u]+r.Int64N(10))
		m.Arcs = append(m.Arcs, proof.Arc{From: int32(u), To: int32(n), Delay: length[u]})
		for v := range u {
			if r.IntN(4) == 0 {
				m.Arcs = append(m.Arcs, proof.Arc{From: int32(v), To: int32(u), Delay: length[v] + r.Int64N(3) - 1})
			}
		}
	}
	m.Least, m.Most = append(m.Least, 0), append(m.Most, 20)
	for range 1 + r.IntN(2) {
		l := proof.Limit{Capacity: 1 + r.Int64N(4)}
		for u := range n {
			if d := r.Int64N(l.Capacity + 1); d > 0 && length[u] > 0 {
				l.Tasks = append(l.Tasks, proof.Need{Variable: int32(u), Length: length[u], Amount: d})
			}
		}
		m.Limits = append(m.Limits, l)
	}
	return m
}

// holds reports whether starts satisfy a model.
func holds(m *proof.Model, s []int64) bool {
	for v := range s {
		if s[v] < m.Least[v] || s[v] > m.Most[v] {
			return false
		}
	}
	for _, a := range m.Arcs {
		if s[a.To] < s[a.From]+a.Delay {
			return false
		}
	}
	for _, l := range m.Limits {
		for _, x := range l.Tasks {
			sum := int64(0)
			for _, y := range l.Tasks {
				if s[y.Variable] <= s[x.Variable] && s[x.Variable] < s[y.Variable]+y.Length {
					sum += y.Amount
				}
			}
			if sum > l.Capacity {
				return false
			}
		}
	}
	return true
}

// brute is the least objective of all starts, or none.
func brute(m *proof.Model) int64 {
	s, best := make([]int64, len(m.Least)), int64(none)
	var extend func(v int)
	extend = func(v int) {
		if v == len(s)-1 {
			end := m.Least[v]
			for _, a := range m.Arcs {
				if int(a.To) == v {
					end = max(end, s[a.From]+a.Delay)
				}
			}
			if s[v] = end; (best == none || end < best) && holds(m, s) {
				best = end
			}
			return
		}
		for s[v] = m.Least[v]; s[v] <= m.Most[v]; s[v]++ {
			extend(v + 1)
		}
	}
	extend(0)
	return best
}

func TestBrute(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := tiny(r)
		want := brute(m)
		got := int64(none)
		e := New(m)
		e.Log = &proof.Log{}
		v := Found
		for limit := m.Most[m.Objective]; v == Found; limit = got - 1 {
			if v = e.Try(t.Context(), limit, 1<<40); v == Found {
				if got = e.Starts()[m.Objective]; !holds(m, e.Starts()) || got > limit {
					t.Fatalf("seed %d: not a schedule: %v", seed, e.Starts())
				}
			}
		}
		if got != want {
			t.Fatalf("seed %d: %d, brute force %d", seed, got, want)
		}
		for _, log := range [][]byte{e.Log.All(), e.Log.Bytes()} {
			least, impossible, err := proof.Check(m, log)
			if err != nil || impossible != (want == none) || !impossible && least != want {
				t.Fatalf("seed %d: proof: %d %v %v, brute force %d", seed, least, impossible, err, want)
			}
		}
	}
}

// No change of a log makes it prove more than there is.
func TestCorrupted(t *testing.T) {
	accepted := 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := tiny(r)
		e, want := New(m), brute(m)
		e.Log = &proof.Log{}
		last := m.Most[m.Objective]
		if want != none {
			last = want - 1
		}
		if v := e.Try(t.Context(), last, 1<<40); v != Refuted {
			t.Fatalf("seed %d: verdict %d", seed, v)
		}
		log := e.Log.Bytes()
		for range 10 {
			bad := slices.Clone(log)
			for range 1 + r.IntN(2) {
				k := r.IntN(len(bad))
				switch r.IntN(4) {
				case 0:
					bad = slices.Delete(bad, k, k+1)
				case 1:
					bad = slices.Insert(bad, k, byte(r.IntN(8)))
				case 2:
					bad[k] ^= 1 << r.IntN(8)
				default:
					bad[k] += byte(2*r.IntN(2)) - 1
				}
				if len(bad) == 0 {
					break
				}
			}
			least, impossible, err := proof.Check(m, bad)
			if err != nil {
				continue
			}
			if accepted++; want != none && (impossible || least > want) {
				t.Fatalf("seed %d: it proves %d %v, brute force %d", seed, least, impossible, want)
			}
		}
	}
	if accepted == 0 {
		t.Error("no changed log is valid")
	}
}
