package realtime

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"mrsched/model"
)

// Ends are the times at which jobs are done and what a schedule costs. A job without rows is done at its release, or at
// 0 under goal Partitions, which ignores releases.
type Ends struct {
	Job    []model.Time
	Last   model.Time // of all rows
	Missed int        // jobs that end after they are due
	Due    int        // jobs with a deadline
	Late   model.Time // Σ of how late jobs end
	Latest model.Time // the largest lateness
}

// Ends computes the ends of a schedule.
func (in *Instance) Ends(s *model.Schedule) Ends {
	e := Ends{Job: append([]model.Time(nil), in.Release...)}
	for i := range s.Entries {
		x := &s.Entries[i]
		j := in.jobOf[x.Task]
		e.Job[j] = max(e.Job[j], x.End)
		e.Last = max(e.Last, x.End)
	}
	for j, end := range e.Job {
		if in.Due[j] == NoDeadline {
			continue
		}
		e.Due++
		if late := end - in.Due[j]; late > 0 {
			e.Missed++
			e.Late += late // at most the horizon times jobs: a sum that stays far below 2⁶³ for any that fit into memory
			e.Latest = max(e.Latest, late)
		}
	}
	return e
}

// Evaluate recomputes the objective: missed deadlines, or the makespan of the reduce phases in seconds.
func (in *Instance) Evaluate(s *model.Schedule) model.Evaluation {
	e := in.Ends(s)
	metrics := map[string]any{"goal": string(in.Goal), "makespan": model.Number(e.Last.String())}
	in.describeData(s, metrics)
	if in.Goal == Partitions {
		return model.Evaluation{Name: "reduce_makespan", Value: big.NewRat(int64(e.Last), int64(model.Second)),
			Metrics: metrics}
	}
	metrics["jobs_with_deadline"] = model.Number(strconv.Itoa(e.Due))
	if e.Due > 0 {
		metrics["miss_rate"] = model.LowerNumber(big.NewRat(int64(e.Missed), int64(e.Due)))
		metrics["tardiness"] = model.LowerNumber(big.NewRat(int64(e.Late), int64(e.Due)*int64(model.Second)))
		metrics["longest_tardiness"] = model.Number(e.Latest.String())
	}
	sum := new(big.Int)
	for j, end := range e.Job {
		sum.Add(sum, big.NewInt(int64(end-in.Release[j])))
	}
	metrics["turn_around"] = model.LowerNumber(new(big.Rat).SetFrac(sum, big.NewInt(int64(in.Jobs)*int64(model.Second))))
	return model.Evaluation{Name: "deadline_misses", Value: big.NewRat(int64(e.Missed), 1), Metrics: metrics}
}

// describeData says how skewed the partitions are that a schedule uses and how evenly their data lies on the reducers;
// for several jobs, numerators and denominators are sums over the jobs.
func (in *Instance) describeData(s *model.Schedule, metrics map[string]any) {
	first, rows, further := in.firstRows(s)
	loads := make([]map[int32]*big.Rat, in.Jobs) // bytes by slot
	chosen := make([]int32, in.Jobs)             // set
	for i := range s.Entries {
		x := &s.Entries[i]
		t := int32(x.Task)
		if in.IsMap(t) {
			continue
		}
		j := in.jobOf[t]
		if loads[j] == nil {
			loads[j], chosen[j] = map[int32]*big.Rat{}, in.SetOf(t).Row
		}
		if loads[j][x.Machine] == nil {
			loads[j][x.Machine] = new(big.Rat)
		}
		loads[j][x.Machine].Add(loads[j][x.Machine], in.bytesOf(x, rows[t] > 1, first[t] != int32(i)))
	}
	data, even, skew, sketched := new(big.Rat), new(big.Rat), new(big.Rat), 0
	for j := range loads {
		if loads[j] == nil {
			continue
		}
		if chosen[j] > 0 {
			sketched++
		}
		set := in.SetsOf(int32(j))[chosen[j]]
		sizes := in.Bytes[set.First : set.First+set.Count]
		for _, v := range sizes {
			data.Add(data, new(big.Rat).SetInt64(int64(v)))
		}
		most := new(big.Rat)
		for _, v := range loads[j] {
			if v.Cmp(most) > 0 {
				most.Set(v)
			}
		}
		even.Add(even, most.Mul(most, new(big.Rat).SetInt64(int64(in.Reducers[j]))))
		skew.Add(skew, new(big.Rat).SetInt64(int64(mostOf(sizes))).Mul(new(big.Rat).SetInt64(int64(mostOf(sizes))),
			new(big.Rat).SetInt64(int64(len(sizes)))))
	}
	percent := big.NewRat(100, 1)
	if even.Sign() > 0 { // also false for a schedule that lacks all partitions with data
		q := new(big.Rat).Quo(data, even)
		metrics["balance"] = model.LowerNumber(q.Mul(q, percent))
		q = new(big.Rat).Quo(data, skew)
		metrics["skewness"] = model.LowerNumber(q.Sub(percent, q.Mul(q, percent)))
	}
	if len(rows) > 0 {
		metrics["jobs_by_sketch_row"] = model.Number(strconv.Itoa(sketched))
	}
	if in.Resplit.Known {
		metrics["further_pieces"] = model.Number(strconv.Itoa(further))
	}
}

// firstRows finds the row of each partition that starts first, the number of its rows, and how many rows are not the
// first.
func (in *Instance) firstRows(s *model.Schedule) (first, rows map[int32]int32, further int) {
	first, rows = map[int32]int32{}, map[int32]int32{}
	for i := range s.Entries {
		t := int32(s.Entries[i].Task)
		if in.IsMap(t) {
			continue
		}
		if rows[t]++; rows[t] > 1 {
			further++
			if comparePieces(s, int32(i), first[t]) >= 0 {
				continue
			}
		}
		first[t] = int32(i)
	}
	return first, rows, further
}

// bytesOf is the share of its partition's data that a row processes: all, unless it is one of several pieces. Further
// pieces lose the cost of splitting.
func (in *Instance) bytesOf(x *model.Entry, piece, further bool) *big.Rat {
	t := int32(x.Task)
	all := new(big.Rat).SetInt64(int64(in.Bytes[t]))
	p := in.Time(t, in.WorkerOf[x.Machine])
	if !piece || p == 0 {
		return all
	}
	length := x.End - x.Start
	if further {
		length = max(0, length-in.Resplit.Or(0))
	}
	return all.Mul(all, big.NewRat(int64(length), int64(p)))
}

// Scheduled is the number of tasks that a schedule places.
func (in *Instance) Scheduled() int {
	n := 0
	if in.Goal == Deadlines {
		n = in.Maps
	}
	for j := range int32(in.Jobs) {
		n += int(in.SetsOf(j)[0].Count)
	}
	return n
}

// Idle says why a parameter has no effect: without keys there is nothing to hash or sketch, and goal Partitions has no
// policies.
func (in *Instance) Idle(param string) string {
	if in.Goal == Partitions && slices.Contains([]string{"partitioner", "lof-threshold", "deadline-factor"}, param) {
		return "it is for --goal deadlines alone"
	}
	if len(in.work.Keys) > 0 || !slices.Contains([]string{"partitions", "sketch-delta", "sketch-seed"}, param) {
		return ""
	}
	return "there is no table keys"
}

// LeftOut says which tasks schedules do not place.
func (in *Instance) LeftOut() []string {
	var lines []string
	if in.Goal == Partitions && in.Maps > 0 {
		lines = append(lines, fmt.Sprintf("%s %s left out (--goal deadlines schedules maps)",
			model.Counted(in.Maps, "map"), model.Are(in.Maps)))
	}
	return lines
}

// Cells are an entry's values of Columns.
func (in *Instance) Cells(e model.Entry) []string {
	due := ""
	if d := in.Due[in.jobOf[e.Task]]; d != NoDeadline {
		due = d.String()
	}
	return []string{in.Bytes[e.Task].String(), due}
}
