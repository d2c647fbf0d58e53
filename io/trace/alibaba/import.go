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
	im.table = &table{names: map[string]string{}, found: &im.b.Findings}
	return trace.Build(im.b, func() { im.opt.check(&im.b.Findings) }, func() {
		for _, f := range files {
			im.readFile(f, &im.opt)
		}
	}, im.leaveOutside, im.choose, im.requireJobs, im.plan, func() {
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

	// What was assumed.
	cyclic                     []string // jobs
	emptied                    int      // jobs of which nothing is left
	unchosen                   int      // jobs beyond Options.Jobs
	missing, shared            int      // numbers
	unnamed, staged            int      // tasks
	capped, contrary, timeless int      // tasks with fewer instances, with gross times for negative ones, of length 0
	tasks, joins, delays       int64
	phases                     [3]int // jobs by shape
}

// job is a job that is imported.
type job struct {
	index      int32
	start, end model.Time
	*graph
	stages []stage // by task of the graph
	shape  shape
}

// stage is a task of the trace with its instances.
type stage struct {
	instances int64
	from      model.Time // when its time begins to count
	duration  model.Time // of an instance
	followers int64      // instances that wait for it
}

// joined says whether a task of length 0 is between a stage's instances and what waits for them.
func (s *stage) joined() bool { return s.instances*s.followers > s.instances+s.followers }

// span is how long the trace is.
const span = 8 * 24 * 60 * 60 * model.Second

// leaveOutside leaves out tasks with a start or end that is further from the median start than the trace is long.
func (im *importer) leaveOutside() {
	var starts []model.Time
	for i := range im.rows {
		if im.rows[i].kept {
			starts = append(starts, im.rows[i].start)
		}
	}
	if len(starts) == 0 {
		return
	}
	slices.Sort(starts)
	median := starts[(len(starts)-1)/2]
	for i := range im.rows {
		if r := &im.rows[i]; r.kept && (r.start < median-span || r.end > median+span) {
			r.kept = false
			im.left.outside++
		}
	}
}

// choose sorts the jobs by their start and takes the first ones whose names form no cycle.
func (im *importer) choose() {
	byJob := im.byJob()
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
			im.emptied++
			continue
		}
		all = append(all, x)
	}
	slices.SortStableFunc(all, func(a, b job) int { return cmp.Compare(a.start, b.start) })
	most := im.opt.Jobs.Or(int64(len(all)))
	for k := range all {
		if int64(len(im.chosen)) == most {
			im.unchosen = len(all) - k
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

// byJob are the rows of every job, in the order of the lines.
func (im *importer) byJob() [][]int32 {
	count := make([]int, len(im.jobs.IDs))
	for i := range im.rows {
		count[im.rows[i].job]++
	}
	lists := make([][]int32, len(count))
	flat := make([]int32, len(im.rows))
	first := 0
	for j, n := range count {
		lists[j] = flat[first : first : first+n]
		first += n
	}
	for i := range im.rows {
		j := im.rows[i].job
		lists[j] = append(lists[j], int32(i))
	}
	return lists
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
	f := model.Finding{Code: model.CodeNothingLeft, What: "the trace is empty", Expected: "at least one line, with one " +
		"task per line"}
	if len(im.files) > 0 {
		f.Pos.File = im.files[0]
	}
	if l := im.left; len(im.rows) > 0 {
		f.What = fmt.Sprintf("nothing is imported (tasks that are not Terminated: %d; without instances: %d; without "+
			"start or end: %d; reversed: %d; outside eight days: %d; jobs with a cycle: %d)",
			l.status, l.instances, l.times, l.reversed, l.outside, len(im.cyclic))
		f.Expected = "at least one task to import"
		if l.status > 0 {
			f.Hint = "--include-failed imports tasks that are not Terminated"
		}
	}
	im.b.Findings.Add(f)
}

// plan decides the instances and times of all tasks, and bounds them.
func (im *importer) plan() {
	for k := range im.chosen {
		j := &im.chosen[k]
		im.missing, im.shared = im.missing+j.missing, im.shared+j.shared
		im.unnamed, im.staged = im.unnamed+j.unnamed, im.staged+j.staged
		im.phases[j.shape]++
		j.stages = make([]stage, len(j.rows))
		for i := range j.stages {
			j.stages[i] = im.stage(j, i)
			im.tasks += j.stages[i].instances
		}
		if j.shape == stageGraph {
			im.connect(j)
		}
		if im.tasks+im.joins > maxRows || im.delays > maxRows {
			im.b.Findings.Add(model.Finding{Code: model.CodeOverflow, Pos: im.position(&im.rows[j.rows[0]]),
				What: fmt.Sprintf("up to job %.80q there are more than %d tasks or rows of delays", im.jobs.IDs[j.index],
					maxRows), Expected: "fewer", Hint: "pass --jobs, --instances-max or --instances one"})
			return
		}
	}
	im.b.Reserve(int(im.tasks + im.joins))
}

// stage decides how to import a task.
func (im *importer) stage(j *job, i int) stage {
	row := &im.rows[j.rows[i]]
	s := stage{instances: int64(row.instances), from: row.start}
	if im.opt.Durations == Net {
		for _, w := range j.waits[i] {
			s.from = max(s.from, im.rows[j.rows[w]].end)
		}
		if s.from > row.end {
			s.from = row.start
			im.contrary++
		}
	}
	if s.duration = row.end - s.from; s.duration == 0 {
		im.timeless++
	}
	most := im.opt.MaxInstances.Or(s.instances)
	switch {
	case im.opt.Instances == One:
		s.instances = 1
	case s.instances > most:
		work := float64(s.duration) * (float64(s.instances) / float64(most))
		s.duration = model.Time(min(work, float64(model.MaxHorizon)))
		s.instances = most
		im.capped++
	}
	return s
}

// connect counts the tasks that join stages, and the rows of delays.
func (im *importer) connect(j *job) {
	for i, list := range j.waits {
		for _, w := range list {
			j.stages[w].followers += j.stages[i].instances
		}
	}
	for i := range j.stages {
		if s := &j.stages[i]; s.joined() {
			im.joins++
			im.delays += s.instances + s.followers
		} else {
			im.delays += s.instances * s.followers
		}
	}
}

// peak is how many instances were under way at once, at most; at least 1.
func (im *importer) peak() int64 {
	type change struct {
		at model.Time
		by int64
	}
	var list []change
	for k := range im.chosen {
		for i := range im.chosen[k].stages {
			s := &im.chosen[k].stages[i]
			list = append(list, change{s.from, s.instances}, change{im.rows[im.chosen[k].rows[i]].end, -s.instances})
		}
	}
	slices.SortFunc(list, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	now, most := int64(0), int64(1)
	for _, c := range list {
		now += c.by
		most = max(most, now)
	}
	return most
}

// File is one file to import.
type File = trace.File

// Values of Options.Instances.
const (
	All = "all" // every instance is a task
	One = "one" // every task is a task, however many instances it has
)

// Values of Options.Durations.
const (
	Net   = "net"   // from the task's start, or the end of what it waits for, to its end
	Gross = "gross" // from the task's start to its end
)

// Instances lists the values of Options.Instances, Durations those of Options.Durations; the first are the defaults.
func Instances() []string { return []string{All, One} }

// Durations lists the values of Options.Durations.
func Durations() []string { return []string{Net, Gross} }

// Options say what to import, and what the lines do not say.
type Options struct {
	Jobs          model.Optional[int64] // import this many; unknown: all
	IncludeFailed bool                  // also import tasks that are not Terminated
	Instances     string                // All or One
	MaxInstances  model.Optional[int64] // of a task; unknown: any number
	Durations     string                // Net or Gross
	Machines      model.Optional[int64] // unknown: as many instances as were under way at once
}

// DefaultOptions import every instance of every Terminated task, with net times.
func DefaultOptions() Options { return Options{Instances: All, Durations: Net} }

// maxRows bounds the tasks and the rows of delays, which must fit into memory.
const maxRows = 50_000_000

// check reports options that make no sense.
func (o *Options) check(found *model.Findings) {
	check := trace.Options{Found: found}
	const sensible = "1 or more, and sensibly many"
	check.Count(o.Jobs.Or(1), math.MaxInt64, "jobs", sensible)
	check.Count(o.MaxInstances.Or(1), maxRows, "instances per task", sensible)
	check.Count(o.Machines.Or(1), math.MaxInt32, "machines", sensible)
	if !slices.Contains(Instances(), o.Instances) {
		check.Bad(fmt.Sprintf("instances %q", o.Instances), "all or one")
	}
	if o.Instances == One && o.MaxInstances.Known {
		check.Bad("a largest number of instances, of tasks that count as one", "one of the two options")
	}
	if !slices.Contains(Durations(), o.Durations) {
		check.Bad(fmt.Sprintf("durations %q", o.Durations), "net or gross")
	}
}
