package campaign

// extremeCluster has nodes that state some of speed, links, cores, memory, slots and a resource of a table, and go
// away; maps that read, waits inside jobs and between them, deadlines, and a task that stands.
func extremeCluster(s source, d *document) {
	nodes := s.some(3)
	d.Topology = []row{{"id": "root", "kind": "root"}, {"id": "rack", "kind": "rack", "parent": "root",
		"bandwidth_bytes_per_s": s.from(s.rates)}}
	for k := range nodes {
		s.clusterNode(d, row{"id": id("n", k), "kind": "node", "parent": "rack"})
	}
	for j := range s.some(3) {
		job := row{"id": id("j", j), "release": s.from(s.releases), "weight": s.from(s.weights)}
		d.Jobs = append(d.Jobs, job)
		if s.one(2) {
			job["deadline"] = s.from(s.times)
		}
		if j > 0 && s.one(2) {
			d.Waits = append(d.Waits, row{"job": id("j", j), "after": id("j", s.IntN(j)), "delay": s.from(s.times)})
		}
		graph := s.one(2)
		for u := range s.some(2) {
			t := row{"id": id("t", j, u), "job": id("j", j), "kind": "map", "processing_time": s.from(s.times)}
			d.Tasks = append(d.Tasks, t)
			switch {
			case u > 0 && graph:
				d.Delays = append(d.Delays, row{"from": id("t", j, u-1), "to": t["id"], "delay": s.from(s.times)})
			case u > 0:
				t["kind"] = "reduce"
			default:
				t["shuffle_delay"] = s.from(s.times)
			}
			s.clusterTask(d, t, nodes)
		}
	}
	if s.one(4) {
		d.Fixed = []row{{"task": d.Tasks[0]["id"], "node": id("n", s.IntN(nodes)), "start": s.from(s.releases)}}
	}
}

func (s source) clusterNode(d *document, n row) {
	d.Topology = append(d.Topology, n)
	if s.one(2) {
		n["speed"] = s.from(s.speeds)
	}
	if s.one(2) {
		n["bandwidth_bytes_per_s"] = s.from(s.rates)
	}
	if s.one(3) {
		n["cpu"] = s.from(s.costs)
	}
	if s.one(3) {
		n["memory_bytes"] = s.from(s.bytes)
	}
	if s.one(4) {
		n["map_slots"], n["reduce_slots"] = s.count(2), s.count(10_000_000)
	}
	if !s.one(4) {
		d.Amounts = append(d.Amounts, row{"node": n["id"], "resource": "gpu", "amount": s.from(s.costs)})
	}
	if from, until := s.from(s.times), s.from(s.releases); s.one(3) && micros(from) < micros(until) {
		d.Away = append(d.Away, row{"node": n["id"], "from": from, "until": until})
	}
}

func (s source) clusterTask(d *document, t row, nodes int) {
	if s.one(3) {
		t["cpu"] = s.from(s.costs)
	}
	if s.one(3) {
		t["memory_bytes"] = s.from(s.bytes)
	}
	if s.one(4) {
		t["release"] = s.from(s.releases)
	}
	if s.one(3) {
		d.Demands = append(d.Demands, row{"task": t["id"], "resource": "gpu", "amount": s.from(s.costs)})
	}
	if t["kind"] == "map" && s.one(3) {
		t["block"], t["input_bytes"] = "b"+text(t["id"]), s.from(s.bytes)
		d.Places = append(d.Places, row{"block": t["block"], "node": id("n", s.IntN(nodes))})
	}
	if s.one(6) {
		d.Eligible = append(d.Eligible, row{"task": t["id"], "place": id("n", s.IntN(nodes))})
	}
	if s.one(6) {
		for k := range nodes {
			d.Times = append(d.Times, row{"job": t["job"], "task": t["id"], "worker": id("n", k), "seconds": s.from(s.times)})
		}
	}
}
