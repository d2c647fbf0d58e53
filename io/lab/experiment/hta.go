package experiment

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/model"
	"mrsched/model/hta"
)

// htaPaper proves theorems instead of measuring figures.
var htaPaper = paper{"hta", "Fischer, Su, Yin, SPAA 2010", []entry{
	{"hta-roundrobin", "Round robin against the optimum", "Theorems 4.1–4.3",
		"cost of a remote task, if a local one costs 1", "makespan / optimum", roundRobin},
	{"hta-additive", "How far the flow algorithm is from the optimum", "Theorem 5.4",
		"(makespan − optimum) / w_rem(r_opt)", "% of the instances, cumulative", additive},
	{"hta-sat", "3SAT formulas as task assignments", "Theorem 3.1", "clauses over 3 variables", "% of the formulas",
		satisfiability},
	{"hta-scale", "Time and memory of the flow algorithm", "", "tasks",
		"ms of processor time (full lines), MiB (broken lines)", scale},
}}

// htaCase holds a generator's parameters. Parameters that a preset lacks stay 0; zero costs stand for the preset's own.
type htaCase struct {
	preset                   string
	tasks, servers, replicas int
	extra                    bool // thm41: the second replica
	remote, perRemote        float64
	zipf                     float64
}

// workload makes the instance.
func (c htaCase) workload(seed uint64) (*model.Workload, error) {
	with := engine.Settings{"servers": strconv.Itoa(c.servers)}
	if c.tasks > 0 {
		with["tasks"] = strconv.Itoa(c.tasks)
	}
	if c.replicas > 0 {
		with["replicas"], with["zipf"], with["per-remote"] = strconv.Itoa(c.replicas), number(c.zipf), number(c.perRemote)
	}
	if c.remote > 0 {
		with["local"], with["remote"] = "1", number(c.remote)
	}
	if c.extra {
		with["extra-replica"] = "true"
	}
	return generated("hta", c.preset, with, seed)
}

// assigned is the outcome of algorithms on one instance.
type assigned struct {
	htaCase
	in       *hta.Instance
	makespan map[string]model.Time // by algorithm; for round-robin by tie rule
	bound    model.Time            // the highest that was certified
	optimum  model.Optional[model.Time]
}

// against is the optimum, or the bound if the optimum is not proven.
func (a *assigned) against() model.Time {
	if a.optimum.Known {
		return a.optimum.Value
	}
	return a.bound
}

// ratio is a makespan over the optimum.
func (a *assigned) ratio(name string) float64 { return quotient(a.makespan[name], a.against()) }

// assign runs an algorithm, or round robin under tie rules, and the algorithms that find the optimum: best, and exact
// if best's bound does not meet its makespan and the instance is small enough.
func (l *Lab) assign(ctx context.Context, w *model.Workload, seed uint64, names ...string) (*assigned, error) {
	x := &assigned{makespan: map[string]model.Time{}}
	run := func(label string) (model.Status, error) {
		name, params := label, engine.Settings(nil)
		if slices.Contains(htaTies, label) {
			name, params = "round-robin", engine.Settings{"tie": label}
		}
		o, err := l.open(w, params)
		if err != nil {
			return "", err
		}
		v, err := l.solve(ctx, o, name, scenario{}.options(seed), false)
		if err != nil {
			return "", err
		}
		x.in = o.Run.View().(*hta.Instance)
		x.bound = max(x.bound, upTime(engine.Strongest(v).Certified.Value))
		x.makespan[label] = x.in.Measure(x.in.Assigned(v.Schedule)).Makespan
		return v.Status, nil
	}
	for _, name := range slices.Concat(names, []string{"best"}) {
		if _, err := run(name); err != nil {
			return nil, err
		}
	}
	best := x.makespan["best"]
	proven := best == x.bound
	if exact, ok := l.problem.Algorithm("exact"); ok && !proven && x.in.Tasks <= exact.SizeLimit {
		status, err := run(exact.Name)
		if err != nil {
			return nil, err
		}
		proven, best = status == model.StatusOptimal, x.makespan[exact.Name]
	}
	if proven {
		x.optimum = model.Some(best)
	}
	return x, nil
}

// upTime rounds seconds up to a Time: no makespan lies in between.
func upTime(seconds *big.Rat) model.Time {
	ticks := new(big.Rat).Mul(seconds, big.NewRat(int64(model.Second), 1))
	down, rest := new(big.Int).QuoRem(ticks.Num(), ticks.Denom(), new(big.Int))
	return model.Time(down.Int64() + int64(rest.Sign()))
}

// smallCount is how many random small instances a seed stands for.
const smallCount = 500

// assignSmall solves random instances of a dozen tasks, by seed: those of validate's numbers 1, 2, ….
func (f *figure) assignSmall(names ...string) []*assigned {
	return measured(f.Lab, f.Name+" small", len(f.seeds)*smallCount, func(ctx context.Context, i int) (*assigned, error) {
		seed, k := f.seeds[i/smallCount], i%smallCount+1
		w, err := f.problem.Small.Generate(rand.New(rand.NewPCG(seed, uint64(k))), k)
		if err != nil {
			return nil, err
		}
		return f.assign(ctx, w, seed, names...)
	})
}

// assignCases solves generated instances: by seed, by case, count of each.
func (f *figure) assignCases(cases []htaCase, count int, names ...string) []*assigned {
	each := len(cases) * count
	name := fmt.Sprint(f.Name, cases)
	return measured(f.Lab, name, len(f.seeds)*each, func(ctx context.Context, i int) (*assigned, error) {
		seed, c := f.seeds[i/each], cases[i%each/count]
		w, err := c.workload(copySeed(seed, i%count))
		if err != nil {
			return nil, err
		}
		a, err := f.assign(ctx, w, seed, names...)
		if err == nil {
			a.htaCase = c
		}
		return a, err
	})
}

// holding counts the instances on which a theorem is seen to hold.
type holding struct{ held, points int }

func (t *holding) add(holds bool) {
	t.points++
	if holds {
		t.held++
	}
}

// theorem claims the counts, if there are any: one instance on which the theorem fails contradicts it.
func (f *figure) theorem(t holding, text, why string) {
	if t.points > 0 {
		f.state(report.Claim{Claim: text, Published: "always", Ours: fmt.Sprintf("on %d of %d", t.held, t.points),
			Verdict: report.Judge(t.held == t.points, true), Why: why})
	}
}

// quotient is a/b of two times.
func quotient(a, b model.Time) float64 { return float64(a) / float64(b) }

// htaTies are the tie rules of round-robin, htaRatios the costs w_rem of a remote task where a local one costs 1.
var (
	htaTies   = []string{"worst", "random", "first"}
	htaRatios = samples{1, 2, 3, 5}
)

// The sizes at which the constructions of Theorems 4.1 and 4.3 are measured; of thm43's, half have n | m.
var (
	thm41Servers = []int{2, 3, 5, 10, 50, 100}
	thm43Sizes   = []struct{ tasks, servers int }{{3, 3}, {8, 4}, {15, 5}, {24, 6}, {80, 10}, {360, 20}, {7, 4}, {13, 5},
		{23, 6}, {75, 10}, {350, 20}, {899, 31}}
)

// drawnCases are the instances that the figure draws, without costs.
var drawnCases = []struct {
	name string
	htaCase
	ties  []string
	style report.Style
	color int
}{
	{"thm43, 80 tasks on 10 servers", htaCase{preset: "thm43", tasks: 80, servers: 10}, htaTies, report.Main, 0},
	{"thm43, 75 tasks on 10 servers", htaCase{preset: "thm43", tasks: 75, servers: 10}, htaTies[:1], report.Alternative,
		6},
	{"thm41, 10 servers", htaCase{preset: "thm41", servers: 10, extra: true}, htaTies, report.Alternative, 0},
	{"replicated, 1000 tasks on 100 servers", usualCase, htaTies, report.Main, 3},
}

var usualCase = htaCase{preset: "replicated", tasks: 1000, servers: 100, replicas: 3}

func roundRobinCases() (cases []htaCase) {
	for _, w := range htaRatios {
		for _, n := range thm41Servers {
			cases = append(cases, htaCase{preset: "thm41", servers: n, remote: w},
				htaCase{preset: "thm41", servers: n, remote: w, extra: true})
		}
		for _, size := range thm43Sizes {
			cases = append(cases, htaCase{preset: "thm43", tasks: size.tasks, servers: size.servers, remote: w})
		}
		usual := usualCase
		usual.remote = w
		cases = append(cases, usual)
	}
	return cases
}

func roundRobin(f *figure) {
	found, small := f.assignCases(roundRobinCases(), 1, htaTies...), f.assignSmall(htaTies...)
	f.Parameters["ties"], f.Parameters["small_instances"] = htaTies, smallCount*len(f.seeds)
	f.Parameters["servers_thm41"], f.Parameters["tasks_and_servers_thm43"] = thm41Servers, fmt.Sprint(thm43Sizes)
	for _, set := range drawnCases {
		for i, tie := range set.ties {
			f.add(newCurve(set.name+", "+tie, set.style, set.color+i, htaRatios, func(w float64) (ratios samples) {
				set.remote = w
				for _, a := range found {
					if a.htaCase == set.htaCase {
						ratios = append(ratios, a.ratio(tie))
					}
				}
				return ratios
			}))
		}
	}
	limit := map[float64]float64{}
	for _, w := range htaRatios {
		limit[w] = w
	}
	f.marks("limit of Theorem 4.2", 6, limit)
	theorem41(f, found)
	theorem42(f, found, small)
	theorem43(f, found)
}

// theorem41 compares the graphs with the second replica with those before them, without.
func theorem41(f *figure, found []*assigned) {
	var grows holding
	for i, b := range found {
		if b.extra && b.remote > 1 {
			a := found[i-1]
			grows.add(a.makespan["worst"] == a.in.Cost.Local && b.makespan["worst"] == b.in.Cost.Remote.At(1))
		}
	}
	f.theorem(grows, "Theorem 4.1: one replica more raises the makespan from w_loc to w_rem (tie rule worst, every "+
		"w_rem > w_loc)", "")
}

// theorem42 compares everything that was measured with the limit.
func theorem42(f *figure, found, small []*assigned) {
	var uniform, growing holding
	worst := map[*holding]float64{} // ratio as a share of the limit, over small instances
	open := 0
	for i, a := range slices.Concat(found, small) {
		if !a.optimum.Known {
			open++
			continue
		}
		remote, t := a.in.Cost.Remote.At(a.in.Tasks), &uniform
		if !a.in.Cost.Remote.Constant() {
			t = &growing
		}
		for _, tie := range htaTies {
			t.add(a.makespan[tie]*a.in.Cost.Local <= remote*a.optimum.Value)
			if i >= len(found) && remote > a.in.Cost.Local {
				worst[t] = max(worst[t], quotient(a.makespan[tie]*a.in.Cost.Local, remote*a.optimum.Value))
			}
		}
	}
	why := func(t *holding) string {
		return fmt.Sprintf("largest ratio on random small instances: %.3f of the limit; optima not proven: %d", worst[t],
			open)
	}
	f.theorem(uniform, "Theorem 4.2: makespan ≤ (w_rem/w_loc)·optimum, uniform costs, every tie rule", why(&uniform))
	f.theorem(growing, "the same where remote costs grow, with w_rem(m) (the paper's proof covers it, its statement "+
		"does not)", why(&growing))
}

// theorem43 looks at the construction's optimum and at the output that the proof describes.
func theorem43(f *figure, found []*assigned) {
	var optimum, lower, equal holding
	for _, a := range found {
		if a.preset != "thm43" {
			continue
		}
		m, n := model.Time(a.tasks), model.Time(a.servers)
		local, remote := a.in.Cost.Local, a.in.Cost.Remote.At(1)
		optimum.add(a.optimum.Known && a.optimum.Value == (m+n-1)/n*local)
		lower.add(a.makespan["worst"] >= m/n*remote)
		if m%n == 0 {
			equal.add(a.makespan["worst"]*local == remote*a.against())
		}
	}
	f.theorem(optimum, "Theorem 4.3: the optimum of the construction is ⌈m/n⌉·w_loc", "")
	f.theorem(lower, "Theorem 4.3: the makespan is at least ⌊m/n⌋·w_rem (tie rule worst)", "")
	f.theorem(equal, "Theorem 4.3 meets Theorem 4.2 if n divides m: the ratio is w_rem/w_loc", "")
}
