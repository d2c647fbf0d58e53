package shop

import (
	"cmp"
	"slices"
	"strconv"
)

// Bundle is a node, or several that no rule tells apart and whose tasks fit by count: any Lanes of them run together on
// an empty node, and never more. See docs/mathematics.md, "Clauses".
type Bundle struct {
	Nodes []int32
	Lanes int64 // of one node; 0: its tasks do not fit by count
	most  int64 // of one node: no more tasks run together
}

// bundle puts nodes together that run the same tasks, each for the same time, with the same capacities and absences and
// without fixed tasks, if the tasks fit by count.
func (c *ClauseModel) bundle() {
	in := c.in
	number, fixed := map[string]int{}, map[int32]bool{}
	for u := range int32(in.Tasks) {
		fixed[in.FixedNode(u)] = true
	}
	var lists [][]int32
	for i := range int32(in.Nodes) {
		key := strconv.Itoa(int(i))
		if !fixed[i] {
			key = in.alike(i)
		}
		k, ok := number[key]
		if !ok {
			k = len(lists)
			number[key], lists = k, append(lists, nil)
		}
		lists[k] = append(lists[k], i)
	}
	for _, nodes := range lists {
		b := Bundle{Nodes: nodes}
		b.Lanes, b.most = in.fit(nodes[0])
		if b.Lanes > 0 || len(nodes) == 1 {
			c.Bundles = append(c.Bundles, b)
			continue
		}
		for k := range nodes {
			c.Bundles = append(c.Bundles, Bundle{nodes[k : k+1], 0, b.most})
		}
	}
	slices.SortFunc(c.Bundles, func(a, b Bundle) int { return cmp.Compare(a.Nodes[0], b.Nodes[0]) })
}

// alike is the same text for nodes of the same class, groups and calendar that may run the same tasks for the same
// times.
func (in *Instance) alike(i int32) string {
	if in.Identical {
		return ""
	}
	text := strconv.AppendInt([]byte("c"), int64(in.Stand[i]), 36)
	for a := in.AwayFirst[i]; a < in.AwayFirst[i+1]; a++ {
		text = strconv.AppendInt(append(text, ' '), int64(in.AwayFrom[a]), 36)
		text = strconv.AppendInt(append(text, ' '), int64(in.AwayUntil[a]), 36)
	}
	for s := range in.sets {
		text = strconv.AppendBool(text, in.sets[s].holds(i))
	}
	for u := range int32(in.Tasks) {
		if in.Reads(u) {
			text = strconv.AppendInt(append(text, ' '), int64(in.locality(in.block[u], i)), 36)
		}
	}
	return string(text)
}

// fit counts the tasks that run together on a node: any exact of them fit, and never more, or exact is 0; never more
// than most. Without limits it is the number of tasks.
func (in *Instance) fit(i int32) (exact, most int64) {
	var tasks []int32
	for u := range int32(in.Tasks) {
		if in.Runs(u, i) && in.Length(u, i) > 0 && !in.over(u) {
			tasks = append(tasks, u)
		}
	}
	exact, most = int64(len(tasks)), int64(len(tasks))
	demands := make([]int64, len(tasks))
	for r, capacity := range in.Capacities(in.Class[i]) {
		if capacity == Unlimited {
			continue
		}
		for k, u := range tasks {
			demands[k] = in.Demands(u)[r]
		}
		slices.Sort(demands)
		most = min(most, prefix(demands, capacity))
		slices.Reverse(demands)
		exact = min(exact, prefix(demands, capacity))
	}
	if exact < most {
		exact = 0
	}
	return exact, most
}

// prefix is how many amounts, in order, fit.
func prefix(amounts []int64, capacity int64) int64 {
	for k, a := range amounts {
		if capacity -= a; capacity < 0 {
			return int64(k)
		}
	}
	return int64(len(amounts))
}
