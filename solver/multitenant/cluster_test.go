package multitenant

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
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

// with adds jobs with listed reduces.
func (c *clusterRows) with(jobs ...testJob) *clusterRows {
	for _, x := range jobs {
		c.add(x)
	}
	return c
}

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
		if x.mapNeeds != nil {
			x.mapNeeds(m).set(&task)
		}
		c.Task(task, x.id, block, model.Locus{})
	}
	for r := range x.reduces {
		task := model.Task{ID: fmt.Sprintf("%s.x%d", x.id, r), Kind: model.Reduce,
			Processing:  model.Some(model.TimeOf(x.redTime)),
			OutputBytes: model.Optional[model.Bytes]{Value: x.writes, Known: x.writes > 0}}
		if x.redNeeds != nil {
			x.redNeeds(int(r)).set(&task)
		}
		c.Task(task, x.id, "", model.Locus{})
	}
}

// open opens the workload with the problem's defaults and the given parameters.
func (c *clusterRows) open(t rapid.TB, with solver.Params) *run {
	t.Helper()
	w, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, w, with)
}

// opened opens a workload as the driver does, with the problem's defaults and the given parameters.
func opened(t rapid.TB, w *model.Workload, with solver.Params) *run {
	t.Helper()
	values := defaults(t)
	maps.Copy(values, with)
	r, err := Problem().Open(w, values)
	if err != nil {
		t.Fatal(err)
	}
	return r.(*run)
}

// play runs a policy and requires that the checker accepts its schedule.
func (r *run) play(t rapid.TB, policy string) *solver.Outcome {
	t.Helper()
	m, err := policies().Find(policy)
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Solve(context.Background(), r, solver.Options{Iterations: 1, Seed: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r.sound(t, out)
}

// sound requires that the checker accepts an outcome's schedule.
func (r *run) sound(t rapid.TB, out *solver.Outcome) *solver.Outcome {
	t.Helper()
	if v := r.in.Check(out.Schedule); len(v) > 0 {
		t.Fatalf("%s: %v", out.Algorithm, v)
	}
	return out
}

// best is the outcome of the search.
func (r *run) best(t testing.TB) *solver.Outcome {
	t.Helper()
	out, err := r.Solve(context.Background(), "best", solver.Options{Iterations: 20, Seed: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r.sound(t, out)
}

// search is the search for plans.
func (r *run) search(t testing.TB) *planSearch {
	t.Helper()
	s, err := newPlanSearch(context.Background(), r, solver.Options{Iterations: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// follow simulates a plan.
func (r *run) follow(t testing.TB, s *planSearch, p *plan) *solver.Outcome {
	t.Helper()
	out, err := r.simulate(context.Background(), s.with(p), solver.Options{Iterations: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r.sound(t, out)
}

// plays plays a policy with the defaults and compares where and when jobs run: "job: slot start-end, …".
func (c *clusterRows) plays(t *testing.T, policy string, want ...string) (*run, *solver.Outcome) {
	t.Helper()
	r := c.open(t, nil)
	out := r.play(t, policy)
	expectRuns(t, r, out, want...)
	return r, out
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

// BenchmarkCluster: policies and bounds of the paper's cluster, and of one with 60 racks.
func BenchmarkCluster(b *testing.B) {
	for _, size := range []struct{ racks, jobs, users, maps int }{{10, 360, 30, 300}, {60, 1500, 180, 100}} {
		many := func(r *rand.Rand) int { return 1 + int(r.ExpFloat64()*float64(size.maps)) }
		r := busyCluster(size.racks, size.jobs, size.users, 6, 2, many).open(b, nil)
		for _, a := range policies().Algorithms() {
			b.Run(fmt.Sprintf("%d racks/%s", size.racks, a.Name), func(b *testing.B) {
				for b.Loop() {
					r.play(b, a.Name)
				}
			})
		}
		b.Run(fmt.Sprintf("%d racks/bounds", size.racks), func(b *testing.B) {
			for b.Loop() {
				if _, err := r.prove(context.Background(), solver.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// defaults are the parameters' defaults.
func defaults(t rapid.TB) solver.Params {
	values := solver.Params{}
	for _, p := range Problem().Params {
		values[p.Name] = p.Default
		if p.Kind == solver.FloatParam {
			var v float64
			if _, err := fmt.Sscan(p.Default, &v); err != nil {
				t.Fatal(err)
			}
			values[p.Name] = v
		}
	}
	return values
}

// runsOf lists where and when the tasks of a job run: "slot start-end".
func runsOf(r *run, out *solver.Outcome, job string) (list []string) {
	for _, e := range out.Schedule.Entries {
		if _, j, _ := r.in.TaskName(e.Task); j == job {
			list = append(list, fmt.Sprintf("%s %s-%s", r.in.MachineName(e.Machine), e.Start, e.End))
		}
	}
	return list
}

// expectRuns compares where and when jobs run: "job: slot start-end, …".
func expectRuns(t *testing.T, r *run, out *solver.Outcome, want ...string) {
	t.Helper()
	for _, line := range want {
		job, _, _ := strings.Cut(line, ":")
		if got := job + ": " + strings.Join(runsOf(r, out, job), ", "); got != line {
			t.Errorf("%s, expected %s", got, line)
		}
	}
}

// twoRacks has two racks of one node with a slot of each kind, and uplinks of 100 bytes a second.
func twoRacks(jobs ...testJob) *clusterRows { return newCluster(2, 1, 1, 1, 0, 100).with(jobs...) }
