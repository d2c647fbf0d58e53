package cli

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// document is a workload as decoded JSON: scalars, and tables as lists of rows.
type jsonRow = map[string]any

func tableOf(doc jsonRow, name string) []jsonRow {
	list, _ := doc[name].([]jsonRow)
	return list
}

// cloned is a deep copy of a document.
func cloned(doc jsonRow) jsonRow {
	out := maps.Clone(doc)
	for name, v := range out {
		if rows, ok := v.([]jsonRow); ok {
			list := make([]jsonRow, len(rows))
			for i := range rows {
				list[i] = maps.Clone(rows[i])
			}
			out[name] = list
		}
	}
	return out
}

// columnCase is an instance with the flags under which it is solved.
type columnCase struct {
	name       string
	flags      []string
	doc        jsonRow
	algorithms string
}

// randomCluster adds a topology of two racks below a switch, with every attribute of nodes.
func randomCluster(r *rand.Rand, doc jsonRow, nodes int) {
	rows := []jsonRow{{"id": "core", "kind": "root", "bandwidth_bytes_per_s": 9e8},
		{"id": "sw", "kind": "switch", "parent": "core", "bandwidth_bytes_per_s": 5e8},
		{"id": "rack1", "kind": "rack", "parent": "sw", "bandwidth_bytes_per_s": 4e7},
		{"id": "rack2", "kind": "rack", "parent": "core", "bandwidth_bytes_per_s": 5e7}}
	for k := range nodes {
		rows = append(rows, jsonRow{"id": fmt.Sprintf("n%d", k+1), "kind": "node", "parent": fmt.Sprintf("rack%d", k%2+1),
			"map_slots": 1 + r.IntN(2), "reduce_slots": 1 + r.IntN(2),
			"speed": []float64{0.5, 1, 2}[r.IntN(3)], "bandwidth_bytes_per_s": 3e7 + 1e7*float64(r.IntN(4)),
			"cpu": 4 + r.IntN(3), "memory_bytes": int64(8e9)})
	}
	doc["topology"] = append(rows, jsonRow{"id": "spare", "kind": "node", "parent": "core", "map_slots": 1,
		"reduce_slots": 1})
}

// randomJobs adds jobs of maps and reduces with every attribute of tasks.
func randomJobs(r *rand.Rand, doc jsonRow, jobs, maps, nodes int) {
	var list, tasks, placements []jsonRow
	for j := range jobs {
		id := fmt.Sprintf("j%d", j+1)
		total := 0
		for m := range maps {
			size := (1 + r.IntN(9)) * 50_000_000
			total += size
			block := fmt.Sprintf("b%d.%d", j+1, m+1)
			tasks = append(tasks, jsonRow{"id": fmt.Sprintf("%s.m%d", id, m+1), "job": id, "kind": "map",
				"processing_time": 5 + r.IntN(30), "shuffle_delay": 1 + r.IntN(4), "weight": 1 + r.IntN(5),
				"release": r.IntN(20), "block": block, "input_bytes": 100_000_000 * (1 + r.IntN(5)), "output_bytes": size,
				"cpu": 1 + r.IntN(2), "memory_bytes": 1_000_000_000 * (1 + r.IntN(3)),
				"recorded_node": fmt.Sprintf("n%d", 1+r.IntN(nodes))})
			for _, k := range r.Perm(nodes)[:2] {
				placements = append(placements, jsonRow{"block": block, "node": fmt.Sprintf("n%d", k+1)})
			}
		}
		reduces := 1 + r.IntN(2)
		for k := range reduces {
			tasks = append(tasks, jsonRow{"id": fmt.Sprintf("%s.r%d", id, k+1), "job": id, "kind": "reduce",
				"processing_time": 10 + r.IntN(40), "weight": 1 + r.IntN(5), "release": r.IntN(20),
				"input_bytes": 50_000_000 * (1 + r.IntN(5)), "output_bytes": 10_000_000, "cpu": 1,
				"memory_bytes": 1_000_000_000 * (1 + r.IntN(3)), "recorded_node": fmt.Sprintf("n%d", 1+r.IntN(nodes))})
		}
		list = append(list, jsonRow{"id": id, "release": 5 * r.IntN(8), "weight": 1 + r.IntN(5), "deadline": 60 + r.IntN(60),
			"tenant": fmt.Sprintf("u%d", j%2+1), "class": fmt.Sprintf("c%d", j%2+1),
			"reduces": reduces, "intermediate_bytes": total, "map_work": 20 + r.IntN(60), "shuffle_ratio": 0.5,
			"partitions": reduces, "task_overhead": 1, "map_bytes_per_s": 2e7, "reduce_bytes_per_s": 1e7,
			"recorded_completion": 500 + 10*j})
	}
	doc["jobs"], doc["tasks"], doc["placements"] = list, tasks, placements
}

// without removes columns of a table.
func without(doc jsonRow, table string, columns ...string) {
	for _, row := range tableOf(doc, table) {
		for _, c := range columns {
			delete(row, c)
		}
	}
}

// columnCases are instances of a problem that state every column. Columns that exclude each other are in different
// instances.
func columnCases(problem string, r *rand.Rand) (list []columnCase) {
	base := func() jsonRow {
		doc := jsonRow{"format": "mrsched-workload/1", "name": "columns", "problem": problem}
		randomCluster(r, doc, 4)
		randomJobs(r, doc, 3, 2, 4)
		if problem != "realtime" { // which would refuse two ways to state one thing
			doc["partitions"] = []jsonRow{{"job": "j1", "map": "j1.m1", "partition": "p", "bytes": 5},
				{"job": "j2", "map": "j2.m1", "partition": "p", "bytes": 5}}
			doc["keys"] = []jsonRow{{"job": "j1", "map": "j1.m1", "key": "k", "bytes": 5},
				{"job": "j2", "map": "j2.m1", "key": "k", "bytes": 5}}
			doc["times"] = []jsonRow{{"job": "j1", "task": "j1.m1", "worker": "n1", "seconds": 5},
				{"job": "j1", "task": "j1.m1", "worker": "n2", "seconds": 5}}
			doc["history"] = []jsonRow{{"class": "c1", "worker": "n1", "kind": "map", "bytes": 5, "cpu": 1, "memory_bytes": 5,
				"seconds": 5}}
		}
		doc["capacities"] = []jsonRow{{"node": "n1", "resource": "gpu", "amount": 2},
			{"node": "n2", "resource": "gpu", "amount": 1}}
		doc["demands"] = []jsonRow{{"task": "j1.m1", "resource": "gpu", "amount": 1},
			{"task": "j2.m1", "resource": "gpu", "amount": 2}}
		doc["dependencies"] = []jsonRow{{"job": "j2", "after": "j1", "delay": 5}, {"job": "j3", "after": "j1", "delay": 7}}
		doc["unavailable"] = []jsonRow{{"node": "n1", "from": 5, "until": 1000}, {"node": "n2", "from": 7, "until": 1000}}
		doc["fixed"] = []jsonRow{{"task": "j1.m1", "node": "n1", "start": 3}, {"task": "j2.m1", "node": "n2", "start": -3}}
		if problem != "reduceplace" {
			doc["slots"] = []jsonRow{{"id": "s1", "node": "n1", "cost": 1}, {"id": "s2", "node": "n2", "cost": 2}}
		}
		return doc
	}
	add := func(name string, doc jsonRow, flags ...string) {
		for table, names := range map[string][]string{"topology": {"capacities", "unavailable", "fixed"},
			"tasks": {"demands", "fixed"}} {
			for _, of := range names {
				if len(tableOf(doc, table)) == 0 {
					delete(doc, of)
				}
			}
		}
		list = append(list, columnCase{name, flags, doc, "all"})
	}
	switch problem {
	case "msjo":
		add("slots", base())
		add("tasks", base(), "--objective", "twtct")
		doc := base()
		doc["machines"] = 3
		doc["delays"] = []jsonRow{{"from": "j1.m1", "to": "j1.m2", "delay": 3}, {"from": "j1.m2", "to": "j1.r1", "delay": 2}}
		add("machines", doc)
		doc = cloned(doc)
		add("flagged", doc, "--machines", "2")
		doc = cloned(doc)
		doc["delays"] = []jsonRow{{"from": "j1.m1", "to": "j1.r1", "delay": 3}, {"from": "j2.m1", "to": "j2.r1", "delay": 2},
			{"from": "j3.m1", "to": "j3.r1", "delay": 1}}
		add("graphs", doc)
	case "hta":
		add("flat", base())
		doc := base()
		doc["cost"] = jsonRow{"local": 1, "rack": 2, "remote": 4}
		add("racks", doc)
		doc = base()
		delete(doc, "topology")
		delete(doc, "times")
		add("bare", doc)
	case "reduceplace":
		doc := base()
		doc["max_running_jobs"] = 2
		doc["slots"] = []jsonRow{{"id": "s1", "node": "n1", "cost": 1}, {"id": "s2", "node": "n2", "cost": 2},
			{"id": "s3", "node": "n3", "cost": 5}, {"id": "s4", "node": "n3", "cost": 7}}
		add("slots", doc)
		add("slots as hops", cloned(doc), "--slot-cost", "hops")
		add("flagged", cloned(doc), "--max-running-jobs", "1")
		doc = base()
		without(doc, "tasks", "input_bytes")
		add("hops", doc)
		doc = cloned(doc)
		without(doc, "jobs", "intermediate_bytes", "map_work")
		add("outputs", doc)
		doc = cloned(doc)
		delete(tableOf(doc, "jobs")[0], "map_work")
		tableOf(doc, "jobs")[0]["intermediate_bytes"] = 7
		for _, row := range tableOf(doc, "tasks") {
			if row["kind"] == "map" {
				row["input_bytes"] = 9_000_000
			}
		}
		add("mixed", doc)
		doc = base()
		without(doc, "tasks", "output_bytes")
		without(doc, "jobs", "intermediate_bytes", "map_work")
		for _, row := range tableOf(doc, "tasks") {
			if row["kind"] == "reduce" {
				delete(row, "input_bytes")
			}
		}
		add("ratio", doc)
		add("data", base(), "--slot-cost", "data")
		add("measured", base(), "--slot-cost", "measured")
		doc = base()
		without(doc, "jobs", "intermediate_bytes")
		without(doc, "tasks", "input_bytes")
		add("estimated", doc, "--estimate", "0.3")
		doc = base()
		doc["tasks"] = []jsonRow{}
		for _, table := range []string{"placements", "keys", "partitions", "times"} {
			delete(doc, table)
		}
		add("implied", doc)
	case "realtime":
		history := func(doc jsonRow) {
			var rows []jsonRow
			for k := range 40 {
				rows = append(rows, jsonRow{"class": fmt.Sprintf("c%d", k%2+1), "worker": fmt.Sprintf("n%d", k%4+1),
					"kind": []string{"map", "reduce"}[k/4%2], "bytes": 50_000_000 * (1 + r.IntN(9)),
					"cpu": 1 + r.IntN(3), "memory_bytes": 1_000_000_000 * (1 + r.IntN(3)), "seconds": 5 + r.IntN(40)})
			}
			doc["history"] = rows
		}
		doc := base()
		history(doc)
		add("tasks", doc)
		doc = base()
		without(doc, "tasks", "processing_time")
		add("rates", doc)
		add("phases", base(), "--goal", "partitions")
		doc = base()
		without(doc, "jobs", "deadline")
		add("no deadlines", doc)
		doc = base()
		doc["tasks"] = slices.DeleteFunc(tableOf(doc, "tasks"), func(row jsonRow) bool { return row["kind"] == "reduce" })
		implied := cloned(doc)
		add("implied", implied)
		parts, keys := cloned(doc), cloned(doc)
		var rows, more []jsonRow
		for j := range 3 {
			for p := range 3 {
				rows = append(rows, jsonRow{"job": fmt.Sprintf("j%d", j+1), "map": fmt.Sprintf("j%d.m1", j+1),
					"partition": fmt.Sprintf("p%d", p+1), "bytes": 30_000_000 * (1 + r.IntN(9))})
			}
			for k := range 9 {
				more = append(more, jsonRow{"job": fmt.Sprintf("j%d", j+1), "map": fmt.Sprintf("j%d.m%d", j+1, k%2+1),
					"key": fmt.Sprintf("key%d", k), "bytes": 10_000_000 * (1 + r.IntN(9))})
			}
		}
		parts["partitions"], keys["keys"] = rows, more
		history(keys)
		parts["times"] = []jsonRow{{"job": "j1", "task": "j1.m1", "worker": "n1", "seconds": 9},
			{"job": "j2", "task": "p1", "worker": "n2", "seconds": 3}}
		add("partitions", parts)
		add("keys", keys)
		add("partition phases", cloned(parts), "--goal", "partitions")
		doc = cloned(parts)
		delete(doc, "topology")
		delete(doc, "times")
		delete(doc, "placements")
		doc["machines"] = 3
		add("machines", doc)
		doc = base()
		history(doc)
		doc["machines"] = 5
		for _, row := range tableOf(doc, "topology") {
			if row["reduce_slots"] != nil {
				row["reduce_slots"] = 2
			}
		}
		add("true times", doc, "--estimates", "true", "--goal", "partitions")
		doc = base()
		for _, row := range tableOf(doc, "tasks") {
			if row["kind"] == "reduce" {
				delete(row, "processing_time")
			}
		}
		add("rates of reduces", doc)
		doc = base()
		var given []jsonRow
		for _, row := range tableOf(doc, "tasks") {
			for _, worker := range []string{"n1", "n2", "n3", "n4", "spare"} {
				given = append(given, jsonRow{"job": row["job"], "task": row["id"], "worker": worker, "seconds": 5 + r.IntN(30)})
			}
		}
		doc["times"] = given
		add("given times", doc)
		doc = cloned(doc)
		without(doc, "tasks", "processing_time")
		without(doc, "jobs", "deadline")
		add("given times and deadlines", doc, "--deadline-factor", "2")
	case "multitenant":
		add("tasks", base())
		doc := base()
		without(doc, "tasks", "processing_time", "output_bytes")
		add("rates", doc)
		doc = cloned(doc)
		without(doc, "jobs", "intermediate_bytes")
		add("ratio", doc)
		doc = cloned(doc)
		doc["tasks"] = slices.DeleteFunc(tableOf(doc, "tasks"), func(row jsonRow) bool { return row["kind"] == "reduce" })
		add("implied", doc)
		doc = cloned(doc)
		delete(doc, "topology")
		delete(doc, "placements")
		delete(doc, "times")
		doc["machines"] = 3
		add("machines", doc)
		doc = base()
		doc["machines"] = 5
		without(doc, "tasks", "cpu", "memory_bytes")
		delete(doc, "placements")
		add("no needs", doc)
		doc = base()
		without(doc, "topology", "cpu", "memory_bytes")
		for _, row := range tableOf(doc, "tasks") {
			if row["kind"] == "map" {
				delete(row, "input_bytes")
			}
			if strings.HasSuffix(row["id"].(string), ".m1") {
				delete(row, "output_bytes")
			}
		}
		delete(doc, "placements")
		add("no limits", doc)
	case "cluster":
		doc := base()
		delete(doc, "times")
		doc["machines"] = 3
		doc["capacities"] = []jsonRow{{"node": "n1", "resource": "gpu", "amount": 2}, {"node": "n2", "resource": "gpu", "amount": 1}}
		doc["demands"] = []jsonRow{}
		for task, amount := range map[string]int{"j1.m1": 2, "j2.m1": 1, "j1.m2": 1, "j3.m2": 1, "j1.r1": 1, "j3.r1": 1} {
			doc["demands"] = append(tableOf(doc, "demands"), jsonRow{"task": task, "resource": "gpu", "amount": amount})
		}
		slices.SortFunc(tableOf(doc, "demands"), func(a, b jsonRow) int {
			return strings.Compare(a["task"].(string), b["task"].(string))
		})
		doc["dependencies"] = []jsonRow{{"job": "j2", "after": "j1", "delay": 5}, {"job": "j3", "after": "j2", "delay": 7}}
		doc["unavailable"] = []jsonRow{{"node": "n1", "from": 45, "until": 100}, {"node": "n2", "from": 47, "until": 100},
			{"node": "n3", "from": 0, "until": 10}, {"node": "n4", "from": 2, "until": 30}}
		doc["eligible"] = []jsonRow{{"task": "j3.m1", "place": "n3"}, {"job": "j2", "place": "rack2"}, {"job": "j2", "place": "n1"}}
		add("nodes", doc, "--objective", "tardiness")
		timed := cloned(doc)
		timed["times"] = []jsonRow{{"job": "j1", "task": "j1.m2", "worker": "n1", "seconds": 5},
			{"job": "j3", "task": "j3.m2", "worker": "n2", "seconds": 5}, {"job": "j3", "task": "j3.m2", "worker": "n3", "seconds": 9}}
		add("given times", timed)
		doc = cloned(doc)
		delete(doc, "unavailable")
		doc["delays"] = []jsonRow{{"from": "j1.m1", "to": "j1.r1", "delay": 3}, {"from": "j2.m1", "to": "j2.r1", "delay": 2},
			{"from": "j3.m1", "to": "j3.r1", "delay": 1}}
		add("graphs", doc)
		doc = cloned(doc)
		for _, table := range []string{"topology", "placements", "eligible", "delays", "demands", "dependencies"} {
			delete(doc, table)
		}
		doc["machines"] = 1
		add("machines", doc)
	}
	return list
}
