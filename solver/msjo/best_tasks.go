package msjo

import (
	"mrsched/model"
	"mrsched/model/msjo"
)

// Settings of the search over the tasks' order.
const (
	// One in waitEvery schedules, on average, keeps to its keys even if a machine idles meanwhile.
	waitEvery = 4
	// taskHeat and taskCold over the square of the number of tasks are the highest temperatures, relative to the cost. A
	// change of one task among n changes about 1/n of the cost, and longer sequences need lower temperatures.
	taskHeat, taskCold = 0.8, 0.2
)

// taskMoves search over the order of the tasks, for the task objective.
//
// A step changes the order of the current start times once or twice. It moves one task, swaps two tasks or two
// neighbouring runs of tasks, or shifts a job's tasks: all of them, or those that start from or until some time. It
// draws distances and lengths from all orders of magnitude alike. The keys make a list schedule that never idles, or
// one that keeps strictly to the keys.
type taskMoves struct {
	*chain
	key   []model.Time // by node, of the trial
	waits bool         // the trial keeps to its keys even if a machine idles meanwhile
}

func newTaskMoves(c *chain) *taskMoves {
	in := c.e.in
	c.hot, c.cold = taskHeat/float64(in.Tasks*in.Tasks), taskCold/float64(in.Tasks*in.Tasks)
	return &taskMoves{chain: c, key: make([]model.Time, in.Steps)}
}

// polish does nothing: no task of the engine's schedule could start earlier in the same order.
func (m *taskMoves) polish(float64) float64 { return m.e.cost() }

func (m *taskMoves) adopted() {}

func (m *taskMoves) change() {
	copy(m.key, m.base)
	for range 1 + m.random.IntN(2) {
		m.move()
	}
	m.waits = m.random.IntN(waitEvery) == 0
}

func (m *taskMoves) decode(float64) float64 {
	e := m.e
	if m.waits {
		m.raise()
	}
	e.keys(m.key[:e.in.Tasks])
	if m.waits {
		e.inOrder()
	} else {
		e.neverIdle()
	}
	return e.cost()
}

// raise lifts keys to the least values that predecessors allow.
func (m *taskMoves) raise() {
	in := m.e.in
	copy(m.key[in.Tasks:], in.Head[in.Tasks:])
	for _, u := range in.Topo {
		end := m.key[u] + in.Least[u]
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccStep[a]
			m.key[v] = max(m.key[v], end+in.SuccDelay[a])
		}
	}
}

func (m *taskMoves) move() {
	if len(m.order) < 2 {
		return
	}
	a, b := m.pair()
	u, v := m.order[a], m.order[b]
	switch m.random.IntN(4) {
	case 0: // beside another task; ties of keys follow the graph, so half a microsecond is not enough
		m.key[u] = m.base[v] + model.Time(m.random.IntN(3)-1)
	case 1:
		m.key[u], m.key[v] = m.key[v], m.key[u]
	case 2:
		m.exchange(min(a, b), max(a, b))
	default:
		m.part(u, func(w int32) { m.key[w] += m.base[v] - m.base[u] })
	}
}

// exchange swaps the run of tasks from place a up to place b with the following run of the same length.
func (m *taskMoves) exchange(a, b int) {
	length := b - a + 1
	end := min(b+length, len(m.order)-1)
	if end == b {
		return
	}
	first, second := m.base[m.order[a]], m.base[m.order[b+1]]
	last := m.base[m.order[end]]
	for k := a; k <= b; k++ {
		m.key[m.order[k]] += last - first
	}
	for k := b + 1; k <= end; k++ {
		m.key[m.order[k]] -= second - first
	}
}

// completionKeys returns keys from the LP on completion times: its completions, midpoints and starts.
func completionKeys(in *msjo.Instance, completion []float64) [][]model.Time {
	keys := make([][]model.Time, 3)
	for u, c := range completion {
		end := model.TimeOf(c)
		for k := range keys {
			keys[k] = append(keys[k], end-in.Least[u]*model.Time(k)/2)
		}
	}
	return keys
}
