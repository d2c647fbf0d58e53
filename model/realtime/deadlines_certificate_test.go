package realtime

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// lateExample has three maps on one slot of speed 1, and a worker w2 with only a reduce slot. The maps take 4 s due at
// 4, 3 and 2 s due at 6. From 0 on 4 + 3 + 2 s do not fit before 6, so one must be late. A fourth job with a map of 2
// s, due 1 s after its arrival at 20, is a sure miss; a fifth has no work at 6.
func lateExample(t *testing.T) *Instance {
	return opened(t, Options{}, func(b *input) {
		b.node("w1", 1, 1, 0)
		b.node("w2", 1, 0, 1)
		for i, j := range [][3]model.Time{{0, 4, 4}, {0, 3, 6}, {0, 2, 6}, {20, 2, 1}, {6, 0, 0}} {
			id := fmt.Sprintf("j%d", i+1)
			b.job(model.Job{ID: id, Release: j[0] * model.Second, Deadline: model.Some(j[2] * model.Second)})
			b.mapTask(id, id+".m", float64(j[1]))
		}
	})
}

// lateCertificate proves 2 for lateExample. With prices of 1, the jobs of 4, 3 and 2 s are due when the slot has
// offered 4, 6 and 6 s. 4 fits, 4 + 3 does not and the job of 4 is dropped, 3 + 2 fits.
func lateCertificate() *Certificate {
	return &Certificate{Claim: model.Claim{Method: "late-windows"}, Late: &Late{
		Prices:  []Price{{Kind: "map", Unit: 1, Worker: []int64{1, 0}}},
		Windows: []Window{{From: 0, Until: 6 * model.Second}}}}
}

// TestLateCertificate: the worked example, and the bounds of changed certificates.
func TestLateCertificate(t *testing.T) {
	in := lateExample(t)
	for name, c := range map[string]struct {
		change func(*Late)
		want   string
	}{
		"as it is":                      {func(*Late) {}, "2"},
		"a unit of a second":            {func(l *Late) { l.Prices[0].Unit = int64(model.Second) }, "2"},
		"a unit of 3 s: 1, 1, 0 of 2":   {func(l *Late) { l.Prices[0].Unit = 3 * int64(model.Second) }, "1"},
		"a window without the last two": {func(l *Late) { l.Windows[0].Until = 5 * model.Second }, "1"},
		"nothing but the sure miss":     {func(l *Late) { *l = Late{} }, "1"},
		"prices of nothing":             {func(l *Late) { l.Prices[0].Worker[0] = 0 }, "1"},
		"touching windows": {func(l *Late) {
			l.Windows = append(l.Windows, Window{From: 6 * model.Second, Until: 30 * model.Second})
		}, "2"},
	} {
		cert := lateCertificate()
		c.change(cert.Late)
		if err := in.Sign(cert); err != nil || cert.Value != c.want {
			t.Errorf("%s: proves %s, %v; expected %s", name, cert.Value, err, c.want)
		}
	}
}

// TestLateCertificateFaults: each fault of a certificate is found.
func TestLateCertificateFaults(t *testing.T) {
	in := lateExample(t)
	for what, change := range map[string]func(*Certificate){
		"more is stated":     func(c *Certificate) { c.Value = "3" },
		"less is stated":     func(c *Certificate) { c.Value = "1" },
		"an unknown method":  func(c *Certificate) { c.Method = "magic" },
		"no proof":           func(c *Certificate) { c.Late = nil },
		"phases, too":        func(c *Certificate) { c.Phases = []Phase{{}} },
		"no such prices":     func(c *Certificate) { c.Late.Windows[0].Price = 1 },
		"prices number -1":   func(c *Certificate) { c.Late.Windows[0].Price = -1 },
		"an unknown kind":    func(c *Certificate) { c.Late.Prices[0].Kind = "mop" },
		"a unit of 0":        func(c *Certificate) { c.Late.Prices[0].Unit = 0 },
		"too few prices":     func(c *Certificate) { c.Late.Prices[0].Worker = []int64{1} },
		"a negative price":   func(c *Certificate) { c.Late.Prices[0].Worker[0] = -1 },
		"a price of no slot": func(c *Certificate) { c.Late.Prices[0].Worker[1] = 1 },
		"a price of 63 bits": func(c *Certificate) { c.Late.Prices[0].Worker[0] = 1 << 62 },
		"work of 63 bits":    func(c *Certificate) { c.Late.Prices[0].Worker[0] = 1 << 50 },
		"windows overlap": func(c *Certificate) {
			c.Late.Windows = append(c.Late.Windows, Window{Until: 5 * model.Second})
		},
	} {
		c := lateCertificate()
		if err := in.Sign(c); err != nil {
			t.Fatal(err)
		}
		change(c)
		raw, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Certify(raw); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}

// TestLateness: intervals and work of a job with everything, by hand. Workers of speeds 1 and 2 have a slot of each
// kind. Maps of 4 s (released at 3, shuffle 1) and 8 s (released with the job at 2, shuffle 0): least times 2 and 4 s;
// ends at 5 and 6, outputs at 6. Two maps at least of 4 s each: 2 s on the fast slot and 4 on the slow, or both on the
// fast: 4 s from 2 on. So the partitions of 6 and 2 s start at 6. They are on one reducer, and take 3 s by the larger,
// 2 + 2 halves = 2 by number, 3 + 1 one after another. Due after 10 s, at 12, the maps must end by
// 12 − 4 − 1 = 7 and by 8.
func TestLateness(t *testing.T) {
	const s = model.Second
	in := opened(t, Options{}, func(b *input) {
		b.node("w1", 1, 1, 1)
		b.node("w2", 2, 1, 1)
		j := reducing("j", 1, 0)
		j.Release, j.Deadline = 2*s, model.Some(10*s)
		b.job(j)
		b.task("j", model.Task{ID: "a", Kind: model.Map, Processing: model.Some(4 * s), Release: model.Some(3 * s),
			ShuffleDelay: s})
		b.mapTask("j", "b", 8)
		b.part("j", "x", 6)
		b.part("j", "y", 2)
	})
	l, err := in.Lateness([]Price{{"map", 1, []int64{1, 2}}, {"reduce", 1, []int64{1, 2}},
		{"map", int64(5 * s), []int64{1, 2}}})
	if err != nil {
		t.Fatal(err)
	}
	got := []model.Time{l.Head[0][0], l.End[0][0], l.Head[1][0], l.End[1][0], l.Latest(0), l.Latest(1)}
	if want := []model.Time{2 * s, 8 * s, 6 * s, 12 * s, 7 * s, 8 * s}; !slices.Equal(got, want) || l.Sure[0] {
		t.Errorf("%v, sure %v; expected %v", got, l.Sure[0], want)
	}
	// In units of 5 s the maps are ⌊4/5⌋ + ⌊8/5⌋. In 7 s the slots have room for ⌊7/5⌋ + ⌊14/5⌋ of them.
	if l.Work[0][0] != int64(12*s) || l.Work[1][0] != int64(8*s) || l.Work[2][0] != 1 {
		t.Errorf("work %v", l.Work)
	}
	if l.Room(0, 7*s) != int64(21*s) || l.Room(2, 7*s) != 3 || l.Room(0, -1) != 0 {
		t.Errorf("room %d and %d", l.Room(0, 7*s), l.Room(2, 7*s))
	}
}

// TestHodgson: the number of late jobs equals the maximum over all sets of jobs.
func TestHodgson(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type job struct{ length, due int64 }
		list := make([]job, rapid.IntRange(0, 8).Draw(t, "n"))
		for k := range list {
			list[k] = job{rapid.Int64Range(0, 9).Draw(t, "length"), rapid.Int64Range(0, 25).Draw(t, "due")}
		}
		slices.SortFunc(list, func(a, b job) int { return cmp.Compare(a.due, b.due) })
		var h Hodgson
		for n, j := range list {
			h.Add(j.length, j.due)
			most := 0
			for set := range 1 << (n + 1) {
				sum, fits := int64(0), true
				for k := range n + 1 {
					if set>>k&1 == 1 {
						sum += list[k].length
						fits = fits && sum <= list[k].due
					}
				}
				if fits {
					most = max(most, bits.OnesCount(uint(set)))
				}
			}
			if h.Late != n+1-most {
				t.Fatalf("%d late of the first %d, expected %d", h.Late, n+1, n+1-most)
			}
		}
	})
}
