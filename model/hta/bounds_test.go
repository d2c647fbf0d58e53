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
	"unicode"

	"pgregory.net/rapid"

	"mrsched/model"
)

func opened(t rapid.TB, b *model.Builder) *Instance {
	t.Helper()
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// racks are costs in seconds.
func racks(local, rack, remote model.Time) model.AssignmentCost {
	return model.AssignmentCost{Local: local * model.Second, Rack: model.Some(rack * model.Second),
		Remote: model.RemoteCost{Base: remote * model.Second}}
}

// laid has nodes named by letters, those in lower case without map slots: first those under no rack, then those of each
// rack. Each map reads the block that lies on the nodes given.
func laid(t rapid.TB, cost model.AssignmentCost, nodes []string, maps ...string) *Instance {
	t.Helper()
	b, at := model.NewBuilder(), model.Locus{}
	b.Cost(cost, at)
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, at)
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at)
	for k, list := range nodes {
		parent := "root"
		if k > 0 {
			parent = fmt.Sprint("rack", k)
			b.Node(model.Node{ID: parent, Kind: model.RackNode}, "root", at)
		}
		for _, n := range list {
			node := model.Node{ID: string(n), Kind: model.HostNode}
			if unicode.IsUpper(n) {
				node.MapSlots = 1
			}
			b.Node(node, parent, at)
		}
	}
	for i, holders := range maps {
		b.Task(model.Task{ID: fmt.Sprint("t", i), Kind: model.Map}, "j", "on"+holders, at)
		for _, n := range holders {
			if slices.Index(maps, holders) == i {
				b.Placement("on"+holders, string(n), at)
			}
		}
	}
	return opened(t, b)
}

// fiveTasks read one block on A, at costs 1, 2 and 4: the optimum is 4, with three or four of them on A and the others
// on B.
func fiveTasks(t rapid.TB) *Instance {
	t.Helper()
	return laid(t, racks(1, 2, 4), []string{"", "AB", "CD"}, slices.Repeat([]string{"A"}, 5)...)
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

// draw makes a random instance of up to six tasks on up to four servers: half of them with costs for racks, of which
// some are awkward, so that their knapsacks are replaced by a bound, the others with every shape of remote costs.
func draw(t *rapid.T) *Instance {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
	local := model.Time(r.IntN(5))
	rack := local + model.Time(r.IntN(4))
	cost := racks(local, rack, rack+model.Time(r.IntN(6)))
	if r.IntN(2) == 0 {
		cost.Rack.Known = false
		switch r.IntN(3) {
		case 1:
			cost.Remote.PerRemote = model.Time(r.IntN(3)) * model.Second / 4
		case 2:
			cost.Remote = model.RemoteCost{Table: []model.Time{cost.Remote.Base, cost.Remote.Base +
				model.Time(r.IntN(3))*model.Second/2, cost.Remote.Base + 2*model.Second}}
		}
	}
	letters, nodes := []rune("ABCD"), []string{"", "", ""}
	runs := r.IntN(len(letters)) // has map slots
	for i, n := range letters {
		if r.IntN(3) == 0 && i != runs {
			letters[i] = unicode.ToLower(n)
		}
		nodes[[]int{0, 1, 1, 2, 2}[r.IntN(5)]] += string(letters[i])
	}
	blocks, maps := []string{"", "", ""}, []string{}
	for i := range blocks {
		for _, n := range r.Perm(4)[:1+r.IntN(2)] {
			blocks[i] += string(letters[n])
		}
	}
	for range 1 + r.IntN(6) {
		maps = append(maps, blocks[r.IntN(len(blocks))])
	}
	in := laid(t, cost, nodes, maps...)
	if cost.Rack.Known && r.IntN(3) == 0 {
		in.Cost.Local += 7
		in.Cost.Rack.Value += model.Time(11 + r.IntN(1000))
		in.Cost.Remote.Base += model.Time(2000 + r.IntN(1000))
	}
	return in
}

// optimum tries all assignments.
func optimum(in *Instance) model.Time {
	server := make([]int32, in.Tasks)
	best := in.Measure(server).Makespan
	for {
		k := 0
		for ; k < in.Tasks; k++ {
			if server[k]++; int(server[k]) < in.Servers {
				break
			}
			server[k] = 0
		}
		if k == in.Tasks {
			return best
		}
		best = min(best, in.Measure(server).Makespan)
	}
}

// TestBounds: any levels, and any prices, prove a bound that no assignment beats. That of prices is at least that of
// the weighted loads.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := draw(t)
		best := optimum(in)
		levels := rapid.SliceOfN(rapid.Int32Range(0, int32(in.Tasks)), in.Servers, in.Servers).Draw(t, "levels")
		if bound := in.CutBound(levels); bound > best {
			t.Fatalf("levels %v prove %s; the optimum is %s", levels, bound, best)
		}
		if !in.Cost.Rack.Known {
			return
		}
		most := min(in.PriceLimit(), rapid.SampledFrom([]int64{1, 4, 1000, 1 << 62}).Draw(t, "most"))
		price := rapid.Int64Range(0, most)
		prices := rapid.SliceOfN(rapid.SliceOfN(price, in.Servers, in.Servers), 1, maxVectors).Draw(t, "prices")
		if bound := in.PriceBound(prices); bound > best {
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

// TestRounding is the example of the specification: 46 tasks on 9 servers at costs 1 and 3; every task is local to one
// server; the first server holds 6 of them, the others 5. At τ = 5 one task is remote and the mean load is 48/9 = 5.33,
// but loads are whole: 6, as at τ = 6.
func TestRounding(t *testing.T) {
	var maps []string
	for k := range 46 {
		maps = append(maps, string("ABCDEFGHI"[k%9]))
	}
	in := laid(t, model.AssignmentCost{Local: model.Second, Remote: model.RemoteCost{Base: 3 * model.Second}},
		[]string{"ABCDEFGHI"}, maps...)
	levels := slices.Repeat([]int32{5}, 9)
	levels[0] = 6
	if got := in.CutBound(levels); got != 6*model.Second {
		t.Errorf("bound %s, want 6", got)
	}
}

// certified signs a certificate, which must be read back with the value, and judges changed ones: none is accepted.
func certified(t *testing.T, in *Instance, c Certificate, value string, changes ...string) (text string) {
	t.Helper()
	if err := in.Sign(&c); err != nil {
		t.Fatal(err)
	}
	signed, err := json.Marshal(&c)
	if err != nil {
		t.Fatal(err)
	}
	got, err := in.Certify(signed)
	if err != nil || got.Value.RatString() != value || got.Method != c.Method {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, change := range changes {
		from, to, _ := strings.Cut(change, " → ")
		bad := strings.Replace(string(signed), from, to, 1)
		if bad == string(signed) {
			t.Fatalf("%q is not in %s", from, signed)
		}
		if _, err := in.Certify([]byte(bad)); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
	return string(signed)
}

// TestCertificates: a certificate is read back as signed, and any changed number is detected.
func TestCertificates(t *testing.T) {
	plain := fixture(t, uniform)
	certified(t, plain, Certificate{Claim: model.Claim{Method: "local-cuts", Kind: KindLocalCuts},
		Levels: []int32{2, 1, 0}}, "2", `"2" → "3"`, "[2,1,0] → [2,1]", "[2,1,0] → [-1,1,0]", "[2,1,0] → [9,1,0]",
		"hta → msjo", `local-cuts","value → cuts","value`, `{ → {"x":1,`, "levels → Levels")
	text := certified(t, fiveTasks(t), Certificate{Claim: model.Claim{Method: "server-prices", Kind: KindServerPrices},
		Prices: [][]int64{{4, 2, 1, 1}, {2, 1, 0, 0}, {1, 0, 0, 0}}}, "4", `"4" → "5"`, `"4" → "3"`,
		"[4,2,1,1] → [4,2,1]", "[4,2,1,1] → [4,2,1,1,1]", "[4,2,1,1] → [4,2,1,-1]", "[2,1,0,0] → [1,0,0,0]",
		"[2,1,0,0] → [2,1,0,9223372036854775807]", "[2,1,0,0] → [2,1,0,9223372036854775808]",
		"[1,0,0,0] → [1,0,0,0],[1,0,0,0]", "[[4,2,1,1],[2,1,0,0],[1,0,0,0]] → []", "[4,2,1,1] → [4.5,2,1,1]",
		`server-prices","value → prices","value`, `server-prices","value → local-cuts","value`)
	if _, err := plain.Certify([]byte(strings.Replace(text, "4,2,1,1", "4,2,1", 1))); err == nil {
		t.Error("prices are accepted without a cost for racks")
	}
}
