package trace

import (
	"fmt"
	"strconv"

	"mrsched/model"
)

// ID tells a task of a file from its others.
type ID struct {
	Project int64 // from 1 on; 0: the file is one job
	Number  int64 // of the task, in its project
}

// String is the task as the file writes it.
func (id ID) String() string {
	if id.Project == 0 {
		return strconv.FormatInt(id.Number, 10)
	}
	return fmt.Sprintf("%d:%d", id.Project, id.Number)
}

// Task is the id of the task in the workload.
func (id ID) Task() string {
	if id.Project == 0 {
		return TaskName(id.Number)
	}
	return projectName(id.Project) + "." + TaskName(id.Number)
}

func projectName(number int64) string { return "p" + strconv.FormatInt(number, 10) }

// Graph is a job, or several projects, as benchmark files state them: numbered tasks and their precedence.
type Graph struct {
	found    *model.Findings
	projects []project // empty: the file is one job
	vertices []vertex  // those of a project one after another
	row      map[ID]int32
	edges    []edge
}

// project is one of several of a file.
type project struct {
	release model.Time
	at      model.Position
}

type vertex struct {
	id     ID
	length model.Time
	at     model.Position
}

// edge says that one task waits for another; at is where the file says so.
type edge struct {
	from, to ID
	at       model.Position
}

// NewGraph is a graph without tasks.
func NewGraph(found *model.Findings) *Graph { return &Graph{found: found, row: map[ID]int32{}} }

// Project begins a project. Projects are numbered from 1 on.
func (g *Graph) Project(release model.Time, at model.Position) {
	g.projects = append(g.projects, project{release, at})
}

// Task adds a task, or reports that its number is in use.
func (g *Graph) Task(id ID, length model.Time, at model.Position) {
	if _, twice := g.row[id]; twice {
		g.found.Add(model.Finding{Code: model.CodeDuplicate, Pos: at, What: fmt.Sprintf("task %s is there twice", id),
			Expected: "every task once"})
		return
	}
	g.row[id] = int32(len(g.vertices))
	g.vertices = append(g.vertices, vertex{id, length, at})
}

// Edge lets a task wait for another; the tasks may come later.
func (g *Graph) Edge(from, to ID, at model.Position) {
	g.edges = append(g.edges, edge{from, to, at})
}

// resolve finds the rows of the edges' ends, and reports edges that make no sense. It drops those that repeat others.
func (g *Graph) resolve() (list [][2]int32) {
	seen := make(map[[2]int32]bool, len(g.edges))
	all := g.edges
	g.edges = g.edges[:0]
	for _, e := range all {
		ends := [2]int32{}
		known := true
		for k, id := range []ID{e.from, e.to} {
			row, ok := g.row[id]
			if !ok {
				g.found.Add(model.Finding{Code: model.CodeUnknownTask, Pos: e.at,
					What: fmt.Sprintf("there is no task %s", id), Expected: "the number of a task of the file"})
			}
			ends[k], known = row, known && ok
		}
		if known && !seen[ends] {
			seen[ends] = true
			list, g.edges = append(list, ends), append(g.edges, e)
		}
	}
	return list
}

// Emitted summarises an added graph.
type Emitted struct {
	Tasks, Edges int
	Jobs         int
	Joined       bool  // projects wait for each other, and are one job
	Dummies      int   // left out, as they change nothing
	Repeats      int   // edges that the file states again
	Widest       int64 // tasks of the widest level; at least 1
	kept         map[ID]bool
}

// Kept says whether a task of the file is one of the workload.
func (e *Emitted) Kept(id ID) bool { return e.kept[id] }

// TaskName is the id of a numbered task.
func TaskName(number int64) string { return "t" + strconv.FormatInt(number, 10) }

// MachineName is the id of a machine that a file only numbers, counted from 0.
func MachineName(m int) string { return "m" + strconv.Itoa(m+1) }

// Emit adds the job and its tasks, all of them maps, and its precedence as delays of length 0. The first task is left
// out if it has no length and waits for none, and the last one if it has no length and none waits for it.
//
// Of several projects each is a job, and has a first and a last task. If one waits for another all are one job, whose
// tasks have the releases, since delays are within a job.
func (g *Graph) Emit(b *model.Builder, name, file string) Emitted {
	stated := len(g.edges)
	edges := g.resolve()
	out := Emitted{kept: make(map[ID]bool, len(g.vertices)), Repeats: stated - len(edges)}
	before, waited := make([][]int32, len(g.vertices)), make([]bool, len(g.vertices))
	for _, e := range edges {
		before[e[1]] = append(before[e[1]], e[0])
		waited[e[0]] = true
		out.Joined = out.Joined || g.vertices[e[0]].id.Project != g.vertices[e[1]].id.Project
	}
	out.Widest = Width(before)
	job := ""
	for i, v := range g.vertices {
		first := i == 0 || g.vertices[i-1].id.Project != v.id.Project
		last := i == len(g.vertices)-1 || g.vertices[i+1].id.Project != v.id.Project
		if v.length == 0 && (first && len(before[i]) == 0 || last && !waited[i]) {
			out.Dummies++
			continue
		}
		if own, at := g.job(v.id.Project, name, file, out.Joined); job != own.ID {
			job = own.ID
			b.Job(own, model.Locus{Pos: at})
			out.Jobs++
		}
		out.Tasks++
		out.kept[v.id] = true
		task := model.Task{ID: v.id.Task(), Processing: model.Some(v.length)}
		if out.Joined {
			task.Release = model.Some(g.projects[v.id.Project-1].release)
		}
		b.Task(task, job, "", model.Locus{Pos: v.at})
	}
	if out.Tasks == 0 {
		NothingLeft(g.found, []File{{Name: file}}, "no task has a length", "tasks that take time")
	}
	for _, e := range g.edges {
		if out.kept[e.from] && out.kept[e.to] {
			b.Delay(e.from.Task(), e.to.Task(), 0, model.Locus{Pos: e.at})
			out.Edges++
		}
	}
	return out
}

// job is the job of a project's tasks, and where it is.
func (g *Graph) job(number int64, name, file string, joined bool) (model.Job, model.Position) {
	if number == 0 || joined {
		return model.Job{ID: name, Weight: model.UnitWeight}, model.Position{File: file, Line: 1, Column: 1}
	}
	p := &g.projects[number-1]
	return model.Job{ID: projectName(number), Weight: model.UnitWeight, Release: p.release}, p.at
}

// Note says which dummies and edges were left out.
func (e *Emitted) Note(notes *Notes) {
	notes.Count(e.Repeats, "edge", "{is there again and counts|are there again and count} once")
	notes.Count(e.Dummies, "task", "of length 0, first or last, {is|are} left out: {it changes|they change} nothing")
}

// Width is how many tasks the widest level of a graph has, at least 1; tasks on a cycle, which is reported elsewhere,
// have no level.
func Width(before [][]int32) int64 {
	level, count := make([]int, len(before)), make([]int64, len(before))
	widest := int64(1)
	for _, u := range Topological(before) {
		for _, p := range before[u] {
			level[u] = max(level[u], level[p]+1)
		}
		count[level[u]]++
		widest = max(widest, count[level[u]])
	}
	return widest
}
