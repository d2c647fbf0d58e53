package rumen

import (
	"fmt"
	"io"

	"mrsched/io/textpos"
	"mrsched/model"
)

// Import reads a trace and, unless it is nil, a topology, both plain or gzip; the names are for messages.
// The workload is named after the trace. The Report counts every assumption that was made; the same
// sentences are in the workload's notes.
//
// On bad input the workload is nil and the error a *model.InputError with every finding; the Report then
// tells how far the import got.
//
// Complexity: O(bytes), plus sorting each job's durations. Memory: the tasks that are kept, never the file.
func Import(trace io.Reader, traceName string, topology io.Reader, topologyName string, opt Options) (*model.Workload, *Report, error) {
	im := &importer{b: model.NewBuilder(), hosts: newHostTable(), opt: opt, report: &Report{}}
	findings := &im.b.Findings
	if im.opt.check(findings); !findings.Empty() {
		return nil, im.report, findings.Err()
	}
	im.report.options = im.opt
	usable := func(hostIndex) bool { return true }
	c := &cluster{findings: findings, hosts: im.hosts, at: map[hostIndex]model.Position{}, opt: &im.opt, report: im.report}
	if topology != nil {
		im.readTopology(c, topology, topologyName)
		usable = func(h hostIndex) bool { _, ok := c.at[h]; return ok }
	}
	im.readTrace(trace, traceName, usable)
	if topology == nil {
		c.fromTrace(traceName)
	}
	im.nodes = c.nodes
	im.enterTopology()
	im.checkNothingLeft(traceName)
	im.renameRepeats()
	im.emit()
	im.b.Scalars(textpos.Stem(traceName, ".gz", ".json"), "", opt.Machines, im.report.Notes())
	w, err := im.b.Build()
	return w, im.report, err
}

// importer is an import under way.
type importer struct {
	b      *model.Builder
	hosts  *hostTable
	opt    Options
	report *Report
	jobs   []*job
	nodes  []node                // of the cluster
	speeds map[hostIndex]float64 // with Options.Speeds, of hosts that attempts tell of
}

// readTopology enters the topology file into the cluster.
func (im *importer) readTopology(c *cluster, file io.Reader, name string) {
	r := &topologyReader{decoder: newDecoder(file, name, &im.b.Findings)}
	root, err := r.read()
	if err != nil {
		r.Fail(err)
	}
	if root != nil && im.b.Findings.Empty() { // half a topology would only cause findings of its own
		c.root(root)
	}
	im.report.Topology = true
}

// enterTopology enters the topology's rows into the workload, once the trace has told how fast hosts are.
func (im *importer) enterTopology() {
	if im.opt.Speeds {
		im.estimateSpeeds()
	}
	for _, n := range im.nodes {
		if v, ok := im.speeds[n.host]; ok {
			n.row.Speed = model.Some(v)
		}
		im.b.Node(n.row, n.parent, model.Locus{Pos: n.pos})
	}
}

// readTrace reads the jobs and keeps those to import.
func (im *importer) readTrace(file io.Reader, name string, usable func(hostIndex) bool) {
	rep := im.report
	r := &traceReader{decoder: newDecoder(file, name, &im.b.Findings), hosts: im.hosts, usable: usable, classes: im.opt.History || im.opt.Speeds}
	objects, err := r.read(func(j *job) {
		switch {
		case j.failed() && !im.opt.IncludeFailed:
			rep.SkippedFailed++
			r.tasks -= j.size()
		case j.size() == 0:
			rep.DroppedEmpty++
		default:
			im.jobs = append(im.jobs, j)
			rep.count(j)
		}
	})
	if err != nil {
		r.Fail(err)
	}
	rep.Objects = objects
}

// checkNothingLeft reports a trace of which nothing is left, unless something else is wrong as well.
func (im *importer) checkNothingLeft(traceName string) {
	if len(im.jobs) > 0 || !im.b.Findings.Empty() {
		return
	}
	rep := im.report
	f := model.Finding{Code: model.CodeNothingLeft, Pos: model.Position{File: traceName}, Expected: "at least one job to import"}
	if rep.Objects == 0 {
		f.What = "the trace is empty"
	} else {
		f.What = fmt.Sprintf("nothing of the trace is imported (jobs that FAILED or were KILLED: %d; without maps and reduces: %d)",
			rep.SkippedFailed, rep.DroppedEmpty)
	}
	if rep.SkippedFailed > 0 {
		f.Hint = "--include-failed imports FAILED and KILLED jobs"
	}
	im.b.Findings.Add(f)
}
