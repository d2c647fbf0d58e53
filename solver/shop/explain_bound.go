package shop

import (
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver/explain"
)

// bound says what alone proves most of a bound by clauses, and how far the proof goes beyond it. The last conflict of
// the proof would explain nothing: its windows come from other cases.
func (e *explainer) bound() error {
	c := &shop.Certificate{}
	if e.Q.Certificate == nil {
		return nil
	}
	if err := model.ReadCertificate(e.Q.Certificate, c); err != nil || c.Clauses == nil {
		return err
	}
	steps, err := c.Clauses.Length()
	if err != nil {
		return err
	}
	unit := max(1, e.in.TimeUnit())
	end := int64(slices.Max(e.Done) / unit)
	m, _, err := e.in.ClauseModel(end)
	if err != nil {
		return err
	}
	x := newReasons(m, e.in.Topo)
	k, o := x.largest(end)
	alone := model.Time(k+1) * unit
	if o != nil {
		e.overloaded(x, o, k, unit)
	} else {
		e.Bound(explain.Barrier, model.Number(alone.String()), "the longest chain, %s, takes until %s, whatever else runs",
			explain.Names(x.chain(e.in.Tasks), e.called), e.Time(alone))
	}
	value, _ := new(big.Rat).SetString(c.Value)
	if value.Cmp(e.in.Objective.Rat(big.NewInt(int64(alone)))) > 0 {
		n := model.ExactNumber(value)
		e.Bound(explain.Necessary, n, "the proof goes further: %s leave no end before %s%s", model.Counted(steps, "case"), n,
			e.Unit)
	}
	return nil
}

// called is a task in texts.
func (e *explainer) called(u int32) string { return e.Named(e.Row[u]) }

// overloaded says what tasks would need of an interval to end by k units, and what there is.
func (e *explainer) overloaded(x *reasons, o *overload, k int64, unit model.Time) {
	least, most := x.windows(k)
	limit := &x.m.Limits[o.limit]
	var users []int32
	there, ran, need := o.until-o.from, int64(0), new(big.Int)
	for i := range limit.Tasks {
		n := &limit.Tasks[i]
		t := inside(n, least, most, o.from, o.until)
		switch {
		case t > 0 && n.Variable < x.m.Objective:
			users, ran = append(users, n.Variable), ran+t
			need.Add(need, new(big.Int).Mul(big.NewInt(t), big.NewInt(n.Amount)))
		case t > 0: // an absence
			there -= t
		}
	}
	who := explain.Names(users, e.called)
	if len(users) > explain.Listed {
		who = model.Counted(len(users), "task") + " (" + who + ")"
	}
	at := func(t int64) string { return e.Time(model.Time(t) * unit) }
	what := "to run for " + at(ran) + " in all"
	has := e.View.MachineName(0) + " is there for " + at(there) + " of these"
	if r := e.in.Limited(o.limit); r != model.None {
		area := func(v *big.Int) model.Number {
			v.Mul(v, big.NewInt(int64(unit)))
			return model.ExactNumber(new(big.Rat).SetFrac(v, big.NewInt(int64(model.Second)*e.in.One(r))))
		}
		what = fmt.Sprintf("%s %s-seconds", area(need), e.in.Resource[r])
		has = fmt.Sprintf("there are %s", area(new(big.Int).Mul(big.NewInt(there), big.NewInt(limit.Capacity))))
	}
	e.Bound(explain.Machine, model.Number((model.Time(k+1) * unit).String()),
		"in every schedule that ends before %s, %s need %s between %s and %s; %s", at(k+1), who, what, at(o.from),
		at(o.until), has)
}
