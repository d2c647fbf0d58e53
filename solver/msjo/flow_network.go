package msjo

import (
	"cmp"
	"math"
	"slices"
)

// taskGroup is a set of tasks of one job with similar lengths and windows. Times are in seconds.
type taskGroup struct {
	count, length, head, tail float64
}

// flowNetwork sends the work of one job to cells of time. A group sends to a cell at most the work that its tasks can
// do there in their windows; all groups together send at most what the machines can do. Cells have prices. The cell
// after the last has no price and takes any amount of work.
//
// The amounts of work that cells can take together form a polymatroid. So filling the cells greedily, the cheapest
// first, makes a cheapest flow if each takes as much as it can. fill comes near that, and settle moves the rest along
// paths.
type flowNetwork struct {
	groups      []taskGroup
	m, cell     float64
	cells       int       // all but the last one
	most, sent  []float64 // by group and cell
	left, later []float64 // by group: work without a cell; work that the cells not yet filled could take
	first, last []int     // by group: cells of its window
	room        []float64 // by cell
	label       []float64 // by cell: its price, or a higher one with the same flow if machines were unlimited
	key         []float64
	ends        []fillEnd
	tiny        float64 // seconds of work that count as none

	closed, closedGroup []bool
	seen, seenGroup     []int // by cell and by group: number of the last search that reached it
	by, from            []int // by cell: the group; by group: the cell, or outside
	queue               []int
	searches            int
}

// outside is the source of work without a cell.
const outside = -1

// fillEnd is a level at which a group starts or stops sending more as the level falls.
type fillEnd struct{ level, rate float64 }

func newFlowNetwork(groups []taskGroup, m, cell float64, cells int) *flowNetwork {
	g, all := len(groups), cells+1
	return &flowNetwork{groups: groups, m: m, cell: cell, cells: cells, tiny: 1e-9 * m * cell,
		most: make([]float64, g*all), sent: make([]float64, g*all), left: make([]float64, g), later: make([]float64, g),
		first: make([]int, g), last: make([]int, g), room: make([]float64, all), label: make([]float64, all),
		key: make([]float64, g), closed: make([]bool, all), closedGroup: make([]bool, g), seen: make([]int, all),
		seenGroup: make([]int, g), by: make([]int, all), from: make([]int, g)}
}

// solve finds a cheapest flow if the job completes at the given time. Work that does not fit goes outside, at twice the
// highest price. prices has one entry per cell, 0 for the last. order lists cells, the cheapest first.
func (n *flowNetwork) solve(completion float64, prices []float64, order []int32) (cost float64) {
	n.open(completion)
	for _, k := range order {
		n.fill(int(k))
	}
	return n.settle(prices, order)
}

// open makes an empty network.
func (n *flowNetwork) open(completion float64) {
	clear(n.most)
	clear(n.sent)
	for k := range n.cells {
		n.room[k] = n.m * max(0, min(n.cell, completion-float64(k)*n.cell))
	}
	n.room[n.cells] = math.Inf(1)
	for i, g := range n.groups {
		n.left[i], n.later[i] = g.count*g.length, 0
		until, row := completion-g.tail, n.most[i*(n.cells+1):]
		n.first[i] = min(int(g.head/n.cell), n.cells)
		n.last[i] = min(int(max(0, until)/n.cell), n.cells)
		for k := n.first[i]; k <= n.last[i]; k++ {
			end := until
			if k < n.cells {
				end = min(end, float64(k+1)*n.cell)
			}
			row[k] = g.count * max(0, end-max(g.head, float64(k)*n.cell))
			n.later[i] += row[k]
		}
	}
}

// fill sends work to cell k. If not all of it fits, the groups with the least spare time elsewhere, per task, come
// first, down to a level.
func (n *flowNetwork) fill(k int) {
	var all float64
	n.ends = n.ends[:0]
	for i, g := range n.groups {
		most := n.most[i*(n.cells+1)+k]
		n.later[i] -= most
		if most = min(most, n.left[i]); most > 0 {
			all += most
			n.key[i] = (n.left[i] - n.later[i]) / g.count
			n.ends = append(n.ends, fillEnd{n.key[i], g.count}, fillEnd{n.key[i] - most/g.count, -g.count})
		}
	}
	level := math.Inf(-1)
	if all > n.room[k] {
		level = n.level(n.room[k])
	}
	for i, g := range n.groups {
		most := min(n.most[i*(n.cells+1)+k], n.left[i])
		if most <= 0 {
			continue
		}
		x := min(most, max(0, g.count*(n.key[i]-level)))
		n.sent[i*(n.cells+1)+k] = x
		n.left[i] -= x
		n.room[k] -= x
	}
}

// level is the level down to which groups send so that they send the given total.
func (n *flowNetwork) level(total float64) float64 {
	slices.SortFunc(n.ends, func(a, b fillEnd) int { return cmp.Compare(b.level, a.level) })
	level, rate, sum := n.ends[0].level, 0.0, 0.0
	for _, e := range n.ends {
		if more := rate * (level - e.level); sum+more >= total {
			break
		} else {
			sum += more
		}
		level, rate = e.level, rate+e.rate
	}
	if rate <= 0 {
		return level
	}
	return level - (total-sum)/rate
}

// flowSearches bounds the path searches in one network. Rounding errors could cause very many.
const flowSearches = 2000

// settle moves work from the most expensive cell to the cheapest that it can reach, until no cheaper one is left, and
// labels cells. A search without success closes all that it has seen, because no later path leads out of it.
func (n *flowNetwork) settle(prices []float64, order []int32) (cost float64) {
	clear(n.closed)
	clear(n.closedGroup)
	copy(n.label, prices)
	limit, highest := n.searches+flowSearches, 2*prices[order[len(order)-1]]
	for q := len(order); q > 0; q-- {
		source, price := outside, highest
		if q < len(order) {
			source = int(order[q])
			price = prices[source]
		}
		if source >= 0 && (n.closed[source] || price == 0) {
			continue
		}
		for to := n.search(source, price, prices); to >= 0 && n.searches < limit; {
			n.move(source, to)
			to = n.search(source, price, prices)
		}
		n.close(price)
	}
	for i := range n.groups {
		cost += n.left[i] * highest
		for k := n.first[i]; k <= n.last[i]; k++ {
			cost += n.sent[i*(n.cells+1)+k] * prices[k]
		}
	}
	return cost
}

// search looks for the cheapest cell with room that work at the source can reach, at less than the given price. It is
// negative if there is none.
func (n *flowNetwork) search(source int, price float64, prices []float64) (found int) {
	n.searches++
	n.queue, found = n.queue[:0], -1
	visit := func(i, from int) {
		if n.seenGroup[i] == n.searches || n.closedGroup[i] {
			return
		}
		n.seenGroup[i], n.from[i] = n.searches, from
		for k := n.first[i]; k <= n.last[i]; k++ {
			at := i*(n.cells+1) + k
			if n.seen[k] == n.searches || n.closed[k] || n.most[at]-n.sent[at] <= n.tiny {
				continue
			}
			n.seen[k], n.by[k] = n.searches, i
			if n.room[k] <= n.tiny {
				n.queue = append(n.queue, k)
			} else if prices[k] < price && (found < 0 || prices[k] < prices[found]) {
				found = k
			}
		}
	}
	if source == outside {
		for i, left := range n.left {
			if left > n.tiny {
				visit(i, outside)
			}
		}
	} else {
		n.seen[source] = n.searches
		n.queue = append(n.queue, source)
	}
	for next := 0; next < len(n.queue); next++ {
		for i := range n.groups {
			if n.sent[i*(n.cells+1)+n.queue[next]] > n.tiny {
				visit(i, n.queue[next])
			}
		}
	}
	return found
}

// move sends as much as possible along the path of the last search.
func (n *flowNetwork) move(source, to int) {
	amount := n.room[to]
	n.path(source, to, func(rest, _ *float64) { amount = min(amount, *rest) }, true)
	n.room[to] -= amount
	n.path(source, to, func(less, more *float64) {
		*less -= amount
		*more += amount
	}, false)
	if source != outside {
		n.room[source] += amount
	}
}

// path follows the path backwards. It passes each step's flow to lower and flow to raise. With limits it passes only
// amounts that limit the step: the room of the latter, then the former.
func (n *flowNetwork) path(source, to int, each func(less, more *float64), limits bool) {
	for k := to; k != source; {
		i := n.by[k]
		row := n.sent[i*(n.cells+1):]
		less, more := &n.left[i], &row[k]
		if n.from[i] != outside {
			less = &row[n.from[i]]
		}
		if limits {
			free := n.most[i*(n.cells+1)+k] - *more
			each(&free, nil)
			each(less, nil)
		} else {
			each(less, more)
		}
		k = n.from[i]
	}
}

// close labels the full cells that the last search has seen with the given price.
func (n *flowNetwork) close(price float64) {
	for k := range n.cells {
		if n.seen[k] == n.searches && n.room[k] <= n.tiny {
			n.closed[k] = true
			n.label[k] = max(n.label[k], price)
		}
	}
	for i := range n.groups {
		if n.seenGroup[i] == n.searches {
			n.closedGroup[i] = true
		}
	}
}

// usage returns the work in every cell, and the mean time of the work of every group.
func (n *flowNetwork) usage(byCell, mean []float64) {
	clear(byCell)
	for i, g := range n.groups {
		var sum, work float64
		for k := n.first[i]; k <= n.last[i]; k++ {
			x := n.sent[i*(n.cells+1)+k]
			if k < n.cells {
				byCell[k] += x
			}
			work += x
			sum += x * (float64(k) + 0.5) * n.cell
		}
		mean[i] = g.head
		if work > 0 {
			mean[i] = sum / work
		}
	}
}
