package lcg

import (
	"bytes"
	"compress/gzip"

	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"mrsched/model/proof"
	"time"
)

func readPatterson(path string) *proof.Model {
	raw, _ := os.ReadFile(path)
	var num []int64
	for _, f := range strings.Fields(string(raw)) {
		x, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			panic(path + f)
		}
		num = append(num, x)
	}
	at := 0
	next := func() int64 { at++; return num[at-1] }
	n, r := int(next()), int(next())
	m := &proof.Model{Objective: int32(n - 1)}
	for range r {
		m.Limits = append(m.Limits, proof.Limit{Capacity: next()})
	}
	total := int64(0)
	length := make([]int64, n)
	for u := range n {
		p := next()
		length[u] = p
		total += p
		for k := range r {
			if d := next(); d > 0 && p > 0 {
				m.Limits[k].Tasks = append(m.Limits[k].Tasks, proof.Need{Variable: int32(u), Length: p, Amount: d})
			}
		}
		for range next() {
			m.Arcs = append(m.Arcs, proof.Arc{From: int32(u), To: int32(next() - 1), Delay: p})
		}
	}
	for range n {
		m.Least, m.Most = append(m.Least, 0), append(m.Most, total)
	}
	return m
}

func readSM(path string) *proof.Model {
	raw, _ := os.ReadFile(path)
	lines := strings.Split(string(raw), "\n")
	var succ [][]int64
	mode := ""
	m := &proof.Model{}
	var length []int64
	total := int64(0)
	var dem [][]int64
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l, "PRECEDENCE"):
			mode = "p"
			continue
		case strings.HasPrefix(l, "REQUESTS"):
			mode = "r"
			continue
		case strings.HasPrefix(l, "RESOURCEAVAIL"):
			mode = "c"
			continue
		case strings.HasPrefix(l, "*"):
			mode = ""
		}
		var f []int64
		bad := false
		for _, x := range strings.Fields(l) {
			v, err := strconv.ParseInt(x, 10, 64)
			if err != nil {
				bad = true
				break
			}
			f = append(f, v)
		}
		if bad || len(f) == 0 {
			continue
		}
		switch mode {
		case "p":
			succ = append(succ, f[3:])
		case "r":
			length = append(length, f[2])
			total += f[2]
			dem = append(dem, f[3:])
		case "c":
			for k, c := range f {
				lim := proof.Limit{Capacity: c}
				for u := range dem {
					if dem[u][k] > 0 && length[u] > 0 {
						lim.Tasks = append(lim.Tasks, proof.Need{Variable: int32(u), Length: length[u], Amount: dem[u][k]})
					}
				}
				m.Limits = append(m.Limits, lim)
			}
		}
	}
	for u := range succ {
		for _, v := range succ[u] {
			m.Arcs = append(m.Arcs, proof.Arc{From: int32(u), To: int32(v - 1), Delay: length[u]})
		}
		m.Least, m.Most = append(m.Least, 0), append(m.Most, total)
	}
	m.Objective = int32(len(succ) - 1)
	return m
}

func TestBenchTmp(t *testing.T) {
	glob := os.Getenv("LCG_BENCH")
	if glob == "" {
		t.Skip()
	}
	files, _ := filepath.Glob(glob)
	sort.Slice(files, func(i, j int) bool {
		return len(files[i]) < len(files[j]) || len(files[i]) == len(files[j]) && files[i] < files[j]
	})
	limit, _ := strconv.ParseFloat(os.Getenv("LCG_TIME"), 64)
	step, _ := strconv.Atoi(os.Getenv("LCG_STEP"))
	step = max(step, 1)
	known := map[string]int64{}
	for _, c := range []string{"psplib/optima.csv", "rcpsp/values.csv"} {
		raw, _ := os.ReadFile("/work/shared/bench/" + c)
		for _, l := range strings.Split(string(raw), "\n") {
			if f := strings.Split(l, ","); len(f) > 1 {
				known[f[0]], _ = strconv.ParseInt(f[1], 10, 64)
			}
		}
	}
	proven, sum, sumb := 0, int64(0), int64(0)
	for k, f := range files {
		if k%step != 0 {
			continue
		}
		var m *proof.Model
		if strings.HasSuffix(f, ".sm") {
			m = readSM(f)
		} else {
			m = readPatterson(f)
		}
		e := New(m)
		if os.Getenv("LCG_LOG") != "" {
			e.Log = &proof.Log{}
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(limit*float64(time.Second)))
		began := time.Now()
		best := m.Most[m.Objective] + 1
		if x := known[filepath.Base(f)]; os.Getenv("LCG_K") != "" && x > 0 {
			best = x
		}
		v := Found
		for v == Found {
			v = e.Try(ctx, best-1, 1<<40)
			if v == Found {
				best = e.Starts()[m.Objective]
			}
		}
		cancel()
		sec := time.Since(began).Seconds()
		b := e.Bound()
		if v == Refuted {
			proven++
			b = best
		}
		if e.Log != nil {
			raw := e.Log.Bytes()
			var z bytes.Buffer
			w := gzip.NewWriter(&z)
			w.Write(raw)
			w.Close()
			t0 := time.Now()
			least, imp, err := proof.Check(m, raw)
			fmt.Println("   log", e.Log.Size(), "trimmed", len(raw), "gz", z.Len(), "check", time.Since(t0), least, imp, err)
		}
		sum += best
		sumb += b
		fmt.Printf("%-16s %5d bound %5d %v %7.2f s %8d conflicts %6.0f/s %8d decisions %d clauses\n", filepath.Base(f), best, b, v == Refuted, sec, e.Conflicts, float64(e.Conflicts)/sec, e.Decisions, len(e.clauses))
	}
	fmt.Println("proven", proven, "sum", sum, "bound", sumb)
}
