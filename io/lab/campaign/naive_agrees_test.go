package campaign

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"testing"

	"mrsched/instances"
	"mrsched/solver"
	"mrsched/solver/msjo"
)

// TestNaiveAgrees: the certificates of msjo state what naive evaluation computes; those of machine prices may state
// slightly less.
func TestNaiveAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	numbers := map[string]int{}
	for range 60 {
		w, err := instances.SmallMSJO(r, 24, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, objective := range []string{"twjct", "twtct"} {
			run, err := msjo.Problem().Open(w, solver.Params{"objective": objective, "bound": "all"})
			if err != nil {
				t.Fatal(err)
			}
			out, err := run.Solve(t.Context(), "stf", solver.Options{Iterations: 1000, Seed: 1, Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			n := &naive{problem: "msjo", view: run.View()}
			for _, b := range out.Bounds[1:] { // after the LP
				text, err := json.Marshal(b.Certificate)
				if err != nil {
					t.Fatal(err)
				}
				var p proof
				if err := unmarshal(text, &p); err != nil {
					t.Fatal(err)
				}
				value, err := map[string]func(*proof) (*big.Rat, error){"two-sided-prices": n.twoSided,
					"two-sided-task-prices": n.twoSidedTasks, "midpoint-prices": n.midpoints,
					"machine-prices": n.machinePrices, "completion-cases": n.machinePrices}[p.Kind](&p)
				stated, ok := new(big.Rat).SetString(p.Value)
				refined := p.Kind == "machine-prices" || p.Kind == "completion-cases"
				if err != nil || !ok || value.Cmp(stated) < 0 || value.Cmp(stated) > 0 && !refined {
					t.Fatalf("%s: %v, %v stated: %v\n%s", b.Method, value, p.Value, err, text)
				}
				numbers["alone"] += len(p.Alone)
				numbers["ends"] += len(p.Ends)
				numbers["starts"] += len(p.Starts)
				numbers["own"] += len(p.Own)
				if p.Cases != nil {
					numbers["cases"]++
				}
				numbers["groups"] += len(p.Before) + len(p.After)
			}
		}
	}
	for _, what := range []string{"alone", "ends", "starts", "groups", "own", "cases"} {
		if numbers[what] == 0 {
			t.Errorf("no certificate has numbers of kind %q: %v", what, numbers)
		}
	}
}
