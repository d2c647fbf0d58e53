package realtime

import (
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// latePrices are the work that the job does, if it is on time, in each window of the certificate that it is in;
// none if the proof does not need the job.
func (x *explainer) latePrices(int32) ([]solver.Price, error) {
	in, late := x.in, x.c.Late
	if in.Due[x.job] == realtime.NoDeadline {
		return nil, nil
	}
	l, err := in.Lateness(late.Prices)
	if err != nil {
		return nil, err
	}
	var list []solver.Price
	for _, w := range late.Windows {
		jobs := l.Inside(w)
		if !slices.Contains(jobs, x.job) {
			continue
		}
		o := findOverload(in, l, late.Prices, w, jobs)
		list = append(list, solver.Price{Name: fmt.Sprintf("window %s to %s", w.From, w.Until),
			Value: o.seconds(l.Work[w.Price][x.job]),
			Text: fmt.Sprintf("s of a slot of %s is what job %s needs for its %s to be on time; of the %d jobs that come and "+
				"are due from %s to %s at least %d must be late: %s", o.worker(in), x.jobID(x.job), o.kinds(), len(jobs), w.From,
				w.Until, l.Misses(w, jobs), o.text())})
	}
	return list, nil
}

// overload is the first group of a window's jobs that cannot all be on time.
type overload struct {
	price      *realtime.Price
	jobs       []int32
	work, room int64
	from, to   model.Time
	dearest    int32 // worker
}

// findOverload takes the jobs of a window by due date, or backward by release, until they need more than there is room
// for; if that never happens, it takes all.
func findOverload(in *realtime.Instance, l *realtime.Lateness, prices []realtime.Price, w realtime.Window,
	jobs []int32) *overload {
	o := &overload{price: &prices[w.Price]}
	for k, y := range o.price.Worker {
		if y > o.price.Worker[o.dearest] {
			o.dearest = int32(k)
		}
	}
	s := newSpans(l, prices, w.Price, w.Backward)
	order, from := sortBy(slices.Clone(jobs), s.end), realtime.NoDeadline
	for _, j := range order {
		from = min(from, s.begin(j))
	}
	for n, j := range order {
		o.work += l.Work[w.Price][j]
		o.from, o.to = from, s.end(j)
		if w.Backward {
			o.from, o.to = -o.to, -o.from
		}
		o.jobs, o.room = order[:n+1], l.Room(w.Price, o.to-o.from)
		if o.work > o.room {
			break
		}
	}
	return o
}

// seconds are work in seconds of a slot of the most expensive worker, rounded down.
func (o *overload) seconds(work int64) model.Number {
	v := new(big.Rat).SetInt64(work)
	v.Mul(v, new(big.Rat).SetFrac64(o.price.Unit, max(1, o.price.Worker[o.dearest])))
	return model.LowerNumber(v.Mul(v, big.NewRat(1, int64(model.Second))))
}

func (o *overload) worker(in *realtime.Instance) string { return in.WorkerName(o.dearest) }

func (o *overload) kinds() string {
	if priceKind(o.price) == model.Map {
		return "maps"
	}
	return "partitions"
}

// text says in one line what does not fit. If the unit of the prices is above the prices, work and room are whole
// multiples of a piece.
func (o *overload) text() string {
	text := fmt.Sprintf("from %s to %s the %s of %s need %s s of such a slot, and all slots together have", o.from, o.to,
		o.kinds(), model.Counted(len(o.jobs), "job"), o.seconds(o.work))
	if o.price.Unit > o.price.Worker[o.dearest] {
		return fmt.Sprintf("%s room for %s, in whole pieces of %s s", text, o.seconds(o.room), o.seconds(1))
	}
	return fmt.Sprintf("%s %s", text, o.seconds(o.room))
}

// phasePrices are what the job's phase takes at least, and the part of it that the price of an entry's partition
// proves.
func (x *explainer) phasePrices(i int32) ([]solver.Price, error) {
	in, t := x.in, x.taskOf(i)
	phase, set := &x.c.Phases[slices.Index(x.r.activeJobs(), x.job)], in.SetOf(t)
	list := []solver.Price{{Name: "phase", Value: model.Number(phase.Time.String()),
		Text: fmt.Sprintf("s is what the reduce phase of job %s takes at least; here it takes %s", x.jobID(x.job),
			x.ends.Job[x.job]-x.ready[x.job])}}
	proof := &phase.Sets[slices.Index(in.SetsOf(x.job), set)]
	if proof.Slots != nil {
		return append(list, x.slotPrices(proof.Slots, i, set)...), nil
	}
	sum := new(big.Int)
	for _, u := range proof.Partitions {
		sum.Add(sum, big.NewInt(u))
	}
	if sum.Sign() > 0 {
		v := new(big.Rat).SetFrac(big.NewInt(proof.Partitions[t-set.First]), sum)
		v.Mul(v, big.NewRat(int64(phase.Time), int64(model.Second)))
		list = append(list, solver.Price{Name: "partition", Value: model.LowerNumber(v),
			Text: fmt.Sprintf("s of that is what the price of %s stands for", x.id(i))})
	}
	return list, nil
}

// slotPrices are what a partition adds to the least time of a phase, min_s y_s·p_is over the sum of the highest prices
// in the notation of model/realtime, and how much more it costs on its own slot.
func (x *explainer) slotPrices(price []int64, i int32, set realtime.Set) []solver.Price {
	in, c := x.in, x.in.Candidates(set)
	sorted := slices.Sorted(slices.Values(price))
	all := int64(0)
	for _, y := range sorted[max(0, len(sorted)-c.Most):] {
		all += y
	}
	if all == 0 {
		return nil
	}
	part := func(k int) *big.Rat {
		v := new(big.Rat).SetFrac64(price[k], all)
		return v.Mul(v, big.NewRat(int64(in.Time(x.taskOf(i), in.WorkerOf[c.Slots[k]])), int64(model.Second)))
	}
	cheapest, own := 0, slices.Index(c.Slots, x.entry(i).Machine)
	for k := range c.Slots {
		if part(k).Cmp(part(cheapest)) < 0 {
			cheapest = k
		}
	}
	list := []solver.Price{{Name: "partition", Value: model.LowerNumber(part(cheapest)),
		Text: fmt.Sprintf("s of that is what %s adds: its time on %s at the price of slots", x.id(i),
			in.MachineName(c.Slots[cheapest]))}}
	if own < 0 {
		return append(list, solver.Price{Name: "slot", Value: "0",
			Text: fmt.Sprintf("s is the price of %s: %d others are nowhere slower", x.slotName(i), c.Most)})
	}
	dearer := model.LowerNumber(new(big.Rat).Sub(part(own), part(cheapest)))
	return append(list, solver.Price{Name: "slot", Value: dearer,
		Text: fmt.Sprintf("s more is what it costs on %s", x.slotName(i))})
}
