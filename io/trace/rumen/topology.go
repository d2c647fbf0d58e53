package rumen

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// element is one element of a topology file.
type element struct {
	id       textpos.Ident
	children []*element
}

type rawElement struct {
	Name     trace.Value                `json:"name"`
	Children []trace.Placed[rawElement] `json:"children"`
}

// elementOf takes over an element with all those below it.
func elementOf(d *trace.Document, x *trace.Placed[rawElement]) *element {
	e := &element{id: d.ID(x.Of.Name, "name", "the element", x.At)}
	e.id.Text = unescape(e.id.Text)
	for i := range x.Of.Children {
		e.children = append(e.children, elementOf(d, &x.Of.Children[i]))
	}
	return e
}

func (e *element) isHost() bool { return len(e.children) == 0 }

// kind is the element's level in the workload's topology; the caller knows the root.
func (e *element) kind() model.NodeKind {
	switch {
	case e.isHost():
		return model.HostNode
	case slices.ContainsFunc(e.children, func(c *element) bool { return !c.isHost() }):
		return model.SwitchNode
	}
	return model.RackNode
}

// node is a row of the workload's topology.
type node struct {
	row    model.Node
	parent string
	pos    model.Position
}

func (im *importer) add(row model.Node, parent string, pos model.Position) {
	im.nodes = append(im.nodes, node{row, parent, pos})
}

// enterRoot adds the topology below root.
func (im *importer) enterRoot(root *element) {
	if root.isHost() {
		im.b.Findings.Add(model.Finding{Code: model.CodeTraceObject, Pos: root.id.Pos,
			What: fmt.Sprintf("the topology %.80q has no children", root.id.Text), Expected: "racks with hosts"})
		return
	}
	im.add(model.Node{ID: root.id.Text, Kind: model.RootNode}, "", root.id.Pos)
	im.below(root, root.id.Text, "")
}

// below adds the children of an element; path leads to them from below the root.
func (im *importer) below(parent *element, parentID, path string) {
	for _, e := range parent.children {
		kind := e.kind()
		if kind == model.HostNode {
			im.host(e, parentID)
			continue
		}
		name := path + e.id.Text
		if len(name) > maxID {
			im.b.Findings.Add(model.Finding{Code: model.CodeTooLong, Pos: e.id.Pos,
				What:     fmt.Sprintf("the names from the root down to here are %d bytes long", len(name)),
				Expected: fmt.Sprintf("at most %d bytes", maxID)})
			continue
		}
		im.add(model.Node{ID: name, Kind: kind}, parentID, e.id.Pos)
		im.below(e, name, name+"/")
	}
}

func (im *importer) host(e *element, parentID string) {
	i := im.hosts.enter(e.id.Text)
	if first, twice := im.at[i]; twice {
		im.b.Findings.Add(model.Finding{Code: model.CodeHostTwice, Pos: e.id.Pos,
			What:     fmt.Sprintf("host %.80q is in the topology twice, first at %s", e.id.Text, first),
			Expected: "every host once", Hint: "remove one of the two"})
		return
	}
	im.at[i] = e.id.Pos
	im.addHost(i, parentID, e.id.Pos)
}

func (im *importer) addHost(i hostIndex, parentID string, pos model.Position) {
	im.add(model.Node{ID: im.hosts.names[i], Kind: model.HostNode, MapSlots: im.opt.MapSlots,
		ReduceSlots: im.opt.ReduceSlots}, parentID, pos)
}

// fromTrace makes the topology of the hosts that the trace says hold replicas or ran successful attempts, each below
// the rack that the trace names it in. Rumen itself makes its topology files this way; failed attempts tell no racks.
// Racks and hosts are sorted by name, so that the order of jobs does not matter.
func (im *importer) fromTrace(file string) {
	pos := model.Position{File: file}
	taken := map[string]bool{}
	var order []hostIndex
	for i, name := range im.hosts.names {
		if im.hosts.known[i] {
			order, taken[name] = append(order, hostIndex(i)), true
		}
	}
	if len(order) == 0 {
		return
	}
	free := func(id string) string { // names of hosts and racks have no slash in front
		for taken[id] {
			id = "/" + id
		}
		taken[id] = true
		return id
	}
	slices.SortFunc(order, func(i, k hostIndex) int {
		return cmp.Or(cmp.Compare(im.hosts.racks[i], im.hosts.racks[k]), cmp.Compare(im.hosts.names[i], im.hosts.names[k]))
	})
	root := free("root")
	im.add(model.Node{ID: root, Kind: model.RootNode}, "", pos)
	rack, parent := "", root
	for _, i := range order {
		if im.hosts.racks[i] != rack {
			rack = im.hosts.racks[i]
			parent = free(rack)
			im.add(model.Node{ID: parent, Kind: model.RackNode}, root, pos)
		}
		im.addHost(i, parent, pos)
		if im.hosts.moved[i] {
			im.count[movedHosts]++
		}
	}
}
