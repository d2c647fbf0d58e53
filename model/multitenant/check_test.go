package multitenant

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// TestCheckMutations corrupts the example of the tables once for each constraint: exactly that code must appear.
func TestCheckMutations(t *testing.T) {
	in, good := tablesExample(t)
	slot := func(name string) int32 {
		k, ok := in.Machine(name)
		if !ok {
			t.Fatal(name)
		}
		return k
	}
	const m1, m2, m3, r1, r2, r3 = 0, 1, 2, 3, 4, 5 // rows
	for _, x := range []struct {
		name   string
		code   model.Code
		change func(e []model.Entry) []model.Entry
	}{
		{"no slot", model.CodeMachineUnknown, func(e []model.Entry) []model.Entry {
			return append(e, model.Entry{Task: e[m3].Task, Machine: int32(in.Slots), Start: e[m3].Start, End: e[m3].End})
		}},
		{"map on a reduce slot", model.CodeSlotKind,
			func(e []model.Entry) []model.Entry { e[m3].Machine = slot("n2/r1"); return e }},
		{"reduce on a map slot", model.CodeSlotKind,
			func(e []model.Entry) []model.Entry { e[r3].Machine = slot("n1/m1"); return e }},
		{"twice", model.CodeTaskTwice, func(e []model.Entry) []model.Entry { return append(e, e[m3]) }},
		{"missing", model.CodeTaskMissing, func(e []model.Entry) []model.Entry { return slices.Delete(e, m3, m3+1) }},
		{"map before its job", model.CodeBeforeRelease, func(e []model.Entry) []model.Entry {
			e[m3].Start, e[m3].End = 19*model.Second, 21*model.Second
			return e
		}},
		{"reduce before its job", model.CodeBeforeRelease,
			func(e []model.Entry) []model.Entry { e[r3].Start = 20 * model.Second; return e }},
		{"map at home, too short", model.CodeDuration,
			func(e []model.Entry) []model.Entry { e[m1].Start += model.Second; return e }},
		{"map at home, too long", model.CodeDuration,
			func(e []model.Entry) []model.Entry { e[m1].End += model.Second; return e }},
		{"map of nothing, too long", model.CodeDuration,
			func(e []model.Entry) []model.Entry { e[m3].End += model.Second; return e }},
		{"map reads 60 bytes in less than 6 s", model.CodeDuration,
			func(e []model.Entry) []model.Entry { e[m2].Start = 1_600_000; return e }},
		{"reduce computes less", model.CodePrecedence,
			func(e []model.Entry) []model.Entry { e[r3].End -= model.Second / 10; return e }},
		{"overlap", model.CodeOverlap, func(e []model.Entry) []model.Entry {
			e[r2].End, e[r3].Machine = 21*model.Second+1, slot("n3/r1")
			return e
		}},
		{"30 bytes from B to r1 in 2.5 s", model.CodeLink,
			func(e []model.Entry) []model.Entry { e[r1].End = 13 * model.Second; return e }},
		{"50 bytes from A to r2 in 4.5 s", model.CodeLink, func(e []model.Entry) []model.Entry {
			e[r2].Start,
				e[r2].End = 11*model.Second, 16_500_000
			return e
		}},
	} {
		rows := x.change(slices.Clone(good.Entries))
		var codes []model.Code
		for _, v := range in.Check(&model.Schedule{Entries: rows}) {
			if !slices.Contains(codes, v.Code) {
				codes = append(codes, v.Code)
			}
		}
		if len(codes) != 1 || codes[0] != x.code {
			t.Errorf("%s: %v, expected %s", x.name, codes, x.code)
		}
	}
	if found := in.Check(good); len(found) > 0 {
		t.Errorf("the original: %v", found)
	}
	// A reduce without data to fetch still waits for the map, until 10 s, and then computes for 5 s.
	in = boundInstance(t, 10, []boundNode{{rack: "A", maps: 1, reduces: 1}},
		boundJob{mapTime: 10, redTime: 5, at: []int{0}, reduces: 1})
	for end, want := range map[model.Time]int{15 * model.Second: 0, 15*model.Second - 1: 1} {
		found := in.Check(&model.Schedule{Entries: []model.Entry{{Task: 0, Machine: in.MapSlots[0], End: 10 * model.Second},
			{Task: 1, Machine: in.ReduceSlots[0], End: end}}})
		if len(found) != want || want > 0 && found[0].Code != model.CodePrecedence {
			t.Errorf("a reduce until %s: %v", end, found)
		}
	}
}

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
		"jobs_per_hour": "1542.857142", "input_bytes_per_hour": "82285.714285", "jain": "0.985643", "unfair_starts": "0"} {
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
