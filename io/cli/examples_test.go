package cli

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
	"mrsched/solver/list"
)

func example(t *testing.T, problem, name string) *model.Workload {
	t.Helper()
	p, err := instances.FindPreset(problem, name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workload.ReadBytes(p.Document, name, workload.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestExamplesAreCanonical requires that mrsched writes the shipped files byte for byte, so that `generate --preset`
// reproduces them, and that every preset is complete.
func TestExamplesAreCanonical(t *testing.T) {
	for _, p := range instances.Presets() {
		if p.Summary == "" || p.Source == "" || (p.Generate == nil) == (p.Document == nil) {
			t.Errorf("preset %s is incomplete", p.Name)
		}
	}
	for _, p := range instances.Examples() {
		var again bytes.Buffer
		if err := workload.WriteJSON(&again, example(t, p.Problem, p.Name)); err != nil {
			t.Fatal(err)
		}
		if again.String() != string(p.Document) {
			t.Errorf("%s is not canonical; it should be\n%s", p.Name, again.String())
		}
	}
}

// completions checks a schedule and returns the jobs' completion times in seconds.
func completions(t *testing.T, in *msjo.Instance, s *model.Schedule) []float64 {
	t.Helper()
	if v := in.Check(s); len(v) > 0 {
		t.Fatal(v)
	}
	var done []float64
	for _, c := range in.Completions(s) {
		done = append(done, c.Seconds())
	}
	return done
}

// TestFig1 checks the numbers of Ling et al. 2016, Fig. 1.
//
// (a) FIFO: whenever a machine is free, the first waiting task in the order of arrival starts. Maps 1–3 of job 1 run
// until 75 s, its map 4 and job 2's map until 150 s, while the third machine idles; then all three reduces run until
// 250 s. This is the never-idle list schedule in job order. Giving each task in that order to the machine that idles
// first, without letting later tasks pass, would be worse: job 2 would wait for the reduces of job 1 and end at 325 s.
//
// (b) Jointly: job 2's map runs among the first three, and its reduce from 75 to 175 s.
func TestFig1(t *testing.T) {
	w := example(t, "msjo", "fig1")
	in, err := msjo.New(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	g := &list.Graph{Tasks: in.Tasks, Processing: in.Processing, Earliest: in.Earliest,
		SuccFirst: in.SuccFirst, SuccNode: in.SuccNode, SuccDelay: in.SuccDelay, Preds: in.Preds}
	fifo := make([]int32, in.Tasks) // the tasks of the file stand in the order of arrival
	for u := range fifo {
		fifo[u] = int32(u)
	}
	if got := completions(t, in, g.NeverIdle(fifo, in.Machines)); !slices.Equal(got, []float64{250, 250}) {
		t.Errorf("FIFO completes the jobs at %v, the figure at 250 and 250 s", got)
	}
	if got := completions(t, in, g.InOrder(fifo, in.Machines)); !slices.Equal(got, []float64{250, 325}) {
		t.Errorf("strict order completes the jobs at %v, want 250 and 325 s", got)
	}
	p, err := engine.FindProblem("msjo", nil)
	if err != nil {
		t.Fatal(err)
	}
	params, err := engine.StatedParams(p.Params, nil)
	if err != nil {
		t.Fatal(err)
	}
	run, err := p.Open(w, params)
	if err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range []string{"mars", "mars-list"} {
		out, err := run.Solve(context.Background(), algorithm, solver.Options{Iterations: solver.DefaultIterations, Seed: 1,
			Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := completions(t, in, out.Schedule); !slices.Equal(got, []float64{250, 175}) {
			t.Errorf("%s completes the jobs at %v, the figure at 250 and 175 s", algorithm, got)
		}
	}
}
