package multitenant

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

// clusterRows collects the rows of a test's workload: racks rack0, rack1, … and nodes n0, n1, … in the order of their
// rows.
type clusterRows struct {
	*model.Builder
	racks, nodes, blocks int
}

func newRows() *clusterRows {
	c := &clusterRows{Builder: model.NewBuilder()}
	c.Node(model.Node{ID: "core", Kind: model.RootNode}, "", model.Locus{})
	return c
}

// rate is in bytes a second; 0: without limit.
func rate(v float64) model.Optional[float64] { return model.Optional[float64]{Value: v, Known: v > 0} }

// rack adds a rack with hosts, whose ids and kinds it fills in.
func (c *clusterRows) rack(uplink float64, hosts ...model.Node) {
	rack := "rack" + strconv.Itoa(c.racks)
	c.racks++
	c.Node(model.Node{ID: rack, Kind: model.RackNode, Bandwidth: rate(uplink)}, "core", model.Locus{})
	for _, h := range hosts {
		h.ID, h.Kind = node(c.nodes), model.HostNode
		c.nodes++
		c.Node(h, rack, model.Locus{})
	}
}

// newCluster has racks of equal nodes.
func newCluster(racks, nodes int, mapSlots, reduceSlots int64, bandwidth, uplink float64) *clusterRows {
	c := newRows()
	hosts := make([]model.Node, nodes)
	for k := range hosts {
		hosts[k] = model.Node{MapSlots: mapSlots, ReduceSlots: reduceSlots, Bandwidth: rate(bandwidth)}
	}
	for range racks {
		c.rack(uplink, hosts...)
	}
	return c
}

func node(k int) string { return "n" + strconv.Itoa(k) }

// testJob is a job of a test. Times are in seconds.
type testJob struct {
	id, user         string
	arrival          float64
	reduces          int64
	mapTime, redTime float64
	shuffle          model.Bytes // 0: no shuffle
	writes           model.Bytes // of a reduce, to another rack
	input            model.Bytes // of a map
	replicas         [][]int     // by map: nodes
	cpu              float64     // of a map; 0: not stated
	memory           model.Bytes
	// mapNeeds and redNeeds, if set, are further columns of a map, or reduce, by its number.
	mapNeeds, redNeeds func(k int) taskNeeds
}

// taskNeeds are optional columns of a task.
type taskNeeds struct {
	release model.Optional[model.Time]
	cpu     model.Optional[float64]
	memory  model.Optional[model.Bytes]
}

func (n taskNeeds) set(t *model.Task) { t.Release, t.CPU, t.MemoryBytes = n.release, n.cpu, n.memory }

// add adds a job with listed reduces.
func (c *clusterRows) add(x testJob) {
	c.Job(model.Job{ID: x.id, Tenant: x.user, Weight: model.UnitWeight, Release: model.TimeOf(x.arrival),
		IntermediateBytes: model.Some(x.shuffle)}, model.Locus{})
	for m, nodes := range x.replicas {
		block := ""
		if nodes != nil {
			block = "b" + strconv.Itoa(c.blocks)
			c.blocks++
			for _, n := range nodes {
				c.Placement(block, node(n), model.Locus{})
			}
		}
		task := model.Task{ID: fmt.Sprintf("%s.m%d", x.id, m), Kind: model.Map,
			Processing: model.Some(model.TimeOf(x.mapTime)), InputBytes: model.Some(x.input)}
		if x.cpu > 0 {
			task.CPU, task.MemoryBytes = model.Some(x.cpu), model.Some(x.memory)
		}
		if x.mapNeeds != nil {
			x.mapNeeds(m).set(&task)
		}
		c.Task(task, x.id, block, model.Locus{})
	}
	for r := range x.reduces {
		task := model.Task{ID: fmt.Sprintf("%s.x%d", x.id, r), Kind: model.Reduce,
			Processing: model.Some(model.TimeOf(x.redTime)), OutputBytes: model.Optional[model.Bytes]{Value: x.writes,
				Known: x.writes > 0}}
		if x.redNeeds != nil {
			x.redNeeds(int(r)).set(&task)
		}
		c.Task(task, x.id, "", model.Locus{})
	}
}

// open opens the workload with the problem's defaults and the given parameters.
func (c *clusterRows) open(t testing.TB, with solver.Params) *run {
	t.Helper()
	w, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	values := solver.Params{}
	for _, p := range Problem().Params {
		switch p.Kind {
		case solver.FloatParam:
			values[p.Name], err = strconv.ParseFloat(p.Default, 64)
			if err != nil {
				t.Fatal(err)
			}
		default:
			values[p.Name] = p.Default
		}
	}
	for name, v := range with {
		values[name] = v
	}
	r, err := open(w, values)
	if err != nil {
		t.Fatal(err)
	}
	return r.(*run)
}

// play runs a policy and requires that the checker accepts its schedule.
func (r *run) play(t testing.TB, policy string) (*solver.Outcome, *multitenant.Instance) {
	t.Helper()
	m, err := policies().Find(policy)
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Solve(context.Background(), r, solver.Options{Iterations: 1, Seed: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if v := r.in.Check(out.Schedule); len(v) > 0 {
		t.Fatalf("%s: %v", policy, v)
	}
	return out, r.in
}

// busyCluster is like the paper's: racks of ten nodes with six map and two reduce slots, 250 Mb/s per node and 500 Mb/s
// per rack, jobs of all sizes every 40 s on average, three replicas in two racks.
func busyCluster(racks, jobs, users int, mapSlots, reduceSlots int64, maps func(r *rand.Rand) int) *clusterRows {
	c := newCluster(racks, 10, mapSlots, reduceSlots, 31.25e6, 62.5e6)
	r, now := rand.New(rand.NewPCG(1, 2)), 0.0
	for j := range jobs {
		now += r.ExpFloat64() * 40 * 10 / float64(racks)
		x := testJob{id: "j" + strconv.Itoa(j), user: "u" + strconv.Itoa(r.IntN(users)), arrival: now,
			mapTime: 10 + 30*r.Float64(),
			redTime: 20 + 60*r.Float64(), input: 64 << 20}
		n := maps(r)
		for range n {
			a, b := r.IntN(racks), r.IntN(racks)
			x.replicas = append(x.replicas, []int{10*a + r.IntN(10), 10*b + r.IntN(10), 10*b + r.IntN(10)})
		}
		x.reduces = int64(1 + n/8)
		x.shuffle = model.Bytes(float64(n) * (64 << 20) * []float64{0.1, 1, 1.5}[r.IntN(3)])
		c.add(x)
	}
	return c
}

func BenchmarkPolicies(b *testing.B) {
	for _, size := range []struct{ racks, jobs, users, maps int }{{10, 360, 30, 300}, {60, 1500, 180, 100}} {
		c := busyCluster(size.racks, size.jobs, size.users, 6, 2, func(r *rand.Rand) int {
			return 1 +
				int(r.ExpFloat64()*float64(size.maps))
		})
		run := c.open(b, nil)
		for _, name := range policies().Algorithms() {
			b.Run(fmt.Sprintf("%d jobs, %d tasks/%s", run.in.Jobs, run.in.Tasks, name.Name), func(b *testing.B) {
				for b.Loop() {
					m, _ := policies().Find(name.Name)
					if _, err := m.Solve(context.Background(), run, solver.Options{Iterations: 1, Seed: 1, Threads: 1}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// open opens a workload as the driver does.
func open(w *model.Workload, p solver.Params) (solver.Run, error) { return Problem().Open(w, p) }
