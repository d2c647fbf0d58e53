package reduceplace

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"mrsched/solver"
	"mrsched/solver/flow"
)

// readMinCost reads a minimum-cost flow problem in DIMACS format.
func readMinCost(t *testing.T, text string) *flow.Network {
	t.Helper()
	var b flow.Builder
	for line := range strings.Lines(text) {
		var x, y, lower, capacity, cost int64
		switch line[0] {
		case 'p':
			fmt.Sscanf(line, "p min %d", &x)
			b.AddNodes(int(x))
		case 'n':
			fmt.Sscanf(line, "n %d %d", &x, &y)
			b.AddSupply(flow.Node(x-1), y)
		case 'a':
			fmt.Sscanf(line, "a %d %d %d %d %d", &x, &y, &lower, &capacity, &cost)
			if b.AddArc(flow.Node(x-1), flow.Node(y-1), capacity, cost); lower != 0 {
				t.Errorf("%q has a lower bound", line)
			}
		}
	}
	n, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The network of a level, solved by package flow, has the value that lp_solve finds for M_k.
func TestFormulateDIMACS(t *testing.T) {
	for seed := range uint64(60) {
		in := tiny(t, seed)
		line := in.Occupancy()
		num, den := unit(in, line)
		for level := int64(1); level <= 3; level++ {
			r := &run{in: in, p: solver.Bind[params](solver.Params{levelParam: level})}
			var text bytes.Buffer
			if err := r.Formulate(context.Background(), &text, "dimacs"); err != nil {
				t.Fatal(err)
			}
			n := readMinCost(t, text.String())
			result, err := flow.MinCost(context.Background(), n)
			if err != nil {
				t.Fatal(err)
			}
			cost := 0.0
			for a := range flow.Arc(n.NumArcs()) {
				cost -= float64(result.Flow[a]) * float64(n.Cost(a)) * float64(num) / float64(den)
			}
			for i := range in.Jobs { // what takes no time is on no arc
				if in.End[i] == in.Start[i] && in.Reduces[i] > 0 {
					cost += float64(in.Bytes[i])
				}
			}
			if want := heldByLP(t, in, int(level)); math.Abs(cost-want) > 1e-9*(1+want) {
				t.Errorf("seed %d, level %d: %v, lp_solve %v", seed, level, cost, want)
			}
		}
	}
}

func TestFormulatePrograms(t *testing.T) {
	r := runOf(queue(t, 5, 12, 0.9))
	for format, want := range map[string]string{"lp": "on_j0_s", "mps": "on_j0_s"} {
		var text strings.Builder
		if err := r.Formulate(context.Background(), &text, format); err != nil || !strings.Contains(text.String(), want) {
			t.Errorf("%s: %v\n%s", format, err, text.String())
		}
	}
	huge := runOf(queue(t, 6000, 1000, 0.9))
	if err := huge.Formulate(context.Background(), &strings.Builder{}, "lp"); err == nil {
		t.Error("a program of six million columns is written")
	}
}
