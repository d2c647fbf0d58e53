package hta

import (
	"fmt"

	"mrsched/model"
	"mrsched/solver/lp"
)

// question is whether an assignment with a makespan of at most a load exists, as a mixed-integer program:
//
//	maximise    Σ_qs x_qs + Σ_qR y_qR + Σ_q z_q       must be m
//	subject to  Σ_s x_qs + Σ_R y_qR + z_q ≤ k_q       for every class q of blocks
//	            Σ_k λ_sk = 1                          for every server s
//	            Σ_q x_qs ≤ Σ_k local_sk·λ_sk          for every server s
//	            x_qs ≤ Σ_k min(k_q, local_sk)·λ_sk    for every server s and class q that it holds
//	            Σ_q y_qR ≤ Σ_(s in R) Σ_k rack_sk·λ_sk    for every rack R
//	            Σ_q z_q ≤ Σ_s Σ_k remote_sk·λ_sk, r
//	            λ binary, all others ≥ 0
//
// A class is the k_q tasks whose blocks have their replicas on the same servers and in the same racks. The plan k of a
// server is how many local, rack-local and remote tasks it has room for; only maximal plans count. Only λ must be
// integer: for given plans the rest is a flow. Relaxing λ leaves each server the convex hull of its plans. The fourth
// row is redundant for integer λ; in a reduction of 3SAT it makes the ring gadgets tight, and the LP no weaker than
// that of the formula.
//
// A task that counts as remote may come to lie on a server that holds its block, or in its rack. Then it costs less,
// and no other task costs more, since fewer are remote. So every solution is an assignment whose loads fit, and every
// such assignment is a solution. The program has no columns for the servers of remote tasks: any server will do.
type question struct {
	*run
	prices
	load    model.Time
	classes []class
	plans   [][]plan // by server
	rack    [][]int32

	model  *lp.Model
	lambda []lp.Col // by server: the column of its first plan
}

// class is the blocks whose replicas are on the same servers and in the same racks.
type class struct {
	servers []int32
	racks   []int32 // that hold a replica
	tasks   []int32
}

// plan is how many tasks of each kind a server has room for.
type plan struct{ local, rack, remote int32 }

// newQuestion lists classes and plans; nil if the model were too large.
func (r *run) newQuestion(load model.Time) *question {
	q := &question{run: r, load: load, prices: r.prices(load)}
	q.findClasses()
	columns := 0
	held, near := q.reachable()
	for s := range held {
		q.plans = append(q.plans, q.maximal(held[s], near[s], exactColumns-columns))
		if columns += len(q.plans[s]); columns >= exactColumns {
			return nil
		}
	}
	for _, c := range q.classes {
		columns += len(c.servers) + len(c.racks) + 1
	}
	if columns >= exactColumns {
		return nil
	}
	return q
}

func (q *question) findClasses() {
	number := map[string]int{}
	for b := range int32(q.in.Blocks) {
		servers, racks := q.in.Replicas(b), q.in.ReplicaRacks(b)
		if !q.racks {
			racks = nil
		}
		key := fmt.Sprint(servers, racks)
		k, ok := number[key]
		if !ok {
			k = len(q.classes)
			number[key] = k
			q.classes = append(q.classes, class{servers: servers, racks: racks})
		}
		q.classes[k].tasks = append(q.classes[k].tasks, q.in.Reader[q.in.ReaderFirst[b]:q.in.ReaderFirst[b+1]]...)
	}
	q.rack = make([][]int32, q.in.Racks)
	for s, rack := range q.in.Rack {
		if rack != model.None {
			q.rack[rack] = append(q.rack[rack], int32(s))
		}
	}
}

// reachable counts for each server the tasks with a replica on it (held) and those with a replica in its rack (near).
func (q *question) reachable() (held, near []int) {
	held, near = make([]int, q.in.Servers), make([]int, q.in.Servers)
	inRack := make([]int, q.in.Racks)
	for _, c := range q.classes {
		for _, s := range c.servers {
			held[s] += len(c.tasks)
		}
		for _, rack := range c.racks {
			inRack[rack] += len(c.tasks)
		}
	}
	for s, rack := range q.in.Rack {
		if rack != model.None {
			near[s] = inRack[rack]
		}
	}
	return held, near
}

// maximal lists the plans of a server to which no task can be added, or more than limit of them.
func (q *question) maximal(held, near, limit int) []plan {
	local := func(left model.Time) int32 { return min(int32(held), q.mostLocal(left)) }
	var list []plan
	q.each(q.load, near, func(d, c int, left model.Time) {
		room := local(left)
		another := d < q.most && left >= q.remote && local(left-q.remote) == room ||
			q.racks && c < near && left >= q.prices.rack && local(left-q.prices.rack) == room
		if !another && len(list) <= limit {
			list = append(list, plan{room, int32(c), int32(d)})
		}
	})
	return list
}

// build writes the program without the integrality of λ.
func (q *question) build() *lp.Model {
	q.model = lp.NewModel("hta-exact")
	q.model.Maximize = true
	var off []lp.Entry
	onRack := make([][]lp.Entry, len(q.rack))
	for s, plans := range q.plans {
		var one []lp.Entry
		for k, p := range plans {
			col := q.model.AddCol("", 0, 0, 1)
			if k == 0 {
				q.lambda = append(q.lambda, col)
			}
			one = append(one, lp.Entry{Col: col, Coef: 1})
			if p.remote > 0 {
				off = append(off, lp.Entry{Col: col, Coef: -float64(p.remote)})
			}
			if p.rack > 0 {
				onRack[q.in.Rack[s]] = append(onRack[q.in.Rack[s]], lp.Entry{Col: col, Coef: -float64(p.rack)})
			}
		}
		q.model.AddRow("", one, lp.EQ, 1)
	}
	local := make([][]lp.Entry, q.in.Servers)
	var remote []lp.Entry
	for i := range q.classes {
		c := &q.classes[i]
		k := float64(len(c.tasks))
		var supply []lp.Entry
		for _, s := range c.servers {
			e := lp.Entry{Col: q.model.AddCol("", 1, 0, k), Coef: 1}
			supply, local[s] = append(supply, e), append(local[s], e)
			q.limitShare(e, s, int32(len(c.tasks)))
		}
		for _, rack := range c.racks {
			e := lp.Entry{Col: q.model.AddCol("", 1, 0, k), Coef: 1}
			supply, onRack[rack] = append(supply, e), append(onRack[rack], e)
		}
		e := lp.Entry{Col: q.model.AddCol("", 1, 0, min(k, float64(q.most))), Coef: 1}
		supply, off, remote = append(supply, e), append(off, e), append(remote, e)
		q.model.AddRow("", supply, lp.LE, k)
	}
	for s, row := range local {
		for k, p := range q.plans[s] {
			row = append(row, lp.Entry{Col: q.lambda[s] + lp.Col(k), Coef: -float64(p.local)})
		}
		q.model.AddRow("", row, lp.LE, 0)
	}
	for _, row := range onRack {
		if len(row) > 0 {
			q.model.AddRow("", row, lp.LE, 0)
		}
	}
	q.model.AddRow("", off, lp.LE, 0)
	q.model.AddRow("", remote, lp.LE, float64(q.most))
	return q.model
}

// limitShare adds the row x_qs ≤ Σ_k min(k_q, local_sk)·λ_sk unless another row implies it.
func (q *question) limitShare(x lp.Entry, s, tasks int32) {
	row := []lp.Entry{x}
	binding, slack := false, true
	for k, p := range q.plans[s] {
		binding = binding || tasks < p.local // else the server's own row is as strong
		slack = slack && tasks <= p.local    // then the class's own row is
		row = append(row, lp.Entry{Col: q.lambda[s] + lp.Col(k), Coef: -float64(min(tasks, p.local))})
	}
	if binding && !slack {
		q.model.AddRow("", row, lp.LE, 0)
	}
}
