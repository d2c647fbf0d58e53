package realtime

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// bestWorkload makes a small workload of everything that realtime reads: workers without slots of a kind, data as
// partitions, keys, reduces or bytes, own releases, zero lengths, times and a history that may be far from the truth.
func bestWorkload(t testing.TB, random *rand.Rand, goal realtime.Goal) *model.Workload {
	t.Helper()
	b := model.NewBuilder()
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	workers := []string{"w0"}
	b.Node(model.Node{ID: "w0", Kind: model.HostNode, MapSlots: 1, ReduceSlots: 1}, "root", model.Locus{})
	for w := range 1 + random.IntN(5) {
		workers = append(workers, fmt.Sprintf("w%d", w+1))
		b.Node(model.Node{ID: workers[w+1], Kind: model.HostNode, MapSlots: random.Int64N(3), ReduceSlots: random.Int64N(3),
			Speed: model.Some([]float64{0.25, 0.5, 1, 1.5, 3}[random.IntN(5)])}, "root", model.Locus{})
	}
	seconds := func(most int) model.Time { return model.Time(random.IntN(2*most)) * model.Second / 2 }
	for k := range 1 + random.IntN(6) {
		j := model.Job{ID: fmt.Sprintf("j%d", k), Weight: model.UnitWeight, Class: "c", Release: seconds(6), TaskOverhead: model.Some(seconds(2)),
			MapRate: model.Some(2.0), ReduceRate: model.Some(2.0)}
		if goal == realtime.Deadlines && random.IntN(5) > 0 {
			j.Deadline = model.Some(seconds(25))
		}
		parts, way := random.IntN(12), random.IntN(4)
		if k == 0 {
			parts++
		}
		j.Reduces = model.Some(int64(min(parts, 1+random.IntN(6))))
		switch way {
		case 1:
			j.Partitions = model.Some(int64(parts))
		case 2:
			j.Reduces = model.Some(int64(parts))
		case 3:
			j.IntermediateBytes = model.Some(model.Bytes(random.IntN(50)))
		}
		b.Job(j, model.Locus{})
		task := func(id string, kind model.TaskKind) {
			row := model.Task{ID: j.ID + "." + id, Kind: kind, InputBytes: model.Some(model.Bytes(random.IntN(12)))}
			if random.IntN(3) == 0 {
				row.Release = model.Some(seconds(12))
			}
			if kind == model.Map {
				row.ShuffleDelay = seconds(2)
			}
			b.Task(row, j.ID, "", model.Locus{})
		}
		maps := random.IntN(5)
		if parts == 0 {
			maps++
		}
		for m := range maps {
			task(fmt.Sprintf("m%d", m), model.Map)
		}
		for p := range parts {
			id := fmt.Sprintf("p%d", p)
			switch way {
			case 0:
				b.Part(model.Part{Partition: id, Bytes: model.Bytes(random.IntN(20))}, j.ID, model.Locus{})
			case 1:
				b.KeyData(model.KeyData{Key: fmt.Sprintf("key%d", random.IntN(40)), Bytes: model.Bytes(random.IntN(20))}, j.ID, model.Locus{})
			case 2:
				task(id, model.Reduce)
			}
			if way == 0 && random.IntN(3) == 0 {
				w := workers[random.IntN(len(workers))]
				b.GivenTime(model.GivenTime{Task: id, Time: seconds(10)}, j.ID, w, model.Locus{})
			}
		}
	}
	if random.IntN(2) == 0 {
		for range 1 + random.IntN(20) {
			b.PastRun(model.PastRun{Class: "c", Worker: workers[random.IntN(len(workers))], Kind: model.TaskKind(random.IntN(2)),
				Bytes: model.Bytes(random.IntN(20)), Time: seconds(15)}, model.Locus{})
		}
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// bestRun opens a random instance with random parameters.
func bestRun(t testing.TB, random *rand.Rand, goal realtime.Goal) *run {
	t.Helper()
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	p := solver.Params{"goal": string(goal), "deadline-factor": 0.0, "partitions": int64(random.IntN(3) * random.IntN(9)), "sketch-delta": 0.1, "sketch-seed": int64(1),
		"resplit-cost": pick("", "", "0", "0.5"), estimatesParam: pick("auto", "history", "true"), neighboursParam: int64(1 + random.IntN(4)),
		lofParam: 1.5, partitionParam: pick("hash", "lb", "dp", "lb-sketch", "dp-sketch")}
	if random.IntN(3) == 0 {
		p["deadline-factor"] = 3.0
	}
	w := bestWorkload(t, random, goal)
	r, err := open(w, p)
	if err != nil {
		t.Fatal(err)
	}
	return r.(*run)
}

// offered are the algorithms that can run.
func offered(r *run) (list []solver.Algorithm) {
	for _, a := range methods().Algorithms() {
		if r.Offers(a.Name) && r.Excludes(a.Name) == "" {
			list = append(list, a)
		}
	}
	return list
}

// TestBestIsBest: best costs no more than any algorithm that constructs a schedule: with few iterations, stopped as soon as
// its search begins, and under a time limit. Its schedule breaks nothing, and it claims an optimum only if its bound proves
// it.
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
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if limit > 0 {
		opt.Iterations = maxIterations
		ctx, cancel = context.WithTimeout(ctx, limit)
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
	for _, a := range offered(r) {
		if a.Search || a.Exhaustive {
			continue
		}
		out, err := r.SolveBare(t.Context(), a.Name, solver.Options{Iterations: 1, Seed: opt.Seed, Threads: 1})
		if err != nil { // no history, for instance
			continue
		}
		if v := r.in.Evaluate(out.Schedule).Value; v.Cmp(cost) < 0 {
			t.Errorf("%v: best costs %s, %s %s", r.p, cost, a.Name, v)
		}
	}
}
