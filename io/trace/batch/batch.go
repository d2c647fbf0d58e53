package batch

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/shop"
)

// File is one file to import.
type File = trace.File

// Options say what the lines do not say. The zero value needs no settings.
type Options struct {
	Columns string // of sacct's files without a header, separated by commas; "": DefaultColumns
	Zone    string // of the clock times; "": as the file states it
	// CPU and Memory are those of the nodes; unknown: as many CPUs as jobs had at once, and unlimited memory.
	CPU    trace.PerNode[float64]
	Memory trace.PerNode[model.Bytes]
}

// row is a job that ran, or one of its runs. Its times count from 1970 or, in files without a date, from their own 0.
type row struct {
	id, user, partition string
	cluster, state      string // of Slurm; a state of "" is under way
	preceding           string // the job that it waits for, and think after its end; "": none
	submit, start       model.Time
	started             bool // the start is known
	elapsed, think      model.Time
	cpus                int64
	memory              model.Optional[model.Bytes]
	at                  model.Position
}

// importer is an import under way.
type importer struct {
	b     *model.Builder
	opt   Options
	clock trace.Clock
	zone  *time.Location // that the file states; nil: none
	dated bool           // times count from 1970
	procs int64          // that the file states; 0: unknown
	rows  []row
	lines int
	count [len(doubts)]int

	zero       model.Time // the first submission
	partitions trace.Numbering
	sizes      []string // of the nodes, in words
}

// run imports files of a source by reading their rows. The workload's notes count all assumptions.
//
// Errors: *model.InputError with every finding of every file.
//
// Complexity: O(bytes), plus sorting the jobs by their times. Memory: the lines of jobs that ran.
func run(source string, files []File, opt Options, read func(im *importer)) (*model.Workload, error) {
	im := &importer{b: model.NewBuilder(), opt: opt}
	found := &im.b.Findings
	return trace.Build(im.b, func() { im.clock = trace.Options{Found: found}.Zone(opt.Zone) }, func() {
		if read(im); len(im.rows) == 0 {
			trace.NothingLeft(found, files, "no job ran ("+model.Counted(im.lines, "line")+")", "jobs that ran for some time")
		}
	}, im.nodes, im.emit, func() {
		name := textpos.Stem(files[0].Name, ".gz", ".log", ".txt", ".csv", ".swf")
		im.b.Scalars(name, shop.Cluster, model.Optional[int64]{}, im.notes(source))
	})
}

func (im *importer) countIf(doubt int, so bool) {
	if so {
		im.count[doubt]++
	}
}

// nodes decides time 0, and enters a node for each partition.
func (im *importer) nodes() {
	im.zero = slices.MinFunc(im.rows, func(a, b row) int { return int(min(1, max(-1, a.submit-b.submit))) }).submit
	if im.zero -= im.zero % model.Second; im.dated {
		im.b.Origin(im.origin())
	}
	var busy []trace.Usage
	var most []int64 // CPUs of a job
	for i := range im.rows {
		r := &im.rows[i]
		k := im.partitions.Of(r.partition)
		if int(k) == len(busy) {
			busy, most = append(busy, trace.Usage{}), append(most, 0)
		}
		if most[k] = max(most[k], r.cpus); r.started {
			busy[k].Add(int64(r.start), int64(r.start+r.elapsed), r.cpus)
		}
	}
	root := "root"
	for slices.Contains(im.partitions.IDs, root) {
		root += "."
	}
	at := model.Locus{Pos: im.rows[0].at}
	im.b.Node(model.Node{ID: root, Kind: model.RootNode}, "", at)
	for k, id := range im.partitions.IDs {
		peak := busy[k].Peak()
		if im.procs > 0 {
			im.countIf(wide, most[k] > im.procs)
			peak = im.procs
		}
		cpus := im.opt.CPU.Of(id).Or(float64(max(most[k], peak)))
		im.sizes = append(im.sizes, id+" "+strconv.FormatFloat(cpus, 'f', -1, 64))
		im.b.Node(model.Node{ID: id, Kind: model.HostNode, CPU: model.Some(cpus), MemoryBytes: im.opt.Memory.Of(id)}, root,
			at)
	}
	im.opt.CPU.Check(&im.b.Findings, "CPU", im.partitions.IDs)
	im.opt.Memory.Check(&im.b.Findings, "memory", im.partitions.IDs)
}

// origin is the clock time of time 0.
func (im *importer) origin() model.Origin {
	return im.clock.Origin(time.Unix(int64(im.zero/model.Second), 0).UTC(), im.zone)
}

// emit enters a job of one task for each row, and waits for preceding jobs.
func (im *importer) emit() {
	im.b.Reserve(len(im.rows))
	runs := map[string]int{}
	for i := range im.rows {
		r := &im.rows[i]
		at := model.Locus{Pos: r.at}
		job := model.Job{ID: r.id, Weight: model.UnitWeight, Tenant: r.user, Release: r.submit - im.zero}
		task := model.Task{Kind: model.Map, Processing: model.Some(r.elapsed), CPU: model.Some(float64(r.cpus)),
			MemoryBytes: r.memory}
		if runs[r.id]++; runs[r.id] > 1 {
			im.count[repeated]++
			job.ID += "#" + strconv.Itoa(runs[r.id])
		}
		if task.ID = job.ID; r.started {
			task.RecordedNode, task.RecordedStart = r.partition, model.Some(r.start-im.zero)
			job.RecordedCompletion = model.Some(r.start - im.zero + r.elapsed)
		}
		im.countIf(unstarted, !r.started)
		im.b.Job(job, at)
		im.b.Task(task, job.ID, "", at)
		if len(im.partitions.IDs) > 1 {
			im.b.Eligible(job.ID, "", r.partition, at)
		}
	}
	for i := range im.rows {
		switch r := &im.rows[i]; {
		case r.preceding == "":
		case runs[r.preceding] == 0:
			im.count[unpreceded]++
		default:
			im.count[waits]++
			im.b.Dependency(r.id, r.preceding, r.think, model.Locus{Pos: r.at})
		}
	}
}

// maxListed is how many partitions a note lists.
const maxListed = 20

// notes says what was imported and assumed; counts of 0 are left out.
func (im *importer) notes(source string) (notes trace.Notes) {
	notes.Add("imported from %s: %s that ran, of %s", source, model.Counted(len(im.rows), "job"),
		model.Counted(im.lines, "line"))
	at := ""
	if im.dated {
		at = ", " + im.origin().String()
	}
	notes.Add("time 0 is the first submission%s; a job is released when it was submitted", at)
	why := "as many CPUs as its jobs had at once"
	if im.procs > 0 {
		why = "as many CPUs as the file states"
	}
	if len(im.sizes) > maxListed {
		im.sizes = append(im.sizes[:maxListed], "…")
	}
	notes.Add("a partition is a node, with %s unless --cpu says so: %s", why, strings.Join(im.sizes, ", "))
	if !slices.ContainsFunc(im.rows, func(r row) bool { return !r.started || r.start != r.submit }) {
		notes.Add("submissions are starts, as in logs without waiting times: releases are when jobs began, so that what a " +
			"plan saves by waiting less does not show")
	}
	notes.Doubts(doubts[:], im.count[:])
	return notes
}

// What an import counts; doubts has the words.
const (
	idle = iota
	steps
	seen
	parts
	repeated
	incomplete
	running
	suspended
	unsubmitted
	unstarted
	early
	cpuless
	several
	array
	component
	wide
	waits
	unpreceded
)

var doubts = [...]trace.Doubt{
	idle:        {Noun: "line", Text: "of {a job|jobs} that did not run {is|are} left out"},
	steps:       {Noun: "line", Text: "of {a step is|steps are} left out: jobs have lines of their own"},
	seen:        {Noun: "line", Text: "{repeats|repeat} the run of a job"},
	parts:       {Noun: "line", Text: "about {a part of a run is|parts of runs are} left out: others sum the runs up"},
	repeated:    {Noun: "run", Text: "of requeued jobs {is a job|are jobs}, named JOB#2 and so on"},
	incomplete:  {Noun: "job", Text: "that did not complete {is|are} work all the same, for as long as {it|they} ran"},
	running:     {Noun: "job", Text: "without an end {takes the time that it|take the time that they} had run"},
	suspended:   {Noun: "job", Text: "ran for another time than from start to end, as suspended jobs do: the run counts"},
	unsubmitted: {Noun: "job", Text: "without a submission {is released at its|are released at their} start"},
	unstarted:   {Noun: "job", Text: "without a start {has|have} no recorded start, so that there is no recorded plan"},
	early:       {Noun: "job", Text: "submitted after {its start is|their starts are} released at the start"},
	cpuless:     {Noun: "job", Text: "without allocated CPUs {takes|take} those asked for, or one"},
	several:     {Noun: "job", Text: "{names|name} several partitions, of which the first one counts"},
	array:       {Noun: "line", Text: "{names|name} several elements of an array and {is one job|are one job each}"},
	component:   {Noun: "component", Text: "of heterogeneous jobs {is a job|are jobs}, planned apart"},
	wide:        {Noun: "node", Text: "has more CPUs than the file states, as one of its jobs had"},
	waits:       {Noun: "job", Text: "{waits|wait} for a preceding one, and the think time after its end"},
	unpreceded:  {Noun: "job", Text: "{waits|wait} for nothing, as the preceding one did not run"},
}
