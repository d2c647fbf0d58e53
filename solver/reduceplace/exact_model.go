package reduceplace

import (
	"fmt"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver/lp"
)

// assignment is the mixed-integer program of clairvoyant placement:
//
//	minimise Σ x_u·H(c)·z_uc   subject to
//	Σ_c z_uc = R_u                          units u: equal tasks of a job, R_u of them with x_u bytes each
//	Σ_{u under way at t} z_uc ≤ n_c         points t of busy periods, tiers c of n_c slots
//	Σ_{u across t_v} z_uc + z_vc ≤ n_c      units v that hold a slot for no time, at t_v
//	0 ≤ z_uc ≤ min(R_u, n_c), integer
//
// Interval graphs are perfect: n slots can hold any set of tasks of which no more than n are under way at any moment.
// So slots of equal cost may count as one tier. Tasks of a job that take no time share the cheapest slot that is idle
// at their moment, and make one unit with R_u = 1.
//
// The rows of one tier form an interval matrix, which is totally unimodular; those that join the tiers destroy that,
// and vertices of the relaxation can be fractional.
type assignment struct {
	in      *reduceplace.Instance
	units   []assignable
	tiers   []tier
	scale   float64
	integer bool
	model   *lp.Model
}

// assignable is a unit of an assignment.
type assignable struct {
	reduceplace.Interval
	count int32
	bytes float64 // of one task
}

// tier is a range of slots of equal cost.
type tier struct{ first, count int32 }

// tiersOf joins slots of equal cost.
func tiersOf(in *reduceplace.Instance) []tier {
	var list []tier
	for s, h := range in.Cost {
		if s > 0 && h == in.Cost[s-1] {
			list[len(list)-1].count++
			continue
		}
		list = append(list, tier{int32(s), 1})
	}
	return list
}

// singles makes every slot a tier of its own.
func singles(in *reduceplace.Instance) []tier {
	list := make([]tier, in.Slots)
	for s := range list {
		list[s] = tier{int32(s), 1}
	}
	return list
}

// newAssignment builds the program, or its relaxation; costs are divided by scale.
func newAssignment(in *reduceplace.Instance, tiers []tier, scale float64, integer bool) *assignment {
	a := &assignment{in: in, tiers: tiers, scale: scale, integer: integer, model: lp.NewModel("reduce-placement")}
	t := in.Occupancy()
	for _, v := range t.Intervals {
		count, bytes := in.Amount(v)
		a.add(assignable{v, count, float64(bytes) / float64(count)})
	}
	for _, p := range t.Periods {
		a.points(&p)
	}
	for i := range int32(in.Jobs) {
		if in.Reduces[i] > 0 && in.End[i] <= in.Start[i] {
			a.instant(i)
		}
	}
	return a
}

// add adds a unit's columns and the row that places all its tasks.
func (a *assignment) add(u assignable) {
	row := make([]lp.Entry, len(a.tiers))
	for c, k := range a.tiers {
		name := "on_" + a.name(u) + "_" + a.in.MachineName(k.first)
		col := a.model.AddCol(name, u.bytes*a.in.Cost[k.first].Float()/a.scale, 0, float64(min(u.count, k.count)))
		if a.integer {
			a.model.SetInt(col)
		}
		row[c] = lp.Entry{Col: col, Coef: 1}
	}
	a.units = append(a.units, u)
	a.model.AddRow("all_"+a.name(u), row, lp.EQ, float64(u.count))
}

// name is a job's id, or a task's if it is a unit of its own.
func (a *assignment) name(u assignable) string {
	if u.Task >= 0 {
		id, _, _ := a.in.TaskName(model.TaskIndex(u.Task))
		return id
	}
	_, job, _ := a.in.TaskName(model.TaskIndex(a.in.First[u.Job]))
	return job
}

func (a *assignment) col(unit, tier int) lp.Col { return lp.Col(unit*len(a.tiers) + tier) }

// points adds the rows of a busy period, except those that always hold.
func (a *assignment) points(p *reduceplace.Period) {
	under := make([][]int, p.Points)
	at := make([]model.Time, p.Points)
	for u := int(p.First); u < int(p.Last); u++ {
		v := &a.units[u]
		at[v.From] = max(at[v.From], a.in.Start[v.Job])
		for t := v.From; t < v.To; t++ {
			under[t] = append(under[t], u)
		}
	}
	for t, units := range under {
		a.row(fmt.Sprintf("at_%s", at[t]), units, -1)
	}
}

// row demands that every tier has room for units that are under way together, and for the unit one, which is part of
// the row even where there is room for all (−1: none).
func (a *assignment) row(name string, units []int, one int) {
	for c, k := range a.tiers {
		var row []lp.Entry
		most := int32(0)
		for _, u := range units {
			most += min(a.units[u].count, k.count)
			row = append(row, lp.Entry{Col: a.col(u, c), Coef: 1})
		}
		if one >= 0 {
			most++
			row = append(row, lp.Entry{Col: a.col(one, c), Coef: 1})
		}
		if most > k.count {
			a.model.AddRow(name+"_"+a.in.MachineName(k.first), row, lp.LE, float64(k.count))
		}
	}
}

// instant adds the unit of a job that takes no time.
func (a *assignment) instant(i int32) {
	t := a.in.Start[i]
	var across []int
	for u := range a.units {
		if j := a.units[u].Job; a.in.Start[j] < t && t < a.in.End[j] {
			across = append(across, u)
		}
	}
	bytes := 0.0
	for task := a.in.First[i]; task < a.in.First[i+1]; task++ {
		x, parts := a.in.Data(i, task)
		bytes += float64(x) / float64(parts)
	}
	u := assignable{reduceplace.Interval{Job: i, Task: -1}, 1, bytes}
	a.add(u)
	a.row("across_"+a.name(u), across, len(a.units)-1)
}

// placement finds slots for the numbers of tasks that units have on tiers.
func (a *assignment) placement(x []float64) ([]int32, error) {
	in := a.in
	slot := make([]int32, in.Tasks)
	for u := range slot {
		slot[u] = model.None
	}
	until := make([]model.Time, in.Slots)
	for i, u := range a.units { // those that take time come in the order of their starts
		if in.End[u.Job] <= in.Start[u.Job] {
			break
		}
		task := u.Task
		if task < 0 {
			task = in.First[u.Job]
		}
		for c, k := range a.tiers {
			n := int(x[a.col(i, c)] + 0.5)
			for s := k.first; s < k.first+k.count && n > 0; s++ {
				if until[s] <= in.Start[u.Job] {
					slot[task], until[s] = s, in.End[u.Job]
					task++
					n--
				}
			}
			if n > 0 {
				return nil, fmt.Errorf("reduceplace: slots as dear as %s do not hold what the program puts there",
					in.MachineName(k.first))
			}
		}
	}
	placeInstant(in, slot)
	return slot, nil
}
