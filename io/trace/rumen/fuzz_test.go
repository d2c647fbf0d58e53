package rumen

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
)

// counted requires of an import that its numbers are possible.
func counted(w *model.Workload, err error) (*model.Workload, error) {
	if err != nil {
		return w, err
	}
	wrong := slices.ContainsFunc(w.Tasks, func(x model.Task) bool {
		return x.ShuffleDelay < 0 || x.InputBytes.Value < 0 || x.OutputBytes.Value < 0
	}) || slices.ContainsFunc(w.History, func(x model.PastRun) bool {
		return x.Class == "" || x.Worker == "" || x.Bytes < 0 || x.Time < 0
	}) || slices.ContainsFunc(w.Jobs, func(x model.Job) bool { return x.Weight <= 0 || x.IntermediateBytes.Value < 0 })
	if wrong {
		return nil, fmt.Errorf("%+v", w)
	}
	if len(w.Topology) == 0 { // the trace names no host
		w.Machines = model.Some(int64(1))
	}
	return w, nil
}

// FuzzImport imports any bytes as a trace, with and without a topology.
func FuzzImport(f *testing.F) {
	topology := string(read(f, "topology.json"))
	var imports []golden.Import
	for _, opt := range []Options{{IncludeFailed: true}, {IncludeFailed: true, History: true}} {
		imports = append(imports, func(files []trace.File) (*model.Workload, error) {
			return counted(Import(files[0], nil, opt))
		}, func(files []trace.File) (*model.Workload, error) {
			return counted(Import(files[0], &golden.Text(topology)[0], opt))
		})
	}
	golden.Fuzz(f, data, imports...)
}

// FuzzTopology imports any bytes as a topology.
func FuzzTopology(f *testing.F) {
	rules := string(read(f, "rules.json"))
	f.Add(read(f, "topology.json"))
	golden.Fuzz(f, filepath.Join(data, "bad", "topology"), func(files []trace.File) (*model.Workload, error) {
		return counted(Import(golden.Text(rules)[0], &files[0], DefaultOptions()))
	})
}
