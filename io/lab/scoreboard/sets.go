package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/trace"
	formats "mrsched/io/trace/bench"
	"mrsched/io/trace/wfformat"
	"mrsched/model"
	"mrsched/model/shop"
)

// set is a set of instances.
type set struct {
	name, what string
	known      string // where the known values are from; empty: there are none
	limit      time.Duration
	settings   engine.Settings
	list       func(bench string) ([]instance, error)
}

// instance is one instance with the known bounds on its optimum.
type instance struct {
	name        string
	least, most string // bounds on the optimum, which are equal if it is known; empty: unknown
	read        func() (*model.Workload, error)
}

const (
	workflowMachines, mixMachines = 16, 32
	mixes                         = 3 // of each size
	mostWeight                    = 3 // of a workflow of a mix
	fewJobs                       = 100
	rwctValues                    = "rwct/values.csv (a branch-and-price that ended)"
)

// mixSizes are the numbers of workflows of mixes.
var mixSizes = []int{5, 10, 20}

// sets are all sets, in the order of the document.
func sets() []set {
	makespan := engine.Settings{"objective": string(shop.Makespan)}
	return []set{
		{"stg", "standard task graphs of 50 tasks with a known optimum, makespan", "stg/optima.csv", 2 * time.Second, nil,
			func(bench string) ([]instance, error) { return taskGraphs(bench, false) }},
		{"stg-open", "standard task graphs of 50 tasks whose optimum is open, makespan",
			"stg/optima.csv (lower and upper bound)", 30 * time.Second, nil,
			func(bench string) ([]instance, error) { return taskGraphs(bench, true) }},
		{"wfinstances", fmt.Sprintf("executed workflows of WfInstances on %d machines, makespan", workflowMachines), "",
			10 * time.Second, nil, func(bench string) ([]instance, error) {
				return workflows(bench, wfformat.Options{Machines: model.Some[int64](workflowMachines)})
			}},
		{"wfinstances-nodes", "the same on the machines that they ran on, with their speeds, cores and memory, makespan", "",
			20 * time.Second, makespan, func(bench string) ([]instance, error) {
				return workflows(bench, wfformat.Options{Nodes: true})
			}},
		{"mixes", fmt.Sprintf("%d mixes each of 5, 10 and 20 of these workflows, weights 1 to %d, on %d machines, weighted "+
			"completion times", mixes, mostWeight, mixMachines), "", 30 * time.Second, nil, workflowMixes},
		{"pcmax", "identical machines, makespan", "", 10 * time.Second, nil, identical},
		{"rcmax-fanjul", "unrelated machines, makespan", "rcmax-fanjul/values.csv (the best of three solvers, 300 s)",
			60 * time.Second, nil, unrelated},
		{"rwct", fmt.Sprintf("up to %d jobs on unrelated machines, weighted completion times", fewJobs), rwctValues,
			30 * time.Second, nil, func(bench string) ([]instance, error) { return weighted(bench, 0, fewJobs) }},
		{"rwct-large", fmt.Sprintf("more than %d jobs on unrelated machines, weighted completion times", fewJobs), rwctValues,
			30 * time.Second, nil, func(bench string) ([]instance, error) { return weighted(bench, fewJobs, math.MaxInt) }},
		{"psplib", "projects with renewable resources, makespan", "psplib/optima.csv", 5 * time.Second, makespan,
			func(bench string) ([]instance, error) {
				return valued(bench, "psplib", "optima.csv", "", 1, formats.PSPLIB.Read, func([]string) bool { return true })
			}},
		{"rcpsp", "projects of 60 to 300 jobs and portfolios of such, makespan", "rcpsp/values.csv (best known)",
			60 * time.Second, makespan, projects},
		{"mixed", "what `mrsched generate cluster` makes, 100,000 tasks on 1,000 nodes, weighted completion times", "",
			60 * time.Second, nil, generated},
	}
}

func names() (list []string) {
	for _, s := range sets() {
		list = append(list, s.name)
	}
	return list
}

// table reads a CSV file.
func table(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}

// importing reads a file by an importer when the instance is solved.
func importing(path string, read func(f trace.File) (*model.Workload, error)) func() (*model.Workload, error) {
	return func() (*model.Workload, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close() // it was only read
		return read(trace.File{Name: filepath.Base(path), Text: f})
	}
}

// taskGraphs are the rows of optima.csv: file, machines, optimum; or, of open instances, lower and upper bound.
func taskGraphs(bench string, open bool) ([]instance, error) {
	rows, err := table(filepath.Join(bench, "stg/optima.csv"))
	if err != nil {
		return nil, err
	}
	var list []instance
	for i, x := range rows {
		if len(x) != 3 && len(x) != 4 {
			return nil, fmt.Errorf("stg/optima.csv: row %d has %d fields", i+1, len(x))
		}
		var machines int64
		if _, err := fmt.Sscan(x[1], &machines); err != nil {
			return nil, fmt.Errorf("stg/optima.csv: row %d: %w", i+1, err)
		}
		if isOpen := len(x) == 4 && x[2] != x[3]; isOpen == open {
			list = append(list, instance{fmt.Sprintf("%s on %s", x[0], x[1]), x[2], x[len(x)-1],
				importing(filepath.Join(bench, "stg", x[0]), func(f trace.File) (*model.Workload, error) {
					return formats.STG.Import(f, formats.Options{Machines: model.Some(machines)})
				})})
		}
	}
	return list, nil
}

// files are those of a folder with one of some endings, perhaps packed, in order of their names.
func files(bench, folder, ending string) (list []string, err error) {
	entries, err := os.ReadDir(filepath.Join(bench, folder))
	for _, e := range entries {
		if strings.HasSuffix(strings.TrimSuffix(e.Name(), ".gz"), ending) {
			list = append(list, filepath.Join(bench, folder, e.Name()))
		}
	}
	return list, err
}

// of are the instances of files of one folder.
func of(bench, folder, ending string, read func(f trace.File) (*model.Workload, error)) ([]instance, error) {
	paths, err := files(bench, folder, ending)
	var list []instance
	for _, path := range paths {
		list = append(list, instance{name: filepath.Base(path), read: importing(path, read)})
	}
	return list, err
}

func workflows(bench string, opt wfformat.Options) ([]instance, error) {
	return of(bench, "wfinstances", ".json", func(f trace.File) (*model.Workload, error) {
		return wfformat.Import([]trace.File{f}, opt)
	})
}

func identical(bench string) ([]instance, error) {
	return of(bench, "pcmax", ".txt", formats.PCMax.Read)
}

// unrelated are the rows of values.csv: set, number, and for each of three solvers the value, and 1 if it is proven.
func unrelated(bench string) ([]instance, error) {
	const folder = "rcmax-fanjul"
	rows, err := table(filepath.Join(bench, folder, "values.csv"))
	if err != nil {
		return nil, err
	}
	var list []instance
	for i, x := range rows[min(1, len(rows)):] {
		in := instance{name: strings.Join(x[:min(2, len(x))], "-")}
		for k := 2; k+1 < len(x); k += 2 {
			value := rat(x[k])
			if value == nil {
				return nil, fmt.Errorf("%s/values.csv: row %d: %q is not a number", folder, i+2, x[k])
			}
			if most := rat(in.most); most == nil || value.Cmp(most) < 0 {
				in.most = x[k]
			}
			if x[k+1] == "1" {
				in.least = x[k]
			}
		}
		in.read = importing(filepath.Join(bench, folder, in.name+".txt.gz"), formats.RCMax.Read)
		list = append(list, in)
	}
	return list, nil
}

// weighted are the rows of values.csv with a number of jobs in a range: instance, machines, jobs, and the optimum or
// nothing.
func weighted(bench string, above, most int) ([]instance, error) {
	return valued(bench, "rwct", "values.csv", ".csv", 3, formats.RWCT.Read, func(x []string) bool {
		jobs, err := strconv.Atoi(x[2])
		return err == nil && jobs > above && jobs <= most
	})
}

// projects are the rows of values.csv: file, best known value, and of two solvers the value, the bound and more.
func projects(bench string) ([]instance, error) {
	list, err := valued(bench, "rcpsp", "values.csv", "", 1, formats.PSPLIB.Read, func([]string) bool { return true })
	if err != nil {
		return nil, err
	}
	rows, err := table(filepath.Join(bench, "rcpsp/values.csv"))
	for i, x := range rows[min(1, len(rows)):] {
		least := big.NewRat(0, 1)
		for _, k := range []int{3, 8} {
			if len(x) <= k || rat(x[k]) == nil {
				return nil, fmt.Errorf("rcpsp/values.csv: row %d has no bound in field %d", i+2, k+1)
			}
			if b := rat(x[k]); b.Cmp(least) > 0 {
				least = b
			}
		}
		list[i].least = model.FormatRat(least, 0, model.RoundUp)
	}
	return list, err
}

// valued are the rows of a table below its header: the file without an ending and, in a column, the optimum or nothing.
func valued(bench, folder, name, ending string, column int, read func(f trace.File) (*model.Workload, error),
	wanted func(row []string) bool) (list []instance, err error) {
	rows, err := table(filepath.Join(bench, folder, name))
	if err != nil {
		return nil, err
	}
	for i, x := range rows[min(1, len(rows)):] {
		if len(x) <= column {
			return nil, fmt.Errorf("%s/%s: row %d has %d fields", folder, name, i+2, len(x))
		}
		if wanted(x) {
			list = append(list, instance{x[0], x[column], x[column],
				importing(filepath.Join(bench, folder, x[0]+ending), read)})
		}
	}
	return list, nil
}

// generated is one instance of the default preset of cluster.
func generated(string) ([]instance, error) {
	p, err := instances.FindPreset(shop.Cluster, "")
	if err != nil {
		return nil, err
	}
	values, err := engine.SettingValues(p.Params, nil)
	if err != nil {
		return nil, err
	}
	return []instance{{name: "seed 1", read: func() (*model.Workload, error) { return p.Generate(values, 1) }}}, nil
}

// workflowMixes are workflows drawn without repetition, all released at 0.
func workflowMixes(bench string) ([]instance, error) {
	paths, err := files(bench, "wfinstances", ".json")
	if err != nil {
		return nil, err
	}
	var list []instance
	for _, size := range mixSizes {
		for seed := range uint64(mixes) {
			if size <= len(paths) {
				list = append(list, instance{name: fmt.Sprintf("%d workflows, seed %d", size, seed+1),
					read: func() (*model.Workload, error) { return mix(paths, size, seed+1) }})
			}
		}
	}
	if list == nil {
		return nil, fs.ErrNotExist
	}
	return list, nil
}

// mix draws workflows, and a weight of each.
func mix(paths []string, size int, seed uint64) (*model.Workload, error) {
	r := rand.New(rand.NewPCG(seed, uint64(size)))
	drawn := r.Perm(len(paths))[:size]
	slices.Sort(drawn)
	var list []trace.File
	for _, k := range drawn {
		f, err := os.Open(paths[k])
		if err != nil {
			return nil, err
		}
		defer f.Close() // it was only read
		list = append(list, trace.File{Name: paths[k], Text: io.Reader(f)})
	}
	w, err := wfformat.Import(list, wfformat.Options{Machines: model.Some[int64](mixMachines),
		Interarrival: model.Some(model.Time(0))})
	if err != nil {
		return nil, err
	}
	for j := range w.Jobs { // the workload is not shared yet
		w.Jobs[j].Weight = model.Weight(1+r.IntN(mostWeight)) * model.UnitWeight
	}
	return w, nil
}
