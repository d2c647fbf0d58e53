package alibaba

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/shop"
)

// Import reads the lines of a trace, each file plain or gzip. The workload's notes count all assumptions.
//
// Errors: *model.InputError with every finding of every file.
//
// Complexity: O(bytes + tasks + delays), plus sorting the jobs. Memory: the lines and what becomes of them.
func Import(files []File, opt Options) (*model.Workload, error) {
	im := &importer{b: model.NewBuilder(), opt: opt}
	im.table = &table{found: &im.b.Findings}
	return trace.Build(im.b, func() { im.opt.check(&im.b.Findings) }, func() {
		for _, f := range files {
			im.readFile(f, &im.opt)
		}
	}, im.choose, im.requireJobs, im.plan, func() {
		machines := im.opt.Machines.Or(im.peak())
		for k := range im.chosen {
			im.emit(&im.chosen[k])
		}
		im.b.Scalars(textpos.Stem(files[0].Name, ".gz", ".csv"), shop.MSJO, model.Some(machines), im.notes(machines))
	})
}

// importer is an import under way.
type importer struct {
	*table
	b      *model.Builder
	opt    Options
	chosen []job // that are imported, by start

	cyclic []string // jobs
	tasks  int64
	delays int64 // rows
}

// job is a job that is imported.
type job struct {
	index      int32
	start, end model.Time
	*graph
	stages []stage // by task of the graph
	shape  shape
	edges  [][2]int32 // with shape stageGraph: pairs of its tasks, of which the second waits for the first
	joined []bool     // by task
}

// stage is a task of the trace with its instances.
type stage struct {
	instances int64
	from      model.Time // when its time begins to count
	duration  model.Time // of an instance
}

// choose sorts the jobs by their start and takes the first ones whose names form no cycle.
func (im *importer) choose() {
	byJob := make([][]int32, len(im.jobs.IDs)) // rows, in the order of the lines
	for i := range im.rows {
		j := im.rows[i].job
		byJob[j] = append(byJob[j], int32(i))
	}
	all := make([]job, 0, len(byJob))
	for j, rows := range byJob {
		x := job{index: int32(j)}
		kept := 0
		for _, r := range rows {
			if row := &im.rows[r]; row.kept {
				if kept == 0 || row.start < x.start {
					x.start = row.start
				}
				x.end = max(x.end, row.end)
				kept++
			}
		}
		if kept == 0 {
			im.count[emptied]++
			continue
		}
		all = append(all, x)
	}
	slices.SortStableFunc(all, func(a, b job) int { return cmp.Compare(a.start, b.start) })
	most := im.opt.Jobs.Or(int64(len(all)))
	for k := range all {
		if int64(len(im.chosen)) == most {
			im.count[unchosen] = len(all) - k
			return
		}
		x := all[k]
		g, ok := im.newGraph(byJob[x.index])
		if im.pairs > maxRows {
			return
		}
		if !ok {
			im.cyclic = append(im.cyclic, im.jobs.IDs[x.index])
			continue
		}
		x.graph, x.shape = g, g.shape()
		im.checkNames(&x)
		im.chosen = append(im.chosen, x)
	}
}

// checkNames reports tasks of a job whose name another one has; the builder would report each of their instances.
func (im *importer) checkNames(j *job) {
	seen := make(map[string]bool, len(j.rows))
	for _, r := range j.rows {
		row := &im.rows[r]
		if seen[row.name] {
			im.b.Findings.Add(model.Finding{Code: model.CodeDuplicate, Pos: im.position(row),
				What:     fmt.Sprintf("job %.80q has task %.80q twice", im.jobs.IDs[j.index], row.name),
				Expected: "names that are unique in their job", Hint: "drop one of the two lines"})
		}
		seen[row.name] = true
	}
}

// requireJobs reports that there is nothing to import.
func (im *importer) requireJobs() {
	if len(im.chosen) > 0 {
		return
	}
	f := model.Finding{Code: model.CodeNothingLeft, What: "the trace is empty", Expected: "at least one task to import"}
	if len(im.files) > 0 {
		f.Pos.File = im.files[0]
	}
	if n := &im.count; len(im.rows) > 0 {
		f.What = fmt.Sprintf("nothing is imported (tasks that are not Terminated: %d; without instances: %d; without "+
			"start or end: %d; reversed: %d; jobs with a cycle: %d)", n[notTerminated], n[withoutInstances],
			n[withoutTimes], n[reversed], len(im.cyclic))
		f.Hint = "--include-failed imports tasks that are not Terminated"
	}
	im.b.Findings.Add(f)
}

// plan decides the instances and times of all tasks, and bounds them.
func (im *importer) plan() {
	for k := range im.chosen {
		j := &im.chosen[k]
		for k, n := range j.count {
			im.count[k] += n
		}
		j.stages = make([]stage, len(j.rows))
		sizes := make([]int64, len(j.rows))
		for i := range j.stages {
			j.stages[i] = im.stage(j, i)
			sizes[i] = j.stages[i].instances
			im.tasks += sizes[i]
		}
		switch j.shape {
		case twoPhases:
			im.count[phased]++
		case stageGraph:
			im.count[graphs]++
			for i, list := range j.waits {
				for _, w := range list {
					j.edges = append(j.edges, [2]int32{w, int32(i)})
				}
			}
			var rows int64
			j.joined, rows = trace.PlanWaits(sizes, j.edges)
			im.delays += rows
		}
		if im.tasks > maxRows || im.delays > maxRows {
			im.b.Findings.Add(model.Finding{Code: model.CodeOverflow, Pos: im.position(&im.rows[j.rows[0]]),
				What: fmt.Sprintf("up to job %.80q there are more than %d tasks or rows of delays", im.jobs.IDs[j.index],
					maxRows), Expected: "fewer", Hint: "pass --jobs or --instances one"})
			return
		}
	}
	im.b.Reserve(int(im.tasks))
}

// stage decides how to import a task.
func (im *importer) stage(j *job, i int) stage {
	row := &im.rows[j.rows[i]]
	s := stage{instances: int64(row.instances), from: row.start}
	for _, w := range j.waits[i] {
		s.from = max(s.from, im.rows[j.rows[w]].end)
	}
	if s.from > row.end {
		s.from = row.start
		im.count[contrary]++
	}
	s.duration = row.end - s.from
	if im.opt.Instances == One {
		s.instances = 1
	}
	return s
}

// peak is how many instances were under way at once, at most; at least 1.
func (im *importer) peak() int64 {
	var busy trace.Usage
	for k := range im.chosen {
		for i := range im.chosen[k].stages {
			s := &im.chosen[k].stages[i]
			busy.Add(int64(s.from), int64(im.rows[im.chosen[k].rows[i]].end), s.instances)
		}
	}
	return max(1, busy.Peak())
}

// File is one file to import.
type File = trace.File

// Values of Options.Instances.
const (
	All = "all" // every instance is a task
	One = "one" // every task is a task, however many instances it has
)

// Instances lists the values of Options.Instances; the first is the default.
func Instances() []string { return []string{All, One} }

// Options say what to import, and what the lines do not say.
type Options struct {
	Jobs          model.Optional[int64] // import this many; unknown: all
	IncludeFailed bool                  // also import tasks that are not Terminated
	Instances     string                // All or One
	Machines      model.Optional[int64] // unknown: as many instances as were under way at once
}

// DefaultOptions import every instance of every Terminated task.
func DefaultOptions() Options { return Options{Instances: All} }

// maxRows bounds the tasks and the rows of delays, which must fit into memory. Fuzzing lowers it.
var maxRows int64 = 50_000_000

// check reports options that make no sense.
func (o *Options) check(found *model.Findings) {
	check := trace.Options{Found: found}
	const sensible = "1 or more, and sensibly many"
	check.Count(o.Jobs.Or(1), math.MaxInt64, "jobs", sensible)
	check.Count(o.Machines.Or(1), math.MaxInt32, "machines", sensible)
	if !slices.Contains(Instances(), o.Instances) {
		check.Bad(fmt.Sprintf("instances %q", o.Instances), "all or one")
	}
}
