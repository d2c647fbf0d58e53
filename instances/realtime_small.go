package instances

import (
	"fmt"
	"math/rand/v2"

	"mrsched/model"
)

// smallTasks bounds the maps and partitions of a schedule of a small instance.
const smallTasks = 7

// SmallRealtime makes a random instance of realtime that an exact method can solve: up to seven maps and partitions of
// up to three jobs on up to three workers of different speeds. For even k no job has a deadline, and one or two jobs
// have data; for odd k the first and most others have one. Data is stated as partitions, as keys, as reduce tasks or as
// intermediate bytes, in turn with k; sizes, times and overheads may be zero, reducers may be fewer than slots or more
// than partitions. Every third instance has a history, from which algorithms learn only roughly true times.
func SmallRealtime(r *rand.Rand, k int) (*model.Workload, error) {
	g := &smallRealtime{r: r, b: newMaker(), left: smallTasks}
	g.b.start("small", "realtime")
	g.cluster()
	jobs := 1 + r.IntN(2)
	if k%2 == 1 {
		jobs = 1 + r.IntN(3)
	}
	for i := range jobs {
		g.job(i, k, g.left-(jobs-1-i))
	}
	if k%3 == 0 {
		g.history()
	}
	return g.b.Build()
}

type smallRealtime struct {
	r              *rand.Rand
	b              maker
	left           int // tasks
	mapped, reduce []string
}

// cluster adds one to three workers; the first has a slot of each kind.
func (g *smallRealtime) cluster() {
	g.b.root()
	for i := range 1 + max(g.r.IntN(3), g.r.IntN(3)) {
		n := model.Node{ID: nth("w", i), Kind: model.HostNode, MapSlots: 1, ReduceSlots: 1}
		if i > 0 {
			n.MapSlots, n.ReduceSlots = g.r.Int64N(2), g.r.Int64N(3)
		}
		if g.r.IntN(4) > 0 {
			n.Speed = model.Some([]float64{0.5, 1, 2}[g.r.IntN(3)])
		}
		if n.MapSlots > 0 {
			g.mapped = append(g.mapped, n.ID)
		}
		if n.ReduceSlots > 0 {
			g.reduce = append(g.reduce, n.ID)
		}
		g.b.node(n, "root")
	}
}

// job adds a job with at least one and at most this many tasks.
func (g *smallRealtime) job(i, k, most int) {
	r := g.r
	maps, parts := r.IntN(3), r.IntN(5)
	if k%2 == 0 {
		maps, parts = r.IntN(2), 1+r.IntN(smallTasks)
	}
	maps = min(maps, most-1)
	parts = min(max(parts, 1-maps), most-maps)
	g.left -= maps + parts
	j := model.Job{ID: nth("j", i), Weight: model.UnitWeight, Class: "c", Release: half(r, 6),
		TaskOverhead: model.Some(half(r, 4)),
		MapRate:      model.Some(float64(1 + r.IntN(2))), ReduceRate: model.Some(float64(2 + 2*r.IntN(2)))}
	if k%2 == 1 && (i == 0 || r.IntN(6) > 0) {
		j.Deadline = model.Some(half(r, 16))
	}
	way := k / 2 % 4
	if parts > 0 {
		j.Reduces = model.Some(int64(1 + r.IntN(parts+1)))
		switch {
		case way == 1:
			j.Partitions = model.Some(int64(parts))
		case way == 2 || way == 3: // as many partitions as reducers
			j.Reduces = model.Some(int64(parts))
		}
		if way == 3 && r.IntN(4) > 0 {
			j.IntermediateBytes = model.Some(model.Bytes(r.IntN(20)))
		}
	}
	g.b.job(j)
	for m := range maps {
		g.addMap(j.ID, m)
	}
	for p := range parts {
		switch way {
		case 0:
			g.partition(j.ID, p)
		case 1:
			for range 1 + r.IntN(3) {
				g.b.keyData(model.KeyData{Key: fmt.Sprintf("key%d", r.IntN(20)), Bytes: model.Bytes(r.IntN(8))}, j.ID)
			}
		case 2:
			t := model.Task{ID: nth(j.ID+".r", p), Kind: model.Reduce,
				InputBytes: model.Some(model.Bytes(r.IntN(10)))}
			if r.IntN(2) == 0 {
				t.Processing = model.Some(half(r, 6))
			}
			g.b.task(t, j.ID, "")
			g.times(j.ID, t.ID)
		}
	}
}

func (g *smallRealtime) addMap(job string, m int) {
	t := model.Task{ID: nth(job+".m", m), Kind: model.Map, InputBytes: model.Some(model.Bytes(g.r.IntN(4)))}
	if g.r.IntN(2) == 0 {
		t.Processing = model.Some(half(g.r, 6))
	}
	if g.r.IntN(3) == 0 {
		t.ShuffleDelay = half(g.r, 4)
	}
	if g.r.IntN(6) == 0 {
		t.Release = model.Some(half(g.r, 8))
	}
	g.b.task(t, job, "")
}

// partition states a partition, as the rows of one or two maps.
func (g *smallRealtime) partition(job string, p int) {
	id := nth("p", p)
	for m := range 1 + g.r.IntN(2) {
		g.b.part(model.Part{Map: nth("m", m), Partition: id, Bytes: model.Bytes(g.r.IntN(8))}, job)
	}
	g.times(job, id)
}

// times states what a reduce task or partition takes on some workers, every other time.
func (g *smallRealtime) times(job, task string) {
	if g.r.IntN(2) == 0 {
		return
	}
	for _, w := range g.reduce {
		if g.r.IntN(3) > 0 {
			g.b.givenTime(model.GivenTime{Task: task, Time: half(g.r, 9)}, job, w)
		}
	}
}

// history adds past runs of both kinds; some workers may have none.
func (g *smallRealtime) history() {
	for _, kind := range []model.TaskKind{model.Map, model.Reduce} {
		workers := g.mapped
		if kind == model.Reduce {
			workers = g.reduce
		}
		for range 1 + g.r.IntN(6) {
			run := model.PastRun{Class: "c", Worker: workers[g.r.IntN(len(workers))], Kind: kind,
				Bytes: model.Bytes(g.r.IntN(10)), Time: half(g.r, 9)}
			if g.r.IntN(2) == 0 {
				run.CPU, run.MemoryBytes = model.Some(float64(g.r.IntN(4))/4), model.Some(model.Bytes(g.r.IntN(100)))
			}
			g.b.pastRun(run)
		}
	}
}
