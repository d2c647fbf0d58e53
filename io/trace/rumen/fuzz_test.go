package rumen

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/model"
)

// addSeeds adds the excerpts; those whose name starts with topology, or all others.
func addSeeds(f *testing.F, topologies bool) {
	for _, pattern := range []string{"*.json", "bad/*.json", "bad/*.gz", "bad/topology/*.json"} {
		files, _ := filepath.Glob(filepath.Join(data, pattern))
		for _, path := range files {
			if strings.Contains(path, "topology") != topologies {
				continue
			}
			if b, err := os.ReadFile(path); err == nil {
				f.Add(b)
			}
		}
	}
}

// checkOutcome states what holds for any input.
func checkOutcome(t *testing.T, w *model.Workload, report *Report, err error) {
	var input *model.InputError
	if err != nil {
		if !errors.As(err, &input) || len(input.Findings) == 0 || w != nil || report == nil {
			t.Fatalf("workload %v, report %v, error %T %v", w, report, err, err)
		}
		return
	}
	if len(w.Jobs) != report.Jobs || len(w.Tasks) != report.Maps+report.Reduces || report.Jobs == 0 {
		t.Fatalf("%d jobs and %d tasks, report %+v", len(w.Jobs), len(w.Tasks), report)
	}
	for _, task := range w.Tasks {
		if !task.Processing.Known || task.Processing.Value < 0 || task.ShuffleDelay < 0 || task.InputBytes.Value < 0 ||
			task.OutputBytes.Value < 0 {
			t.Fatalf("task %+v", task)
		}
	}
	if len(w.History) != report.Runs {
		t.Fatalf("%d past runs, report %+v", len(w.History), report)
	}
	for _, run := range w.History {
		if run.Class == "" || run.Worker == "" || run.Bytes < 0 || run.Time < 0 {
			t.Fatalf("past run %+v", run)
		}
	}
	for _, node := range w.Topology {
		if node.Speed.Known && node.Speed.Value <= 0 {
			t.Fatalf("node %+v", node)
		}
	}
	for _, job := range w.Jobs {
		if job.Release < 0 || job.Weight <= 0 || job.IntermediateBytes.Value < 0 || job.RecordedCompletion.Value < 0 {
			t.Fatalf("job %+v", job)
		}
	}
}

// FuzzImport imports any bytes as a trace, with and without a topology.
func FuzzImport(f *testing.F) {
	addSeeds(f, false)
	topology := read(f, "topology.json")
	f.Fuzz(func(t *testing.T, trace []byte) {
		for _, opt := range []Options{{IncludeFailed: true}, {Weights: BySize}, {IncludeFailed: true, History: true}} {
			w, report, err := Import(bytes.NewReader(trace), "f", nil, "", opt)
			checkOutcome(t, w, report, err)
			opt.Speeds = opt.History
			w, report, err = Import(bytes.NewReader(trace), "f", bytes.NewReader(topology), "t", opt)
			checkOutcome(t, w, report, err)
		}
	})
}

// FuzzTopology imports any bytes as a topology.
func FuzzTopology(f *testing.F) {
	addSeeds(f, true)
	trace := read(f, "rules.json")
	f.Fuzz(func(t *testing.T, topology []byte) {
		w, report, err := Import(bytes.NewReader(trace), "f", bytes.NewReader(topology), "t", DefaultOptions())
		checkOutcome(t, w, report, err)
		if err == nil && !w.HasTopology {
			t.Fatal("no topology")
		}
	})
}
