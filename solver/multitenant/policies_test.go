package multitenant

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/solver"
)

// TestDelayWaits: two racks of one map slot each, uplinks of 100 bytes a second. Until 10 s another job's map holds n0,
// where it is local. Job b arrives at 1 s. Its map of 5 s is local on n0; elsewhere it reads 200 bytes in 2 s. Fair
// starts it at once on n1: it reads until 3 s and ends at 8 s. Delay waits until 6 s for a node, would wait until 11 s
// for a rack, and gets n0 at 10 s. If n0 is busy until 20 s, it accepts n1 at 11 s: it reads until 13 s and ends at 18
// s. A job that has accepted a rack stays with that level: of two maps local to n0, which is busy until 60 s, where n1
// in the same rack is free, the first starts there at 6 s and the next when the first has ended.
func TestDelayWaits(t *testing.T) {
	for _, test := range []struct {
		policy string
		first  float64
		want   string
	}{
		{"fair", 10, "b: n1 1-8"},
		{"delay", 10, "b: n0 10-15"},
		{"delay", 20, "b: n1 11-18"},
	} {
		newCluster(2, 1, 1, 0, 0, 100).with(
			testJob{id: "a", user: "a", mapTime: test.first, input: 200, replicas: [][]int{{0}}},
			testJob{id: "b", user: "b", arrival: 1, mapTime: 5, input: 200, replicas: [][]int{{0}}},
		).plays(t, test.policy, test.want)
	}
	newCluster(1, 2, 1, 0, 0, 0).with(testJob{id: "a", user: "a", mapTime: 60, replicas: [][]int{{0}}},
		testJob{id: "b", user: "b", arrival: 1, mapTime: 5, replicas: [][]int{{0}, {0}}},
	).plays(t, "delay", "b: n1 6-11, n1 11-16")
}

// TestTiesBetweenUsers: users with equal shares. The slot on n0 goes to b, whose block is there, although the workload
// names a first, and that on n1 to a. With two slots on n0 and all blocks there except b's, a gets the first one; then
// b, who has none, gets the second, and first reads 200 bytes over uplinks of 100 a second.
func TestTiesBetweenUsers(t *testing.T) {
	for _, policy := range []string{"fair", "shufflewatcher", "drf", "sw-drf"} {
		newCluster(2, 1, 1, 0, 0, 100).with(testJob{id: "a", user: "a", mapTime: 5, input: 200, replicas: [][]int{{1}}},
			testJob{id: "b", user: "b", mapTime: 5, input: 200, replicas: [][]int{{0}}},
		).plays(t, policy, "a: n1 0-5", "b: n0 0-5")
		c := newRows()
		c.rack(100, model.Node{MapSlots: 2})
		c.rack(100, model.Node{ReduceSlots: 1})
		c.with(testJob{id: "b", user: "b", mapTime: 5, input: 200, replicas: [][]int{{1}}},
			testJob{id: "a", user: "a", mapTime: 5, input: 200, replicas: [][]int{{0}, {0}}},
		).plays(t, policy, "b: n0/m2 0-7", "a: n0/m1 0-5, n0/m1 5-10")
	}
}

// TestDRF: one user has tasks of three cores and 1 byte, another of one core and 4 bytes, as in the DRF paper (section
// 4.1), on five slots. With 12 cores and 30 bytes drf starts a task of b (1/4 of the cores), two of a (4/15 of the
// memory), one of b, one of a; fair takes turns. With the paper's 9 cores and 18 bytes no third task of b fits under
// any policy.
func TestDRF(t *testing.T) {
	four := [][]int{nil, nil, nil, nil}
	for _, test := range []struct {
		cores  float64
		memory model.Bytes
		fair   [2]int
	}{{12, 30, [2]int{3, 2}}, {9, 18, [2]int{2, 3}}} {
		c := newRows()
		c.rack(0, model.Node{MapSlots: 5, CPU: model.Some(test.cores), MemoryBytes: model.Some(test.memory)})
		needs := func(cpu float64, memory model.Bytes) func(int) taskNeeds {
			return func(int) taskNeeds { return taskNeeds{cpu: model.Some(cpu), memory: model.Some(memory)} }
		}
		r := c.with(testJob{id: "b", user: "b", mapTime: 1, replicas: four, mapNeeds: needs(3, 1)},
			testJob{id: "a", user: "a", mapTime: 1, replicas: four, mapNeeds: needs(1, 4)}).open(t, nil)
		for policy, want := range map[string][2]int{"drf": {2, 3}, "sw-drf": {2, 3}, "fair": test.fair} {
			out := r.play(t, policy)
			var begun [2]int
			for _, e := range out.Schedule.Entries {
				if e.Start == 0 {
					begun[r.in.JobOf(int32(e.Task))]++
				}
			}
			if begun != want {
				t.Errorf("%s, %g cores: %v tasks at 0, expected %v", policy, test.cores, begun, want)
			}
		}
	}
}

// TestShuffleTakesTime: a map of 10 s in rack 0 writes 1000 bytes. The only reduce, in rack 1, fetches them at 100
// bytes a second until 20 s and computes for 5 s. With a worker's link of 50 bytes a second it fetches until 30 s. That
// link bounds fetches from all racks together: 500 bytes from each of two racks, over uplinks of 100 and a rack's pool
// of 100 bytes a second, take 20 s; the pool alone would need 10 s.
func TestShuffleTakesTime(t *testing.T) {
	for bandwidth, want := range map[float64]string{0: "a: n0 0-10, n1 10-25", 50: "a: n0 0-10, n1 10-35"} {
		c := newRows()
		c.rack(100, model.Node{MapSlots: 1})
		c.rack(100, model.Node{ReduceSlots: 1, Bandwidth: rate(bandwidth)})
		c.add(testJob{id: "a", mapTime: 10, replicas: [][]int{{0}}, reduces: 1, redTime: 5, shuffle: 1000})
		c.plays(t, "fair", want)
	}
	c := newRows()
	c.rack(100, model.Node{MapSlots: 1})
	c.rack(100, model.Node{MapSlots: 1})
	c.rack(0, model.Node{ReduceSlots: 1, Bandwidth: rate(50)}, model.Node{MapSlots: 1, Bandwidth: rate(50)})
	c.add(testJob{id: "a", mapTime: 10, replicas: [][]int{{0}, {1}}, reduces: 1, redTime: 5, shuffle: 1000})
	c.plays(t, "fair", "a: n0 0-10, n1 0-10, n2 10-35")
}

// TestWritesTakeTime: a reduce computes from 10 to 15 s and writes 600 bytes to the other rack: until 21 s over uplinks
// of 100 bytes a second, until 27 s over a worker's 50. They count as bytes across racks in every schedule, and NetSat
// sees them.
func TestWritesTakeTime(t *testing.T) {
	for bandwidth, want := range map[float64]string{0: "a: n0/m1 0-10, n0/r1 10-21", 50: "a: n0/m1 0-10, n0/r1 10-27"} {
		c := newRows()
		c.rack(100, model.Node{MapSlots: 1, ReduceSlots: 1, Bandwidth: rate(bandwidth)})
		c.rack(100, model.Node{ReduceSlots: 1})
		c.add(testJob{id: "a", mapTime: 10, replicas: [][]int{{0}}, reduces: 1, redTime: 5, writes: 600})
		r, out := c.plays(t, "shufflewatcher", want)
		m := r.in.Evaluate(out.Schedule).Metrics
		if m["cross_rack_bytes"] != model.Number("600") || m["cross_rack_write_bytes"] != model.Number("600") {
			t.Errorf("%v", m)
		}
		if least, err := r.leastCrossing(out.Schedule, 1); err != nil || least.CrossingBound != "600" {
			t.Errorf("at least %v, %v", least, err)
		}
		if full := out.Facts.(*Facts).SaturatedRackSeconds > 0; full != (bandwidth == 0) {
			t.Errorf("bandwidth %g: saturated %t", bandwidth, full)
		}
		for i := range out.Schedule.Entries { // a microsecond less than the fastest write
			if e := &out.Schedule.Entries[i]; !r.in.IsMap(int32(e.Task)) {
				e.End--
			}
		}
		if v := r.in.Check(out.Schedule); len(v) == 0 || v[0].Code != model.CodePrecedence {
			t.Errorf("bandwidth %g: %v", bandwidth, v)
		}
	}
}

// TestSlowStart: of a job with 20 maps, one after another, fair starts the reduce after the first with a slow-start of
// 5 %, after the tenth with 50 %, and after the last with 100 %. In each case the reduce ends 3 s after the last map.
func TestSlowStart(t *testing.T) {
	for share, want := range map[float64]string{0: "n0/r1 0-23", 0.05: "n0/r1 1-23", 0.5: "n0/r1 10-23",
		1: "n0/r1 20-23"} {
		r := newCluster(1, 1, 1, 1, 0, 0).with(testJob{id: "a", mapTime: 1, replicas: make([][]int, 20), reduces: 1,
			redTime: 3}).open(t, solver.Params{slowStartParam: share})
		if got := runsOf(r, r.play(t, "fair"), "a")[20]; got != want {
			t.Errorf("slow start %g: %s, expected %s", share, got, want)
		}
	}
}

// TestReducesDoNotStarveMaps: shares are kept by kind. User a's reduces hold both reduce slots from 1 s on and wait for
// its maps. Both maps of the first second are a's. When user b comes at 1 s, each user still has one of the two map
// slots at a time. So a's other 38 maps take until 39 s and its reduces end at 40 s.
func TestReducesDoNotStarveMaps(t *testing.T) {
	r := newCluster(1, 2, 1, 1, 0, 0).with(
		testJob{id: "a", user: "a", mapTime: 1, replicas: make([][]int, 40), reduces: 2, redTime: 1},
		testJob{id: "b", user: "b", arrival: 1, mapTime: 1, replicas: make([][]int, 100), reduces: 1, redTime: 1},
	).open(t, nil)
	if got := runsOf(r, r.play(t, "fair"), "a")[40:]; !slices.Equal(got, []string{"n0/r1 1-40", "n1/r1 1-40"}) {
		t.Errorf("reduces of a: %v", got)
	}
}

func TestWithout(t *testing.T) {
	r := twoRacks(testJob{id: "a", mapTime: 1, replicas: [][]int{{0}, {0, 1}}, reduces: 1, redTime: 1, shuffle: 100,
		input: 10}).open(t, nil)
	for text, want := range map[string][3]bool{
		"": {true, true, true}, "samp": {true, true, false}, "sarp": {true, false, false}, "nass": {},
		"samp,sarp": {true, false, false}, " samp , nass": {},
	} {
		r.p.without = text
		c, err := config{nass: true, sarp: true, samp: true}.with(r.p)
		if got := [3]bool{c.nass, c.sarp, c.samp}; err != nil || got != want {
			t.Errorf("without %q: nass, sarp, samp %v (%v), expected %v", text, got, err, want)
		}
		r.play(t, "shufflewatcher")
	}
	r.p.without = "samp,fair"
	var bad *model.InputError
	if _, err := r.Solve(context.Background(), "shufflewatcher", solver.Options{}); !errors.As(err, &bad) ||
		!strings.Contains(err.Error(), string(model.CodeParameter)) {
		t.Errorf("without samp,fair: %v", err)
	}
}

// TestWithoutNassIsFair: without NASS, shufflewatcher is fair.
func TestWithoutNassIsFair(t *testing.T) {
	r := busyCluster(3, 20, 4, 2, 1, smallJobs).open(t, solver.Params{withoutParam: "nass"})
	if !slices.Equal(r.play(t, "fair").Schedule.Entries, r.play(t, "shufflewatcher").Schedule.Entries) {
		t.Error("schedules differ")
	}
}

// countdown is a context that ends after some checks.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestLimitOnTheWay: a run whose time ends on the way, or is over at the start, schedules the rest by other rules. The
// checker accepts the result.
func TestLimitOnTheWay(t *testing.T) {
	r := busyCluster(3, 200, 4, 2, 1, func(r *rand.Rand) int { return 1 + r.IntN(60) }).open(t, nil)
	for k, a := range policies() {
		out, err := a.Solve(&countdown{context.Background(), 3 * (k % 2)}, r, solver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.sound(t, out); out.Status != model.StatusLimit {
			t.Errorf("%s: %s", a.Name, out.Status)
		}
	}
}

// TestTooSlow: a link that cannot give every transfer a rate is an error.
func TestTooSlow(t *testing.T) {
	r := newCluster(2, 1, 2000, 1, 0, 1).with(testJob{id: "a", mapTime: 1, replicas: [][]int{{0}}}).open(t, nil)
	var bad *model.InputError
	if _, err := newSimulation(r.in, config{}); !errors.As(err, &bad) || len(bad.Findings) != 2 ||
		bad.Findings[0].Code != model.CodeOverflow {
		t.Errorf("error %v", err)
	}
}

// TestShortTasks: transfers of milliseconds end on time, up to a microsecond of rounding per transfer. n0 is busy, so
// the map starts at 0.05 on n1, reads 2000 bytes at a million a second until 2.05 and computes until 3.05. The reduce,
// in n0's rack, since it is free there first, fetches 1000 bytes until 4.05 and computes until 5.05.
func TestShortTasks(t *testing.T) {
	const ms = 1e-3
	newCluster(2, 1, 1, 1, 0, 1e6).with(testJob{id: "a", user: "a", mapTime: 1000 * ms, input: 1, replicas: [][]int{{0}}},
		testJob{id: "b", user: "b", arrival: 0.05 * ms, mapTime: 1 * ms, redTime: 1 * ms, reduces: 1, shuffle: 1000,
			input: 2000, replicas: [][]int{{0}}},
	).plays(t, "fair", "b: n1/m1 0.00005-0.00305, n0/r1 0.00305-0.00505")
}

// TestEarlyReducesLeaveRoom: a node of 9 bytes has two map slots and four reduce slots. The job's two maps need 4 bytes
// each, its three reduces 3. The second map is released at 20 s. At 0 there is room for a map and one reduce. At 10,
// when the map has ended, two more reduces would fit. But a second reduce would not leave the 4 bytes of the second
// map, so the others begin when that map has ended.
func TestEarlyReducesLeaveRoom(t *testing.T) {
	c := newRows()
	c.rack(0, model.Node{MapSlots: 2, ReduceSlots: 4, MemoryBytes: model.Some(model.Bytes(9))})
	r := c.with(testJob{id: "a", mapTime: 10, redTime: 1, reduces: 3, replicas: [][]int{nil, nil},
		mapNeeds: func(k int) taskNeeds {
			return taskNeeds{memory: model.Some(model.Bytes(4)), release: model.Some(model.Time(k) * 20 * model.Second)}
		},
		redNeeds: func(int) taskNeeds { return taskNeeds{memory: model.Some(model.Bytes(3))} },
	}).open(t, solver.Params{slowStartParam: 0.0})
	expectRuns(t, r, r.play(t, "fair"), "a: n0/m1 0-10, n0/m2 20-30, n0/r1 0-31, n0/r2 30-31, n0/r3 30-31")
}
