package multitenant

import (
	"context"
	"fmt"
	"math/big"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

// certificateOf is the certificate of a result, which check has accepted; else that of the strongest bound, or nil.
func (r *run) certificateOf(ctx context.Context, raw []byte) (*multitenant.Certificate, error) {
	if raw != nil {
		c := &multitenant.Certificate{}
		return c, model.ReadCertificate(raw, c)
	}
	bounds, err := r.bound(ctx, solver.Options{Threads: 1})
	if err != nil {
		return nil, err
	}
	if len(bounds) == 0 {
		return nil, ctx.Err()
	}
	return bounds[0].Certificate.(*multitenant.Certificate), ctx.Err()
}

// prices are, in seconds of the bound, what the job pays at the certificate's prices wherever it runs, and what the
// task pays at its place for its slot and for links.
func (x *explainer) prices(c *multitenant.Certificate) (list []solver.Price) {
	if c == nil {
		return nil
	}
	add := func(name string, value model.Number, format string, args ...any) {
		list = append(list, solver.Price{Name: name, Value: value, Text: fmt.Sprintf(format, args...)})
	}
	bound, job := model.LowerNumber(valueOf(solver.Bound{Certificate: c})), x.JobID(x.job)
	switch {
	case c.Prices == nil && c.Job == job:
		add("job", bound, "s is the bound %s: when job %s ends if it has the whole cluster for itself", c.Method, job)
	case c.Prices == nil:
		add("job", "0", "s is its part of the bound %s, which looks at job %s alone", c.Method, c.Job)
	case x.Arrival[x.job] < c.Prices.From:
		add("job", "0", "s is its part of the bound %s, which looks at jobs that arrive at %s or later", c.Method,
			c.Prices.From)
	default:
		o := newOracle(x.Instance, 1)
		price := o.normal(c.Prices)
		paid := newPricer(o, price).job(x.job, make([]float64, o.crossAt()+1))
		add("job", rounded(paid), "s of the %s s of the bound %s is what job %s pays at least, wherever it runs", bound,
			c.Method, job)
		slot, links := x.pays(o, price, x.task)
		add("slot", rounded(slot), "s at these prices is what the time of %s on %s costs", x.id(x.task),
			x.slotName(x.task))
		add("links", rounded(links), "s at these prices is what the data that %s reads or fetches costs on links",
			x.id(x.task))
	}
	return list
}

// rounded prints a price that was computed in floating point.
func rounded(v float64) model.Number {
	r := new(big.Rat).SetFloat64(v)
	if r == nil {
		return ""
	}
	return model.LowerNumber(r)
}

// pays is what a task costs at its place: its slot while it runs, and its data on the links that it crosses.
func (x *explainer) pays(o *oracle, price []float64, t int32) (slot, links float64) {
	e, w := x.entry(t), x.worker(t)
	rack, at := int(x.rack(t)), o.x.PlaceOf[w]
	held := (e.End - e.Start).Seconds()
	if x.IsMap(t) {
		slot = price[o.mapAt(at)] * held
		near := x.Locality(t, w)
		if near != model.NodeLocal {
			links = float64(x.Input[t]) * price[o.fabricAt(rack)]
		}
		if near == model.Remote {
			links += float64(float64(x.Input[t]) * (price[o.inAt(rack)] + price[o.outAt(int(x.RackOf[x.Source(t, w)]))]))
		}
		return slot, links
	}
	slot = price[o.reduceAt(at)] * held
	j, parts := int(x.JobOf(t)), float64(x.Reduces(x.JobOf(t)))
	for k := range x.Racks {
		bytes := float64(x.f.Output[j*x.Racks+k]) / parts
		links += float64(bytes * price[o.fabricAt(rack)])
		if k != rack {
			links += float64(bytes * (price[o.outAt(k)] + price[o.inAt(rack)]))
		}
	}
	return slot, links
}
