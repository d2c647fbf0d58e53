package lcg

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model/proof"
)

// tiny draws a problem small enough to try everything: starts, options, ends, completions, the objective.
func tiny(r *rand.Rand) *proof.Model {
	n := 3 + r.IntN(4)
	m := &proof.Model{}
	add := func(least, most int64) int32 {
		m.Least, m.Most = append(m.Least, least), append(m.Most, most)
		return int32(len(m.Least) - 1)
	}
	length := make([]int64, n)
	for u := range n {
		length[u] = r.Int64N(4)
		least := r.Int64N(3)
		add(least, least+r.Int64N(10))
	}
	options := make([][]int32, n)
	if r.IntN(2) == 0 {
		n = min(n, 4)
		m.Least, m.Most, options = m.Least[:n], m.Most[:n], options[:n]
		for u := range min(n, 3) {
			options[u] = []int32{add(r.Int64N(6)/5, 1), add(r.Int64N(3)/2, 1)}
			m.Choices = append(m.Choices, proof.Choice{Start: int32(u), Options: options[u]})
		}
	}
	ends := make([]int32, n)
	for u := range n {
		ends[u] = add(0, 40)
		m.Arcs = append(m.Arcs, proof.Arc{From: int32(u), To: ends[u], Delay: length[u]})
		for _, o := range options[u] {
			if r.IntN(2) == 0 {
				m.Arcs = append(m.Arcs, proof.Arc{From: int32(u), To: ends[u], Delay: length[u] + r.Int64N(3), If: o})
			}
		}
		for v := range u {
			if r.IntN(4) == 0 {
				m.Arcs = append(m.Arcs, proof.Arc{From: ends[v], To: int32(u), Delay: r.Int64N(3) - 1})
			}
		}
	}
	m.Objective = add(0, 20)
	addObjective(r, m, ends)
	for range 1 + r.IntN(2) {
		addLimits(r, m, length, options)
	}
	return m
}

// addObjective draws a makespan, or a sum of terms.
func addObjective(r *rand.Rand, m *proof.Model, ends []int32) {
	if r.IntN(2) == 0 {
		for _, v := range ends {
			m.Arcs = append(m.Arcs, proof.Arc{From: v, To: m.Objective})
		}
		return
	}
	x := proof.Sum{Of: m.Objective}
	for _, v := range ends {
		x.Terms = append(x.Terms, proof.Term{Variable: v, Due: r.Int64N(8), Factor: 1 + r.Int64N(3), Step: r.IntN(2) == 0})
	}
	m.Sums = append(m.Sums, x)
}

// addLimits draws a limit of each node, and perhaps of both, where lengths may depend on the node.
func addLimits(r *rand.Rand, m *proof.Model, length []int64, options [][]int32) {
	for _, nodes := range [][]int{{0}, {1}, {0, 1}}[:2+r.IntN(2)] {
		l := proof.Limit{Capacity: 1 + r.Int64N(4)}
		for u := range options {
			d := r.Int64N(l.Capacity + 1)
			for _, node := range nodes {
				at := int32(0)
				if len(options[u]) > 0 {
					at = options[u][node]
				}
				if d > 0 && length[u] > 0 && (at > 0 || node == 0) {
					p := length[u] + int64(3*node*(len(nodes)-1))
					l.Tasks = append(l.Tasks, proof.Need{Variable: int32(u), Length: p, Amount: d, If: at})
				}
			}
		}
		m.Limits = append(m.Limits, l)
	}
}

// holds reports whether starts satisfy a model.
func holds(m *proof.Model, s []int64) bool {
	for v := range s {
		if s[v] < m.Least[v] || s[v] > m.Most[v] {
			return false
		}
	}
	for _, a := range m.Arcs {
		if s[a.To] < s[a.From]+a.Delay && (a.If == 0 || s[a.If] == 1) {
			return false
		}
	}
	for k := range m.Choices {
		if !slices.ContainsFunc(m.Choices[k].Options, func(o int32) bool { return s[o] == 1 }) {
			return false
		}
	}
	for _, x := range m.Sums {
		if s[x.Of] < sum(x, s) {
			return false
		}
	}
	for _, l := range m.Limits {
		for _, x := range l.Tasks {
			need := int64(0)
			for _, y := range l.Tasks {
				if s[y.Variable] <= s[x.Variable] && s[x.Variable] < s[y.Variable]+y.Length && (y.If == 0 || s[y.If] == 1) {
					need += y.Amount
				}
			}
			if need > l.Capacity && (x.If == 0 || s[x.If] == 1) {
				return false
			}
		}
	}
	return true
}

// sum is the value of a sum.
func sum(x proof.Sum, s []int64) (total int64) {
	for _, t := range x.Terms {
		switch over := s[t.Variable] - t.Due; {
		case over > 0 && t.Step:
			total += t.Factor
		case over > 0:
			total += over * t.Factor
		}
	}
	return total
}

// brute is the least objective of all starts and options, or none, with some solutions; the objective and ends follow.
func brute(m *proof.Model) (least int64, some [][]int64) {
	s, best, decided, count := make([]int64, len(m.Least)), int64(none), 0, 0
	for m.Most[decided] < 20 {
		decided++
	}
	var extend func(v int)
	extend = func(v int) {
		if v < decided {
			for s[v] = m.Least[v]; s[v] <= m.Most[v]; s[v]++ {
				extend(v + 1)
			}
			return
		}
		for ; v < len(s); v++ {
			s[v] = m.Least[v]
			for _, a := range m.Arcs {
				if int(a.To) == v && (a.If == 0 || s[a.If] == 1) {
					s[v] = max(s[v], s[a.From]+a.Delay)
				}
			}
			for _, x := range m.Sums {
				if int(x.Of) == v {
					s[v] = max(s[v], sum(x, s))
				}
			}
		}
		if !holds(m, s) {
			return
		}
		if end := s[m.Objective]; best == none || end < best {
			best = end
		}
		if count++; count&(count-1) == 0 {
			some = append(some, slices.Clone(s))
		}
	}
	extend(0)
	return best, some
}

func TestBrute(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := tiny(r)
		want, some := brute(m)
		windows := [2][]int64{m.Least, m.Most}
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
			for _, s := range some { // each clause has a literal that is true
				m.Least, m.Most = s, s
				if least, impossible, err := proof.Check(m, log); err != nil || impossible || least != s[m.Objective] {
					t.Fatalf("seed %d: solution %v: %d %v %v", seed, s, least, impossible, err)
				}
			}
			m.Least, m.Most = windows[0], windows[1]
		}
	}
}

// TestTrim: a log that is trimmed many times proves as much.
func TestTrim(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 33))
	m := &proof.Model{Objective: 20, Limits: make([]proof.Limit, 3)}
	for u := range int32(20) {
		p := 1 + r.Int64N(10)
		m.Least, m.Most = append(m.Least, 0), append(m.Most, 200)
		m.Arcs = append(m.Arcs, proof.Arc{From: u, To: 20, Delay: p})
		for range min(u, 1) {
			m.Arcs = append(m.Arcs, proof.Arc{From: r.Int32N(u), To: u, Delay: p})
		}
		for k := range m.Limits {
			m.Limits[k].Capacity = 12
			m.Limits[k].Tasks = append(m.Limits[k].Tasks, proof.Need{Variable: u, Length: p, Amount: 1 + r.Int64N(9)})
		}
	}
	m.Least, m.Most = append(m.Least, 0), append(m.Most, 200)
	search := func(limit int, each func(e *Engine)) (*Engine, int64) {
		e, got := New(m), int64(201)
		e.Log, e.MaxLog, e.room = &proof.Log{}, limit, 2000
		for v := Open; v != Refuted; each(e) {
			if v = e.Try(t.Context(), got-1, 200); v == Found {
				got = e.Starts()[m.Objective]
			}
		}
		return e, got
	}
	trims := 0
	short, want := search(0, func(e *Engine) {
		was := e.Log.Steps()
		if e.shorten(); e.Log.Steps() < was {
			trims++
		}
	})
	if trims < 10 {
		t.Errorf("%d trims in %d conflicts", trims, short.Conflicts)
	}
	if least, impossible, err := proof.Check(m, short.Log.Bytes()); err != nil || impossible || least != want {
		t.Errorf("the log proves %d, %v, %v; the search ends at %d", least, impossible, err, want)
	}
	if e, got := search(1000, func(*Engine) {}); got != want || e.Log != nil {
		t.Errorf("%d without a log that is too long", got)
	}
}

// No change of a log makes it prove more than there is.
func TestCorrupted(t *testing.T) {
	accepted := 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := tiny(r)
		e := New(m)
		want, _ := brute(m)
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
