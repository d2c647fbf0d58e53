package shop

import "mrsched/model/proof"

// setTasks is the most tasks of which sets become limits, leastSet the least size of a set: arcs and limits of
// resources say as much of two tasks.
const setTasks, leastSet = 400, 3

// sets adds a limit of 1 for sets of tasks of which no two run at a time, if there is one node: see apart. Each set
// begins with a task that is in no earlier one, and takes those after it, cyclically, that are apart from all before.
func (c *ClauseModel) sets() {
	in := c.in
	var tasks []int32
	for u := range int32(in.Tasks) {
		if !in.Fixed(u) && in.Least[u] > 0 {
			tasks = append(tasks, u)
		}
	}
	if in.Nodes > 1 || len(tasks) > setTasks {
		return
	}
	apart, covered := c.apart(tasks), make([]bool, len(tasks))
	for k := range tasks {
		if covered[k] {
			continue
		}
		var set []int
		for i := range tasks {
			l := (k + i) % len(tasks)
			fits := true
			for _, o := range set {
				fits = fits && apart[o][l]
			}
			if fits {
				set = append(set, l)
				covered[l] = true
			}
		}
		if len(set) < leastSet {
			continue
		}
		x := proof.Limit{Capacity: 1}
		for _, l := range set {
			x.Tasks = append(x.Tasks, proof.Need{Variable: tasks[l], Amount: 1, Length: c.length(tasks[l])})
		}
		c.Limits, c.Of = append(c.Limits, x), append(c.Of, LimitOf{Resource: OfTasks})
	}
}

// apart says, by position, which tasks never run at a time on the only node: a path joins them, or there is no room for
// both.
func (c *ClauseModel) apart(tasks []int32) [][]bool {
	in, after := c.in, make([]bool, c.in.Steps)
	apart := make([][]bool, len(tasks))
	for k := range apart {
		apart[k] = make([]bool, len(tasks))
	}
	for k, u := range tasks {
		clear(after)
		after[u] = true
		for _, a := range in.Topo {
			for i := in.SuccFirst[a]; after[a] && i < in.SuccFirst[a+1]; i++ {
				after[in.SuccStep[i]] = true
			}
		}
		for l, v := range tasks {
			if l != k && (after[v] || in.exceed(u, v)) {
				apart[k][l], apart[l][k] = true, true
			}
		}
	}
	return apart
}

// exceed says whether two tasks have no room together on the only node.
func (in *Instance) exceed(u, v int32) bool {
	for r, has := range in.Capacities(in.Class[0]) {
		if in.Demands(u)[r] > has-in.Demands(v)[r] {
			return true
		}
	}
	return false
}
