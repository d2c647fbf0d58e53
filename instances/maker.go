package instances

import (
	"strconv"

	"mrsched/model"
)

// maker builds workloads that come from no file, so that their rows have no positions.
type maker struct{ *model.Builder }

func newMaker() maker { return maker{model.NewBuilder()} }

var noMachines model.Optional[int64]

// start sets the name and the problem.
func (b maker) start(name, problem string) { b.Scalars(name, problem, noMachines, nil) }

// root adds the root of the topology.
func (b maker) root() { b.node(model.Node{ID: "root", Kind: model.RootNode}, "") }

func (b maker) node(n model.Node, parent string)     { b.Node(n, parent, model.Locus{}) }
func (b maker) reduceSlot(s model.ReduceSlot)        { b.ReduceSlot(s, model.Locus{}) }
func (b maker) job(j model.Job)                      { b.Job(j, model.Locus{}) }
func (b maker) task(t model.Task, job, block string) { b.Task(t, job, block, model.Locus{}) }
func (b maker) delay(from, to string, d model.Time)  { b.Delay(from, to, d, model.Locus{}) }
func (b maker) dependency(job, after string, d model.Time) {
	b.Dependency(job, after, d, model.Locus{})
}
func (b maker) placement(block, node string)        { b.Placement(block, node, model.Locus{}) }
func (b maker) cost(c model.AssignmentCost)         { b.Cost(c, model.Locus{}) }
func (b maker) pastRun(r model.PastRun)             { b.PastRun(r, model.Locus{}) }
func (b maker) part(p model.Part, job string)       { b.Part(p, job, model.Locus{}) }
func (b maker) keyData(k model.KeyData, job string) { b.KeyData(k, job, model.Locus{}) }
func (b maker) givenTime(g model.GivenTime, job, worker string) {
	b.GivenTime(g, job, worker, model.Locus{})
}

// refuse reports parameters that contradict each other.
func (b maker) refuse(what, expected, hint string) {
	b.Findings.Add(contradiction(what, expected, hint))
}

func contradiction(what, expected, hint string) model.Finding {
	return model.Finding{Code: model.CodeParameter, What: what, Expected: expected, Hint: hint}
}

// nth is the name of the k-th of some rows, which count from 1: "j1", "j2", ….
func nth(prefix string, k int) string { return prefix + strconv.Itoa(k+1) }
