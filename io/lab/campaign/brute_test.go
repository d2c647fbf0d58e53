package campaign

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"

	"mrsched/io/result"
)

// This file finds optima of tiny instances by trying everything, on the instances as the naive evaluation sees them.

// The most tasks for which everything is tried.
const (
	bruteTasks     = 7 // in every order, of one kind of machines
	bruteUnrelated = 5 // in every order, on every slot
	bruteSlots     = 8
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
	stated, err := json.Marshal(s.bundle.Result)
	if err != nil {
		n.t.Fatal(err)
	}
	x, err := newNaive(n.problem, &base{instance: w}, files{result.ResultFile: stated})
	if err != nil {
		n.t.Fatal(err)
	}
	return x.problemOf().optimum()
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

func (x *naiveMSJO) optimum() *big.Rat {
	if len(x.doc.Tasks) > bruteTasks {
		return nil
	}
	s := &search{machines: min(len(x.machines), len(x.doc.Tasks)), alike: true, cost: x.objective}
	for _, t := range x.tasks() {
		u := searchTask{id: t.id, release: x.release(t.id)}
		u.length = func(int) int64 { return x.takes(&entry{task: t.id}) }
		for _, a := range x.arcs {
			if a.to == t.id {
				u.before = append(u.before, a)
			}
		}
		s.tasks = append(s.tasks, u)
	}
	return s.run()
}

func (x *naiveHTA) optimum() (best *big.Rat) {
	rows := make([]entry, len(x.list))
	var try func(t int)
	try = func(t int) {
		if t < len(rows) {
			for _, server := range x.servers {
				rows[t] = entry{task: x.list[t].id, machine: server}
				try(t + 1)
			}
			return
		}
		away, end := x.away(rows), map[string]int64{}
		for k := range rows {
			e := &rows[k]
			end[e.machine] += x.length(x.locality(e.task, e.machine), away)
			e.until = end[e.machine]
		}
		if cost := x.objective(rows); best == nil || cost.Cmp(best) < 0 {
			best = cost
		}
	}
	try(0)
	return best
}

// optimum tries all slots for each job, all of whose reduces fetch as much.
func (x *naivePlacement) optimum() (best *big.Rat) {
	slots := slices.Sorted(maps.Keys(x.slot))
	var jobs []*placedJob
	var first []entry // reduce of each job
	for _, t := range x.list {
		if j := x.jobOf[t.id]; len(jobs) == 0 || jobs[len(jobs)-1] != j {
			jobs, first = append(jobs, j), append(first, entry{task: t.id})
		}
	}
	choice := make([]int, len(jobs)) // a set of slots
	var try func(j int, sum *big.Rat)
	try = func(j int, sum *big.Rat) {
		if j == len(jobs) {
			if best == nil || sum.Cmp(best) < 0 {
				best = sum
			}
			return
		}
		own := jobs[j]
		instant := own.start == own.end // then reduces may share a slot that idles at that moment
		for set := range 1 << len(slots) {
			price, size, free := new(big.Rat), int64(0), true
			for k, name := range slots {
				if set>>k&1 == 1 {
					first[j].machine = name
					price.Add(price, x.price(&first[j]))
					size++
				}
			}
			for i, other := range jobs[:j] {
				free = free && (choice[i]&set == 0 || own.start >= other.end || other.start >= own.end)
			}
			if size != own.reduces && !instant || instant && size != 1 || !free {
				continue
			}
			choice[j] = set
			price.Mul(price, big.NewRat(own.reduces, size))
			try(j+1, price.Add(price, sum))
		}
	}
	try(0, new(big.Rat))
	return best
}

// optimum of the goal partitions adds up the least time of each job's partitions, with the best partitioner for each.
func (x *naiveRealtime) optimum() *big.Rat {
	if x.piece != nil {
		return nil
	}
	if !x.partitions {
		return x.least(x.list)
	}
	sum := new(big.Rat)
	for _, job := range x.job {
		sets := map[int][]*timedTask{}
		for _, t := range x.list {
			if t.of == job && t.kind == "reduce" {
				sets[t.set] = append(sets[t.set], t)
			}
		}
		var best *big.Rat
		for _, list := range sets {
			cost := x.least(list)
			if cost == nil {
				return nil
			}
			if best == nil || cost.Cmp(best) < 0 {
				best = cost
			}
		}
		if best != nil {
			sum.Add(sum, best)
		}
	}
	return sum
}

// least is the least objective of some tasks, of one partitioner for each job.
func (x *naiveRealtime) least(list []*timedTask) *big.Rat {
	s, set := x.search(), map[*timedJob]int{}
	if len(list) > bruteUnrelated || s.machines > bruteSlots {
		return nil
	}
	for _, t := range list {
		if was, ok := set[t.of]; ok && t.kind == "reduce" && was != t.set {
			return nil
		} else if t.kind == "reduce" {
			set[t.of] = t.set
		}
		u := x.searchTask(t.naiveTask, t.takes)
		if !x.partitions {
			u.release = t.release
			for _, m := range list {
				if t.kind == "reduce" && m.kind == "map" && m.of == t.of {
					u.before = append(u.before, naiveArc{m.id, t.id, m.delay})
				}
			}
		}
		s.tasks = append(s.tasks, u)
	}
	s.allowed = func(rows []entry) bool {
		slots := map[*timedJob]map[string]bool{}
		for _, e := range rows {
			if t := x.byID[e.task]; t.kind == "reduce" {
				if slots[t.of] == nil {
					slots[t.of] = map[string]bool{}
				}
				slots[t.of][e.machine] = true
				if int64(len(slots[t.of])) > t.of.reduces {
					return false
				}
			}
		}
		return true
	}
	s.cost = x.objective
	return s.run()
}

// optimum needs an instance without transfers, whose nodes have room for all tasks.
func (x *naiveTenants) optimum() *big.Rat {
	s := x.search()
	if len(x.list) > bruteUnrelated || s.machines > bruteSlots {
		return nil
	}
	for _, t := range x.list {
		if t.of.volume > 0 || t.input > 0 && len(t.replicas) > 0 || t.memory != nil || t.cpu != nil {
			return nil
		}
		u := x.searchTask(t.naiveTask, func(n *naiveNode) int64 { return n.timeOn(t.base) })
		u.release = t.release
		for _, m := range t.of.maps {
			if t.kind == "reduce" {
				u.before = append(u.before, naiveArc{m.id, t.id, 0})
			}
		}
		s.tasks = append(s.tasks, u)
	}
	s.cost = x.objective
	return s.run()
}

// search is one over all slots, still without tasks.
func (c *naiveWorkers) search() *search { return &search{names: c.names(), machines: len(c.slot)} }

func (c *naiveWorkers) names() []string { return slices.Sorted(maps.Keys(c.slot)) }

// searchTask is a task that runs on slots of its kind.
func (c *naiveWorkers) searchTask(t naiveTask, takes func(n *naiveNode) int64) searchTask {
	names := c.names()
	return searchTask{id: t.id, length: func(machine int) int64 {
		s := c.slot[names[machine]]
		if s.kind != t.kind {
			return -1
		}
		return takes(s.node)
	}}
}
