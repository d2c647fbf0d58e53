package campaign

import (
	"encoding/json"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// naiveCluster is a workload as problem cluster. Releases, weights and precedence inside jobs are those of msjo.
type naiveCluster struct {
	*naiveMSJO
	minimised string // the objective
	nodes     map[string]row
	resources []string
	stands    map[string]entry // tasks of the table fixed, and those that an earlier plan freezes
	frozen    map[string]bool
	until     int64 // the end of the freeze
}

// named begins the name of a resource that the tables capacities and demands state.
const named = "named "

func newNaiveCluster(d *document, p solver.Params) *naiveCluster {
	x := &naiveCluster{naiveMSJO: newNaiveMSJO(d, solver.Params{}), minimised: text(p["objective"]), nodes: map[string]row{},
		resources: []string{"cpu", "memory_bytes", "map_slots", "reduce_slots", "node"}, stands: map[string]entry{},
		frozen: map[string]bool{}}
	if len(d.Topology) > 0 {
		x.machines = nil
	}
	for _, name := range x.machines {
		x.nodes[name] = row{"id": name}
	}
	for _, n := range d.Topology {
		if n["kind"] == "node" {
			x.machines = append(x.machines, text(n["id"]))
			x.nodes[text(n["id"])] = n
		}
	}
	for _, r := range slices.Concat(d.Amounts, d.Demands) {
		if name := named + text(r["resource"]); !slices.Contains(x.resources, name) {
			x.resources = append(x.resources, name)
		}
	}
	for _, w := range d.Waits {
		for _, a := range d.Tasks {
			for _, b := range d.Tasks {
				if a["job"] == w["after"] && b["job"] == w["job"] {
					x.arcs = append(x.arcs, naiveArc{text(a["id"]), text(b["id"]), micros(w["delay"])})
				}
			}
		}
	}
	for _, f := range d.Fixed {
		e := entry{task: text(f["task"]), machine: text(f["node"]), from: micros(f["start"])}
		e.until = e.from + x.length(e.task, e.machine)
		x.stands[e.task] = e
	}
	return x
}

// keep adds what an earlier plan of the same instance freezes: the rows that it starts before a time.
func (x *naiveCluster) keep(until int64, rows [][]string) {
	x.until = until
	for _, r := range rows { // task, machine, start, end
		if from := micros(json.Number(r[2])); from < until {
			x.frozen[r[0]] = true
			x.stands[r[0]] = entry{task: r[0], machine: r[1], from: from, until: micros(json.Number(r[3]))}
		}
	}
}

func (x *naiveCluster) taskRow(task string) row { return x.doc.Tasks[x.row[task]] }

// length is how long a task takes on a node; −1: it cannot run there.
func (x *naiveCluster) length(task, node string) int64 {
	t, n, stated := x.taskRow(task), x.nodes[node], false
	for _, g := range x.doc.Times {
		if g["job"] != t["job"] || text(g["task"]) != task && text(g["job"])+"/"+text(g["task"]) != task {
			continue
		}
		if stated = true; g["worker"] == node {
			return micros(g["seconds"])
		}
	}
	if stated {
		return -1
	}
	sum := over(rat(micros(t["processing_time"])), decimal(n["speed"]))
	if rate := x.reads(t, n); rate != nil {
		sum = new(big.Rat).Add(sum, new(big.Rat).Mul(decimal(t["input_bytes"]), over(rat(1_000_000), rate)))
	}
	return ceil(sum)
}

// reads is the rate at which a map reads on a node; nil if that takes no time.
func (x *naiveCluster) reads(t, n row) *big.Rat {
	if t["kind"] != "map" || text(t["block"]) == "" || whole(t["input_bytes"]) == 0 {
		return nil
	}
	rack, near := x.rack(n), false
	for _, p := range x.doc.Places {
		if p["block"] == t["block"] && p["node"] == n["id"] {
			return nil
		}
		near = near || p["block"] == t["block"] && rack != nil && text(x.rack(x.nodes[text(p["node"])])["id"]) == rack["id"]
	}
	rate := decimal(n["bandwidth_bytes_per_s"])
	if up := decimal(rack["bandwidth_bytes_per_s"]); !near && up != nil && (rate == nil || up.Cmp(rate) < 0) {
		rate = up
	}
	return rate
}

// rack is the row of the rack right above a node; nil if there is none.
func (x *naiveCluster) rack(n row) row {
	for _, up := range x.doc.Topology {
		if up["id"] == n["parent"] && up["kind"] == "rack" {
			return up
		}
	}
	return nil
}

// has is how much of a resource a node has; nil: any amount.
func (x *naiveCluster) has(node, resource string) *big.Rat {
	n, table := x.nodes[node], false
	slots := whole(n["map_slots"])+whole(n["reduce_slots"]) > 0
	for _, c := range x.doc.Amounts {
		if c["node"] == node && named+text(c["resource"]) == resource {
			return millionths(c["amount"])
		}
		table = table || c["node"] == node
	}
	switch {
	case resource == "cpu":
		return millionths(n["cpu"])
	case resource == "memory_bytes":
		return decimal(n["memory_bytes"])
	case resource == "node" && (slots || table || n["cpu"] != nil || n["memory_bytes"] != nil),
		(resource == "map_slots" || resource == "reduce_slots") && !slots:
		return nil
	case resource == "node":
		return rat(1)
	}
	return rat(whole(n[resource]))
}

// needs is how much of a resource a task takes.
func (x *naiveCluster) needs(task, resource string) *big.Rat {
	t := x.taskRow(task)
	for _, d := range x.doc.Demands {
		if d["task"] == task && named+text(d["resource"]) == resource {
			return millionths(d["amount"])
		}
	}
	switch {
	case resource == "node", resource == text(t["kind"])+"_slots":
		return rat(1)
	case resource == "cpu" && t["cpu"] == nil:
		return rat(1_000_000)
	case resource == "cpu":
		return millionths(t["cpu"])
	case resource == "memory_bytes" && t["memory_bytes"] != nil:
		return decimal(t["memory_bytes"])
	}
	return new(big.Rat)
}

// allowed says whether the table eligible lets a task run on a node.
func (x *naiveCluster) allowed(task, node string) bool {
	for _, own := range []bool{false, true} {
		rows, inside := 0, false
		for _, r := range x.doc.Eligible {
			if own && r["task"] != task || !own && (text(r["task"]) != "" || r["job"] != x.taskRow(task)["job"]) {
				continue
			}
			rows++
			for at := x.nodes[node]; at != nil; at = x.parent(at) {
				inside = inside || at["id"] == r["place"]
			}
		}
		if rows > 0 && !inside {
			return false
		}
	}
	return true
}

func (x *naiveCluster) parent(n row) row {
	k := slices.IndexFunc(x.doc.Topology, func(up row) bool { return up["id"] == n["parent"] })
	if k < 0 {
		return nil
	}
	return x.doc.Topology[k]
}

// away says whether a node is unavailable while a row runs.
func (x *naiveCluster) away(e *entry) bool {
	return slices.ContainsFunc(x.doc.Away, func(a row) bool {
		return a["node"] == e.machine && e.until > e.from && e.until > micros(a["from"]) &&
			(a["until"] == nil || e.from < micros(a["until"]))
	})
}

// lacks are the resources of which the rows on a node take too much at the start of one of them.
func (x *naiveCluster) lacks(e *entry, rows []entry) (list []string) {
	for _, resource := range x.resources {
		most, sum := x.has(e.machine, resource), x.needs(e.task, resource)
		if most == nil {
			continue
		}
		for _, o := range rows {
			if o.task != e.task && o.machine == e.machine && e.until > e.from && o.from <= e.from && e.from < o.until {
				sum = new(big.Rat).Add(sum, x.needs(o.task, resource))
			}
		}
		if sum.Cmp(most) > 0 {
			list = append(list, resource)
		}
	}
	return list
}

func (x *naiveCluster) takes(e *entry) int64 { return x.length(e.task, e.machine) }

func (x *naiveCluster) check(v *verdict) {
	v.once(x.tasks())
	seen, rows := map[string]*entry{}, []entry{}
	for i := range v.rows {
		e := &v.rows[i]
		if seen[e.task] != nil {
			continue
		}
		seen[e.task] = e
		if x.checkPlace(v, e) {
			rows = append(rows, *e)
		}
	}
	for i := range rows {
		e := &rows[i]
		for _, resource := range x.lacks(e, rows) {
			code, ok := map[string]model.Code{"cpu": model.CodeCores, "memory_bytes": model.CodeMemory}[resource]
			if !ok {
				code = model.CodeResource
			}
			v.breaks(code, "%s is short of %s", e.task, resource)
		}
	}
	for _, arc := range x.arcs {
		a, b := seen[arc.from], seen[arc.to]
		if _, stands := x.stands[arc.to]; a != nil && b != nil && !stands && b.from < a.until+arc.delay {
			v.breaks(model.CodePrecedence, "%s starts before %s lets it", b.task, a.task)
		}
	}
}

// checkPlace judges a row without the others, and says whether it takes room.
func (x *naiveCluster) checkPlace(v *verdict, e *entry) bool {
	was, stands := x.stands[e.task]
	switch moved := was.machine != e.machine || was.from != e.from; {
	case moved && x.frozen[e.task], !stands && e.from < x.until:
		v.breaks(model.CodeFrozen, "%s was at %d on %s", e.task, was.from, was.machine)
	case moved && stands:
		v.breaks(model.CodeFixedMoved, "%s stands at %d on %s", e.task, was.from, was.machine)
	}
	if at := x.release(e.task); !stands && e.from < at && e.from >= x.until {
		v.breaks(model.CodeBeforeRelease, "%s starts at %d, before %d", e.task, e.from, at)
	}
	length := x.length(e.task, e.machine)
	if length < 0 || !stands && !x.allowed(e.task, e.machine) {
		v.breaks(model.CodePlace, "%s on %s", e.task, e.machine)
	}
	if length < 0 {
		return false
	}
	if e.until-e.from != length {
		v.breaks(model.CodeDuration, "%s runs %d of %d", e.task, e.until-e.from, length)
	}
	if x.away(e) {
		v.breaks(model.CodeAway, "%s while %s is away", e.task, e.machine)
	}
	return true
}

func (x *naiveCluster) objective(rows []entry) *big.Rat {
	last := make([]int64, len(x.doc.Jobs))
	for _, e := range rows {
		j := x.jobOf[x.row[e.task]]
		last[j] = max(last[j], e.until)
	}
	sum := new(big.Int)
	for j, end := range last {
		job := x.doc.Jobs[j]
		late := end - micros(job["release"]) - micros(job["deadline"])
		if job["deadline"] == nil {
			late = 0
		}
		switch {
		case x.minimised == "makespan" && big.NewInt(end).Cmp(sum) > 0:
			sum.SetInt64(end)
		case x.minimised == "late" && late > 0:
			sum.Add(sum, x.weight(job))
		case x.minimised == "tardiness" && late > 0:
			sum.Add(sum, new(big.Int).Mul(x.weight(job), big.NewInt(late)))
		case x.minimised == "twjct":
			sum.Add(sum, new(big.Int).Mul(x.weight(job), big.NewInt(end)))
		}
	}
	if x.minimised == "makespan" || x.minimised == "late" {
		return perMillion(sum, 1)
	}
	return perMillion(sum, 2)
}
