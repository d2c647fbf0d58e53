package wfformat

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/shop"
)

// Import reads workflows, each file plain or gzip. The workload's notes count all assumptions.
//
// Errors: *model.InputError with every finding of every file.
//
// Complexity: O(bytes). Memory: the tasks, their edges and files, never the text.
func Import(files []File, opt Options) (*model.Workload, error) {
	im := &importer{b: model.NewBuilder(), opt: opt}
	return trace.Build(im.b, func() { opt.check(&im.b.Findings) }, func() { im.read(files) }, im.releases, func() {
		if opt.Nodes {
			im.nodes()
		}
	}, im.emit, func() {
		name, machines := shop.Cluster, model.Optional[int64]{}
		if !opt.Nodes {
			name, machines = shop.MSJO, model.Some(im.machines())
		}
		im.b.Scalars(im.jobs[0].name, name, machines, im.notes())
	})
}

// read reads the files. Their names without endings are those of jobs.
func (im *importer) read(files []File) {
	found := &im.b.Findings
	names := map[string]bool{}
	for _, file := range files {
		x := job{name: stem(file.Name)}
		if names[x.name] {
			found.Add(model.Finding{Code: model.CodeDuplicate, Pos: model.Position{File: file.Name},
				What:     fmt.Sprintf("another file is called %.80q too, as its job would be", x.name),
				Expected: "files of different names"})
		}
		names[x.name] = true
		if x.document = readFile(file, found); x.document != nil && x.resolve(found) {
			im.jobs = append(im.jobs, x)
		}
	}
	if len(files) == 0 {
		trace.NothingLeft(found, nil, "there is no workflow", "at least one file")
	}
}

func stem(name string) string { return textpos.Stem(name, ".gz", ".json") }

// importer is an import under way.
type importer struct {
	b    *model.Builder
	opt  Options
	jobs []job

	// What was assumed.
	released string // in words
	edges    int
	sized    string
	count    [len(doubts)]int

	speed  map[string]float64 // by node; empty without Options.Nodes
	placed trace.Notes        // about the nodes
}

// job is a file.
type job struct {
	name    string
	release model.Time
	*document
}

// releases decides when the jobs arrive.
func (im *importer) releases() {
	if gap := im.opt.Interarrival; gap.Known {
		im.released = fmt.Sprintf("the workflows are released one after another, %s s apart", gap.Value)
		for k := range im.jobs {
			at := min(float64(gap.Value)*float64(k), float64(model.MaxHorizon))
			im.jobs[k].release = model.Time(at)
		}
		return
	}
	if len(im.jobs) == 1 {
		im.released = "the workflow is released at 0"
		return
	}
	times := make([]time.Time, len(im.jobs))
	first, last := 0, 0
	for k := range im.jobs {
		t, ok := new(trace.Clock).Parse(im.jobs[k].executedAt)
		if !ok {
			im.released = "not all workflows state when they were executed: all are released at 0"
			return
		}
		times[k] = t
		if t.Before(times[first]) {
			first = k
		}
		if t.After(times[last]) {
			last = k
		}
	}
	for k := range im.jobs {
		im.jobs[k].release = min(trace.Since(times[first], times[k]), model.MaxHorizon)
	}
	im.released = fmt.Sprintf("the workflows are released as they were executed, the first one at 0, the last one at "+
		"%s s (--interarrival 0 releases all at once)", im.jobs[last].release)
}

// machines is the number of machines, from the options, the documents or the widths of the workflows.
func (im *importer) machines() int64 {
	if im.opt.Machines.Known {
		return im.opt.Machines.Value
	}
	widest, sum := int64(1), int64(0)
	for k := range im.jobs {
		widest = max(widest, trace.Width(im.jobs[k].parents))
	}
	hosts := im.hosts()
	if len(hosts) == 0 {
		im.sized = fmt.Sprintf("no machines are stated: there are %d, as many as the widest level of a workflow has tasks",
			widest)
		return widest
	}
	for _, m := range hosts {
		if !m.cores.Known {
			im.count[oneCore]++
		}
		sum += m.cores.Or(1)
	}
	im.sized = fmt.Sprintf("%s: one a core of %s, all of the same speed", model.Counted(int(sum), "machine"),
		model.Counted(len(hosts), "stated machine"))
	return sum
}

// emit enters all jobs, tasks and delays.
func (im *importer) emit() {
	tasks := 0
	for k := range im.jobs {
		tasks += len(im.jobs[k].tasks)
	}
	im.b.Reserve(tasks)
	for k := range im.jobs {
		j := &im.jobs[k]
		prefix := ""
		if len(im.jobs) > 1 {
			prefix = j.name + "/"
		}
		row := model.Job{ID: j.name, Weight: model.UnitWeight, Release: j.release}
		if j.makespan.Known && j.makespan.Value <= model.MaxHorizon {
			row.RecordedCompletion = model.Some(j.release + j.makespan.Value)
		}
		im.b.Job(row, model.Locus{Pos: j.at})
		for i := range j.tasks {
			im.task(j, i, prefix)
		}
		im.delays(j, prefix)
	}
}

func (im *importer) task(j *job, i int, prefix string) {
	t := &j.tasks[i]
	row := model.Task{ID: prefix + t.id.Text, Kind: model.Map, Processing: im.length(t), CPU: t.cores,
		MemoryBytes: t.memory, RecordedNode: t.machine}
	if len(j.parents[i]) > 0 {
		row.Kind = model.Reduce
	}
	if row.InputBytes = j.total(t.inputs); !row.InputBytes.Known {
		row.InputBytes = t.read
	}
	if row.OutputBytes = j.total(t.outputs); !row.OutputBytes.Known {
		row.OutputBytes = t.written
	}
	im.b.Task(row, j.name, "", model.Locus{Pos: t.id.Pos})
}

func (im *importer) delays(j *job, prefix string) {
	for i, list := range j.parents {
		at := model.Locus{Pos: j.tasks[i].id.Pos}
		for _, p := range list {
			im.b.Delay(prefix+j.tasks[p].id.Text, prefix+j.tasks[i].id.Text, 0, at)
			im.edges++
		}
	}
}

// What an import counts; doubts has the words.
const (
	differing = iota // stated machines
	oneCore
	parallel
	spread
	oneSided
	unsized
	longer
)

var doubts = [...]trace.Doubt{
	differing: {Noun: "machine", Text: "{is|are} stated several times with other numbers, of which the largest ones " +
		"count"},
	oneCore:  {Noun: "machine", Text: "without a number of cores {counts as one|count as one each}"},
	parallel: {Noun: "task", Text: "used several cores and {runs on one machine|run on one machine each} all the same"},
	spread: {Noun: "task", Text: "{names several machines, of which the first counts|name several machines each, of " +
		"which the first counts}"},
	oneSided: {Noun: "workflow", Text: "{states|state} edges at one of their ends only"},
	unsized:  {Noun: "workflow", Text: "{does not tell the sizes of all its|do not tell the sizes of all their} files"},
	longer: {Noun: "task", Text: "{states a longer time than the makespan of its workflow and takes|state longer times " +
		"than the makespans of their workflows and take} that"},
}

// notes says what was imported and assumed.
func (im *importer) notes() (notes trace.Notes) {
	tasks := 0
	var versions []string
	for k := range im.jobs {
		j := &im.jobs[k]
		tasks += len(j.tasks)
		for i := range j.tasks {
			im.countIf(spread, j.tasks[i].spread)
			im.countIf(parallel, !im.opt.Nodes && j.tasks[i].cores.Or(1) > 1) // on nodes, tasks take their cores
		}
		im.countIf(oneSided, j.oneSided)
		im.countIf(unsized, j.unsized)
		im.count[longer] += j.longer
		if !slices.Contains(versions, j.version) {
			versions = append(versions, j.version)
		}
	}
	notes.Add("imported from WfFormat %s: %s, %s, %s", strings.Join(versions, ", "),
		model.Counted(len(im.jobs), "workflow"), model.Counted(tasks, "task"), model.Counted(im.edges, "edge"))
	notes = append(notes, im.released)
	notes.Add("files move in no time")
	if im.sized != "" {
		notes = append(notes, im.sized)
	}
	notes = append(notes, im.placed...)
	notes.Doubts(doubts[:], im.count[:])
	return notes
}

func (im *importer) countIf(doubt int, so bool) {
	if so {
		im.count[doubt]++
	}
}

// File is one file to import.
type File = trace.File

// Options say what the documents do not say. The zero value needs no settings.
type Options struct {
	Interarrival model.Optional[model.Time] // between the releases of two jobs; unknown: as recorded
	Machines     model.Optional[int64]      // unknown: what the documents state
	Nodes        bool                       // the stated machines are nodes of a topology, for problem cluster
}

// check reports options that make no sense.
func (o *Options) check(found *model.Findings) {
	check := trace.Options{Found: found}
	if t := o.Interarrival; t.Known && (t.Value < 0 || t.Value > model.MaxHorizon) {
		check.Bad(fmt.Sprintf("%s s between releases", t.Value), "0 or more")
	}
	check.Count(o.Machines.Or(1), math.MaxInt32, "machines", fmt.Sprintf("from 1 to %d", math.MaxInt32))
	if o.Nodes && o.Machines.Known {
		check.Bad("nodes, and a number of machines", "one of the two")
	}
}
