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
	above  map[model.NodeIndex][]int32 // by such a place: its groups and those above it, of resources with columns
	// What task u takes of resources without columns is extra[extraFirst[u]:extraFirst[u+1]], and stated finds their
	// groups.
	extraFirst []int32
	extra      []take
	stated     map[[2]int32][]int32 // by place and resource
	tops       []model.NodeIndex    // by class: the lowest place above all its nodes; empty without groups

	// A stand is the nodes of one class below the same groups, in rising order. Stands come in the order of first nodes.
	Stands [][]int32
	Stand  []int32 // by node
}

// mostColumns is how many resources that racks or the root alone state have columns: all of them, or none if there are
// more.
const mostColumns = 16

// take is how much of a resource something takes.
type take struct {
	resource int32
	amount   int64
}

// Extra is what task u takes of resources without columns.
func (in *Instance) Extra(u int32) []take {
	if len(in.extra) == 0 {
		return nil
	}
	return in.extra[in.extraFirst[u]:in.extraFirst[u+1]]
}

// splitResources gives columns to all resources but those that only racks or the root state, if there are many. These
// come last.
func (in *Instance) splitResources() {
	in.Resources = len(in.Resource)
	on, above := map[string]bool{}, map[string]bool{}
	for _, c := range in.workload.Capacities {
		if in.nodeOf[c.Node] != model.None {
			on[namedPrefix+c.Resource] = true
		} else {
			above[namedPrefix+c.Resource] = true
		}
	}
	var columns, others []string
	for _, name := range in.Resource {
		if above[name] && !on[name] {
			others = append(others, name)
		} else {
			columns = append(columns, name)
		}
	}
	if len(others) > mostColumns {
		in.Resource, in.Resources = append(columns, others...), len(columns)
	}
}

// GroupsOf lists the groups of node i of which task u may take something.
func (in *Instance) GroupsOf(u, i int32) []int32 {
	list := in.Above(i)
	for k, x := range in.Extra(u) {
		if k == 0 {
			list = slices.Clip(list)
		}
		for p := in.row(i).Parent; p != model.None; p = in.workload.Topology[p].Parent {
			list = append(list, in.stated[[2]int32{int32(p), x.resource}]...)
		}
	}
	return list
}

// lacks is the first resource without columns of which task u takes something and node i has too little at any time;
// None if there is none.
func (in *Instance) lacks(u, i int32) int32 {
	for _, x := range in.Extra(u) {
		most := int64(0)
		if in.Begun(u) {
			break
		}
		for p := in.row(i).Parent; p != model.None; p = in.workload.Topology[p].Parent {
			for _, g := range in.stated[[2]int32{int32(p), x.resource}] {
				if c := in.Groups[g].Capacity; most == 0 || c < most {
					most = c
				}
			}
		}
		if x.amount > most {
			return x.resource
		}
	}
	return model.None
}

// Above lists the groups of node i of resources with columns.
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
	in.stated = map[[2]int32][]int32{}
	for _, c := range w.Capacities {
		if in.nodeOf[c.Node] == model.None {
			r := at(namedPrefix + c.Resource)
			if int(r) >= in.Resources {
				at := [2]int32{int32(c.Node), r}
				in.stated[at] = append(in.stated[at], int32(len(in.Groups)))
			}
			in.Groups = append(in.Groups, Group{Place: c.Node, Resource: r, Capacity: int64(c.Amount)})
		}
	}
	if len(in.Groups) == 0 {
		return
	}
	for g, x := range in.Groups {
		list := of[x.Place]
		if int(x.Resource) < in.Resources {
			list = append(list, int32(g))
		}
		of[x.Place] = list
	}
	in.anchor, in.above = slices.Repeat([]model.NodeIndex{model.None}, in.Nodes), map[model.NodeIndex][]int32{}
	for i := range int32(in.Nodes) {
		fresh := false
		for p := in.row(i).Parent; p != model.None; p = w.Topology[p].Parent {
			if _, ok := of[p]; !ok {
				continue
			}
			if nodes[p] = append(nodes[p], i); in.anchor[i] == model.None {
				_, known := in.above[p]
				in.anchor[i], fresh = p, !known
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
	for _, g := range in.GroupsOf(u, i) {
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
