package cluster

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/cluster"
	"mrsched/solver"
)

func value(t testing.TB, c *cluster.Certificate) float64 {
	if c == nil {
		return 0
	}
	v, ok := new(big.Rat).SetString(c.Value)
	if !ok {
		t.Fatal(c.Value)
	}
	f, _ := v.Float64()
	return f
}

func build(t testing.TB, b *model.Builder) *cluster.Instance {
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

func rwct(t testing.TB, file string) *cluster.Instance {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Skip(err)
	}
	b, at := model.NewBuilder(), model.Locus{}
	b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "", at)
	rows := [][]int64{}
	for _, line := range strings.Fields(string(raw)) {
		var row []int64
		for _, x := range strings.Split(strings.TrimSpace(line), ",") {
			v, err := strconv.ParseInt(x, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	for j, w := range rows[0] {
		b.Job(model.Job{ID: fmt.Sprint("j", j), Weight: model.Weight(w) * model.UnitWeight}, at)
		b.Task(model.Task{ID: fmt.Sprint("t", j)}, fmt.Sprint("j", j), "", at)
	}
	for i, row := range rows[1:] {
		b.Node(model.Node{ID: fmt.Sprint("n", i), Kind: model.HostNode}, "rack", at)
		for j, p := range row {
			b.GivenTime(model.GivenTime{Task: fmt.Sprint("t", j), Time: model.Time(p) * model.Second}, fmt.Sprint("j", j), fmt.Sprint("n", i), at)
		}
	}
	return build(t, b)
}

func TestMeasureRWCT(t *testing.T) {
	files, _ := filepath.Glob("/work/shared/bench/rwct/*.csv")
	n, worst, sum := 0, 2.0, 0.0
	for _, f := range files {
		want := known(filepath.Base(f))
		if want == 0 || os.Getenv("RWCT") == "" {
			continue
		}
		in := rwct(t, f)
		b, err := newPricing(in)
		if err != nil {
			t.Fatal(err)
		}
		begin := cpu()
		aim, _ := (&run{in: in}).someCost(context.Background())
		_, s, err := b.twoSided(context.Background(), solver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c2, err := b.cells(context.Background(), s, aim, solver.Options{Iterations: 1000, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		c3, err := b.jobPrices(context.Background(), c2, aim, solver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		v := value(t, c3) / want
		fmt.Println(filepath.Base(f), aim/1e12/want, value(t, c2)/want, v, cpu()-begin)
		n, worst, sum = n+1, min(worst, v), sum+v
	}
	fmt.Println(n, worst, sum/float64(n))
}

func known(file string) float64 {
	raw, _ := os.ReadFile("/work/shared/bench/rwct/values.csv")
	for _, line := range strings.Fields(string(raw)) {
		f := strings.Split(line, ",")
		if f[0]+".csv" == file {
			v, _ := strconv.ParseFloat(f[3], 64)
			return v
		}
	}
	return 0
}
