package bench

import (
	"strconv"

	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/shop"
)

func readPSPLIB(x *input) (enter func()) {
	p := &project{Words: x.words(), graph: trace.NewGraph(&x.Findings)}
	if head := x.head(); numbersBegin(head) {
		(&numbers{project: p, many: manyBegin(head)}).read()
	} else {
		(&sections{project: p, row: map[int64]int{}}).read()
	}
	return func() { p.enter(x) }
}

// enter enters the tasks, and one node with the resources.
func (p *project) enter(x *input) {
	for _, j := range p.jobs {
		p.graph.Task(j.id, j.length, j.at)
	}
	graph := p.graph.Emit(x.Builder, x.title, x.file)
	node := model.Node{ID: trace.MachineName(0), Kind: model.HostNode}
	if len(p.available) == 0 { // a node that states nothing runs one task at a time
		node.MapSlots = int64(len(p.jobs))
	}
	x.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	x.Node(node, "root", model.Locus{})
	for k, amount := range p.available {
		x.Capacity(model.Capacity{Resource: resource(k), Amount: amount}, node.ID, model.Locus{Pos: p.availableAt})
	}
	for _, j := range p.jobs {
		for k, amount := range j.requests {
			if amount > 0 && graph.Kept(j.id) {
				x.Demand(model.TaskDemand{Resource: resource(k), Amount: amount}, j.id.Task(), model.Locus{Pos: j.requestsAt})
			}
		}
	}
	x.Scalars(x.title, shop.Cluster, model.Optional[int64]{}, p.notes(&graph))
}

// notes says what was imported and assumed.
func (p *project) notes(graph *trace.Emitted) (notes trace.Notes) {
	what, objective := "a project", "the project's own objective is the makespan"
	if p.projects > 0 {
		what = model.Counted(p.projects, "project")
		objective = "the objective is the makespan of all projects together"
	}
	notes.Add("imported from %s of %s with %s and %s", what, model.Counted(graph.Tasks, "task"),
		model.Counted(graph.Edges, "edge"), model.Counted(len(p.available), "renewable resource"))
	switch {
	case p.projects == 0:
	case graph.Joined:
		notes.Add("the projects share all resources and wait for each other: they are one job, whose tasks have their " +
			"projects' releases")
	default:
		notes.Add("the projects share all resources; each is a job, with its release")
		notes.Count(p.projects-graph.Jobs, "project", "without a task that takes time {is|are} left out")
	}
	if len(p.available) == 0 {
		notes.Add("without resources all tasks may run at once: %s has %s", trace.MachineName(0),
			model.Counted(len(p.jobs), "map slot"))
	}
	notes.Count(p.unused, "request", "{is|are} of a resource that its project says it does not use, and {counts|count} "+
		"all the same")
	graph.Note(&notes)
	notes.Add("%s: solve it with --objective makespan", objective)
	return notes
}

// resource is the name of a resource.
func resource(k int) string { return "R" + strconv.Itoa(k+1) }

// job is a job of a project.
type job struct {
	id         trace.ID
	length     model.Time
	at         model.Position
	requests   []model.Amount // nil until they are read
	requestsAt model.Position
}

// project is what a file holds, in any layout.
type project struct {
	*trace.Words
	graph       *trace.Graph
	jobs        []job          // in a .sm file by row of the precedence relations
	available   []model.Amount // nil until they are read
	availableAt model.Position
	projects    int // of a file of several; 0: it is one project
	unused      int // requests of resources that a project says it does not use
}
