package shop

import (
	"cmp"
	"slices"

	"mrsched/model"
)

// idle finds nodes with room: a queue of the stands, kind by kind, and for each stand one of its nodes. Amounts are
// negative there, so that a node with enough comes up as a task does that needs little. A stand counts what the best
// node has of each resource, at most what its groups have; but groups of all nodes are asked first.
type idle struct {
	order  []int32  // stands
	end    []int32  // by kind: where its stands end in that order
	place  []int32  // by stand: its position in that order
	at     []int32  // by node: its position in its stand
	stands *queue   // by position
	nodes  []*queue // by stand
	wide   []bool   // by group: it is one of all nodes
	sole   []bool   // by group: no other one has its resource, which has no column
	row    []int64
}

// watchRoom builds the queues.
func (d *dispatcher) watchRoom() {
	in := d.in
	kind := func(s int32) int32 { return in.Kind(in.Class[in.Stands[s][0]]) }
	x := &d.idle
	x.order = model.Indices(len(in.Stands))
	slices.SortStableFunc(x.order, func(a, b int32) int { return cmp.Compare(kind(a), kind(b)) })
	x.end, x.place, x.at = make([]int32, in.Kinds()), positions(x.order), make([]int32, in.Nodes)
	x.stands, x.wide = newQueue(x.order, d.b.resources), make([]bool, len(in.Groups))
	x.sole = make([]bool, len(in.Groups))
	count := make([]int, len(in.Resource))
	for g, y := range in.Groups {
		x.wide[g] = len(y.Nodes) == in.Nodes
		count[y.Resource]++
	}
	for g, y := range in.Groups {
		x.sole[g] = int(y.Resource) >= in.Resources && count[y.Resource] == 1
	}
	for s, nodes := range in.Stands {
		x.end[kind(int32(s))]++
		x.nodes = append(x.nodes, newQueue(nodes, d.b.resources))
		for k, i := range nodes {
			x.at[i] = int32(k)
			x.nodes[s].set(x.at[i], d.less(d.ownNow(i)))
		}
		d.watchStand(int32(s))
	}
	for k := range x.end[1:] {
		x.end[k+1] += x.end[k]
	}
}

// less is amounts below zero.
func (d *dispatcher) less(amounts []int64) []int64 {
	d.idle.row = d.idle.row[:0]
	for _, a := range amounts {
		d.idle.row = append(d.idle.row, -a)
	}
	return d.idle.row
}

// watchStand notes what a stand has.
func (d *dispatcher) watchStand(s int32) {
	x := &d.idle
	row := append(x.row[:0], x.nodes[s].least[x.nodes[s].width():][:d.b.resources]...)
	for _, g := range d.in.Above(d.in.Stands[s][0]) {
		if !x.wide[g] {
			r := d.in.Groups[g].Resource
			row[r] = max(row[r], -d.b.shared[g].freeAt(d.now))
		}
	}
	x.row = row
	x.stands.set(x.place[s], row)
}

// changed notes that a node, or a number of nodes further on a group, has more or less room than before.
func (d *dispatcher) changed(k int32) {
	x := &d.idle
	if k < int32(d.in.Nodes) {
		s := d.in.Stand[k]
		if x.nodes[s].set(x.at[k], d.less(d.ownNow(k))) {
			d.watchStand(s)
		}
		return
	}
	if g := k - int32(d.in.Nodes); !x.wide[g] && int(d.in.Groups[g].Resource) < d.in.Resources {
		last := int32(model.None)
		for _, i := range d.in.Groups[g].Nodes {
			if s := d.in.Stand[i]; s != last {
				last = s
				d.watchStand(s)
			}
		}
	}
}

// anywhere is the most that is free of each resource on one node, at most what groups of all nodes have.
func (d *dispatcher) anywhere() []int64 {
	x := &d.idle
	row := slices.Clone(d.less(x.stands.least[x.stands.width():][:d.b.resources]))
	for _, g := range d.in.Above(0) {
		if free := &row[d.in.Groups[g].Resource]; x.wide[g] {
			*free = min(*free, d.b.shared[g].freeAt(d.now))
		}
	}
	return row
}

// nearest is the node with room on which task u ends first if it starts now; ties: the lower stand, then the lower
// node. None if there is none.
func (d *dispatcher) nearest(u int32) int32 {
	in, x := d.in, &d.idle
	if in.Least[u] == 0 || in.Reads(u) || in.PlaceSet(u) != model.None {
		return d.among(u)
	}
	best, least := int32(model.None), model.MaxTime
	for _, g := range in.GroupsOf(u, 0) {
		if x.wide[g] && d.b.part(u, g)[0] > d.b.shared[g].freeAt(d.now) {
			return best
		}
	}
	need := slices.Clone(d.less(d.b.demands(u)))
	p := int32(0)
	for k, end := range x.end {
		if p < end {
			length := in.RowLength(u, in.Class[in.Stands[x.order[p]][0]], model.NodeLocal)
			if length >= 0 && length <= least {
				i := d.first(u, need, p, end)
				if i != model.None && (length < least || in.Stand[i] < in.Stand[best]) {
					best, least = i, length
				}
			}
		}
		p = x.end[k]
	}
	return best
}

// first is the first node of the stands from one position up to another on which task u may start now; None if there is
// none.
func (d *dispatcher) first(u int32, need []int64, from, end int32) int32 {
	x := &d.idle
	for p := x.stands.next(from, need); p >= 0 && p < end; p = x.stands.next(p+1, need) {
		q := x.nodes[x.order[p]]
		for k := q.next(0, need); k >= 0; k = q.next(k+1, need) {
			if i := q.task[k]; d.may(u, i) {
				return i
			}
		}
	}
	return model.None
}

// among is nearest by a look at every node.
func (d *dispatcher) among(u int32) int32 {
	best, least := int32(model.None), model.MaxTime
	in := d.in
	reads := in.Reads(u)
	for _, nodes := range in.StandsOf(u) {
		k := in.Class[nodes[0]]
		length := in.RowLength(u, k, model.NodeLocal)
		if length < 0 || length >= least || !in.Fits(u, k) {
			continue // no node of the stand is better
		}
		for _, i := range nodes {
			if reads {
				if length = in.Length(u, i); length >= least {
					continue
				}
			}
			if (length == 0 || d.room(u, i)) && d.may(u, i) {
				if best, least = i, length; !reads {
					break
				}
			}
		}
	}
	return best
}

// pick asks the policy. What waits for a resource of one place alone, without a column, is parked until that has room.
func (d *dispatcher) pick(i int32, free []int64, may func(u int32) bool) int32 {
	var tasks, groups []int32
	best := d.policy.pick(i, free, func(u int32) bool {
		if g := d.shut(u); g != model.None {
			tasks, groups = append(tasks, u), append(groups, g)
			return false
		}
		return may(u)
	})
	for k, u := range tasks {
		d.policy.park(u)
		d.parked[groups[k]] = append(d.parked[groups[k]], u)
	}
	return best
}

// shut is the only group of a resource of which it has too little for task u; None if there is none.
func (d *dispatcher) shut(u int32) int32 {
	if len(d.in.Extra(u)) > 0 {
		for _, g := range d.in.GroupsOf(u, d.in.StandsOf(u)[0][0]) {
			if d.idle.sole[g] && d.b.part(u, g)[0] > d.b.shared[g].freeAt(d.now) {
				return g
			}
		}
	}
	return model.None
}

// reopen lets the parked tasks for which a group has room again wait.
func (d *dispatcher) reopen(g int32) {
	d.parked[g] = slices.DeleteFunc(d.parked[g], func(u int32) bool {
		fits := d.b.part(u, g)[0] <= d.b.shared[g].freeAt(d.now)
		if fits {
			d.policy.wait(u)
		}
		return fits
	})
}
