package shop

import (
	"math"

	"mrsched/model"
)

// Walk evaluates jobs under prices of cells.
type Walk struct {
	*Cells
	points, next []model.Time
	low          []int64
	// What one task pays on one class: line is the integral of its price at the borders of cells, step its price.
	line, step   []int64
	lines, steps []int64 // room for them
}

// NewWalk makes room for evaluations.
func (x *Cells) NewWalk() *Walk {
	return &Walk{Cells: x, lines: make([]int64, x.N+1), steps: make([]int64, x.N)}
}

// Run is where and when a task runs.
type Run struct {
	Class int32
	Start model.Time
	pays  int64
}

// load prepares line and step for task u on class k, for times that are not before from.
func (w *Walk) load(u int32, k int, from model.Time) {
	pools := len(w.p.Steps)
	if at := int(w.Payer[k*pools]); pools == 1 && w.Share[int(u)*w.e.in.Classes+k] == 1 { // it pays what the cells cost
		w.line, w.step = w.sum[at], w.p.Steps[0][at]
		return
	}
	w.line, w.step = w.lines, w.steps
	first := min(int(from/w.p.Cell), w.N)
	line, step := w.line[first:], w.step[first:]
	clear(line)
	clear(step)
	for r := range pools {
		share := w.Share[(int(u)*w.e.in.Classes+k)*pools+r]
		if share == 0 {
			continue
		}
		payer := int(w.Payer[k*pools+r])
		sum, prices := w.sum[payer*pools+r][first:], w.p.Steps[r][payer][first:]
		for n := range step {
			line[n] += share * sum[n]
			step[n] += share * prices[n]
		}
		line[len(step)] += share * sum[len(step)]
	}
}

// point is a time, given as its cell and the offset from the cell's beginning.
type point struct {
	cell int
	rest int64
	on   bool
}

func (w *Walk) point(t model.Time) point {
	n := t / w.p.Cell
	return point{int(n), int64(t - n*w.p.Cell), true}
}

// until is what the loaded task pays before t.
func (w *Walk) until(t model.Time) int64 { return w.at(w.point(t)) }

func (w *Walk) at(p point) int64 {
	if p.cell >= w.N {
		return w.line[w.N]
	}
	return w.line[p.cell] + w.step[p.cell]*p.rest
}

// atStart is what the loaded task pays if it starts on border n; ahead and rest are its length in cells.
func (w *Walk) atStart(n, ahead int, rest int64) int64 {
	if n+ahead >= w.N {
		return w.line[w.N] - w.line[n]
	}
	return w.line[n+ahead] + rest*w.step[n+ahead] - w.line[n]
}

// atEnd is what it pays if it ends on border n; back is its length rounded up to whole cells, and over the excess.
func (w *Walk) atEnd(n, back int, over int64) int64 {
	return w.line[n] - w.line[n-back] - over*w.step[n-back]
}

// borders passes the starts from head on, and before last, at which a run of the loaded task begins or ends on a
// border of a cell, with what it pays.
func (w *Walk) borders(head, last, length model.Time, visit func(s model.Time, pays int64)) {
	cell := w.p.Cell
	ahead := int(length / cell)
	rest := int64(length - model.Time(ahead)*cell)
	for n := int(head/cell) + 1; n <= w.N && model.Time(n)*cell < last; n++ {
		visit(model.Time(n)*cell, w.atStart(n, ahead, rest))
	}
	back := int((length + cell - 1) / cell)
	over := int64(model.Time(back)*cell - length)
	for n := int((head+length)/cell) + 1; n <= w.N && model.Time(n)*cell-length < last; n++ {
		visit(model.Time(n)*cell-length, w.atEnd(n, back, over))
	}
}

// Cheapest is the cheapest run of a task that ends by until at the latest; ties: the first one found. There is one if
// until is at least the earliest end of the task.
func (w *Walk) Cheapest(u int32, until model.Time) Run {
	best := Run{Class: model.None, pays: math.MaxInt64}
	head := w.Windows.Head[u]
	for k, length := range w.e.Lengths(u) {
		if length < 0 || head > until-length {
			continue
		}
		w.load(u, k, head)
		visit := func(s model.Time, v int64) {
			if v < best.pays {
				best = Run{int32(k), s, v}
			}
		}
		last := min(until-length, max(head, w.horizon()))
		visit(head, w.until(head+length)-w.until(head))
		w.borders(head, last, length, visit)
		visit(last, w.until(last+length)-w.until(last))
	}
	return best
}

// single is the cheapest run of the only task of a job, with the cost of the job's end.
func (w *Walk) single(j, u int32, tail model.Time) (cost int64, best Run) {
	in, least := w.e.in, w.completion(j)
	cost = math.MaxInt64
	head := w.Windows.Head[u]
	for k, length := range w.e.Lengths(u) {
		if length < 0 {
			continue
		}
		w.load(u, k, head)
		visit := func(s model.Time, v int64) {
			if sum := v + w.cost(j, max(least, s+length+tail)); sum < cost {
				cost, best = sum, Run{int32(k), s, v}
			}
		}
		at := func(s model.Time) {
			if s >= head {
				visit(s, w.until(s+length)-w.until(s))
			}
		}
		at(head)
		last := max(head, w.horizon())
		w.borders(head, last, length, visit)
		at(last)
		at(least - length - tail)
		if j != AllJobs && in.Due[j] < Never {
			at(in.Due[j] - length - tail)
		}
	}
	return cost, best
}

// completion is the earliest one of a target.
func (w *Walk) completion(j int32) model.Time {
	if j == AllJobs {
		return w.Windows.All
	}
	return w.Windows.Job[j]
}

// sums adds up what the tasks of a job pay at least if it ends by each of some rising times, none before its earliest
// completion.
func (w *Walk) sums(tasks []int32, tails, ends []model.Time, out []int64) {
	for _, u := range tasks {
		from := len(w.low)
		for range ends {
			w.low = append(w.low, math.MaxInt64)
		}
		low := w.low[from:]
		for k, length := range w.e.Lengths(u) {
			if length >= 0 {
				w.slide(u, k, length, tails[u], ends, low)
			}
		}
		for i, v := range low {
			out[i] += v
		}
		w.low = w.low[:from]
	}
}

// slide lowers low[i] to the least that task u pays on class k if its job ends by ends[i].
func (w *Walk) slide(u int32, k int, length, tail model.Time, ends []model.Time, low []int64) {
	head, cell := w.Windows.Head[u], w.p.Cell
	w.load(u, k, head)
	least := w.until(head+length) - w.until(head)
	ahead, back := int(length/cell), int((length+cell-1)/cell)
	rest, over := int64(length-model.Time(ahead)*cell), int64(model.Time(back)*cell-length)
	start, end := int(head/cell)+1, int((head+length)/cell)+1
	var from, to point // of the latest run
	for i, c := range ends {
		last := c - tail - length
		if last < head {
			continue
		}
		if i > 0 && from.on && c-ends[i-1] == cell {
			from.cell++
			to.cell++
		} else {
			from, to = w.point(last), w.point(last+length)
		}
		if least > 0 {
			for n := min(from.cell, w.N); start <= n; start++ {
				least = min(least, w.atStart(start, ahead, rest))
			}
			for n := min(to.cell, w.N); end <= n; end++ {
				least = min(least, w.atEnd(end, back, over))
			}
		}
		v := least
		if v > 0 {
			v = min(v, w.at(to)-w.at(from))
		}
		low[i] = min(low[i], v)
	}
}

// end is a completion from which on waiting longer never pays: every task can run after the cells.
func (w *Walk) end(j int32, tasks []int32, tails []model.Time) model.Time {
	end := w.begin(j)
	for _, u := range tasks {
		end = max(end, w.horizon()+w.e.in.Least[u]+tails[u])
	}
	return end
}

// begin is the first completion that matters: ending earlier than its due time saves a job nothing.
func (w *Walk) begin(j int32) model.Time {
	c := w.completion(j)
	if in := w.e.in; in.Objective == Tardiness && in.Due[j] < Never {
		c = max(c, in.Due[j])
	}
	return c
}

// free says whether the end of a job never costs anything.
func (w *Walk) free(j int32) bool {
	in := w.e.in
	return j != AllJobs && (in.Weight[j] == 0 || in.Objective != WeightedEnds && in.Due[j] >= Never)
}

// Coarse finds a cheap completion of a job among those a whole number of cells after its first, and its cost: not a
// bound, but near one. For a job of one task it finds the best run.
func (w *Walk) Coarse(j int32, tasks []int32, tails []model.Time) (cost int64, completion model.Time, run Run) {
	switch {
	case len(tasks) == 0 || w.free(j):
		return w.cost(j, w.completion(j)), w.end(j, tasks, tails), Run{Class: model.None}
	case len(tasks) == 1:
		cost, run = w.single(j, tasks[0], tails[tasks[0]])
		return cost, 0, run
	}
	ends := w.points[:0]
	for c, last := w.begin(j), w.end(j, tasks, tails); ; c += w.p.Cell {
		if ends = append(ends, c); c >= last {
			break
		}
	}
	if in := w.e.in; in.Objective == Late && in.Due[j] >= w.completion(j) {
		ends = append(ends[:0], in.Due[j], max(in.Due[j]+1, w.end(j, tasks, tails)))
	}
	out := make([]int64, len(ends))
	w.sums(tasks, tails, ends, out)
	w.points = ends
	cost = math.MaxInt64
	for i, v := range out {
		if v += w.cost(j, ends[i]); v < cost {
			cost, completion = v, ends[i]
		}
	}
	return cost, completion, Run{Class: model.None}
}

// Exact is a lower bound on the least cost of job j over all whole completions: see refinement.
func (w *Walk) Exact(j int32) int64 {
	tasks, tails := w.Tasks(j)
	if len(tasks) <= 1 || w.free(j) || w.e.in.Objective == Late {
		cost, _, _ := w.Coarse(j, tasks, tails)
		return cost
	}
	begins := w.points[:0]
	for c, last := w.begin(j), w.end(j, tasks, tails); c <= last; c += w.p.Cell {
		begins = append(begins, c)
	}
	r := refinement{most: math.MaxInt,
		ends: func(begins []model.Time, width model.Time) []model.Time {
			w.next = w.next[:0]
			for _, c := range begins {
				w.next = append(w.next, c+width-1)
			}
			return w.next
		},
		pays: func(_, ends []model.Time, low []int64) { w.sums(tasks, tails, ends, low) },
		cost: func(t model.Time) int64 { return w.cost(j, t) }}
	least := r.run(begins, w.p.Cell)
	w.points = r.last
	return least
}
