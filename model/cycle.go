package model

import (
	"fmt"
	"slices"
)

// precedence is rows of a table that each say that one of n things precedes another.
type precedence struct {
	n, rows int
	ends    func(row int32) (from, to int32)
}

// cycle is the rows of a shortest cycle, in order; nil if there is none. Kahn's algorithm removes what lies neither on
// a cycle nor behind one.
func (p precedence) cycle() []int32 {
	if p.rows == 0 {
		return nil
	}
	before := make([]int32, p.n) // how many precede
	for r := range p.rows {
		_, to := p.ends(int32(r))
		before[to]++
	}
	first, rows := CompressedRows(p.n, p.rows, func(r int) (from, row int32) {
		from, _ = p.ends(int32(r))
		return from, int32(r)
	})
	queue := make([]int32, 0, p.n)
	for u, n := range before {
		if n == 0 {
			queue = append(queue, int32(u))
		}
	}
	for k := 0; k < len(queue); k++ {
		u := queue[k]
		for _, r := range rows[first[u]:first[u+1]] {
			_, v := p.ends(r)
			if before[v]--; before[v] == 0 {
				queue = append(queue, v)
			}
		}
	}
	if len(queue) == p.n {
		return nil
	}
	open := make([]bool, p.n)
	for u, n := range before {
		open[u] = n > 0
	}
	return p.shortestCycle(open, first, rows)
}

// arc is an arc of the graph of tasks and jobs. Stated is the row of delays that says so, or −1 − the row of
// dependencies; arcs that only follow from jobs have noRow.
type arc struct{ from, to, stated int32 }

const noRow = 1 << 30

// checkJobCycles looks for cycles of rows of delays between jobs with what jobs wait for as a whole: other jobs, and
// reduces for maps. Behind the tasks, the graph has three steps for each job: before its tasks, between its maps and
// its reduces, and after its tasks.
func (b *Builder) checkJobCycles() {
	w := &b.w
	var arcs []arc
	step := func(j JobIndex, k int) int32 { return int32(len(w.Tasks) + 3*int(j) + k) }
	general := make([]bool, len(w.Jobs))
	for r, d := range w.Delays {
		arcs = append(arcs, arc{int32(d.From), int32(d.To), int32(r)})
		general[w.Tasks[d.From].Job] = general[w.Tasks[d.From].Job] || w.WithinJob(d)
	}
	for r, d := range w.Dependencies {
		arcs = append(arcs, arc{step(d.After, 2), step(d.Job, 0), int32(-1 - r)})
	}
	for u := range int32(len(w.Tasks)) {
		t := &w.Tasks[u]
		arcs = append(arcs, arc{step(t.Job, 0), u, noRow}, arc{u, step(t.Job, 2), noRow})
		switch {
		case general[t.Job]:
		case t.Kind == Map:
			arcs = append(arcs, arc{u, step(t.Job, 1), noRow})
		default:
			arcs = append(arcs, arc{step(t.Job, 1), u, noRow})
		}
	}
	cycle := (precedence{len(w.Tasks) + 3*len(w.Jobs), len(arcs), func(r int32) (from, to int32) {
		return arcs[r].from, arcs[r].to
	}}).cycle()
	if cycle != nil {
		b.reportJobCycle(arcs, cycle)
	}
}

// reportJobCycle reports a cycle in which some row of delays joins tasks of two jobs, at that row.
func (b *Builder) reportJobCycle(arcs []arc, cycle []int32) {
	w := &b.w
	c := &Conflict{What: "no schedule exists: tasks of several jobs wait for each other in a circle", Minimal: true,
		Infeasible: true, Proof: "each of these tasks would have to end before it starts"}
	var ring []string
	at := int32(None)
	add := func(table Table, from, to string, delay Time) {
		ring = append(ring, from)
		c.Members = append(c.Members, Demand{Kind: string(table), ID: from + " → " + to,
			Text: fmt.Sprintf("%s starts at least %s s after %s ends", to, delay, from)})
	}
	for _, k := range cycle {
		switch r := arcs[k].stated; {
		case r < 0:
			d := w.Dependencies[-1-r]
			add(TableDependencies, w.Jobs[d.After].ID, w.Jobs[d.Job].ID, d.Delay)
		case r < noRow:
			d := w.Delays[r]
			if add(TableDelays, w.Tasks[d.From].ID, w.Tasks[d.To].ID, d.Delay); !w.WithinJob(d) {
				at = r
			}
		}
	}
	b.Findings.Add(Finding{Code: CodeCycle, Pos: b.at[TableDelays].at(int(at)),
		What:     "the tasks form a cycle: " + ringText(append(ring, ring[0])),
		Expected: "precedence without cycles", Hint: "drop one of these rows; a job's reduces wait for its maps, and no " +
			"task of a job starts before the jobs that it waits for have ended", Conflict: c})
}

// maxCycleVisits limits the search for a shortest cycle, in rows inspected.
const maxCycleVisits = 50_000_000

// shortestCycle is the rows of a cycle with the fewest rows, in order. Only things for which open is true may lie on
// one; the rows out of u are rows[first[u]:first[u+1]]. At least one cycle must exist.
//
// Method: a breadth-first search from every thing in order, through later ones only, until it returns, so that every
// cycle is found from its first thing. For very large inputs the result is the shortest cycle seen. Like every cycle
// that repeats nothing it is minimal: removing any row breaks it.   Complexity: O(things · rows).
func (p precedence) shortestCycle(open []bool, first, rows []int32) []int32 {
	var best, queue []int32
	seen := make([]int32, p.n) // the search that met a thing, from 1
	into := make([]int32, p.n) // the row by which that search met it
	depth := make([]int32, p.n)
	visits := 0
	for start := range p.n {
		if !open[start] || best != nil && visits > maxCycleVisits {
			continue
		}
		root := int32(start)
		queue = append(queue[:0], root)
		depth[start] = 0
	search:
		for k := 0; k < len(queue); k++ {
			u := queue[k]
			if best != nil && int(depth[u])+1 >= len(best) {
				break // no shorter cycle from here
			}
			for _, r := range rows[first[u]:first[u+1]] {
				visits++
				_, v := p.ends(r)
				if v == root {
					best = []int32{r}
					for x := u; x != root; {
						best = append(best, into[x])
						x, _ = p.ends(into[x])
					}
					break search
				}
				if v > root && open[v] && seen[v] != root+1 {
					seen[v], into[v], depth[v] = root+1, r, depth[u]+1
					queue = append(queue, v)
				}
			}
		}
		if len(best) == 1 {
			break
		}
	}
	slices.Reverse(best)
	return best
}
