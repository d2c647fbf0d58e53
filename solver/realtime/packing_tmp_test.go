package realtime

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"mrsched/model"
)

func youtube(t testing.TB, n, m int, seed uint64, reducers int64) packSpec {
	r := rand.New(rand.NewPCG(seed, 7))
	var s packSpec
	for range m {
		s.speeds = append(s.speeds, math.Exp(0.5*r.NormFloat64()))
	}
	row := make([]model.Time, n)
	for i := range row {
		row[i] = model.Time(1e6 * math.Pow(1-r.Float64(), -1/1.2))
		if row[i] > 1e9 { row[i] = 1e9 }
	}
	s.base = [][]model.Time{row}
	s.reducers = reducers
	return s
}

func unrelated(n, m int, seed uint64, reducers int64, span int) packSpec {
	r := rand.New(rand.NewPCG(seed, 7))
	var s packSpec
	job := make([][]model.Time, n)
	for i := range job {
		for range m {
			job[i] = append(job[i], model.Time(1+r.IntN(span)))
		}
	}
	for range m { s.speeds = append(s.speeds, 1) }
	s.times = [][][]model.Time{job}
	s.reducers = reducers
	return s
}

func TestTmp(t *testing.T) {
	run := func(name string, s packSpec, algs ...string) {
		if f := os.Getenv("ONLY"); f != "" && f != name { return }
		b := time.Now()
		in := packInstance(t, s)
		r := packRun(in)
		t.Log(name, "build", time.Since(b))
		b = time.Now()
		if err := r.prove(context.Background(), packOptions); err != nil { t.Fatal(err) }
		t.Log(name, "prove", time.Since(b), len(r.bounds))
		for _, x := range r.bounds { b = time.Now(); t.Log("   ", x.Method, packBound(t, in, x), "certify", time.Since(b)) }
		for _, a := range algs {
			b := time.Now()
			if why := r.Excludes(a); why != "" { t.Log("  ", a, why); continue }
			out, cost, bound := packSolve(t, r, a, packOptions)
			t.Log(name, a, out.Status, cost, bound, float64(cost)/float64(bound), out.Bounds[0].Method, time.Since(b), out.Found)
		}
	}
	ident := func(n, m int, seed uint64, span int) packSpec {
		r := rand.New(rand.NewPCG(seed, 7))
		s := packSpec{base: [][]model.Time{nil}}
		for range n { s.base[0] = append(s.base[0], model.Time(span/2+r.IntN(span))) }
		for range m { s.speeds = append(s.speeds, 1) }
		return s
	}
	flat := func(n, m int, seed uint64, red int64) packSpec {
		s := youtube(t, n, m, seed, red)
		for i := range s.base[0] { s.base[0][i] = min(s.base[0][i], 5e6) }
		return s
	}
	run("i30x10", ident(30, 10, 1, 1e6), "lst", "best")
	run("i30x10s", ident(30, 10, 1, 1e2), "lst", "best")
	run("i20x7", ident(20, 7, 1, 1e6), "lst", "best", "exact")
	run("f40x23of82", flat(40, 82, 1, 23), "lst", "best")
	run("f60x23of82", flat(60, 82, 1, 23), "lst", "best")
	run("f100x23of82", flat(100, 82, 1, 23), "lst", "best")
	run("f1000x23of82", flat(1000, 82, 1, 23), "lst", "best")
	run("u40x23", unrelated(40, 23, 1, 0, 1e6), "lst", "best", "exact")
	run("u60x10", unrelated(60, 10, 1, 0, 1e6), "lst", "best")
	run("u40x20of8", unrelated(40, 20, 1, 8, 1e6), "lst", "best")
	run("u1000x23", unrelated(1000, 23, 1, 0, 1e6), "lst", "best")
	run("u2000x50", unrelated(2000, 50, 1, 0, 1e6), "lst", "best")
	run("u5000x100", unrelated(5000, 100, 1, 0, 1e6), "lst", "best")
	run("big", youtube(t, 100000, 1000, 1, 0), "lst", "best")
}
