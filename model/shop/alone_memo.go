package shop

// setWords is the number of words of a set of tasks.
const setWords = 4

// taskSet is a set of tasks of one job.
type taskSet [setWords]uint64

func (s *taskSet) add(u int32) { s[u>>6] |= 1 << (u & 63) }

const (
	// memoWords bounds the memory of a memo, in words. A node takes nodeWords beside its values, mostly in the map.
	memoWords, nodeWords = 1 << 24, 14
	// memoLook is how many nodes with the same tasks are compared, the latest first.
	memoLook = 100
	// valueBits is the width of an index in a value.
	valueBits = 10
)

// aloneMemo stores nodes from which no schedule ends in time. A stored node dominates another one with the same placed
// tasks if its machines are idle and its other tasks are ready no later. Both compare times raised to the earliest
// start that is still possible. Then every completion of the other node also completes the stored one.
//
// An entry holds that earliest start and the values above it, each with its index: tasks, then machines.
type aloneMemo struct {
	first map[taskSet]int32 // the latest node
	seen  []memoNode
	value []int64
}

// memoNode is a node that was explored.
type memoNode struct {
	before    int32 // the node with the same tasks before this one, or −1
	from, end int32 // of its values
	floor     int64
}

func newAloneMemo() aloneMemo { return aloneMemo{first: map[taskSet]int32{}} }

// latest is the node last seen with the same tasks, or −1.
func (m *aloneMemo) latest(n *aloneNode) int32 {
	if at, ok := m.first[n.placed]; ok {
		return at
	}
	return -1
}

// dominated says whether an explored node dominates n.
func (m *aloneMemo) dominated(n *aloneNode) bool {
	for at, k := m.latest(n), 0; at >= 0 && k < memoLook; at, k = m.seen[at].before, k+1 {
		if m.dominates(&m.seen[at], n) {
			return true
		}
	}
	return false
}

func (m *aloneMemo) dominates(e *memoNode, n *aloneNode) bool {
	if e.floor > n.floor {
		return false
	}
	tasks := len(n.ready)
	for _, x := range m.value[e.from:e.end] {
		at, v := int(x&(1<<valueBits-1)), x>>valueBits
		if v <= n.floor {
			continue
		}
		if at < tasks && v > n.ready[at] || at >= tasks && v > n.idle[at-tasks] {
			return false
		}
	}
	return true
}

// add remembers a node while there is room.
func (m *aloneMemo) add(n *aloneNode) {
	if len(m.value)+nodeWords*len(m.seen)+len(n.ready)+len(n.idle) > memoWords {
		return
	}
	from := int32(len(m.value))
	for u, t := range n.ready {
		if n.waiting[u] >= 0 && t > n.floor {
			m.value = append(m.value, t<<valueBits|int64(u))
		}
	}
	for k, t := range n.idle[:min(len(n.idle), n.left)] {
		if t > n.floor {
			m.value = append(m.value, t<<valueBits|int64(len(n.ready)+k))
		}
	}
	m.seen = append(m.seen, memoNode{m.latest(n), from, int32(len(m.value)), n.floor})
	m.first[n.placed] = int32(len(m.seen) - 1)
}
