package realtime

import (
	"context"
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver/explain"
)

// explainer says what holds the maps and partitions of a schedule.
type explainer struct {
	*explain.Desk
	ctx context.Context
	r   *run
	in  *realtime.Instance
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

func (x *explainer) task(row int32) int32 { return int32(x.Rows[row].Task) }
func (x *explainer) isMap(row int32) bool { return x.in.IsMap(x.task(row)) }

// Stands keeps partitions that are worked off in pieces.
func (x *explainer) Stands(row int32) string {
	of := func(i int32) bool { return i != row && x.task(i) == x.task(row) }
	if x.in.Resplit.Known && slices.ContainsFunc(x.Of[x.JobOf(row)], of) {
		return "it is worked off in pieces, which would have to be divided anew elsewhere: such moves are not tried"
	}
	return ""
}

// Holds are the release and the job's maps, or the phase before if phases run one after another.
func (x *explainer) Holds(row int32) []explain.Hold {
	j := x.JobOf(row)
	list := []explain.Hold{x.Released(x.in.ReleaseOf(x.task(row)), x.in.Release[j], fmt.Sprintf("job %s arrives",
		x.JobID(j)))}
	if x.isMap(row) {
		return list
	}
	return append(list, x.After(func(pass func(by int32, until model.Time)) {
		if k := x.phase(j, -1); x.r.goal.serial && k >= 0 {
			last := x.Last(x.Of[k])
			pass(last, x.Rows[last].End)
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

// End counts what the task takes; what stands keeps its length.
func (x *explainer) End(row, slot int32, start model.Time) model.Time {
	if slot == x.Rows[row].Machine {
		return x.Desk.End(row, slot, start)
	}
	return start + x.in.Time(x.task(row), x.in.WorkerOf[slot])
}

// Next passes the partitions that wait for a map. Later phases follow in Moves.
func (x *explainer) Next(row int32, end model.Time, each func(row int32, start, end model.Time)) {
	if !x.isMap(row) {
		return
	}
	for _, i := range x.Of[x.JobOf(row)] {
		if !x.isMap(i) {
			each(i, end+x.in.Shuffle[x.task(row)], explain.Never)
		}
	}
}

// Moves start the later phases as much earlier, or later, as that of the moved row ends.
func (x *explainer) Moves(row int32) []explain.Move {
	list, j := x.Desk.Moves(row), x.JobOf(row)
	for k := 0; k < len(list) && x.r.goal.serial; k++ {
		m, end := &list[k], model.Time(0)
		for _, i := range x.Of[j] {
			e, moves := m.Entries[i]
			if !moves {
				e = x.Rows[i]
			}
			end = max(end, e.End)
		}
		by := end - x.Done[j]
		m.About = by.Seconds()
		for later := x.phase(j, 1); later >= 0 && by != 0; later = x.phase(later, 1) {
			for _, i := range x.Of[later] {
				e := x.Rows[i]
				e.Start, e.End = e.Start+by, e.End+by
				m.Entries[i] = e
			}
		}
	}
	return list
}

// Due is the job's deadline.
func (x *explainer) Due(j int32) (model.Time, bool) {
	return x.in.Due[j], x.in.Due[j] != realtime.NoDeadline
}

// Tell says what the certificate says.
func (x *explainer) Tell(int32) error {
	c := &realtime.Certificate{}
	if ok, err := x.Certificate(c); !ok {
		return err
	}
	if c.Late == nil {
		phase := c.Phases[slices.Index(x.r.activeJobs(), x.Job)].Time
		x.Price("phase", model.Number(phase.String()), "s is what the reduce phase of job %s takes at least", x.JobID(x.Job))
		return nil
	}
	return x.late(c.Late)
}

// late says whether the job is late in every schedule, and what it needs in each window of the certificate that it is
// in; nothing if the proof does not need the job.
func (x *explainer) late(late *realtime.Late) error {
	in := x.in
	if in.Due[x.Job] == realtime.NoDeadline {
		return nil
	}
	l, err := in.Lateness(late.Prices)
	if err != nil {
		return err
	}
	if l.Sure[x.Job] {
		x.When(explain.Necessary, in.Due[x.Job], model.None, "job %s is late in every schedule, whatever else runs: %s",
			x.JobID(x.Job), alone(in, l, x.Job))
	}
	for _, w := range late.Windows {
		if jobs := l.Inside(w); slices.Contains(jobs, x.Job) {
			o := findOverload(in, l, late.Prices, w, jobs)
			x.Price(fmt.Sprintf("window %s to %s", w.From, w.Until), o.seconds(l.Work[w.Price][x.Job]),
				"s of a slot of %s is what job %s needs for its %s to be on time; of the %d jobs that come and are due from %s "+
					"to %s at least %d must be late: %s", o.worker(in), x.JobID(x.Job), o.kinds(), len(jobs), x.At(w.From),
				x.At(w.Until), l.Misses(w, jobs), o.text())
		}
	}
	return nil
}
