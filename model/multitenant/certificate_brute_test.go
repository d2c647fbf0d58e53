package multitenant

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/tier"
)

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
// cross racks, nor ends before a job could that were alone; and somewhere prices are sharp. Links carry what has to
// cross them within the windows, shared freely, as Check has it.
func TestBoundsBruteForce(t *testing.T) {
	tier.Slow(t)
	sharp := 0
	rapid.Check(t, func(t *rapid.T) {
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
	})
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
