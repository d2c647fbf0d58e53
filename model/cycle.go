package model

import "slices"

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
