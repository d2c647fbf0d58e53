package campaign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"mrsched/model"
	"mrsched/solver"
)

// naivePlacement is a workload as problem reduceplace: which reduce slots a job gets.
type naivePlacement struct {
	doc   *document
	list  []naiveTask
	jobOf map[string]*placedJob // by task
	bytes map[string]*big.Rat   // by task
	slot  map[string]placedSlot
}

// placedJob is a job with the time in which it holds its slots.
type placedJob struct {
	id              string
	arrival         int64
	reduces         int64
	work            int64
	start, end      int64
	maps, reduceIDs []row
	until           *big.Rat // the service with which its work is done
}

type placedSlot struct {
	node string
	cost int64 // millionths
}

func newNaivePlacement(d *document, p solver.Params) *naivePlacement {
	x := &naivePlacement{doc: d, jobOf: map[string]*placedJob{}, bytes: map[string]*big.Rat{},
		slot: map[string]placedSlot{}}
	x.slots(p)
	of, tasks := d.jobsOf()
	jobs := make([]*placedJob, len(d.Jobs))
	for _, cells := range d.Jobs {
		j := &placedJob{id: text(cells["id"]), arrival: micros(cells["release"]), reduces: whole(cells["reduces"])}
		jobs[of[j.id]] = j
		for _, u := range tasks[of[j.id]] {
			if t := d.Tasks[u]; t["kind"] == "map" {
				j.maps = append(j.maps, t)
			} else {
				j.reduceIDs = append(j.reduceIDs, t)
			}
		}
		if len(j.reduceIDs) > 0 {
			j.reduces = int64(len(j.reduceIDs))
		}
		j.work = x.work(cells, j)
		x.data(cells, j)
	}
	running, _ := p["max-running-jobs"].(int64)
	if running == 0 {
		running = whole(d.Running)
	}
	x.run(jobs, running)
	return x
}

// slots reads the slots and their costs: those of the table, or those that follow from the node.
func (x *naivePlacement) slots(p solver.Params) {
	d := x.doc
	way, _ := p["slot-cost"].(string)
	if way == "auto" && len(d.Slots) > 0 {
		way = "given"
	}
	for _, s := range d.Slots {
		x.slot[text(s["id"])] = placedSlot{text(s["node"]), micros(s["cost"])}
	}
	for _, n := range d.Topology {
		count := whole(n["reduce_slots"])
		for k := range count {
			name := text(n["id"])
			if count > 1 {
				name = fmt.Sprintf("%s/%d", name, k+1)
			}
			if len(d.Slots) == 0 && n["kind"] == "node" {
				x.slot[name] = placedSlot{node: text(n["id"])}
			}
		}
	}
	var heights []int64 // what a height counts
	if list, _ := p["distances"].(string); list != "" {
		for _, one := range strings.Split(list, ",") {
			heights = append(heights, micros(json.Number(one)))
		}
	}
	for name, s := range x.slot {
		switch way {
		case "given":
			continue
		case "measured":
			s.cost = x.measured(s.node)
		default:
			s.cost = x.distance(s.node, heights, way == "data")
		}
		x.slot[name] = s
	}
}

// distance is the sum, over the other nodes, of the height at which they meet a node in the tree, in millionths; or the
// mean of these weighted by the bytes that maps output there, rounded down.
func (x *naivePlacement) distance(node string, heights []int64, weighted bool) int64 {
	path := func(id string) (up []string) { // the node and what is above it
		for id != "" {
			up = append(up, id)
			k := slices.IndexFunc(x.doc.Topology, func(n row) bool { return n["id"] == id })
			id = text(x.doc.Topology[k]["parent"])
		}
		return up
	}
	height := map[string]int{} // the longest way down
	for _, n := range x.doc.Topology {
		for k, up := range path(text(n["id"])) {
			height[up] = max(height[up], k)
		}
	}
	put := map[string]int64{}
	for _, t := range x.doc.Tasks {
		if t["kind"] == "map" {
			put[text(t["recorded_node"])] += whole(t["output_bytes"])
		}
	}
	sum, all := new(big.Rat), new(big.Rat)
	for _, n := range x.doc.Topology {
		weight := int64(1)
		if weighted {
			weight = put[text(n["id"])]
		}
		if n["kind"] != "node" {
			continue
		}
		all.Add(all, rat(weight))
		above := path(text(n["id"]))
		k := slices.IndexFunc(path(node), func(up string) bool { return slices.Contains(above, up) })
		h := height[path(node)[k]]
		apart := int64(h) * 1_000_000
		if len(heights) > 0 && h > 0 {
			apart = heights[h-1]
		}
		sum.Add(sum, new(big.Rat).Mul(rat(weight), rat(apart)))
	}
	if weighted {
		sum.Quo(sum, all)
	}
	return floor(sum)
}

// measured is the mean time of the reduces that ran on a node over the mean of all, in millionths; 1 where none ran.
func (x *naivePlacement) measured(node string) int64 {
	time, count := map[bool]int64{}, map[bool]int64{} // there; anywhere
	for _, t := range x.doc.Tasks {
		if t["kind"] != "reduce" || text(t["recorded_node"]) == "" || t["processing_time"] == nil {
			continue
		}
		p := micros(t["processing_time"])
		time[false], count[false] = time[false]+p, count[false]+1
		if text(t["recorded_node"]) == node {
			time[true], count[true] = time[true]+p, count[true]+1
		}
	}
	if count[true] == 0 {
		return 1_000_000
	}
	share := new(big.Rat).Quo(big.NewRat(time[true], count[true]), big.NewRat(time[false], count[false]))
	return floor(share.Mul(share, rat(1_000_000)))
}

// work is the map work of a job.
func (x *naivePlacement) work(cells row, j *placedJob) int64 {
	if v, ok := cells["map_work"]; ok {
		return micros(v)
	}
	slots, all, longest := int64(0), int64(0), int64(0)
	for _, n := range x.doc.Topology {
		slots += whole(n["map_slots"])
	}
	for _, t := range j.maps {
		p := micros(t["processing_time"])
		all, longest = all+p, max(longest, p)
	}
	return max(longest, ceil(big.NewRat(all, max(1, slots))))
}

// data is how much each reduce of a job fetches.
func (x *naivePlacement) data(cells row, j *placedJob) {
	own, read, out, outKnown := int64(0), int64(0), int64(0), len(j.maps) > 0
	each := len(j.reduceIDs) > 0 // reduce has bytes of its own
	for _, t := range j.reduceIDs {
		_, ok := t["input_bytes"]
		each, own = each && ok, own+whole(t["input_bytes"])
	}
	for _, t := range j.maps {
		_, ok := t["output_bytes"]
		outKnown, out, read = outKnown && ok, out+whole(t["output_bytes"]), read+whole(t["input_bytes"])
	}
	all, stated := cells["intermediate_bytes"]
	total := new(big.Rat)
	switch {
	case stated:
		total.SetInt64(whole(all))
	case outKnown:
		total.SetInt64(out)
	case cells["shuffle_ratio"] != nil:
		total.SetInt64(nearest(total.Mul(decimal(cells["shuffle_ratio"]), rat(read))))
	}
	for k := range j.reduces {
		id := fmt.Sprintf("%s.r%d", j.id, k+1)
		bytes := new(big.Rat).Quo(total, rat(j.reduces))
		if len(j.reduceIDs) > 0 {
			id = text(j.reduceIDs[k]["id"])
		}
		if each && (own > 0 || !stated) {
			bytes = rat(whole(j.reduceIDs[k]["input_bytes"]))
		}
		x.list = append(x.list, naiveTask{id, j.id, "reduce"})
		x.jobOf[id], x.bytes[id] = j, bytes
	}
}

// run computes when jobs hold their slots: in the order of arrival, at most this many at a time, each with an equal
// share of the map capacity.
func (x *naivePlacement) run(jobs []*placedJob, most int64) {
	waiting := slices.Clone(jobs)
	slices.SortStableFunc(waiting, func(a, b *placedJob) int { return cmp.Compare(a.arrival, b.arrival) })
	var running []*placedJob
	now, free := int64(0), int64(len(x.slot))
	service := new(big.Rat) // microseconds that a job has had that has been running since the beginning
	for len(waiting)+len(running) > 0 {
		for len(waiting) > 0 && (most == 0 || int64(len(running)) < most) {
			j := waiting[0]
			if j.arrival > now || j.reduces > free {
				break
			}
			j.start, j.until = now, new(big.Rat).Add(service, rat(j.work))
			waiting, running, free = waiting[1:], append(running, j), free-j.reduces
		}
		share := rat(int64(len(running)))
		arrival := int64(-1) // the next one
		for _, j := range waiting {
			if j.arrival > now && (arrival < 0 || j.arrival < arrival) {
				arrival = j.arrival
			}
		}
		if len(running) == 0 {
			now = arrival
			continue
		}
		first := slices.MinFunc(running, func(a, b *placedJob) int { return a.until.Cmp(b.until) })
		left := new(big.Rat).Sub(first.until, service)
		if end := now + ceil(left.Mul(left, share)); arrival < 0 || end <= arrival {
			now = end
			service.Set(first.until)
		} else { // in parts of 2⁻³² microseconds, rounded up
			parts := roundUp(new(big.Rat).Quo(new(big.Rat).Mul(rat(arrival-now), rat(1<<32)), share))
			service.Add(service, parts.Mul(parts, big.NewRat(1, 1<<32)))
			now = arrival
		}
		running = slices.DeleteFunc(running, func(j *placedJob) bool {
			if j.until.Cmp(service) > 0 {
				return false
			}
			j.end = now
			free += j.reduces
			return true
		})
	}
}

func (x *naivePlacement) tasks() []naiveTask { return x.list }

func (x *naivePlacement) machine(name string) bool { _, ok := x.slot[name]; return ok }

// price is the cost of a row.
func (x *naivePlacement) price(e *entry) *big.Rat {
	return new(big.Rat).Mul(perMillion(big.NewInt(x.slot[e.machine].cost), 1), x.bytes[e.task])
}

func (x *naivePlacement) columns(e *entry) []string {
	s := x.slot[e.machine]
	return []string{s.node, inSeconds(x.jobOf[e.task].arrival), inSeconds(s.cost), string(model.LowerNumber(x.price(e)))}
}

func (x *naivePlacement) takes(e *entry) int64 { return e.until - e.from }

func (x *naivePlacement) check(v *verdict) {
	v.once(x.list)
	v.apart()
	for _, e := range v.rows {
		if j := x.jobOf[e.task]; e.from != j.start || e.until != j.end {
			v.breaks(model.CodeHolding, "%s holds from %d to %d, not %d to %d", e.task, e.from, e.until, j.start, j.end)
		}
	}
}

func (x *naivePlacement) objective(rows []entry) *big.Rat {
	sum := new(big.Rat)
	for _, e := range rows {
		sum.Add(sum, x.price(&e))
	}
	return sum
}
