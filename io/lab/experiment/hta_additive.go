package experiment

import (
	"context"
	"fmt"
	"slices"

	"mrsched/io/report"
	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver/flow"
)

// The replicated instances of which exact can prove the optimum: additiveCount of each kind per seed; and the servers
// of the instances that meet the guarantee, of which nothing is random.
const additiveCount = 10

var thm54Servers = []int{3, 4, 5, 6, 7, 8, 9, 10}

func additiveCases() (cases []htaCase) {
	for _, replicas := range []int{1, 2, 3} {
		for _, zipf := range []float64{0, 0.5, 1, 1.5} {
			for _, perRemote := range []float64{0, 0.05} {
				cases = append(cases, htaCase{preset: "replicated", tasks: 60, servers: 9, replicas: replicas, remote: 3,
					perRemote: perRemote, zipf: zipf})
			}
		}
	}
	return cases
}

func thm54Cases() (cases []htaCase) {
	for _, n := range thm54Servers {
		cases = append(cases, htaCase{preset: "thm54", servers: n})
	}
	return cases
}

// leastRemote is the least number of remote tasks of an assignment whose makespan is at most a limit, if there is one:
// with at most τ = ⌊limit/w_loc⌋ local tasks per server a maximum flow leaves this many, and moving tasks along it to
// servers that hold them raises no load beyond the limit (docs/mathematics.md has the proof).
func leastRemote(ctx context.Context, in *hta.Instance, limit model.Time) int {
	g := flow.Bipartite{Rights: in.Servers, Supply: make([]int32, in.Blocks)}
	g.First, g.Right = in.ReplicaRows()
	for b := range g.Supply {
		g.Supply[b] = in.Readers(int32(b))
	}
	remote := 0
	for _, x := range flow.Balance(ctx, &g).Load {
		if in.Cost.Local > 0 {
			remote += int(max(0, model.Time(x)-limit/in.Cost.Local))
		}
	}
	return remote
}

// excess is how far an algorithm is from the proven optimum of one instance.
type excess struct {
	over    model.Time // makespan − optimum
	unit    model.Time // w_rem(r_opt)
	servers int
}

// share is the excess in units of w_rem(r_opt).
func (e excess) share() float64 { return quotient(e.over, e.unit) }

// used is the excess as a share of (1 − 1/(n−1))·w_rem(r_opt); two servers allow none.
func (e excess) used() float64 {
	if e.over == 0 {
		return 0
	}
	return float64(e.over) * float64(e.servers-1) / (float64(e.unit) * float64(e.servers-2))
}

// allowed says whether the excess is what Theorem 5.4 allows.
func (e excess) allowed() bool {
	return e.over*model.Time(e.servers-1) <= e.unit*model.Time(e.servers-2)
}

// excesses are those of an algorithm on instances with a proven optimum and at least two servers, which the theorem is
// about. The unit is the least over all optimal assignments, as in the theorem's proof.
func excesses(ctx context.Context, list []*assigned, algorithm string) (out []excess) {
	for _, a := range list {
		if a.optimum.Known && a.in.Servers >= 2 {
			unit := a.in.Cost.Remote.At(leastRemote(ctx, a.in, a.optimum.Value))
			out = append(out, excess{a.makespan[algorithm] - a.optimum.Value, unit, a.in.Servers})
		}
	}
	return out
}

// additive is about Theorem 5.4, whose guarantee flow and best have.
func additive(f *figure) {
	f.Parameters["small_instances"] = smallCount * len(f.seeds)
	f.Parameters["replicated_instances"] = len(additiveCases()) * additiveCount * len(f.seeds)
	small, replicated := f.assignSmall("flow"), f.assignCases(additiveCases(), additiveCount, "flow")
	algorithms := []string{"flow", "best"}
	for color, a := range algorithms {
		f.additive(a, "random small", report.Main, color, small)
		f.additive(a, "replicated", report.Alternative, color, replicated)
	}
	tight := f.assignCases(thm54Cases(), 1, "flow")[:len(thm54Servers)]
	for _, a := range algorithms {
		var used samples
		for _, e := range excesses(f.ctx, tight, a) {
			used = append(used, e.used())
		}
		if a == "flow" {
			f.claim("the guarantee is met: excess as a share of what Theorem 5.4 allows (the paper sketches such a lower "+
				"bound for some costs and shows none)", near(1, 1e-9), used)
		} else {
			f.claim("the same for "+a, atMost(1, 0), used)
		}
	}
}

// additive draws the cumulative distribution of an algorithm's excesses, in percent, and claims the theorem.
func (f *figure) additive(algorithm, name string, style report.Style, color int, found []*assigned) {
	var t, optimal holding
	var share, used float64
	seeds := make([][]excess, len(f.seeds))
	for s, list := range slices.Collect(slices.Chunk(found, len(found)/len(seeds))) {
		seeds[s] = excesses(f.ctx, list, algorithm)
		for _, e := range seeds[s] {
			t.add(e.allowed())
			optimal.add(e.over == 0)
			share, used = max(share, e.share()), max(used, e.used())
		}
	}
	f.add(newCurve(algorithm+", "+name, style, color, steps(0, 0.05, 1), func(x float64) (list samples) {
		for _, all := range seeds {
			// The steps are sums of 0.05.
			below := len(slices.DeleteFunc(slices.Clone(all), func(e excess) bool { return e.share() > x+1e-9 }))
			list = append(list, 100*float64(below)/float64(max(1, len(all))))
		}
		return list
	}))
	f.theorem(t, fmt.Sprintf("Theorem 5.4: makespan ≤ optimum + (1 − 1/(n−1))·w_rem(r_opt) (%s, %s instances)", algorithm,
		name), fmt.Sprintf("optimal on %.1f %% of them; largest excess %.3f·w_rem(r_opt), largest share of what the theorem "+
		"allows %.3f; left out: %d", 100*float64(optimal.held)/float64(max(1, optimal.points)), share, used,
		len(found)-t.points))
}
