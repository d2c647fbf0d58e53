package command

import (
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"

	"mrsched/instances"
	"mrsched/io/sweep"
	"mrsched/model"
	"mrsched/solver"
)

// instanceOf is an instance of a preset, with some of its parameters changed.
func instanceOf(t testing.TB, name, preset string, changes solver.Params) *sweep.Instance {
	t.Helper()
	p, err := instances.FindPreset(name, preset)
	if err != nil {
		t.Fatal(err)
	}
	in := &sweep.Instance{Problem: name, Generate: name, Preset: p.Name, Values: defaultValues(t, p.Params), Seed: 1}
	maps.Copy(in.Values, changes)
	return in
}

// defaultValues are parameters of which nothing is stated.
func defaultValues(t testing.TB, params []solver.Param) solver.Params {
	t.Helper()
	values := solver.Params{}
	for _, q := range params {
		if values[q.Name] = q.Default; q.Default != "" {
			v, err := parseParam(q, q.Default)
			if err != nil {
				t.Fatal(err)
			}
			values[q.Name] = v
		}
	}
	return values
}

// TestRunCosts: more tasks, iterations and harder algorithms cost more; nothing overflows; limits count.
func TestRunCosts(t *testing.T) {
	cost := func(jobs int64, algorithm string, iterations int) int64 {
		return runCost(sizeOf(instanceOf(t, "msjo", "mars", solver.Params{"jobs": jobs})),
			&sweep.Variant{Problem: "msjo", Algorithm: algorithm, Iterations: iterations}, 0)
	}
	rising := []int64{runOverhead, cost(1, "huwf", 1), cost(10, "huwf", 1), cost(10, "tmars", 1), cost(10, "best", 1000),
		cost(10, "best", 100_000), cost(1e6, "best", 1<<40)}
	for i, c := range rising[1:] {
		if c <= rising[i] {
			t.Errorf("%v does not rise", rising)
		}
	}
	if rising[len(rising)-1] != largestCost {
		t.Errorf("%v: the last is more than %d", rising, largestCost)
	}
	large := sizeOf(instanceOf(t, "msjo", "mars", solver.Params{"jobs": int64(1e6)}))
	for _, v := range []sweep.Variant{{Problem: "msjo", Algorithm: "best"},
		{Problem: "msjo", Algorithm: "best", Iterations: 1e9}} {
		if c := runCost(large, &v, 5*model.Second); c != 5e6+runOverhead {
			t.Errorf("a limit of 5 s: %d µs", c)
		}
	}
	// The whole tree of 200 tasks would take centuries; ten times the iterations see ten times as much of it, at 8 ms an
	// iteration.
	some := instanceSize{tasks: 200, jobs: 4, machines: 4, rows: 204, parts: 1}
	tree := func(iterations int) int64 {
		exact, best := sweep.Variant{Problem: "msjo", Algorithm: "exact", Iterations: iterations},
			sweep.Variant{Problem: "msjo", Algorithm: "best", Iterations: iterations}
		return runCost(some, &exact, 0) - runCost(some, &best, 0)
	}
	if a, b := tree(100), tree(1000); a < 780_000 || a > 820_000 || b < 9*a || b > 11*a {
		t.Errorf("trees of 100 and 1000 iterations: %d and %d µs", a, b)
	}
	for _, v := range []sweep.Variant{{Problem: "msjo", Algorithm: "exact", FromAll: true},
		{Problem: "msjo", Algorithm: "greedy", Note: "msjo has no algorithm greedy"}} {
		if c := runCost(large, &v, 0); c != 1 {
			t.Errorf("%+v is not run, and costs %d µs", v, c)
		}
	}
}

// TestCostTable: every algorithm has costs, none is of an algorithm that does not exist, and each rises with the size.
func TestCostTable(t *testing.T) {
	known := map[string]bool{}
	for _, p := range problems() {
		if loadCosts[p.Name].picoseconds == 0 {
			t.Errorf("%s: nothing says what loading costs", p.Name)
		}
		for _, a := range p.Algorithms {
			found := false
			for _, mode := range []string{"", modeRacks, modeSkewed, modePartitions} {
				if terms, ok := algorithmCosts[p.Name+" "+a.Name+mode]; ok {
					known[p.Name+" "+a.Name+mode], found = true, true
					small, large := int64(0), int64(0)
					for _, c := range terms {
						small, large = small+c.of(instanceSize{tasks: 100, jobs: 5, machines: 50, rows: 300, parts: 5}, 100),
							large+c.of(instanceSize{tasks: 10_000, jobs: 500, machines: 60, rows: 30_000, parts: 50}, 1000)
					}
					if terms != nil && large <= small {
						t.Errorf("%s %s%s: %d µs, a hundred times as large %d", p.Name, a.Name, mode, small, large)
					}
				}
			}
			if !found {
				t.Errorf("%s %s: nothing says what it costs", p.Name, a.Name)
			}
		}
	}
	for name := range algorithmCosts {
		if !known[name] {
			t.Errorf("there is no %s", name)
		}
	}
	if c := runCost(instanceSize{tasks: 100, jobs: 1, machines: 1, rows: 100, parts: 1},
		&sweep.Variant{Problem: "msjo", Algorithm: "new"}, 0); c < 100_000 {
		t.Errorf("an algorithm that is not in the table costs %d µs", c)
	}
}

// TestRunCostShares: what loading takes falls to the runs of an instance, once a shard.
func TestRunCostShares(t *testing.T) {
	in := instanceOf(t, "hta", "replicated", solver.Params{"tasks": int64(100_000)})
	plan := &sweep.Plan{Instances: []sweep.Instance{*in}, Variants: []sweep.Variant{{Problem: "hta", Algorithm: "flow",
		Iterations: 1}}}
	runs := make([]sweep.Run, 8)
	alone, load := runCost(sizeOf(in), &plan.Variants[0], 0), loadCost("hta", sizeOf(in))
	for shards, want := range map[int]int64{1: load / 8, 2: load / 4, 8: load, 100: load} {
		if got := runCosts(plan, runs, shards)[0] - alone; got < want-1 || got > want+1 {
			t.Errorf("%d shards: %d µs of loading a run, want %d", shards, got, want)
		}
	}
}

// TestPresetSizes: sizes are those of what generators make, about; parameters as large as they may be do not overflow.
func TestPresetSizes(t *testing.T) {
	small := map[string]solver.Params{"placement": {"jobs": int64(300)}, "shufflewatcher": {"hours": 0.5,
		"input-scale": 0.05}, "thm43": {"servers": int64(12), "tasks": int64(90)},
		"twitter": {"keys": int64(0)}}
	for _, p := range instances.Presets() {
		if p.Name == "3sat" { // of a file
			continue
		}
		in := instanceOf(t, p.Problem, p.Name, small[p.Name])
		w, err := presetInstance(in)
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		want := int64(len(w.Tasks))
		if p.Problem == "reduceplace" || p.Problem == "realtime" { // whose tasks are not those of the table
			q, err := findProblem(p.Problem, nil)
			if err != nil {
				t.Fatal(err)
			}
			o, err := open(q, w, defaultValues(t, q.Params))
			if err != nil {
				t.Fatal(err)
			}
			want = int64(model.TaskCount(w, o.run.View()))
		}
		if got := sizeOf(in).tasks; float64(got) > 2.5*float64(want)+20 || float64(got) < 0.4*float64(want)-20 {
			t.Errorf("%s: %d tasks, estimated at %d", p.Name, want, got)
		}
		largest := solver.Params{"per-map": true, "noise": 1.0}
		for _, q := range p.Params {
			if q.Kind == solver.IntParam {
				largest[q.Name] = int64(q.Maximum)
			}
		}
		if s := sizeOf(instanceOf(t, p.Problem, p.Name, largest)); p.Name == "twitter" && s.rows < largestProduct {
			t.Errorf("%s of the largest parameters has only %d rows", p.Name, s.rows)
		}
	}
}

// TestPowers: binaryLog and powerOfTwo are within 1/logUnit of a factor of 2 of what they stand for, and monotone.
func TestPowers(t *testing.T) {
	for _, c := range []struct{ x, log int64 }{{1, 0}, {2, logUnit}, {1024, 10 * logUnit}, {1 << 62, 62 * logUnit}} {
		if got := binaryLog(c.x); got != c.log {
			t.Errorf("binaryLog(%d) is %d, want %d", c.x, got, c.log)
		}
	}
	if powerOfTwo(-1) != 0 || powerOfTwo(0) != 1 || powerOfTwo(58*logUnit) != 1<<58 || powerOfTwo(1<<40) != 1<<59 {
		t.Error("powerOfTwo is wrong at its ends")
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Int64Range(1, math.MaxInt64).Draw(t, "x")
		log := binaryLog(x)
		if want := logUnit * math.Log2(float64(x)); float64(log) > want+1e-3 || float64(log) < want-1-1e-3 {
			t.Errorf("binaryLog(%d) is %d, want %g", x, log, want)
		}
		at := rapid.Int64Range(0, 59*logUnit).Draw(t, "log")
		got, want := float64(powerOfTwo(at)), math.Exp2(float64(at)/logUnit)
		if got > want*1.000001 || got < want*0.999999-1 || powerOfTwo(at+1) < powerOfTwo(at) {
			t.Errorf("powerOfTwo(%d) is %g, want %g", at, got, want)
		}
	})
}
