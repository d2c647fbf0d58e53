package campaign

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// rulesOf says how to make valid results of a problem, and lists the rules to break.
type rulesOf struct {
	problem    string
	make       func(m maker, d *document, k int) // fills in the k-th instance
	flags      [][]string                        // of solve, in turn with k
	algorithms []string                          // the first always, the others in turn with k
	rules      []rule
	again      bool // plan the first result of an instance again, with a freeze
}

func allRules() []rulesOf {
	return []rulesOf{
		{"msjo", makeMSJO, [][]string{{}, {"--objective", "twtct"}}, []string{"best", "mars", "stf", "mares"}, rulesMSJO(),
			false},
		{"hta", makeHTA, [][]string{{}}, []string{"best", "flow", "round-robin"}, rulesHTA(), false},
		{"reduceplace", makePlacement, [][]string{{}, {"--slot-cost", "hops", "--distances", "0.5,2,7.25"},
			{"--slot-cost", "hops"}, {"--slot-cost", "data"}, {"--slot-cost", "measured"}},
			[]string{"greedy", "rhc", "random", "clairvoyant"}, rulesPlacement(), false},
		{"realtime", makeRealtime, [][]string{{}, {"--sketch-delta", "0.1"}, {"--resplit-cost", "0.25"},
			{"--goal", "partitions"}, {"--deadline-factor", "1.5"}},
			[]string{"best", "llf", "dp", "edf", "skewtune", "fifo"}, rulesRealtime(), false},
		{"multitenant", makeTenants, [][]string{{}}, []string{"best", "fair", "delay", "shufflewatcher", "drf"},
			rulesTenants(), false},
		{"cluster", makeCluster, [][]string{{}, {"--objective", "tardiness"}, {"--objective", "late"},
			{"--objective", "makespan"}}, []string{"fifo", "best", "tetris", "heft", "drf", "graphene", "price-list", "fair",
			"exact"}, rulesCluster(), true},
	}
}

type maker struct{ *rand.Rand }

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

func (m maker) of(list ...string) json.Number { return json.Number(m.name(list...)) }

func (m maker) name(list ...string) string { return list[m.IntN(len(list))] }

func (d *document) node(cells row) { d.Topology = append(d.Topology, cells) }

// makeMSJO makes jobs of maps and reduces, or graphs of stages, on few machines.
func makeMSJO(m maker, d *document, k int) {
	if k%3 < 2 {
		d.Machines = number(fmt.Sprint(m.between(2, 4)))
	} else { // the slots of a topology
		d.node(row{"id": "root", "kind": "root"})
		d.node(row{"id": "a", "kind": "node", "parent": "root", "map_slots": m.whole(1, 2)})
		d.node(row{"id": "b", "kind": "node", "parent": "root", "reduce_slots": m.whole(1, 2)})
	}
	for j := range m.between(2, 4) {
		id := fmt.Sprint("j", j+1)
		d.Jobs = append(d.Jobs, row{"id": id, "release": m.seconds(6), "weight": m.of("1", "2.5", "30")})
		count := m.between(2, 5)
		for u := range count {
			t := row{"id": fmt.Sprint(id, "t", u+1), "job": id, "kind": "map",
				"processing_time": m.seconds(5), "shuffle_delay": m.seconds(3)}
			if u > count/2 {
				t["kind"] = "reduce"
			}
			if m.one(2) {
				t["release"] = m.seconds(12)
			}
			if m.one(3) {
				t["weight"] = m.of("0", "0.5", "4")
			}
			if m.one(8) {
				t["processing_time"] = json.Number("0")
			}
			d.Tasks = append(d.Tasks, t)
			for v := range u {
				if j%2 == k%2 && m.one(2) {
					d.Delays = append(d.Delays, row{"from": fmt.Sprint(id, "t", v+1), "to": t["id"], "delay": m.seconds(2)})
				}
			}
		}
	}
}

// makeHTA makes maps with blocks on servers in racks, some of which run no maps, and tasks that the problem leaves out.
func makeHTA(m maker, d *document, k int) {
	servers := m.between(3, 5)
	if k%4 < 3 {
		d.node(row{"id": "root", "kind": "root"})
		d.node(row{"id": "r0", "kind": "rack", "parent": "root"})
		d.node(row{"id": "r1", "kind": "rack", "parent": "root"})
		for s := range servers {
			n := row{"id": fmt.Sprint("n", s), "kind": "node", "parent": fmt.Sprint("r", s%2), "map_slots": m.whole(1, 2)}
			if s > 1 && m.one(2) {
				n["map_slots"] = json.Number("0")
			}
			d.node(n)
		}
	}
	local := json.Number("1.000001")
	switch k % 5 {
	case 0:
		d.Cost = row{"local": local, "remote": json.Number("2.75")}
	case 1:
		d.Cost = row{"local": local, "rack": json.Number("1.5"), "remote": json.Number("3")}
	case 2:
		d.Cost = row{"local": local, "remote": row{"base": json.Number("2"), "per_remote": json.Number("0.010001")}}
	case 3:
		list := []any{json.Number("2"), json.Number("2"), json.Number("2.5"), json.Number("4")}
		d.Cost = row{"local": local, "remote": list}
	}
	d.Jobs = []row{{"id": "a"}, {"id": "b"}}
	for t := range m.between(6, 11) {
		block := fmt.Sprint("b", t/2) // two maps read one block
		d.Tasks = append(d.Tasks, row{"id": fmt.Sprint("t", t), "job": m.name("a", "b"), "kind": "map", "block": block})
		if t%2 == 0 {
			for _, s := range m.Perm(servers)[:m.between(1, 2)] {
				d.Places = append(d.Places, row{"block": block, "node": fmt.Sprint("n", s)})
			}
		}
	}
	d.Tasks = append(d.Tasks, row{"id": "lost", "job": "a", "kind": "map"},
		row{"id": "a.r", "job": "a", "kind": "reduce"}, row{"id": "b.r", "job": "b", "kind": "reduce"})
}

// makePlacement makes jobs that wait for slots, with costs from the table slots or from a topology.
func makePlacement(m maker, d *document, k int) {
	d.node(row{"id": "root", "kind": "root"})
	d.node(row{"id": "s", "kind": "switch", "parent": "root"})
	d.node(row{"id": "r0", "kind": "rack", "parent": "s"})
	d.node(row{"id": "r1", "kind": "rack", "parent": "root"})
	for s := range m.between(4, 6) {
		id := fmt.Sprint("n", s)
		d.node(row{"id": id, "kind": "node", "parent": fmt.Sprint("r", s%2),
			"map_slots": m.whole(0, 2), "reduce_slots": m.whole(1, 2)})
		if k%3 == 0 {
			d.Slots = append(d.Slots, row{"id": fmt.Sprint("s", s), "node": id, "cost": m.of("1", "2.5", "0.000001", "7.3")})
		}
	}
	if m.one(2) {
		d.Running = number(fmt.Sprint(m.between(1, 3)))
	}
	for j := range m.between(4, 7) {
		id := fmt.Sprint("j", j+1)
		job := row{"id": id, "release": m.seconds(5)}
		d.Jobs = append(d.Jobs, job)
		if j%3 < 2 {
			job["reduces"], job["intermediate_bytes"], job["map_work"] = m.whole(1, 3), m.whole(0, 100), m.seconds(8)
			continue
		}
		for u := range m.between(1, 3) {
			d.Tasks = append(d.Tasks, row{"id": fmt.Sprint(id, "m", u), "job": id, "kind": "map",
				"processing_time": m.seconds(6), "output_bytes": m.whole(0, 9), "recorded_node": m.name("n0", "n1", "n2")})
		}
		for u := range m.between(1, 3) {
			t := row{"id": fmt.Sprint(id, "x", u), "job": id, "kind": "reduce",
				"processing_time": m.seconds(5), "recorded_node": m.name("n0", "n1", "n2")}
			if k%2 == 0 {
				t["input_bytes"] = m.whole(0, 50)
			}
			d.Tasks = append(d.Tasks, t)
		}
	}
}
