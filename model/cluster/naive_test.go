package cluster_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/cluster"
)

// naive judges schedules from the tables of a workload alone, one rule after another. It shares no code with the
// package.
type naive struct {
	w     *model.Workload
	fixed map[model.TaskIndex]model.FixedTask
}

func newNaive(w *model.Workload) *naive {
	n := &naive{w, map[model.TaskIndex]model.FixedTask{}}
	for _, f := range w.Fixed {
		n.fixed[f.Task] = f
	}
	return n
}

// length is how long a task takes on a row of the topology; nil: it cannot run there.
func (n *naive) length(u model.TaskIndex, at model.NodeIndex) *big.Rat {
	w, t := n.w, &n.w.Tasks[u]
	rows := 0
	for _, g := range w.Times {
		if g.Job == t.Job && g.Task == t.ID {
			if rows++; g.Worker == at {
				return new(big.Rat).SetInt64(int64(g.Time))
			}
		}
	}
	if rows > 0 {
		return nil
	}
	node := w.Topology[at]
	sum := new(big.Rat).SetInt64(int64(t.Processing.Value))
	sum.Quo(sum, rat(node.Speed.Or(1)))
	if t.Kind == model.Map && t.Block != model.None {
		sum.Add(sum, n.reading(t, at))
	}
	up := new(big.Int).Quo(new(big.Int).Add(sum.Num(), new(big.Int).Sub(sum.Denom(), big.NewInt(1))), sum.Denom())
	return new(big.Rat).SetInt(up)
}

// reading is the time in which a map reads its block.
func (n *naive) reading(t *model.Task, at model.NodeIndex) *big.Rat {
	w, node, inRack := n.w, n.w.Topology[at], false
	for _, p := range w.Placements {
		if p.Block == t.Block {
			if p.Node == at {
				return new(big.Rat)
			}
			inRack = inRack || w.Topology[p.Node].Parent == node.Parent
		}
	}
	width := node.Bandwidth
	if uplink := w.Topology[node.Parent].Bandwidth; !inRack && uplink.Known &&
		(!width.Known || uplink.Value < width.Value) {
		width = uplink
	}
	if !width.Known {
		return new(big.Rat)
	}
	r := new(big.Rat).SetInt64(int64(t.InputBytes.Or(0)) * int64(model.Second))
	return r.Quo(r, rat(width.Value))
}

// rat is a decimal of at most three digits.
func rat(v float64) *big.Rat { return big.NewRat(int64(v*1000+0.5), 1000) }

// valid reports whether a schedule breaks no rule.
func (n *naive) valid(in *cluster.Instance, s *model.Schedule) bool {
	row := map[model.TaskIndex]model.Entry{}
	for _, e := range s.Entries {
		if _, twice := row[e.Task]; twice {
			return false
		}
		row[e.Task] = e
	}
	if len(row) != len(n.w.Tasks) {
		return false
	}
	for u, e := range row {
		if !n.alone(u, e, n.at(in, e)) {
			return false
		}
	}
	return n.ordered(row) && n.fits(in, row)
}

func (n *naive) at(in *cluster.Instance, e model.Entry) model.NodeIndex {
	name := in.MachineName(e.Machine)
	return model.NodeIndex(slices.IndexFunc(n.w.Topology, func(x model.Node) bool { return x.ID == name }))
}

// alone judges a task by itself.
func (n *naive) alone(u model.TaskIndex, e model.Entry, at model.NodeIndex) bool {
	w, t := n.w, &n.w.Tasks[u]
	length := n.length(u, at)
	if length == nil || new(big.Rat).SetInt64(int64(e.End-e.Start)).Cmp(length) != 0 {
		return false
	}
	for _, a := range w.Unavailable {
		if a.Node == at && e.End > e.Start && e.Start < a.Until.Or(model.MaxTime) && e.End > a.From {
			return false
		}
	}
	if f, fixed := n.fixed[u]; fixed {
		return f.Node == at && f.Start == e.Start
	}
	for _, own := range []bool{false, true} {
		rows, inside := 0, false
		for _, x := range w.Eligible {
			if own && x.Task == u || !own && x.Task == model.None && x.Job == t.Job {
				rows++
				for p := at; p != model.None; p = w.Topology[p].Parent {
					inside = inside || p == x.Place
				}
			}
		}
		if rows > 0 && !inside {
			return false
		}
	}
	return e.Start >= w.Jobs[t.Job].Release && e.Start >= t.Release.Or(0)
}

// ordered judges precedence, pair by pair.
func (n *naive) ordered(row map[model.TaskIndex]model.Entry) bool {
	w := n.w
	after := func(u, v model.TaskIndex, delay model.Time) bool {
		_, fixed := n.fixed[v]
		return fixed || row[v].Start >= row[u].End+delay
	}
	general := map[model.JobIndex]bool{}
	for _, d := range w.Delays {
		general[w.Tasks[d.From].Job] = true
		if !after(d.From, d.To, d.Delay) {
			return false
		}
	}
	for u := range w.Tasks {
		for v := range w.Tasks {
			x, y := &w.Tasks[u], &w.Tasks[v]
			if x.Job == y.Job && !general[x.Job] && x.Kind == model.Map && y.Kind == model.Reduce &&
				!after(model.TaskIndex(u), model.TaskIndex(v), x.ShuffleDelay) {
				return false
			}
			for _, d := range w.Dependencies {
				if d.After == x.Job && d.Job == y.Job && !after(model.TaskIndex(u), model.TaskIndex(v), d.Delay) {
					return false
				}
			}
		}
	}
	return true
}

// fits judges the resources of every node at every start.
func (n *naive) fits(in *cluster.Instance, row map[model.TaskIndex]model.Entry) bool {
	w := n.w
	for _, first := range row {
		at := n.at(in, first)
		sum, node := n.needs(in, first, map[string]int64{}), &w.Topology[at]
		for v, e := range row {
			if v != first.Task && e.Machine == first.Machine && first.End > first.Start && e.Start <= first.Start &&
				e.End > first.Start {
				sum = n.needs(in, e, sum)
			}
		}
		limit := func(resource string, most int64, known bool) bool { return !known || sum[resource] <= most }
		slots, bare := node.MapSlots+node.ReduceSlots > 0, true
		for _, c := range w.Capacities {
			bare = bare && c.Node != at
		}
		bare = bare && !slots && !node.CPU.Known && !node.MemoryBytes.Known
		if !limit("cpu", int64(node.CPU.Value*1e6+0.5), node.CPU.Known) ||
			!limit("memory", int64(node.MemoryBytes.Value), node.MemoryBytes.Known) ||
			!limit("map", node.MapSlots, slots) || !limit("reduce", node.ReduceSlots, slots) || !limit("node", 1, bare) {
			return false
		}
		for _, d := range w.Demands {
			have := int64(0)
			for _, c := range w.Capacities {
				if c.Node == at && c.Resource == d.Resource {
					have = int64(c.Amount)
				}
			}
			if sum["named "+d.Resource] > have {
				return false
			}
		}
	}
	return true
}

// needs adds the demands of a task.
func (n *naive) needs(_ *cluster.Instance, e model.Entry, sum map[string]int64) map[string]int64 {
	t := &n.w.Tasks[e.Task]
	sum["cpu"] += int64(t.CPU.Or(1)*1e6 + 0.5)
	sum["memory"] += int64(t.MemoryBytes.Or(0))
	sum[t.Kind.String()]++
	sum["node"]++
	for _, d := range n.w.Demands {
		if d.Task == e.Task {
			sum["named "+d.Resource] += int64(d.Amount)
		}
	}
	return sum
}

// TestNaive compares the checker with the naive one, and the evaluation with sums over the tables, on schedules that
// are valid, nearly valid and random.
func TestNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	valid, broken := 0, 0
	for k := range 1500 {
		w, err := instances.SmallCluster(r, k)
		if err != nil {
			t.Fatal(err)
		}
		in, err := cluster.New(w)
		if err != nil {
			t.Fatal(err)
		}
		n, s := newNaive(w), apart(r, in)
		for range 6 {
			found := in.Check(s)
			if want := n.valid(in, s); want != (len(found) == 0) {
				t.Fatalf("instance %d: %v: naive says %v, the checker %v", k, s.Entries, want, found)
			} else if want {
				valid++
			} else {
				broken++
			}
			evaluate(t, in, w, s)
			e := &s.Entries[r.IntN(len(s.Entries))]
			switch r.IntN(3) {
			case 0:
				shift := model.Time(r.IntN(9)-4) * model.Second / 2
				e.Start, e.End = e.Start+shift, e.End+shift
			case 1:
				e.Machine = int32(r.IntN(in.Nodes))
				e.End = e.Start + max(0, in.Length(int32(e.Task), e.Machine))
			default:
				e.End += model.Time(r.IntN(2))
			}
		}
	}
	if valid < 1000 || broken < 1000 {
		t.Errorf("%d valid schedules and %d others: the test sees too few of one", valid, broken)
	}
}

// apart puts one task after another, predecessors first, each on a random node that may run it. So only rare errors
// remain.
func apart(r *rand.Rand, in *cluster.Instance) *model.Schedule {
	s := &model.Schedule{Entries: make([]model.Entry, in.Tasks)}
	at := model.Time(0)
	for u := range int32(in.Tasks) {
		if i := in.FixedNode[u]; i != model.None {
			s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: i, Start: in.FixedStart[u],
				End: in.FixedStart[u] + in.Length(u, i)}
			at = max(at, s.Entries[u].End)
		}
	}
	for _, u := range in.Topo {
		if int(u) >= in.Tasks || in.Fixed(u) {
			continue
		}
		var may []int32
		for i := range int32(in.Nodes) {
			if in.Runs(u, i) {
				may = append(may, i)
			}
		}
		i := may[r.IntN(len(may))]
		at = max(at, in.Earliest[u]) + model.Time(r.IntN(8))*model.Second/2
		s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: i, Start: at, End: at + in.Length(u, i)}
		at = s.Entries[u].End
	}
	return s
}

// evaluate compares the metrics with sums in floating point.
func evaluate(t *testing.T, in *cluster.Instance, w *model.Workload, s *model.Schedule) {
	t.Helper()
	want := map[string]float64{}
	for j := range w.Jobs {
		x, end := &w.Jobs[j], model.Time(0)
		for _, e := range s.Entries {
			if w.Tasks[e.Task].Job == model.JobIndex(j) {
				end = max(end, e.End)
			}
		}
		want["twjct"] += x.Weight.Float() * end.Seconds()
		want["makespan"] = max(want["makespan"], end.Seconds())
		if due := x.Release + x.Deadline.Value; x.Deadline.Known && end > due {
			want["tardiness"] += x.Weight.Float() * (end - due).Seconds()
			want["late"] += x.Weight.Float()
			want["late_jobs"]++
		}
	}
	got := in.Evaluate(s).Metrics
	for _, name := range append(cluster.Objectives(), "late_jobs") {
		v, _ := got[name].(model.Number).Rat()
		if f, _ := v.Float64(); f > want[name]+1e-5 || f < want[name]-1e-5 {
			t.Fatalf("%s is %s, expected %g", name, got[name], want[name])
		}
	}
}
