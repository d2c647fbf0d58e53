package run

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"strings"
	"testing"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/solver"
)

// asked parses a command line such as "--shards 3 --dry-run".
func asked(t *testing.T, line string) (a Asked) {
	t.Helper()
	set := flag.NewFlagSet("sweep", flag.ContinueOnError)
	set.StringVar(&a.Index, "shard", "", "")
	set.IntVar(&a.Of, "shards", 0, "")
	set.BoolVar(&a.DryRun, "dry-run", false, "")
	must(t, set.Parse(strings.Fields(line)))
	set.Visit(func(f *flag.Flag) { a.Named, a.Counted = a.Named || f.Name == "shard", a.Counted || f.Name == "shards" })
	return a
}

func TestShardOf(t *testing.T) {
	for _, c := range []struct{ line, environment, want string }{
		{"", "", "1/1"},
		{"--shard 3/16", "", "3/16"},
		{"--shard 3/16", "SLURM_ARRAY_TASK_ID=1 JOB_COMPLETION_INDEX=7", "3/16"}, // the flag wins
		{"--shard 3/16 --shards 16", "", "3/16"},
		{"--shards 1", "", "1/1"},
		{"--shards 8 --dry-run", "", "1/8"},
		{"", "SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=1", "1/4"},
		{"", "SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_STEP=1", "1/4"},
		{"", "SLURM_ARRAY_TASK_ID=22 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_STEP=4", "4/4"},
		{"--shards 4", "JOB_COMPLETION_INDEX=0", "1/4"},
		{"", "JOB_COMPLETION_INDEX=3 JOB_COMPLETIONS=4", "4/4"},
		{"--shards 4", "JOB_COMPLETION_INDEX=3 JOB_COMPLETIONS=4", "4/4"},

		{"--shard 0/4", "", `expected I/N`},
		{"--shard 5/4", "", `expected I/N`},
		{"--shard 4", "", `expected I/N`},
		{"--shard x/y", "", `expected I/N`},
		{"--shard 1/2000000", "", `expected I/N`},
		{"--shard 3/16 --shards 4", "", "contradicts --shards 4"},
		{"--shards 0", "", "--shards 0: expected from 1"},
		{"--shards 4", "", "nothing says which one this is"},
		{"", "SLURM_ARRAY_TASK_ID=1", "SLURM_ARRAY_TASK_COUNT is not set"},
		{"", "SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=4", "SLURM_ARRAY_TASK_MIN is not set"},
		// 7 − MIN overflows
		{"", "SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=-9223372036854775808",
			`SLURM_ARRAY_TASK_MIN is "-9223372036854775808": expected a whole number of 32 bits`},
		{"", "SLURM_ARRAY_TASK_ID=one SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=1", `SLURM_ARRAY_TASK_ID is "one"`},
		// --array=1,5,7
		{"", "SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_STEP=1",
			"use an array such as 1-3"},
		{"", "SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1", "is not one of the 3 tasks"},
		{"", "SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_STEP=2",
			"in steps of 2"},
		{"", "SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_STEP=0",
			"in steps of 0"},
		{"--shards 5", "SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=1",
			"SLURM_ARRAY_TASK_COUNT=4 contradicts --shards 5"},
		{"", "JOB_COMPLETION_INDEX=1", "nothing says how many shards there are"},
		{"--shards 4", "JOB_COMPLETION_INDEX=4", "not one of 4 shards"},
		{"--shards 4", "JOB_COMPLETION_INDEX=-1", "not one of 4 shards"},
		{"--shards 4", "JOB_COMPLETION_INDEX=1 JOB_COMPLETIONS=5", "JOB_COMPLETIONS=5 contradicts --shards 4"},
		{"", "JOB_COMPLETION_INDEX=1 JOB_COMPLETIONS=many", `JOB_COMPLETIONS is "many"`},
		{"", "JOB_COMPLETION_INDEX=1 SLURM_ARRAY_TASK_ID=1", "are both set"},
	} {
		env := map[string]string{}
		for _, pair := range strings.Fields(c.environment) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		s, err := ShardOf(asked(t, c.line), func(name string) string { return env[name] })
		got := fmt.Sprintf("%d/%d", s.index, s.of)
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s, %s: %s, want %s", c.line, c.environment, got, c.want)
		}
	}
}

// sweepOf is a planned sweep of one run of mars on the instance fig1.
func sweepOf(t *testing.T) *Sweep {
	t.Helper()
	plan, err := Read(strings.NewReader(
		`{"format":"mrsched-sweep/1","instances":[{"generate":"msjo","preset":"fig1"}],"algorithms":["mars"]}`), "s", 10,
		FullCatalog(), ".")
	must(t, err)
	x := &Sweep{plan: plan, runs: plan.Runs()}
	x.Note = func(string, ...any) {}
	return x
}

// TestSweepPanics: neither a panic nor an internal contradiction nor an interruption ends another run.
func TestSweepPanics(t *testing.T) {
	x := sweepOf(t)
	broken := &work{instance: &x.plan.Instances[0]}
	broken.loaded.Do(func() {}) // there is no workload
	row := x.execute(context.Background(), broken, x.runs[0])
	if row.Status != StatusError || row.Code != codePanic || !strings.Contains(row.Note, "nil pointer") {
		t.Errorf("%+v", row)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if row := x.execute(ended, &work{instance: &x.plan.Instances[0]}, x.runs[0]); row != nil {
		t.Errorf("%+v", row)
	}
	huge := &work{instance: instanceOf(t, "msjo", "mars", solver.Params{"jobs": int64(1e9)})}
	if row := x.execute(context.Background(), huge, x.runs[0]); row.Code != string(model.CodeOverflow) {
		t.Errorf("%+v", row)
	}
	row = x.execute(context.Background(), &work{instance: &x.plan.Instances[0]}, x.runs[0])
	if row.Status != model.StatusOptimal || row.Objective.Value != "425" {
		t.Errorf("%+v", row)
	}
}

func instanceOf(t testing.TB, name, preset string, changes solver.Params) *Instance {
	t.Helper()
	p, err := instances.FindPreset(name, preset)
	must(t, err)
	in := &Instance{Problem: name, Generate: name, Preset: p.Name, Values: defaultValues(t, p.Params), Seed: 1}
	maps.Copy(in.Values, changes)
	return in
}

func defaultValues(t testing.TB, params []solver.Param) solver.Params {
	t.Helper()
	values := solver.Params{}
	for _, q := range params {
		if values[q.Name] = q.Default; q.Default != "" {
			v, err := engine.ParseParam(q, q.Default)
			must(t, err)
			values[q.Name] = v
		}
	}
	return values
}

// TestPresetTasks: presets estimate their numbers of tasks without overflow at the largest parameters.
func TestPresetTasks(t *testing.T) {
	small := map[string]solver.Params{"placement": {"jobs": int64(300)}, "shufflewatcher": {"hours": 0.02,
		"input-scale": 0.05}, "thm43": {"servers": int64(12),
		"tasks": int64(90)}, "twitter": {"keys": int64(0)}}
	for _, p := range instances.Presets() {
		if p.Tasks == nil {
			continue
		}
		in := instanceOf(t, p.Problem, p.Name, small[p.Name])
		w, err := presetInstance(in)
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		want := len(w.Tasks)
		if p.Problem == "reduceplace" || p.Problem == "realtime" { // whose tasks are not those of the table
			q, err := engine.FindProblem(p.Problem, nil)
			must(t, err)
			o, err := engine.Open(q, w, defaultValues(t, q.Params))
			must(t, err)
			want = o.Run.View().TaskCount()
		}
		if got := presetTasks(in); float64(got) > 2.5*float64(want)+20 || float64(got) < 0.4*float64(want)-20 {
			t.Errorf("%s: %d tasks, estimated at %d", p.Name, want, got)
		}
		largest := solver.Params{}
		for _, q := range p.Params {
			if q.Kind == solver.IntParam {
				largest[q.Name] = int64(q.Maximum)
			}
		}
		if n := presetTasks(instanceOf(t, p.Problem, p.Name, largest)); n < 0 || p.Name == "twitter" && n <= maxSweepTasks {
			t.Errorf("%s: %d tasks of the largest parameters", p.Name, n)
		}
	}
}
