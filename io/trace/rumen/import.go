package rumen

import (
	"fmt"
	"io"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// Import reads a trace and, unless it is nil, a topology, both plain or gzip. The names are those of the files, for
// messages; the workload is named after the trace. The Report counts every assumption; the notes of the workload
// say the same in words.
//
// On bad input the workload is nil, the error is a *model.InputError with every finding, and the Report says how far
// the import got.
//
// Complexity: O(bytes), plus sorting the durations. Memory: the tasks that are kept, not the file.
func Import(file io.Reader, fileName string, topology io.Reader, topologyName string, opt Options) (*model.Workload,
	*Report, error) {
	im := &importer{b: model.NewBuilder(), hosts: newHostTable(), opt: opt, report: &Report{}}
	w, err := trace.Build(im.b, func() { im.opt.check(&im.b.Findings) }, func() {
		im.report.options = im.opt
		im.read(file, fileName, topology, topologyName)
	}, im.renameRepeats, im.emit, func() {
		im.b.Scalars(textpos.Stem(fileName, ".gz", ".json"), "", opt.Machines, im.report.Notes())
	})
	return w, im.report, err
}

// read reads topology and trace, and enters the nodes.
func (im *importer) read(file io.Reader, fileName string, topology io.Reader, topologyName string) {
	usable := func(hostIndex) bool { return true }
	c := &cluster{im, map[hostIndex]model.Position{}}
	if topology != nil {
		im.readTopology(c, topology, topologyName)
		usable = func(h hostIndex) bool { _, ok := c.at[h]; return ok }
	}
	im.readTrace(file, fileName, usable)
	if topology == nil {
		c.fromTrace(fileName)
	}
	im.enterTopology()
	im.checkNothingLeft(fileName)
}

// importer is the state of one import.
type importer struct {
	b      *model.Builder
	hosts  *hostTable
	opt    Options
	report *Report
	jobs   []*job
	nodes  []node                // of the cluster
	speeds map[hostIndex]float64 // with Options.Speeds: of the hosts whose speed is known
}

// readTopology adds the topology file to the cluster.
func (im *importer) readTopology(c *cluster, file io.Reader, name string) {
	r := &topologyReader{decoder: newDecoder(file, name, &im.b.Findings)}
	root, err := r.read()
	if err != nil {
		r.Fail(err)
	}
	if root != nil && im.b.Findings.Empty() { // half a topology would cause findings that are not the user's fault
		c.root(root)
	}
	im.report.Topology = true
}

// enterTopology adds the nodes to the workload. It runs after the trace was read, from which speeds are estimated.
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

// readTrace reads the jobs and keeps those that are imported.
func (im *importer) readTrace(file io.Reader, name string, usable func(hostIndex) bool) {
	rep := im.report
	r := &traceReader{decoder: newDecoder(file, name, &im.b.Findings), hosts: im.hosts, usable: usable,
		classes: im.opt.History || im.opt.Speeds}
	objects, err := r.read(func(j *job) {
		switch {
		case j.failed() && !im.opt.IncludeFailed:
			rep.SkippedFailed++
			r.tasks -= j.size()
		case j.size() == 0:
			rep.DroppedEmpty++
		default:
			rep.Impossible += j.impossible + j.limitTimes()
			im.jobs = append(im.jobs, j)
			rep.count(j)
		}
	})
	if err != nil {
		r.Fail(err)
	}
	im.limitRest()
	rep.Objects = objects
}

// checkNothingLeft reports a trace without any job to import, unless there are other findings.
func (im *importer) checkNothingLeft(traceName string) {
	if len(im.jobs) > 0 || !im.b.Findings.Empty() {
		return
	}
	rep := im.report
	f := model.Finding{Code: model.CodeNothingLeft, Pos: model.Position{File: traceName},
		Expected: "at least one job to import"}
	if rep.Objects == 0 {
		f.What = "the trace is empty"
	} else {
		f.What = fmt.Sprintf("no job of the trace is imported (FAILED or KILLED: %d; without maps and reduces: %d)",
			rep.SkippedFailed, rep.DroppedEmpty)
	}
	if rep.SkippedFailed > 0 {
		f.Hint = "--include-failed imports FAILED and KILLED jobs"
	}
	im.b.Findings.Add(f)
}
