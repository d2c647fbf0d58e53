package multitenant

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/tier"
	"mrsched/solver"
	"mrsched/solver/sim"
)

// smallJobs is a size of jobs.
func smallJobs(r *rand.Rand) int { return 1 + r.IntN(12) }

// demands selects constraints of a drawn cluster beyond slots and links.
type demands struct{ releases, limits bool }

// node gives a node memory, cores, both or neither. The first node has all that a task may need.
func (d demands) node(t *rapid.T, n *model.Node, first bool) {
	if !d.limits {
		return
	}
	if first || rapid.Bool().Draw(t, "has memory") {
		n.MemoryBytes = model.Some(model.Bytes(rapid.IntRange(1, 12).Draw(t, "node memory")))
	}
	if first || rapid.Bool().Draw(t, "has cores") {
		n.CPU = model.Some(float64(rapid.IntRange(1, 12).Draw(t, "node cores")) / 10)
	}
	if first {
		n.MemoryBytes, n.CPU = model.Some(model.Bytes(12)), model.Some(1.2)
	}
}

// task draws the needs of tasks and their releases.
func (d demands) task(t *rapid.T, arrival float64) func(int) taskNeeds {
	return func(int) (n taskNeeds) {
		if d.releases && rapid.Bool().Draw(t, "released later") {
			n.release = model.Some(model.TimeOf(arrival + float64(rapid.IntRange(-4, 40).Draw(t, "release"))/4))
			n.release.Value = max(0, n.release.Value)
		}
		if d.limits && rapid.Bool().Draw(t, "needs memory") {
			n.memory = model.Some(model.Bytes(rapid.IntRange(0, 12).Draw(t, "memory")))
		}
		if d.limits && rapid.Bool().Draw(t, "needs cores") {
			n.cpu = model.Some(float64(rapid.IntRange(0, 12).Draw(t, "cores")) / 10)
		}
		return n
	}
}

// anyDemands draws whether there are releases of tasks, and limits.
func anyDemands(t *rapid.T) demands {
	return demands{rapid.Bool().Draw(t, "releases"), rapid.Bool().Draw(t, "limits")}
}

// anyCluster draws a cluster of unequal nodes and jobs of several users, some without maps, reduces, input, output or
// known replicas.
func anyCluster(t *rapid.T, racks int, d demands) *clusterRows {
	c := newRows()
	rates := rapid.SampledFrom([]float64{0, 40, 100, 1e6, 2.5e12})
	for range racks {
		hosts := make([]model.Node, rapid.IntRange(1, 3).Draw(t, "nodes"))
		for k := range hosts {
			hosts[k] = model.Node{MapSlots: rapid.Int64Range(0, 2).Draw(t, "map slots"),
				ReduceSlots: rapid.Int64Range(0, 2).Draw(t, "reduce slots"),
				Bandwidth:   rate(rates.Draw(t, "bandwidth")), Speed: model.Some(rapid.SampledFrom([]float64{0.5, 1, 3}).Draw(t,
					"speed"))}
		}
		for k := range hosts {
			d.node(t, &hosts[k], c.racks == 0 && k == 0)
		}
		if c.racks == 0 {
			hosts[0].MapSlots, hosts[0].ReduceSlots = 1, rapid.Int64Range(1, 6).Draw(t, "reduce slots")
		}
		c.rack(rates.Draw(t, "uplink"), hosts...)
	}
	for j := range rapid.IntRange(1, 6).Draw(t, "jobs") {
		x := testJob{id: "j" + strconv.Itoa(j), user: rapid.SampledFrom([]string{"u", "v", "w"}).Draw(t, "user"),
			arrival: float64(rapid.IntRange(0, 40).Draw(t, "arrival")) / 2,
			reduces: rapid.Int64Range(0, 5).Draw(t, "reduces"), mapTime: float64(rapid.IntRange(1, 40).Draw(t, "map time")) / 8,
			redTime: float64(rapid.IntRange(1, 40).Draw(t, "reduce time")) / 8,
			input:   model.Bytes(rapid.SampledFrom([]int{0, 1, 50, 400}).Draw(t, "input"))}
		x.mapNeeds, x.redNeeds = d.task(t, x.arrival), d.task(t, x.arrival)
		for range rapid.IntRange(0, 8).Draw(t, "maps") {
			x.replicas = append(x.replicas, rapid.SliceOfNDistinct(rapid.IntRange(0, c.nodes-1), 0, 3, rapid.ID).Draw(t,
				"replicas"))
			if len(x.replicas[len(x.replicas)-1]) == 0 {
				x.replicas[len(x.replicas)-1] = nil
			}
		}
		if len(x.replicas) > 0 {
			x.shuffle = model.Bytes(rapid.SampledFrom([]int{0, 7, 300, 3000}).Draw(t, "shuffle"))
		} else {
			x.reduces = max(1, x.reduces)
		}
		x.writes = model.Bytes(rapid.SampledFrom([]int{0, 0, 7, 300}).Draw(t, "writes"))
		c.add(x)
	}
	return c
}

// simulated plays a policy on a network with a step, 0 for none, and returns the simulation.
func simulated(t rapid.TB, r *run, c config, step model.Time) *simulation {
	t.Helper()
	c, err := c.with(r.p)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSimulation(r.in, c)
	if err != nil {
		t.Fatal(err)
	}
	if step > 0 {
		s.t.coarsen(step)
	}
	if err := s.play(context.Background(), solver.Options{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// everyConfig lists the policies by name, also without some of their parts. Fair ones never start a task of a user
// while another user with fewer tasks has a waiting one.
var everyConfig = []struct {
	name string
	fair bool
	c    config
}{
	{"fair", true, config{}},
	{"delay", false, config{patient: true}},
	{"drf", false, config{drf: true}},
	{"shufflewatcher", true, config{nass: true, sarp: true, samp: true}},
	{"shufflewatcher without samp", true, config{nass: true, sarp: true}},
	{"shufflewatcher without sarp", true, config{nass: true}},
	{"sw-drf", false, config{nass: true, sarp: true, samp: true, drf: true}},
	{"sw-relaxed", false, config{nass: true, sarp: true, samp: true, patient: true}},
	{"sw-spill", false, config{nass: true, sarp: true, samp: true, spill: true}},
	{"sw-spill without samp", false, config{nass: true, sarp: true, spill: true}},
}

// TestPoliciesAreSound: the checker accepts every policy's schedule on any cluster. The network has carried the bytes
// that cross by the model, or up to one byte more for each reduce and rack whose share is rounded. Fair policies are
// fair by the model's count. With one rack no byte crosses. Reduces that hold memory and cores while they wait for maps
// never block these; some do begin early.
func TestPoliciesAreSound(t *testing.T) {
	early := 0
	rapid.Check(t, func(rt *rapid.T) {
		racks := rapid.IntRange(1, 4).Draw(rt, "racks")
		d := anyDemands(rt)
		r := anyCluster(rt, racks, d).open(rt, solver.Params{
			slowStartParam: rapid.SampledFrom([]float64{0, 0.05, 0.5, 1}).Draw(rt, "slow start"),
			waitParam:      rapid.SampledFrom([]float64{0, 0.7, 5}).Draw(rt, "wait"),
			windowParam:    rapid.SampledFrom([]float64{1, 600}).Draw(rt, "window"),
			ratioParam:     rapid.SampledFrom([]string{"estimated", "known"}).Draw(rt, "ratio")})
		width := rapid.SampledFrom([]model.Time{stepFor(r.in), step, longStep}).Draw(rt, "step")
		for _, x := range everyConfig {
			s := simulated(rt, r, x.c, width)
			schedule := &model.Schedule{Entries: s.rows}
			if v := r.in.Check(schedule); len(v) > 0 {
				rt.Fatalf("%s: %v", x.name, v)
			}
			got := r.in.Evaluate(schedule).Metrics
			if x.fair && !d.limits && got["unfair_starts"] != model.Number("0") ||
				racks == 1 && got["cross_rack_bytes"] != model.Number("0") {
				rt.Fatalf("%s: %v", x.name, got)
			}
			compareTraffic(rt, s)
			early += s.facts.early
			if again := simulated(rt, r, x.c, width); !slices.Equal(again.rows, s.rows) {
				rt.Fatalf("%s: another run makes another schedule", x.name)
			}
		}
	})
	if early == 0 {
		t.Error("no reduce began before its job's maps had ended")
	}
}

// compareTraffic compares the network's counters with the traffic that model/multitenant derives from the schedule.
func compareTraffic(t *rapid.T, s *simulation) {
	in := s.in
	f := in.Flows(&model.Schedule{Entries: s.rows})
	out, into, above := make([]float64, in.Racks), make([]float64, in.Racks), 0.0
	for j := range in.Jobs {
		r := float64(in.Reduces(int32(j)))
		if r == 0 {
			continue
		}
		for a := range in.Racks {
			if f.Output[j*in.Racks+a]%model.Bytes(r) != 0 { // shares are rounded up
				above += r
			}
			for b := range in.Racks {
				if bytes := float64(f.Output[j*in.Racks+a]) * float64(f.Reducers[j*in.Racks+b]) / r; a != b {
					out[a] += bytes
					into[b] += bytes
				}
			}
		}
	}
	for _, e := range s.rows {
		w := in.WorkerOf[e.Machine]
		if task := int32(e.Task); in.IsMap(task) && in.Locality(task, w) == model.Remote {
			out[in.RackOf[in.Source(task, w)]] += float64(in.Input[task])
			into[in.RackOf[w]] += float64(in.Input[task])
		} else if bytes := float64(in.Writes(task)); bytes > 0 {
			out[in.RackOf[w]] += bytes
			into[in.CopyRack(task, in.RackOf[w])] += bytes
		}
	}
	for rack := range in.Racks {
		for kind, want := range map[sim.LinkKind]float64{sim.RackOut: out[rack], sim.RackIn: into[rack]} {
			if got := float64(s.t.net.LinkBytes(s.t.net.Link(kind, rack))); got < want-1e-6 || got > want+1e-6+above {
				t.Fatalf("rack %d, %s: %g bytes, the model says %g", rack, kind, got, want)
			}
		}
	}
}

// TestManyRacks: a cluster with many racks, whose network has long steps, is sound, too. Only large instances have
// steps.
func TestManyRacks(t *testing.T) {
	tier.Slow(t)
	if few := busyCluster(10, 40, 5, 2, 1, smallJobs).open(t, nil); stepFor(few.in) != 1 {
		t.Errorf("%d tasks in 10 racks: step %s", few.in.Tasks, stepFor(few.in))
	}
	r := busyCluster(30, 900, 5, 2, 1, smallJobs).open(t, nil)
	if stepFor(r.in) != longStep {
		t.Errorf("%d tasks in 30 racks: step %s", r.in.Tasks, stepFor(r.in))
	}
	for _, a := range policies().Algorithms()[:tier.Draws(2, len(policies()))] {
		r.play(t, a.Name)
	}
}

func init() { tier.Rapid(50) }
