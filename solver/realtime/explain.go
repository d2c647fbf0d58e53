package realtime

import (
	"context"
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/explain"
)

// explainer says what holds the maps and partitions of a schedule.
type explainer struct {
	*explain.Desk
	ctx context.Context
	r   *run
	in  *realtime.Instance
	c   *realtime.Certificate
}

// Explain says why a map or partition runs on its slot and at its time, what the bound's certificate says about its
// job, and what it would cost elsewhere. For a job it looks at the row that ends last.
func (r *run) Explain(ctx context.Context, q explain.Question) (*explain.Explanation, error) {
	x := r.explainer(ctx, q)
	return x.Answer(ctx, x)
}

func (r *run) explainer(ctx context.Context, q explain.Question) *explainer {
	x := &explainer{ctx: ctx, r: r, in: r.in, Desk: explain.NewDesk(r.in, q, r.in.JobOf)}
	x.Placed = r.goal.serial
	return x
}

func (x *explainer) task(row int32) int32   { return int32(x.Rows[row].Task) }
func (x *explainer) isMap(row int32) bool   { return x.in.IsMap(x.task(row)) }
func (x *explainer) worker(row int32) int32 { return x.in.WorkerOf[x.Rows[row].Machine] }

// pieces are the rows of a row's task; there are several if it is split.
func (x *explainer) pieces(row int32) []int32 {
	if !x.in.Resplit.Known {
		return []int32{row}
	}
	return slices.DeleteFunc(slices.Clone(x.Of[x.JobOf(row)]), func(i int32) bool { return x.task(i) != x.task(row) })
}

// Holds are the release, the job's maps, the phase before if phases run one after another, and the first piece of a
// split partition: only that one does not pay for the split.
func (x *explainer) Holds(row int32) []explain.Hold {
	j, at := x.JobOf(row), x.in.ReleaseOf(x.task(row))
	h := explain.Hold{Kind: explain.Release, Until: at, By: model.None,
		Text: fmt.Sprintf("job %s arrives at %s", x.JobID(j), x.At(at))}
	if at > x.in.Release[j] {
		h.Text = fmt.Sprintf("the task itself is released at %s", x.At(at))
	}
	list := []explain.Hold{h}
	if first := x.pieces(row)[0]; first != row {
		list = append(list, explain.Hold{Kind: explain.Rank, Until: x.Rows[first].Start + 1, By: model.None,
			Text: fmt.Sprintf("it is a further piece, the first of which starts at %s", x.At(x.Rows[first].Start))})
	}
	if x.isMap(row) {
		return list
	}
	return append(list, x.After(func(pass func(by int32, until model.Time)) {
		if x.r.goal.serial {
			if k := x.phase(j, -1); k >= 0 {
				last := x.Last(x.Of[k])
				pass(last, x.Rows[last].End)
			}
			return
		}
		for _, i := range x.Of[j] {
			if x.isMap(i) {
				pass(i, x.Rows[i].End+x.in.Shuffle[x.task(i)])
			}
		}
	})...)
}

// phase is the next job, in a direction, that has a reduce phase; −1: there is none.
func (x *explainer) phase(j, step int32) int32 {
	for j += step; j >= 0 && int(j) < len(x.Of); j += step {
		if len(x.Of[j]) > 0 {
			return j
		}
	}
	return -1
}

// Machines are the slots of the row's kind with which its job uses no more slots than it has reducers.
func (x *explainer) Machines(row int32) []int32 {
	slots := x.in.SlotsFor(x.in.KindOf(x.task(row)))
	used := map[int32]bool{}
	for _, i := range x.Of[x.JobOf(row)] {
		if i != row && !x.isMap(i) {
			used[x.Rows[i].Machine] = true
		}
	}
	if x.isMap(row) || len(used) < int(x.in.Reducers[x.JobOf(row)]) {
		return slots
	}
	own := x.Rows[row].Machine
	return slices.DeleteFunc(slices.Clone(slots), func(s int32) bool { return !used[s] && s != own })
}

// End counts what the task takes; a piece takes what it does.
func (x *explainer) End(row, slot int32, start model.Time) model.Time {
	if x.in.WorkerOf[slot] == x.worker(row) {
		return start + x.Rows[row].End - x.Rows[row].Start
	}
	return start + x.in.Time(x.task(row), x.in.WorkerOf[slot])
}

// Next passes the partitions that wait for a map, or the next phase.
func (x *explainer) Next(row int32, end model.Time, each func(row int32, start, end model.Time)) {
	j := x.JobOf(row)
	if x.r.goal.serial {
		if j = x.phase(j, 1); j < 0 {
			return
		}
	} else if !x.isMap(row) {
		return
	} else {
		end += x.in.Shuffle[x.task(row)]
	}
	for _, i := range x.Of[j] {
		if !x.isMap(i) {
			each(i, end, explain.Never)
		}
	}
}

// Moves leaves out what is split. If a phase ends earlier, so do the later ones.
func (x *explainer) Moves(row int32) []explain.Move {
	if len(x.pieces(row)) > 1 {
		x.Change("%s is worked off in pieces, which would have to be divided anew elsewhere: such moves are not tried",
			x.ID(row))
		return nil
	}
	list := x.Desk.Moves(row)
	for k := range list {
		if x.r.goal.serial {
			x.pull(&list[k])
		}
	}
	return list
}

// pull starts the phases after that of a move as much earlier, or later, as its own ends.
func (x *explainer) pull(m *explain.Move) {
	j, end := x.JobOf(m.Row), model.Time(0)
	for _, i := range x.Of[j] {
		e, moves := m.Entries[i]
		if !moves {
			e = x.Rows[i]
		}
		end = max(end, e.End)
	}
	by := end - x.Done[j]
	m.About = by.Seconds()
	for j = x.phase(j, 1); j >= 0 && by != 0; j = x.phase(j, 1) {
		for _, i := range x.Of[j] {
			e := x.Rows[i]
			e.Start, e.End = e.Start+by, e.End+by
			m.Entries[i] = e
		}
	}
}

// Due is the job's deadline.
func (x *explainer) Due(j int32) (model.Time, bool) {
	return x.in.Due[j], x.in.Due[j] != realtime.NoDeadline
}

// Tell says how much data a partition has, and what the certificate says.
func (x *explainer) Tell(row int32) error {
	if !x.isMap(row) {
		x.data(row)
	}
	var err error
	if x.Q.Certificate != nil {
		x.c = &realtime.Certificate{}
		err = model.ReadCertificate(x.Q.Certificate, x.c)
	} else if err = x.r.prove(x.ctx, solver.Options{Threads: 1}, 1); err == nil {
		x.c = x.r.bounds[0].Certificate.(*realtime.Certificate)
	}
	if err != nil || x.ctx.Err() != nil {
		return err
	}
	return x.r.goal.prices(x)
}

// data says how much of its job's data a partition has, and how many reducers the job has.
func (x *explainer) data(row int32) {
	in, set, sum := x.in, x.in.SetOf(x.task(row)), model.Bytes(0)
	for _, v := range in.Bytes[set.First : set.First+set.Count] {
		sum += v
	}
	if sum > 0 {
		x.Where(explain.Data, "it has %s of the job's %s bytes in %s; the job has %s", in.Bytes[x.task(row)], sum,
			model.Counted(set.Count, "partition"), model.Counted(in.Reducers[x.JobOf(row)], "reducer"))
	}
}
