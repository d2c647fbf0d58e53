package campaign

import (
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// naiveMSJO is a workload as problem msjo: identical machines, precedence with delays inside jobs.
type naiveMSJO struct {
	doc      *document
	byTask   bool // the objective
	machines []string
	row      map[string]int // of a task
	jobOf    []int          // by task
	arcs     []naiveArc
}

// naiveArc says that task to may start only so long after the end of task from.
type naiveArc struct {
	from, to string
	delay    int64
}

func newNaiveMSJO(d *document, p solver.Params) *naiveMSJO {
	x := &naiveMSJO{doc: d, byTask: p["objective"] == "twtct", row: map[string]int{}}
	count, _ := p["machines"].(int64)
	if count == 0 {
		count = whole(d.Machines)
	}
	for k := range count {
		x.machines = append(x.machines, fmt.Sprintf("m%d", k+1))
	}
	for _, n := range d.Topology {
		slots := whole(n["map_slots"]) + whole(n["reduce_slots"])
		switch {
		case count > 0:
		case slots == 1:
			x.machines = append(x.machines, text(n["id"]))
		default:
			for k := range slots {
				x.machines = append(x.machines, fmt.Sprintf("%s/%d", text(n["id"]), k+1))
			}
		}
	}
	of, tasks := d.jobsOf()
	for u, t := range d.Tasks {
		x.row[text(t["id"])] = u
		x.jobOf = append(x.jobOf, of[text(t["job"])])
	}
	own := map[int]bool{} // jobs whose precedence is that of the table delays
	for _, r := range d.Delays {
		own[x.jobOf[x.row[text(r["from"])]]] = true
		x.arcs = append(x.arcs, naiveArc{text(r["from"]), text(r["to"]), micros(r["delay"])})
	}
	for j := range tasks {
		for _, u := range tasks[j] {
			for _, v := range tasks[j] {
				a, b := d.Tasks[u], d.Tasks[v]
				if !own[j] && a["kind"] == "map" && b["kind"] == "reduce" {
					x.arcs = append(x.arcs, naiveArc{text(a["id"]), text(b["id"]), micros(a["shuffle_delay"])})
				}
			}
		}
	}
	return x
}

func (x *naiveMSJO) tasks() (list []naiveTask) {
	for _, t := range x.doc.Tasks {
		list = append(list, naiveTask{text(t["id"]), text(t["job"]), text(t["kind"])})
	}
	return list
}

func (x *naiveMSJO) machine(name string) bool {
	return slices.Contains(x.machines, name)
}

func (x *naiveMSJO) columns(*entry) []string { return []string{} }

// release is when a task may start at the earliest.
func (x *naiveMSJO) release(task string) int64 {
	u := x.row[task]
	return max(micros(x.doc.Tasks[u]["release"]), micros(x.doc.Jobs[x.jobOf[u]]["release"]))
}

func (x *naiveMSJO) takes(e *entry) int64 {
	return micros(x.doc.Tasks[x.row[e.task]]["processing_time"])
}

func (x *naiveMSJO) check(v *verdict) {
	v.once(x.tasks())
	v.apart()
	for _, e := range v.rows {
		if p := micros(x.doc.Tasks[x.row[e.task]]["processing_time"]); e.until-e.from != p {
			v.breaks(model.CodeDuration, "%s runs %d of %d", e.task, e.until-e.from, p)
		}
		if at := x.release(e.task); e.from < at {
			v.breaks(model.CodeBeforeRelease, "%s starts at %d, before %d", e.task, e.from, at)
		}
	}
	for _, arc := range x.arcs {
		for _, a := range v.rows {
			for _, b := range v.rows {
				if a.task == arc.from && b.task == arc.to && b.from < a.until+arc.delay {
					v.breaks(model.CodePrecedence, "%s starts before %s lets it", b.task, a.task)
				}
			}
		}
	}
}

func (x *naiveMSJO) weight(cells row) *big.Int {
	v, ok := cells["weight"]
	if !ok && cells["job"] != nil { // a task's is its job's
		return x.weight(x.doc.Jobs[x.jobOf[x.row[text(cells["id"])]]])
	}
	if !ok {
		return big.NewInt(1_000_000)
	}
	return big.NewInt(micros(v))
}

func (x *naiveMSJO) objective(rows []entry) *big.Rat {
	sum, last := new(big.Int), make([]int64, len(x.doc.Jobs))
	for _, e := range rows {
		u := x.row[e.task]
		last[x.jobOf[u]] = max(last[x.jobOf[u]], e.until)
		if x.byTask {
			sum.Add(sum, new(big.Int).Mul(x.weight(x.doc.Tasks[u]), big.NewInt(e.until)))
		}
	}
	for j, at := range last {
		if !x.byTask {
			sum.Add(sum, new(big.Int).Mul(x.weight(x.doc.Jobs[j]), big.NewInt(at)))
		}
	}
	return perMillion(sum, 2)
}
