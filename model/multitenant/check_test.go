package multitenant

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// TestLinkCarries: a link can carry loads within their windows exactly if in no interval the loads exceed its capacity
// (Horn 1974). Then earliest deadline first carries them.
func TestLinkCarries(t *testing.T) {
	const rate = 1_000_000 // a byte a microsecond
	in := &Instance{}
	yes, no := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var loads []load
		for range rapid.IntRange(0, 6).Draw(t, "loads") {
			from := rapid.Int64Range(0, 10).Draw(t, "from")
			until := from + rapid.Int64Range(-1, 6).Draw(t, "length")
			loads = append(loads, load{int32(len(loads)), model.Time(from * 1000), model.Time(until * 1000),
				1000 * float64(rapid.IntRange(1, 4).Draw(t, "bytes"))})
		}
		fits := true
		for _, a := range loads {
			for _, b := range loads {
				inside := 0.0
				for _, x := range loads {
					if x.from >= a.from && x.until <= b.until {
						inside += x.bytes
					}
				}
				fits = fits && (b.until < a.from && inside == 0 || inside <= float64(b.until-a.from))
			}
		}
		var found model.Violations
		in.checkLink("the link", slices.Clone(loads), rate, &found)
		if is := len(found.List()) == 0; is != fits {
			t.Fatalf("%v: %v, intervals say %t", loads, found.List(), fits)
		}
		if fits {
			yes++
		} else {
			no++
		}
	})
	if yes == 0 || no == 0 {
		t.Errorf("%d fit and %d do not", yes, no)
	}
}

// TestMetrics: of the example of the tables, worked by hand. j1 moves 80 bytes of shuffle and 60 of input across racks;
// jobs take 17, 2 and 1 s; from 15 to 22 s all three end, of which maps read 160 bytes. User u1 has 32.5/17 slots and
// u2 3/2 of them.
func TestMetrics(t *testing.T) {
	in, s := tablesExample(t)
	in.From, in.Until = 15*model.Second, 22*model.Second
	is := in.Evaluate(s)
	if is.Name != "makespan" || is.Value.RatString() != "22" {
		t.Errorf("%s %s", is.Name, is.Value.RatString())
	}
	for key, want := range map[string]string{"cross_rack_bytes": "140", "cross_rack_shuffle_bytes": "80",
		"cross_rack_map_bytes": "60", "shuffle_bytes": "160",
		"node_local": "2", "rack_local": "0", "off_rack": "1", "jobs_done": "3", "turn_around": "6.666666",
		"turn_around_p50": "2", "turn_around_p95": "17",
		"jobs_per_hour": "1542.857142", "input_bytes_per_hour": "82285.714285", "jain": "0.985643"} {
		if got, ok := is.Metrics[key].(model.Number); !ok || string(got) != want {
			t.Errorf("%s is %v, not %s", key, is.Metrics[key], want)
		}
	}
	in.From, in.Until = 17*model.Second+1, 21*model.Second
	if m := in.Evaluate(s).Metrics; m["jobs_done"] != model.Number("0") || m["turn_around"] != nil ||
		m["jobs_per_hour"] != model.Number("0") {
		t.Errorf("for a time without ends: %v", m)
	}
	if cells := in.Cells(s.Entries[1]); !slices.Equal(cells, []string{"B", "remote", "60"}) ||
		len(cells) != len(in.Description().Columns) {
		t.Error(cells)
	}
}

// TestLinkLate: a link is checked to the microsecond, however late the load is.
func TestLinkLate(t *testing.T) {
	const late, rate = 1_000_000_000_000_000_000, 1_000_000 // a byte a microsecond
	for bytes, want := range map[float64]int{100: 0, 111: 0, 112: 1, 160: 1} {
		var found model.Violations
		(&Instance{}).checkLink("the link", []load{{0, late, late + 100, bytes}}, rate, &found)
		if n := len(found.List()); n != want {
			t.Errorf("%g bytes in 100 µs: %v", bytes, found.List())
		}
	}
}

// TestFirstOutput: a reduce fetches from a rack once a map has put out something there, at 3 s; a map that ends at 1 s
// without output is no reason to begin. 30 bytes at 10 a second arrive at 6 s, and the reduce computes for 5 s.
func TestFirstOutput(t *testing.T) {
	b, at := model.NewBuilder(), model.Locus{}
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at)
	b.Node(model.Node{ID: "n", Kind: model.HostNode, MapSlots: 2, ReduceSlots: 1, Bandwidth: model.Some(10.0)}, "root", at)
	b.Job(model.Job{ID: "j"}, at)
	for _, x := range []struct {
		id      string
		kind    model.TaskKind
		seconds model.Time
		out     model.Bytes
	}{{"m1", model.Map, 1, 0}, {"m2", model.Map, 3, 30}, {"r", model.Reduce, 5, 0}} {
		b.Task(model.Task{ID: x.id, Kind: x.kind, Processing: model.Some(x.seconds * model.Second),
			OutputBytes: model.Some(x.out)}, "j", "", at)
	}
	in := opened(t, b)
	for end, code := range map[float64]model.Code{11: "", 10: model.CodeLink} {
		expectCheck(t, in, "a reduce that fetches", []model.Entry{in.entry(t, 0, "n/m1", 0, 1),
			in.entry(t, 1, "n/m2", 0, 3), in.entry(t, 2, "n/r1", 0, end)}, code)
	}
}

// roomTask is a task of a test: a map or a reduce of job j, which arrives at 1 s. It takes 10 s.
type roomTask struct {
	id      string
	kind    model.TaskKind
	release float64
	cpu     float64
	memory  model.Bytes
	instant bool // it takes no time
}

// room has nodes big (two map slots and two reduce slots) and small (one each) with memory and cores.
func room(memory [2]model.Bytes, cores [2]float64, tasks ...roomTask) *model.Builder {
	b, at := model.NewBuilder(), model.Locus{}
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at)
	for k, id := range []string{"big", "small"} {
		n := model.Node{ID: id, Kind: model.HostNode, MapSlots: int64(2 - k), ReduceSlots: int64(2 - k)}
		n.MemoryBytes, n.CPU = model.Some(memory[k]), model.Optional[float64]{Value: cores[k], Known: cores[k] > 0}
		b.Node(n, "root", at)
	}
	b.Job(model.Job{ID: "j", IntermediateBytes: model.Some(model.Bytes(0)), Release: model.Second}, at)
	for _, x := range tasks {
		t := model.Task{ID: x.id, Kind: x.kind, Processing: model.Some(10 * model.Second)}
		t.MemoryBytes, t.CPU = model.Some(x.memory), model.Some(x.cpu)
		if x.release > 0 {
			t.Release = model.Some(model.TimeOf(x.release))
		}
		if x.instant {
			t.Processing.Value = 0
		}
		b.Task(t, "j", "", at)
	}
	return b
}

// TestCheckRoom corrupts a schedule once for each rule on releases, memory and cores: exactly that code must appear.
// Cores are counted exactly: 0.1 and 0.2 of them are 0.3.
func TestCheckRoom(t *testing.T) {
	in := opened(t, room([2]model.Bytes{10, 5}, [2]float64{0.3, 0.2}, roomTask{id: "m1", cpu: 0.1, memory: 5},
		roomTask{id: "m2", release: 3, cpu: 0.2, memory: 5}, roomTask{id: "m3", memory: 6, instant: true},
		roomTask{id: "r1", kind: model.Reduce, memory: 1}, roomTask{id: "r2", kind: model.Reduce, cpu: 0.1},
		roomTask{id: "r3", kind: model.Reduce, memory: 6}, roomTask{id: "r4", kind: model.Reduce, cpu: 0.3}))
	const m1, m2, m3, r1, r2, r3, r4 = 0, 1, 2, 3, 4, 5, 6
	good := []model.Entry{in.entry(t, m1, "big/m1", 3, 13), in.entry(t, m2, "big/m2", 3, 13),
		in.entry(t, m3, "big/m1", 13, 13), in.entry(t, r1, "big/r1", 13, 23), in.entry(t, r2, "big/r2", 13, 23),
		in.entry(t, r3, "big/r1", 23, 33), in.entry(t, r4, "big/r2", 23, 33)}
	expectCheck(t, in, "nothing", good, "")
	for _, x := range []struct {
		name       string
		code       model.Code // none: all is well
		task       int
		slot       string
		start, end float64
	}{
		{"map before its own release", model.CodeBeforeRelease, m2, "big/m2", 2, 12},
		{"map before its job's release", model.CodeBeforeRelease, m1, "big/m1", 0, 10},
		{"memory of a reduce that waits for maps", model.CodeMemory, r1, "big/r1", 12, 23},
		{"cores of a reduce that waits for maps", model.CodeCores, r2, "big/r2", 12, 23},
		{"a reduce that waits where there is room", "", r1, "small/r1", 12, 23},
		{"a reduce on a node with too little memory", model.CodeMemory, r3, "small/r1", 23, 33},
		{"a reduce on a node with too few cores", model.CodeCores, r4, "small/r1", 23, 33},
		{"a map without length on a node with too little memory", model.CodeMemory, m3, "small/m1", 13, 13},
		{"a map without length while others need everything", "", m3, "big/m1", 3, 3},
	} {
		rows := slices.Clone(good)
		rows[x.task] = in.entry(t, x.task, x.slot, x.start, x.end)
		expectCheck(t, in, x.name, rows, x.code)
	}
	// A task that lacks cores alone does not hide that there is too little memory beside others.
	in = opened(t, room([2]model.Bytes{10, 5}, [2]float64{0.3, 0.2}, roomTask{id: "m1", cpu: 0.3, memory: 3},
		roomTask{id: "r1", kind: model.Reduce, memory: 3}))
	var codes []model.Code
	for _, v := range in.Check(&model.Schedule{Entries: []model.Entry{in.entry(t, 0, "small/m1", 1, 11),
		in.entry(t, 1, "small/r1", 1, 21)}}) {
		codes = append(codes, v.Code)
	}
	if !slices.Equal(codes, []model.Code{model.CodeCores, model.CodeMemory}) {
		t.Error(codes)
	}
}

// TestNoRoom: a task that no node with a slot of its kind can hold makes the instance impossible.
func TestNoRoom(t *testing.T) {
	for name, task := range map[string]roomTask{"memory": {id: "m", memory: 11},
		"memory of a task without length": {id: "m", memory: 11, instant: true},
		"cores":                           {id: "m", kind: model.Reduce, cpu: 0.8},
		"both":                            {id: "m", cpu: 0.7, memory: 10},
		"largest memory":                  {id: "m", memory: math.MaxInt64},
	} {
		input := expectRefused(t, name, room([2]model.Bytes{10, 5}, [2]float64{0.4, 0.7}, task), model.CodeNoRoom)
		if c := input.Findings[0].Conflict; c == nil || !c.Infeasible {
			t.Errorf("%s: it is not said that no schedule exists", name)
		}
	}
	opened(t, room([2]model.Bytes{10, 5}, [2]float64{0.4, 0.7}, roomTask{id: "m", cpu: 0.4, memory: 10}))
	expectRefused(t, "very many cores", room([2]model.Bytes{10, 5}, [2]float64{0.4, 0.7}, roomTask{id: "m", cpu: 2e12}),
		model.CodeOverflow)
}

// TestMostMemory: a sum of memory beyond the largest integer does not make a schedule acceptable.
func TestMostMemory(t *testing.T) {
	const most = math.MaxInt64
	in := opened(t, room([2]model.Bytes{most, most}, [2]float64{}, roomTask{id: "m1", memory: most},
		roomTask{id: "m2", memory: most}))
	for start, code := range map[float64]model.Code{10: model.CodeMemory, 11: ""} {
		expectCheck(t, in, "two maps", []model.Entry{in.entry(t, 0, "big/m1", 1, 11),
			in.entry(t, 1, "big/m2", start, start+10)}, code)
	}
}

// TestReleasesInBounds: alone, a job of three maps of 10 s on three slots, the last released at 30 s, and a reduce of
// 10 s that is released at 25 s ends at 50 s; released at 60 s, the reduce ends at 70 s.
func TestReleasesInBounds(t *testing.T) {
	for release, want := range map[float64]model.Time{25: 50 * model.Second, 60: 70 * model.Second} {
		in := opened(t, room([2]model.Bytes{0, 0}, [2]float64{}, roomTask{id: "m1"}, roomTask{id: "m2", release: 4},
			roomTask{id: "m3", release: 30}, roomTask{id: "r", kind: model.Reduce, release: release}))
		if is := in.Relax().Alone(0); is != want {
			t.Errorf("reduce released at %g: %s, expected %s", release, is, want)
		}
	}
}
