package multitenant

import (
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
	"mrsched/solver/explain"
)

// read says how near a map is to its input, and when the nodes that hold it would have had room.
func (x *explainer) read(row int32) {
	t, w := x.task(row), x.worker(row)
	replicas, near := x.in.Replicas(t), x.in.Locality(t, w)
	switch {
	case len(replicas) == 0:
		x.Where(explain.Data, "no node is known to hold its block: it is local everywhere")
		return
	case near == model.NodeLocal:
		x.Where(explain.Data, "it is node-local: its block lies on %s", explain.Names(replicas, x.in.WorkerName))
		return
	}
	source := x.in.Source(t, w)
	x.Where(explain.Data, "it is %s: it reads %s bytes from %s in %s; its block lies on %s",
		map[bool]string{true: "rack-local", false: "remote"}[near == model.RackLocal], x.in.Input[t],
		x.in.WorkerName(source), rackText(x.in.RackName(x.in.RackOf[source])), explain.Names(replicas, x.in.WorkerName))
	x.Change("a free slot on %s would save it from reading %s bytes", explain.Names(replicas, x.in.WorkerName),
		x.in.Input[t])
}

// shuffled says where the input of a reduce lies, and the map that it waits for.
func (x *explainer) shuffled(row int32) {
	j, rack := x.JobOf(row), x.rack(row)
	k := int(j)*x.in.Racks + int(rack)
	parts := int64(x.in.Reduces(j))
	part := func(b model.Bytes) model.Number { return model.LowerNumber(big.NewRat(int64(b), parts)) }
	x.Where(explain.Data, "%s has %s of the %s bytes that the job's maps write, and %d of its %d %s; of the %s bytes "+
		"that it fetches %s come from other racks", rackText(x.in.RackName(rack)), x.f.Output[k], x.in.Shuffled[j],
		x.f.Reducers[k], parts, model.Plural(x.in.Reduces(j), "reduce"), part(x.in.Shuffled[j]),
		part(x.in.Shuffled[j]-x.f.Output[k]))
	maps := slices.DeleteFunc(slices.Clone(x.Of[j]), func(i int32) bool { return !x.in.IsMap(x.task(i)) })
	if last := x.Last(maps); last != model.None && x.Rows[last].End > x.Rows[row].Start {
		x.When(explain.Barrier, x.Rows[last].End, last, "it computes once all maps have ended; the last, %s, ends at "+
			"%s on %s", x.ID(last), x.At(x.Rows[last].End), x.Machine(last))
	}
}

// share says how many slots of its kind the task's user had just before its start, and which waiting user had the
// fewest; nothing if there is one user, or nothing to wait for.
func (x *explainer) share(row int32) {
	kind, at := x.in.KindOf(x.task(row)), x.Rows[row].Start
	if len(x.in.Users) < 2 || at <= x.Ready(row) {
		return
	}
	running, waiting, all, least := make([]int, len(x.in.Users)), make([]int, len(x.in.Users)), 0, -1
	for i, e := range x.Rows {
		j := x.JobOf(int32(i))
		switch ready := x.in.Release(int32(e.Task)); {
		case x.in.KindOf(int32(e.Task)) != kind:
		case e.Start < at && e.End >= at:
			running[x.in.UserOf[j]]++
			all++
		case e.Start >= at && ready < at:
			waiting[x.in.UserOf[j]]++
		}
	}
	mine := int(x.in.UserOf[x.JobOf(row)])
	for u := range x.in.Users {
		if u != mine && waiting[u] > 0 && (least < 0 || running[u] < running[least]) {
			least = u
		}
	}
	text := fmt.Sprintf("right before %s user %s runs %d of %s on %s", x.At(at), x.user(mine), running[mine],
		model.Counted(all, kind.String()), model.Counted(len(x.in.SlotsFor(kind)), "slot"))
	if least >= 0 {
		text += fmt.Sprintf("; of the other users who wait, %s runs the fewest, %d", x.user(least), running[least])
	}
	x.Told.When = append(x.Told.When, explain.Fact{Kind: explain.Rank, Text: text})
}

// transfer says why a task that reads or fetches ends later than computing and the fastest undisturbed transfer allow.
// It asks the checker what such an end would break.
func (x *explainer) transfer(row int32) {
	t, e := x.task(row), x.Rows[row]
	compute := x.in.Work(t, x.worker(row))
	early, what := max(e.Start, x.f.MapsEnd[x.JobOf(row)])+compute, "fetches"
	if x.in.IsMap(t) {
		early, what = e.Start+compute+x.in.ReadTime(t, x.worker(row)), "reads"
	}
	if early >= e.End {
		return
	}
	s := &model.Schedule{Entries: slices.Clone(x.Rows)}
	s.Entries[row].End = early
	why := fmt.Sprintf("all links together could bring its data so that it ends at %s, but transfers share them",
		x.At(early))
	if broken := x.in.Check(s); len(broken) > 0 {
		why = fmt.Sprintf("if it were to end at %s, %s", x.At(early), broken[0].What)
		x.Change("with faster links it would end at %s at the earliest, not %s", x.At(early), x.At(e.End))
	}
	x.When(explain.Data, e.End-compute, model.None, "it %s until %s and then computes %s s; %s", what,
		x.At(e.End-compute), compute, why)
}

// prices are what the job pays at the certificate's prices, in seconds of the bound, wherever it runs.
func (x *explainer) prices(c *multitenant.Certificate) {
	bound, job := model.LowerNumber(valueOf(solver.Bound{Certificate: c})), x.JobID(x.Job)
	switch {
	case c.Prices == nil && c.Job == job:
		x.Price("job", bound, "s is the bound %s: when job %s ends if it has the whole cluster for itself", c.Method, job)
	case c.Prices == nil:
		x.Price("job", "0", "s is its part of the bound %s, which looks at job %s alone", c.Method, c.Job)
	case x.in.Arrival[x.Job] < c.Prices.From:
		x.Price("job", "0", "s is its part of the bound %s, which looks at jobs that arrive at %s s or later", c.Method,
			c.Prices.From)
	default:
		o := newOracle(x.in, 1)
		price := o.normal(c.Prices)
		x.Price("job", rounded(newPricer(o, price).job(x.Job, make([]float64, o.crossAt()+1))),
			"s of the %s s of the bound %s is what job %s pays at least, wherever it runs", bound, c.Method, job)
	}
}

// rounded prints a price that was computed in floating point.
func rounded(v float64) model.Number {
	r := new(big.Rat).SetFloat64(v)
	if r == nil {
		return ""
	}
	return model.LowerNumber(r)
}
