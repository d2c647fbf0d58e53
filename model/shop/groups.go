package shop

import (
	"slices"
	"strconv"

	"mrsched/model"
)

// Group is what a rack or the root states of a resource: its nodes share it. A task takes its demand of its node and of
// every group of that node.
type Group struct {
	Place    model.NodeIndex // row of the topology
	Resource int32
	Capacity int64
	Nodes    []int32 // below the place, in rising order
}

// groups are those of an instance, in the order of their rows of capacities.
type groups struct {
	Groups []Group
	above  [][]int32 // by node; empty without groups
}

// Above lists the groups of node i.
func (in *Instance) Above(i int32) []int32 {
	if len(in.Groups) == 0 {
		return nil
	}
	return in.above[i]
}

// readGroups finds the groups; at numbers resources. Nodes with one parent share lists.
func (in *Instance) readGroups(at func(string) int32) {
	w := in.workload
	of, nodes, known := map[model.NodeIndex][]int32{}, map[model.NodeIndex][]int32{}, map[model.NodeIndex][]int32{}
	for _, c := range w.Capacities {
		if in.nodeOf[c.Node] == model.None {
			of[c.Node] = append(of[c.Node], int32(len(in.Groups)))
			in.Groups = append(in.Groups,
				Group{Place: c.Node, Resource: at(namedPrefix + c.Resource), Capacity: int64(c.Amount)})
		}
	}
	if len(in.Groups) == 0 {
		return
	}
	in.above = make([][]int32, in.Nodes)
	for i := range int32(in.Nodes) {
		parent := in.row(i).Parent
		list, ok := known[parent]
		for p := parent; p != model.None; p = w.Topology[p].Parent {
			if of[p] == nil {
				continue
			}
			if nodes[p] = append(nodes[p], i); !ok {
				list = append(list, of[p]...)
			}
		}
		in.above[i], known[parent] = list, list
	}
	for g := range in.Groups {
		in.Groups[g].Nodes = nodes[in.Groups[g].Place]
	}
}

// appendGroups appends the groups of a node to a key.
func (in *Instance) appendGroups(text []byte, i int32) []byte {
	for _, g := range in.Above(i) {
		text = strconv.AppendInt(append(text, '/'), int64(g), 36)
	}
	return text
}

// implied says whether a group of node i allows no more of a resource than the node's capacity does.
func (in *Instance) implied(i int32, r int) bool {
	c := in.Capacities(in.Class[i])[r]
	return slices.ContainsFunc(in.Above(i), func(g int32) bool {
		return int(in.Groups[g].Resource) == r && in.Groups[g].Capacity == c
	})
}

// limit is how much there is of a resource.
type limit struct {
	resource int32
	capacity int64
}

// crowds are the entries on each node, and then on the nodes of each group.
func (in *Instance) crowds() [][]model.Entry { return make([][]model.Entry, in.Nodes+len(in.Groups)) }

// join adds an entry to all crowds that it belongs to.
func (in *Instance) join(crowds [][]model.Entry, e model.Entry) {
	in.eachCrowd(int32(e.Task), e.Machine, func(k int) { crowds[k] = append(crowds[k], e) })
}

// eachCrowd passes the numbers of the crowds to which a task on a node belongs.
func (in *Instance) eachCrowd(u, i int32, visit func(k int)) {
	visit(int(i))
	for _, g := range in.Above(i) {
		if in.Part(u, g) > 0 {
			visit(in.Nodes + int(g))
		}
	}
}

// limits are what a crowd's node limits itself, or its group, and the name of the node or of the group's place.
func (in *Instance) limits(k int) (list []limit, name string) {
	if k >= in.Nodes {
		g := &in.Groups[k-in.Nodes]
		return []limit{{g.Resource, g.Capacity}}, in.workload.Topology[g.Place].ID
	}
	for r, c := range in.Capacities(in.Class[k]) {
		if c < Unlimited && !in.implied(int32(k), r) {
			list = append(list, limit{int32(r), c})
		}
	}
	return list, in.MachineName(int32(k))
}
