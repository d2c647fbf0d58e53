package realtime

import (
	"fmt"
	"io"
	"strconv"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver/lp"
)

// modelColumns bounds the columns of a written program, partitions times slots.
const modelColumns = 5_000_000

// formulate writes the mixed-integer program of R||Cmax for the one job that has partitions.
func (r *run) formulate(w io.Writer, format string) error {
	active, columns := r.activeJobs(), 0
	for _, j := range active {
		for _, set := range r.in.SetsOf(j) {
			columns += int(set.Count) * len(r.in.Candidates(set).Slots)
		}
	}
	f := model.Finding{Code: model.CodeParameter}
	switch {
	case len(active) != 1:
		f.What = fmt.Sprintf("%d jobs have partitions, and the program is that of one", len(active))
		f.Expected, f.Hint = "a workload with one such job", "--job takes one of them"
	case r.in.Resplit.Known:
		f.What = "the program is that of whole partitions, and --resplit-cost allows to split them"
		f.Expected = "no --resplit-cost"
	case columns > modelColumns:
		f.What = fmt.Sprintf("the program would have %d columns, more than %d", columns, modelColumns)
		f.Expected, f.Hint = "a smaller workload", "--sketch-delta 0 leaves sketches out"
	}
	if f.What != "" {
		return model.NewInputError(f)
	}
	m := r.program(active[0])
	return lp.Write(w, m, format)
}

// program is R||Cmax, in seconds:
//
//	minimise    T
//	subject to  Σ_s x_is = q_k                        for every partition i of every set k
//	            Σ_k q_k = 1                           one set is used; without sketches q = 1
//	            Σ_i p_is·x_is ≤ T                     for every slot s
//	            x_is ≤ z_s, Σ_s z_s ≤ R               if there are more slots than reducers, and no fastest ones
//	            x, q, z binary, T ≥ 0
func (r *run) program(job int32) *lp.Model {
	in := r.in
	m := lp.NewModel("realtime-partitions")
	id := in.Workload().Jobs[job].ID
	m.Comments = []string{
		fmt.Sprintf("the reduce phase of job %q: whole partitions on at most %s; seconds", id,
			model.Counted(in.Reducers[job], "reduce slot")),
		"column makespan: when the last slot ends; column on_P_S: partition P is on slot S",
		"row place_P: P is on one slot; row load_S: what S takes, at most the makespan",
	}
	makespan := m.AddCol("makespan", 1, 0, lp.Inf)
	sets := in.SetsOf(job)
	slots, most := unionOf(in, sets)
	load, open := map[int32][]lp.Entry{}, map[int32]lp.Col{}
	if most < len(slots) {
		m.Comments = append(m.Comments, "column open_S: S is used; row reducers: at most so many slots are; row used_P_S: "+
			"P is only on such a slot")
		var row []lp.Entry
		for _, s := range slots {
			open[s] = r.binary(m, "open_"+in.MachineName(s))
			row = append(row, lp.Entry{Col: open[s], Coef: 1})
		}
		m.AddRow("reducers", row, lp.LE, float64(most))
	} else if len(slots) < len(in.ReduceSlots) {
		m.Comments = append(m.Comments, "slots that are left out are no faster than those here for any partition, and not "+
			"needed")
	}
	if len(sets) > 1 {
		m.Comments = append(m.Comments, "column set_K: the data is put into the partitions of set K, 0 being the hash and "+
			"others rows of the sketch; row one_set: one K")
	}
	var one []lp.Entry
	for _, set := range sets {
		used := lp.Col(-1)
		if len(sets) > 1 {
			used = r.binary(m, "set_"+strconv.Itoa(int(set.Row)))
			one = append(one, lp.Entry{Col: used, Coef: 1})
		}
		r.placeSet(m, set, slots, used, load, open)
	}
	if len(one) > 0 {
		m.AddRow("one_set", one, lp.EQ, 1)
	}
	for _, s := range slots {
		m.AddRow("load_"+in.MachineName(s), append(load[s], lp.Entry{Col: makespan, Coef: -1}), lp.LE, 0)
	}
	return m
}

// unionOf are the slots that some set needs. All sets have the same candidates, except that sets with partitions that
// have their own times have more.
func unionOf(in *realtime.Instance, sets []realtime.Set) (slots []int32, most int) {
	for k, set := range sets {
		c := in.Candidates(set)
		if k == 0 || len(c.Slots) > len(slots) {
			slots, most = c.Slots, c.Most
		}
	}
	return slots, most
}

func (r *run) placeSet(m *lp.Model, set realtime.Set, slots []int32, used lp.Col, load map[int32][]lp.Entry,
	open map[int32]lp.Col) {
	for t := set.First; t < set.First+set.Count; t++ {
		name := r.in.PartitionName(t)
		var row []lp.Entry
		for _, s := range slots {
			x := r.binary(m, "on_"+name+"_"+r.in.MachineName(s))
			row = append(row, lp.Entry{Col: x, Coef: 1})
			load[s] = append(load[s], lp.Entry{Col: x, Coef: r.in.Time(t, r.in.WorkerOf[s]).Seconds()})
			if z, limited := open[s]; limited {
				m.AddRow("used_"+name+"_"+r.in.MachineName(s), []lp.Entry{{Col: x, Coef: 1}, {Col: z, Coef: -1}}, lp.LE, 0)
			}
		}
		right := 1.0
		if used >= 0 {
			row, right = append(row, lp.Entry{Col: used, Coef: -1}), 0
		}
		m.AddRow("place_"+name, row, lp.EQ, right)
	}
}

func (r *run) binary(m *lp.Model, name string) lp.Col {
	c := m.AddCol(name, 0, 0, 1)
	m.SetInt(c)
	return c
}
