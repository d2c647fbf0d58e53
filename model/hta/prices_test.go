package hta

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// racked has nodes A1, A2 in rack A and B1, B2 in rack B, all servers but those named; tasks read the blocks given,
// which lie on the nodes given. A node "B2/root" is B2 under no rack. Costs are in seconds.
func racked(t rapid.TB, costs [3]model.Time, tasks []string, placements [][2]string, slotless ...string) *Instance {
	t.Helper()
	w, err := rackedWorkload(costs, tasks, placements, slotless...)
	if err != nil {
		t.Fatal(err)
	}
	in, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func rackedWorkload(costs [3]model.Time, tasks []string, placements [][2]string, slotless ...string) (*model.Workload,
	error) {
	b := model.NewBuilder()
	b.Cost(model.AssignmentCost{Local: costs[0] * model.Second, Rack: model.Some(costs[1] * model.Second),
		Remote: model.RemoteCost{Base: costs[2] * model.Second}}, model.Locus{})
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	for _, rack := range []string{"A", "B"} {
		b.Node(model.Node{ID: rack, Kind: model.RackNode}, "root", model.Locus{})
		for _, s := range []string{"1", "2"} {
			n, parent := model.Node{ID: rack + s, Kind: model.HostNode, MapSlots: 1}, rack
			for _, special := range slotless {
				id, above, free := strings.Cut(special, "/")
				if id == n.ID && free {
					parent = above
				} else if id == n.ID {
					n.MapSlots = 0
				}
			}
			b.Node(n, parent, model.Locus{})
		}
	}
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	for k, block := range tasks {
		b.Task(model.Task{ID: fmt.Sprint("t", k), Kind: model.Map}, "j", block, model.Locus{})
	}
	for _, p := range placements {
		b.Placement(p[0], p[1], model.Locus{})
	}
	return b.Build()
}

// fiveTasks read one block on A1, at costs 1, 2 and 4: the optimum is 4, with three or four of them on A1 and the
// others on A2.
func fiveTasks(t rapid.TB) *Instance {
	return racked(t, [3]model.Time{1, 2, 4}, slices.Repeat([]string{"x"}, 5), [][2]string{{"x", "A1"}})
}

// TestPricesByHand. With prices (4, 2, 1, 1) every task weighs 4, all of them 20. At T = 2 the knapsacks hold 8, 4, 2
// and 2, at T = 3 they hold 12, 6, 3 and 3: T₃ = 3, but an assignment with a remote task needs 4. Without remote tasks,
// prices (2, 1, 0, 0): all tasks weigh 10; at T = 3 the knapsacks hold 6 and 3, at T = 4 they hold 8 and 4: T₂ = 4.
// With local tasks only, T₁ = 5. So the bound is 4, which local-cuts does not see.
func TestPricesByHand(t *testing.T) {
	in := fiveTasks(t)
	y3, y2, y1 := []int64{4, 2, 1, 1}, []int64{2, 1, 0, 0}, []int64{1, 0, 0, 0}
	if got := in.ClassBounds(y3)[2]; got != 3*model.Second {
		t.Errorf("T₃ = %s, want 3", got)
	}
	if got := in.ClassBounds(y2)[1]; got != 4*model.Second {
		t.Errorf("T₂ = %s, want 4", got)
	}
	if got := in.ClassBounds(y1)[0]; got != 5*model.Second {
		t.Errorf("T₁ = %s, want 5", got)
	}
	if got := in.PriceBound([][]int64{y3, y2, y1}); got != 4*model.Second || got != optimum(in) {
		t.Errorf("bound %s, optimum %s, want 4", got, optimum(in))
	}
	for _, levels := range [][]int32{{5, 0, 0, 0}, {4, 0, 0, 0}, {0, 0, 0, 0}, {5, 5, 5, 5}} {
		if got := in.CutBound(levels); got >= 4*model.Second {
			t.Errorf("levels %v prove %s", levels, got)
		}
	}
}

// drawRacked makes a random instance of up to six tasks on four servers. Some costs are awkward: their knapsacks are
// replaced by a bound.
func drawRacked(t *rapid.T) *Instance {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
	costs := [3]model.Time{model.Time(r.IntN(5)), 0, 0}
	costs[1] = costs[0] + model.Time(r.IntN(4))
	costs[2] = costs[1] + model.Time(r.IntN(6))
	var tasks []string
	for range 1 + r.IntN(6) {
		tasks = append(tasks, string("wxyz"[r.IntN(4)]))
	}
	var placements [][2]string
	for _, block := range "wxyz" {
		if !slices.Contains(tasks, string(block)) {
			continue
		}
		for _, s := range r.Perm(4)[:1+r.IntN(2)] {
			placements = append(placements, [2]string{string(block), []string{"A1", "A2", "B1", "B2"}[s]})
		}
	}
	var special []string
	if r.IntN(3) == 0 {
		special = append(special, []string{"A1/root", "A2/root", "B1/root", "B2/root"}[r.IntN(4)])
	}
	if r.IntN(3) > 0 {
		for _, s := range r.Perm(4)[:1+r.IntN(3)] {
			special = append(special, []string{"A1", "A2", "B1", "B2"}[s])
		}
	}
	in := racked(t, costs, tasks, placements, special...)
	if r.IntN(3) == 0 {
		in.Cost.Local += 7
		in.Cost.Rack.Value += model.Time(11 + r.IntN(1000))
		in.Cost.Remote.Base += model.Time(2000 + r.IntN(1000))
	}
	return in
}

// TestPriceBound: any prices prove a bound that no assignment beats, and at least that of the weighted loads.
func TestPriceBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawRacked(t)
		most := min(in.PriceLimit(), rapid.SampledFrom([]int64{1, 4, 1000, 1 << 62}).Draw(t, "most"))
		price := rapid.Int64Range(0, most)
		prices := rapid.SliceOfN(rapid.SliceOfN(price, in.Servers, in.Servers), 1, maxVectors).Draw(t, "prices")
		bound, best := in.PriceBound(prices), optimum(in)
		if bound > best {
			t.Fatalf("%v prove %s; the optimum is %s", prices, bound, best)
		}
		for _, y := range prices {
			weighted, sum := new(big.Int), new(big.Int)
			weighted.SetInt64(in.pricing(y).need[2])
			for _, v := range y {
				sum.Add(sum, big.NewInt(v))
			}
			got := in.ClassBounds(y)
			if weighted.Cmp(sum.Mul(sum, big.NewInt(int64(got[2]/in.PriceUnit())))) > 0 {
				t.Fatalf("%v prove %s, less than the weighted loads", y, got[2])
			}
			if (got[0] == math.MaxInt64) != (in.Unheld > 0) {
				t.Fatalf("T₁ = %s with %d tasks whose block no server holds", got[0], in.Unheld)
			}
		}
	})
}

// TestPriceCertificate: a certificate is read back as signed, and any changed number is detected.
func TestPriceCertificate(t *testing.T) {
	in := fiveTasks(t)
	c := Certificate{Claim: model.Claim{Method: "server-prices", Kind: KindServerPrices}, Prices: [][]int64{{4, 2, 1, 1}, {2, 1, 0, 0},
		{1, 0, 0, 0}}}
	if err := in.Sign(&c); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(&c)
	if err != nil {
		t.Fatal(err)
	}
	got, err := in.Certify(text)
	if err != nil || got.Value.RatString() != "4" || got.Method != "server-prices" {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, change := range [][2]string{{`"4"`, `"5"`}, {`"4"`, `"3"`}, {"[4,2,1,1]", "[4,2,1]"},
		{"[4,2,1,1]", "[4,2,1,1,1]"}, {"[4,2,1,1]", "[4,2,1,-1]"},
		{"[2,1,0,0]", "[1,0,0,0]"}, {"[2,1,0,0]", "[2,1,0,9223372036854775807]"},
		{"[2,1,0,0]", "[2,1,0,9223372036854775808]"},
		{"[1,0,0,0]", "[1,0,0,0],[1,0,0,0]"}, {"[[4,2,1,1],[2,1,0,0],[1,0,0,0]]", "[]"}, {"[4,2,1,1]", "[4.5,2,1,1]"},
		{"server-prices\",\"value", "prices\",\"value"}, {"server-prices\",\"value", "local-cuts\",\"value"}} {
		bad := strings.Replace(string(text), change[0], change[1], 1)
		if bad == string(text) {
			t.Fatalf("%q is not in %s", change[0], text)
		}
		if _, err := in.Certify([]byte(bad)); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
	plain := fixture(t, uniform)
	if _, err := plain.Certify([]byte(strings.Replace(string(text), "4,2,1,1", "4,2,1", 1))); err == nil {
		t.Error("prices are accepted without a cost for racks")
	}
}
