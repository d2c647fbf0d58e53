package instances

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// rackByServer names the parent of every server.
func rackByServer(w *model.Workload) map[string]string {
	rack := map[string]string{}
	for _, n := range w.Topology {
		if n.Kind == model.HostNode {
			rack[n.ID] = w.Topology[n.Parent].ID
		}
	}
	return rack
}

// TestReplicated: every block has its number of distinct servers, in racks as HDFS places them, and is read. Servers
// are spread evenly over racks. The seed determines everything.
func TestReplicated(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		servers := rapid.IntRange(1, 12).Draw(r, "servers")
		k := rapid.IntRange(1, servers).Draw(r, "replicas")
		racks := rapid.IntRange(0, 14).Draw(r, "racks")
		seed := rapid.Uint64().Draw(r, "seed")
		changes := []any{"tasks", rapid.IntRange(1, 40).Draw(r, "tasks"), "servers", servers, "replicas", k, "racks", racks,
			"zipf", rapid.SampledFrom([]float64{0, 0.5, 1, 3}).Draw(r, "zipf"), "blocks",
			rapid.SampledFrom([]int{0, 1, 20, 100}).Draw(r, "blocks"),
			"server-zipf", rapid.SampledFrom([]float64{0, 1, 10}).Draw(r, "server-zipf")}
		w := generateHTA(t, "replicated", seed, changes...)
		if again := generateHTA(t, "replicated", seed, changes...); !reflect.DeepEqual(w, again) {
			r.Fatal("another workload from the same seed")
		}
		rack := rackByServer(w)
		size := map[string]int{}
		for _, name := range rack {
			size[name]++
		}
		racks = min(racks, servers)
		for _, n := range size {
			if racks > 0 && n != servers/racks && n != (servers+racks-1)/racks {
				r.Fatalf("racks of %v servers", size)
			}
		}
		if len(rack) != servers || len(size) != max(1, racks) {
			r.Fatalf("%d servers in %d racks", len(rack), len(size))
		}
		read := map[model.BlockIndex]bool{}
		for _, task := range w.Tasks {
			read[task.Block] = true
		}
		blocks := replicas(w)
		if len(blocks) != len(w.Blocks) || len(read) != len(w.Blocks) {
			r.Fatalf("%d blocks, %d of them placed, %d read", len(w.Blocks), len(blocks), len(read))
		}
		for block, on := range blocks {
			sorted := slices.Sorted(slices.Values(on))
			if len(slices.Compact(sorted)) != k || len(on) != k {
				r.Fatalf("block %s on %v", block, on)
			}
			if racks < 2 || k < 2 {
				continue
			}
			if rack[on[0]] == rack[on[1]] || k > 2 && rack[on[2]] != rack[on[1]] && size[rack[on[1]]] > 1 {
				r.Fatalf("block %s on %v in %v", block, on, rack)
			}
		}
	})
}

// TestReplicatedZipf compares how often blocks are read, and servers hold replicas, with the requested popularity:
// within five standard deviations.
func TestReplicatedZipf(t *testing.T) {
	const n, draws = 50, 30_000
	for _, c := range []struct {
		reads    bool
		exponent float64
		changes  []any
	}{{true, 0.5, []any{"blocks", n, "zipf", 0.5}},
		{false, 0.8, []any{"servers", n, "replicas", 1, "server-zipf", 0.8}},
		{false, 0, []any{"servers", n, "replicas", 1}}} {
		w := generateHTA(t, "replicated", 5, append(c.changes, "tasks", draws)...)
		count := map[string]float64{}
		for _, task := range w.Tasks {
			count[w.Blocks[task.Block]]++
		}
		if !c.reads {
			clear(count)
			for _, p := range w.Placements {
				count[w.Topology[p.Node].ID]++
			}
		}
		// Ranks are shuffled over the servers; neighbours in rank may swap.
		list := slices.Sorted(maps.Values(count))
		slices.Reverse(list)
		var weights float64
		for i := range list {
			weights += math.Pow(float64(i+1), -c.exponent)
		}
		for i, got := range list {
			want := draws * math.Pow(float64(i+1), -c.exponent) / weights
			if math.Abs(got-want) > 5*math.Sqrt(want) || len(list) != n {
				t.Errorf("%+v: %v of %d at rank %d instead of about %.0f", c, got, len(list), i+1, want)
			}
		}
	}
}

// TestReplicatedStreams: the places of blocks depend neither on the tasks that read them nor on their popularity.
func TestReplicatedStreams(t *testing.T) {
	all := replicas(generateHTA(t, "replicated", 3, "tasks", 200))
	some := replicas(generateHTA(t, "replicated", 3, "tasks", 60, "blocks", 200, "zipf", 1.0))
	if len(some) == 0 || len(some) >= 60 {
		t.Errorf("60 tasks read %d blocks", len(some))
	}
	for block, on := range some {
		if !slices.Equal(on, all[block]) {
			t.Errorf("block %s on %v and on %v", block, all[block], on)
		}
	}
}

func TestReplicatedCost(t *testing.T) {
	w := generateHTA(t, "replicated", 1, "local", 2.0, "remote", 5.0, "per-remote", 0.25)
	if c := w.Cost; c.Local != 2*model.Second || c.Remote.At(4) != 6*model.Second || c.Rack.Known {
		t.Errorf("%+v", *c)
	}
	w = generateHTA(t, "replicated", 1, "rack-cost", 1.5)
	if c := w.Cost; !c.Rack.Known || c.Rack.Value != 3*model.Second/2 {
		t.Errorf("%+v", *c)
	}
	refused(t, "S411", "replicated", "local", 4.0)
	refused(t, "S411", "replicated", "rack-cost", 1.5, "per-remote", 0.1)
	refused(t, "V210", "replicated", "rack-cost", 1.5, "racks", 0)
	refused(t, "V210", "replicated", "servers", 2)
	refused(t, "V210", "replicated", "tasks", 1_000_000, "servers", 1000, "replicas", 1000)
	refused(t, "V210, V210", "replicated", "servers", 2, "rack-cost", 1.5, "racks", 0) // all at once
}
