package shop

import (
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// inLine is the policy of a rule with an order. The dispatcher starts the tasks that wait strictly in that order, so
// that what tasks share goes to the first one.
type inLine struct {
	*inOrder
	rule   solver.Rule
	active []int     // by job: tasks that run
	behind [][]int32 // by node, then by group: free tasks in their order, the first one not yet started; nil: not in turn
	begun  []bool    // by task
}

func newInLine(b *board, rule solver.Rule) *inLine {
	in := b.in
	l := &inLine{inOrder: newInOrder(b, rule.Order), rule: rule, active: make([]int, in.Jobs),
		begun: make([]bool, in.Tasks)}
	if rule.InTurn {
		l.behind = make([][]int32, in.Nodes+len(in.Groups))
		for _, u := range free(in, slices.Clone(rule.Order)) {
			l.lines(u, func(k int32) bool {
				l.behind[k] = append(l.behind[k], u)
				return true
			})
		}
	}
	return l
}

// lines visits the lines in which a task stands, while visit is true.
func (l *inLine) lines(u int32, visit func(k int32) bool) bool {
	i := l.rule.Node[u]
	return visit(i) && !slices.ContainsFunc(l.b.in.GroupsOf(u, i), func(g int32) bool {
		return l.b.part(u, g)[0] > 0 && !visit(int32(l.b.in.Nodes)+g)
	})
}

// turn says whether no other task comes before task u.
func (l *inLine) turn(u int32) bool {
	if most := l.rule.Most; most > 0 && l.active[l.b.in.Job[u]] >= most {
		return false
	}
	return l.behind == nil || l.begun[u] || l.lines(u, func(k int32) bool {
		for l.begun[l.behind[k][0]] {
			l.behind[k] = l.behind[k][1:]
		}
		return l.behind[k][0] == u
	})
}

func (l *inLine) start(u int32) {
	l.inOrder.start(u)
	l.active[l.b.in.Job[u]]++
}

func (l *inLine) end(u int32) { l.active[l.b.in.Job[u]]-- }

// sweep starts the tasks for which there is room in their order.
func (d *dispatcher) sweep(l *inLine) {
	for k := l.q.next(0, nil); k >= 0 && d.ctx.Err() == nil; k = l.q.next(k+1, nil) {
		u := l.q.task[k]
		if !l.turn(u) {
			continue
		}
		i := l.rule.Node[u]
		if i == model.None {
			i = d.nearest(u)
		} else if length := d.in.Length(u, i); length > 0 && !d.room(u, i) || !d.may(u, i) {
			i = model.None
		}
		if i == model.None {
			continue
		}
		d.run(u, i)
		if l.begun[u] = true; d.b.end[u] == d.b.start[u] {
			l.inOrder.start(u)
		}
	}
}

// simulate starts tasks by a rule when they take other times.
func (r *run) simulate(ctx context.Context, rule solver.Rule, tries [][]model.Time) (*solver.Trial, error) {
	r.follows.Do(func() { r.awaited = r.in.Awaited() })
	h := &held{d: r.simulated(ctx, rule, tries), plan: r.in, awaited: r.awaited, ended: map[model.Time][]int32{},
		started: map[model.Time][]int32{}, worst: slices.Repeat([]int32{model.None}, r.in.Tasks),
		known: make([]bool, r.in.Tasks)}
	return h.trial(), ctx.Err()
}

// simulated is the dispatcher after a run.
func (r *run) simulated(ctx context.Context, rule solver.Rule, tries [][]model.Time) *dispatcher {
	in := r.in.Loose()
	left := make([][]model.Time, in.Tasks)
	for u, times := range tries {
		if len(times) > 0 && !in.Fixed(int32(u)) {
			in.Work(int32(u), times[0])
			left[u] = times[1:]
		}
	}
	b := newBoard(in)
	var p policy = newInOrder(b, byRelease(in))
	if rule.Order != nil {
		p = newInLine(b, rule)
	}
	d := newDispatcher(ctx, b, p)
	d.tries, d.pause, d.began = left, rule.Pause, map[int32]model.Time{}
	d.all(solver.Options{})
	return d
}

// held says for which tasks others had to wait in a simulated run.
type held struct {
	d              *dispatcher
	plan           *shop.Instance // with the lengths that were planned
	awaited        [][]int32
	ended, started map[model.Time][]int32 // tasks
	worst          []int32                // by task: the task that delayed it most, if known
	known          []bool
}

// trial is when jobs end, and because of which task.
func (h *held) trial() *solver.Trial {
	in, b := h.plan, h.d.b
	t := &solver.Trial{End: make([]model.Time, in.Jobs), Delayed: slices.Repeat([]int32{model.None}, in.Jobs)}
	last := slices.Clone(t.Delayed)
	for u := range int32(in.Tasks) {
		j, end := in.Job[u], b.end[u]
		if h.never(u) {
			end = shop.Never
		} else {
			h.ended[end] = append(h.ended[end], u)
			h.started[h.first(u)] = append(h.started[h.first(u)], u)
		}
		if last[j] == model.None || end > t.End[j] {
			last[j], t.End[j] = u, end
		}
	}
	for j, u := range last {
		if t.Delayed[j] = h.stuck(u); t.End[j] < shop.Never {
			t.Delayed[j] = h.delayed(u)
		}
	}
	return t
}

// never says that a task does not end.
func (h *held) never(u int32) bool { return h.d.b.node[u] == model.None || h.d.fails(u) }

// stuck is why a task never ends: itself, or one that it waits for, and that waits for none such.
func (h *held) stuck(u int32) int32 {
	for k := 0; k >= 0; {
		if k = slices.IndexFunc(h.awaited[u], h.never); k >= 0 {
			u = h.awaited[u][k]
		}
	}
	return u
}

// first is when the first try of a task began.
func (h *held) first(u int32) model.Time {
	if at, ok := h.d.began[u]; ok {
		return at
	}
	return h.d.b.start[u]
}

// over is how much longer a task took than planned.
func (h *held) over(u int32) model.Time {
	if u == model.None {
		return 0
	}
	return h.d.b.end[u] - h.first(u) - h.plan.Length(u, h.d.b.node[u])
}

// delayed is the task that took the most longer than planned of task u and of those for which it had to wait.
func (h *held) delayed(u int32) int32 {
	if !h.known[u] {
		h.known[u] = true // of tasks of length 0 that wait for each other, one knows of no other
		if v := h.before(u); v != model.None {
			h.worst[u] = h.delayed(v)
		}
		if h.over(u) > h.over(h.worst[u]) {
			h.worst[u] = u
		}
	}
	return h.worst[u]
}

// before is the task whose end let task u start: what it follows; else one that made room, on its node if there is one;
// else the one before it in its line.
func (h *held) before(u int32) int32 {
	b, at, best := h.d.b, h.first(u), int32(model.None)
	if at <= h.d.ready[u] {
		for _, v := range h.awaited[u] {
			if best == model.None || b.end[v] > b.end[best] {
				best = v
			}
		}
		if best != model.None && b.end[best] < at && at == h.plan.Earliest[u] {
			return model.None // it waited for its release
		}
		return best
	}
	for _, list := range [][]int32{h.ended[at], h.started[at]} {
		for _, v := range list {
			if v != u && (best == model.None || b.node[v] == b.node[u] && b.node[best] != b.node[u]) {
				best = v
			}
		}
		if best != model.None {
			break
		}
	}
	return best
}
