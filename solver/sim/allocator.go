package sim

import "mrsched/model/heap"

// use says that a class crosses a link.
type use struct {
	link  int32
	index int32 // in the link's list of classes
}

// class is what flows of the same route and the same limit have in common, as far as fairness is concerned.
type class struct {
	uses   []use
	weight int64 // number of flows
	limit  Rate  // of one flow; Unlimited: none
	level  Rate  // of one flow, by the last filling

	seen, frozen uint32 // the filling that reached it and fixed its level
}

// linkUse is one entry of a link's list of classes: the class, and which of its uses this is.
type linkUse struct{ class, use int32 }

// link is a link with what crosses it.
type link struct {
	capacity int64
	weight   int64 // Σ weight over the classes
	load     int64
	classes  []linkUse

	left  int64 // capacity that no fixed level uses
	open  int64 // Σ weight over the classes without a fixed level
	seen  uint32
	dirty bool
}

// allocator keeps the max-min fair levels of classes over links.
type allocator struct {
	links   []link
	classes []class
	free    []int32 // classes
	limited int     // classes with a limit and a link

	dirty   []int32
	filling uint32
	region  []int32         // links of the current filling
	heap    heap.Heap[Rate] // links by a lower bound on the level at which they are full
}

func newAllocator(capacities []Rate) allocator {
	a := allocator{links: make([]link, len(capacities))}
	for i, c := range capacities {
		a.links[i].capacity = int64(c)
	}
	return a
}

// add makes a class without flows over some links, each once.
func (a *allocator) add(links []Link, limit Rate) int32 {
	var c int32
	if k := len(a.free) - 1; k >= 0 {
		c = a.free[k]
		a.free = a.free[:k]
	} else {
		c = int32(len(a.classes))
		a.classes = append(a.classes, class{})
	}
	p := &a.classes[c]
	*p = class{uses: p.uses[:0], limit: limit}
	if len(links) == 0 {
		p.level = limit // no filling reaches it
	} else if limit < Unlimited {
		a.limited++
	}
	for k, i := range links {
		l := &a.links[i]
		p.uses = append(p.uses, use{int32(i), int32(len(l.classes))})
		l.classes = append(l.classes, linkUse{c, int32(k)})
	}
	return c
}

// drop removes a class without flows.
func (a *allocator) drop(c int32) {
	p := &a.classes[c]
	for _, u := range p.uses {
		l := &a.links[u.link]
		last := len(l.classes) - 1
		moved := l.classes[last]
		l.classes[u.index] = moved
		l.classes = l.classes[:last]
		a.classes[moved.class].uses[moved.use].index = u.index
	}
	if len(p.uses) > 0 && p.limit < Unlimited {
		a.limited--
	}
	a.free = append(a.free, c)
}

// weigh adds flows to a class, or takes them away.
func (a *allocator) weigh(c int32, flows int64) {
	p := &a.classes[c]
	p.weight += flows
	for _, u := range p.uses {
		l := &a.links[u.link]
		l.weight += flows
		if !l.dirty {
			l.dirty = true
			a.dirty = append(a.dirty, u.link)
		}
	}
}

// fill computes the levels of all classes that the changed links reach, and hands each with another level than before
// to the caller, who finds the old one in the class and must set the new.
func (a *allocator) fill(changed func(c int32, level Rate)) {
	if len(a.dirty) == 0 {
		return
	}
	a.reach()
	a.heap = a.heap[:0]
	for _, i := range a.region {
		l := &a.links[i]
		l.left, l.open = l.capacity, l.weight
		if l.open > 0 {
			a.heap = append(a.heap, heap.Item[Rate]{Key: Rate(l.left / l.open), Index: i})
		}
	}
	a.heap.Init()
	for len(a.heap) > 0 {
		top := a.heap[0]
		l := &a.links[top.Index]
		if l.open == 0 {
			a.heap.Pop()
			continue
		}
		// Fixing a level below that of a link lets the link's rise, never fall: what the heap holds is a lower bound.
		if level := Rate(l.left / l.open); level > top.Key {
			a.heap.ReplaceTop(heap.Item[Rate]{Key: level, Index: top.Index})
			continue
		}
		if a.limited > 0 && a.fixLimited(l, top.Key, changed) {
			continue
		}
		for _, x := range l.classes {
			if p := &a.classes[x.class]; p.frozen != a.filling {
				a.fix(x.class, p, top.Key, changed)
			}
		}
		a.heap.Pop()
	}
	for _, i := range a.region {
		l := &a.links[i]
		l.load = l.capacity - l.left
	}
}

// reach lists the links that the dirty ones share classes with, directly or through others.
func (a *allocator) reach() {
	a.filling++
	a.region, a.dirty = append(a.region[:0], a.dirty...), a.dirty[:0]
	for _, i := range a.region {
		a.links[i].dirty = false
		a.links[i].seen = a.filling
	}
	for k := 0; k < len(a.region); k++ {
		for _, x := range a.links[a.region[k]].classes {
			p := &a.classes[x.class]
			if p.seen == a.filling {
				continue
			}
			p.seen = a.filling
			for i := range p.uses {
				if l := &a.links[p.uses[i].link]; l.seen != a.filling {
					l.seen = a.filling
					a.region = append(a.region, p.uses[i].link)
				}
			}
		}
	}
}

// fixLimited fixes the classes on a link whose own limit the level has reached, and reports whether there were any. The
// heap may learn later what that frees on the other links of their routes, because none of those is full yet.
func (a *allocator) fixLimited(l *link, level Rate, changed func(c int32, level Rate)) bool {
	found := false
	for _, x := range l.classes {
		if p := &a.classes[x.class]; p.frozen != a.filling && p.limit <= level {
			a.fix(x.class, p, p.limit, changed)
			found = true
		}
	}
	return found
}

func (a *allocator) fix(c int32, p *class, level Rate, changed func(c int32, level Rate)) {
	p.frozen = a.filling
	for _, u := range p.uses {
		l := &a.links[u.link]
		l.left -= p.weight * int64(level)
		l.open -= p.weight
	}
	if level != p.level {
		changed(c, level)
	}
}
