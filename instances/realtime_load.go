package instances

import (
	"math"
	"math/rand/v2"

	"mrsched/model"
)

// Assumptions about a job of mean needs: it uses half a core and Hadoop's default heap, and collects garbage for a
// tenth of its time.
const (
	meanCPU      = 0.5
	meanMemory   = 200_000_000
	garbageShare = 0.1
)

// cpuDigits rounds cpu so that it is readable in the workload.
const cpuDigits = 1e4

// jobNeeds are the needs of a job's tasks relative to the mean: for computing and for memory.
type jobNeeds struct{ work, heap float64 }

// drawNeeds draws the needs of n jobs, by --need-spread.
func (g *realtimeGenerator) drawNeeds(r *rand.Rand, n int) []jobNeeds {
	list, spread := make([]jobNeeds, n), g.p.Float("need-spread")
	for k := range list {
		list[k].work = lognormal(r, spread)
		list[k].heap = lognormal(r, spread)
	}
	return list
}

// factor is how long the job's tasks take for their data, relative to a job of mean needs. Half of the mean job's time
// is computing, which grows with the work; a share is garbage collection, which grows with the heap; the rest is
// waiting for disk and network.
func (n jobNeeds) factor() float64 {
	return 1 + float64(meanCPU*(n.work-1)) + float64(garbageShare*(n.heap-1))
}

// cpu is how much of a core the job's tasks use on average.
func (n jobNeeds) cpu() model.Optional[float64] {
	return model.Some(math.Round(meanCPU*n.work/n.factor()*cpuDigits) / cpuDigits)
}

func (n jobNeeds) memory() model.Optional[model.Bytes] {
	return model.Some(model.Bytes(math.Round(meanMemory * n.heap)))
}

// neighbours are the tasks of other users on one worker. They arrive in a Poisson process and stay for exponential
// times, so that their number has a Poisson distribution at any time. All share the worker evenly.
type neighbours struct {
	r          *rand.Rand
	mean, stay float64
	count      int
	now, next  float64 // next: when one arrives or leaves
}

// newNeighbours creates the neighbours on a worker from a time on.
func newNeighbours(r *rand.Rand, mean, stay, from float64) *neighbours {
	n := &neighbours{r: r, mean: mean, stay: stay, now: from}
	n.anew()
	return n
}

// again draws the number from its distribution.
func (n *neighbours) anew() {
	n.count = 0
	for sum := n.r.ExpFloat64(); sum < n.mean; sum += n.r.ExpFloat64() {
		n.count++
	}
	n.wait()
}

// wait draws when the number changes.
func (n *neighbours) wait() {
	n.next = n.now + n.stay*n.r.ExpFloat64()/(n.mean+float64(n.count))
}

// forgotten is the number of mean stays after which no present task is left, except 1 in e⁴⁰.
const forgotten = 40

// slowdown is the factor by which a task that starts at a time takes longer; calls must pass times that never fall.
func (n *neighbours) slowdown(at float64) float64 {
	if at > n.now+forgotten*n.stay {
		n.now = at
		n.anew()
	}
	for n.next <= at {
		n.now = n.next
		if n.r.Float64()*(n.mean+float64(n.count)) < n.mean {
			n.count++
		} else {
			n.count--
		}
		n.wait()
	}
	n.now = max(n.now, at)
	return 1 + float64(n.count)
}

// drawLoads finds the factors by which tasks take longer on each worker because of other users: for each past run,
// whose jobs arrived earlier at the same rate, and for each job, all of whose tasks see the worker's load at the job's
// arrival.
func (g *realtimeGenerator) drawLoads(release []model.Time) {
	if g.p.Float("load") == 0 {
		return
	}
	runs, gap := int(g.p.Int("history-runs")), g.gap()
	for w := range g.workers {
		n := newNeighbours(random(g.seed, realtimeLoad|uint64(w+1)<<32), g.p.Float("load"), g.p.Float("load-time"),
			-gap*float64(runs))
		past, present := make([]float64, runs), make([]float64, g.jobs)
		for k := range past {
			past[k] = n.slowdown(-gap * float64(runs-k))
		}
		for j, at := range release {
			present[j] = n.slowdown(at.Seconds())
		}
		g.pastLoad, g.load = append(g.pastLoad, past), append(g.load, present)
	}
}

// loadOf is a factor that drawLoads has found.
func loadOf(list [][]float64, worker, k int) float64 {
	if list == nil {
		return 1
	}
	return list[worker][k]
}
