package instances

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"mrsched/model"
	"mrsched/solver"
)

// Purposes of the random streams.
const (
	tenantArrivals = iota + 501
	tenantTypes
	tenantRanges
	tenantBytes
	tenantUsers
	tenantPlaces
)

// Units of the flags. Gigabytes are 10^9 bytes, blocks are counted in MiB as HDFS does.
const (
	gigabyte       = 1e9
	mebibyte       = 1 << 20
	megabit        = 1e6 / 8 // bytes
	benchmarkBlock = 64 * mebibyte
)

// shufflewatcherPreset is the preset of ShuffleWatcher's jobs. These defaults are fitted to reproduce the published
// effects; the paper's text states none of them except 40 s between jobs.
//
//   - Arrivals: each user submits a job every 40 s for eight minutes, 12 in all, and so all users together 360; the
//     paper has about 300 jobs, 40 s apart in the cluster. Its window of 600 s then holds all jobs, so that the rule
//     against starvation never acts. Submitted at the paper's rate, users have fewer jobs at a time to choose from.
//   - Four reduce slots per node, a quarter of the map times, and 0.36 of the input sizes: with two, all and 0.18 map
//     slots are busy for 96 % of the time and reduce slots for 98 % under fair, so that no policy could end 46 % more.
//   - Input as a writer inside the cluster leaves it: one rack has all input of a job, two more have half each. The
//     paper's Figure 5 shows input in few racks; HDFS places it so.
//   - Five cores and 16 GB per node, so that slots alone limit what runs on it, as in Hadoop 1.
func shufflewatcherPreset() Preset {
	return Preset{
		Problem: "multitenant", Name: "shufflewatcher",
		Summary: "thirty users who each submit a job every 40 s for eight minutes: twelve benchmarks on 100 nodes in 10 " +
			"racks, of sizes from 10 MB to 1.5 TB times --input-scale",
		Params: []solver.Param{
			whole("nodes", "100", 1, 1e6, "number of nodes"),
			whole("racks", "10", 1, 1e6, "number of racks, over which the nodes spread evenly"),
			whole("users", "30", 1, 1e6, "number of users, each with the same number of jobs"),
			number("hours", "0.13333333", 1e-3, 1e5, "hours in which jobs arrive, after those of --ramp-up"),
			number("ramp-up", "0", 0, 1e5, "hours before --hours in which jobs also arrive"),
			seconds("interarrival", "1.33333", 1e-3, 1e6, "mean seconds between Poisson arrivals, of all users together"),
			text("mix", "40/20/40", "percentages of shuffle-light, -medium and -heavy jobs"),
			text("sizes", tableSizes,
				"ranges of input sizes in GB and their percentages; sizes in a range are log-uniform"),
			number("input-scale", "0.36", 1e-6, 1e3, "multiply all input sizes"),
			number("shuffle-scale", "1", 0, 1e3, "multiply the benchmarks' shuffle ratios"),
			number("map-scale", "0.25", 0, 1e3, "multiply the benchmarks' map times"),
			number("reduce-scale", "1", 0, 1e3, "multiply the benchmarks' reduce times"),
			seconds("overhead", "2", 0, 1e6, "seconds that a task takes in addition, whatever its size"),
			whole("map-slots", "4", 1, 1e4, "map slots of a node"),
			whole("reduce-slots", "4", 1, 1e4, "reduce slots of a node"),
			number("bandwidth", "250", 1e-3, 1e6, "megabits per second of a node in its rack"),
			number("uplink", "500", 1e-3, 1e6, "megabits per second from and to a rack"),
			number("block-size", "64", 1e-3, 1e6, "MiB of a block"),
			whole("replicas", "3", 1, 1e4, "replicas of a block: one on a node, the others in another rack"),
			choice("placement", "racks of the blocks' first replicas: the one in which a node wrote all blocks (writer), or "+
				"any of the job's data racks (random)", "writer", "random"),
			whole("data-racks", "3", 0, 1e6, "number of racks with a job's input, drawn for each job; 0, or more than "+
				"there are: all"),
			number("reduce-size", "256", 1e-3, 1e9, "megabytes of shuffled data per reduce of a job"),
			whole("max-reduces", "180", 1, 1e6, "most reduces of a job"),
			number("cores", "5", 1e-3, 1e6, "cores of a node"),
			number("memory", "16", 1e-3, 1e6, "gigabytes of memory of a node"),
		},
		Generate: generateShufflewatcher,
		Tasks:    shufflewatcherTasks,
	}
}

type tenantGenerator struct {
	p    solver.Params
	seed uint64
	b    maker

	cluster RackCluster
	shares  []float64 // of the benchmarks
	bins    []sizeBin
	block   model.Bytes
}

// tenantJob is a job before it is written.
type tenantJob struct {
	release model.Time
	kind    Benchmark
	user    int
	input   model.Bytes
	maps    int
}

// generateShufflewatcher makes jobs "j1", "j2", … of users "u1", "u2", …. Each kind of number comes from a stream of
// its own.
func generateShufflewatcher(p solver.Params, seed uint64) (*model.Workload, error) {
	g := &tenantGenerator{p: p, seed: seed, b: newMaker()}
	if g.read(); !g.b.Findings.Empty() {
		return nil, g.b.Findings.Err()
	}
	jobs := g.draw()
	if g.checkSizes(jobs); !g.b.Findings.Empty() {
		return nil, g.b.Findings.Err()
	}
	g.b.start(fmt.Sprintf("shufflewatcher-%d-%d-seed%d", g.cluster.Nodes, len(jobs), seed), "multitenant")
	g.notes(jobs)
	g.cluster.Enter(g.b.Builder)
	places := NewBlockPlacer(g.cluster, int(p.Int("replicas")), int(p.Int("data-racks")),
		p.Text("placement") == "writer", stream(seed, tenantPlaces))
	for k := range jobs {
		g.write(k, &jobs[k], places)
	}
	return g.b.Build()
}

// shufflewatcherTasks is how many tasks the preset makes; 0 if it refuses the parameters. Complexity: O(jobs).
func shufflewatcherTasks(p solver.Params, seed uint64) (n int64) {
	g := &tenantGenerator{p: p, seed: seed, b: newMaker()}
	if g.read(); !g.b.Findings.Empty() {
		return 0
	}
	for _, j := range g.draw() {
		n += int64(j.maps) + g.reduces(&j)
	}
	return n
}

// read takes the parameters that need conversion, and checks all.
func (g *tenantGenerator) read() {
	p := g.p
	g.block = model.Bytes(math.Round(p.Float("block-size") * mebibyte))
	g.cluster = RackCluster{Nodes: int(p.Int("nodes")), Racks: int(p.Int("racks")), MapSlots: p.Int("map-slots"),
		ReduceSlots: p.Int("reduce-slots"), Bandwidth: p.Float("bandwidth") * megabit,
		Uplink: p.Float("uplink") * megabit, CPU: model.Some(p.Float("cores")),
		Memory: model.Some(model.Bytes(math.Round(p.Float("memory") * gigabyte)))}
	var err error
	if g.shares, err = benchmarkShares(p.Text("mix")); err != nil {
		g.b.refuse(err.Error(), "percentages of light, medium and heavy jobs that add up to 100, such as 40/20/40",
			"see --mix")
	}
	if g.bins, err = sizeBins(p.Text("sizes")); err != nil {
		g.b.refuse(err.Error(), "ranges in GB with percentages that add up to 100, such as 0.1-1:60,1-20:40",
			"see --sizes")
	}
	g.cluster.Check(&g.b.Findings)
	if n := int(p.Int("replicas")); n > g.cluster.Nodes {
		g.b.refuse(fmt.Sprintf("%s of a block on %s", model.Counted(n, "replica"),
			model.Counted(g.cluster.Nodes, "node")), "at most one per node", "lower --replicas")
	}
	if g.block < 1 {
		g.b.refuse("blocks of less than a byte", "at least one", "raise --block-size")
	}
	if n := (p.Float("hours") + p.Float("ramp-up")) * 3600 / p.Float("interarrival"); n > maxTenantJobs {
		g.b.refuse(fmt.Sprintf("some %.0f jobs", n), fmt.Sprintf("at most %d", maxTenantJobs),
			"raise --interarrival or lower --hours")
	}
}

// Limits of what must fit into memory.
const (
	maxTenantJobs  = 1_000_000
	maxTenantTasks = 20_000_000
)

func (g *tenantGenerator) draw() []tenantJob {
	var jobs []tenantJob
	arrivals, mean := random(g.seed, tenantArrivals), g.p.Float("interarrival")
	end := (g.p.Float("ramp-up") + g.p.Float("hours")) * 3600
	for at := mean * arrivals.ExpFloat64(); at < end || len(jobs) == 0; at += float64(mean * arrivals.ExpFloat64()) {
		jobs = append(jobs, tenantJob{release: model.TimeOf(at)})
	}
	n := len(jobs)
	user := make([]int, n)
	for k := range user {
		user[k] = k % int(g.p.Int("users"))
	}
	shuffle(user, random(g.seed, tenantUsers))
	kinds, ranges := g.types(n)
	bytes := random(g.seed, tenantBytes)
	for k := range jobs {
		j, bin := &jobs[k], g.bins[ranges[k]]
		size := bin.from * math.Pow(bin.to/bin.from, bytes.Float64())
		j.kind, j.user = Benchmarks()[kinds[k]], user[k]
		j.input = model.Bytes(max(1, math.Round(size*gigabyte*g.p.Float("input-scale"))))
		j.maps = int((j.input + g.block - 1) / g.block)
	}
	return jobs
}

// types draws the benchmarks and the ranges of sizes of n jobs. Quotas hold for the types, for the ranges, and as
// nearly as possible for the ranges of each type, so that the bytes of a type do not depend on chance.
func (g *tenantGenerator) types(n int) (kinds, ranges []int) {
	bins := make([]float64, len(g.bins))
	for k, b := range g.bins {
		bins[k] = b.share
	}
	kinds = quotas(n, g.shares)
	shuffle(kinds, random(g.seed, tenantTypes))
	order := quotas(n, bins)
	of := make([][]int, len(g.shares)) // jobs by type
	for k, t := range kinds {
		of[t] = append(of[t], k)
	}
	ranges, r := make([]int, n), random(g.seed, tenantRanges)
	next := 0
	for _, jobs := range of {
		shuffle(jobs, r)
		for _, k := range jobs {
			ranges[k] = order[next]
			next++
		}
	}
	return kinds, ranges
}

// quotas gives n numbers 0, 1, …, each as often as its share says in every stretch of them, give or take one: the next
// number is always the one that lags furthest behind.
func quotas(n int, shares []float64) []int {
	list, lag := make([]int, n), make([]float64, len(shares))
	for k := range list {
		most := 0
		for i := range lag {
			lag[i] += shares[i]
			if lag[i] > lag[most]+1e-9 { // ties in their order, despite rounding
				most = i
			}
		}
		lag[most]--
		list[k] = most
	}
	return list
}

func shuffle[T any](list []T, r *rand.Rand) {
	r.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
}

// ratio is how many bytes a job's maps write per byte read.
func (g *tenantGenerator) ratio(x Benchmark) float64 {
	return math.Round(x.Ratio*g.p.Float("shuffle-scale")*1e6) / 1e6
}

func (g *tenantGenerator) reduces(j *tenantJob) int64 {
	n := math.Ceil(float64(j.input) * g.ratio(j.kind) / (g.p.Float("reduce-size") * megabyte))
	return max(1, int64(min(n, float64(g.p.Int("max-reduces")))))
}

func (g *tenantGenerator) checkSizes(jobs []tenantJob) {
	tasks := int64(0)
	for k := range jobs {
		tasks += int64(jobs[k].maps) + g.reduces(&jobs[k])
	}
	if n := tasks * max(1, g.p.Int("replicas")/3); n > maxTenantTasks {
		g.b.refuse(fmt.Sprintf("%d tasks with %d replicas each", tasks, g.p.Int("replicas")),
			fmt.Sprintf("at most %d with three", maxTenantTasks), "lower --input-scale or --hours, or raise --block-size")
		return
	}
	g.b.Reserve(int(tasks))
	g.b.ReservePlacements(int(tasks * g.p.Int("replicas")))
}

// write adds a job with its maps, their blocks, and its reduces.
func (g *tenantGenerator) write(k int, j *tenantJob, places *BlockPlacer) {
	x := j.kind
	job := model.Job{ID: nth("j", k), Release: j.release, Weight: model.UnitWeight,
		Tenant: nth("u", j.user), Class: x.Name,
		Reduces: model.Some(g.reduces(j)), ShuffleRatio: model.Some(g.ratio(x)),
		TaskOverhead: model.Some(model.TimeOf(g.p.Float("overhead")))}
	if s := x.MapSeconds * g.p.Float("map-scale"); s > 0 {
		job.MapRate = model.Some(math.Round(benchmarkBlock / s))
	}
	if s := x.ReduceSeconds * g.p.Float("reduce-scale"); s > 0 {
		job.ReduceRate = model.Some(math.Round(megabyte / s))
	}
	g.b.job(job)
	task := model.Task{CPU: model.Some(x.Cores), MemoryBytes: model.Some(model.Bytes(math.Round(x.Gigabytes * gigabyte)))}
	places.NewFile()
	left := j.input
	for m := range j.maps {
		task.ID, task.InputBytes = nth(job.ID+".m", m), model.Some(min(left, g.block))
		left -= task.InputBytes.Value
		block := nth(job.ID+".b", m)
		g.b.task(task, job.ID, block)
		places.Place(g.b.Builder, block)
	}
	task.Kind, task.InputBytes = model.Reduce, model.Optional[model.Bytes]{}
	for r := range job.Reduces.Value {
		task.ID = job.ID + ".r" + strconv.FormatInt(r+1, 10)
		g.b.task(task, job.ID, "")
	}
}

// notes says how much data has to move, and how much can move.
func (g *tenantGenerator) notes(jobs []tenantJob) {
	input, shuffle := 0.0, 0.0
	for k := range jobs {
		input += float64(jobs[k].input)
		shuffle += float64(float64(jobs[k].input) * g.ratio(jobs[k].kind))
	}
	rampUp := float64(g.p.Float("ramp-up") * 3600)
	seconds := rampUp + float64(g.p.Float("hours")*3600)
	g.b.Note("%d jobs read %.3g TB and shuffle %.3g TB; the racks' uplinks carry %.3g TB each way while they arrive",
		len(jobs), input/1e12, shuffle/1e12,
		float64(g.cluster.Racks)*g.cluster.Uplink*seconds/1e12)
	if rampUp > 0 {
		g.b.Note("the steady time is that of --measure-from %g --measure-until %g", rampUp, seconds)
	}
}
