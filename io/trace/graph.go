package trace

import (
	"fmt"
	"strconv"

	"mrsched/model"
)

// Graph is one job: numbered tasks and their precedence, as benchmark files state them.
type Graph struct {
	found    *model.Findings
	vertices []vertex
	row      map[int64]int32 // by number
	edges    []edge
}

type vertex struct {
	number int64
	length model.Time
	at     model.Position
}

// edge says that one number waits for another; at is where the file says so.
type edge struct {
	from, to int64
	at       model.Position
}

// NewGraph is a graph without tasks.
func NewGraph(found *model.Findings) *Graph { return &Graph{found: found, row: map[int64]int32{}} }

// Task adds a task, or reports that its number is in use.
func (g *Graph) Task(number int64, length model.Time, at model.Position) {
	if _, twice := g.row[number]; twice {
		g.found.Add(model.Finding{Code: model.CodeDuplicate, Pos: at, What: fmt.Sprintf("task %d is there twice", number),
			Expected: "every task once"})
		return
	}
	g.row[number] = int32(len(g.vertices))
	g.vertices = append(g.vertices, vertex{number, length, at})
}

// Edge lets a task wait for another; the tasks may come later.
func (g *Graph) Edge(from, to int64, at model.Position) {
	g.edges = append(g.edges, edge{from, to, at})
}

// resolve finds the rows of the edges' ends, and reports edges that make no sense.
func (g *Graph) resolve() (list [][2]int32) {
	seen := make(map[[2]int32]bool, len(g.edges))
	for _, e := range g.edges {
		ends := [2]int32{}
		known := true
		for k, number := range []int64{e.from, e.to} {
			row, ok := g.row[number]
			if !ok {
				g.found.Add(model.Finding{Code: model.CodeUnknownTask, Pos: e.at,
					What: fmt.Sprintf("there is no task %d", number), Expected: "the number of a task of the file"})
			}
			ends[k], known = row, known && ok
		}
		if known && seen[ends] {
			g.found.Add(model.Finding{Code: model.CodeTwice, Pos: e.at,
				What: fmt.Sprintf("task %d is said to wait for task %d twice", e.to, e.from), Expected: "every pair once"})
		}
		if known {
			seen[ends] = true
			list = append(list, ends)
		}
	}
	return list
}

// Emitted summarises an added graph.
type Emitted struct {
	Tasks, Edges int
	Dummies      int   // left out, as they change nothing
	Widest       int64 // tasks of the widest level; at least 1
	kept         map[int64]bool
}

// Kept says whether a number is a task of the workload.
func (e *Emitted) Kept(number int64) bool { return e.kept[number] }

// TaskName is the id of a numbered task.
func TaskName(number int64) string { return "t" + strconv.FormatInt(number, 10) }

// MachineName is the id of a machine that a file only numbers, counted from 0.
func MachineName(m int) string { return "m" + strconv.Itoa(m+1) }

// Emit adds the job and its tasks, all of them maps, and its precedence as delays of length 0. The first task is left
// out if it has no length and waits for none, and the last one if it has no length and none waits for it.
func (g *Graph) Emit(b *model.Builder, job, file string) Emitted {
	edges := g.resolve()
	before, waited := make([][]int32, len(g.vertices)), make([]bool, len(g.vertices))
	for _, e := range edges {
		before[e[1]] = append(before[e[1]], e[0])
		waited[e[0]] = true
	}
	out := Emitted{Widest: Width(before), kept: make(map[int64]bool, len(g.vertices))}
	b.Job(model.Job{ID: job, Weight: model.UnitWeight}, model.Locus{Pos: model.Position{File: file, Line: 1, Column: 1}})
	last := len(g.vertices) - 1
	for i, v := range g.vertices {
		if v.length == 0 && (i == 0 && len(before[i]) == 0 || i == last && !waited[i]) {
			out.Dummies++
			continue
		}
		out.Tasks++
		out.kept[v.number] = true
		b.Task(model.Task{ID: TaskName(v.number), Processing: model.Some(v.length)}, job, "", model.Locus{Pos: v.at})
	}
	if out.Tasks == 0 {
		NothingLeft(g.found, []File{{Name: file}}, "no task has a length", "tasks that take time")
	}
	for _, e := range g.edges {
		if out.kept[e.from] && out.kept[e.to] {
			b.Delay(TaskName(e.from), TaskName(e.to), 0, model.Locus{Pos: e.at})
			out.Edges++
		}
	}
	return out
}

// Note says which dummies were left out.
func (e *Emitted) Note(notes *Notes) {
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
