package shop

import (
	"cmp"
	"slices"
	"strconv"

	"mrsched/model"
)

// places say where tasks may run, by the table eligible. Many tasks share one set of nodes.
type places struct {
	placeSet []int32 // by task: the set of nodes on which it may run, or None; empty: all tasks may run on all nodes
	sets     []placeSet
}

// placeSet is a set of nodes.
type placeSet struct {
	from   int32
	has    []bool            // by node from that one on; others are not in the set
	count  []int32           // by class: nodes of the set
	tops   []model.NodeIndex // by class: the lowest place above all these nodes; empty without groups
	stands [][]int32         // the stands of these nodes, without others
	narrow bool              // tasks take something that not all nodes have
	wider  int32             // then the set that the table eligible makes; None: all nodes
}

func (s *placeSet) holds(i int32) bool {
	return i >= s.from && int(i-s.from) < len(s.has) && s.has[i-s.from]
}

// PlaceSet is the set of nodes on which a task may run; None: on all.
func (in *Instance) PlaceSet(u int32) int32 {
	if len(in.placeSet) == 0 {
		return model.None
	}
	return in.placeSet[u]
}

// Allowed says whether the table eligible lets task u run on node i, and places have what it takes of resources without
// columns.
func (in *Instance) Allowed(u, i int32) bool {
	s := in.PlaceSet(u)
	return s == model.None || in.sets[s].holds(i)
}

// eligible says whether the table eligible lets task u run on node i, whatever is there.
func (in *Instance) eligible(u, i int32) bool {
	s := in.PlaceSet(u)
	if s != model.None && in.sets[s].narrow {
		s = in.sets[s].wider
	}
	return s == model.None || in.sets[s].holds(i)
}

// StandsOf are the stands of the nodes that are allowed for task u, without others.
func (in *Instance) StandsOf(u int32) [][]int32 {
	if s := in.PlaceSet(u); s != model.None {
		return in.sets[s].stands
	}
	return in.Stands
}

// AllowedNodes is the number of nodes of class k that are allowed for task u.
func (in *Instance) AllowedNodes(u, k int32) int32 {
	if s := in.PlaceSet(u); s != model.None {
		return in.sets[s].count[k]
	}
	return in.ClassFirst[k+1] - in.ClassFirst[k]
}

// Sets is the number of sets of nodes that the table eligible makes.
func (in *Instance) Sets() int { return len(in.sets) }

// readPlaces makes the sets of nodes. Rows of a job hold for all its tasks; a task has the nodes that both its own rows
// and those of its job name, if there are rows of both.
func (in *Instance) readPlaces() {
	w := in.workload
	if len(w.Eligible)+len(in.extra) == 0 {
		return
	}
	in.placeSet = slices.Repeat([]int32{model.None}, in.Tasks)
	ofJob, ofTask := make([][]model.NodeIndex, in.Jobs), map[model.TaskIndex][]model.NodeIndex{}
	for _, e := range w.Eligible {
		if e.Task != model.None {
			ofTask[e.Task] = append(ofTask[e.Task], e.Place)
		} else {
			ofJob[e.Job] = append(ofJob[e.Job], e.Place)
		}
	}
	for _, list := range ofJob {
		slices.Sort(list)
	}
	below := map[model.NodeIndex][]int32{}
	for i := range int32(in.Nodes) {
		for at := in.nodeAt[i]; at != model.None; at = w.Topology[at].Parent {
			below[at] = append(below[at], i)
		}
	}
	number := map[string]int32{} // by the places named
	for u := range w.Tasks {
		job, task := ofJob[w.Tasks[u].Job], ofTask[model.TaskIndex(u)]
		if len(job)+len(task) == 0 {
			continue
		}
		slices.Sort(task)
		key := placesText(job) + "/" + placesText(task)
		s, ok := number[key]
		if !ok {
			s = int32(len(in.sets))
			number[key] = s
			in.sets = append(in.sets, in.unite(below, job, task))
		}
		in.placeSet[u] = s
	}
	in.narrow()
}

// narrow leaves tasks the nodes that have what they take of resources without columns.
func (in *Instance) narrow() {
	of := map[int32][]int32{} // by resource: groups
	for g, x := range in.Groups {
		of[x.Resource] = append(of[x.Resource], int32(g))
	}
	number := map[string]int32{}
	for u := range int32(len(in.placeSet)) {
		text, wider := strconv.AppendInt(nil, int64(in.placeSet[u]), 36), in.placeSet[u]
		var some []int32 // groups of one resource that not all nodes have
		for _, x := range in.Extra(u) {
			if groups := of[x.resource]; len(groups) == 0 || slices.ContainsFunc(groups, func(g int32) bool {
				return len(in.Groups[g].Nodes) < in.Nodes || in.Groups[g].Capacity < x.amount
			}) {
				some = groups
				text = strconv.AppendInt(append(text, ' '), int64(x.resource), 36)
				text = strconv.AppendInt(append(text, ':'), x.amount, 36)
			}
		}
		if !slices.Contains(text, ' ') {
			continue
		}
		s, ok := number[string(text)]
		if !ok {
			var nodes []int32
			for _, g := range some {
				nodes = append(nodes, in.Groups[g].Nodes...)
			}
			slices.Sort(nodes)
			nodes = slices.DeleteFunc(slices.Compact(nodes), func(i int32) bool {
				return in.lacks(u, i) != model.None || !in.Allowed(u, i)
			})
			s = int32(len(in.sets))
			number[string(text)], in.sets = s, append(in.sets, in.setOf(nodes))
			in.sets[s].narrow, in.sets[s].wider = true, wider
		}
		in.placeSet[u] = s
	}
}

// placesText is a key that distinguishes lists of places.
func placesText(list []model.NodeIndex) string {
	var text []byte
	for _, p := range list {
		text = strconv.AppendInt(append(text, ' '), int64(p), 36)
	}
	return string(text)
}

// unite is the set of nodes below one of the places of each list that has any.
func (in *Instance) unite(below map[model.NodeIndex][]int32, lists ...[]model.NodeIndex) placeSet {
	var nodes []int32
	first := true
	for _, list := range lists {
		if len(list) == 0 {
			continue
		}
		var more []int32
		for _, p := range list {
			more = append(more, below[p]...)
		}
		slices.Sort(more)
		more = slices.Compact(more)
		if first {
			nodes, first = more, false
		} else {
			nodes = slices.DeleteFunc(nodes, func(i int32) bool {
				_, ok := slices.BinarySearch(more, i)
				return !ok
			})
		}
	}
	return in.setOf(nodes)
}

// setOf is the set of some nodes in rising order.
func (in *Instance) setOf(nodes []int32) placeSet {
	set := placeSet{count: make([]int32, in.Classes)}
	if len(nodes) > 0 {
		set.from, set.has = nodes[0], make([]bool, nodes[len(nodes)-1]-nodes[0]+1)
	}
	ofClass, place := make([][]int32, in.Classes), map[int32]int{}
	for _, i := range nodes {
		k, s := in.Class[i], in.Stand[i]
		set.has[i-set.from] = true
		set.count[k]++
		ofClass[k] = append(ofClass[k], i)
		if _, ok := place[s]; !ok {
			place[s], set.stands = len(set.stands), append(set.stands, nil)
		}
		set.stands[place[s]] = append(set.stands[place[s]], i)
	}
	slices.SortFunc(set.stands, func(a, b []int32) int { return cmp.Compare(in.Stand[a[0]], in.Stand[b[0]]) })
	for k := range ofClass {
		if len(in.Groups) > 0 {
			set.tops = append(set.tops, in.top(ofClass[k]))
		}
	}
	return set
}
