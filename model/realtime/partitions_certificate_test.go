package realtime

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/tier"
)

// phaseSpec is a job of goal partitions on workers with one reduce slot each.
type phaseSpec struct {
	seconds  [][]int // by partition, by worker; nil: base over speed
	base     []int   // seconds at speed 1
	speeds   []float64
	reducers int64
	resplit  model.Optional[model.Time]
}

func phaseInstance(t *testing.T, s phaseSpec) *Instance {
	t.Helper()
	return opened(t, Options{Goal: Partitions, Resplit: s.resplit}, func(b *input) {
		for w, v := range s.speeds {
			b.node(string(rune('a'+w)), v, 0, 1)
		}
		b.job(reducing("j", s.reducers, 0))
		for i := range max(len(s.seconds), len(s.base)) {
			id := string(rune('p' + i))
			if s.base != nil {
				b.part("j", id, model.Bytes(s.base[i]))
				continue
			}
			b.part("j", id, 1)
			for w, v := range s.seconds[i] {
				b.given("j", id, string(rune('a'+w)), v)
			}
		}
	})
}

// unrelatedPhase: three partitions on two slots that take 4 and 6, 6 and 4, 5 and 5 seconds. Two of them share a slot.
// The first and the second take 10 there, the third and either of the others 9 at least: the optimum is 9.
func unrelatedPhase(t *testing.T) *Instance {
	return phaseInstance(t, phaseSpec{seconds: [][]int{{4, 6}, {6, 4}, {5, 5}}, speeds: []float64{1, 1}, reducers: 2})
}

func certificateOf(seconds int, p Proof) *Certificate {
	c := &Certificate{Phases: []Phase{{Time: model.Time(seconds) * model.Second, Sets: []Proof{p}}}}
	c.Method = MethodOf(c.Phases)
	return c
}

// TestPhases tests proofs of bounds by hand; none proves one second more.
func TestPhases(t *testing.T) {
	related := phaseSpec{base: []int{12, 4, 4}, speeds: []float64{1, 3, 2}, reducers: 2}
	for name, x := range map[string]struct {
		in     *Instance
		second int
		proof  Proof
		method string
	}{
		// Some partition takes 5 s everywhere.
		"too large": {unrelatedPhase(t), 5, Proof{}, SlotPrices},
		// 4 + 4 + 5 = 13 > 2·6, and loads are whole seconds.
		"slots": {unrelatedPhase(t), 7, Proof{Slots: []int64{1, 1}}, SlotPrices},
		// Of three partitions one fits into 8 s on each slot.
		"partitions": {unrelatedPhase(t), 9, Proof{Partitions: []int64{1, 1, 1}}, PartitionPrices},
		// If r is on a, nothing else fits there, and p and q take 10 on b; if not, the same on a.
		"cases": {unrelatedPhase(t), 9, Proof{Cases: &Cases{Partition: 2, Slot: 0, On: Proof{Partitions: []int64{1, 1, 1}},
			Off: Proof{Cases: &Cases{Partition: 0, Slot: 0, On: Proof{Partitions: []int64{1, 1, 1}},
				Off: Proof{Partitions: []int64{1, 1, 1}}}}}}, CaseTree},
		// The two fastest slots are enough, of speeds 3 and 2, and 20 in all on a speed of 5 takes 4.
		"fastest": {phaseInstance(t, related), 4, Proof{Slots: []int64{3, 2}}, SlotPrices},
		// Below 6 s the largest must lie on the slot of speed 3, where it takes 4.
		"largest": {phaseInstance(t, related), 4, Proof{Slots: []int64{1, 0}}, SlotPrices},
		// Of three slots two are used: 3 + 3 + 3 > 2·4.
		"reducers": {phaseInstance(t, phaseSpec{seconds: [][]int{{3, 4, 5}, {5, 3, 4}, {4, 5, 3}}, speeds: []float64{1, 1, 1},
			reducers: 2}), 5, Proof{Slots: []int64{1, 1, 1}}, SlotPrices},
		// Pieces share slots: 10 on two slots takes 5.
		"pieces": {phaseInstance(t, phaseSpec{base: []int{10}, speeds: []float64{1, 1}, reducers: 2,
			resplit: model.Some(model.Second)}), 5, Proof{Slots: []int64{1, 1}}, SlotPrices},
	} {
		c := certificateOf(x.second, x.proof)
		if c.Method != x.method {
			t.Errorf("%s: method %s", name, c.Method)
		}
		if err := x.in.Sign(c); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		raw, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := x.in.Certify(raw); err != nil || v.Value.Num().Int64() != int64(x.second) {
			t.Errorf("%s: %v, %v", name, v.Value, err)
		}
		c.Phases[0].Time += model.Second
		if x.in.Sign(c) == nil {
			t.Errorf("%s: proves a second more", name)
		}
		if _, err := x.in.Certify([]byte(strings.Replace(string(raw), `"time":`, `"time":1`, 1))); err == nil {
			t.Errorf("%s: another time is proven", name)
		}
	}
}

// TestPhasesRefused lists invalid certificates.
func TestPhasesRefused(t *testing.T) {
	in := unrelatedPhase(t)
	pieces := phaseInstance(t, phaseSpec{base: []int{10, 10, 10}, speeds: []float64{1, 1}, reducers: 2,
		resplit: model.Some(model.Second)})
	ones := []int64{1, 1, 1}
	good, slots := Proof{Partitions: ones}, Proof{Slots: []int64{1, 1}}
	for name, x := range map[string]struct {
		in    *Instance
		proof Proof
	}{
		"negative price":       {in, Proof{Slots: []int64{1, -1}}},
		"huge price":           {in, Proof{Slots: []int64{1, MaxPrice + 1}}},
		"too few prices":       {in, Proof{Slots: []int64{1}}},
		"no prices":            {in, Proof{Slots: []int64{0, 0}}},
		"partition prices":     {in, Proof{Partitions: []int64{1, 1}}},
		"negative u":           {in, Proof{Partitions: []int64{2, 2, -1}}},
		"worthless u":          {in, Proof{Partitions: []int64{0, 0, 0}}},
		"two parts":            {in, Proof{Slots: []int64{1, 1}, Partitions: ones}},
		"unknown partition":    {in, Proof{Cases: &Cases{Partition: 3, On: good, Off: good}}},
		"unknown slot":         {in, Proof{Cases: &Cases{Slot: 2, On: good, Off: good}}},
		"half a case":          {in, Proof{Cases: &Cases{On: good, Off: Proof{}}}},
		"the same case twice":  {in, Proof{Cases: &Cases{On: Proof{Cases: &Cases{On: good, Off: good}}, Off: good}}},
		"partitions of pieces": {pieces, good},
		"cases of pieces":      {pieces, Proof{Cases: &Cases{On: slots, Off: slots}}},
		"size of pieces":       {pieces, Proof{}},
	} {
		if err := x.in.Sign(certificateOf(8, x.proof)); err == nil {
			t.Errorf("%s proves something", name)
		}
	}
	for name, change := range map[string]func(*Certificate){
		"method":        func(c *Certificate) { c.Method = SlotPrices },
		"no phase":      func(c *Certificate) { c.Method, c.Phases = SlotPrices, nil },
		"two phases":    func(c *Certificate) { c.Phases = slices.Repeat(c.Phases, 2) },
		"two sets":      func(c *Certificate) { c.Phases[0].Sets = slices.Repeat(c.Phases[0].Sets, 2) },
		"negative time": func(c *Certificate) { c.Phases[0].Time = -1 },
		"proof of none": func(c *Certificate) { c.Phases[0].Time = 0 },
		"late, too":     func(c *Certificate) { c.Late = &Late{} },
	} {
		c := certificateOf(9, Proof{Partitions: ones})
		change(c)
		if err := in.Sign(c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestAlike: the second case of equal slots keeps a partition off all of them. With three equal slots, p is on the
// first without loss of generality; slots that an earlier case distinguishes are not equal.
func TestAlike(t *testing.T) {
	in := phaseInstance(t, phaseSpec{base: []int{3, 3, 3, 3}, speeds: []float64{1, 1, 1}, reducers: 3})
	// off all three: nowhere
	p := Proof{Cases: &Cases{Partition: 0, Slot: 0, On: Proof{Partitions: []int64{1, 1, 1, 1}}, Off: Proof{}}}
	if err := in.Sign(certificateOf(6, p)); err != nil {
		t.Error(err)
	}
	q := Proof{Cases: &Cases{Partition: 0, Slot: 0, On: Proof{Cases: &Cases{Partition: 1, Slot: 0,
		On: Proof{Partitions: []int64{1, 1, 1, 1}}, Off: Proof{}}}, Off: Proof{}}}
	if err := in.Sign(certificateOf(6, q)); err == nil {
		t.Error("a partition that is off one slot is taken to be off those that differ from it")
	}
}

// TestCandidates: the fastest slots, if their order is the same for all partitions.
func TestCandidates(t *testing.T) {
	for name, x := range map[string]struct {
		spec    phaseSpec
		slots   []int32
		classes int
		most    int
	}{
		"speeds": {phaseSpec{base: []int{1, 1, 1}, speeds: []float64{1, 3, 2, 3}, reducers: 3}, []int32{1, 3, 2}, 2,
			3},
		"few partitions": {phaseSpec{base: []int{1}, speeds: []float64{1, 3, 2}, reducers: 3}, []int32{1}, 1, 1},
		"pieces": {phaseSpec{base: []int{1}, speeds: []float64{1, 3, 2}, reducers: 2,
			resplit: model.Some(model.Second)}, []int32{1, 2}, 2, 2},
		"given, ordered": {phaseSpec{seconds: [][]int{{3, 1, 2}, {4, 2, 2}}, speeds: []float64{1, 3, 2}, reducers: 2},
			[]int32{1, 2}, 2, 2},
		"given, not": {phaseSpec{seconds: [][]int{{3, 1, 2}, {1, 2, 2}}, speeds: []float64{1, 3, 2}, reducers: 2},
			[]int32{0, 1, 2}, 3, 2},
		"all": {phaseSpec{base: []int{1, 1, 1}, speeds: []float64{1, 3, 2}, reducers: 5}, []int32{0, 1, 2}, 3, 3},
	} {
		in := phaseInstance(t, x.spec)
		c := in.Candidates(in.Sets[0])
		if !slices.Equal(c.Slots, x.slots) || len(c.Worker) != x.classes || c.Most != x.most || len(c.Class) != len(c.Slots) {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// TestRefuteNothingTrue: random prices never refute the limit that a random assignment attains, for any number of
// reducers.
func TestRefuteNothingTrue(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range tier.Draws(500, 3000) {
		s := phaseSpec{reducers: int64(1 + r.IntN(4))}
		workers := 1 + r.IntN(4)
		for range workers {
			s.speeds = append(s.speeds, float64(1+r.IntN(3)))
		}
		n := 1 + r.IntN(6)
		for range n {
			row := make([]int, workers)
			for w := range row {
				row[w] = r.IntN(10)
			}
			s.seconds, s.base = append(s.seconds, row), append(s.base, r.IntN(10))
		}
		if r.IntN(2) == 0 {
			s.seconds = nil
		} else {
			s.base = nil
		}
		in := phaseInstance(t, s)
		set := in.Sets[0]
		used := r.Perm(workers)[:min(workers, int(s.reducers))]
		load := make([]model.Time, workers)
		for i := range set.Count {
			w := used[r.IntN(len(used))]
			load[w] += in.Time(set.First+i, int32(w))
		}
		prices := func(k int) []int64 {
			list := make([]int64, k)
			for i := range list {
				list[i] = int64(r.IntN(5))
			}
			return list
		}
		u := prices(n)
		c := Cases{Partition: int32(r.IntN(n)), Slot: int32(r.IntN(len(in.Candidates(set).Slots))), On: Proof{Partitions: u},
			Off: Proof{Slots: prices(len(in.Candidates(set).Slots))}}
		for _, p := range []Proof{{}, {Slots: prices(len(in.Candidates(set).Slots))}, {Partitions: u}, {Cases: &c}} {
			if in.Refute(set, slices.Max(load), &p) == nil {
				t.Fatalf("%+v refutes %v, which %+v keeps", p, load, s)
			}
		}
	}
}

// TestKnapsackOfProofs compares with all subsets: the result is within the slack below the best, never above it.
func TestKnapsackOfProofs(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range tier.Draws(200, 500) {
		s := phaseSpec{speeds: []float64{1, 1}, reducers: 2}
		price := make([]int64, 1+random.IntN(9))
		for i := range price {
			s.seconds = append(s.seconds, []int{random.IntN(12), random.IntN(12)})
			price[i] = random.Int64N(15)
		}
		in := phaseInstance(t, s)
		set := in.Sets[0]
		limit := model.Time(random.IntN(30)) * model.Second
		slack := random.Int64N(4) * random.Int64N(4)
		r := &refutation{in: in, set: set, limit: limit, Candidates: in.Candidates(set), work: maxKnapsackWork}
		r.group = r.Class
		best := int64(0)
		for subset := range 1 << len(price) {
			weight, worth := model.Time(0), int64(0)
			for i, u := range price {
				if subset>>i&1 == 1 {
					weight, worth = weight+in.Time(set.First+int32(i), r.Worker[r.Class[0]]), worth+u
				}
			}
			if weight <= limit {
				best = max(best, worth)
			}
		}
		if got, ok := r.knapsack(0, price, slack); !ok || got > best || got < best-slack {
			t.Fatalf("%v at prices %v, limit %v, slack %d: %d, best %d", s.seconds, price, limit, slack, got, best)
		}
	}
}
