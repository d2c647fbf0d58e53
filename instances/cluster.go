package instances

import (
	"fmt"
	"math"
	"math/rand/v2"

	"mrsched/model"
	"mrsched/solver"
)

// Purposes of the random streams.
const (
	clusterShapes = iota + 1
	clusterDemands
	clusterLengths
	clusterReleases
	clusterDues
	clusterLicences
)

// clusterSizes are the classes of nodes: cores, memory and speed. Demands are shares of the first one, the largest.
var clusterSizes = []struct {
	cpu, gigabytes, speed float64
}{{64, 256, 1}, {48, 192, 1.25}, {32, 128, 1}, {24, 96, 0.8}, {16, 64, 1.25}}

const (
	clusterTenants = 4
	clusterWeights = 10 // weights are 1 … 10
	clusterBytes   = 1_000_000_000
	clusterBack    = 20 // a job depends on one of that many before it
)

// clusterPreset makes a mixed load on nodes of several sizes.
func clusterPreset() Preset {
	return Preset{
		Problem: "cluster", Name: "mixed",
		Summary:  "jobs of many shapes, with deadlines and dependencies, on nodes of five sizes, two resources",
		Examples: []string{"mrsched generate cluster --tasks 200 --nodes 10 --seed 7 -o mixed.json"},
		Params: []solver.Param{
			whole("tasks", "100000", 1, 1e9, "number of tasks"),
			whole("nodes", "1000", 1, 1e6, "number of nodes"),
			whole("classes", "5", 1, float64(len(clusterSizes)),
				"number of node sizes, in turn 64, 48, 32, 24 and 16 cores"),
			number("least-demand", "0.05", 0, 1, "least demand of a task for cores and for memory, as a share of the largest "+
				"node"),
			number("most-demand", "0.5", 0, 1, "largest demand of a task"),
			seconds("mean-length", "60", 1e-3, 1e6, "mean of the tasks' lognormal lengths, in seconds"),
			number("length-sigma", "0.8", 0, 5, "standard deviation of their logarithms"),
			number("mean-tasks", "20", 1, 1e6, "mean number of tasks per job, geometric"),
			number("load", "0.8", 1e-3, 100, "work that arrives, over the capacity of the nodes in that time"),
			number("dag-share", "0.33", 0, 1, "share of jobs that are stage graphs; half of the others are map-reduce"),
			number("deadline-share", "0.1", 0, 1, "share of jobs with a deadline"),
			number("slack", "3", 0, 1e6, "mean deadline, as a multiple of the job's longest path"),
			number("dependency-share", "0.1", 0, 1, "share of jobs that wait for one of the twenty before them"),
			whole("licences", "0", 0, 1e6, "number of licences of the root; 0: no task takes any"),
			number("licence-share", "0.2", 0, 1, "share of the tasks that take a licence, if there are some"),
		},
		Generate: generateCluster,
		Tasks:    tasksOf("tasks"),
	}
}

// clusterJob is a job before its release is known.
type clusterJob struct {
	job   model.Job
	shape int // 0: maps, 1: maps and reduces, 2: a stage graph
	tasks []model.Task
	arcs  [][2]int // of a stage graph
	after int      // the job that it waits for; negative: none
}

// generateCluster draws the jobs, and then spreads their releases so that the load is as requested.
func generateCluster(p solver.Params, seed uint64) (*model.Workload, error) {
	if p.Float("least-demand") > p.Float("most-demand") {
		return nil, model.NewInputError(contradiction("--least-demand is more than --most-demand", "at most as much",
			"swap the two"))
	}
	b := newMaker()
	b.start("mixed", "cluster")
	capacity := clusterNodes(b, int(p.Int("nodes")), int(p.Int("classes")))
	jobs, work := clusterJobs(p, seed)
	// Seconds during which the nodes can do the work.
	span := work / (capacity * p.Float("load"))
	releases := random(seed, clusterReleases)
	times := make([]float64, len(jobs))
	at := 0.0
	for k := range times { // a Poisson process, scaled to the span
		at += releases.ExpFloat64()
		times[k] = at
	}
	licences, takers := model.Amount(p.Int("licences"))*model.UnitAmount, random(seed, clusterLicences)
	if licences > 0 {
		b.Capacity(model.Capacity{Resource: "licence", Amount: licences}, "root", model.Locus{})
	}
	for k := range jobs {
		j := &jobs[k]
		j.job.Release = model.TimeOf(math.Floor(times[k] / at * span))
		b.job(j.job)
		for u := range j.tasks {
			j.tasks[u].ID = fmt.Sprintf("%s.%d", j.job.ID, u+1)
			b.task(j.tasks[u], j.job.ID, "")
			if licences > 0 && takers.Float64() < p.Float("licence-share") {
				b.Demand(model.TaskDemand{Resource: "licence", Amount: model.UnitAmount}, j.tasks[u].ID, model.Locus{})
			}
		}
		for _, a := range j.arcs {
			b.delay(j.tasks[a[0]].ID, j.tasks[a[1]].ID, 0)
		}
		if j.after >= 0 {
			b.dependency(j.job.ID, jobs[j.after].job.ID, 0)
		}
	}
	return b.Build()
}

// clusterNodes adds the nodes, in racks of forty, and returns their capacity in nodes of the largest size, by the
// scarcer of cores and memory.
func clusterNodes(b maker, nodes, classes int) (capacity float64) {
	const rack = 40
	b.root()
	for i := range nodes {
		if i%rack == 0 {
			b.node(model.Node{ID: nth("rack", i/rack), Kind: model.RackNode}, "root")
		}
		c := clusterSizes[i%classes]
		b.node(model.Node{ID: nth("n", i), Kind: model.HostNode, Speed: model.Some(c.speed), CPU: model.Some(c.cpu),
			MemoryBytes: model.Some(model.Bytes(c.gigabytes * clusterBytes))}, nth("rack", i/rack))
		capacity += c.cpu / clusterSizes[0].cpu
	}
	return capacity
}

// clusterJobs draws the jobs and returns their work: seconds of the largest node's cores or memory, whichever is more.
func clusterJobs(p solver.Params, seed uint64) (jobs []clusterJob, work float64) {
	shapes, demands, dues := random(seed, clusterShapes), random(seed, clusterDemands), random(seed, clusterDues)
	lengths := random(seed, clusterLengths)
	sigma := p.Float("length-sigma")
	mu := math.Log(p.Float("mean-length")) - sigma*sigma/2
	share := func() float64 {
		return p.Float("least-demand") + float64(demands.Float64()*(p.Float("most-demand")-p.Float("least-demand")))
	}
	cores, memory := 0.0, 0.0
	for left := int(p.Int("tasks")); left > 0; {
		j := clusterJob{after: -1, job: model.Job{ID: nth("j", len(jobs)), Tenant: nth("tenant", shapes.IntN(clusterTenants)),
			Weight: model.Weight(1+shapes.IntN(clusterWeights)) * model.UnitWeight}}
		n := min(left, 1+int(shapes.ExpFloat64()*(p.Float("mean-tasks")-1)))
		left -= n
		for range n {
			seconds := solver.Exp(mu + float64(sigma*lengths.NormFloat64()))
			cpu, bytes := math.Round(share()*clusterSizes[0].cpu*10)/10, share()*clusterSizes[0].gigabytes
			j.tasks = append(j.tasks, model.Task{Processing: model.Some(model.TimeOf(math.Round(seconds*1000) / 1000)),
				CPU: model.Some(cpu), MemoryBytes: model.Some(model.Bytes(bytes) * clusterBytes)})
			cores += float64(cpu / clusterSizes[0].cpu * seconds)
			memory += float64(bytes / clusterSizes[0].gigabytes * seconds)
		}
		clusterShape(shapes, &j, p.Float("dag-share"))
		if dues.Float64() < p.Float("deadline-share") {
			late := 0.5 + float64(dues.Float64())
			j.job.Deadline = model.Some(model.TimeOf(math.Ceil(longestPath(&j) * p.Float("slack") * late)))
		}
		if len(jobs) > 0 && dues.Float64() < p.Float("dependency-share") {
			j.after = len(jobs) - 1 - dues.IntN(min(clusterBack, len(jobs)))
		}
		jobs = append(jobs, j)
	}
	return jobs, max(cores, memory)
}

// clusterShape draws the shape of a job: a stage graph of layers, each task of which waits for one to three of the
// layer before it; or maps, alone or with a quarter of reduces.
func clusterShape(r *rand.Rand, j *clusterJob, dags float64) {
	n := len(j.tasks)
	if r.Float64() < dags {
		j.shape = 2
		first, last := 0, 1+r.IntN(n)
		for last < n {
			next := min(n, last+1+r.IntN(max(1, n/3)))
			for u := last; u < next; u++ {
				seen := map[int]bool{}
				for range 1 + r.IntN(3) {
					if v := first + r.IntN(last-first); !seen[v] {
						seen[v] = true
						j.arcs = append(j.arcs, [2]int{v, u})
					}
				}
			}
			first, last = last, next
		}
		return
	}
	if r.IntN(2) == 0 {
		j.shape = 1
		for u := n - n/4; u < n; u++ {
			j.tasks[u].Kind = model.Reduce
		}
	}
}

// longestPath is the longest path of a job, in seconds at speed 1.
func longestPath(j *clusterJob) (longest float64) {
	end := make([]float64, len(j.tasks)) // end of the longest path to a task, at first without the task itself
	barrier := 0.0
	into := make(map[int][]int, len(j.tasks))
	for _, a := range j.arcs {
		into[a[1]] = append(into[a[1]], a[0])
	}
	for u, t := range j.tasks {
		if t.Kind == model.Reduce {
			end[u] = barrier
		}
		for _, v := range into[u] {
			end[u] = max(end[u], end[v])
		}
		end[u] += t.Processing.Value.Seconds()
		longest = max(longest, end[u])
		if t.Kind == model.Map && j.shape == 1 {
			barrier = max(barrier, end[u])
		}
	}
	return longest
}
