package multitenant

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"mrsched/model"
)

// Ends are the times at which jobs are done; their arrival where they have no rows.
func (in *Instance) Ends(s *model.Schedule) (job []model.Time, last model.Time) {
	job = append([]model.Time(nil), in.Arrival...)
	for i := range s.Entries {
		e := &s.Entries[i]
		j := in.JobOf(int32(e.Task))
		job[j], last = max(job[j], e.End), max(last, e.End)
	}
	return job, last
}

// window is the time in which throughput and turn-around are measured.
func (in *Instance) window(last model.Time) (from, until model.Time) {
	until = in.Until
	if until == 0 {
		until = last
	}
	return in.From, max(until, in.From)
}

// Evaluate recomputes the makespan in seconds, and the metrics.
func (in *Instance) Evaluate(s *model.Schedule) model.Evaluation {
	ends, last := in.Ends(s)
	f := in.Flows(s)
	shuffle, written := f.Shuffle(), new(big.Rat).SetInt64(int64(in.Written))
	read := new(big.Rat).SetInt64(int64(f.Read))
	metrics := map[string]any{
		"cross_rack_bytes":         model.LowerNumber(new(big.Rat).Add(written, new(big.Rat).Add(shuffle, read))),
		"cross_rack_shuffle_bytes": model.LowerNumber(shuffle),
		"cross_rack_map_bytes":     model.LowerNumber(read),
		"node_local":               model.Number(strconv.Itoa(f.Counts[model.NodeLocal])),
		"rack_local":               model.Number(strconv.Itoa(f.Counts[model.RackLocal])),
		"off_rack":                 model.Number(strconv.Itoa(f.Counts[model.Remote])),
	}
	if in.Writing() {
		metrics["cross_rack_write_bytes"] = model.LowerNumber(written)
	}
	volume := new(big.Rat)
	for _, v := range in.Shuffled {
		volume.Add(volume, new(big.Rat).SetInt64(int64(v)))
	}
	metrics["shuffle_bytes"] = model.LowerNumber(volume)
	in.measure(ends, last, metrics)
	in.judgeFairness(s, ends, metrics)
	return model.Evaluation{Name: "makespan", Value: big.NewRat(int64(last), int64(model.Second)), Metrics: metrics}
}

// measure adds throughput and turn-around of the jobs that end within the window.
func (in *Instance) measure(ends []model.Time, last model.Time, metrics map[string]any) {
	from, until := in.window(last)
	var around []model.Time
	sum, bytes := new(big.Int), new(big.Int)
	x := new(big.Int)
	for j, end := range ends {
		if end < from || end > until {
			continue
		}
		around = append(around, end-in.Arrival[j])
		sum.Add(sum, x.SetInt64(int64(end-in.Arrival[j])))
		for t := in.FirstMap[j]; t < in.FirstMap[j+1]; t++ {
			bytes.Add(bytes, x.SetInt64(int64(in.Input[t])))
		}
	}
	metrics["jobs_done"] = model.Number(strconv.Itoa(len(around)))
	if len(around) > 0 {
		slices.Sort(around)
		metrics["turn_around"] = model.LowerNumber(new(big.Rat).SetFrac(sum,
			big.NewInt(int64(len(around))*int64(model.Second))))
		for _, p := range []int{50, 95} { // nearest rank
			metrics[fmt.Sprintf("turn_around_p%d", p)] = model.Number(around[(len(around)*p+99)/100-1].String())
		}
	}
	if length := int64(until - from); length > 0 {
		hours := func(n *big.Int) model.Number {
			n = new(big.Int).Mul(n, big.NewInt(3600*int64(model.Second)))
			return model.LowerNumber(new(big.Rat).SetFrac(n, big.NewInt(length)))
		}
		metrics["jobs_per_hour"] = hours(big.NewInt(int64(len(around))))
		metrics["input_bytes_per_hour"] = hours(bytes)
	}
}

// judgeFairness adds Jain's index over the users' mean numbers of slots while they have unfinished jobs, and the number
// of starts that took a slot while another user with a waiting task held fewer slots of its kind.
func (in *Instance) judgeFairness(s *model.Schedule, ends []model.Time, metrics map[string]any) {
	held, active := in.holdings(s, ends)
	n, sum, squares := 0.0, 0.0, 0.0
	for u := range in.Users {
		if active[u] > 0 {
			share := float64(held[u]) / float64(active[u])
			n, sum, squares = n+1, sum+share, squares+float64(share*share)
		}
	}
	if squares > 0 {
		metrics["jain"] = model.Number(strconv.FormatFloat(sum*sum/(n*squares), 'f', model.ValueDigits, 64))
	}
	metrics["unfair_starts"] = model.Number(strconv.Itoa(in.unfairStarts(s)))
}

// unfairStarts counts the starts of a user's task while another user had fewer tasks of that kind running and one
// waiting for such a slot: a released map, or a released reduce of a job whose maps had ended, whether memory and cores
// sufficed for it or not. Of starts at the same time, those of users with fewer tasks come first.
//
// Complexity: O(T·log T + T·U) for T tasks and U users.
func (in *Instance) unfairStarts(s *model.Schedule) int {
	events := in.slotEvents(s)
	x := slotUse{running: [2][]int32{make([]int32, len(in.Users)), make([]int32, len(in.Users))},
		waiting: [2][]int32{make([]int32, len(in.Users)), make([]int32, len(in.Users))}}
	unfair := 0
	for i := 0; i < len(events); {
		e := &events[i]
		switch e.order {
		case taskEnds:
			x.running[e.kind][e.user]--
			i++
		case tasksWait:
			x.waiting[e.kind][e.user] += e.count
			i++
		default:
			k := i
			for k < len(events) && events[k].at == e.at && events[k].order == taskStarts {
				k++
			}
			unfair += x.start(events[i:k])
			i = k
		}
	}
	return unfair
}

// The order of events at the same time.
const (
	taskEnds int8 = iota
	tasksWait
	taskStarts
)

// slotEvent is a change of what a user has running or waiting.
type slotEvent struct {
	at    model.Time
	order int8
	user  int32
	kind  model.TaskKind
	count int32 // how many more tasks wait, or, after a start, how many fewer
}

// slotEvents lists the changes in the order of time, order, user, kind, count.
func (in *Instance) slotEvents(s *model.Schedule) (events []slotEvent) {
	f := in.Flows(s)
	wait := func(j int32, kind model.TaskKind, at model.Time, count int32) {
		events = append(events, slotEvent{at, tasksWait, in.UserOf[j], kind, count})
	}
	for j := range int32(in.Jobs) {
		if !in.Staggered() {
			wait(j, model.Map, in.Arrival[j], in.FirstMap[j+1]-in.FirstMap[j])
			wait(j, model.Reduce, f.MapsEnd[j], in.Reduces(j))
			continue
		}
		for t := in.FirstMap[j]; t < in.FirstMap[j+1]; t++ {
			wait(j, model.Map, in.release[t], 1)
		}
		for t := in.FirstReduce(j); t < in.FirstReduce(j+1); t++ {
			wait(j, model.Reduce, max(f.MapsEnd[j], in.release[t]), 1)
		}
	}
	for i := range s.Entries {
		e := &s.Entries[i]
		t := int32(e.Task)
		j := in.JobOf(t)
		u := in.UserOf[j]
		events = append(events, slotEvent{e.End, taskEnds, u, in.KindOf(t), 1})
		if !in.IsMap(t) && e.Start < f.MapsEnd[j] {
			wait(j, model.Reduce, f.MapsEnd[j], -1)
			events = append(events, slotEvent{e.Start, taskStarts, u, model.Reduce, 0})
			continue
		}
		events = append(events, slotEvent{e.Start, taskStarts, u, in.KindOf(t), 1})
	}
	slices.SortFunc(events, func(a, b slotEvent) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order), cmp.Compare(a.user, b.user),
			cmp.Compare(a.kind, b.kind), cmp.Compare(a.count, b.count))
	})
	return events
}

// slotUse is what users have running and waiting, by kind and user.
type slotUse struct{ running, waiting [2][]int32 }

// start starts tasks at the same time, sorted by user and kind, and counts the unfair ones among them.
func (x *slotUse) start(list []slotEvent) (unfair int) {
	var groups [][]slotEvent // of one user and kind
	for i := 0; i < len(list); {
		k := i + 1
		for k < len(list) && list[k].user == list[i].user && list[k].kind == list[i].kind {
			k++
		}
		groups = append(groups, list[i:k])
		i = k
	}
	has := func(g []slotEvent) int32 { return x.running[g[0].kind][g[0].user] }
	for len(groups) > 0 {
		next := 0
		for g := range groups {
			if has(groups[g]) < has(groups[next]) {
				next = g
			}
		}
		e := groups[next][0]
		if groups[next] = groups[next][1:]; len(groups[next]) == 0 {
			groups = slices.Delete(groups, next, next+1)
		}
		running, waiting := x.running[e.kind], x.waiting[e.kind]
		for v, n := range waiting {
			if n > 0 && running[v] < running[e.user] {
				unfair++
				break
			}
		}
		running[e.user]++
		waiting[e.user] -= e.count
	}
	return unfair
}

// Cells are an entry's values of Columns.
func (in *Instance) Cells(e model.Entry) []string {
	w := in.WorkerOf[e.Machine]
	rack := in.rackName[in.RackOf[w]]
	if t := int32(e.Task); in.IsMap(t) {
		near, across := in.Locality(t, w), model.Bytes(0)
		if near == model.Remote {
			across = in.Input[t]
		}
		return []string{rack, near.String(), across.String()}
	}
	return []string{rack, "", ""}
}

// Scheduled is the number of tasks that a schedule places.
func (in *Instance) Scheduled() int { return in.Tasks }

// LeftOut says which rows of the workload have no effect.
func (in *Instance) LeftOut() []string {
	var lines []string
	if in.unplacedTasks > 0 {
		lines = append(lines, fmt.Sprintf("of what %d of %s read no replica is known: they are at home everywhere",
			in.unplacedTasks, model.Counted(in.Maps, "map")))
	}
	if in.lostReplicas > 0 {
		lines = append(lines, fmt.Sprintf("%d of %s lie on nodes without slots, from which nothing is read", in.lostReplicas,
			model.Counted(len(in.work.Placements), "replica")))
	}
	return lines
}
