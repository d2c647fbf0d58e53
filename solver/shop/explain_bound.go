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
	if err := model.ReadCertificate(e.Q.Certificate, c); err != nil || c.Clauses == nil || c.Value == "0" {
		return err
	}
	steps, err := c.Clauses.Length()
	if err != nil {
		return err
	}
	unit := e.in.Objective.Rat(e.in.CostUnit())
	cost := e.in.Evaluate(e.Q.Schedule).Value
	cost.Quo(cost.Add(cost, e.in.Less()), unit)
	end := new(big.Int).Quo(cost.Num(), cost.Denom()).Int64()
	m, err := e.in.ClauseModel(end)
	if err != nil {
		return err
	}
	x := newReasons(m.Model, e.in.Topo)
	k, o := x.largest(end)
	value, _ := new(big.Rat).SetString(c.Value)
	alone := new(big.Rat).Mul(unit, big.NewRat(k+1, 1))
	value.Sub(value, e.in.Less())
	alone.Sub(alone, e.in.Less())
	seconds := ""
	if e.in.Objective == shop.Makespan {
		seconds = e.Unit
	}
	least := model.ExactNumber(alone)
	below := fmt.Sprintf("%s below %s%s", e.in.Stated(), least, seconds)
	kind, text, who := explain.Barrier, "", []int32(nil)
	switch {
	case alone.Sign() <= 0: // nothing costs less
	case o != nil:
		kind = explain.Machine
		who, text = e.overloaded(m, x, o, k)
		text = fmt.Sprintf("in every schedule with a %s, %s", below, text)
	case e.in.Objective == shop.Makespan:
		who = x.chain(e.in.Tasks)
		text = fmt.Sprintf("the longest chain, %s, takes until %s, whatever else runs", explain.Names(who, e.called),
			string(least)+seconds)
	default:
		text = fmt.Sprintf("the longest chains of the jobs leave no %s", below)
	}
	if e.Q.Task != model.None && !slices.Contains(who, int32(e.Q.Task)) {
		return nil // it is about others
	}
	if text != "" {
		e.Bound(kind, least, "%s", text)
	}
	if value.Cmp(alone) > 0 {
		n := model.ExactNumber(value)
		e.Bound(explain.Necessary, n, "the proof goes further: %s leave no %s below %s%s", model.Counted(steps, "case"),
			e.in.Stated(), n, seconds)
	}
	return nil
}

// called is a task in texts.
func (e *explainer) called(u int32) string { return e.Named(e.Row[u]) }

// overloaded says which tasks need what of an interval if the objective is at most k, and what there is.
func (e *explainer) overloaded(m *shop.ClauseModel, x *reasons, o *overload, k int64) ([]int32, string) {
	least, most := x.windows(k)
	limit, of := &m.Limits[o.limit], m.Of[o.limit]
	var users []int32
	ran, need, has := int64(0), new(big.Int), big.NewInt(o.until-o.from)
	has.Mul(has, big.NewInt(limit.Capacity))
	for i := range limit.Tasks {
		n := &limit.Tasks[i]
		t := inside(n, least, most, o.from, o.until)
		takes := new(big.Int).Mul(big.NewInt(t), big.NewInt(n.Amount))
		switch {
		case t > 0 && int(n.Variable) < e.in.Tasks:
			users, ran = append(users, n.Variable), ran+t
			need.Add(need, takes)
		case t > 0: // an absence
			has.Sub(has, takes)
		}
	}
	who := explain.Names(users, e.called)
	if len(users) > explain.Listed {
		who = model.Counted(len(users), "task") + " (" + who + ")"
	}
	where, nodes := "all nodes", []int32(nil)
	if of.Bundles != nil {
		for _, k := range of.Bundles {
			nodes = append(nodes, m.Bundles[k].Nodes...)
		}
		slices.Sort(nodes)
		where = explain.Names(nodes, e.View.MachineName)
	}
	at := func(t int64) string { return e.Time(model.Time(t) * m.Unit) }
	what := fmt.Sprintf("have to run for %s in all", at(ran))
	room := fmt.Sprintf("there is room for %s on %s", at(has.Int64()), where)
	switch of.Resource {
	case shop.OfTasks:
	case shop.OfPresence:
		room = fmt.Sprintf("%s is there for %s", where, at(has.Int64()/limit.Capacity))
	default:
		area := func(v *big.Int) model.Number {
			v.Mul(v, big.NewInt(int64(m.Unit)))
			return model.ExactNumber(new(big.Rat).SetFrac(v, big.NewInt(int64(model.Second)*e.in.One(of.Resource))))
		}
		in := func(g shop.Group) bool {
			return int(g.Resource) == of.Resource && g.Capacity == limit.Capacity && slices.Equal(g.Nodes, nodes)
		}
		if i := slices.IndexFunc(e.in.Groups, in); i >= 0 {
			where = "the nodes below " + e.W.Topology[e.in.Groups[i].Place].ID + " together"
		}
		what = fmt.Sprintf("need %s %s-seconds", area(need), e.in.Resource[of.Resource])
		room = fmt.Sprintf("there are %s on %s", area(has), where)
	}
	return users, fmt.Sprintf("%s %s between %s and %s; %s", who, what, at(o.from), at(o.until), room)
}
