package rumen

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
)

// counted requires of an import that the report counts what the workload holds, and that numbers are possible.
func counted(w *model.Workload, r *Report, err error) (*model.Workload, error) {
	if err != nil {
		return w, err
	}
	wrong := len(w.Jobs) != r.Jobs || len(w.Tasks) != r.Maps+r.Reduces || len(w.History) != r.Runs ||
		slices.ContainsFunc(w.Tasks, func(x model.Task) bool {
			return x.ShuffleDelay < 0 || x.InputBytes.Value < 0 || x.OutputBytes.Value < 0
		}) || slices.ContainsFunc(w.History, func(x model.PastRun) bool {
		return x.Class == "" || x.Worker == "" || x.Bytes < 0 || x.Time < 0
	}) || slices.ContainsFunc(w.Topology, func(x model.Node) bool {
		return x.Speed.Known && x.Speed.Value <= 0
	}) || slices.ContainsFunc(w.Jobs, func(x model.Job) bool { return x.Weight <= 0 || x.IntermediateBytes.Value < 0 })
	if wrong {
		return nil, fmt.Errorf("report %+v of %+v", r, w)
	}
	if len(w.Topology) == 0 { // the trace names no host
		w.Machines = model.Some(int64(1))
	}
	return w, nil
}

// FuzzImport imports any bytes as a trace, with and without a topology.
func FuzzImport(f *testing.F) {
	topology := read(f, "topology.json")
	var imports []golden.Import
	for _, opt := range []Options{{IncludeFailed: true}, {Weights: BySize}, {IncludeFailed: true, History: true}} {
		imports = append(imports, func(files []trace.File) (*model.Workload, error) {
			return counted(Import(files[0].Text, "f", nil, "", opt))
		}, func(files []trace.File) (*model.Workload, error) {
			of := opt
			of.Speeds = of.History
			return counted(Import(files[0].Text, "f", bytes.NewReader(topology), "t", of))
		})
	}
	golden.Fuzz(f, data, imports...)
}

// FuzzTopology imports any bytes as a topology.
func FuzzTopology(f *testing.F) {
	rules := read(f, "rules.json")
	f.Add(read(f, "topology.json"))
	golden.Fuzz(f, filepath.Join(data, "bad", "topology"), func(files []trace.File) (*model.Workload, error) {
		return counted(Import(bytes.NewReader(rules), "f", files[0].Text, "t", DefaultOptions()))
	})
}
