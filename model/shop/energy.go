package shop

import (
	"math/bits"
	"slices"

	"mrsched/model"
)

// propagate shrinks windows until nothing changes. It returns false if one is empty.
func (r *Refuter) propagate() bool {
	for ; ; r.round++ {
		if !r.paths() {
			return false
		}
		changed, ok := r.pairs()
		if !ok {
			return false
		}
		for i := range r.pools {
			if r.spent() {
				return true
			}
			if r.pools[i].most > maxEnergy/int64(r.due+1) {
				continue
			}
			c, ok := r.energy(&r.pools[i])
			if !ok {
				return false
			}
			changed = changed || c
		}
		if !changed {
			return true
		}
	}
}

// paths moves windows along arcs, and starts to multiples of the unit.
func (r *Refuter) paths() bool {
	in := r.in
	r.work += int64(len(in.SuccStep)) + int64(in.Steps)
	for _, a := range in.Topo {
		fixed := int(a) < in.Tasks && in.Fixed(a)
		if int(a) < in.Tasks && !fixed {
			r.first[a] = (max(0, r.first[a]) + r.unit - 1) / r.unit * r.unit
		}
		end := r.first[a] + in.Least[a]
		r.e.eachArc(a, func(b int32, delay model.Time) { r.first[b] = max(r.first[b], end+delay) })
	}
	for _, a := range slices.Backward(in.Topo) {
		fixed := int(a) < in.Tasks && in.Fixed(a)
		last := r.last[a]
		r.e.eachArc(a, func(b int32, delay model.Time) {
			if r.last[b] < Never {
				last = min(last, r.last[b]-delay-in.Least[a])
			}
		})
		if !fixed {
			r.last[a] = last
			if int(a) < in.Tasks && last >= 0 {
				r.last[a] = last / r.unit * r.unit
			}
		}
		if r.first[a] > last {
			return false
		}
	}
	return true
}

// pairs orders tasks that never run at the same time.
func (r *Refuter) pairs() (changed, ok bool) {
	in := r.in
	for k, u := range r.tasks {
		for w, word := range r.apart[k] {
			for ; word != 0; word &= word - 1 {
				v := r.tasks[w*64+bits.TrailingZeros64(word)]
				r.work++
				if r.first[u]+in.Least[u] <= r.last[v] { // u may be first
					continue
				}
				if t := r.first[v] + in.Least[v]; t > r.first[u] {
					r.first[u], changed = t, true
				}
				if t := r.last[u] - in.Least[v]; t < r.last[v] {
					r.last[v], changed = t, true
				}
				if r.first[u] > r.last[u] || r.first[v] > r.last[v] {
					return true, false
				}
			}
		}
	}
	return changed, true
}

// energy looks at the windows of time from the earliest start of a task to the latest end of another one.
func (r *Refuter) energy(p *energyPool) (changed, ok bool) {
	in := r.in
	r.begin, r.end = r.begin[:0], r.end[:0]
	for k, u := range r.tasks {
		if p.rate[k] > 0 || p.area[k] > 0 {
			r.begin, r.end = append(r.begin, r.first[u]), append(r.end, r.last[u]+in.Least[u])
		}
	}
	slices.Sort(r.begin)
	slices.Sort(r.end)
	r.begin, r.end = slices.Compact(r.begin), slices.Compact(r.end)
	for _, a := range r.begin {
		for _, b := range r.end {
			if b <= a {
				continue
			}
			r.work += int64(len(r.tasks))
			c, ok := r.window(p, a, b)
			if !ok {
				return true, false
			}
			changed = changed || c
		}
		if r.spent() {
			break
		}
	}
	return changed, true
}

// does is what a pool does from a to b.
func (p *energyPool) does(a, b model.Time) (sum int64) {
	for i, s := range p.speeds {
		from, until := max(a, s.From), b
		if i+1 < len(p.speeds) {
			until = min(until, p.speeds[i+1].From)
		}
		if from < until {
			sum += s.Speed * int64(until-from)
		}
	}
	return sum
}

// window compares the least work of tasks between a and b with what the pool does there, and moves the windows of tasks
// that would do too much.
func (r *Refuter) window(p *energyPool, a, b model.Time) (changed, ok bool) {
	in := r.in
	slack := p.does(a, b)
	for k, u := range r.tasks {
		length := in.Least[u]
		r.least[k] = 0
		switch {
		case p.area[k] > 0:
			if r.first[u] >= a && r.last[u]+length <= b {
				slack -= p.area[k]
			}
		case p.rate[k] > 0:
			r.least[k] = max(0, min(length, b-a, r.first[u]+length-a, b-r.last[u]))
			slack -= p.rate[k] * int64(r.least[k])
		}
		if slack < 0 {
			return true, false
		}
	}
	for k, u := range r.tasks {
		rate, length := p.rate[k], in.Least[u]
		if rate == 0 || int64(min(length, b-a)-r.least[k]) <= slack/rate {
			continue
		}
		most := r.least[k] + model.Time(slack/rate) // of the task between a and b
		if min(b, r.first[u]+length)-max(a, r.first[u]) > most && b-most > r.first[u] {
			r.first[u], changed = b-most, true
		}
		if min(b, r.last[u]+length)-max(a, r.last[u]) > most && a+most-length < r.last[u] {
			r.last[u], changed = a+most-length, true
		}
		if r.first[u] > r.last[u] {
			return true, false
		}
	}
	return changed, true
}

// shave tries to cut the windows of starts at either side, until nothing changes. It returns false if one is empty.
// Windows of tasks whose length differs between nodes state the latest end, and are left alone.
func (r *Refuter) shave() bool {
	for changed := true; changed; {
		changed = false
		for k, u := range r.tasks {
			for _, early := range []bool{true, false} {
				if !r.even[k] {
					continue
				}
				cut, ok := r.cut(u, early)
				if !ok || r.spent() {
					return ok
				}
				changed = changed || cut
			}
		}
	}
	return true
}

// cut shortens a window as far as it can, at its beginning if early, first by halves and then by smaller parts.
func (r *Refuter) cut(u int32, early bool) (changed, ok bool) {
	half := func() model.Time { return (r.last[u] - r.first[u]) / 2 / r.unit * r.unit }
	first, last := slices.Clone(r.first), slices.Clone(r.last)
	for width := half(); r.first[u] < r.last[u]; {
		copy(first, r.first)
		copy(last, r.last)
		if early {
			r.last[u] = r.first[u] + width
		} else {
			r.first[u] = r.last[u] - width
		}
		possible := r.propagate()
		copy(r.first, first)
		copy(r.last, last)
		switch {
		case r.spent() || possible && width == 0:
			return changed, true
		case possible:
			width = width / 2 / r.unit * r.unit
			continue
		case early:
			r.first[u] += width + r.unit
		default:
			r.last[u] -= width + r.unit
		}
		if changed = true; !r.propagate() {
			return true, false
		}
		width = half()
	}
	return changed, true
}
