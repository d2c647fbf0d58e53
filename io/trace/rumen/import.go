package rumen

import (
	"fmt"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// Import reads a trace and, unless it is nil, a topology, both plain or gzip. The workload is named after the trace;
// its notes count every assumption.
//
// Errors: *model.InputError with every finding.
//
// Complexity: O(bytes), plus sorting the durations. Memory: the tasks that are kept, not the file.
func Import(file trace.File, topology *trace.File, opt Options) (*model.Workload, error) {
	im := &importer{b: model.NewBuilder(), hosts: newHostTable(), opt: opt, stated: topology != nil,
		at: map[hostIndex]model.Position{}}
	return trace.Build(im.b, func() { im.opt.check(&im.b.Findings) }, func() {
		if topology != nil {
			im.readTopology(*topology)
		}
		im.readTrace(file)
		if topology == nil {
			im.fromTrace(file.Name)
		}
		for _, n := range im.nodes {
			im.b.Node(n.row, n.parent, model.Locus{Pos: n.pos})
		}
		im.requireJobs(file)
	}, im.renameRepeats, im.emit, func() {
		im.b.Scalars(textpos.Stem(file.Name, ".gz", ".json"), "", opt.Machines, im.notes())
	})
}

// importer is the state of one import.
type importer struct {
	b      *model.Builder
	hosts  *hostTable
	opt    Options
	jobs   []*job
	nodes  []node                       // of the cluster
	stated bool                         // there is a topology file
	at     map[hostIndex]model.Position // of every host of that
	count  [len(doubts)]int

	objects    int // in the trace
	maps, runs int // imported
	origin     trace.Origin
}

// readTopology adds the topology file to the cluster.
func (im *importer) readTopology(file trace.File) {
	var x trace.Placed[rawElement]
	d, ok := trace.ReadDocument(file, `one object with "name" and "children"`, "the topology", &x, &im.b.Findings)
	if !ok {
		return
	}
	root := elementOf(d, &x)
	if im.b.Findings.Empty() { // half a topology would cause findings that are not the user's fault
		im.enterRoot(root)
	}
}

// readTrace reads the jobs and keeps those that are imported.
func (im *importer) readTrace(file trace.File) {
	r := &reader{Document: trace.NewDocument(file, "a Rumen file", "the job", &im.b.Findings), importer: im}
	for {
		var x trace.Placed[rawJob]
		if !r.Next(&x) {
			return
		}
		im.objects++
		if j := r.job(&x.Of, x.At); j != nil {
			im.keep(j)
		}
	}
}

// keep keeps a job, or counts why it is left out.
func (im *importer) keep(j *job) {
	switch {
	case j.failed() && !im.opt.IncludeFailed:
		im.count[skippedFailed]++
		return
	case j.size() == 0:
		im.count[droppedEmpty]++
		return
	case j.failed():
		im.count[includedFailed]++
	}
	im.jobs = append(im.jobs, j)
	im.maps += len(j.tasks[model.Map])
	for k, n := range j.count {
		im.count[k] += n
	}
	im.count[impossible] += j.limitTimes()
}

// requireJobs reports a trace without any job to import, unless there are other findings.
func (im *importer) requireJobs(file trace.File) {
	if len(im.jobs) > 0 || !im.b.Findings.Empty() {
		return
	}
	f := model.Finding{Code: model.CodeNothingLeft, Pos: model.Position{File: file.Name}, What: "the trace is empty",
		Expected: "at least one job to import"}
	if im.objects > 0 {
		f.What = fmt.Sprintf("no job of the trace is imported (FAILED or KILLED: %d; without maps and reduces: %d)",
			im.count[skippedFailed], im.count[droppedEmpty])
	}
	if im.count[skippedFailed] > 0 {
		f.Hint = "--include-failed imports FAILED and KILLED jobs"
	}
	im.b.Findings.Add(f)
}
