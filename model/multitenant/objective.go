package multitenant

import (
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
	in.jain(s, ends, metrics)
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

// jain adds Jain's index over the users' mean numbers of slots while they have unfinished jobs.
func (in *Instance) jain(s *model.Schedule, ends []model.Time, metrics map[string]any) {
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
