package campaign

import (
	"math/big"
	"slices"

	"mrsched/model"
)

// naiveHTA is a workload as problem hta: which server runs which map.
type naiveHTA struct {
	doc     *document
	list    []naiveTask // the maps whose block lies somewhere
	block   map[string]string
	servers []string
	rack    map[string]string          // by node; absent: it is in none
	holds   map[string]map[string]bool // by block: the nodes with a replica
}

func newNaiveHTA(d *document) *naiveHTA {
	x := &naiveHTA{doc: d, block: map[string]string{}, rack: map[string]string{}, holds: map[string]map[string]bool{}}
	for _, p := range d.Places {
		b, n := text(p["block"]), text(p["node"])
		if x.holds[b] == nil {
			x.holds[b] = map[string]bool{}
		}
		x.holds[b][n] = true
		if len(d.Topology) == 0 && !slices.Contains(x.servers, n) {
			x.servers = append(x.servers, n)
		}
	}
	for _, t := range d.Tasks {
		if b := text(t["block"]); t["kind"] == "map" && x.holds[b] != nil {
			x.list = append(x.list, naiveTask{text(t["id"]), text(t["job"]), "map"})
			x.block[text(t["id"])] = b
		}
	}
	for _, n := range d.Topology {
		if n["kind"] != "node" {
			continue
		}
		id := text(n["id"])
		if whole(n["map_slots"]) > 0 {
			x.servers = append(x.servers, id)
		}
		if up := d.above(n, "rack"); up != nil {
			x.rack[id] = text(up["id"])
		}
	}
	return x
}

// above is the nearest ancestor of a kind in the topology; nil if there is none.
func (d *document) above(n row, kind string) row {
	for n != nil && n["parent"] != nil {
		k := slices.IndexFunc(d.Topology, func(up row) bool { return up["id"] == n["parent"] })
		if k < 0 {
			return nil
		}
		if n = d.Topology[k]; n["kind"] == kind {
			return n
		}
	}
	return nil
}

func (x *naiveHTA) tasks() []naiveTask { return x.list }

func (x *naiveHTA) machine(name string) bool { return slices.Contains(x.servers, name) }

// locality is how near a server is to the block of a map.
func (x *naiveHTA) locality(task, server string) string {
	holders := x.holds[x.block[task]]
	if holders[server] {
		return "node"
	}
	for n := range holders {
		if r, ok := x.rack[n]; ok && r == x.rack[server] {
			return "rack"
		}
	}
	return "remote"
}

func (x *naiveHTA) columns(e *entry) []string {
	return []string{x.block[e.task], x.locality(e.task, e.machine)}
}

// length is the duration of a map, by its locality and the number of maps that are not node-local.
func (x *naiveHTA) length(locality string, away int) int64 {
	cost := x.doc.Cost
	if cost == nil {
		cost = row{"local": number("1"), "remote": number("3")}
	}
	if locality == "node" {
		return micros(cost["local"])
	}
	if v, ok := cost["rack"]; ok && locality == "rack" {
		return micros(v)
	}
	switch v := cost["remote"].(type) {
	case map[string]any:
		return micros(v["base"]) + int64(away)*micros(v["per_remote"])
	case []any:
		return micros(v[min(away, len(v)-1)])
	default:
		return micros(v)
	}
}

// away counts the maps that are not node-local.
func (x *naiveHTA) away(rows []entry) (count int) {
	for _, e := range rows {
		if x.locality(e.task, e.machine) != "node" {
			count++
		}
	}
	return count
}

func (x *naiveHTA) takes(e *entry) int64 { return e.until - e.from }

func (x *naiveHTA) check(v *verdict) {
	v.once(x.list)
	away, end := x.away(v.rows), map[string]int64{} // by server
	place := func(e entry) int { return slices.IndexFunc(x.list, func(t naiveTask) bool { return t.id == e.task }) }
	inOrder := func(a, b entry) int { return place(a) - place(b) }
	for _, e := range slices.SortedStableFunc(slices.Values(v.rows), inOrder) { // the workload's
		p := x.length(x.locality(e.task, e.machine), away)
		if e.until-e.from != p {
			v.breaks(model.CodeDuration, "%s runs %d of %d", e.task, e.until-e.from, p)
		}
		if e.from != end[e.machine] {
			v.breaks(model.CodeSequence, "%s starts at %d, not %d", e.task, e.from, end[e.machine])
		}
		end[e.machine] += p
	}
}

func (x *naiveHTA) objective(rows []entry) *big.Rat { return makespan(rows) }
