package campaign

import (
	"encoding/json"
	"fmt"
)

// makeRealtime makes jobs on unequal workers, some of which run no maps, or no reduces.
func makeRealtime(m maker, d *document, k int) {
	d.node(row{"id": "root", "kind": "root"})
	for w := range m.between(2, 4) {
		n := row{"id": fmt.Sprint("w", w), "kind": "node", "parent": "root", "speed": m.of("1", "0.7", "3", "2"),
			"map_slots": m.whole(0, 2), "reduce_slots": m.whole(0, 2)}
		if w == 0 {
			n["map_slots"], n["reduce_slots"] = m.whole(1, 2), m.whole(2, 3)
		}
		d.node(n)
	}
	for j := range m.between(2, 3) {
		id := fmt.Sprint("j", j+1)
		job := row{"id": id, "release": m.seconds(4), "reduces": m.whole(1, 2), "task_overhead": m.seconds(2),
			"map_bytes_per_s": m.of("3", "1.5"), "reduce_bytes_per_s": m.of("7", "2.5")}
		if k%5 != 4 {
			job["deadline"] = m.seconds(15)
		}
		d.Jobs = append(d.Jobs, job)
		for u := range m.between(1, 3) {
			t := row{"id": fmt.Sprint(id, "m", u), "job": id, "kind": "map", "input_bytes": m.whole(0, 9),
				"shuffle_delay": m.seconds(2)}
			if m.one(2) {
				t["release"] = m.seconds(9)
			}
			if m.one(2) {
				t["processing_time"] = m.seconds(4)
			}
			d.Tasks = append(d.Tasks, t)
		}
		if k%5 == 1 {
			makeKeys(m, d, job, 4, 8)
		} else {
			makeData(m, d, job, (j+k)%4)
		}
	}
}

// makeKeys states the data of a job's reduces as keys.
func makeKeys(m maker, d *document, job row, least, most int) {
	job["partitions"] = m.whole(2, 5)
	for x := range m.between(least, most) {
		d.Keys = append(d.Keys, row{"job": job["id"], "key": fmt.Sprint("key", x, "ä"), "bytes": m.whole(1, 20)})
	}
}

// makeData states the data of a job's reduces in one of four ways.
func makeData(m maker, d *document, job row, way int) {
	id := text(job["id"])
	switch way {
	case 0:
		for p := range m.between(2, 4) {
			name := fmt.Sprint("p", p)
			for u := range m.between(1, 2) {
				d.Parts = append(d.Parts, row{"job": id, "map": fmt.Sprint(id, "m", u), "partition": name, "bytes": m.whole(0, 12)})
			}
			if m.one(2) {
				d.Times = append(d.Times, row{"job": id, "task": name, "worker": "w0", "seconds": m.seconds(5)})
			}
		}
	case 1:
		delete(job, "reduces")
		for u := range m.between(1, 3) {
			t := row{"id": fmt.Sprint(id, "x", u), "job": id, "kind": "reduce", "input_bytes": m.whole(0, 12)}
			if m.one(2) {
				t["release"] = m.seconds(25)
			}
			d.Tasks = append(d.Tasks, t)
		}
	case 2:
		job["intermediate_bytes"] = m.whole(3, 40)
	default:
		makeKeys(m, d, job, 2, 6)
	}
}

// makeTenants makes jobs of users on racks. Every third instance is about capacity: its nodes state memory and cores,
// and nothing crosses links.
func makeTenants(m maker, d *document, k int) {
	d.node(row{"id": "root", "kind": "root"})
	full := k%3 == 2
	nodes := 0
	for r := range m.between(2, 3) {
		rack := row{"id": fmt.Sprint("r", r), "kind": "rack", "parent": "root"}
		if !full {
			rack["bandwidth_bytes_per_s"] = m.of("200", "300", "550.5")
		}
		d.node(rack)
		for range m.between(1, 2) {
			n := row{"id": fmt.Sprint("n", nodes), "kind": "node", "parent": rack["id"], "speed": m.of("1", "2", "0.7", "3"),
				"map_slots": m.whole(0, 2), "reduce_slots": m.whole(0, 2)}
			if !full && k%2 == 0 {
				n["bandwidth_bytes_per_s"] = m.of("400", "600", "900")
			}
			if nodes == 0 {
				n["map_slots"], n["reduce_slots"] = m.whole(2, 3), m.whole(2, 3)
			}
			if full {
				makeCapacity(m, n, nodes)
			}
			d.node(n)
			nodes++
		}
	}
	for j := range m.between(2, 4) {
		makeTenantJob(m, d, fmt.Sprint("j", j+1), full, nodes)
	}
}

// makeCapacity states memory and cores of a node that some tasks together exceed by a byte or a thousandth of a core.
// Every task fits the first node.
func makeCapacity(m maker, n row, number int) {
	if number == 0 {
		n["memory_bytes"], n["cpu"] = json.Number("1000"), json.Number("1")
		return
	}
	if m.one(2) {
		n["memory_bytes"] = m.of("1000", "599", "800")
	}
	if m.one(2) {
		n["cpu"] = m.of("1", "0.5", "0.3")
	}
}

// makeTenantJob makes a job of maps and reduces, with rows of their own or implied.
func makeTenantJob(m maker, d *document, id string, full bool, nodes int) {
	job := row{"id": id, "release": m.seconds(4), "tenant": m.name("u", "v"), "task_overhead": m.seconds(3),
		"reduce_bytes_per_s": m.of("300", "700")}
	d.Jobs = append(d.Jobs, job)
	add := func(t row) {
		if full && !m.one(4) {
			t["memory_bytes"], t["cpu"] = m.of("400", "401", "600", "200"), m.of("0.1", "0.2", "0.5", "0.501", "0.3")
		}
		d.Tasks = append(d.Tasks, t)
	}
	for u := range m.between(1, 4) {
		t := row{"id": fmt.Sprint(id, "m", u), "job": id, "kind": "map", "processing_time": m.seconds(4)}
		if m.one(2) {
			t["release"] = m.seconds(9)
		}
		if full && m.one(5) {
			t["processing_time"] = json.Number("0")
		}
		if !full {
			t["input_bytes"], t["block"] = m.whole(1, 1200), fmt.Sprint(id, "b", u)
			for _, s := range m.Perm(nodes)[:m.between(1, min(2, nodes))] {
				d.Places = append(d.Places, row{"block": t["block"], "node": fmt.Sprint("n", s)})
			}
		}
		add(t)
	}
	if !full {
		job["shuffle_ratio"] = m.of("0.5", "1", "2.5")
	}
	if m.one(3) {
		job["reduces"] = m.whole(1, 3)
		return
	}
	for u := range m.between(1, 3) {
		t := row{"id": fmt.Sprint(id, "x", u), "job": id, "kind": "reduce", "processing_time": m.seconds(4)}
		if m.one(3) {
			t["release"] = m.seconds(12)
		}
		if !full && m.one(3) {
			t["output_bytes"] = m.whole(1, 900)
		}
		add(t)
	}
}
