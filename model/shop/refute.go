package shop

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"mrsched/model"
)

// Refuted is what a certificate of kind KindRefuted states: no schedule ends by Due, as the propagation of refuter
// shows in at most Work steps. The optimal makespan is the next multiple of the common divisor of all times, or
// more.
type Refuted struct {
	Due  model.Time `json:"due"`
	Work int64      `json:"work"`
}

// Limits of a refutation: its steps, and its tasks, whose windows take quadratic memory and time.
const (
	MaxRefuteWork  = 3_000_000_000
	MaxRefuteTasks = 400
)

// Refuter shows that schedules cannot end by some time. It keeps windows of starts and shrinks them:
//
//  1. along paths;
//  2. by energy: in a window of time, no pool does more than its speed allows, and a task does at least the part of its
//     area that lies inside for every start in its own window (Lopez; Baptiste, Le Pape and Nuijten). Sets of tasks of
//     which no two run at a time are pools of speed 1;
//  3. by pairs: of two tasks that never run at a time, one is first;
//  4. by shaving: if a task cannot start in some part of its window at either side, it is cut off.
//
// All starts are multiples of the common divisor of all times (see CostUnit). An empty window refutes.
type Refuter struct {
	// Patience is how many rounds of propagation Try makes before it gives up; 0: any number. Where windows shrink by one
	// unit a round, there are millions.
	Patience int64

	e     *Evaluator
	in    *Instance
	unit  model.Time
	pools []energyPool
	tasks []int32    // that are not fixed and take time
	apart [][]uint64 // by position: bits of the positions that never run at the same time
	even  []bool     // by position: the task takes as long everywhere
	first []model.Time
	last  []model.Time // by step: the window of its start
	due   model.Time
	ctx   context.Context
	work  int64
	limit int64
	round int64
	begin []model.Time // of windows of time; reused
	end   []model.Time
	least []model.Time // by position: time in the window of time, at least; reused
}

// energyPool is a pool with what each position takes of it while it runs, or, of tasks whose length differs, its area.
type energyPool struct {
	rate, area []int64
	speeds     []Speed
	most       int64 // the largest speed
}

// NewRefuter prepares refutations. Errors: the instance has another objective, or is too large.
func (e *Evaluator) NewRefuter(defs []Pool) (*Refuter, error) {
	in := e.in
	if in.Objective != Makespan || in.Tasks > MaxRefuteTasks {
		return nil, fmt.Errorf("refutation: need the makespan, and at most %s", model.Counted(MaxRefuteTasks, "task"))
	}
	r := &Refuter{e: e, in: in, unit: max(1, model.Time(in.CostUnit().Int64()))}
	for u := range int32(in.Tasks) {
		if in.Fixed(u) || in.Least[u] == 0 {
			continue
		}
		even := true
		for _, t := range e.Lengths(u) {
			even = even && (t < 0 || t == in.Least[u])
		}
		r.tasks, r.even = append(r.tasks, u), append(r.even, even && !in.Reads(u))
	}
	for i := range defs {
		x, err := e.Pool(&defs[i])
		if err != nil {
			return nil, err
		}
		p := energyPool{speeds: x.Speeds}
		for k, u := range r.tasks {
			area, rate := x.Area[u], int64(0)
			if r.even[k] {
				area, rate = 0, area/int64(in.Least[u])
			}
			p.rate, p.area = append(p.rate, rate), append(p.area, area)
		}
		p.most = x.Most
		r.pools = append(r.pools, p)
	}
	r.first, r.last = make([]model.Time, in.Steps), make([]model.Time, in.Steps)
	r.least = make([]model.Time, len(r.tasks))
	r.separate()
	return r, nil
}

// maxEnergy bounds what a pool does in all time, so that sums fit.
const maxEnergy = 1 << 62

// separate finds the tasks that never run at a time, and makes pools of sets of them.
func (r *Refuter) separate() {
	in, n := r.in, len(r.tasks)
	at := map[int32]int{}
	for k, u := range r.tasks {
		at[u] = k
	}
	r.apart = make([][]uint64, n)
	for k := range r.apart {
		r.apart[k] = make([]uint64, (n+63)/64)
	}
	set := func(k, l int) {
		r.apart[k][l/64] |= 1 << (l % 64)
		r.apart[l][k/64] |= 1 << (k % 64)
	}
	after := make([]bool, in.Steps)
	for k, u := range r.tasks {
		clear(after)
		after[u] = true
		for _, a := range in.Topo {
			if after[a] {
				r.e.eachArc(a, func(b int32, _ model.Time) { after[b] = true })
			}
		}
		for v, l := range at {
			if v != u && (after[v] || r.conflict(u, v)) {
				set(k, l)
			}
		}
	}
	covered := make([]bool, n)
	for k := range r.tasks {
		if covered[k] {
			continue
		}
		p := energyPool{rate: make([]int64, n), area: make([]int64, n), speeds: []Speed{{0, 1}}, most: 1}
		size := 0
		for i := range n {
			l := (k + i) % n
			fits := r.even[l]
			for o := range n {
				fits = fits && (p.rate[o] == 0 || r.disjoint(o, l))
			}
			if fits {
				p.rate[l] = 1
				size++
				covered[l] = true
			}
		}
		if size > 2 {
			r.pools = append(r.pools, p)
		}
	}
}

func (r *Refuter) disjoint(k, l int) bool { return r.apart[k][l/64]>>(l%64)&1 == 1 }

// conflict says whether two tasks can only run on one node, which has no room for both.
func (r *Refuter) conflict(u, v int32) bool {
	in := r.in
	node := int32(model.None)
	for _, x := range []int32{u, v} {
		for k, t := range r.e.Lengths(x) {
			if t < 0 {
				continue
			}
			nodes := in.ClassNodes(int32(k))
			if len(nodes) > 1 || node != model.None && node != nodes[0] {
				return false
			}
			node = nodes[0]
		}
	}
	c := in.Capacities(in.Class[node])
	for i, d := range in.Demands(u) {
		if d > c[i]-in.Demands(v)[i] {
			return true
		}
	}
	return false
}

// spent says that there are no steps left. It takes the rest away if patience or ctx has ended.
func (r *Refuter) spent() bool {
	if r.Patience > 0 && r.round > r.Patience || r.ctx.Err() != nil {
		r.limit = -1
	}
	return r.work > r.limit
}

// Try says whether the propagation refutes an end by due in at most limit steps, and how many it takes. It gives up
// when ctx ends.
func (r *Refuter) Try(ctx context.Context, due model.Time, limit int64) (refuted bool, work int64) {
	in := r.in
	r.ctx, r.work, r.limit, r.round, r.due = ctx, 0, limit, 0, due
	for a := range int32(in.Steps) {
		r.first[a] = in.Earliest[a]
		r.last[a] = Never
		if r.e.All[a] >= 0 {
			r.last[a] = due - in.Least[a] - r.e.All[a]
		}
		if int(a) < in.Tasks && in.Fixed(a) {
			if r.last[a] < in.FixedStart(a) {
				return true, 1
			}
			r.first[a], r.last[a] = in.FixedStart(a), in.FixedStart(a)
		}
	}
	refuted = !r.propagate() || !r.shave()
	return refuted && r.work <= r.limit, r.work
}

// evaluateRefuted is the value of a certificate, in seconds.
func (e *Evaluator) evaluateRefuted(c *Certificate) (*big.Rat, error) {
	if c.Refuted == nil || c.Due < 0 || c.Due > maxAlone || c.Work < 0 || c.Work > MaxRefuteWork ||
		len(c.Pools) > maxPools {
		return nil, errors.New("certificate: no refutation of this size")
	}
	r, err := e.NewRefuter(c.Pools)
	if err != nil {
		return nil, err
	}
	if refuted, work := r.Try(context.Background(), c.Due, c.Work); !refuted {
		return nil, fmt.Errorf("certificate: %d steps do not show that no schedule ends by %s", min(work, c.Work), c.Due)
	}
	return e.in.Objective.Rat(big.NewInt(int64(r.Next(c.Due)))), nil
}

// Next is the least possible optimum after a refuted time.
func (r *Refuter) Next(due model.Time) model.Time { return (due/r.unit + 1) * r.unit }
