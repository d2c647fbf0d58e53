package instances

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

// tenants generates jobs that arrive as the paper's text says.
func tenants(t *testing.T, more solver.Params) *model.Workload {
	t.Helper()
	with := solver.Params{"hours": 4.0, "ramp-up": 1.0, "interarrival": 40.0, "map-scale": 1.0, "reduce-slots": 2}
	maps.Copy(with, more)
	return workloadOf(t, shufflewatcherPreset(), 1, with)
}

// TestBenchmarks checks Table 1: 40/20/40 percent, ratios as the classes say.
func TestBenchmarks(t *testing.T) {
	total := map[string]float64{}
	for _, x := range Benchmarks() {
		total[x.Class] += x.Percent
		if x.Class == ShuffleHeavy != (x.Ratio > 1) || x.Class == ShuffleLight != (x.Ratio < 0.5) {
			t.Errorf("%s is %s and shuffles %g", x.Name, x.Class, x.Ratio)
		}
	}
	if len(Benchmarks()) != 12 || total[ShuffleHeavy] != 40 || total[ShuffleMedium] != 20 || total[ShuffleLight] != 40 {
		t.Errorf("%d benchmarks, %v", len(Benchmarks()), total)
	}
	// as in the table; terasort 5·20/40, grep 15·60/40
	for mix, want := range map[string][2]float64{"40/20/40": {0.05, 0.15}, "60/20/20": {0.025, 0.225}} {
		shares, err := benchmarkShares(mix)
		if err != nil || math.Abs(shares[0]-want[0]) > 1e-12 || math.Abs(shares[7]-want[1]) > 1e-12 {
			t.Errorf("%s: %v, %v", mix, shares, err)
		}
	}
	for _, mix := range []string{"", "40/60", "40/20/41", "a/b/c", "-1/1/100", "NaN/50/50"} {
		if _, err := benchmarkShares(mix); err == nil {
			t.Errorf("mix %q is accepted", mix)
		}
	}
	for _, sizes := range []string{"", "1-2:99", "2-1:100", "0-1:100", "1-2", "1-2:100:3", "x-2:100", "1-Inf:100"} {
		if _, err := sizeBins(sizes); err == nil {
			t.Errorf("sizes %q are accepted", sizes)
		}
	}
}

// TestQuotas: shares of 1/2, 1/3 and 1/6, by hand: the quota that lags most comes first, ties to the lower number.
func TestQuotas(t *testing.T) {
	if got := quotas(6, []float64{1. / 2, 1. / 3, 1. / 6}); !slices.Equal(got, []int{0, 1, 0, 2, 1, 0}) {
		t.Errorf("%v", got)
	}
}

// TestShufflewatcher checks the paper's numbers: 30 users with a thirtieth each, types and sizes of Tables 1 and 2, 40
// s.
func TestShufflewatcher(t *testing.T) {
	w := tenants(t, solver.Params{"block-size": 1000.0})
	n := float64(len(w.Jobs))
	if math.Abs(n*40/(5*3600)-1) > 0.15 { // 4 standard errors of 450 arrivals are 19 %; the seed is fixed
		t.Errorf("%d jobs", len(w.Jobs))
	}
	users, kinds, input := map[string]int{}, map[string]float64{}, make([]float64, len(w.Jobs))
	for _, j := range w.Jobs {
		users[j.Tenant]++
		kinds[j.Class]++
	}
	for _, u := range w.Tasks {
		input[u.Job] += float64(u.InputBytes.Or(0))
	}
	for u, k := range users {
		if math.Abs(float64(k)-n/30) > 1 {
			t.Errorf("user %s has %d jobs", u, k)
		}
	}
	for _, x := range Benchmarks() {
		if math.Abs(kinds[x.Name]-n*x.Percent/100) > 1 {
			t.Errorf("%g jobs of %s", kinds[x.Name], x.Name)
		}
	}
	bins, _ := sizeBins(tableSizes)
	const scale = 0.36
	volume, mean := 0.0, 0.0
	for k, b := range bins {
		count := 0.0
		for _, v := range input {
			if gb := v / 1e9 / scale; gb >= b.from*0.999999 && (gb < b.to || k == len(bins)-1) {
				count++
			}
		}
		if math.Abs(count-n*b.share) > 2 {
			t.Errorf("%g jobs read %g to %g GB, not %g", count, b.from, b.to, n*b.share)
		}
		mean += b.share * (b.to - b.from) / math.Log(b.to/b.from) // of the log-uniform law
	}
	for _, v := range input {
		volume += v / 1e9 / scale
	}
	if math.Abs(mean-162) > 2 || math.Abs(volume/n/mean-1) > 0.05 {
		t.Errorf("a job reads %.1f GB on average, the law says %.1f", volume/n, mean)
	}
	in, err := multitenant.New(w, multitenant.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if in.Racks != 10 || in.Workers != 100 || len(in.MapSlots) != 400 || len(in.ReduceSlots) != 200 ||
		in.Uplink[9] != 62_500_000 || in.Bandwidth[99] != 31_250_000 {
		t.Errorf("%d racks, %d nodes, uplinks %d", in.Racks, in.Workers, in.Uplink[9])
	}
}

// TestShufflewatcherJob computes one job by hand: 10 GB of terasort in blocks of 64 MiB and reduces of 256 MB.
func TestShufflewatcherJob(t *testing.T) {
	w := tenants(t, solver.Params{"hours": 0.01, "ramp-up": 0.0, "interarrival": 1e6, "sizes": "10-10:100",
		"input-scale": 1.0, "mix": "0/0/100"})
	j := w.Jobs[0]
	// the first quota goes to the first of the two most frequent types, ranked-inverted-index, with ratio 1.3: 13 GB are
	// 51 reduces
	if len(w.Jobs) != 1 || j.Class != "ranked-inverted-index" || j.Reduces.Value != 51 || j.ShuffleRatio.Value != 1.3 ||
		j.MapRate.Value != 1864135 || j.ReduceRate.Value != 20_000_000 {
		t.Fatalf("%+v", w.Jobs)
	}
	maps, read := 0, model.Bytes(0)
	for _, u := range w.Tasks {
		if u.Kind == model.Map {
			maps++
			read += u.InputBytes.Value
		}
	}
	if maps != 150 || read != 10_000_000_000 || len(w.Tasks) != 201 || len(w.Placements) != 450 { // 10^10/2^26 = 149.01
		t.Errorf("%d maps of %d bytes, %d tasks, %d placements", maps, read, len(w.Tasks), len(w.Placements))
	}
	in, err := multitenant.New(w, multitenant.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// 36 s a block and 2 s of start-up; 13 GB/51 at 20 MB/s and 2 s.
	if a, b := in.Compute(0, 0), in.Compute(150, 0); a < 38_000_000 || a > 38_000_005 ||
		b != model.TimeOf(2+254.901960e6/20e6) {
		t.Errorf("a map computes %s, a reduce %s", a, b)
	}
}

// placedBlocks places the blocks of one file, and returns the nodes' racks.
func placedBlocks(t *testing.T, cluster RackCluster, blocks, replicas, spread int, writer bool) *model.Workload {
	t.Helper()
	b := model.NewBuilder()
	cluster.Enter(b)
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	places := NewBlockPlacer(cluster, replicas, spread, writer, stream(1, 1))
	places.NewFile()
	for k := range blocks {
		id := strconv.Itoa(k)
		b.Task(model.Task{ID: id}, "j", id, model.Locus{})
		places.Place(b, id)
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestBlockPlacer: replicas are on different nodes, of two racks, and only in racks of the file.
func TestBlockPlacer(t *testing.T) {
	for _, c := range []struct{ nodes, racks, replicas, spread, wantRacks int }{{100, 10, 3, 0, 2}, {7, 3, 3, 2, 2},
		{4, 1, 3, 0, 1}, {3, 3, 3, 0, 3}, {5, 2, 4, 1, 2}, {1, 1, 1, 0, 1}} {
		w := placedBlocks(t, RackCluster{Nodes: c.nodes, Racks: c.racks}, 50, c.replicas, c.spread, false)
		used := map[model.NodeIndex]bool{}
		for k := range 50 {
			nodes, racks := map[model.NodeIndex]bool{}, map[model.NodeIndex]bool{}
			for _, p := range w.Placements[k*c.replicas : (k+1)*c.replicas] {
				nodes[p.Node], racks[w.Topology[p.Node].Parent] = true, true
				used[w.Topology[p.Node].Parent] = true
			}
			if len(nodes) != c.replicas || len(racks) != c.wantRacks {
				t.Errorf("%+v: block %d on %d nodes in %d racks", c, k, len(nodes), len(racks))
			}
		}
		if c.spread == 2 && len(used) != 2 {
			t.Errorf("%+v: %d racks", c, len(used))
		}
	}
}

// TestWriter: of a file's three racks the first has a replica of every block; each other one has replicas of some
// blocks, on two of its nodes.
func TestWriter(t *testing.T) {
	const blocks = 60
	w := placedBlocks(t, RackCluster{Nodes: 40, Racks: 4}, blocks, 3, 3, true)
	count := map[model.NodeIndex]int{} // replicas, by rack
	home := w.Topology[w.Placements[0].Node].Parent
	for k, p := range w.Placements {
		rack := w.Topology[p.Node].Parent
		count[rack]++
		if k%3 == 0 != (rack == home) {
			t.Errorf("replica %d of block %d in rack %d, the writer's is %d", k%3, k/3, rack, home)
		}
	}
	if len(count) != 3 || count[home] != blocks {
		t.Errorf("replicas by rack: %v", count)
	}
	for rack, n := range count {
		if rack != home && (n%2 != 0 || n < blocks/2) {
			t.Errorf("%d replicas in rack %d", n, rack)
		}
	}
}

// TestFittedPreset: the default preset has twelve jobs per user, in eight minutes, with input in three racks each. Only
// slots limit the tasks of a node.
func TestFittedPreset(t *testing.T) {
	p := settings(t, shufflewatcherPreset(), solver.Params{"block-size": 1000.0})
	w, err := generateShufflewatcher(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	if n, last := len(w.Jobs), w.Jobs[len(w.Jobs)-1].Release; math.Abs(float64(n)-360) > 60 || last > 480*model.Second {
		t.Errorf("%d jobs until %s", n, last)
	}
	for _, x := range Benchmarks() {
		slots := float64(p.Int("map-slots") + p.Int("reduce-slots"))
		if slots*x.Cores > p.Float("cores") || slots*x.Gigabytes > p.Float("memory") {
			t.Errorf("%s does not fit on all slots of a node", x.Name)
		}
	}
}

// TestShufflewatcherStreams: more users or other places do not change the jobs' sizes and arrivals.
func TestShufflewatcherStreams(t *testing.T) {
	few := solver.Params{"hours": 0.2, "ramp-up": 0.0, "input-scale": 0.01}
	a := tenants(t, few)
	few["users"], few["data-racks"], few["replicas"] = 7, 3, 2
	b := tenants(t, few)
	for i := range a.Jobs {
		if a.Jobs[i].Release != b.Jobs[i].Release || a.Jobs[i].Reduces != b.Jobs[i].Reduces ||
			a.Jobs[i].Class != b.Jobs[i].Class {
			t.Fatalf("%+v, %+v", a.Jobs[i], b.Jobs[i])
		}
	}
	for _, bad := range []solver.Params{{"racks": 101}, {"replicas": 101}, {"mix": "1/2/3"}, {"sizes": "no"},
		{"interarrival": 0.001}, {"input-scale": 1000.0}} {
		if _, err := generateShufflewatcher(settings(t, shufflewatcherPreset(), bad), 1); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}
