package campaign

import (
	"encoding/json"
	"maps"
	"math/big"
	"os"
	"slices"

	"mrsched/io/result"
	"mrsched/model"
	"mrsched/model/realtime"
)

// This file finds optima of tiny instances by trying everything, from the documents alone. What a task takes on a worker of
// problem realtime is asked from the model, as it rests on floating-point numbers; all else is computed here.

// Trying everything takes at most so many tasks.
const (
	bruteTasks     = 7 // in every order, of one kind of machines
	bruteUnrelated = 5 // in every order, on every slot
)

// micros is a number of seconds, or of anything else, in millionths.
func micros(v any) int64 {
	text := "0"
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case *json.Number:
		text = v.String()
	}
	r, _ := new(big.Rat).SetString(text)
	r.Mul(r, big.NewRat(1_000_000, 1))
	return new(big.Int).Quo(r.Num(), r.Denom()).Int64()
}

// whole is a whole number.
func whole(v any) int64 {
	switch v := v.(type) {
	case json.Number:
		n, _ := v.Int64()
		return n
	case *json.Number:
		n, _ := v.Int64()
		return n
	}
	return 0
}

// perMillion turns millionths, of two factors or one, into a number.
func perMillion(v *big.Int, factors int) *big.Rat {
	unit := new(big.Int).Exp(big.NewInt(1_000_000), big.NewInt(int64(factors)), nil)
	return new(big.Rat).SetFrac(v, unit)
}

// optimum is the least objective of a tiny instance by brute force; nil: too large, or not known how.
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
	}
	return nil
}

// stated is the result.json of a result.
func (n *numbers) stated(s *solved) []byte {
	text, err := json.Marshal(s.bundle.Result)
	if err != nil {
		n.t.Fatal(err)
	}
	return text
}

// search tries all orders of tasks, each on every machine that is told, as early as it may start: for objectives that never
// fall if a task ends later, one of these schedules is optimal.
type search struct {
	tasks, machines int
	before          [][]arc // by task
	release         []int64
	length          func(task, machine int) int64 // negative: it cannot run there
	allowed         func(at []int, task, machine int) bool
	alike           bool // machines
	cost            func(end []int64) *big.Int

	at        []int // by task: its machine; −1: not placed
	end, free []int64
	best      *big.Int
}

// arc says that a task starts so long after another's end.
type arc struct {
	from  int
	delay int64
}

func (x *search) run() *big.Int {
	x.at, x.end, x.free = slices.Repeat([]int{-1}, x.tasks), make([]int64, x.tasks), make([]int64, x.machines)
	x.place(0)
	return x.best
}

func (x *search) place(done int) {
	if done == x.tasks {
		if c := x.cost(x.end); x.best == nil || c.Cmp(x.best) < 0 {
			x.best = c
		}
		return
	}
	for u := range x.tasks {
		ready := x.release[u]
		if x.at[u] >= 0 || slices.ContainsFunc(x.before[u], func(a arc) bool { return x.at[a.from] < 0 }) {
			continue
		}
		for _, a := range x.before[u] {
			ready = max(ready, x.end[a.from]+a.delay)
		}
		for _, m := range x.choices(u, ready) {
			was := x.free[m]
			x.at[u], x.end[u] = m, max(ready, was)+x.length(u, m)
			x.free[m] = x.end[u]
			x.place(done + 1)
			x.at[u], x.free[m] = -1, was
		}
	}
}

// choices are the machines that are worth trying. Of machines that are alike it is the one that idles least before the task.
func (x *search) choices(u int, ready int64) (list []int) {
	for m := range x.machines {
		if x.length(u, m) >= 0 && (x.allowed == nil || x.allowed(x.at, u, m)) {
			list = append(list, m)
		}
	}
	if !x.alike || len(list) == 0 {
		return list
	}
	best := list[0]
	for _, m := range list[1:] {
		a, b := max(ready, x.free[m]), max(ready, x.free[best])
		if a < b || a == b && x.free[m] > x.free[best] {
			best = m
		}
	}
	return []int{best}
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

// bruteMSJO tries all orders.
func bruteMSJO(d *document, byTask bool) *big.Rat {
	if len(d.Tasks) > bruteTasks {
		return nil
	}
	of, tasks := d.jobsOf()
	x := &search{tasks: len(d.Tasks), machines: int(min(whole(d.Machines), int64(len(d.Tasks)))), before: make([][]arc, len(d.Tasks)), release: make([]int64, len(d.Tasks)), alike: true}
	index, own := map[string]int{}, map[int]bool{} // jobs with precedence of their own
	for u, t := range d.Tasks {
		index[t["id"].(string)] = u
		x.release[u] = max(micros(t["release"]), micros(d.Jobs[of[t["job"].(string)]]["release"]))
	}
	for _, r := range d.Delays {
		u, v := index[r["from"].(string)], index[r["to"].(string)]
		own[of[d.Tasks[u]["job"].(string)]] = true
		x.before[v] = append(x.before[v], arc{u, micros(r["delay"])})
	}
	for j := range tasks {
		for _, u := range tasks[j] {
			for _, v := range tasks[j] {
				if !own[j] && d.Tasks[u]["kind"] == "map" && d.Tasks[v]["kind"] == "reduce" {
					x.before[v] = append(x.before[v], arc{u, micros(d.Tasks[u]["shuffle_delay"])})
				}
			}
		}
	}
	x.length = func(u, _ int) int64 { return micros(d.Tasks[u]["processing_time"]) }
	x.cost = func(end []int64) *big.Int {
		sum := new(big.Int)
		add := func(weight, end int64) { sum.Add(sum, new(big.Int).Mul(big.NewInt(weight), big.NewInt(end))) }
		for j := range tasks {
			last := int64(0)
			for _, u := range tasks[j] {
				last = max(last, end[u])
				if weight, ok := d.Tasks[u]["weight"]; byTask && ok {
					add(micros(weight), end[u])
				} else if byTask {
					add(micros(d.Jobs[j]["weight"]), end[u])
				}
			}
			if !byTask {
				add(micros(d.Jobs[j]["weight"]), last)
			}
		}
		return sum
	}
	return perMillion(x.run(), 2)
}

// assignment is what tasks cost on the servers where they are, by task; and the names of all servers.
func (d *document) assignment(at map[string]string) (cost map[string]int64, servers []string) {
	rackOf, holds := map[string]any{}, map[any]map[string]bool{}
	parent, kind := map[any]any{}, map[any]any{}
	for _, n := range d.Topology {
		parent[n["id"]], kind[n["id"]] = n["parent"], n["kind"]
	}
	for _, n := range d.Topology {
		if n["kind"] == "node" {
			servers = append(servers, n["id"].(string))
			up := n["parent"]
			for up != nil && kind[up] != "rack" {
				up = parent[up]
			}
			rackOf[n["id"].(string)] = up
		}
	}
	for _, p := range d.Places {
		if len(d.Topology) == 0 && !slices.Contains(servers, p["node"].(string)) {
			servers = append(servers, p["node"].(string))
		}
		if holds[p["block"]] == nil {
			holds[p["block"]] = map[string]bool{}
		}
		holds[p["block"]][p["node"].(string)] = true
	}
	block, remote := map[string]any{}, 0
	for _, t := range d.Tasks {
		block[t["id"].(string)] = t["block"]
	}
	for t, s := range at {
		if !holds[block[t]][s] {
			remote++
		}
	}
	local, away := int64(1_000_000), int64(3_000_000)
	if d.Cost != nil {
		local = micros(d.Cost["local"])
		switch v := d.Cost["remote"].(type) {
		case map[string]any:
			away = micros(v["base"]) + int64(remote)*micros(v["per_remote"])
		case []any:
			away = micros(v[min(remote, len(v)-1)])
		default:
			away = micros(v)
		}
	}
	rackCost, racks := d.Cost["rack"]
	cost = map[string]int64{}
	for t, s := range at {
		near := false // in the rack of a replica
		for n := range holds[block[t]] {
			near = near || rackOf[n] != nil && rackOf[n] == rackOf[s]
		}
		switch {
		case holds[block[t]][s]:
			cost[t] = local
		case racks && near:
			cost[t] = micros(rackCost)
		default:
			cost[t] = away
		}
	}
	return cost, servers
}

// bruteHTA tries all assignments.
func bruteHTA(d *document) *big.Rat {
	_, servers := d.assignment(nil)
	best := int64(-1)
	at := map[string]string{}
	var try func(t int)
	try = func(t int) {
		if t < len(d.Tasks) {
			for _, s := range servers {
				at[d.Tasks[t]["id"].(string)] = s
				try(t + 1)
			}
			return
		}
		cost, _ := d.assignment(at)
		load := map[string]int64{}
		for t, s := range at {
			load[s] += cost[t]
		}
		if most := slices.Max(slices.Collect(maps.Values(load))); best < 0 || most < best {
			best = most
		}
	}
	try(0)
	return perMillion(big.NewInt(best), 1)
}

// brutePlacement tries all slots for each job, which holds them from its start to its end; those follow from the workload, and
// any schedule tells them.
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

// bruteRealtime tries all orders on all slots, of goal partitions all assignments of each job's.
func bruteRealtime(in *realtime.Instance) *big.Rat {
	if in.Resplit.Known || len(in.Sets) > in.Jobs && in.Goal == realtime.Deadlines {
		return nil
	}
	count := func(at []int, jobs func(u int) int32, j int32, m int) int { // slots of a job's partitions, this one too
		used := map[int]bool{m: true}
		for u, k := range at {
			if k >= 0 && jobs(u) == j && !in.IsMap(int32(u)) {
				used[k] = true
			}
		}
		return len(used)
	}
	x := &search{machines: in.Slots, before: make([][]arc, in.Tasks), release: make([]int64, in.Tasks), tasks: in.Tasks}
	x.length = func(u, m int) int64 {
		if in.SlotKind[m] != in.KindOf(int32(u)) {
			return -1
		}
		return int64(in.Time(int32(u), in.WorkerOf[m]))
	}
	jobOf := func(u int) int32 { return in.JobOf(int32(u)) }
	x.allowed = func(at []int, u, m int) bool {
		j := jobOf(u)
		return in.IsMap(int32(u)) || count(at, jobOf, j, m) <= int(in.Reducers[j])
	}
	if in.Goal == realtime.Partitions {
		return phases(in, x)
	}
	if in.Tasks > bruteUnrelated || in.Slots > 6 {
		return nil
	}
	for u := range in.Tasks {
		if in.IsMap(int32(u)) {
			x.release[u] = int64(in.TaskRelease[u])
			continue
		}
		x.release[u] = int64(in.Release[jobOf(u)])
		for m := range in.Maps {
			if jobOf(m) == jobOf(u) {
				x.before[u] = append(x.before[u], arc{m, int64(in.Shuffle[m])})
			}
		}
	}
	x.cost = func(end []int64) *big.Int {
		missed := int64(0)
		for j := range in.Jobs {
			last := in.Release[j]
			for u, e := range end {
				if jobOf(u) == int32(j) {
					last = max(last, model.Time(e))
				}
			}
			if in.Due[j] != realtime.NoDeadline && last > in.Due[j] {
				missed++
			}
		}
		return big.NewInt(missed)
	}
	return new(big.Rat).SetInt(x.run())
}

// phases adds up what the jobs' partitions take at least, each job for itself, by the partitioner that suits it best.
func phases(in *realtime.Instance, all *search) *big.Rat {
	sum := new(big.Int)
	for j := range int32(in.Jobs) {
		best := int64(-1)
		for _, set := range in.SetsOf(j) {
			if p := phase(in, set, all); best < 0 || p < best {
				best = p
			}
		}
		sum.Add(sum, big.NewInt(max(0, best)))
	}
	return perMillion(sum, 1)
}

// phase is what the partitions of one set take at least.
func phase(in *realtime.Instance, set realtime.Set, all *search) int64 {
	load, used := make([]int64, in.Slots), make([]int, in.Slots)
	best := int64(-1)
	var try func(k int32, slots int)
	try = func(k int32, slots int) {
		most := slices.Max(load)
		if best >= 0 && most >= best {
			return
		}
		if k == set.Count {
			best = most
			return
		}
		for m := range in.Slots {
			more := 0
			if used[m] == 0 {
				more = 1
			}
			p := all.length(int(set.First+k), m)
			if p < 0 || slots+more > int(in.Reducers[set.Job]) {
				continue
			}
			load[m] += p
			used[m]++
			try(k+1, slots+more)
			load[m] -= p
			used[m]--
		}
	}
	try(0, 0)
	return best
}

// bruteMultitenant tries all orders on all slots of an instance in which nothing has to be transferred.
func bruteMultitenant(d *document) *big.Rat {
	var speed []float64
	var kind []string
	for _, n := range d.Topology {
		v := 1.0
		if s, ok := n["speed"].(json.Number); ok {
			v, _ = s.Float64()
		}
		for _, k := range []string{"map", "reduce"} {
			for range whole(n[k+"_slots"]) {
				kind, speed = append(kind, k), append(speed, v)
			}
		}
	}
	type task struct {
		kind string
		job  int
		time float64
	}
	var list []task
	of, tasks := d.jobsOf()
	for j, row := range d.Jobs {
		if whole(row["intermediate_bytes"]) > 0 && whole(row["reduces"]) > 0 {
			return nil
		}
		for _, u := range tasks[j] {
			if whole(d.Tasks[u]["input_bytes"]) > 0 && d.Tasks[u]["block"] != nil {
				return nil
			}
			list = append(list, task{"map", of[d.Tasks[u]["job"].(string)], float64(micros(d.Tasks[u]["processing_time"]))})
		}
		for range whole(row["reduces"]) {
			list = append(list, task{"reduce", j, float64(micros(row["task_overhead"]))})
		}
	}
	if len(list) > bruteUnrelated || len(kind) > 8 {
		return nil
	}
	x := &search{tasks: len(list), machines: len(kind), before: make([][]arc, len(list)), release: make([]int64, len(list))}
	for u, t := range list {
		x.release[u] = micros(d.Jobs[t.job]["release"])
		for v, m := range list {
			if t.kind == "reduce" && m.kind == "map" && m.job == t.job {
				x.before[u] = append(x.before[u], arc{from: v})
			}
		}
	}
	x.length = func(u, m int) int64 {
		if kind[m] != list[u].kind {
			return -1
		}
		return int64(model.TimeOf(list[u].time / 1e6 / speed[m]))
	}
	x.cost = func(end []int64) *big.Int { return big.NewInt(slices.Max(end)) }
	return perMillion(x.run(), 1)
}
