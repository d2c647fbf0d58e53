package multitenant

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

// arrived is a simulation of shufflewatcher in which all jobs have arrived.
func arrived(t *testing.T, r *run) *simulation {
	t.Helper()
	c, err := config{nass: true, sarp: true, samp: true}.with(r.p)
	if err != nil {
		t.Fatal(err)
	}
	c.window = 600 * model.Second
	s, err := newSimulation(r.in, c)
	if err != nil {
		t.Fatal(err)
	}
	for rank, j := range s.order {
		s.arrive(j, int32(rank))
	}
	return s
}

// takes lists the jobs of the tasks that NASS takes for a slot of the only user, in order.
func takes(s *simulation, kind model.TaskKind, slot int32) (list []string) {
	for u := &s.users[0]; s.has(u, kind, s.in.RackOf[s.in.WorkerOf[slot]]); {
		task, _ := s.find(u, kind, slot)
		s.begin(task, slot)
		id, _, _ := s.in.TaskName(model.TaskIndex(task))
		list = append(list, id)
	}
	return list
}

// TestNassMaps: rack 0 is n0 and n1, rack 1 is n2. All of p's maps have replicas only in rack 0, which is SAMP's
// choice. Those of q all have one in rack 1, SAMP's choice, and one each on n1 and n0. Those of x lie in rack 1. For
// n0, with arrivals in the order x, q, p: (1) p's; (2) q's map on n0, then that on n1; (3) x's. NASS ignores saturation
// here.
func TestNassMaps(t *testing.T) {
	rows := func(arrivals ...float64) *run {
		c := newRows()
		c.rack(100, model.Node{MapSlots: 1, ReduceSlots: 1}, model.Node{MapSlots: 1})
		c.rack(100, model.Node{MapSlots: 1})
		c.add(testJob{id: "x", arrival: arrivals[0], reduces: 1, mapTime: 1, input: 10, replicas: [][]int{{2}}})
		c.add(testJob{id: "q", arrival: arrivals[1], reduces: 1, mapTime: 1, input: 10,
			replicas: [][]int{{1, 2}, {0, 2}, {2}}})
		c.add(testJob{id: "p", arrival: arrivals[2], reduces: 1, mapTime: 1, input: 10, replicas: [][]int{{0, 1}}})
		return c.open(t, nil)
	}
	for _, saturated := range []bool{false, true} {
		s := arrived(t, rows(0, 1, 2))
		s.n.saturated[0] = saturated
		if got, want := takes(s, model.Map, 0), []string{"p.m0", "q.m1", "q.m0", "x.m0", "q.m2"}; !slices.Equal(got, want) {
			t.Errorf("saturated %t: %v, expected %v", saturated, got, want)
		}
	}
	// x arrives in the window before the others: at 599 s, and they from 600 s on.
	s := arrived(t, rows(599, 600, 1199))
	if got, want := takes(s, model.Map, 0), []string{"x.m0", "p.m0", "q.m1", "q.m0", "q.m2"}; !slices.Equal(got, want) {
		t.Errorf("windows: %v, expected %v", got, want)
	}
	// q and x before p, which arrives a window later.
	s = arrived(t, rows(0, 1, 600))
	if got, want := takes(s, model.Map, 0), []string{"q.m1", "q.m0", "x.m0", "q.m2", "p.m0"}; !slices.Equal(got, want) {
		t.Errorf("windows: %v, expected %v", got, want)
	}
}

// TestNassReduces: arrivals are in the order m, h, l, and maps have ended. m is heavy, and all its output lies in rack
// 1. h is heavy with half of its output in each rack, so SARP wants one of two reduces in rack 0. l is light. For a
// slot in rack 0, if saturated: (4) l; (5) h; (6) m, which came first, and h's other one. Otherwise: (1) h; (2) m and
// h's other one; (3) l.
func TestNassReduces(t *testing.T) {
	rows := func(lightArrival float64) *run {
		c := newRows()
		c.rack(100, model.Node{MapSlots: 2, ReduceSlots: 1})
		c.rack(100, model.Node{MapSlots: 2})
		c.add(testJob{id: "m", mapTime: 1, input: 100, shuffle: 400, replicas: [][]int{{1}, {1}}, reduces: 1, redTime: 1})
		c.add(testJob{id: "h", arrival: 1, mapTime: 1, input: 100, shuffle: 400, replicas: [][]int{{0}, {1}}, reduces: 2,
			redTime: 1})
		c.add(testJob{id: "l", arrival: lightArrival, mapTime: 1, input: 100, shuffle: 100, replicas: [][]int{{0}},
			reduces: 1, redTime: 1})
		return c.open(t, nil)
	}
	// The local maps of each job end; then the reduce slot of rack 0, number 2, asks for a task.
	finish := func(r *run) *simulation {
		s := arrived(t, r)
		for task := range int32(r.in.Maps) {
			slot := int32(0)
			if r.in.RackOf[r.in.Replicas(task)[0]] == 1 {
				slot = 3
			}
			if got := s.jobs[r.in.JobOf(task)].pending.onWorker(r.in.WorkerOf[slot], nil); got != task {
				t.Fatalf("map %d at home: %d", task, got)
			}
			s.begin(task, slot)
			s.end(slot)
		}
		return s
	}
	for _, test := range []struct {
		saturated bool
		light     float64
		want      []string
	}{
		{true, 2, []string{"l.x0", "h.x0", "m.x0", "h.x1"}},
		{false, 2, []string{"h.x0", "m.x0", "h.x1", "l.x0"}},
		{true, 600, []string{"h.x0", "m.x0", "h.x1", "l.x0"}}, // l comes a window later
	} {
		s := finish(rows(test.light))
		s.n.saturated[0] = test.saturated
		if got := takes(s, model.Reduce, 2); !slices.Equal(got, test.want) {
			t.Errorf("saturated %t, l at %g s: %v, expected %v", test.saturated, test.light, got, test.want)
		}
	}
}

// TestDeferredReducesStart: in rack 0, maps of user a take 2 s each on n0. A map of user b on n1 reads from n0, over
// both uplinks, so both racks are saturated from 1 s on. a's reduce might start at 2 s, when its first map has ended,
// but rack 0 is saturated and a has maps. If b reads until 12 s, NetSat sees at 13 s that no byte has crossed for a
// second: the reduce starts. If b reads for long and a has three maps, the reduce starts at 4 s with the last of them.
func TestDeferredReducesStart(t *testing.T) {
	for _, test := range []struct {
		maps  int
		bytes model.Bytes
		start string
	}{{20, 1200, "13"}, {3, 100_000, "4"}} {
		c := newRows()
		c.rack(100, model.Node{MapSlots: 1, ReduceSlots: 1})
		c.rack(100, model.Node{MapSlots: 1})
		a := testJob{id: "a", user: "a", mapTime: 2, input: 1, reduces: 1, redTime: 1,
			replicas: slices.Repeat([][]int{{0}}, test.maps)}
		b := testJob{id: "b", user: "b", mapTime: 200, input: test.bytes, replicas: [][]int{{0}}}
		r, out := c.with(a, b).plays(t, "shufflewatcher")
		if got, want := runsOf(r, out, "a")[test.maps], fmt.Sprintf("n0/r1 %s-%d", test.start, 2*test.maps+1); got != want {
			t.Errorf("%d maps: reduce %s, expected %s", test.maps, got, want)
		}
		if got := out.Facts.(*Facts).DeferredJobs; got != 1 {
			t.Errorf("%d maps: %v jobs deferred, expected 1", test.maps, got)
		}
	}
}

// TestNetsat: 80 of 100 bytes a second do not exceed the threshold of 0.8, 81 do. In a run, a map reads 810 bytes at 81
// a second, the rate of its worker's link, over both uplinks. Both racks are saturated from 1 s, the first sample, to
// 10 s, after which no byte moves. A sample applies to the second before it.
func TestNetsat(t *testing.T) {
	for bytes, want := range map[model.Bytes]bool{80: false, 81: true} {
		if saturates(bytes, 1, 100, 0.8) != want {
			t.Errorf("%d bytes: saturated %t", bytes, !want)
		}
	}
	if saturates(math.MaxInt64, 1, 0, 0.8) {
		t.Error("an uplink without limit is saturated")
	}
	for _, test := range []struct {
		bandwidth float64
		input     model.Bytes
		runs      string
		want      model.Time
	}{{81, 810, "a: n1 0-15", 10}, {80, 800, "a: n1 0-15", 0}, {0, 100_000, "a: n1 0-1005", 1000}} {
		c := newRows()
		c.rack(100, model.Node{ReduceSlots: 1, Bandwidth: rate(test.bandwidth)})
		c.rack(100, model.Node{MapSlots: 1, Bandwidth: rate(test.bandwidth)})
		c.add(testJob{id: "a", mapTime: 5, input: test.input, replicas: [][]int{{0}}})
		_, out := c.plays(t, "fair", test.runs)
		want := test.want * model.Second
		if got := out.Facts.(*Facts).SaturatedSeconds; !slices.Equal(got, []model.Time{want, want}) {
			t.Errorf("%g bytes a second: saturated for %v s, expected %v", test.bandwidth, got, want)
		}
	}
}

// TestApportion: quotas of 10 reduces for 55, 30 and 15 % are 5.5, 3 and 1.5: the remaining seat goes to the first of
// two equal remainders. Of 7 for thirds, 2⅓ each: again the first. 0.9 and 0.1 of 10 are 9 and 1.
func TestApportion(t *testing.T) {
	for _, test := range []struct {
		n     int32
		share []float64
		want  []int32
	}{
		{10, []float64{55, 30, 15}, []int32{6, 3, 1}},
		{7, []float64{1, 1, 1}, []int32{3, 2, 2}},
		{10, []float64{0.9, 0.1}, []int32{9, 1}},
		{3, []float64{0.1, 0, 0.9}, []int32{0, 0, 3}}, // quotas 0.3 and 2.7
		{4, []float64{0, 0}, []int32{0, 0}},
	} {
		if got := apportion(test.n, test.share); !slices.Equal(got, test.want) {
			t.Errorf("%d by %v: %v, expected %v", test.n, test.share, got, test.want)
		}
	}
}

// TestFigure7: with 0.9 and 0.1 of 100 GB in two racks and reduces in proportion, 18 GB cross: 90·0.1 + 10·0.9. With
// evenly spread reduces, or even shares, half would cross.
func TestFigure7(t *testing.T) {
	for first, want := range map[float64]float64{0.9: 18e9, 0.5: 50e9} {
		if got := crossing([]float64{first, 1 - first}, 100e9); math.Abs(got-want) > 1 {
			t.Errorf("%g in the first rack: %g bytes", first, got)
		}
	}
}

// TestSarpThreshold: SARP uses SAMP's forecast until 15 % of the maps have ended, that is 2 of 20 maps. Then it uses
// their output. All blocks lie in both racks, so SAMP wants one of them, rack 0 for job 0; the ended maps ran in rack
// 1.
func TestSarpThreshold(t *testing.T) {
	for ended, want := range map[int][]int32{2: {4, 0}, 3: {0, 4}} {
		s := arrived(t, twoRacks(testJob{id: "a", mapTime: 1, input: 10, replicas: slices.Repeat([][]int{{0, 1}}, 20),
			reduces: 4, redTime: 1, shuffle: 200}).open(t, nil))
		j := s.jobs[0]
		for range ended {
			s.begin(j.pending.onWorker(1, nil), 2)
			s.end(2)
		}
		if got := s.sarp(j); !slices.Equal(got, want) {
			t.Errorf("%d of 20 maps ended: %v, expected %v", ended, got, want)
		}
	}
}

// TestSamp: Figure 5: two jobs whose input lies in both racks get one rack each, not the same. Then ten blocks of 100
// bytes, six in rack 0 alone and four in rack 1 alone. With one rack, maps read 400 bytes remotely and no shuffle
// crosses. With both, they read none, and V·(1 − 0.36 − 0.16) = 0.48·V cross. With V assumed 1.0 times the input, it is
// 480 against 400: one rack. With a known V of 500, it is 240: both racks, and 3 and 2 of 5 reduces.
func TestSamp(t *testing.T) {
	a := testJob{id: "a", mapTime: 1, input: 10, replicas: [][]int{{0, 1}, {0, 1}}, reduces: 1, redTime: 1, shuffle: 20}
	b := a
	b.id = "b"
	s := arrived(t, twoRacks(a, b).open(t, nil))
	for j, want := range [][]bool{{true, false}, {false, true}} {
		if got := s.jobs[j].sw.racks; !slices.Equal(got, want) {
			t.Errorf("job %d: racks %v, expected %v", j, got, want)
		}
	}
	for _, test := range []struct {
		ratio    string
		racks    []bool
		forecast []int32
	}{{"estimated", []bool{true, false}, []int32{5, 0}}, {"known", []bool{true, true}, []int32{3, 2}}} {
		r := twoRacks(testJob{id: "a", mapTime: 1, input: 100, reduces: 5, redTime: 1, shuffle: 500,
			replicas: [][]int{{1}, {0}, {0}, {1}, {0}, {0}, {1}, {0}, {1}, {0}}}).open(t, solver.Params{ratioParam: test.ratio})
		s := arrived(t, r)
		if w := s.jobs[0].sw; !slices.Equal(w.racks, test.racks) || !slices.Equal(w.forecast, test.forecast) {
			t.Errorf("%s: racks %v, reduces %v; expected %v and %v", test.ratio, w.racks, w.forecast, test.racks, test.forecast)
		}
		volume := map[string]float64{"estimated": 1000, "known": 500}[test.ratio]
		if p, want := samp(r.in, 0, volume, []bool{true, true}), min(400, 0.48*volume); math.Abs(p.across-want) > 1e-9 {
			t.Errorf("%s: %g bytes across, expected %g", test.ratio, p.across, want)
		}
		if got, want := len(s.jobs[0].pending.moved), map[string]int{"estimated": 4, "known": 0}[test.ratio]; got != want {
			t.Errorf("%s: %d maps move, expected %d", test.ratio, got, want)
		}
	}
}

// TestSampSplits: a block with replicas in several of the racks taken counts for each in equal parts. Of three blocks
// of 100 bytes, one lies in both racks 0 and 1, two in rack 0 alone. Rack 0 holds all, so nothing crosses. Without map
// slots there, only rack 1 is left: maps read 200 bytes remotely. A map of no bytes in rack 0 does not list that rack
// twice: of 100 bytes, 60 lie in rack 0 and 40 in rack 1. With a volume of 50, both racks cross 50·(1 − 0.36 − 0.16) =
// 24 bytes, fewer than the 40 that one rack would read.
func TestSampSplits(t *testing.T) {
	three := twoRacks(testJob{id: "a", mapTime: 1, input: 100, replicas: [][]int{{0, 1}, {0}, {0}}, reduces: 1,
		redTime: 1, shuffle: 300}).open(t, nil).in
	six := twoRacks(testJob{id: "a", mapTime: 1, input: 20, replicas: [][]int{{0}, {0}, {0}, {0}, {1}, {1}}, reduces: 1,
		redTime: 1, shuffle: 50}).open(t, nil).in
	six.Input[0] = 0
	for _, test := range []struct {
		in     *multitenant.Instance
		volume float64
		first  bool // rack 0 may be used
		across float64
		share  string
	}{{three, 300, true, 0, "[1 0]"}, {three, 300, false, 200, "[0 1]"}, {six, 50, true, 24, "[0.6 0.4]"}} {
		p := samp(test.in, 0, test.volume, []bool{test.first, true})
		if math.Abs(p.across-test.across) > 1e-9 || fmt.Sprint(p.share) != test.share {
			t.Errorf("%g across, shares %v; expected %g and %s", p.across, p.share, test.across, test.share)
		}
	}
}

// TestSampWithoutReduces: a job without reduces has no shuffle, so SAMP gathers none of its maps: each starts at once
// where its block lies. With a reduce, one rack gets all maps.
func TestSampWithoutReduces(t *testing.T) {
	for reduces, want := range []bool{false, true} {
		c := twoRacks(testJob{id: "a", mapTime: 1, input: 10, replicas: [][]int{{0, 1}, {1, 0}}, reduces: int64(reduces),
			redTime: 1})
		if s := arrived(t, c.open(t, nil)); (s.jobs[0].sw.racks != nil) != want {
			t.Errorf("%d reduces: racks %v", reduces, s.jobs[0].sw.racks)
		}
	}
}

// TestRelaxedWithoutShuffle: maps without output give no rack in which reduces could be wanted, so none wait for one.
func TestRelaxedWithoutShuffle(t *testing.T) {
	twoRacks(testJob{id: "a", mapTime: 1, input: 10, replicas: [][]int{{0}}, reduces: 1, redTime: 1},
		testJob{id: "b", arrival: 5, reduces: 1, redTime: 1},
	).plays(t, "sw-relaxed", "a: n0/m1 0-1, n0/r1 1-2", "b: n1/r1 5-6")
}

// TestSubmissionWindow: two maps of 10 s wait for the only slot, so that the mean turn-around is 15 s under fair;
// seconds go before multiples.
func TestSubmissionWindow(t *testing.T) {
	r := newCluster(1, 1, 1, 1, 0, 0).with(testJob{id: "a", mapTime: 10, replicas: [][]int{{0}}},
		testJob{id: "b", mapTime: 10, replicas: [][]int{{0}}}).open(t, nil)
	r.p.windowMultiple = 2
	if got, err := r.submissionWindow(t.Context()); err != nil || got != 30*model.Second {
		t.Error(got, err)
	}
	for seconds, want := range map[float64]model.Time{0: 30 * model.Second, 20: 20 * model.Second} {
		other := &run{in: r.in, p: r.p}
		other.p.submissionWindow = seconds
		other.play(t, "fair") // keeps its window
		if got, err := other.submissionWindow(t.Context()); err != nil || got != want || other.window != 30*model.Second {
			t.Error(seconds, got, other.window, err)
		}
	}
}
