package cli

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/io/engine"
	"mrsched/model"
)

// bestCase is a problem with one of its objectives, for tests that hold for all problems.
type bestCase struct {
	name, problem string
	params        engine.Settings     // fixed
	vary          map[string][]string // parameters that differ from instance to instance
	rows          func(m *maker)      // adds them
}

// bestCases lists all problems and objectives. A new problem adds its row here.
func bestCases() []bestCase {
	msjo := map[string][]string{"prediction-error": {"0", "0", "0.5"}, "batch-interval": {"1", "5", "50"}}
	realtime := map[string][]string{"estimates": {"auto", "auto", "true"}, "resplit-cost": {"", "", "0", "0.5"},
		"deadline-factor": {"0", "2"}, "partitioner": {"hash", "lb", "dp", "lb-sketch", "dp-sketch"},
		"max-neighbours": {"1", "256"}, "sketch-delta": {"0", "0.2"}}
	ties := map[string][]string{"tie": {"first", "random", "worst"}}
	slots := map[string][]string{"max-running-jobs": {"0", "1", "3"}, "estimate": {"0", "0.5"}, "window": {"2", "100"}}
	waits := map[string][]string{"slow-start": {"0", "0.05", "1"}, "locality-wait": {"0", "5"}}
	return []bestCase{
		{"msjo-twjct", "msjo", engine.Settings{"objective": "twjct"}, msjo, (*maker).graphs},
		{"msjo-twtct", "msjo", engine.Settings{"objective": "twtct"}, msjo, (*maker).graphs},
		{"hta-two-levels", "hta", nil, ties, (*maker).twoLevels},
		{"hta-racks", "hta", nil, ties, (*maker).threeLevels},
		{"reduceplace", "reduceplace", nil, slots, (*maker).placements},
		{"realtime-deadlines", "realtime", engine.Settings{"goal": "deadlines"}, realtime, (*maker).deadlines},
		{"realtime-partitions", "realtime", engine.Settings{"goal": "partitions"}, realtime, (*maker).deadlines},
		{"multitenant", "multitenant", nil, waits, (*maker).tenants},
	}
}

// maker makes one random instance.
type maker struct {
	*model.Builder
	r     *rand.Rand
	scale int // size; 1: few jobs and tasks
	hosts []string
	tasks int
}

// instance makes an instance of a case, with the parameters to solve it. The same arguments give the same instance.
func (c bestCase) instance(seed uint64, scale int) (*model.Workload, engine.Settings, error) {
	m := &maker{Builder: model.NewBuilder(), r: rand.New(rand.NewPCG(seed, uint64(scale))), scale: scale}
	with := engine.Settings{}
	for name, value := range c.params {
		with[name] = value
	}
	for _, name := range slices.Sorted(maps.Keys(c.vary)) {
		with[name] = pick(m, c.vary[name]...)
	}
	c.rows(m)
	w, err := m.Build()
	return w, with, err
}

// open opens an instance of a case; nil if the problem rejects it, which few instances may cause.
func (c bestCase) open(t *testing.T, seed uint64, scale int) *engine.Opened {
	t.Helper()
	w, with, err := c.instance(seed, scale)
	if err != nil {
		t.Fatal(err)
	}
	p, err := engine.FindProblem(c.problem, w)
	if err != nil {
		t.Fatal(err)
	}
	params, err := engine.SettingValues(p.Params, with)
	if err != nil {
		t.Fatal(err)
	}
	o, err := engine.Open(p, w, params)
	if err != nil {
		t.Logf("instance %d: %v", seed, err)
		return nil
	}
	return o
}

func pick[T any](m *maker, list ...T) T { return list[m.r.IntN(len(list))] }

// number draws one of 0 … n−1.
func (m *maker) number(n int) int { return m.r.IntN(n) }

// seconds draws half seconds below a number; every fifth value is 0.
func (m *maker) seconds(below int) model.Time {
	if m.number(5) == 0 {
		return 0
	}
	return model.Time(m.number(2*below)) * model.Second / 2
}

// bytes draws a number of bytes below a limit.
func (m *maker) bytes(below int) model.Optional[model.Bytes] {
	return model.Some(model.Bytes(m.number(below)))
}

// jobs draws the number of jobs.
func (m *maker) jobs() int { return m.scale * (1 + m.number(6)) }

// job draws a job without data. It may arrive later, and may have weight 0.
func (m *maker) job(k int) model.Job {
	return model.Job{ID: fmt.Sprintf("j%d", k), Release: m.seconds(8 * m.scale),
		Weight: model.Weight(m.number(6)) * model.UnitWeight / 2,
		Tenant: pick(m, "", "a", "b", "c"), Class: pick(m, "c", "d")}
}

// task adds a task and returns its id.
func (m *maker) task(job string, kind model.TaskKind, block string, change func(t *model.Task)) string {
	t := model.Task{ID: fmt.Sprintf("t%d", m.tasks), Kind: kind,
		Processing: model.Some(m.seconds(8)), InputBytes: m.bytes(12)}
	m.tasks++
	if m.number(5) == 0 {
		t.Release = model.Some(m.seconds(10))
	}
	if m.number(4) == 0 {
		t.Weight = model.Some(model.Weight(m.number(6)) * model.UnitWeight)
	}
	if kind == model.Map && m.number(3) == 0 {
		t.ShuffleDelay = m.seconds(4)
	}
	if change != nil {
		change(&t)
	}
	m.Task(t, job, block, model.Locus{})
	return t.ID
}

// racks adds racks of nodes with unlike speeds, slots, links, cores and memory. The first node has slots of both kinds.
func (m *maker) racks() {
	m.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	limited := m.number(3)
	for k := range 1 + m.number(3) {
		rack := model.Node{ID: fmt.Sprintf("rack%d", k), Kind: model.RackNode}
		if limited > 0 {
			rack.Bandwidth = model.Some(float64(1 + m.number(6)))
		}
		m.Node(rack, "root", model.Locus{})
		for range 1 + m.number(3) {
			n := model.Node{ID: fmt.Sprintf("n%d", len(m.hosts)), Kind: model.HostNode, MapSlots: m.r.Int64N(3),
				ReduceSlots: m.r.Int64N(3), CPU: model.Some(float64(4 + m.number(4))),
				MemoryBytes: model.Some(model.Bytes(8 + m.number(8)))}
			if len(m.hosts) == 0 {
				n.MapSlots, n.ReduceSlots = 1, 1
			}
			if m.number(2) == 0 {
				n.Speed = model.Some(pick(m, 0.25, 0.5, 1.5, 3))
			}
			if limited > 1 {
				n.Bandwidth = model.Some(float64(1 + m.number(10)))
			}
			m.Node(n, rack.ID, model.Locus{})
			m.hosts = append(m.hosts, n.ID)
		}
	}
}

// block places a block on some nodes. Some blocks are on the same nodes, and some on none.
func (m *maker) block(name string) string {
	if m.number(6) == 0 {
		return ""
	}
	for _, h := range m.r.Perm(len(m.hosts))[:min(len(m.hosts), 1+m.number(3))] {
		m.Placement(name, m.hosts[h], model.Locus{})
	}
	return name
}

// graphs adds jobs of msjo: maps and reduces, or stages in any order.
func (m *maker) graphs() {
	m.Scalars("random", "msjo", model.Some(int64(1+m.number(5))), nil)
	for k := range m.jobs() {
		j := m.job(k)
		m.Job(j, model.Locus{})
		var ids []string
		maps := m.number(6)
		for range maps {
			ids = append(ids, m.task(j.ID, model.Map, "", nil))
		}
		for range max(m.number(5), 1-maps) {
			ids = append(ids, m.task(j.ID, model.Reduce, "", nil))
		}
		if m.number(3) > 0 {
			continue
		}
		for b := range ids {
			for a := range b {
				if m.number(3) == 0 {
					m.Delay(ids[a], ids[b], m.seconds(4), model.Locus{})
				}
			}
		}
	}
}

// assignment adds maps of hta with their blocks.
func (m *maker) assignment(c model.AssignmentCost) {
	m.Scalars("random", "hta", model.Optional[int64]{}, nil)
	m.Cost(c, model.Locus{})
	m.racks()
	blocks := 0
	for k := range m.jobs() {
		j := m.job(k)
		m.Job(j, model.Locus{})
		for range 1 + m.number(6) {
			name := fmt.Sprintf("b%d", m.number(blocks+1))
			if name == fmt.Sprintf("b%d", blocks) {
				if m.block(name) == "" {
					m.Placement(name, m.hosts[0], model.Locus{})
				}
				blocks++
			}
			m.task(j.ID, model.Map, name, nil)
		}
	}
}

// twoLevels has remote costs that are the same for all, rise with the number of remote tasks, or come from a table.
func (m *maker) twoLevels() {
	local := model.Second/2 + m.seconds(3)
	c := model.AssignmentCost{Local: local, Remote: model.RemoteCost{Base: local + m.seconds(4)}}
	switch m.number(4) {
	case 0:
		c.Remote.PerRemote = model.Second/4 + m.seconds(2)
	case 1:
		for w := c.Remote.Base; len(c.Remote.Table) < 8; w += m.seconds(2) {
			c.Remote.Table = append(c.Remote.Table, w)
		}
		c.Remote.Base = 0
	}
	m.assignment(c)
}

// threeLevels has other costs for nodes of the same rack than for all others.
func (m *maker) threeLevels() {
	local := model.Second/2 + m.seconds(3)
	rack := local + m.seconds(3)
	remote := model.RemoteCost{Base: rack + m.seconds(4)}
	m.assignment(model.AssignmentCost{Local: local, Rack: model.Some(rack), Remote: remote})
}

// placements adds jobs of reduceplace on slots with their own costs, or on those of a topology.
func (m *maker) placements() {
	m.Scalars("random", "reduceplace", model.Optional[int64]{}, nil)
	slots := 2 + m.number(6)
	if m.number(2) == 0 {
		m.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
		for k := range 3 {
			m.Node(model.Node{ID: fmt.Sprintf("rack%d", k), Kind: model.RackNode}, "root", model.Locus{})
		}
		for s := range slots {
			n := model.Node{ID: fmt.Sprintf("n%d", s), Kind: model.HostNode, MapSlots: 1, ReduceSlots: 1}
			m.Node(n, fmt.Sprintf("rack%d", m.number(3)), model.Locus{})
		}
	} else {
		for s := range slots {
			cost := model.Cost(m.number(12)) * model.UnitCost / 2
			m.ReduceSlot(model.ReduceSlot{ID: fmt.Sprintf("s%d", s), Cost: cost}, model.Locus{})
		}
	}
	for k := range 2 * m.jobs() {
		j := m.job(k)
		j.MapWork = model.Some(m.seconds(8))
		reduces, listed := 1+m.number(slots), m.number(2) == 0
		if !listed {
			j.Reduces = model.Some(int64(reduces))
		}
		if !listed || m.number(2) == 0 {
			j.IntermediateBytes = m.bytes(60)
		}
		m.Job(j, model.Locus{})
		for b := range 3 {
			if b < m.number(3) || b+k == 0 {
				m.task(j.ID, model.Map, "", func(t *model.Task) { t.OutputBytes = m.bytes(20) })
			}
		}
		for range reduces {
			if listed {
				m.task(j.ID, model.Reduce, "", nil)
			}
		}
	}
}

// deadlines adds jobs of realtime, with data in every form in which it can be stated, and past runs.
func (m *maker) deadlines() {
	m.Scalars("random", "realtime", model.Optional[int64]{}, nil)
	m.racks()
	for k := range m.jobs() {
		j := m.job(k)
		j.TaskOverhead, j.MapRate, j.ReduceRate = model.Some(m.seconds(2)), model.Some(2.0), model.Some(2.0)
		if m.number(5) > 0 {
			j.Deadline = model.Some(m.seconds(25))
		}
		parts, way := 1+m.number(10*m.scale), m.number(4)
		j.Reduces = model.Some(int64(min(parts, 1+m.number(6))))
		switch way {
		case 1:
			j.Partitions = model.Some(int64(parts))
		case 2:
			j.Reduces = model.Some(int64(parts))
		case 3:
			j.IntermediateBytes = m.bytes(60)
		}
		m.Job(j, model.Locus{})
		for range m.number(5) {
			m.task(j.ID, model.Map, "", nil)
		}
		for p := range parts {
			m.part(j.ID, p, way)
		}
	}
	for k := range m.number(2) * (4 + m.number(30)) { // of both classes and kinds
		m.PastRun(model.PastRun{Class: []string{"c", "d"}[k%2], Worker: pick(m, m.hosts...), Bytes: model.Bytes(m.number(20)),
			Kind: []model.TaskKind{model.Map, model.Reduce}[k/2%2], Time: m.seconds(15)}, model.Locus{})
	}
}

// part states a partition's data: directly, as that of a key, as a reduce, or not at all.
func (m *maker) part(job string, p, way int) {
	id, size := fmt.Sprintf("p%d", p), model.Bytes(m.number(20))
	switch way {
	case 0:
		m.Part(model.Part{Partition: id, Bytes: size}, job, model.Locus{})
	case 1:
		m.KeyData(model.KeyData{Key: fmt.Sprintf("k%d", m.number(40)), Bytes: size}, job, model.Locus{})
	case 2:
		id = m.task(job, model.Reduce, "", nil)
	}
	if way%2 == 0 && m.number(3) == 0 {
		m.GivenTime(model.GivenTime{Task: id, Time: m.seconds(10)}, job, pick(m, m.hosts...), model.Locus{})
	}
}

// tenants adds jobs of multitenant.
func (m *maker) tenants() {
	m.Scalars("random", "multitenant", model.Optional[int64]{}, nil)
	m.racks()
	needs := func(t *model.Task) {
		if m.number(2) == 0 {
			t.CPU = model.Some(float64(m.number(4)))
		}
		if m.number(2) == 0 {
			t.MemoryBytes = model.Some(model.Bytes(m.number(8)))
		}
	}
	for k := range m.jobs() {
		j := m.job(k)
		j.ShuffleRatio = model.Some(float64(m.number(5)) / 2)
		reduces, listed := m.number(5), m.number(2) == 0
		if !listed {
			j.Reduces, j.TaskOverhead = model.Some(int64(reduces)), model.Some(m.seconds(3))
		}
		m.Job(j, model.Locus{})
		for b := range 1 + m.number(6) {
			m.task(j.ID, model.Map, m.block(fmt.Sprintf("%s.b%d", j.ID, b)), needs)
		}
		for range reduces {
			if listed {
				m.task(j.ID, model.Reduce, "", needs)
			}
		}
	}
}
