package msjo

import (
	"mrsched/model"
)

const (
	// memoTasks is the number of tasks up to which a set of them fits into a word.
	memoTasks = 64
	// memoValues bounds the memory, in words.
	memoValues = 1 << 23
	// memoLook is how many nodes with the same tasks are compared, the latest first. Most hits are among the first few.
	memoLook = 100
)

// exactMemo stores explored nodes and detects new nodes that one of them dominates.
//
// Node a dominates node b under three conditions. Both have placed the same tasks. The machines of a are idle, and its
// remaining tasks ready, no later than those of b; both compare times raised to the earliest possible start in b. And
// completing a by b's remaining starts costs no more: a pays for its finished groups, and for the amount by which its
// placed tasks make the other groups later than b's earliest completions. At equal cost, a's weighted starts must not
// exceed b's (see exactSearch).
type exactMemo struct {
	s     *exactSearch
	first map[uint64]int32 // by set of placed tasks: the latest node
	seen  []memoEntry
	value []model.Time // rows of the nodes: idle times, earliest starts, then ends of the unfinished groups
	row   []model.Time // of the node in question
}

// memoEntry is a node that was explored.
type memoEntry struct {
	before int32 // the node with the same tasks before this one, or −1
	at     int32 // of its row in value
	paid   model.Wide
	starts model.Wide
}

func newExactMemo(s *exactSearch) *exactMemo {
	return &exactMemo{s: s, first: map[uint64]int32{}}
}

// dominated reports whether an explored node dominates n, and stores n if not.
func (m *exactMemo) dominated(n *exactNode) bool {
	hard := m.describe(n)
	latest, ok := m.first[n.placed]
	if !ok {
		latest = model.None
	}
	for at, k := latest, 0; at != model.None && k < memoLook; at, k = m.seen[at].before, k+1 {
		if m.dominates(&m.seen[at], n, hard) {
			return true
		}
	}
	if len(m.value)+len(m.row) <= memoValues {
		m.first[n.placed] = int32(len(m.seen))
		m.seen = append(m.seen, memoEntry{latest, int32(len(m.value)), n.paid, n.starts})
		m.value = append(m.value, m.row...)
	}
	return false
}

// describe fills in n's row. It returns the number of values that must not be later in a dominating node. Only as many
// machines matter as tasks are left.
func (m *exactMemo) describe(n *exactNode) (hard int) {
	m.row = m.row[:0]
	floor := max(n.idle[0], n.last)
	for u := range m.s.in.Tasks {
		if n.waiting[u] >= 0 {
			m.row = append(m.row, n.est[u])
		}
	}
	for _, t := range n.idle[:min(len(n.idle), len(m.row))] {
		m.row = append(m.row, max(t, floor))
	}
	hard = len(m.row)
	for g, left := range n.left {
		if left > 0 {
			m.row = append(m.row, n.ended[g])
		}
	}
	return hard
}

// dominates says whether the node of entry e dominates n, whose row has been made.
func (m *exactMemo) dominates(e *memoEntry, n *exactNode, hard int) bool {
	if n.paid.Less(e.paid) {
		return false
	}
	value := m.value[e.at : int(e.at)+len(m.row)]
	for i, v := range m.row[:hard] {
		if value[i] > v {
			return false
		}
	}
	paid, ended := e.paid, value[hard:]
	for g, left := range n.left {
		if left > 0 {
			paid = paid.Plus(m.s.cost(int32(g), max(0, ended[0]-n.done[g])))
			ended = ended[1:]
		}
	}
	return paid.Less(n.paid) || paid == n.paid && !n.starts.Less(e.starts)
}
