package shop

import (
	"cmp"
	"errors"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/proof"
)

// ClauseModel is the instance as whole numbers: of some optimal schedule that costs at most a limit, in cost units, the
// starts of the steps, in units of TimeUnit (under tardiness, of its greatest common divisor with the due times), are a
// solution, with what they imply of the other variables. Variables are, in this order:
//
//   - the steps and the objective, in cost units;
//   - of every task that is not fixed, its options, one for each bundle that may run it, if there are several; then its
//     end, if its length depends on the bundle;
//   - of every job, unless the objective is the makespan, its completion;
//   - absences, as they come up in limits.
//
// Arcs lead from a task (from its end, if it has one) to its followers, by step and delay, after the one to its job's
// completion or to the makespan.
type ClauseModel struct {
	*proof.Model
	Unit    model.Time
	Bundles []Bundle
	Options [][]int32 // by task: its option of every bundle, or 0; nil: it has none
	Of      []LimitOf // by limit
	in      *Instance
	ends    []int32 // by task: the variable of its end; 0: it has none
	ways    []int   // by task: how many options it has
	horizon int64
	err     error
}

// LimitOf says what a limit is about: bundles, or nil: all of them; a resource, or how many tasks run, or whether nodes
// are there.
type LimitOf struct {
	Bundles  []int
	Resource int
}

// What limits are about besides resources.
const (
	OfTasks    = -1
	OfPresence = -2
)

// maxOptions bounds the options of a model, maxAmounts the capacity and all amounts of a limit, maxCosts all costs.
const maxOptions, maxAmounts, maxCosts = 200_000, 1 << 61, 1 << 60

// ClauseModel builds the model. Errors say what it does not take.
func (in *Instance) ClauseModel(last int64) (*ClauseModel, error) {
	c := &ClauseModel{in: in, Unit: in.TimeUnit(), Model: &proof.Model{Objective: int32(in.Steps)}}
	if in.Objective == Tardiness {
		for _, due := range in.Due {
			if due < Never {
				c.Unit = model.GCD(max(due, -due), c.Unit)
			}
		}
	}
	switch {
	case in.Objective == WeightedTaskEnds || in.replan != nil && in.replan.Penalty > 0:
		return nil, errors.New("clauses are for objectives of jobs without a change penalty")
	case in.CostUnit().Sign() == 0 || c.Unit == 0 || last < 0 || last > proof.MaxTime/2:
		return nil, errors.New("windows that clauses do not take")
	}
	c.bundle()
	c.horizon = c.whole(in.Horizon())
	if in.Objective == Makespan {
		c.horizon = min(c.horizon, last)
	}
	for u := range int32(in.Steps) {
		c.step(u)
	}
	c.variable(0, last)
	if c.options(); c.err != nil {
		return nil, c.err
	}
	c.objective()
	for u := range int32(in.Steps) {
		c.arcs(u)
	}
	for k := range c.Bundles {
		c.node(k)
	}
	c.together()
	c.groups()
	c.sets()
	return c, c.err
}

// groups adds the limits of the groups. With one node its own limits imply them.
func (c *ClauseModel) groups() {
	in := c.in
	for at, g := range in.Groups {
		var inside []int
		for k := range c.Bundles {
			if _, ok := slices.BinarySearch(g.Nodes, c.Bundles[k].Nodes[0]); ok {
				inside = append(inside, k)
			}
		}
		if len(inside) > 0 && in.Nodes > 1 {
			c.limit(g.Capacity, inside, func(u int32) int64 { return in.Part(u, int32(at)) })
			c.Of[len(c.Of)-1].Resource = int(g.Resource)
		}
	}
}

// Horizon is a time by which some optimal schedule ends. There, every task that is not fixed starts at its release, at
// the end of an absence or of a fixed task, or at the end of another task plus a delay, and so on back.
func (in *Instance) Horizon() (t model.Time) {
	for _, r := range in.Earliest {
		t = max(t, r)
	}
	for _, a := range in.AwayUntil {
		if a < Never {
			t = max(t, a)
		}
	}
	sum := model.Time(0)
	for u := range int32(in.Tasks) {
		if in.Fixed(u) {
			t = max(t, in.FixedStart(u)+in.Least[u])
		} else {
			sum += max(0, slices.Max(in.allLengths(u)))
		}
	}
	for _, d := range in.SuccDelay {
		sum += d
	}
	return t + sum
}

func (c *ClauseModel) variable(least, most int64) int32 {
	c.Least, c.Most = append(c.Least, least), append(c.Most, most)
	return int32(len(c.Least) - 1)
}

// step adds a step's variable. A barrier may lie behind the objective's end, since fixed tasks wait for none.
func (c *ClauseModel) step(u int32) {
	least, most := c.whole(c.in.Earliest[u]), c.horizon
	if c.fixed(u) {
		least = c.whole(c.in.FixedStart(u))
		most = least
	}
	if int(u) >= c.in.Tasks {
		most = c.whole(2 * model.MaxHorizon)
	}
	c.variable(least, most)
}

// options adds options and ends, with the arcs to the ends.
func (c *ClauseModel) options() {
	in, count := c.in, 0
	c.Options, c.ends, c.ways = make([][]int32, in.Tasks), make([]int32, in.Tasks), make([]int, in.Tasks)
	for u := range int32(in.Tasks) {
		if c.fixed(u) {
			continue
		}
		var may []int
		for k := range c.Bundles {
			if in.Runs(u, c.Bundles[k].Nodes[0]) {
				may = append(may, k)
			}
		}
		if len(may) < 2 {
			continue
		}
		if count += len(may); count > maxOptions {
			c.err = errors.New("too many nodes and tasks for clauses")
			return
		}
		c.ways[u] = len(may)
		x, longer := proof.Choice{Start: u}, false
		c.Options[u] = make([]int32, len(c.Bundles))
		for _, k := range may {
			c.Options[u][k] = c.variable(0, 1)
			x.Options = append(x.Options, c.Options[u][k])
			longer = longer || in.Length(u, c.Bundles[k].Nodes[0]) > in.Least[u]
		}
		c.Choices = append(c.Choices, x)
		if !longer {
			continue
		}
		c.ends[u] = c.variable(0, c.horizon)
		c.Arcs = append(c.Arcs, proof.Arc{From: u, To: c.ends[u], Delay: c.length(u)})
		for _, k := range may {
			if p := in.Length(u, c.Bundles[k].Nodes[0]); p > in.Least[u] {
				c.Arcs = append(c.Arcs, proof.Arc{From: u, To: c.ends[u], Delay: c.whole(p), If: c.Options[u][k]})
			}
		}
	}
}

// after adds the arc from a step's end to another variable.
func (c *ClauseModel) after(u, to int32, delay int64) {
	if int(u) < c.in.Tasks && c.ends[u] > 0 {
		c.Arcs = append(c.Arcs, proof.Arc{From: c.ends[u], To: to, Delay: delay})
	} else {
		c.Arcs = append(c.Arcs, proof.Arc{From: u, To: to, Delay: c.length(u) + delay})
	}
}

// objective adds the arcs from the tasks to the makespan, or to completions and their sum. Of dues and completions
// between two units it counts the units that are whole.
func (c *ClauseModel) objective() {
	in := c.in
	if in.Objective == Makespan {
		for u := range int32(in.Tasks) {
			c.after(u, c.Objective, 0)
		}
		return
	}
	first := int32(len(c.Least))
	for range in.Jobs {
		c.variable(0, c.horizon)
	}
	for u := range int32(in.Tasks) {
		c.after(u, first+in.Job[u], 0)
	}
	var weight model.Weight
	for _, w := range in.Weight {
		weight = model.GCD(w, weight)
	}
	x, sum := proof.Sum{Of: c.Objective}, new(big.Int)
	for j := range in.Jobs {
		t := proof.Term{Variable: first + int32(j), Factor: int64(in.Weight[j] / max(1, weight)), Step: in.Objective == Late}
		if in.Objective != WeightedEnds {
			if in.Due[j] >= Never {
				continue
			}
			t.Due = c.whole(in.Due[j])
		}
		if t.Factor > 0 {
			x.Terms = append(x.Terms, t)
			most := big.NewInt(c.horizon + max(t.Due, -t.Due) + 1)
			sum.Add(sum, most.Mul(most, big.NewInt(t.Factor)))
		}
	}
	if sum.Cmp(big.NewInt(maxCosts)) > 0 {
		c.err = errors.New("sums of costs are too large for clauses")
	}
	c.Sums = append(c.Sums, x)
}

// arcs adds the arcs out of a step.
func (c *ClauseModel) arcs(u int32) {
	in, first := c.in, len(c.Arcs)
	for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
		c.after(u, in.SuccStep[a], c.whole(in.SuccDelay[a]))
	}
	slices.SortFunc(c.Arcs[first:], func(a, b proof.Arc) int {
		return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.Delay, b.Delay))
	})
}

func (c *ClauseModel) fixed(u int32) bool { return int(u) < c.in.Tasks && c.in.Fixed(u) }

// length is a step's least length. A fixed task begins with the unit of its start.
func (c *ClauseModel) length(u int32) int64 {
	if c.fixed(u) {
		return c.whole(c.in.FixedStart(u)+c.in.Least[u]) - c.whole(c.in.FixedStart(u))
	}
	return c.whole(c.in.Least[u])
}

// whole is t in units, rounded down.
func (c *ClauseModel) whole(t model.Time) int64 {
	n := t / c.Unit
	if t%c.Unit < 0 {
		n--
	}
	return int64(n)
}

// limit adds a limit of which every task takes an amount while it runs on one of some bundles: once, if it runs there
// in any case and always as long, else for each of them. Of all bundles, nil, it takes it for its least length.
func (c *ClauseModel) limit(capacity int64, bundles []int, amount func(u int32) int64) *proof.Limit {
	in, l, left := c.in, proof.Limit{Capacity: capacity}, maxAmounts-capacity
	add := func(n proof.Need) {
		if n.Length > 0 {
			l.Tasks = append(l.Tasks, n)
			left = max(-1, left-n.Amount)
		}
	}
	for u := range int32(in.Tasks) {
		n := proof.Need{Variable: u, Amount: amount(u), Length: c.length(u)}
		if n.Amount <= 0 {
			continue
		}
		may := slices.DeleteFunc(slices.Clone(bundles), func(k int) bool { return !in.Runs(u, c.Bundles[k].Nodes[0]) })
		if bundles == nil || len(may) > 0 && len(may) >= c.ways[u] && c.ends[u] == 0 {
			add(n)
			continue
		}
		for _, k := range may {
			n.Length, n.If = c.whole(in.Length(u, c.Bundles[k].Nodes[0])), c.Options[u][k]
			add(n)
		}
	}
	if left < 0 {
		c.err = errors.New("sums of demands are too large for clauses")
	}
	c.Limits, c.Of = append(c.Limits, l), append(c.Of, LimitOf{bundles, OfTasks})
	return &c.Limits[len(c.Limits)-1]
}

// one counts tasks that have not ended by now.
func (c *ClauseModel) one(u int32) int64 { return count(!c.in.over(u)) }

// count is 1 if something holds, else 0.
func count(holds bool) int64 {
	if holds {
		return 1
	}
	return 0
}

// node adds the limits of a bundle: how many tasks run there, or what they take of every resource that is limited; and
// presence, if its nodes are away at times: every task takes 1 of Tasks + 1, and an absence takes all.
func (c *ClauseModel) node(k int) {
	in, b, only, one := c.in, &c.Bundles[k], []int{k}, c.one
	if b.Lanes > 0 {
		c.limit(b.Lanes*int64(len(b.Nodes)), only, one)
	} else {
		for r, capacity := range in.Capacities(in.Class[b.Nodes[0]]) {
			if capacity < Unlimited {
				c.limit(capacity, only, func(u int32) int64 { return in.Demands(u)[r] })
				c.Of[len(c.Of)-1].Resource = r
			}
		}
	}
	if i := b.Nodes[0]; in.AwayFirst[i] < in.AwayFirst[i+1] {
		all := int64(in.Tasks) + 1
		c.absent(c.limit(all, only, func(u int32) int64 { return count(!in.Begun(u)) }), b, all)
		c.Of[len(c.Of)-1].Resource = OfPresence
	}
}

// absent adds the absences of a bundle to a limit, as tasks of fixed start.
func (c *ClauseModel) absent(l *proof.Limit, b *Bundle, amount int64) {
	in, i := c.in, b.Nodes[0]
	for a := in.AwayFirst[i]; a < in.AwayFirst[i+1] && amount > 0; a++ {
		from, until := c.whole(in.AwayFrom[a]), c.whole(min(in.AwayUntil[a], 2*model.MaxHorizon))
		if from < until {
			l.Tasks = append(l.Tasks, proof.Need{Variable: c.variable(from, from), Length: until - from, Amount: amount})
		}
	}
}

// together adds, for several bundles, what the nodes that are there have together: the number of tasks, and every
// resource that all of them limit.
func (c *ClauseModel) together() {
	if len(c.Bundles) < 2 {
		return
	}
	c.total(OfTasks, func(b *Bundle) int64 { return b.most }, c.one)
	for r := range c.in.Resources {
		c.total(r, func(b *Bundle) int64 { return c.in.Capacities(c.in.Class[b.Nodes[0]])[r] },
			func(u int32) int64 { return c.in.Demands(u)[r] })
	}
}

func (c *ClauseModel) total(of int, each func(b *Bundle) int64, amount func(u int32) int64) {
	sum, x := new(big.Int), new(big.Int)
	for k := range c.Bundles {
		b := &c.Bundles[k]
		sum.Add(sum, x.Mul(big.NewInt(each(b)), big.NewInt(int64(len(b.Nodes)))))
	}
	if sum.BitLen() > 60 {
		return
	}
	l := c.limit(sum.Int64(), nil, func(u int32) int64 { // a task that runs on while its node is away would count twice
		return amount(u) * count(!c.in.cut(u))
	})
	c.Of[len(c.Of)-1].Resource = of
	for k := range c.Bundles {
		b := &c.Bundles[k]
		c.absent(l, b, each(b)*int64(len(b.Nodes)))
	}
}
