package cli

import (
	"encoding/json"
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

// columnRecipe is a case in words: of a random document, or of that of an earlier case, after edits. Edits are
// NAME=VALUE for a scalar, TABLE=COLUMN,…;CELL,…;CELL,… for a table, TABLE.COLUMN=VALUE for all of its rows, -NAME,
// -TABLE and -TABLE.COLUMN to remove, and +NAME for rows that randomRows makes. Behind @ stands which rows an edit is
// about: those in which COLUMN=END ends so.
type columnRecipe struct{ name, of, edits, flags string }

// graphs are delays between tasks of all jobs.
const graphs = " delays=from,to,delay;j1.m1,j1.r1,3;j2.m1,j2.r1,2;j3.m1,j3.r1,1"

// columnRecipes are instances of each problem that state every column. Columns that exclude each other are in different
// instances.
var columnRecipes = map[string][]columnRecipe{
	"msjo": {
		{"slots", "", "", ""}, {"tasks", "", "", "--objective twtct"},
		{"machines", "", "machines=3 delays=from,to,delay;j1.m1,j1.m2,3;j1.m2,j1.r1,2", ""},
		{"flagged", "machines", "", "--machines 2"}, {"graphs", "machines", graphs, ""},
	},
	"hta": {
		{"flat", "", "", ""}, {"racks", "", `cost={"local":1,"rack":2,"remote":4}`, ""}, {"bare", "", "-topology -times", ""},
	},
	"reduceplace": {
		{"slots", "", "max_running_jobs=2 slots=id,node,cost;s1,n1,1;s2,n2,2;s3,n3,5;s4,n3,7", ""},
		{"slots as hops", "slots", "", "--slot-cost hops"}, {"flagged", "slots", "", "--max-running-jobs 1"},
		{"hops", "", "-tasks.input_bytes", ""}, {"outputs", "hops", "-jobs.intermediate_bytes -jobs.map_work", ""},
		{"mixed", "outputs", "jobs.intermediate_bytes=7@id=j1 tasks.input_bytes=9000000@kind=map", ""},
		{"ratio", "", "-tasks.output_bytes -jobs.intermediate_bytes -jobs.map_work -tasks.input_bytes@kind=reduce", ""},
		{"data", "", "", "--slot-cost data"}, {"measured", "", "", "--slot-cost measured"},
		{"estimated", "", "-jobs.intermediate_bytes -tasks.input_bytes", "--estimate 0.3"},
		{"implied", "", "tasks=id; -placements -keys -partitions -times", ""},
	},
	"realtime": {
		{"tasks", "", "+history", ""}, {"scaled", "", "+history", "--distance scaled"},
		{"rates", "", "-tasks.processing_time", ""}, {"phases", "", "", "--goal partitions"},
		{"no deadlines", "", "-jobs.deadline", ""}, {"implied", "", "-tasks@kind=reduce", ""},
		{"partitions", "implied", "+partitions times=job,task,worker,seconds;j1,j1.m1,n1,9;j2,p1,n2,3", ""},
		{"keys", "implied", "+keys +history", ""}, {"partition phases", "partitions", "", "--goal partitions"},
		{"machines", "partitions", "-topology -times -placements machines=3", ""},
		{"true times", "", "+history machines=5 topology.reduce_slots=2@kind=node", "--estimates true --goal partitions"},
		{"rates of reduces", "", "-tasks.processing_time@kind=reduce", ""}, {"given times", "", "+times", ""},
		{"given times and deadlines", "given times", "-tasks.processing_time -jobs.deadline", "--deadline-factor 2"},
	},
	"multitenant": {
		{"tasks", "", "", ""}, {"rates", "", "-tasks.processing_time -tasks.output_bytes", ""},
		{"ratio", "rates", "-jobs.intermediate_bytes", ""}, {"implied", "ratio", "-tasks@kind=reduce", ""},
		{"machines", "implied", "-topology -placements -times machines=3", ""},
		{"no needs", "", "machines=5 -tasks.cpu -tasks.memory_bytes -placements", ""},
		{"no limits", "", "-topology.cpu -topology.memory_bytes -tasks.input_bytes@kind=map -tasks.output_bytes@id=.m1 " +
			"-placements", ""},
	},
	"cluster": {
		{"nodes", "", "-times machines=3 demands=task,resource,amount;j1.m1,gpu,2;j1.m2,gpu,1;j1.r1,gpu,1;j2.m1,gpu,1;" +
			"j3.m2,gpu,1;j3.r1,gpu,1 dependencies=job,after,delay;j2,j1,5;j3,j2,7 " +
			"unavailable=node,from,until;n1,45,100;n2,47,100;n3,0,10;n4,2,30 " +
			"eligible=job,task,place;,j3.m1,n3;j2,,rack2;j2,,n1", "--objective tardiness"},
		{"given times", "nodes", "times=job,task,worker,seconds;j1,j1.m2,n1,5;j3,j3.m2,n2,5;j3,j3.m2,n3,9", ""},
		{"graphs", "nodes", "-unavailable" + graphs, ""},
		{"begun", "graphs", "-fixed now=20 grace=30 state=task,node,start,end,remaining;j1.m1,n1,3,10,;j2.m1,n2,-3,,40;" +
			"j3.m1,n3,-5,,", ""},
		{"machines", "graphs", "-topology -placements -eligible -delays -demands -dependencies machines=1", ""},
	},
}

// columnCell is a value of a document: a number or an object as JSON states it, or else text.
func columnCell(text string) (v any) {
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return v
}

// edit changes a document as a recipe's edits say.
func edit(r *rand.Rand, doc jsonRow, edits string) {
	for _, word := range strings.Fields(edits) {
		word, where, _ := strings.Cut(word, "@")
		key, end, _ := strings.Cut(where, "=")
		name, value, _ := strings.Cut(word, "=")
		table, column, ofColumn := strings.Cut(strings.TrimLeft(name, "-+"), ".")
		about := func(row jsonRow) bool { return where == "" || strings.HasSuffix(row[key].(string), end) }
		head, body, isTable := strings.Cut(value, ";")
		switch {
		case word[0] == '+':
			doc[table] = randomRows(r, doc, table)
		case ofColumn:
			for _, row := range tableOf(doc, table) {
				if about(row) && word[0] == '-' {
					delete(row, column)
				} else if about(row) {
					row[column] = columnCell(value)
				}
			}
		case where != "":
			doc[table] = slices.DeleteFunc(tableOf(doc, table), about)
		case word[0] == '-':
			delete(doc, table)
		case isTable:
			doc[table] = columnRows(head, body)
		default:
			doc[table] = columnCell(value)
		}
	}
}

// columnRows reads a table of an edit; empty cells are absent.
func columnRows(head, body string) []jsonRow {
	rows := []jsonRow{}
	for line := range strings.SplitSeq(body, ";") {
		row := jsonRow{}
		for k, cell := range strings.Split(line, ",") {
			if cell != "" {
				row[strings.Split(head, ",")[k]] = columnCell(cell)
			}
		}
		if len(row) > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// randomRows are rows of a table that only problem realtime reads.
func randomRows(r *rand.Rand, doc jsonRow, table string) (rows []jsonRow) {
	switch table {
	case "history":
		for k := range 40 {
			rows = append(rows, jsonRow{"class": fmt.Sprintf("c%d", k%2+1), "worker": fmt.Sprintf("n%d", k%4+1),
				"kind": []string{"map", "reduce"}[k/4%2], "bytes": 50_000_000 * (1 + r.IntN(9)),
				"cpu": 1 + r.IntN(3), "memory_bytes": 1_000_000_000 * (1 + r.IntN(3)), "seconds": 5 + r.IntN(40)})
		}
	case "times":
		for _, row := range tableOf(doc, "tasks") {
			for _, worker := range []string{"n1", "n2", "n3", "n4", "spare"} {
				rows = append(rows, jsonRow{"job": row["job"], "task": row["id"], "worker": worker, "seconds": 5 + r.IntN(30)})
			}
		}
	default:
		for k := range 27 {
			job := fmt.Sprintf("j%d", k%3+1)
			if table == "keys" {
				rows = append(rows, jsonRow{"job": job, "map": fmt.Sprintf("%s.m%d", job, k/3%2+1), "key": fmt.Sprintf("key%d", k/3),
					"bytes": 10_000_000 * (1 + r.IntN(9))})
			} else if k < 9 {
				rows = append(rows, jsonRow{"job": job, "map": job + ".m1", "partition": fmt.Sprintf("p%d", k/3+1),
					"bytes": 30_000_000 * (1 + r.IntN(9))})
			}
		}
	}
	return rows
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

// columnCases are the cases of a problem.
func columnCases(problem string, r *rand.Rand) (list []columnCase) {
	docs := map[string]jsonRow{}
	for _, x := range columnRecipes[problem] {
		doc := cloned(docs[x.of])
		if x.of == "" {
			doc = randomDocument(problem, r)
		}
		edit(r, doc, x.edits)
		for table, names := range map[string][]string{"topology": {"capacities", "unavailable", "fixed"},
			"tasks": {"demands", "fixed"}} {
			for _, of := range names {
				if len(tableOf(doc, table)) == 0 {
					delete(doc, of)
				}
			}
		}
		docs[x.name] = doc
		list = append(list, columnCase{x.name, strings.Fields(x.flags), doc, "all"})
	}
	return list
}

// randomDocument has rows in all tables that do not exclude each other.
func randomDocument(problem string, r *rand.Rand) jsonRow {
	doc := jsonRow{"format": "mrsched-workload/1", "name": "columns", "problem": problem}
	randomCluster(r, doc, 4)
	randomJobs(r, doc, 3, 2, 4)
	edits := "capacities=node,resource,amount;n1,gpu,2;n2,gpu,1 demands=task,resource,amount;j1.m1,gpu,1;j2.m1,gpu,2 " +
		"dependencies=job,after,delay;j2,j1,5;j3,j1,7 unavailable=node,from,until;n1,5,1000;n2,7,1000 " +
		"fixed=task,node,start;j1.m1,n1,3;j2.m1,n2,-3"
	if problem != "realtime" { // which would refuse two ways to state one thing
		edits += " partitions=job,map,partition,bytes;j1,j1.m1,p,5;j2,j2.m1,p,5 " +
			"keys=job,map,key,bytes;j1,j1.m1,k,5;j2,j2.m1,k,5 times=job,task,worker,seconds;j1,j1.m1,n1,5;j1,j1.m1,n2,5 " +
			"history=class,worker,kind,bytes,cpu,memory_bytes,seconds;c1,n1,map,5,1,5,5"
	}
	if problem != "reduceplace" {
		edits += " slots=id,node,cost;s1,n1,1;s2,n2,2"
	}
	edit(r, doc, edits)
	return doc
}
