package dbt

import (
	"cmp"
	"slices"
	"time"

	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/shop"
)

// File is one file to import.
type File = trace.File

// Options say what the artifacts do not say. The zero value needs no settings.
type Options struct {
	Zone string // of the origin; "": UTC
}

// Import reads run_results.json and manifest.json of one run, plain or gzip, in any order. The workload's notes count
// all assumptions.
//
// Errors: *model.InputError with every finding.
//
// Complexity: O(bytes + nodes · edges): for each test the nodes below it. Memory: nodes and edges, never the text.
func Import(files []File, opt Options) (*model.Workload, error) {
	im := &importer{b: model.NewBuilder()}
	return trace.Build(im.b, func() { im.clock = trace.Options{Found: &im.b.Findings}.Zone(opt.Zone) },
		func() { im.read(files) }, im.link, im.settle, im.emit, func() {
			im.b.Scalars(cmp.Or(im.project, "dbt"), shop.Cluster, model.Optional[int64]{}, im.notes())
		})
}

// importer is an import under way.
type importer struct {
	b       *model.Builder
	clock   trace.Clock
	project string
	which   string // the command
	build   bool
	nodes   []node
	parents map[string][]string // by node of the manifest
	waits   [][]int32           // by node that ran
	count   [len(doubts)]int

	origin  time.Time
	begun   bool // the origin is known
	threads []string
	moved   model.Time // at most, of recorded starts
	delays  int
}

func (im *importer) countIf(doubt int, so bool) {
	if so {
		im.count[doubt]++
	}
}

// mainThread runs hooks, while no other thread runs anything.
const mainThread = "main"

// slack is how much later than its first recorded moment a node may really have begun: execution_time counts from
// before that moment until after the last one.
const slack = model.Second

// settle decides the origin, the threads and the recorded starts.
func (im *importer) settle() {
	for i := range im.nodes {
		n := &im.nodes[i]
		if n.begun && (!im.begun || n.started.Before(im.origin)) {
			im.origin, im.begun = n.started, true
		}
		if n.thread != "" && n.thread != mainThread && n.thread != "MainThread" && !slices.Contains(im.threads, n.thread) {
			im.threads = append(im.threads, n.thread)
		}
	}
	if im.origin = im.origin.Truncate(time.Second); im.begun {
		im.b.Origin(im.clock.Origin(im.origin, nil))
	}
	slices.SortFunc(im.threads, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	if len(im.threads) == 0 {
		im.threads = []string{mainThread}
	}
	order := make([]int, len(im.nodes))
	for i := range order {
		n := &im.nodes[i]
		order[i], n.start = i, trace.Since(im.origin, n.started)
		if !slices.Contains(im.threads, n.thread) {
			n.thread = im.threads[0]
		}
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(im.nodes[i].start, im.nodes[k].start) })
	free := map[string]model.Time{}
	for _, i := range order {
		n := &im.nodes[i]
		after := free[n.thread]
		for _, k := range im.waits[i] {
			after = max(after, im.nodes[k].start+im.nodes[k].took)
		}
		if n.start < after && after-n.start <= slack {
			im.moved = max(im.moved, after-n.start)
			n.start = after
		}
		free[n.thread] = n.start + n.took
	}
}

// emit enters the job, its tasks, their waits and the threads.
func (im *importer) emit() {
	job := cmp.Or(im.project, "dbt")
	at := model.Locus{Pos: im.nodes[0].id.Pos}
	last := model.Time(0)
	for i := range im.nodes {
		last = max(last, im.nodes[i].start+im.nodes[i].took)
	}
	whole := im.count[unstarted] == 0
	im.b.Job(model.Job{ID: job, Weight: model.UnitWeight,
		RecordedCompletion: model.Optional[model.Time]{Value: last, Known: whole}}, at)
	for i := range im.nodes {
		n := &im.nodes[i]
		task := model.Task{ID: n.id.Text, Kind: model.Map, Processing: model.Some(n.took)}
		if n.begun {
			task.RecordedNode, task.RecordedStart = n.thread, model.Some(n.start)
		}
		im.b.Task(task, job, "", model.Locus{Pos: n.id.Pos})
	}
	for i, list := range im.waits {
		for _, k := range list {
			im.b.Delay(im.nodes[k].id.Text, im.nodes[i].id.Text, 0, model.Locus{Pos: im.nodes[i].id.Pos})
			im.delays++
		}
	}
	im.b.Node(model.Node{ID: "dbt", Kind: model.RootNode}, "", at)
	for _, id := range im.threads {
		im.b.Node(model.Node{ID: id, Kind: model.HostNode, MapSlots: 1}, "dbt", at)
	}
}

// notes says what was imported and assumed; counts of 0 are left out.
func (im *importer) notes() (notes trace.Notes) {
	notes.Add("imported from dbt %s: %s that ran, %s", im.which, model.Counted(len(im.nodes), "node"),
		model.Counted(im.delays, "wait"))
	if im.begun {
		notes.Add("time 0 is when the first node began, %s", im.clock.Origin(im.origin, nil))
	}
	notes.Add("%s ran something: each is a node with one slot", model.Counted(len(im.threads), "thread"))
	if im.build {
		notes.Add("dbt build: a node waits for the tests whose parents are all above it")
	}
	if im.moved > 0 {
		notes.Add("recorded starts are up to %s s later, so that no node begins before what it waits for has ended, or "+
			"before its thread is free", im.moved)
	}
	notes.Doubts(doubts[:], im.count[:])
	return notes
}

// What an import counts; doubts has the words.
const (
	skipped = iota
	failed
	unstarted
)

var doubts = [...]trace.Doubt{
	skipped:   {Noun: "skipped node", Text: "{is|are} left out; what waits for {it|them} waits for the nodes above"},
	failed:    {Noun: "node", Text: "that failed {is|are} work all the same, for as long as {it|they} ran"},
	unstarted: {Noun: "node", Text: "without a start {has|have} no recorded start, so that there is no recorded plan"},
}
