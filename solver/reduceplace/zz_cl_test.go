package reduceplace

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

func TestZZFlow(t *testing.T) {
	lambda, _ := strconv.ParseFloat(os.Getenv("L"), 64)
	jobs, _ := strconv.Atoi(os.Getenv("N"))
	in := zzInstance(jobs, 1000, lambda, 100, 10, 1)
	a := time.Now()
	tl := in.Timeline()
	fmt.Println("timeline", time.Since(a), len(tl.Periods), "intervals", len(tl.Intervals))
	a = time.Now()
	var f lineFlow
	var nnz, dnz, steps, levels, biggest, pts, settled, ones, dense int
	var peak int32
	for pi := range tl.Periods {
		p := &tl.Periods[pi]
		iv := tl.Intervals[p.First:p.Last]
		w := make([]int64, len(iv))
		c := make([]int32, len(iv))
		for k, v := range iv {
			n, b := in.Amount(v)
			w[k], c[k] = b/int64(n), n
		}
		f.load(p, iv, w, c)
		pts += int(p.Points)
		if p.Points == 1 { ones++ }
		biggest = max(biggest, len(iv))
		peak = max(peak, p.Peak)
		old := make([]int64, p.Points)
		for {
			u, _ := f.step(held)
			if u == 0 {
				break
			}
			steps++
			levels += int(u)
			dense += int(p.Points)
			for v := range p.Points {
				if f.done[v] == f.time { settled++ }
				y := f.potent[v+1] - f.potent[v]
				if y != 0 {
					nnz++
				}
				if y != old[v] {
					dnz++
				}
				if y < 0 { panic(1) }
				old[v] = y
			}
		}
	}
	fmt.Println("flow", time.Since(a), "steps", steps, "levels", levels, "points", pts, "1pt", ones, "biggest", biggest, "peak", peak, "dense", dense, "nnz", nnz, "delta nnz", dnz, "settled", settled)
}
