package shop

import (
	"slices"

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
	anchor []model.NodeIndex           // by node: the lowest place above it that states groups; empty without groups
	above  map[model.NodeIndex][]int32 // by such a place: its groups and those above it
	tops   []model.NodeIndex           // by class: the lowest place above all its nodes; empty without groups

	// A stand is the nodes of one class below the same groups, in rising order. Stands come in the order of first nodes.
	Stands [][]int32
	Stand  []int32 // by node
}

// Above lists the groups of node i.
func (in *Instance) Above(i int32) []int32 {
	if len(in.Groups) == 0 {
		return nil
	}
	return in.above[in.anchor[i]]
}

// readGroups finds the groups; at numbers resources.
func (in *Instance) readGroups(at func(string) int32) {
	w := in.workload
	of, nodes := map[model.NodeIndex][]int32{}, map[model.NodeIndex][]int32{}
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
	in.anchor, in.above = slices.Repeat([]model.NodeIndex{model.None}, in.Nodes), map[model.NodeIndex][]int32{}
	for i := range int32(in.Nodes) {
		fresh := false
		for p := in.row(i).Parent; p != model.None; p = w.Topology[p].Parent {
			if of[p] == nil {
				continue
			}
			if nodes[p] = append(nodes[p], i); in.anchor[i] == model.None {
				in.anchor[i], fresh = p, in.above[p] == nil
			}
			if a := in.anchor[i]; fresh {
				in.above[a] = append(in.above[a], of[p]...)
			}
		}
	}
	for g := range in.Groups {
		in.Groups[g].Nodes = nodes[in.Groups[g].Place]
	}
}

// findStands finds the stands, and the lowest place above each class.
func (in *Instance) findStands() {
	if in.Stand = in.Class; len(in.Groups) == 0 {
		for k := range int32(in.Classes) {
			in.Stands = append(in.Stands, in.ClassNodes(k))
		}
		return
	}
	type stand struct {
		class  int32
		anchor model.NodeIndex
	}
	in.Stand = make([]int32, in.Nodes)
	number := map[stand]int32{}
	for i, k := range in.Class {
		key := stand{k, in.anchor[i]}
		s, ok := number[key]
		if !ok {
			s = int32(len(in.Stands))
			number[key], in.Stands = s, append(in.Stands, nil)
		}
		in.Stand[i], in.Stands[s] = s, append(in.Stands[s], int32(i))
	}
	for k := range int32(in.Classes) {
		in.tops = append(in.tops, in.top(in.ClassNodes(k)))
	}
}

// top is the lowest place at or above all of some nodes.
func (in *Instance) top(nodes []int32) model.NodeIndex {
	if len(nodes) == 0 {
		return model.None
	}
	top := in.nodeAt[nodes[0]]
	for _, i := range nodes[1:] {
		for top != model.None && !in.within(in.nodeAt[i], top) {
			top = in.workload.Topology[top].Parent
		}
	}
	return top
}

// within says whether a row of the topology is a place or below it.
func (in *Instance) within(at, place model.NodeIndex) bool {
	for at != model.None && at != place {
		at = in.workload.Topology[at].Parent
	}
	return at == place
}

// inside says whether all nodes of class k on which task u may run are in group g.
func (in *Instance) inside(u, k, g int32) bool {
	top := in.tops[k]
	if i := in.FixedNode(u); i != model.None {
		top = in.nodeAt[i]
	} else if s := in.PlaceSet(u); s != model.None {
		top = in.sets[s].tops[k]
	}
	return in.within(top, in.Groups[g].Place)
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
