package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mrsched/model"
	"mrsched/model/cluster"
	"mrsched/solver"
)

func cpu() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func psplib(t testing.TB, file string) *cluster.Instance {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Skip(err)
	}
	b, at := model.NewBuilder(), model.Locus{}
	b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "", at)
	b.Node(model.Node{ID: "n", Kind: model.HostNode}, "rack", at)
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, at)
	section := ""
	var succ [][2]int
	for _, line := range strings.Split(string(raw), "\n") {
		f := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "PRECEDENCE"), strings.HasPrefix(line, "REQUESTS"), strings.HasPrefix(line, "RESOURCEAV"):
			section = f[0]
			continue
		case len(f) == 0 || strings.HasPrefix(line, "***") || strings.HasPrefix(line, "---"):
			continue
		}
		var v []int
		for _, x := range f {
			if n, err := strconv.Atoi(x); err == nil {
				v = append(v, n)
			}
		}
		if len(v) < 3 || len(v) != len(f) {
			continue
		}
		switch section {
		case "PRECEDENCE":
			for _, s := range v[3:] {
				succ = append(succ, [2]int{v[0], s})
			}
		case "REQUESTS/DURATIONS:":
			id := fmt.Sprint("t", v[0])
			b.Task(model.Task{ID: id, Processing: model.Some(model.Time(v[2]) * model.Second)}, "j", "", at)
			for r, d := range v[3:] {
				b.Demand(model.TaskDemand{Resource: fmt.Sprint("r", r), Amount: model.Amount(d) * model.UnitAmount}, id, at)
			}
		case "RESOURCEAVAILABILITIES:":
			for r, d := range v {
				b.Capacity(model.Capacity{Resource: fmt.Sprint("r", r), Amount: model.Amount(d) * model.UnitAmount}, "n", at)
			}
		}
	}
	for _, s := range succ {
		b.Delay(fmt.Sprint("t", s[0]), fmt.Sprint("t", s[1]), 0, at)
	}
	return build(t, b).Under(cluster.Makespan)
}

func TestMeasurePSPLIB(t *testing.T) {
	if os.Getenv("PSPLIB") == "" {
		t.Skip()
	}
	raw, _ := os.ReadFile("/work/shared/bench/psplib/optima.csv")
	opt := map[string]float64{}
	for _, line := range strings.Fields(string(raw)) {
		f := strings.Split(line, ",")
		opt[f[0]], _ = strconv.ParseFloat(f[len(f)-1], 64)
	}
	files, _ := filepath.Glob("/work/shared/bench/psplib/*.sm")
	var sum [4]float64
	var proven [4]int
	n := 0
	begin := cpu()
	for _, f := range files {
		in := psplib(t, f)
		o, ok := opt[filepath.Base(f)]
		if !ok {
			o, ok = opt[strings.TrimSuffix(filepath.Base(f), ".sm")]
		}
		if !ok {
			t.Fatal(f)
		}
		b, err := newPricing(in)
		if err != nil {
			t.Fatal(err)
		}
		c, err := b.jobsAlone()
		if err != nil {
			t.Fatal(err)
		}
		var v [4]float64
		v[0] = value(t, &cluster.Certificate{Claim: model.Claim{Value: in.Objective.Rat(in.Cost(in.Objective, in.Alone)).RatString()}})
		v[1] = value(t, c)
		c2, s, err := b.twoSided(context.Background(), solver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		v[2] = value(t, c2)
		_ = s
		c3, err := b.shaving(context.Background(), max(v[0], v[1], v[2])*1e6, o*1e6, solver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		v[3] = value(t, c3)
		n++
		for k, x := range v {
			if k > 0 {
				x = max(x, v[k-1])
			}
			v[k] = x
			x = float64(int(x + 0.999999))
			sum[k] += o / x
			if x >= o {
				proven[k]++
			}
			if x > o {
				t.Fatal(f, v, o)
			}
		}
	}
	for k := range sum {
		t.Log(sum[k]/float64(n), proven[k], n)
	}
	t.Log(cpu() - begin)
}
