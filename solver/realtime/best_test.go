package realtime

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// bestMaker makes small workloads that use every column of realtime.
type bestMaker struct {
	*rand.Rand
	b       *model.Builder
	workers []string
}

// seconds draws half seconds below a number.
func (m *bestMaker) seconds(below int) model.Time {
	return model.Time(m.IntN(2*below)) * model.Second / 2
}

// workload has workers without slots of a kind; data as partitions, keys, reduces or bytes; own releases, zero lengths
// and times; and a history that may be far from the truth.
func (m *bestMaker) workload(t testing.TB, goal realtime.Goal) *model.Workload {
	t.Helper()
	m.b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	for w := range 2 + m.IntN(5) {
		n := model.Node{ID: fmt.Sprintf("w%d", w), Kind: model.HostNode, MapSlots: 1, ReduceSlots: 1}
		if w > 0 {
			n.MapSlots, n.ReduceSlots, n.Speed = m.Int64N(3), m.Int64N(3), model.Some([]float64{0.25, 0.5, 1, 1.5, 3}[m.IntN(5)])
		}
		m.b.Node(n, "root", model.Locus{})
		m.workers = append(m.workers, n.ID)
	}
	for k := range 1 + m.IntN(6) {
		m.job(k, goal)
	}
	for range m.IntN(2) * (1 + m.IntN(20)) {
		m.b.PastRun(model.PastRun{Class: "c", Worker: m.workers[m.IntN(len(m.workers))], Kind: model.TaskKind(m.IntN(2)),
			Bytes: model.Bytes(m.IntN(20)), Time: m.seconds(15)}, model.Locus{})
	}
	w, err := m.b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// job adds a job with tasks; the first has partitions.
func (m *bestMaker) job(k int, goal realtime.Goal) {
	j := model.Job{ID: fmt.Sprintf("j%d", k), Weight: model.UnitWeight, Class: "c", Release: m.seconds(6),
		TaskOverhead: model.Some(m.seconds(2)), MapRate: model.Some(2.0), ReduceRate: model.Some(2.0)}
	if goal == realtime.Deadlines && m.IntN(5) > 0 {
		j.Deadline = model.Some(m.seconds(25))
	}
	parts, maps, way := m.IntN(12), m.IntN(5), m.IntN(4)
	if k == 0 {
		parts++
	} else if parts == 0 {
		maps++
	}
	j.Reduces = model.Some(int64(min(parts, 1+m.IntN(6))))
	switch way {
	case 1:
		j.Partitions = model.Some(int64(parts))
	case 2:
		j.Reduces = model.Some(int64(parts))
	case 3:
		j.IntermediateBytes = model.Some(model.Bytes(m.IntN(50)))
	}
	m.b.Job(j, model.Locus{})
	for i := range maps {
		m.task(j.ID, fmt.Sprintf("%s.m%d", j.ID, i), model.Map)
	}
	for p := range parts {
		id, size := fmt.Sprintf("%s.p%d", j.ID, p), model.Bytes(m.IntN(20))
		switch way {
		case 0:
			m.b.Part(model.Part{Partition: id, Bytes: size}, j.ID, model.Locus{})
		case 1:
			m.b.KeyData(model.KeyData{Key: fmt.Sprintf("key%d", m.IntN(40)), Bytes: size}, j.ID, model.Locus{})
		case 2:
			m.task(j.ID, id, model.Reduce)
		}
		if way%2 == 0 && m.IntN(3) == 0 {
			w := m.workers[m.IntN(len(m.workers))]
			m.b.GivenTime(model.GivenTime{Task: id, Time: m.seconds(10)}, j.ID, w, model.Locus{})
		}
	}
}

func (m *bestMaker) task(job, id string, kind model.TaskKind) {
	t := model.Task{ID: id, Kind: kind, InputBytes: model.Some(model.Bytes(m.IntN(12)))}
	if m.IntN(3) == 0 {
		t.Release = model.Some(m.seconds(12))
	}
	if kind == model.Map {
		t.ShuffleDelay = m.seconds(2)
	}
	m.b.Task(t, job, "", model.Locus{})
}

// bestRun opens a random instance with random parameters.
func bestRun(t testing.TB, random *rand.Rand, goal realtime.Goal) *run {
	t.Helper()
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	p := solver.Params{"goal": string(goal), "deadline-factor": 0.0, "partitions": int64(random.IntN(3) * random.IntN(9)),
		"sketch-delta": 0.1, "sketch-seed": int64(1), "resplit-cost": pick("", "", "0", "0.5"), lofParam: 1.5,
		estimatesParam: pick("auto", "history", "true"), neighboursParam: int64(1 + random.IntN(4)),
		partitionParam: pick("hash", "lb", "dp", "lb-sketch", "dp-sketch")}
	if random.IntN(3) == 0 {
		p["deadline-factor"] = 3.0
	}
	m := bestMaker{Rand: random, b: model.NewBuilder()}
	r, err := open(m.workload(t, goal), p)
	if err != nil {
		t.Fatal(err)
	}
	return r.(*run)
}

// offered lists the algorithms that can run.
func offered(r *run) (list []solver.Algorithm) {
	for _, a := range methods().Algorithms() {
		if r.Excludes(a.Name).Why == "" {
			list = append(list, a)
		}
	}
	return list
}

// TestBestIsBest: best costs no more than any algorithm that constructs a schedule: with few iterations, stopped at the
// start of its search, and under a time limit. Its schedule violates nothing, and it claims an optimum only if its
// bound proves it.
func TestBestIsBest(t *testing.T) {
	for _, goal := range []realtime.Goal{realtime.Deadlines, realtime.Partitions} {
		for _, c := range []struct {
			name      string
			instances int
			stop      bool
			limit     time.Duration // 0: iterations
		}{{"iterations", 200, false, 0}, {"stopped", 200, true, 0}, {"limit", 10, false, 200 * time.Millisecond}} {
			t.Run(string(goal)+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				for seed := range c.instances {
					random := rand.New(rand.NewPCG(uint64(seed), uint64(c.instances)))
					bestIsBest(t, bestRun(t, random, goal), random, c.stop, c.limit)
				}
			})
		}
	}
}

func bestIsBest(t *testing.T, r *run, random *rand.Rand, stop bool, limit time.Duration) {
	t.Helper()
	opt := solver.Options{Iterations: 1 + random.IntN(20), Seed: random.Uint64(), Threads: 1}
	begin := time.Now()
	costs := constructed(t, r, opt.Seed)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if limit > 0 {
		opt.Iterations = maxIterations
		ctx, cancel = context.WithTimeout(ctx, limit+10*time.Since(begin)) // best has time to begin with all of them
		defer cancel()
	}
	if stop {
		opt.Watch = &solver.Watch{OnChange: func(s solver.State) {
			if s.Phase == solver.PhaseSearch {
				cancel()
			}
		}}
	}
	best, err := r.Solve(ctx, "best", opt)
	if err != nil {
		t.Fatal(err)
	}
	if found := r.in.Check(best.Schedule); len(found) > 0 {
		t.Fatal(found)
	}
	cost := r.in.Evaluate(best.Schedule).Value
	proven := cost.Sign() == 0
	for _, b := range best.Bounds {
		text, err := json.Marshal(b.Certificate)
		if err != nil {
			t.Fatal(err)
		}
		c, err := r.in.Certify(text)
		if err != nil || c.Value.Cmp(cost) > 0 {
			t.Fatalf("%s proves %v, %v; best costs %s", b.Method, c.Value, err, cost)
		}
		proven = proven || c.Value.Cmp(cost) == 0
	}
	if (best.Status == model.StatusOptimal) != proven {
		t.Errorf("best is %s, proven: %v", best.Status, proven)
	}
	for name, v := range costs {
		if v.Cmp(cost) < 0 {
			t.Errorf("%v: best costs %s, %s %s", r.p, cost, name, v)
		}
	}
}

// constructed is what the schedules of all algorithms that construct one cost.
func constructed(t *testing.T, r *run, seed uint64) map[string]*big.Rat {
	t.Helper()
	costs := map[string]*big.Rat{}
	for _, a := range offered(r) {
		if a.Search || a.Exhaustive {
			continue
		}
		out, err := r.SolveBare(t.Context(), a.Name, solver.Options{Iterations: 1, Seed: seed, Threads: 1})
		if err == nil { // one may fail, for example without history
			costs[a.Name] = r.in.Evaluate(out.Schedule).Value
		}
	}
	return costs
}
