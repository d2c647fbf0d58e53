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

// task draws the needs of tasks and their releases.
func (d demands) task(t *rapid.T, arrival float64) func(int) taskNeeds {
	return func(int) (n taskNeeds) {
		if d.releases {
			at := drawn(t, "release", -40, 40)
			n.release = model.Optional[model.Time]{Value: max(0, model.TimeOf(arrival+float64(at)/4)), Known: at >= -4}
		}
		if d.limits {
			memory, cores := drawn(t, "memory", -12, 12), drawn(t, "cores", -12, 12)
			n.memory = model.Optional[model.Bytes]{Value: model.Bytes(max(0, memory)), Known: memory >= 0}
			n.cpu = model.Optional[float64]{Value: float64(max(0, cores)) / 10, Known: cores >= 0}
		}
		return n
	}
}

func drawn(t *rapid.T, about string, least, most int) int {
	return rapid.IntRange(least, most).Draw(t, about)
}

// anyDemands draws whether there are releases of tasks, and limits.
func anyDemands(t *rapid.T) demands {
	return demands{rapid.Bool().Draw(t, "releases"), rapid.Bool().Draw(t, "limits")}
}

// anyCluster draws a cluster of unequal nodes and jobs of several users, some without maps, reduces, input, output or
// known replicas. The first node has all that a task may need.
func anyCluster(t *rapid.T, racks int, d demands) *clusterRows {
	c := newRows()
	rates, speeds := rapid.SampledFrom([]float64{0, 40, 100, 1e6, 2.5e12}), rapid.SampledFrom([]float64{0.5, 1, 3})
	for range racks {
		hosts := make([]model.Node, drawn(t, "nodes", 1, 3))
		for k := range hosts {
			h := &hosts[k]
			h.MapSlots, h.ReduceSlots = int64(drawn(t, "map slots", 0, 2)), int64(drawn(t, "reduce slots", 0, 2))
			h.Bandwidth, h.Speed = rate(rates.Draw(t, "bandwidth")), model.Some(speeds.Draw(t, "speed"))
			memory, cores := drawn(t, "node memory", -6, 12), drawn(t, "node cores", -6, 12)
			if c.racks == 0 && k == 0 {
				memory, cores, h.MapSlots, h.ReduceSlots = 12, 12, 1, int64(drawn(t, "slots", 1, 6))
			}
			h.MemoryBytes = model.Optional[model.Bytes]{Value: model.Bytes(max(1, memory)), Known: d.limits && memory > 0}
			h.CPU = model.Optional[float64]{Value: float64(max(1, cores)) / 10, Known: d.limits && cores > 0}
		}
		c.rack(rates.Draw(t, "uplink"), hosts...)
	}
	for j := range drawn(t, "jobs", 1, 6) {
		x := testJob{id: "j" + strconv.Itoa(j), user: string("uvw"[drawn(t, "user", 0, 2)]),
			arrival: float64(drawn(t, "arrival", 0, 40)) / 2, reduces: int64(drawn(t, "reduces", 0, 5)),
			mapTime: float64(drawn(t, "map time", 1, 40)) / 8, redTime: float64(drawn(t, "reduce time", 1, 40)) / 8,
			input:  rapid.SampledFrom([]model.Bytes{0, 1, 50, 400}).Draw(t, "input"),
			writes: rapid.SampledFrom([]model.Bytes{0, 0, 7, 300}).Draw(t, "writes")}
		x.mapNeeds, x.redNeeds = d.task(t, x.arrival), d.task(t, x.arrival)
		for range drawn(t, "maps", 0, 8) {
			nodes := rapid.SliceOfNDistinct(rapid.IntRange(0, c.nodes-1), 0, 3, rapid.ID).Draw(t, "replicas")
			if len(nodes) == 0 {
				nodes = nil
			}
			x.replicas = append(x.replicas, nodes)
		}
		if len(x.replicas) > 0 {
			x.shuffle = rapid.SampledFrom([]model.Bytes{0, 7, 300, 3000}).Draw(t, "shuffle")
		} else {
			x.reduces = max(1, x.reduces)
		}
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

// everyConfig lists the policies by name, also without some of their parts.
var everyConfig = []struct {
	name string
	c    config
}{
	{"fair", config{}},
	{"delay", config{patient: true}},
	{"drf", config{drf: true}},
	{"shufflewatcher", config{nass: true, sarp: true, samp: true}},
	{"shufflewatcher without samp", config{nass: true, sarp: true}},
	{"shufflewatcher without sarp", config{nass: true}},
	{"sw-drf", config{nass: true, sarp: true, samp: true, drf: true}},
	{"sw-relaxed", config{nass: true, sarp: true, samp: true, patient: true}},
}

// TestPoliciesAreSound: the checker accepts every policy's schedule on any cluster. The network has carried the bytes
// that cross by the model, or up to one byte more for each reduce and rack whose share is rounded. With one rack
// no byte crosses. Reduces that hold memory and cores while they wait for maps never block these; some do begin early.
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
			if racks == 1 && got["cross_rack_bytes"] != model.Number("0") {
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
				t.Fatalf("rack %d, link %d: %g bytes, the model says %g", rack, kind, got, want)
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
