package experiment

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver/flow"
)

// htaPaper proves theorems instead of measuring figures.
var htaPaper = paper{"hta", "Fischer, Su, Yin, SPAA 2010", []entry{
	{"hta-roundrobin", "Round robin against the optimum", "Theorems 4.1–4.3", roundRobinFigure},
	{"hta-additive", "How far the flow algorithm is from the optimum", "Theorem 5.4", additiveFigure},
	{"hta-sat", "3SAT formulas as task assignments", "Theorem 3.1", satFigure},
	{"hta-scale", "Time and memory of the flow algorithm", "", scaleFigure},
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

// assign runs round robin under some tie rules, algorithms, and the algorithms that find the optimum: best, and exact
// if best's bound does not meet its makespan and the instance is small enough.
func (l *Lab) assign(ctx context.Context, w *model.Workload, seed uint64, ties []string, names ...string) (*assigned,
	error) {
	x := &assigned{makespan: map[string]model.Time{}}
	run := func(label, name string, with engine.Settings) (model.Status, error) {
		o, err := l.open(w, with)
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
	for _, tie := range ties {
		if _, err := run(tie, "round-robin", engine.Settings{"tie": tie}); err != nil {
			return nil, err
		}
	}
	for _, name := range append(names, "best") {
		if _, err := run(name, name, nil); err != nil {
			return nil, err
		}
	}
	best := x.makespan["best"]
	proven := best == x.bound
	if exact, ok := l.problem.Algorithm("exact"); ok && !proven && x.in.Tasks <= exact.SizeLimit {
		status, err := run(exact.Name, exact.Name, nil)
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
func (l *Lab) assignSmall(ties []string, names ...string) ([][]*assigned, error) {
	found, err := assignAll(l, []string{""}, smallCount, ties, names, func(_ string, seed uint64, k int) (*model.Workload,
		error) {
		return l.problem.Small.Generate(rand.New(rand.NewPCG(seed, uint64(k+1))), k+1)
	})
	return found[""], err
}

// assignCases solves generated instances: by case, by seed, count of them.
func (l *Lab) assignCases(cases []htaCase, count int, ties []string, names ...string) (map[htaCase][][]*assigned,
	error) {
	return assignAll(l, cases, count, ties, names, func(c htaCase, seed uint64, k int) (*model.Workload,
		error) {
		return c.workload(copySeed(seed, k))
	})
}

// assignAll solves count instances of each kind and seed.
func assignAll[K comparable](l *Lab, kinds []K, count int, ties, names []string, instance func(kind K, seed uint64,
	k int) (*model.Workload, error)) (map[K][][]*assigned, error) {
	found := map[K][][]*assigned{}
	for _, kind := range kinds {
		found[kind] = make([][]*assigned, len(l.seeds))
		for i := range l.seeds {
			found[kind][i] = make([]*assigned, count)
		}
	}
	each := len(l.seeds) * count
	return found, l.every(len(kinds)*each, func(ctx context.Context, i int) error {
		kind, s, k := kinds[i/each], i%each/count, i%count
		w, err := instance(kind, l.seeds[s], k)
		if err != nil {
			return err
		}
		found[kind][s][k], err = l.assign(ctx, w, l.seeds[s], ties, names...)
		return err
	})
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

// holding counts the instances on which a theorem is seen to hold.
type holding struct{ held, points int }

func (t *holding) add(holds bool) {
	t.points++
	if holds {
		t.held++
	}
}

// String prints the counts.
func (t *holding) String() string { return fmt.Sprintf("%d of %d", t.held, t.points) }

// theorem claims the counts, if there are any: one instance on which the theorem fails contradicts it.
func (f *figure) theorem(t *holding, text, why string, args ...any) {
	if t.points > 0 {
		f.claim(report.Claim{Claim: text, Published: "always", Ours: "on " + t.String(),
			Verdict: report.Judge(t.held == t.points, true), Why: fmt.Sprintf(why, args...)})
	}
}

// quotient is a/b of two times.
func quotient(a, b model.Time) float64 { return float64(a) / float64(b) }
