package realtime

import (
	"cmp"
	"math/big"
	"slices"

	"mrsched/model"
)

// Check lists every constraint that a schedule breaks: each map once (none, of goal Partitions) and each partition of
// one set per job, whole or in pieces that cover it; on slots of their kind, for as long as they take there; not before
// their release, their job's maps or, of goal Partitions, the end of the job before; on at most R slots per job; one
// task a slot at a time.
func (in *Instance) Check(s *model.Schedule) []model.Violation {
	var found model.Violations
	order := make([]int32, 0, len(s.Entries)) // rows on slots, by slot and time
	rows := make([]int32, 0, len(s.Entries))  // rows of partitions
	placed := make([]bool, in.Tasks)          // maps, and partitions with rows on unknown slots
	for k := range s.Entries {
		e := &s.Entries[k]
		t := int32(e.Task)
		if e.Machine < 0 || int(e.Machine) >= in.Slots {
			found.Add(model.CodeMachineUnknown, "task %q is on slot number %d of %d", in.id(t), e.Machine+1, in.Slots)
			placed[t] = true
			continue
		}
		if kind := in.KindOf(t); in.SlotKind[e.Machine] != kind {
			found.Add(model.CodeSlotKind, "%s %q is on %s slot %s", kind, in.id(t), in.SlotKind[e.Machine],
				in.MachineName(e.Machine))
		}
		order = append(order, int32(k))
		if !in.IsMap(t) {
			rows = append(rows, int32(k))
			continue
		}
		if in.Goal == Partitions {
			found.Add(model.CodeTaskUnknown, "map %q does not belong to the reduce phase", in.id(t))
			continue
		}
		if placed[t] {
			found.Add(model.CodeTaskTwice, "map %q has several rows", in.id(t))
			continue
		}
		placed[t] = true
		if p := in.Time(t, in.WorkerOf[e.Machine]); e.End-e.Start != p {
			found.Add(model.CodeDuration, "map %q takes %s on %s, its row %s", in.id(t), p, in.MachineName(e.Machine),
				e.End-e.Start)
		}
		if e.Start < in.TaskRelease[t] {
			found.Add(model.CodeBeforeRelease, "map %q starts at %s and is released at %s", in.id(t), e.Start, in.TaskRelease[t])
		}
	}
	for t := range int32(in.Maps) {
		if !placed[t] && in.Goal == Deadlines {
			found.Add(model.CodeTaskMissing, "map %q has no row", in.id(t))
		}
	}
	in.checkPartitions(s, rows, placed, &found)
	in.checkBarriers(s, rows, &found)
	found.CheckOverlaps(in, s, order, "task", "slot", in.id)
	return found.List()
}

func (in *Instance) id(task int32) string {
	id, _, _ := in.TaskName(model.TaskIndex(task))
	return id
}

// comparePieces orders rows of a partition: the one that starts first is the first piece. Ties: the one that ends
// first, the first row.
func comparePieces(s *model.Schedule, i, k int32) int {
	a, b := &s.Entries[i], &s.Entries[k]
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(i, k))
}

// checkPartitions checks which partitions the rows process, and where. Those in elsewhere have rows already found
// wrong.
func (in *Instance) checkPartitions(s *model.Schedule, rows []int32, elsewhere []bool, found *model.Violations) {
	slices.SortFunc(rows, func(i, k int32) int {
		return cmp.Or(cmp.Compare(s.Entries[i].Task, s.Entries[k].Task), comparePieces(s, i, k))
	})
	next := 0
	for j := range int32(in.Jobs) {
		first := next
		for next < len(rows) && in.jobOf[s.Entries[rows[next]].Task] == j {
			next++
		}
		own := rows[first:next]
		set := in.mainSet(s, j, own)
		machines := map[int32]bool{}
		for len(own) > 0 {
			t := int32(s.Entries[own[0]].Task)
			n := 1
			for n < len(own) && int32(s.Entries[own[n]].Task) == t {
				n++
			}
			for _, k := range own[:n] {
				machines[s.Entries[k].Machine] = true
			}
			if in.SetOf(t) != set {
				found.Add(model.CodePartitioner, "partition %q is not of the partitioner that job %q uses elsewhere", in.id(t),
					in.work.Jobs[j].ID)
			} else {
				in.checkPieces(s, t, own[:n], found)
			}
			own = own[n:]
		}
		in.checkMissing(s, rows[first:next], set, elsewhere, found)
		if len(machines) > int(in.Reducers[j]) {
			found.Add(model.CodeReducers, "job %q uses %s; it has %s", in.work.Jobs[j].ID, model.Counted(len(machines), "slot"),
				model.Counted(in.Reducers[j], "reducer"))
		}
	}
}

// mainSet is the set that most of a job's rows belong to; the rows are in the order of their tasks. Ties: the first
// set.
func (in *Instance) mainSet(s *model.Schedule, j int32, rows []int32) Set {
	main, most := in.SetsOf(j)[0], 0
	for first := 0; first < len(rows); {
		set, next := in.SetOf(int32(s.Entries[rows[first]].Task)), first
		for next < len(rows) && int32(s.Entries[rows[next]].Task) < set.First+set.Count {
			next++
		}
		if next-first > most {
			main, most = set, next-first
		}
		first = next
	}
	return main
}

// checkMissing looks for partitions of a set that no row processes; rows are in the order of their tasks.
func (in *Instance) checkMissing(s *model.Schedule, rows []int32, set Set, elsewhere []bool, found *model.Violations) {
	k := 0
	for t := set.First; t < set.First+set.Count; t++ {
		for k < len(rows) && int32(s.Entries[rows[k]].Task) < t {
			k++
		}
		if (k == len(rows) || int32(s.Entries[rows[k]].Task) != t) && !elsewhere[t] {
			found.Add(model.CodeTaskMissing, "partition %q has no row", in.id(t))
		}
	}
}

// checkPieces looks at the rows of one partition, in the order of their starts. A row of length L on worker w processes
// L/p_w of it, where p_w is the time of the whole partition there; further pieces lose the cost of splitting. The
// pieces must cover the partition; each is rounded up by at most a microsecond.
func (in *Instance) checkPieces(s *model.Schedule, t int32, rows []int32, found *model.Violations) {
	if len(rows) == 1 {
		e := &s.Entries[rows[0]]
		if p := in.Time(t, in.WorkerOf[e.Machine]); e.End-e.Start != p {
			found.Add(model.CodeDuration, "partition %q takes %s on %s, its row %s", in.id(t), p, in.MachineName(e.Machine),
				e.End-e.Start)
		}
		return
	}
	if !in.Resplit.Known {
		found.Add(model.CodeTaskTwice, "partition %q has several rows; partitions are not split without --resplit-cost",
			in.id(t))
		return
	}
	most, least := new(big.Rat), new(big.Rat) // the share that the pieces process, rounded up or not
	for k, i := range rows {
		e := &s.Entries[i]
		length := e.End - e.Start
		if k > 0 {
			length -= in.Resplit.Value
		}
		p := in.Time(t, in.WorkerOf[e.Machine])
		if length < 0 || p == 0 {
			found.Add(model.CodePieces, "a piece of partition %q is %s long", in.id(t), e.End-e.Start)
			return
		}
		most.Add(most, big.NewRat(int64(length), int64(p)))
		least.Add(least, big.NewRat(int64(max(0, length-1)), int64(p)))
	}
	one := big.NewRat(1, 1)
	if most.Cmp(one) < 0 || least.Cmp(one) >= 0 {
		found.Add(model.CodePieces, "the pieces of partition %q complete %s of it", in.id(t),
			model.FormatRat(most, model.RatioDigits, model.RoundDown))
	}
}

// checkBarriers checks what must end before partitions start.
func (in *Instance) checkBarriers(s *model.Schedule, rows []int32, found *model.Violations) {
	ready := in.Ready(s)
	if in.Goal == Partitions { // the end of all earlier jobs
		last := make([]model.Time, in.Jobs+1)
		for _, k := range rows {
			e := &s.Entries[k]
			last[in.jobOf[e.Task]+1] = max(last[in.jobOf[e.Task]+1], e.End)
		}
		for j := range in.Jobs {
			last[j+1] = max(last[j+1], last[j])
			ready[j] = last[j]
		}
	}
	for _, k := range rows {
		e := &s.Entries[k]
		t := int32(e.Task)
		if at := in.ReleaseOf(t); e.Start < at && at > in.Release[in.jobOf[t]] {
			found.Add(model.CodeBeforeRelease, "partition %q starts at %s and is released at %s", in.id(t), e.Start, at)
		}
		if at := ready[in.jobOf[e.Task]]; e.Start < at {
			found.Add(model.CodePrecedence, "partition %q starts at %s; what comes before it ends at %s", in.id(int32(e.Task)),
				e.Start, at)
		}
	}
}

// Ready is when the partitions of each job may start: its release, and the arrival of the output of its last map.
func (in *Instance) Ready(s *model.Schedule) []model.Time {
	ready := append([]model.Time(nil), in.Release...)
	for i := range s.Entries {
		if e := &s.Entries[i]; in.IsMap(int32(e.Task)) {
			j := in.jobOf[e.Task]
			ready[j] = max(ready[j], e.End+in.Shuffle[e.Task])
		}
	}
	return ready
}
