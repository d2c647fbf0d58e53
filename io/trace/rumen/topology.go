package rumen

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/io/textpos"
	"mrsched/model"
)

// element is one element of a topology file.
type element struct {
	id       textpos.Ident
	children []*element
}

// topologyReader reads a topology file.
type topologyReader struct {
	*decoder
	elements int
}

var elementFields = textpos.NewFields("name", "children")

// read reads the one object of the file. It returns nil if there is a finding.
func (r *topologyReader) read() (root *element, err error) {
	err = r.Document("the topology", `one object with "name" and "children"`, func() (err error) {
		root, err = r.element()
		return err
	})
	return root, err
}

// element reads one element with all those below it. It returns nil if there is a finding.
func (r *topologyReader) element() (*element, error) {
	at := r.PeekPosition()
	if r.Dec.StackDepth() >= textpos.MaxDepth {
		return nil, r.TooDeep()
	}
	if r.elements++; r.elements > maxHosts {
		return nil, textpos.StopAt(at, fmt.Sprintf("the topology has more than %d elements", maxHosts),
			"a smaller topology")
	}
	e := &element{}
	ok, err := r.Object("the element", elementFields, func(key string) (err error) {
		if key == "name" {
			e.id, err = r.ID(key)
			e.id.Text = unescape(e.id.Text)
			return err
		}
		return r.Array(key, func() error {
			child, err := r.element()
			if child != nil {
				e.children = append(e.children, child)
			}
			return err
		})
	})
	if !ok || err != nil {
		return nil, err
	}
	if e.id.Text == "" {
		r.Missing(e.id, at, "the element", "name")
		return nil, nil
	}
	return e, nil
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
	host   hostIndex // noHost above the hosts
	pos    model.Position
}

// cluster collects the rows of the workload's topology.
type cluster struct {
	*importer
	at map[hostIndex]model.Position // of every host of the topology file
}

func (c *cluster) add(row model.Node, parent string, host hostIndex, pos model.Position) {
	c.nodes = append(c.nodes, node{row, parent, host, pos})
}

// root adds the topology below root.
func (c *cluster) root(root *element) {
	if root.isHost() {
		c.b.Findings.Add(model.Finding{Code: model.CodeTraceObject, Pos: root.id.Pos,
			What: fmt.Sprintf("the topology %.80q has no children", root.id.Text), Expected: "racks with hosts"})
		return
	}
	c.add(model.Node{ID: root.id.Text, Kind: model.RootNode}, "", noHost, root.id.Pos)
	c.below(root, root.id.Text, "")
}

// below adds the children of an element; path leads to them from below the root.
func (c *cluster) below(parent *element, parentID, path string) {
	for _, e := range parent.children {
		kind := e.kind()
		if kind == model.HostNode {
			c.host(e, parentID)
			continue
		}
		if kind == model.RackNode {
			c.report.Racks++
		}
		name := path + e.id.Text
		if len(name) > maxID {
			c.b.Findings.Add(model.Finding{Code: model.CodeTooLong, Pos: e.id.Pos,
				What:     fmt.Sprintf("the names from the root down to here are %d bytes long", len(name)),
				Expected: fmt.Sprintf("at most %d bytes", maxID)})
			continue
		}
		c.add(model.Node{ID: name, Kind: kind}, parentID, noHost, e.id.Pos)
		c.below(e, name, name+"/")
	}
}

func (c *cluster) host(e *element, parentID string) {
	i := c.hosts.enter(e.id.Text)
	if first, twice := c.at[i]; twice {
		c.b.Findings.Add(model.Finding{Code: model.CodeHostTwice, Pos: e.id.Pos,
			What:     fmt.Sprintf("host %.80q is in the topology twice, first at %s", e.id.Text, first),
			Expected: "every host once", Hint: "remove one of the two"})
		return
	}
	c.at[i] = e.id.Pos
	c.addHost(i, parentID, e.id.Pos)
}

func (c *cluster) addHost(i hostIndex, parentID string, pos model.Position) {
	c.report.Hosts++
	c.add(model.Node{ID: c.hosts.names[i], Kind: model.HostNode, MapSlots: c.opt.MapSlots, ReduceSlots: c.opt.ReduceSlots},
		parentID, i, pos)
}

// fromTrace makes the topology of the hosts that the trace says hold replicas or ran successful attempts, each below
// the rack that the trace names it in. Rumen itself makes its topology files this way; failed attempts tell no racks.
// Racks and hosts are sorted by name, so that the order of jobs does not matter.
func (c *cluster) fromTrace(trace string) {
	pos := model.Position{File: trace}
	taken := map[string]bool{}
	var order []hostIndex
	for i, name := range c.hosts.names {
		if c.hosts.known[i] {
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
		return cmp.Or(cmp.Compare(c.hosts.racks[i], c.hosts.racks[k]), cmp.Compare(c.hosts.names[i], c.hosts.names[k]))
	})
	root := free("root")
	c.add(model.Node{ID: root, Kind: model.RootNode}, "", noHost, pos)
	rack, parent := "", root
	for _, i := range order {
		if c.hosts.racks[i] != rack {
			rack = c.hosts.racks[i]
			parent = free(rack)
			c.report.Racks++
			c.add(model.Node{ID: parent, Kind: model.RackNode}, root, noHost, pos)
		}
		c.addHost(i, parent, pos)
		if c.hosts.moved[i] {
			c.report.MovedHosts++
		}
	}
}
