package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"

	"golang.org/x/sync/errgroup"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver"
	"mrsched/solver/flow"
)

const htaSource = "Fischer, Su, Yin, SPAA 2010"

// htaExperiments measure what the task assignment paper proves: it has theorems in place of figures.
func htaExperiments() []Experiment {
	return []Experiment{
		{"hta-roundrobin", "hta", "Round robin against the optimum", roundRobinFigure},
		{"hta-additive", "hta", "How far the flow algorithm is from the optimum", additiveFigure},
		{"hta-scale", "hta", "Time and memory of the flow algorithm", scaleFigure},
	}
}

// htaCase is a generator's parameters. Those that a preset does not have stay 0; with zero costs the preset's own hold.
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

// assigned is what algorithms make of one instance.
type assigned struct {
	in       *hta.Instance
	makespan map[string]model.Time // by algorithm; of round-robin by tie rule
	bound    model.Time            // the highest that was certified
	optimum  model.Optional[model.Time]
}

// against is the optimum, or the bound where nothing proves it.
func (a *assigned) against() model.Time {
	if a.optimum.Known {
		return a.optimum.Value
	}
	return a.bound
}

// assign runs round robin under some tie rules, algorithms, and what it takes to know the optimum: best, where its
// bound does not meet its makespan exact too, up to that algorithm's size.
func (l *Lab) assign(ctx context.Context, w *model.Workload, seed uint64, ties []string, names ...string) (*assigned,
	error) {
	x := &assigned{makespan: map[string]model.Time{}}
	run := func(label, name string, with engine.Settings) (model.Status, error) {
		v, err := l.solveHTA(ctx, w, seed, name, with)
		if err != nil {
			return "", err
		}
		x.in = v.in
		x.bound = max(x.bound, v.bound)
		x.makespan[label] = v.makespan
		return v.status, nil
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
	proven := x.makespan["best"] == x.bound
	best := x.makespan["best"]
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

// outcome is one algorithm's verified assignment in numbers.
type outcome struct {
	in              *hta.Instance
	makespan, bound model.Time
	status          model.Status
}

// solveHTA runs one algorithm and verifies what it found.
func (l *Lab) solveHTA(ctx context.Context, w *model.Workload, seed uint64, name string,
	with engine.Settings) (*outcome, error) {
	params, err := engine.SettingValues(l.problem.Params, with)
	if err != nil {
		return nil, err
	}
	o, err := engine.Open(l.problem, w, params)
	if err != nil {
		return nil, err
	}
	a, ok := l.problem.Algorithm(name)
	if !ok {
		return nil, fmt.Errorf("hta has no algorithm %q", name)
	}
	v, err := o.Solve(ctx, a, solver.Options{Iterations: solver.DefaultIterations, Seed: seed, Threads: 1})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	in := o.Run.View().(*hta.Instance)
	return &outcome{in, in.Measure(in.Assigned(v.Schedule)).Makespan, upTime(engine.Strongest(v).Certified.Value),
		v.Status}, nil
}

// upTime is the least time that is no less than some seconds: no makespan lies between.
func upTime(seconds *big.Rat) model.Time {
	ticks := new(big.Rat).Mul(seconds, big.NewRat(int64(model.Second), 1))
	down, rest := new(big.Int).QuoRem(ticks.Num(), ticks.Denom(), new(big.Int))
	return model.Time(down.Int64() + int64(rest.Sign()))
}

// every does n things, as many at once as there are threads.
func (l *Lab) every(n int, do func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(l.ctx)
	g.SetLimit(l.threads)
	done := 0
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() error {
			if err := do(ctx, i); err != nil {
				return err
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			done++
			l.progress(done, n)
			return nil
		})
	}
	return cmp.Or(g.Wait(), l.ctx.Err())
}

// smallCount is how many random small instances a seed stands for.
const smallCount = 500

// assignSmall solves random instances of a dozen tasks; by seed, those of validate's numbers 1, 2, ….
func (l *Lab) assignSmall(ties []string, names ...string) ([][]*assigned, error) {
	list := make([][]*assigned, len(l.seeds))
	for i := range list {
		list[i] = make([]*assigned, smallCount)
	}
	return list, l.every(len(l.seeds)*smallCount, func(ctx context.Context, i int) error {
		s, k := i/smallCount, i%smallCount
		w, err := l.problem.Small.Generate(rand.New(rand.NewPCG(l.seeds[s], uint64(k+1))), k+1)
		if err != nil {
			return err
		}
		list[s][k], err = l.assign(ctx, w, l.seeds[s], ties, names...)
		return err
	})
}

// assignCases solves generated instances: by case, by seed, count of them.
func (l *Lab) assignCases(cases []htaCase, count int, ties []string, names ...string) (map[htaCase][][]*assigned,
	error) {
	found := map[htaCase][][]*assigned{}
	for _, c := range cases {
		found[c] = make([][]*assigned, len(l.seeds))
		for i := range l.seeds {
			found[c][i] = make([]*assigned, count)
		}
	}
	each := len(l.seeds) * count
	return found, l.every(len(cases)*each, func(ctx context.Context, i int) error {
		c, s, k := cases[i/each], i%each/count, i%count
		w, err := c.workload(l.seeds[s] + uint64(k)<<32) // seeds that users name are small
		if err != nil {
			return err
		}
		found[c][s][k], err = l.assign(ctx, w, l.seeds[s], ties, names...)
		return err
	})
}

// leastRemote is the fewest remote tasks of an assignment whose makespan is at most a limit, if there is one at all:
// with at most τ = ⌊limit/w_loc⌋ local tasks a server a maximum flow leaves so many, and moving tasks along it to
// servers that hold them raises no load beyond the limit (solver/hta/exact.go has the proof).
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

// holding counts on how many instances a theorem is seen to hold.
type holding struct{ held, points int }

func (t *holding) add(holds bool) {
	t.points++
	if holds {
		t.held++
	}
}

// claim adds the theorem: one instance without it contradicts it. Nothing was measured: nothing is added.
func (t *holding) claim(f *report.Figure, text, why string) {
	if t.points == 0 {
		return
	}
	c := report.Claim{Claim: text, Published: "always", Ours: fmt.Sprintf("on %d of %d", t.held, t.points),
		Verdict: report.Holds, Why: why}
	if t.held < t.points {
		c.Verdict = report.Contradicted
	}
	f.Claims = append(f.Claims, c)
}

// quotient is a/b of two times.
func quotient(a, b model.Time) float64 { return float64(a) / float64(b) }
