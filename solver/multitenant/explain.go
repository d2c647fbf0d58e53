package multitenant

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver/explain"
)

// explainer says what holds the maps and reduces of a schedule.
type explainer struct {
	*explain.Desk
	in *multitenant.Instance
	f  *multitenant.Flows
}

// Explain gives the reasons for the place and time of a map or reduce: where its data lies, who had the slots, which
// links it waits for, what the bound loses without its job, and the cost of slots elsewhere. For a job it explains the
// last task.
func (r *run) Explain(ctx context.Context, q explain.Question) (*explain.Explanation, error) {
	x := &explainer{in: r.in, f: r.in.Flows(q.Schedule), Desk: explain.NewDesk(r.in, q, r.in.JobOf)}
	if x.If = ", if links are free"; r.in.Limited() {
		x.If = ", if links, memory and cores are free"
	}
	return x.Answer(ctx, x)
}

func (x *explainer) task(row int32) int32   { return int32(x.Rows[row].Task) }
func (x *explainer) worker(row int32) int32 { return x.in.WorkerOf[x.Rows[row].Machine] }

// Holds is the release: reduces may start before the job's maps have ended, and wait for them then.
func (x *explainer) Holds(row int32) []explain.Hold {
	j := x.JobOf(row)
	user := cmp.Or(x.in.Users[x.in.UserOf[j]], "without a name")
	return []explain.Hold{x.Released(x.in.Release(x.task(row)), x.in.Arrival[j], fmt.Sprintf("job %s of user %s arrives",
		x.JobID(j), user))}
}

// Machines are the slots of the task's kind on workers that could hold it alone.
func (x *explainer) Machines(row int32) (list []int32) {
	for _, s := range x.in.SlotsFor(x.in.KindOf(x.task(row))) {
		if x.in.Holds(x.in.WorkerOf[s], x.task(row)) {
			list = append(list, s)
		}
	}
	return list
}

// End counts the time for data and computing. A map reads for at least its time alone on its links, a reduce fetches
// for its present time, at least until the maps have ended. On its own slot a map keeps its length, a reduce its end.
func (x *explainer) End(row, slot int32, start model.Time) model.Time {
	t, w, e := x.task(row), x.in.WorkerOf[slot], x.Rows[row]
	compute := x.in.Work(t, w)
	if x.in.IsMap(t) {
		if slot == e.Machine {
			return start + e.End - e.Start
		}
		return start + x.in.ReadTime(t, w) + compute
	}
	maps := x.f.MapsEnd[x.in.JobOf(t)]
	if slot == e.Machine {
		return max(e.End, start+compute)
	}
	fetching := max(0, e.End-x.in.Work(t, x.worker(row))-max(e.Start, maps))
	return max(start, maps) + fetching + compute
}

// Room looks for a gap of the slot, and for a moment in it at which the worker has memory and cores for the task.
func (x *explainer) Room(row, slot int32, from model.Time) (start model.Time, by int32, ok bool) {
	by = model.None
	for {
		start, before, _ := x.Desk.Room(row, slot, from)
		if before != model.None {
			by = before
		}
		first := x.lacks(row, x.in.WorkerOf[slot], start)
		if first == model.None {
			return start, by, true
		}
		from, by = x.Rows[first].End, first
	}
}

// lacks is the row that has to end first if a worker lacks memory or cores for one more task at a time; None: it does
// not.
func (x *explainer) lacks(row, w int32, at model.Time) int32 {
	if !x.in.Limited() {
		return model.None
	}
	first, used := int32(model.None), x.in.Need(x.task(row))
	s, _ := slices.BinarySearch(x.in.WorkerOf, w)
	for ; s < x.in.Slots && x.in.WorkerOf[s] == w; s++ {
		for _, i := range x.On[s] {
			if e := &x.Rows[i]; i != row && e.Start <= at && at < e.End {
				used = plus(used, x.in.Need(x.task(i)))
				if first == model.None || e.End < x.Rows[first].End {
					first = i
				}
			}
		}
	}
	if used.Within(x.in.Limit(w)) {
		return model.None
	}
	return first
}

// Next passes the reduces that compute once a map has ended.
func (x *explainer) Next(row int32, end model.Time, each func(row int32, start, end model.Time)) {
	if !x.in.IsMap(x.task(row)) {
		return
	}
	j := x.JobOf(row)
	for r := x.in.FirstReduce(j); r < x.in.FirstReduce(j+1); r++ {
		each(x.Row[r], explain.Never, end+x.in.Work(r, x.worker(x.Row[r])))
	}
}

// Note says in which rack a task would be, and how near a map to its data.
func (x *explainer) Note(m *explain.Move, _ *model.Schedule) string {
	t, w := x.task(m.Row), x.in.WorkerOf[m.Entries[m.Row].Machine]
	text := fmt.Sprintf("rack %q", x.in.RackName(x.in.RackOf[w]))
	if x.in.IsMap(t) && len(x.in.Replicas(t)) > 0 {
		text += ", " + explain.Near(x.in.Locality(t, w))
	}
	return text
}

// Tell says where the data lies, until when it is read or fetched, and what the bound loses without the job.
func (x *explainer) Tell(row int32) error {
	t, w, e := x.task(row), x.worker(row), x.Rows[row]
	compute := x.in.Work(t, w)
	early, what := max(e.Start, x.f.MapsEnd[x.JobOf(row)])+compute, "fetches"
	if x.in.IsMap(t) {
		early, what = e.Start+compute+x.in.ReadTime(t, w), "reads"
		x.read(t, w)
	} else {
		x.shuffled(row, x.in.RackOf[w])
	}
	if early < e.End {
		x.When(explain.Data, e.End-compute, model.None, "it %s until %s and then computes %s s", what, x.At(e.End-compute),
			compute)
		x.Change("with faster links it would end at %s at the earliest, not %s", x.At(early), x.At(e.End))
	}
	c := &multitenant.Certificate{}
	if ok, err := x.Certificate(c); !ok {
		return err
	}
	x.Falls("job", "s ", c.Claim, x.in.ProvenWithout(c, x.Job), "job "+x.JobID(x.Job))
	return nil
}

// read says how near a map is to its input, and what would save it from reading.
func (x *explainer) read(t, w int32) {
	if len(x.in.Replicas(t)) == 0 {
		x.Where(explain.Data, "no node is known to hold its block: it is local everywhere")
		return
	}
	near, holders := x.in.Locality(t, w), explain.Names(x.in.Replicas(t), x.in.WorkerName)
	x.Where(explain.Data, "it is %s: its block of %s bytes lies on %s", explain.Near(near), x.in.Input[t], holders)
	if near != model.NodeLocal {
		x.Change("a free slot on %s would save it from reading %s bytes", holders, x.in.Input[t])
	}
}

// shuffled says where the input of a reduce lies, and the map that it waits for.
func (x *explainer) shuffled(row, rack int32) {
	j := x.JobOf(row)
	k := int(j)*x.in.Racks + int(rack)
	x.Where(explain.Data, "rack %q has %s of the %s bytes that the job's maps write, and %d of its %s",
		x.in.RackName(rack), x.f.Output[k], x.in.Shuffled[j], x.f.Reducers[k], model.Counted(x.in.Reduces(j), "reduce"))
	maps := slices.DeleteFunc(slices.Clone(x.Of[j]), func(i int32) bool { return !x.in.IsMap(x.task(i)) })
	if last := x.Last(maps); last != model.None && x.Rows[last].End > x.Rows[row].Start {
		x.When(explain.Barrier, x.Rows[last].End, last, "it computes once all maps have ended; the last, %s, ends at "+
			"%s on %s", x.ID(last), x.At(x.Rows[last].End), x.Machine(last))
	}
}
