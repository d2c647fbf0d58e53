package multitenant

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/tier"
)

// expectProof signs a certificate and compares what it proves.
func expectProof(t *testing.T, in *Instance, about, want string, c Certificate) {
	t.Helper()
	c.Method = RackLP
	if c.Prices == nil {
		c.Method = LongestJob
	}
	if err := in.Sign(&c); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(&c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Certify(raw); err != nil || c.Value != want {
		t.Errorf("%s: %s, not %s; %v", about, c.Value, want, err)
	}
}

// TestBoundsByHand: two racks of one node with a slot of each kind; two maps of 10 s whose input lies in rack A, and a
// reduce of 5 s.
//
//   - Both maps at a price of 1: 20 s of work on two slots that the last 5 s of the schedule cannot use: (20 + 2·5)/2.
//   - A map in rack B holds its slot for 20 s, since it reads 100 bytes at 10 a second. With prices 2 and 1 each of
//     them pays 20 either way, and a second costs 3: (40 + 3·5)/3.
//   - Alone: 10 s of maps, as 20 s on two slots, and 5 s.
func TestBoundsByHand(t *testing.T) {
	nodes := []boundNode{{rack: "A", maps: 1, reduces: 1}, {rack: "B", maps: 1, reduces: 1}}
	job := boundJob{mapTime: 10, redTime: 5, input: 100, output: 100, at: []int{0, 0}, reduces: 1}
	in := boundInstance(t, 10, nodes, job)
	expectProof(t, in, "equal prices of map slots", "15", Certificate{Prices: &Prices{Map: []int64{1, 1}}})
	expectProof(t, in, "prices 2 and 1", "55/3", Certificate{Prices: &Prices{Map: []int64{2, 1}}})
	expectProof(t, in, "the job alone", "15", Certificate{Job: "j0"})
	// The reduce alone: its slot is of use from the end of the maps, 10 s, on: (5 + 2·10)/2.
	expectProof(t, in, "reduce slots", "25/2", Certificate{Prices: &Prices{Reduce: []int64{1, 1}}})
	// A later job moves the window: of the one that arrives at 100, (20 + 2·100 + 2·5)/2.
	later := job
	later.arrival = 100
	expectProof(t, boundInstance(t, 10, nodes, job, later), "jobs from a time on", "115",
		Certificate{Prices: &Prices{From: 1, Map: []int64{1, 1}}})
	// Slots twice as fast count double: 20 s of work at speed 1, (20 + 3·2.5)/3, as the reduce takes 2.5 s at best.
	fast := boundInstance(t, 1e15, []boundNode{{rack: "A", maps: 1, reduces: 1, speed: 2}, {rack: "A", maps: 1}},
		boundJob{mapTime: 10, redTime: 5, at: []int{-1, -1}, reduces: 1})
	expectProof(t, fast, "slots of speeds 2 and 1", "55/6", Certificate{Prices: &Prices{Map: []int64{2, 1}}})
}

// TestAloneFetches: the nodes of rack A, 100 bytes a second each, run a map of 10 s and three reduces that fetch 1000
// bytes each and compute for 5 s. On two slots they hold 3·(10 + 5) s of slots after the map, less the byte and the 10
// µs that Check forgives each: 10 + 22.484985, where without fetching it would be 10 + 7.5. A reduce that fetches
// faster is refused, however much the rack's nodes carry together.
func TestAloneFetches(t *testing.T) {
	nodes := []boundNode{{rack: "A", maps: 1, reduces: 1, bandwidth: 100}, {rack: "A", reduces: 1, bandwidth: 100},
		{rack: "A", maps: 1, bandwidth: 1000}}
	in := boundInstance(t, 10, nodes, boundJob{mapTime: 10, redTime: 5, output: 3000, at: []int{0}, reduces: 3})
	expectProof(t, in, "the job alone", "6496997/200000", Certificate{Job: "j0"})
	good := []model.Entry{in.entry(t, 0, "n0/m1", 0, 10), in.entry(t, 1, "n0/r1", 10, 25), in.entry(t, 2, "n1", 0, 25),
		in.entry(t, 3, "n0/r1", 25, 40)}
	expectCheck(t, in, "the fastest", good, "")
	for k, bad := range map[int]model.Entry{1: in.entry(t, 1, "n0/r1", 10, 24.9), 2: in.entry(t, 2, "n1", 10, 24.9),
		3: in.entry(t, 3, "n0/r1", 25.1, 40)} {
		rows := slices.Clone(good)
		rows[k] = bad
		expectCheck(t, in, "one is faster", rows, model.CodeLink)
	}
}

// TestUplinkBound: maps have slots in rack A only and reduces in rack B only. So 200 bytes leave A, after the first
// map, which takes 10 s, and before the reduce computes for 5 s; the uplink carries 10 a second. Check forgives 20 µs
// and a byte for each of three loads (two maps that might read, a reduce), and one.
func TestUplinkBound(t *testing.T) {
	in := boundInstance(t, 10, []boundNode{{rack: "A", maps: 2}, {rack: "B", reduces: 1}},
		boundJob{mapTime: 10, redTime: 5, input: 100, output: 100, at: []int{0, 0}, reduces: 1})
	want := big.NewRat(10_000_000+20_000_000+5_000_000-20-400_000, 1_000_000).RatString()
	expectProof(t, in, "the uplink out of A", want, Certificate{Prices: &Prices{Out: []int64{1, 0}}})
	expectProof(t, in, "the uplink into B", want, Certificate{Prices: &Prices{In: []int64{0, 7}}})
	x := in.Relax()
	for _, makespan := range []model.Time{0, model.Second} {
		v, err := x.crossing(&Crossing{Makespan: makespan, Windows: []Prices{{Cross: 3}}})
		if err != nil || v.RatString() != "200" {
			t.Errorf("%v bytes cross racks at least, %v", v, err)
		}
	}
}

// TestCrossingBound: with slots in both racks and a map slot in each, the least crossing moves with the makespan. Two
// maps of 10 s read 100 bytes in A and put out 60. If both run in A nothing crosses. Priced at 6 bytes a second of A's
// map slot, a map pays 60 in A, and 60 to 100 bytes in B, more than that: 120 − 6·(T − 5) bytes cross, for T = 15 + 5 =
// 20 still 30.
func TestCrossingBound(t *testing.T) {
	in := boundInstance(t, 10, []boundNode{{rack: "A", maps: 1, reduces: 1}, {rack: "B", maps: 1}},
		boundJob{mapTime: 10, redTime: 5, input: 100, output: 60, at: []int{0, 0}, reduces: 1})
	proof := &Crossing{Makespan: 20 * model.Second, Windows: []Prices{{Cross: 1_000_000, Map: []int64{6, 0}}}}
	if v, err := in.Relax().crossing(proof); err != nil || v.RatString() != "30" {
		t.Errorf("%v bytes cross, %v", v, err)
	}
	proof.Windows[0].Cross = 0
	if _, err := in.Relax().crossing(proof); err == nil {
		t.Error("prices without one of crossing bound it")
	}
}

// TestCrossingWindows: two jobs of one map each, whose inputs of 100 bytes lie in A with its one slot, arrive at 0 and
// at 10 s; maps take 10 s and put out 60 bytes for a reduce of 5 s in A. By T = 25 s the second has only the 10 s until
// 20 s, which A offers: nothing must cross. By T = 20 s it has 5 of them: at 6 bytes a second half of 60 bytes must
// cross, though the time from 0 on would suffice for one and a half maps.
func TestCrossingWindows(t *testing.T) {
	job := boundJob{mapTime: 10, redTime: 5, input: 100, output: 60, at: []int{0}, reduces: 1}
	late := job
	late.arrival = 10
	in := boundInstance(t, 10, []boundNode{{rack: "A", maps: 1, reduces: 1}, {rack: "B", maps: 1}}, job, late)
	for last, want := range map[model.Time]string{25: "0", 20: "30"} {
		proof := &Crossing{Makespan: last * model.Second, Windows: []Prices{{Cross: 1_000_000},
			{From: 10 * model.Second, Map: []int64{6, 0}, Cross: 1_000_000}}}
		if err := in.SignCrossing(proof); err != nil || proof.Value != want {
			t.Errorf("until %d s %s bytes cross, %v", last, proof.Value, err)
		}
		for name, change := range map[string]func(){
			"":              func() {},
			"value":         func() { proof.Value = "31" },
			"two prices":    func() { proof.Windows[0].Cross-- },
			"order":         func() { proof.Windows[1].From = 0 },
			"too late":      func() { proof.Windows[1].From = 11 * model.Second },
			"no windows":    func() { proof.Windows = nil },
			"other windows": func() { proof.Windows = proof.Windows[:1] },
			"makespan":      func() { proof.Makespan -= 5 * model.Second },
		} {
			saved, windows := *proof, slices.Clone(proof.Windows)
			change()
			raw, err := json.Marshal(proof)
			if err != nil {
				t.Fatal(err)
			}
			v, err := in.CertifyCrossing(raw)
			if name == "" && (err != nil || v.RatString() != want) || name != "" && err == nil && proof.Value != "0" {
				t.Errorf("%s: %v, %v", name, v, err)
			}
			*proof = saved
			proof.Windows = windows
		}
	}
}

// TestCertificateMutations: certificates that do not say what they prove are refused.
func TestCertificateMutations(t *testing.T) {
	in := boundInstance(t, 10, []boundNode{{rack: "A", maps: 1, reduces: 1}, {rack: "B", maps: 1, reduces: 1}},
		boundJob{mapTime: 10, redTime: 5, input: 100, output: 100, at: []int{0, 0}, reduces: 1},
		boundJob{arrival: 7, mapTime: 10, redTime: 5, at: []int{-1}, reduces: 1})
	good := Certificate{Claim: model.Claim{Method: "rack-lp"}, Prices: &Prices{Map: []int64{2, 1},
		Reduce: []int64{1, 1}, Out: []int64{3, 0}, In: []int64{0, 3}}}
	if err := in.Sign(&good); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(&good)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Certify(raw); err != nil {
		t.Fatal(err)
	}
	prices := string(raw[strings.Index(string(raw), `"prices"`) : len(raw)-1])
	for old, list := range map[string][]string{
		`"value":"`:      {`"value":"1`},
		good.Value + `"`: {good.Value + `.0"`},
		`"prices":{`:     {`"prices":{"from":1,`, `"prices":{"from":100,`},
		`"map":[2,1]`: {`"map":[2,2]`, `"map":[2,-1]`, `"map":[1152921504606846976,1]`, `"map":[2,1,1]`,
			`"map":[72057594037927936,72057594037927936]`, `"map":[2,1],"fabric":[1,0]`, `"map":[2,1],"cross":1`,
			`"map":[2,1],"extra":1`},
		`"out":[3,0]`:   {`"out":[3]`},
		prices:          {prices + `,"job":"j0"`, `"job":"j9"`, `"job":"j0"`, `"job":""`, `"prices":{}`},
		`"multitenant"`: {`"hta"`},
		`certificate/2`: {`x`},
		`"rack-lp"`:     {`"magic"`, `"` + LongestJob + `"`, `"` + MapSlots + `"`, `"` + ReduceSlots + `"`},
	} {
		for _, changed := range list {
			text := strings.Replace(string(raw), old, changed, 1)
			if _, err := in.Certify([]byte(text)); err == nil || text == string(raw) {
				t.Errorf("%s instead of %s: accepted: %s", changed, old, text)
			}
		}
	}
}

// gridSearch is all schedules of a tiny instance whose times are whole seconds.
type gridSearch struct {
	in    *Instance
	rows  []model.Entry
	until model.Time
	seen  func(s *model.Schedule)
}

// enter places task t and the rest, in every way that the times of rows allow.
func (g *gridSearch) enter(t int32) {
	in := g.in
	if int(t) == in.Tasks {
		if s := (&model.Schedule{Entries: g.rows}); len(in.Check(s)) == 0 {
			g.seen(s)
		}
		return
	}
	j := in.JobOf(t)
	for _, slot := range in.SlotsFor(in.KindOf(t)) {
		w := in.WorkerOf[slot]
		least := in.Compute(t, w)
		from := in.Arrival[j]
		if in.IsMap(t) {
			least += in.ReadTime(t, w)
		}
		for start := from; start+least <= g.until; start += model.Second {
			for end := start + least; end <= g.until; end += model.Second {
				if g.fits(slot, start, end) {
					g.rows = append(g.rows, model.Entry{Task: model.TaskIndex(t), Machine: slot, Start: start, End: end})
					g.enter(t + 1)
					g.rows = g.rows[:len(g.rows)-1]
				}
				if in.IsMap(t) && in.Locality(t, w) == model.NodeLocal {
					break
				}
			}
		}
	}
}

// fits says whether a slot is free.
func (g *gridSearch) fits(slot int32, start, end model.Time) bool {
	for _, e := range g.rows {
		if e.Machine == slot && e.Start < end && start < e.End {
			return false
		}
	}
	return true
}

// TestBoundsBruteForce: no schedule on a grid of seconds beats random prices, neither in makespan nor in bytes that
// cross racks, nor ends before a job could that were alone; and by night prices are sharp somewhere. Links carry what
// has to cross them within the windows, shared freely, as Check has it.
func TestBoundsBruteForce(t *testing.T) {
	tier.Slow(t)
	sharp := 0
	property := func(t *rapid.T) {
		node := func(rack string) boundNode { return boundNode{rack: rack, maps: 1, reduces: 1} }
		nodes := []boundNode{node("A"), node("B")}
		if rapid.Bool().Draw(t, "one-sided") {
			nodes = []boundNode{{rack: "A", maps: 1}, {rack: "A", maps: 1}, {rack: "B", reduces: 1}}
		}
		job := boundJob{mapTime: 1, redTime: float64(rapid.IntRange(0, 2).Draw(t, "reduce")),
			input:  model.Bytes(1e6 * rapid.IntRange(0, 2).Draw(t, "input")),
			output: model.Bytes(1e6 * rapid.IntRange(0, 2).Draw(t, "output")), reduces: rapid.Int64Range(0, 1).Draw(t,
				"reduces")}
		for range rapid.IntRange(1, 2).Draw(t, "maps") {
			job.at = append(job.at, rapid.IntRange(-1, 1).Draw(t, "at"))
		}
		jobs := []boundJob{job}
		if len(job.at) == 1 {
			second := job
			second.arrival = float64(rapid.IntRange(0, 2).Draw(t, "arrival"))
			jobs = append(jobs, second)
		}
		if wide := rapid.IntRange(0, 2).Draw(t, "bandwidth"); wide > 0 {
			for k := range nodes {
				nodes[k].bandwidth = 1e6 * float64(wide)
			}
		}
		in := boundInstance(t, 1e6, nodes, jobs...)
		price := rapid.SliceOfN(rapid.Int64Range(0, 3), 8, 8).Draw(t, "prices")
		if kind := rapid.IntRange(-1, 3).Draw(t, "only"); kind >= 0 { // of one kind of resources, all alike
			price = make([]int64, 8)
			price[2*kind], price[2*kind+1] = 1, 1
		}
		p := Prices{From: model.TimeOf(float64(rapid.IntRange(0, 1).Draw(t, "from"))), Out: price[:2], In: price[2:4],
			Map: append(price[4:6:6], price[5])[:len(in.Relax().Places)], Reduce: append(price[6:8:8],
				price[7])[:len(in.Relax().Places)]}
		bound, err := in.Relax().Makespan(&p)
		if err != nil {
			t.Skip()
		}
		p.Cross = rapid.Int64Range(1, 3).Draw(t, "cross")
		proof := laterWindow(t, in, p)
		best := model.Time(0)
		near, _ := bound.Float64()
		g := gridSearch{in: in, until: min(6, model.Time(near)+2) * model.Second}
		g.seen = func(s *model.Schedule) {
			_, last := in.Ends(s)
			if best == 0 || last < best {
				best = last
			}
			if v := big.NewRat(int64(last), int64(model.Second)); v.Cmp(bound) < 0 {
				t.Fatalf("makespan %s below the bound %s: %v", v.FloatString(6), bound.FloatString(6), s.Entries)
			}
			for j := range in.Jobs {
				if alone := in.Relax().Alone(int32(j)); alone > last {
					t.Fatalf("makespan %s, job %d alone takes until %s: %v", last, j, alone, s.Entries)
				}
			}
			proof.Makespan = last
			least, err := in.Relax().crossing(proof)
			if err != nil {
				t.Fatal(err)
			}
			f := in.Flows(s)
			across := new(big.Rat).Add(f.Shuffle(), new(big.Rat).SetInt64(int64(f.Read)))
			if across.Cmp(least) < 0 {
				t.Fatalf("%s bytes cross racks, below the bound %s: %v", across.FloatString(3), least.FloatString(3), s.Entries)
			}
		}
		g.enter(0)
		if best > 0 && near > best.Seconds()-0.01 {
			sharp++
		}
	}
	for round := 0; round < 5 && sharp == 0; round++ { // few prices are
		rapid.Check(t, property)
	}
	if sharp == 0 {
		t.Error("no prices were sharp")
	}
}

// laterWindow is a proof of prices from the first arrival on, and of others from the second on if that is later.
func laterWindow(t *rapid.T, in *Instance, p Prices) *Crossing {
	p.From = 0
	proof := &Crossing{Windows: []Prices{p}}
	if last := slices.Max(in.Arrival); last > 0 {
		places := len(in.Relax().Places)
		draw := func(n int) []int64 { return rapid.SliceOfN(rapid.Int64Range(0, 3), n, n).Draw(t, "later prices") }
		proof.Windows = append(proof.Windows, Prices{From: last, Map: draw(places), Reduce: draw(places),
			Out: draw(in.Racks), In: draw(in.Racks), Cross: p.Cross})
	}
	return proof
}
