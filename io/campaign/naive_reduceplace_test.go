package campaign

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

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
	left            *big.Rat // of the work
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

// slots reads the slots and what they cost.
func (x *naivePlacement) slots(p solver.Params) {
	d := x.doc
	for _, s := range d.Slots {
		x.slot[text(s["id"])] = placedSlot{text(s["node"]), micros(s["cost"])}
	}
	way, _ := p["slot-cost"].(string)
	if distances, _ := p["distances"].(string); distances != "" || way != "auto" && way != "given" && way != "hops" {
		panic(fmt.Sprintf("naive evaluation knows no slot cost %q with distances %q", way, distances))
	}
	if len(d.Slots) > 0 && way != "hops" {
		return
	}
	nodes := map[string]string{} // by slot
	for id, s := range x.slot {
		nodes[id] = s.node
	}
	for _, n := range d.Topology {
		id, count := text(n["id"]), whole(n["reduce_slots"])
		for k := range count {
			name := id
			if count > 1 {
				name = fmt.Sprintf("%s/%d", id, k+1)
			}
			if len(d.Slots) == 0 && n["kind"] == "node" {
				nodes[name] = id
			}
		}
	}
	for id, node := range nodes {
		x.slot[id] = placedSlot{node, x.hops(node) * 1_000_000}
	}
}

// hops is the sum, over all other nodes, of the height at which the two meet in the tree.
func (x *naivePlacement) hops(node string) (sum int64) {
	path := func(id string) (up []string) { // the node and what is above it
		for id != "" {
			up = append(up, id)
			k := slices.IndexFunc(x.doc.Topology, func(n row) bool { return n["id"] == id })
			id = text(x.doc.Topology[k]["parent"])
		}
		return up
	}
	height := map[string]int64{} // the longest way down to a node
	for _, n := range x.doc.Topology {
		for k, up := range path(text(n["id"])) {
			height[up] = max(height[up], int64(k))
		}
	}
	for _, n := range x.doc.Topology {
		if n["kind"] != "node" || n["id"] == node {
			continue
		}
		above := path(text(n["id"]))
		for _, up := range path(node) {
			if slices.Contains(above, up) {
				sum += height[up]
				break
			}
		}
	}
	return sum
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

// data is what each reduce of a job fetches.
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

// run tells when jobs hold their slots: in the order of arrival, so many of them at a time, each with an equal share of
// the map capacity.
func (x *naivePlacement) run(jobs []*placedJob, most int64) {
	waiting := slices.Clone(jobs)
	slices.SortStableFunc(waiting, func(a, b *placedJob) int { return cmp.Compare(a.arrival, b.arrival) })
	var running []*placedJob
	now, free := int64(0), int64(len(x.slot))
	for len(waiting)+len(running) > 0 {
		for len(waiting) > 0 && (most == 0 || int64(len(running)) < most) {
			j := waiting[0]
			if j.arrival > now || j.reduces > free {
				break
			}
			j.start, j.left = now, rat(j.work)
			waiting, running, free = waiting[1:], append(running, j), free-j.reduces
		}
		share := rat(int64(len(running)))
		var least *placedJob
		for _, j := range running {
			if least == nil || j.left.Cmp(least.left) < 0 {
				least = j
			}
		}
		arrival := int64(-1) // the next one
		for _, j := range waiting {
			if j.arrival > now && (arrival < 0 || j.arrival < arrival) {
				arrival = j.arrival
			}
		}
		done := new(big.Rat) // by each running job
		switch {
		case least == nil:
			now = arrival
			continue
		case arrival < 0 || now+ceil(new(big.Rat).Mul(least.left, share)) <= arrival:
			now += ceil(new(big.Rat).Mul(least.left, share)) // what rounding takes is lost for all
			done.Set(least.left)
		default:
			done.Quo(rat(arrival-now), share)
			now = arrival
		}
		running = slices.DeleteFunc(running, func(j *placedJob) bool {
			if j.left.Sub(j.left, done); j.left.Sign() > 0 {
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

// price is what a row costs.
func (x *naivePlacement) price(e *entry) *big.Rat {
	return new(big.Rat).Mul(perMillion(big.NewInt(x.slot[e.machine].cost), 1), x.bytes[e.task])
}

func (x *naivePlacement) columns(e *entry) []string {
	s := x.slot[e.machine]
	return []string{s.node, inSeconds(x.jobOf[e.task].arrival), inSeconds(s.cost), string(model.LowerNumber(x.price(e)))}
}

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
