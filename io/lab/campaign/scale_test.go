package campaign

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// factors are multiplied with times.
var factors = []int64{2, 10, 1024, 1000}

// scales is the factor for the times of the k-th instance of a problem; 0 for none. In the other problems costs do not
// depend on times, or times follow from bytes and rates, and their multiples are not whole microseconds.
func scales(problem string, k int) int64 {
	if problem != "msjo" && problem != "hta" {
		return 0
	}
	return factors[k/len(regimes)%len(factors)]
}

// times multiplies all times of a workload.
func (d *document) times(factor int64) {
	scaled := func(v any) any {
		switch v := v.(type) {
		case json.Number:
			r, _ := new(big.Rat).SetString(v.String())
			return json.Number(r.Mul(r, big.NewRat(factor, 1)).FloatString(6))
		case row:
			for key, x := range v {
				n := x.(json.Number)
				r, _ := new(big.Rat).SetString(n.String())
				v[key] = json.Number(r.Mul(r, big.NewRat(factor, 1)).FloatString(6))
			}
		case []any:
			for i, x := range v {
				n := x.(json.Number)
				r, _ := new(big.Rat).SetString(n.String())
				v[i] = json.Number(r.Mul(r, big.NewRat(factor, 1)).FloatString(6))
			}
		}
		return v
	}
	for _, t := range []struct {
		rows []row
		keys []string
	}{{d.Jobs, []string{"release"}}, {d.Tasks, []string{"processing_time", "shuffle_delay", "release"}},
		{d.Delays, []string{"delay"}}, {[]row{d.Cost}, []string{"local", "rack", "remote"}}} {
		for _, r := range t.rows {
			for _, key := range t.keys {
				if v, ok := r[key]; ok {
					r[key] = scaled(v)
				}
			}
		}
	}
}

// scale solves an instance again with all times multiplied, and demands that costs and proven optima are multiplied
// too.
func (n *numbers) scale(k int, factor int64, dir string, flags []string) {
	if _, err := os.Stat(dir); err != nil {
		return // it was refused
	}
	d := extremes(n.problem, rand.New(rand.NewPCG(uint64(k), 1e12)), regimes[k%len(regimes)])
	d.times(factor)
	text, err := json.Marshal(d)
	if err != nil {
		n.t.Fatal(err)
	}
	w := filepath.Join(n.dir, fmt.Sprintf("w%d-%d.json", k, factor))
	if err := os.WriteFile(w, text, 0o600); err != nil {
		n.t.Fatal(err)
	}
	again := dir + "-scaled"
	if !n.solve(w, again, append([]string{"compare", "-a", "all"}, flags...)) {
		return // the times are too large now
	}
	n.inspect(w, again)
	was := n.results(dir)
	for i, now := range n.results(again) {
		if was[i].objective == nil || now.algorithm == "exact" && (now.status != "optimal" || was[i].status != "optimal") {
			continue
		}
		want := new(big.Rat).Mul(was[i].objective, big.NewRat(factor, 1))
		switch same := now.objective.Cmp(want) == 0; {
		case n.problem == "msjo" && slices.Contains(nearly, now.algorithm):
			n.followed++
			if !same {
				n.strayed++
			}
		case slices.Contains(exactly[n.problem], now.algorithm):
			n.scaled++
			if same {
				continue
			}
			n.miss(w, "%s: costs %s, and with all times times %d %s", now.algorithm, was[i].objective.FloatString(12), factor,
				now.objective.FloatString(12))
		}
	}
	if err := os.RemoveAll(again); err != nil {
		n.t.Fatal(err)
	}
}

// exactly are the algorithms whose schedules scale with the times; of exact, those that it proves optimal. Those that
// follow an LP in floating-point numbers are only counted. so-mars, which learns of jobs every so many seconds, and
// tmars and mares, whose tasks wait for times of the LP rounded to whole microseconds, are in neither list.
var exactly = map[string][]string{
	"msjo": {"exact", "huwf", "hjwf", "stf", "htwf", "wspt-list"},
	"hta":  {"exact", "round-robin", "flow", "best", "flow-lp"},
}

// nearly follow an LP.
var nearly = []string{"mars", "mars-list", "best", "tmars-list", "h-mares"}
