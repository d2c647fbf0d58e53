package multitenant

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
	"mrsched/solver/explain"
)

// explainer says what holds the maps and reduces of a schedule.
type explainer struct {
	*explain.Desk
	ctx context.Context
	r   *run
	in  *multitenant.Instance
	f   *multitenant.Flows
}

// Explain gives the reasons for the place and time of a map or reduce: where its data lies, who had the slots, which
// links it waits for, its price by the bound, and the cost of slots elsewhere. For a job it explains the last task.
func (r *run) Explain(ctx context.Context, q explain.Question) (*explain.Explanation, error) {
	x := &explainer{ctx: ctx, r: r, in: r.in, f: r.in.Flows(q.Schedule),
		Desk: explain.NewDesk(r.in, q, r.in.JobOf)}
	x.If = ", if links are free"
	return x.Answer(ctx, x)
}

func (x *explainer) task(row int32) int32   { return int32(x.Rows[row].Task) }
func (x *explainer) worker(row int32) int32 { return x.in.WorkerOf[x.Rows[row].Machine] }
func (x *explainer) rack(row int32) int32   { return x.in.RackOf[x.worker(row)] }
func (x *explainer) user(u int) string      { return cmp.Or(x.in.Users[u], "without a name") }

// rackText is a rack's name, preceded by "rack" unless it contains that word.
func rackText(name string) string {
	if strings.HasPrefix(strings.ToLower(name), "rack") {
		return name
	}
	return "rack " + name
}

// Holds is the release: reduces may start before the job's maps have ended, and wait for them then.
func (x *explainer) Holds(row int32) []explain.Hold {
	t := x.task(row)
	j, at := x.in.JobOf(t), x.in.Release(t)
	text := fmt.Sprintf("job %s of user %s arrives at %s", x.JobID(j), x.user(int(x.in.UserOf[j])),
		x.At(x.in.Arrival[j]))
	if at > x.in.Arrival[j] {
		text = fmt.Sprintf("the task itself is released at %s", x.At(at))
	}
	return []explain.Hold{{Kind: explain.Release, Until: at, By: model.None, Text: text}}
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

// Room looks for a gap of the slot in which the worker has memory and cores for the task.
func (x *explainer) Room(row, slot int32, from model.Time) (start model.Time, by int32, ok bool) {
	by = model.None
	for {
		start, before, _ := x.Desk.Room(row, slot, from)
		if before != model.None {
			by = before
		}
		v, crowded := x.crowded(row, x.in.WorkerOf[slot], start, x.End(row, slot, start))
		if !crowded {
			return start, by, true
		}
		from, by = x.Rows[v].End, v
	}
}

// crowded reports whether a worker lacks memory or cores for one more task in an interval, and which row has to end
// first. Rows only join at the starts of others, so that these moments suffice.
func (x *explainer) crowded(row, w int32, from, until model.Time) (first int32, is bool) {
	if !x.in.Limited() || from >= until {
		return 0, false
	}
	var on []int32
	s, _ := slices.BinarySearch(x.in.WorkerOf, w)
	for ; s < x.in.Slots && x.in.WorkerOf[s] == w; s++ {
		on = append(on, x.On[s]...)
	}
	on = slices.DeleteFunc(on, func(i int32) bool {
		e := &x.Rows[i]
		return i == row || e.Start >= until || e.End <= from || e.End == e.Start
	})
	slices.SortStableFunc(on, func(a, b int32) int { return cmp.Compare(x.Rows[a].Start, x.Rows[b].Start) })
	for _, i := range on {
		at, used, first := max(from, x.Rows[i].Start), x.in.Need(x.task(row)), i
		for _, k := range on {
			if e := &x.Rows[k]; e.Start <= at && at < e.End {
				used = plus(used, x.in.Need(x.task(k)))
				if e.End < x.Rows[first].End {
					first = k
				}
			}
		}
		if !used.Within(x.in.Limit(w)) {
			return first, true
		}
	}
	return 0, false
}

// Next passes the reduces that compute once a map has ended.
func (x *explainer) Next(row int32, end model.Time, each func(row int32, start, end model.Time)) {
	t := x.task(row)
	if !x.in.IsMap(t) {
		return
	}
	j := x.in.JobOf(t)
	for r := x.in.FirstReduce(j); r < x.in.FirstReduce(j+1); r++ {
		each(x.Row[r], explain.Never, end+x.in.Work(r, x.worker(x.Row[r])))
	}
}

// Note says how near a task would be to its data, and how many bytes then cross racks.
func (x *explainer) Note(m *explain.Move, s *model.Schedule) string {
	t, w := x.task(m.Row), x.in.WorkerOf[m.Entries[m.Row].Machine]
	text := rackText(x.in.RackName(x.in.RackOf[w]))
	if x.in.IsMap(t) && len(x.in.Replicas(t)) > 0 {
		text += ", " + map[model.Locality]string{model.NodeLocal: "node-local", model.RackLocal: "rack-local",
			model.Remote: "remote"}[x.in.Locality(t, w)]
	}
	f := x.in.Flows(s)
	crosses := new(big.Rat).Sub(f.Shuffle(), x.f.Shuffle())
	switch crosses.Add(crosses, new(big.Rat).SetInt64(int64(f.Read-x.f.Read))); crosses.Sign() {
	case 0:
		return text + "; as many bytes cross racks"
	case 1:
		return text + fmt.Sprintf("; %s bytes more cross racks", model.LowerNumber(crosses))
	}
	return text + fmt.Sprintf("; %s bytes fewer cross racks", model.LowerNumber(crosses.Neg(crosses)))
}

// Tell says where the data lies, who had slots, what the end waits for, and the prices.
func (x *explainer) Tell(row int32) error {
	if x.in.IsMap(x.task(row)) {
		x.read(row)
	} else {
		x.shuffled(row)
	}
	x.share(row)
	x.transfer(row)
	c, err := x.certificate()
	if err != nil || c == nil {
		return err
	}
	x.prices(c)
	return nil
}

// certificate is that of the result, which check has accepted; otherwise that of the strongest bound, or nil.
func (x *explainer) certificate() (*multitenant.Certificate, error) {
	if x.Q.Certificate != nil {
		c := &multitenant.Certificate{}
		return c, model.ReadCertificate(x.Q.Certificate, c)
	}
	bounds, err := x.r.bound(x.ctx, solver.Options{Threads: 1})
	if err != nil || len(bounds) == 0 {
		return nil, err
	}
	return bounds[0].Certificate.(*multitenant.Certificate), nil
}
