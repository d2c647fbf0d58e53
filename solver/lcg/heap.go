package lcg

// push puts an atom into the heap of atoms by activity.
func (e *Engine) push(a int32) {
	if e.atoms[a].heap != none {
		return
	}
	e.queue = append(e.queue, a)
	e.atoms[a].heap = int32(len(e.queue) - 1)
	e.up(len(e.queue) - 1)
}

// pop takes the most active atom out of the heap.
func (e *Engine) pop() int32 {
	q := e.queue
	top := q[0]
	last := len(q) - 1
	q[0] = q[last]
	e.atoms[q[0]].heap = 0
	e.atoms[top].heap = none
	e.queue = q[:last]
	if last > 0 {
		e.down(0)
	}
	return top
}

func (e *Engine) up(k int) {
	q, a := e.queue, e.queue[k]
	for k > 0 {
		p := (k - 1) / 2
		if e.atoms[q[p]].activity >= e.atoms[a].activity {
			break
		}
		q[k] = q[p]
		e.atoms[q[k]].heap = int32(k)
		k = p
	}
	q[k] = a
	e.atoms[a].heap = int32(k)
}

func (e *Engine) down(k int) {
	q, a := e.queue, e.queue[k]
	for {
		c := 2*k + 1
		if c >= len(q) {
			break
		}
		if c+1 < len(q) && e.atoms[q[c+1]].activity > e.atoms[q[c]].activity {
			c++
		}
		if e.atoms[q[c]].activity <= e.atoms[a].activity {
			break
		}
		q[k] = q[c]
		e.atoms[q[k]].heap = int32(k)
		k = c
	}
	q[k] = a
	e.atoms[a].heap = int32(k)
}

// bump makes an atom more active.
func (e *Engine) bump(a int32) {
	e.atoms[a].activity += e.step
	if e.atoms[a].activity > 1e100 {
		for k := range e.atoms {
			e.atoms[k].activity *= 1e-100
		}
		e.step *= 1e-100
	}
	if k := e.atoms[a].heap; k != none {
		e.up(int(k))
	}
}
