package campaign

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
)

type row map[string]any

// document is a workload with extreme numbers.
type document struct {
	Format   string       `json:"format"`
	Problem  string       `json:"problem"`
	Machines *json.Number `json:"machines,omitempty"`
	Cost     row          `json:"cost,omitempty"`
	Running  *json.Number `json:"max_running_jobs,omitempty"`
	Jobs     []row        `json:"jobs"`
	Topology []row        `json:"topology,omitempty"`
	Slots    []row        `json:"slots,omitempty"`
	Tasks    []row        `json:"tasks,omitempty"`
	Delays   []row        `json:"delays,omitempty"`
	Places   []row        `json:"placements,omitempty"`
	Parts    []row        `json:"partitions,omitempty"`
	Keys     []row        `json:"keys,omitempty"`
	Times    []row        `json:"times,omitempty"`
	Amounts  []row        `json:"capacities,omitempty"`
	Demands  []row        `json:"demands,omitempty"`
	Waits    []row        `json:"dependencies,omitempty"`
	Eligible []row        `json:"eligible,omitempty"`
	Away     []row        `json:"unavailable,omitempty"`
	Fixed    []row        `json:"fixed,omitempty"`
}

func number(text string) *json.Number {
	n := json.Number(text)
	return &n
}

// pool holds the numbers of one kind to draw from.
type pool []string

// regime is where the numbers of an instance come from: they may be all equal, or span many orders of magnitude.
type regime struct {
	name                                                  string
	times, releases, weights, bytes, costs, rates, speeds pool
}

// regimes are the kinds of extreme instances. The times of the last are too large to be stored.
var regimes = []regime{
	{name: "12 orders", times: pool{"0.000001", "0.001", "1", "1000", "1000000"},
		releases: pool{"0", "0.000001", "1000000"}, weights: pool{"0", "0.000001", "1", "1000000"},
		bytes: pool{"1", "1000", "1000000000000"}, costs: pool{"0.000001", "1", "1000000"},
		rates: pool{"0.001", "1", "1000000000"}, speeds: pool{"0.001", "1", "1000"}},
	{name: "weights 0 and 1e12", times: pool{"1", "2", "3.5"}, releases: pool{"0", "1"},
		weights: pool{"0", "1000000000000"}, bytes: pool{"0", "1152921504606846976"},
		costs: pool{"0", "1000000000000"}, rates: pool{"1000000000000000000"}, speeds: pool{"1"}},
	{name: "equal", times: pool{"7"}, releases: pool{"0"}, weights: pool{"1"}, bytes: pool{"1000"}, costs: pool{"3"},
		rates: pool{"1000"}, speeds: pool{"1"}},
	{name: "a microsecond", times: pool{"0.000001"}, releases: pool{"0", "0.000001"}, weights: pool{"0.000001", "1"},
		bytes: pool{"0", "1"}, costs: pool{"0.000001"}, rates: pool{"1000000"}, speeds: pool{"1", "3"}},
	{name: "nothing", times: pool{"0"}, releases: pool{"0"}, weights: pool{"0", "1"}, bytes: pool{"0"}, costs: pool{"0"},
		rates: pool{"1"}, speeds: pool{"1"}},
	{name: "some nothing", times: pool{"0", "0", "1", "0.000001"}, releases: pool{"0", "1"}, weights: pool{"0", "1"},
		bytes: pool{"0", "5"}, costs: pool{"0", "1"}, rates: pool{"2"}, speeds: pool{"0.5", "1"}},
	{name: "releases far apart", times: pool{"0.5", "1"}, releases: pool{"0", "1000000", "1000000000", "100000000000"},
		weights: pool{"1", "2"}, bytes: pool{"10", "20"}, costs: pool{"1", "2"}, rates: pool{"10"}, speeds: pool{"1"}},
	{name: "long", times: pool{"1", "10000000000", "123456789012.345678"}, releases: pool{"0", "1000000000"},
		weights: pool{"1", "9000000000000"}, bytes: pool{"1", "1152921504606846976"},
		costs: pool{"1", "9000000000000"}, rates: pool{"0.0000001", "1e15"}, speeds: pool{"1"}},
	{name: "odd digits", times: pool{"0.333333", "1.000001", "999999.999999", "3.141592"}, releases: pool{"0", "0.999999"},
		weights: pool{"0.333333", "2.718281"}, bytes: pool{"1", "7", "1000003"},
		costs: pool{"0.333333", "1.000001"}, rates: pool{"0.3", "7.7"}, speeds: pool{"0.3", "1.7"}},
	{name: "beyond", times: pool{"1", "4000000000000"}, releases: pool{"0", "1000000000000"},
		weights: pool{"1", "9200000000000"}, bytes: pool{"1", "9223372036854775807"},
		costs: pool{"1", "9200000000000"}, rates: pool{"1e-9", "1e-300", "1e300"},
		speeds: pool{"0.000001", "1e-300", "1e300"}},
}

type source struct {
	*rand.Rand
	regime
}

func (s source) from(p pool) json.Number { return json.Number(p[s.IntN(len(p))]) }

func (s source) some(most int) int { return 1 + s.IntN(most) }

func (s source) one(of int) bool { return s.IntN(of) == 0 }

func (s source) count(most int) *json.Number { return number(strconv.Itoa(s.some(most))) }

func id(kind string, k ...int) string {
	text := kind
	for _, i := range k {
		text += fmt.Sprintf("%d_", i)
	}
	return text
}

// extremes makes a random tiny instance of a problem.
func extremes(problem string, r *rand.Rand, g regime) *document {
	s := source{r, g}
	d := &document{Format: "mrsched-workload/1", Problem: problem}
	map[string]func(source, *document){"msjo": extremeMSJO, "hta": extremeHTA, "reduceplace": extremePlacement,
		"realtime": extremeRealtime, "multitenant": extremeMultitenant, "cluster": extremeCluster}[problem](s, d)
	return d
}

// extremeMSJO has one machine, few machines, or more machines than tasks; jobs with both kinds of tasks, or a graph of
// stages.
func extremeMSJO(s source, d *document) {
	d.Machines = number([]string{"1", "2", "3", "1000", "10000000"}[s.IntN(5)])
	for j := range s.some(3) {
		d.Jobs = append(d.Jobs, row{"id": id("j", j), "release": s.from(s.releases), "weight": s.from(s.weights)})
		maps, n := s.IntN(3), s.some(3)
		for u := range n {
			t := row{"id": id("t", j, u), "job": id("j", j), "kind": "reduce", "processing_time": s.from(s.times)}
			if u < maps {
				t["kind"] = "map"
				if s.one(2) {
					t["shuffle_delay"] = s.from(s.times)
				}
			}
			if s.one(4) {
				t["release"] = s.from(s.releases)
			}
			if s.one(4) {
				t["weight"] = s.from(s.weights)
			}
			d.Tasks = append(d.Tasks, t)
			if u > 0 && maps == 2 && n == 3 {
				d.Delays = append(d.Delays, row{"from": id("t", j, u-1), "to": id("t", j, u), "delay": s.from(s.times)})
			}
		}
	}
}

// extremeHTA has servers with blocks, and all forms of cost.
func extremeHTA(s source, d *document) {
	servers, racks := s.some(4), s.some(2)
	d.Topology = []row{{"id": "root", "kind": "root"}}
	for k := range racks {
		d.Topology = append(d.Topology, row{"id": id("rack", k), "kind": "rack", "parent": "root"})
	}
	for k := range servers {
		n := row{"id": id("n", k), "kind": "node", "parent": id("rack", k%racks), "map_slots": s.count(2)}
		if k > 0 && s.one(4) {
			n["map_slots"] = number("0")
		}
		d.Topology = append(d.Topology, n)
	}
	local, more := s.from(s.times), s.from(s.times)
	if a, _ := local.Float64(); true {
		if b, _ := more.Float64(); b < a {
			local, more = more, local
		}
	}
	switch d.Cost = (row{"local": local, "remote": more}); s.IntN(5) {
	case 0:
		d.Cost["remote"] = row{"base": more, "per_remote": s.from(s.times)}
	case 1:
		d.Cost["remote"] = []any{more, more, more}
	case 2:
		d.Cost["rack"] = local
	case 3:
		d.Cost["rack"] = more
	}
	d.Jobs = []row{{"id": "j"}}
	for t := range s.some(6) {
		d.Tasks = append(d.Tasks, row{"id": id("t", t), "job": "j", "kind": "map", "block": id("b", t)})
		for _, k := range s.Perm(servers)[:min(servers, s.some(2))] {
			d.Places = append(d.Places, row{"block": id("b", t), "node": id("n", k)})
		}
	}
}

// extremePlacement has slots of all costs and jobs of all sizes.
func extremePlacement(s source, d *document) {
	slots := s.some(4)
	for k := range slots {
		d.Slots = append(d.Slots, row{"id": id("s", k), "cost": s.from(s.costs)})
	}
	if s.one(2) {
		d.Running = s.count(3)
	}
	for j := range s.some(5) {
		d.Jobs = append(d.Jobs, row{"id": id("j", j), "release": s.from(s.releases), "reduces": s.count(slots),
			"intermediate_bytes": s.from(s.bytes), "map_work": s.from(s.times)})
	}
}

// extremeRealtime has unequal workers, maps and partitions, with or without deadlines.
func extremeRealtime(s source, d *document) {
	workers := s.some(3)
	d.Topology = []row{{"id": "root", "kind": "root"}}
	for k := range workers {
		d.Topology = append(d.Topology, row{"id": id("w", k), "kind": "node", "parent": "root", "map_slots": s.count(1),
			"reduce_slots": s.count(2), "speed": s.from(s.speeds)})
	}
	due := s.one(2)
	for j := range s.some(2) {
		job := row{"id": id("j", j), "release": s.from(s.releases), "reduces": s.count(3), "task_overhead": s.from(s.times),
			"reduce_bytes_per_s": s.from(s.rates), "map_bytes_per_s": s.from(s.rates)}
		if due && (j == 0 || s.one(2)) {
			job["deadline"] = s.from(s.times)
		}
		d.Jobs = append(d.Jobs, job)
		for m := range s.IntN(3) {
			t := row{"id": id("m", j, m), "job": id("j", j), "kind": "map", "input_bytes": s.from(s.bytes)}
			if s.one(2) {
				t["processing_time"] = s.from(s.times)
			}
			if s.one(3) {
				t["shuffle_delay"] = s.from(s.times)
			}
			d.Tasks = append(d.Tasks, t)
		}
		for p := range s.some(3) {
			d.Parts = append(d.Parts, row{"job": id("j", j), "partition": id("p", p), "bytes": s.from(s.bytes)})
			if s.one(4) {
				d.Times = append(d.Times, row{"job": id("j", j), "task": id("p", p), "worker": id("w", s.IntN(workers)),
					"seconds": s.from(s.times)})
			}
		}
	}
}

// extremeMultitenant has racks with links of all widths.
func extremeMultitenant(s source, d *document) {
	d.Topology = []row{{"id": "root", "kind": "root"}}
	nodes := 0
	for k := range s.some(3) {
		rack := row{"id": id("rack", k), "kind": "rack", "parent": "root"}
		if !s.one(3) {
			rack["bandwidth_bytes_per_s"] = s.from(s.rates)
		}
		d.Topology = append(d.Topology, rack)
		for range s.some(2) {
			n := row{"id": id("n", nodes), "kind": "node", "parent": id("rack", k), "map_slots": s.count(2),
				"reduce_slots": s.count(2), "speed": s.from(s.speeds)}
			if !s.one(3) {
				n["bandwidth_bytes_per_s"] = s.from(s.rates)
			}
			d.Topology = append(d.Topology, n)
			nodes++
		}
	}
	for j := range s.some(3) {
		d.Jobs = append(d.Jobs, row{"id": id("j", j), "release": s.from(s.releases), "tenant": id("u", s.IntN(2)),
			"reduces": number(strconv.Itoa(s.IntN(3))), "task_overhead": s.from(s.times), "intermediate_bytes": s.from(s.bytes)})
		for m := range s.some(3) {
			t := row{"id": id("m", j, m), "job": id("j", j), "kind": "map", "processing_time": s.from(s.times),
				"input_bytes": s.from(s.bytes)}
			if s.one(4) {
				t["release"] = s.from(s.releases)
			}
			if s.one(2) {
				t["block"] = id("b", j, m)
				d.Places = append(d.Places, row{"block": id("b", j, m), "node": id("n", s.IntN(nodes))})
			}
			d.Tasks = append(d.Tasks, t)
		}
	}
}
