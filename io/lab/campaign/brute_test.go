package campaign

import (
	"encoding/json"
	"math/big"
	"os"

	"mrsched/io/result"
	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// This file finds optima of tiny instances by trying everything, from the documents alone. Only the durations of
// problem realtime come from the model, because they rest on floating-point numbers.

// The most tasks for which everything is tried.
const (
	bruteTasks     = 7 // in every order, of one kind of machines
	bruteUnrelated = 5 // in every order, on every slot
)

// micros is a decimal in millionths; 0 if it is absent.
func micros(v any) int64 {
	r := decimal(v)
	if r == nil {
		return 0
	}
	return nearest(r.Mul(r, big.NewRat(1_000_000, 1)))
}

// whole is a whole number; 0 if it is absent.
func whole(v any) int64 {
	r := decimal(v)
	if r == nil {
		return 0
	}
	return floor(r)
}

// perMillion divides a number by a million, factors times.
func perMillion(v *big.Int, factors int) *big.Rat {
	unit := new(big.Int).Exp(big.NewInt(1_000_000), big.NewInt(int64(factors)), nil)
	return new(big.Rat).SetFrac(v, unit)
}

// optimum is the least objective of a tiny instance by brute force; nil if it is too large or the method is unknown.
func (n *numbers) optimum(w string, s *solved) *big.Rat {
	text, err := os.ReadFile(w)
	if err != nil {
		n.t.Fatal(err)
	}
	var d document
	if err := unmarshal(text, &d); err != nil {
		n.t.Fatal(err)
	}
	switch d.Problem {
	case "msjo":
		return bruteMSJO(&d, s.bundle.Result.Parameters["objective"] == "twtct")
	case "hta":
		return bruteHTA(&d)
	case "reduceplace":
		return brutePlacement(&d, s)
	case "realtime":
		x, err := newNaive(d.Problem, &base{instance: w}, files{result.ResultFile: n.stated(s)})
		if err != nil {
			n.t.Fatal(err)
		}
		return bruteRealtime(x.view.(*realtime.Instance))
	case "multitenant":
		return bruteMultitenant(&d)
	case "cluster":
		return newNaiveCluster(&d, s.bundle.Result.Parameters).optimum()
	}
	return nil
}

func (n *numbers) stated(s *solved) []byte {
	text, err := json.Marshal(s.bundle.Result)
	if err != nil {
		n.t.Fatal(err)
	}
	return text
}

// jobsOf numbers jobs and lists each one's tasks.
func (d *document) jobsOf() (of map[string]int, tasks [][]int) {
	of, tasks = map[string]int{}, make([][]int, len(d.Jobs))
	for j, row := range d.Jobs {
		of[row["id"].(string)] = j
	}
	for u, row := range d.Tasks {
		j := of[row["job"].(string)]
		tasks[j] = append(tasks[j], u)
	}
	return of, tasks
}

func bruteMSJO(d *document, byTask bool) *big.Rat {
	if len(d.Tasks) > bruteTasks {
		return nil
	}
	n := newNaiveMSJO(d, solver.Params{})
	n.byTask = byTask
	x := &search{tasks: len(d.Tasks), machines: min(len(n.machines), len(d.Tasks)), alike: true,
		before: make([][]arc, len(d.Tasks)), release: make([]int64, len(d.Tasks))}
	for u, t := range n.tasks() {
		x.release[u] = n.release(t.id)
	}
	for _, a := range n.arcs {
		v := n.row[a.to]
		x.before[v] = append(x.before[v], arc{n.row[a.from], a.delay})
	}
	x.length = func(u, _ int) int64 { return micros(d.Tasks[u]["processing_time"]) }
	x.cost = n.cost
	return perMillion(x.run(), 2)
}

func bruteHTA(d *document) *big.Rat {
	n := newNaiveHTA(d)
	best := int64(-1)
	at := make([]string, len(n.list))
	var try func(t int)
	try = func(t int) {
		if t < len(at) {
			for _, at[t] = range n.servers {
				try(t + 1)
			}
			return
		}
		away, most, load := 0, int64(0), map[string]int64{}
		for t, s := range at {
			if n.locality(n.list[t].id, s) != "node" {
				away++
			}
		}
		for t, s := range at {
			load[s] += n.length(n.locality(n.list[t].id, s), away)
			most = max(most, load[s])
		}
		if best < 0 || most < best {
			best = most
		}
	}
	try(0)
	return perMillion(big.NewInt(best), 1)
}

// brutePlacement tries all slots for each job. When jobs hold their slots follows from the workload, so any schedule
// shows it.
func brutePlacement(d *document, s *solved) *big.Rat {
	type span struct{ from, until model.Time }
	held := map[string]span{}
	for some := range s.bundle.Rows {
		for _, r := range some {
			held[r.Job] = span{r.Start, r.End}
		}
	}
	costs := make([]*big.Int, len(d.Slots))
	for k := range d.Slots {
		costs[k] = big.NewInt(micros(d.Slots[k]["cost"]))
	}
	choice := make([]int, len(d.Jobs)) // a set of slots
	var best *big.Rat
	var try func(j int, sum *big.Rat)
	try = func(j int, sum *big.Rat) {
		if j == len(d.Jobs) {
			if best == nil || sum.Cmp(best) < 0 {
				best = sum
			}
			return
		}
		row := d.Jobs[j]
		n, own := int(whole(row["reduces"])), held[row["id"].(string)]
		instant := own.from == own.until // then reduces may share a slot that idles at that moment
		for set := range 1 << len(d.Slots) {
			price, size, free := new(big.Int), 0, true
			for k := range d.Slots {
				if set>>k&1 == 1 {
					price.Add(price, costs[k])
					size++
				}
			}
			for i := range j {
				other := held[d.Jobs[i]["id"].(string)]
				free = free && (choice[i]&set == 0 || own.from >= other.until || other.from >= own.until)
			}
			if size != n && !instant || instant && size != 1 || !free {
				continue
			}
			choice[j] = set
			price.Mul(price, big.NewInt(whole(row["intermediate_bytes"])))
			each := new(big.Rat).SetFrac(price, big.NewInt(int64(size)*1_000_000))
			try(j+1, each.Add(each, sum))
		}
	}
	try(0, new(big.Rat))
	return best
}
