package multitenant

import (
	"fmt"
	"math/big"

	"mrsched/model"
	"mrsched/solver"
)

// where says how near a map is to its input and who had the slots there, and how much of a reduce's input lies in its
// rack.
func (x *explainer) where(t int32) []solver.Reason {
	if !x.in.IsMap(t) {
		return []solver.Reason{x.shuffled(t)}
	}
	in, w := x.in, x.worker(t)
	replicas := in.Replicas(t)
	r := solver.Reason{Kind: solver.ReasonData, Task: x.id(t)}
	holders := solver.Names(replicas, in.WorkerName)
	switch near := in.Locality(t, w); {
	case len(replicas) == 0:
		r.Text = "what it reads lies nowhere that is known: it is at home on every node"
	case near == model.NodeLocal:
		r.Text = fmt.Sprintf("it is node-local: its block lies on %s", holders)
	case near == model.RackLocal:
		r.Text = fmt.Sprintf("it is rack-local: it reads %s bytes from %s in its rack; its block lies on %s", in.Input[t],
			in.WorkerName(in.Source(t, w)), holders)
	default:
		r.Text = fmt.Sprintf("it is remote: it reads %s bytes from %s in %s; its block lies on %s", in.Input[t],
			in.WorkerName(in.Source(t, w)), rackText(in.RackName(in.RackOf[in.Source(t, w)])), holders)
	}
	list := []solver.Reason{r}
	if len(replicas) > 0 && in.Locality(t, w) != model.NodeLocal {
		for _, h := range replicas[:min(len(replicas), solver.Listed)] {
			list = append(list, x.holder(t, h))
		}
	}
	return list
}

// holder says when a node that holds a map's input would have had a slot for it.
func (x *explainer) holder(t, w int32) solver.Reason {
	in, start := x.in, x.entry(t).Start
	p, name := x.place(t, w, start, 1), in.WorkerName(w)
	r := solver.Reason{Kind: solver.ReasonMachine, Task: x.id(t)}
	lacks, has := "slot", "one"
	if p.slot >= 0 && p.after != model.None && x.entry(p.after).Machine != p.slot {
		lacks, has = "memory, or no cores,", "some"
	}
	switch {
	case p.slot < 0:
		r.Text = fmt.Sprintf("%s, which holds its block, has no %s slots", name, in.KindOf(t))
		if !in.Holds(w, t) {
			r.Text = name + ", which holds its block, has too little memory or too few cores for it"
		}
	case p.start == start:
		r.Kind = solver.ReasonPlace
		r.Text = fmt.Sprintf("%s, which holds its block, has a free slot then: there it would run until %s", name, p.end)
	default:
		r.Until = model.Number(p.start.String())
		r.Text = fmt.Sprintf("%s, which holds its block, has no %s for it before %s: there it would end at %s, not %s",
			name, lacks, p.start, p.end, x.entry(t).End)
		if p.after != model.None {
			r.Task, r.Job = x.id(p.after), in.JobID(in.JobOf(p.after))
			r.Text += fmt.Sprintf("; %s of job %s has %s until then", r.Task, r.Job, has)
		}
	}
	return r
}

// shuffled says where the input of a reduce lies.
func (x *explainer) shuffled(t int32) solver.Reason {
	in, j, rack := x.in, x.job, x.rack(t)
	k := int(j)*in.Racks + int(rack)
	parts := int64(in.Reduces(j))
	part := func(b model.Bytes) model.Number { return model.LowerNumber(big.NewRat(int64(b), parts)) }
	return solver.Reason{Kind: solver.ReasonData, Job: in.JobID(j),
		Text: fmt.Sprintf("%s has %s of the %s bytes that the job's maps put out, and %d of its %d %s; of the %s bytes "+
			"that it fetches %s come from other racks",
			rackText(in.RackName(rack)), x.f.Output[k], in.Shuffled[j], x.f.Reducers[k], parts,
			model.Plural(in.Reduces(j), "reduce"), part(in.Shuffled[j]), part(in.Shuffled[j]-x.f.Output[k]))}
}
