package msjo

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mrsched/model/shop"
	"mrsched/model/tier"
	"mrsched/solver"
)

// outcomeText is the outcome of an algorithm as text.
func outcomeText(t *testing.T, in *shop.Instance, p solver.Params, name string) string {
	t.Helper()
	out := outcome(t, prepared(in.Under(shop.Objective(p.Text("objective"))), p), name, brief(30))
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// perturbed are the values that TestParametersMatter tries besides the defaults.
var perturbed = map[string][]any{
	"epsilon": {0.3}, "formulation": {"published"}, "separation": {"every"}, "lp": {"lpsolve", "first-order"},
	"bound": {"lp", "two-sided", "all"}, "inequality": {"published"}, "prediction-error": {0.5}, "batch-interval": {2.0},
}

// TestParametersMatter: a parameter that an algorithm is documented to use changes the outcome of some instance, and
// any other one changes none. Both may depend on the other parameters.
func TestParametersMatter(t *testing.T) {
	tier.Repeats(t)
	random := rand.New(rand.NewPCG(11, 4))
	defaults := solver.Params{}
	for _, q := range Problem().Params {
		switch q.Kind {
		case solver.StringParam:
			defaults[q.Name] = q.Default
		case solver.FloatParam:
			defaults[q.Name] = map[bool]float64{true: 50}[q.Name == "batch-interval"]
		}
	}
	said, matters := map[string]bool{}, map[string]bool{}
	for k := range 12 {
		others := k < tier.Draws(2, 12) // whether to try what should change nothing
		in := mixed(t, random)
		for _, objective := range []string{"twjct", "twtct"} {
			for _, epsilon := range []float64{0, 0.3} {
				base := maps.Clone(defaults)
				base["objective"], base["epsilon"] = objective, epsilon
				for _, name := range everything[:len(everything)-1] {
					if name == "best" && !others {
						continue // need not change
					}
					before := ""
					for param, values := range perturbed {
						key := name + " under " + objective + ": --" + param
						for _, v := range values {
							other := maps.Clone(base)
							other[param] = v
							r := prepared(in, other)
							looks := slices.Contains(looksAt(name, base), param) || slices.Contains(looksAt(name, other), param)
							said[key] = said[key] || looks
							if r.p.contradiction() != nil || looks && matters[key] || !looks && !others {
								continue
							}
							if before == "" {
								before = outcomeText(t, in, base, name)
							}
							changed := outcomeText(t, in, other, name) != before
							if changed && !looks {
								t.Fatalf("%s=%v changes the outcome, epsilon %v", key, v, epsilon)
							}
							matters[key] = matters[key] || changed
						}
					}
				}
			}
		}
	}
	for key, looks := range said {
		// best uses whatever may change one of its first schedules; that one is seldom the cheapest.
		if looks && !matters[key] && !strings.HasPrefix(key, "best ") {
			t.Errorf("%s changes nothing", key)
		}
	}
}

// TestBestLooksAtAll: best uses all parameters of its first schedules.
func TestBestLooksAtAll(t *testing.T) {
	for _, objective := range []string{"twjct", "twtct"} {
		for _, epsilon := range []float64{0, 0.3} {
			p := solver.Params{"objective": objective, "epsilon": epsilon}
			best := looksAt("best", p)
			for _, name := range comparators {
				for _, param := range looksAt(name, p) {
					if !slices.Contains(best, param) {
						t.Errorf("%s looks at %s, and best does not: %v", name, param, p)
					}
				}
			}
		}
	}
}

// looksAt calls Uses with parameters by name.
func looksAt(algorithm string, p solver.Params) []string { return Problem().Uses(algorithm, p) }
