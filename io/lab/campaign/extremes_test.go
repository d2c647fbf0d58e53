package campaign

import (
	"cmp"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/workload"
	"mrsched/model"
)

type pool []string

// regime is where the numbers of an instance come from: they may be all equal, or span many orders of magnitude.
type regime struct {
	name                                                  string
	times, releases, weights, bytes, costs, rates, speeds pool
}

// regimes are everyday magnitudes down to the last digit, and extreme numbers. Times of the last cannot be stored.
var regimes = []regime{
	{name: "small", times: pool{"1", "2", "3", "5", "8"}, releases: pool{"0", "1", "6"}, weights: pool{"1", "2", "3", "5"},
		bytes: pool{"1", "2", "3", "7", "10"}, costs: pool{"1", "2", "3"}, rates: pool{"1", "2"}, speeds: pool{"1", "2"}},
	{name: "a microsecond more", times: pool{"3", "3.000001", "3.000003", "6.000001"},
		releases: pool{"0", "0.000001", "3"}, weights: pool{"1", "1.000001", "0.999999"},
		bytes: pool{"1000003", "999983", "1000000"}, costs: pool{"1", "1.000001"}, rates: pool{"1000000", "999983"},
		speeds: pool{"1", "1.000001"}},
	{name: "days and primes", times: pool{"604800.000001", "304800.000003", "4800.5", "86399.999983"},
		releases: pool{"0", "5", "86400.000007"}, weights: pool{"10.333333", "20.5", "3.000001", "1000000.000001"},
		bytes: pool{"2147483647", "1000000007", "6700417"}, costs: pool{"10.333333", "3.000001", "7.000003"},
		rates: pool{"104729.7", "1299709"}, speeds: pool{"0.7", "1.3"}},
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

// of is the pool for the numbers of a key; nil: they stay as they are.
func (g regime) of(key string) pool {
	switch key {
	case "processing_time", "shuffle_delay", "delay", "map_work", "task_overhead", "seconds", "deadline", "from":
		return g.times
	case "release", "start":
		return g.releases
	case "weight":
		return g.weights
	case "bytes", "input_bytes", "output_bytes", "intermediate_bytes", "memory_bytes":
		return g.bytes
	case "cost", "cpu", "amount":
		return g.costs
	case "bandwidth_bytes_per_s", "map_bytes_per_s", "reduce_bytes_per_s":
		return g.rates
	case "speed":
		return g.speeds
	case "machines":
		return pool{"1", "2", "3", "1000", "10000000"}
	case "map_slots", "reduce_slots":
		return pool{"1", "1", "2"}
	}
	return nil
}

// extremes makes a random tiny instance of a problem whose numbers come from a regime.
func extremes(t *testing.T, problem string, r *rand.Rand, g regime) *node {
	t.Helper()
	d := tiny(t, problem, r)
	if problem == "hta" && d.get("cost", "remote").kind == 0 && r.IntN(2) == 0 {
		secondRack(d, r)
	}
	var costs []*node     // of hta, in the order in which they may not fall
	from := model.Time(0) // of the row that is being changed
	d.leaves("", func(path string, leaf *node) {
		key := path[strings.LastIndexByte(path, '.')+1:]
		switch {
		case path == ".cost.rack":
			costs = slices.Insert(costs, 1, leaf)
		case strings.HasPrefix(path, ".cost."):
			costs = append(costs, leaf)
		case key == "until":
			leaf.text = (from + max(1, micros(pick(r, g.times...)))).String()
		case leaf.isNumber() && g.of(key) != nil && (problem != "hta" || key == "map_slots"):
			leaf.text = pick(r, g.of(key)...)
			from = micros(leaf.text)
		}
	})
	var values pool
	for range costs {
		values = append(values, pick(r, g.times...))
	}
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(micros(a), micros(b)) })
	for k, leaf := range costs {
		leaf.text = values[k]
	}
	return d
}

// micros is a time; 0 if the text is none.
func micros(text string) model.Time {
	t, _ := model.ParseTime(text)
	return t
}

// tiny is a small random instance of a problem, for which everything can be tried.
func tiny(t *testing.T, problem string, r *rand.Rand) *node {
	t.Helper()
	p, err := engine.FindProblem(problem, nil)
	noError(t, err)
	most := map[string]int{"multitenant": 4, "realtime": 4, "hta": 5, "msjo": 6, "cluster": 6}[problem]
	for {
		w, err := p.Small.Generate(r, r.IntN(8))
		if err != nil || len(w.Tasks) > most || len(w.Jobs) > 5 {
			continue // some draws have no solution
		}
		path := filepath.Join(t.TempDir(), "w.json")
		noError(t, workload.Write(path, w, true, io.Discard))
		text, err := os.ReadFile(path)
		noError(t, err)
		return parse(text)
	}
}

// secondRack gives an instance of hta another rack with about half of the servers.
func secondRack(d *node, r *rand.Rand) {
	nodes := d.get("topology")
	for _, x := range nodes.kids {
		if x.get("map_slots") != nil && r.IntN(2) == 0 {
			x.set("parent", `"rack2"`)
		}
	}
	nodes.kids = slices.Insert(nodes.kids, 1, parse([]byte(`{"id":"rack2","parent":"root","kind":"rack"}`)))
	d.get("cost").set("rack", "1")
}
