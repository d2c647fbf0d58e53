package campaign

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
)

// maker draws a workload with nearly every column that its problem reads. The number of the instance decides what
// nodes state and how the data of reduces is given.
type maker struct {
	*rand.Rand
	*document
	number, nodes int
}

// rich is the k-th random workload of a problem. The first node has room for every task, and each may run there.
func rich(problem string, k int) *document {
	m := maker{rand.New(rand.NewPCG(uint64(k), 605)), &document{Format: "mrsched-workload/1", Problem: problem}, k, 0}
	switch {
	case problem == "msjo" && k%3 < 2, problem == "cluster" && k%5 == 2:
		m.Machines = number(fmt.Sprint(m.between(2, 4)))
	default:
		m.nodes = m.between(3, 5)
		m.topology()
	}
	if m.is("reduceplace") && m.one(2) {
		m.Running = number(fmt.Sprint(m.between(1, 3)))
	}
	m.costs()
	for j := range m.between(2, 4) {
		m.job(j)
	}
	if m.is("cluster") && m.nodes > 0 && k%2 == 0 {
		m.Tasks[0]["processing_time"] = m.of("2", "3.000001")
		m.Fixed = append(m.Fixed, row{"task": m.Tasks[0]["id"], "node": "n0", "start": m.of("-0.5", "0", "1", "2.25")})
	}
	if m.is("hta") && k%4 == 3 { // the nodes with blocks
		m.Topology = nil
	}
	return m.document
}

func (m maker) is(problems ...string) bool { return slices.Contains(problems, m.Problem) }

func (m maker) one(of int) bool { return m.IntN(of) == 0 }

func (m maker) between(least, most int) int { return least + m.IntN(most-least+1) }

// seconds is a time below most; half of them have six decimals.
func (m maker) seconds(most int) json.Number {
	if m.one(2) {
		return json.Number(fmt.Sprintf("%d.%06d", m.IntN(most), m.IntN(1e6)))
	}
	return json.Number(fmt.Sprintf("%d.%d", m.IntN(most), 5*m.IntN(2)))
}

func (m maker) whole(least, most int) json.Number {
	return json.Number(fmt.Sprint(m.between(least, most)))
}

func (m maker) of(list ...string) json.Number { return json.Number(pick(m.Rand, list...)) }

func (m maker) node() string { return fmt.Sprint("n", m.IntN(m.nodes)) }

// some sets a column once in so many times.
func (m maker) some(of int, r row, column string, value any) {
	if m.one(of) {
		r[column] = value
	}
}

// topology adds nodes in two racks, one of them below a switch.
func (m maker) topology() {
	kind := m.number % 5
	m.Topology = append(m.Topology, row{"id": "root", "kind": "root"},
		row{"id": "s", "kind": "switch", "parent": "root"}, row{"id": "r0", "kind": "rack", "parent": "s"},
		row{"id": "r1", "kind": "rack", "parent": "root"})
	for _, r := range m.Topology[2:] {
		if kind > 0 {
			r["bandwidth_bytes_per_s"] = m.of("200", "250", "550.5")
		}
	}
	for k := range m.nodes {
		n := row{"id": fmt.Sprint("n", k), "kind": "node", "parent": fmt.Sprint("r", k%2)}
		m.some(2, n, "speed", m.of("1", "0.7", "3", "2"))
		if kind > 0 {
			m.some(2, n, "bandwidth_bytes_per_s", m.of("400", "500", "900"))
		}
		slots := kind%3 == 1 || !m.is("cluster")
		m.states(n, kind%4 == 0, "cpu", "2", "1", "0.5")
		m.states(n, kind < 2, "memory_bytes", "1000", "599", "800")
		m.states(n, slots, "map_slots", "2", "1", "0")
		m.states(n, slots, "reduce_slots", "2", "1", map[bool]string{true: "1", false: "0"}[m.is("reduceplace")])
		m.Topology = append(m.Topology, n)
		if m.is("reduceplace") && m.number%3 == 0 {
			m.Slots = append(m.Slots, row{"id": fmt.Sprint("s", k), "node": n["id"], "cost": m.of("1", "2.5", "0.000001")})
		}
		if m.is("cluster") {
			m.supply(n, k)
		}
	}
}

// states gives a node something: the first one all of it.
func (m maker) states(n row, has bool, column string, list ...string) {
	if !has {
		return
	}
	n[column] = m.of(list...)
	if n["id"] == "n0" {
		n[column] = json.Number(list[0])
	}
}

// supply adds what the tables of cluster say about a node.
func (m maker) supply(n row, k int) {
	if m.number%5 > 2 && (k == 0 || m.one(2)) {
		m.Amounts = append(m.Amounts, row{"node": n["id"], "resource": "gpu", "amount": json.Number("2.5")})
	}
	away := row{"node": n["id"], "from": m.seconds(9), "until": m.whole(10, 14)}
	switch {
	case k == 0:
		away["from"], away["until"] = json.Number("20"), json.Number("21.5")
	case m.one(3):
		delete(away, "until")
	}
	if m.one(2) {
		m.Away = append(m.Away, away)
	}
}

// costs are those of hta, in one of its forms.
func (m maker) costs() {
	local := json.Number("1.000001")
	switch {
	case !m.is("hta"):
	case m.number%5 == 0:
		m.Cost = row{"local": local, "remote": json.Number("2.75")}
	case m.number%5 == 1:
		m.Cost = row{"local": local, "rack": json.Number("1.5"), "remote": json.Number("3")}
	case m.number%5 == 2:
		m.Cost = row{"local": local, "remote": row{"base": json.Number("2"), "per_remote": json.Number("0.010001")}}
	case m.number%5 == 3:
		list := []any{json.Number("2"), json.Number("2"), json.Number("2.5"), json.Number("4")}
		m.Cost = row{"local": local, "remote": list}
	}
}

// job adds a job of maps and reduces.
func (m maker) job(j int) {
	id := fmt.Sprint("j", j+1)
	job := row{"id": id, "release": m.seconds(4), "weight": m.of("1", "2.5", "30"), "tenant": pick(m.Rand, "u", "v")}
	m.Jobs = append(m.Jobs, job)
	if m.number%5 != 4 && (m.is("realtime") || m.one(2)) {
		job["deadline"] = m.seconds(15)
	}
	if m.is("realtime", "multitenant") {
		job["task_overhead"], job["reduce_bytes_per_s"] = m.seconds(2), m.of("300", "700.5")
		job["map_bytes_per_s"], job["shuffle_ratio"] = m.of("300", "150.5"), m.of("0.5", "1", "2.5")
	}
	if m.is("cluster") && j > 0 && m.one(2) {
		m.Waits = append(m.Waits, row{"job": id, "after": fmt.Sprint("j", m.between(1, j)), "delay": m.seconds(2)})
	}
	maps := m.between(1, 3)
	m.some(2, job, "intermediate_bytes", m.of("0", "90", "477", "900"))
	if m.is("reduceplace") && m.one(2) {
		maps, job["map_work"] = 0, m.seconds(8)
	}
	for u := range maps {
		m.task(job, fmt.Sprint(id, "m", u), "map", u, maps)
	}
	m.data(job, (j+m.number)%4)
}

// data adds the reduces of a job, with what they fetch.
func (m maker) data(job row, way int) {
	if way > 0 && m.is("multitenant", "reduceplace") {
		job["reduces"], job["intermediate_bytes"] = m.whole(1, 3), m.of("0", "90", "477", "900")
		return
	}
	if !m.is("realtime") || way == 0 {
		for u := range m.between(1, 3) {
			m.task(job, fmt.Sprint(job["id"], "x", u), "reduce", u, 0)
		}
		return
	}
	job["reduces"] = m.whole(1, 2)
	switch way {
	case 1:
		for p := range m.between(2, 4) {
			name := fmt.Sprint("p", p)
			for u := range m.between(1, 2) {
				m.Parts = append(m.Parts, row{"job": job["id"], "map": fmt.Sprint(job["id"], "m", u), "partition": name,
					"bytes": m.whole(0, 900)})
			}
			if m.one(2) {
				m.Times = append(m.Times, row{"job": job["id"], "task": name, "worker": "n0", "seconds": m.seconds(5)})
			}
		}
	case 2:
		job["intermediate_bytes"] = m.whole(3, 900)
	default:
		job["partitions"] = m.whole(2, 5)
		for k := range m.between(2, 8) {
			m.Keys = append(m.Keys, row{"job": job["id"], "key": fmt.Sprint("key", k, "ä"), "bytes": m.whole(1, 400)})
		}
	}
}

// task adds a task that is not the first of its kind in the job, nor before so many others.
func (m maker) task(job row, id, kind string, u, maps int) {
	t := row{"id": id, "job": job["id"], "kind": kind, "processing_time": m.seconds(5), "shuffle_delay": m.seconds(3)}
	m.Tasks = append(m.Tasks, t)
	m.some(8, t, "processing_time", json.Number("0"))
	m.some(3, t, "release", m.seconds(12))
	m.some(3, t, "weight", m.of("0", "0.5", "4"))
	m.some(2, t, "cpu", m.of("1", "1.000001", "0.5", "0.3"))
	m.some(2, t, "memory_bytes", m.of("400", "401", "600", "200"))
	m.some(2, t, "input_bytes", m.whole(0, 1200))
	m.some(2, t, "output_bytes", m.whole(1, 900))
	if m.nodes > 0 {
		m.some(2, t, "recorded_node", m.node())
		if kind == "map" && (m.is("hta") || m.one(2)) {
			m.block(t)
		}
	}
	switch {
	case m.is("realtime") && m.one(2):
		delete(t, "processing_time")
		fallthrough
	case m.is("reduceplace"):
		t["input_bytes"] = m.whole(0, 1200)
	case m.is("multitenant"): // check takes a map without output for the first output of its rack
		t["input_bytes"] = m.whole(100, 1200)
	}
	if m.is("msjo", "cluster") && m.number%2 == 0 && u > 0 && u < maps && m.one(2) {
		m.Delays = append(m.Delays, row{"from": m.Tasks[len(m.Tasks)-2]["id"], "to": id, "delay": m.seconds(2)})
	}
	if m.is("cluster") && m.nodes > 0 {
		m.demands(t)
	}
}

// block gives a map a block on one or two nodes; two maps may read the same.
func (m maker) block(t row) {
	t["block"] = fmt.Sprint("b", len(m.Tasks)/2)
	t["input_bytes"] = m.whole(100, 1200)
	if slices.ContainsFunc(m.Places, func(p row) bool { return p["block"] == t["block"] }) {
		return
	}
	for _, k := range m.Perm(m.nodes)[:m.between(1, 2)] {
		m.Places = append(m.Places, row{"block": t["block"], "node": fmt.Sprint("n", k)})
	}
}

// demands adds what the tables of cluster say about a task.
func (m maker) demands(t row) {
	if m.number%5 > 2 && m.one(2) {
		m.Demands = append(m.Demands, row{"task": t["id"], "resource": "gpu", "amount": m.of("0.5", "1.25", "1.250001", "2")})
	}
	if m.one(4) {
		m.Eligible = append(m.Eligible, row{"task": t["id"], "place": pick(m.Rand, "n0", "r0")})
	}
	if m.one(5) {
		for k := range m.nodes - 1 {
			m.Times = append(m.Times, row{"job": t["job"], "task": t["id"], "worker": fmt.Sprint("n", k), "seconds": m.seconds(5)})
		}
	}
}
