package instances

import (
	"math/rand/v2"

	"mrsched/model"
	"mrsched/model/shop"
)

// smallClusterTasks is the most tasks of a random instance of validate.
const smallClusterTasks = 6

// SmallCluster makes a random instance of cluster that an exact method can solve: up to six tasks in up to three jobs
// on one to three nodes. Every feature of the problem comes in some of them: several resources, slots, nodes that state
// nothing, speeds, reading, rows of times, delays (also between jobs), dependencies, eligible places, calendars, fixed
// tasks, capacities of places, and tasks that have begun.
func SmallCluster(r *rand.Rand, k int) (*model.Workload, error) {
	for {
		b := newMaker()
		b.start("small", "cluster")
		s := &smallCluster{maker: b, r: r, nodes: 1 + r.IntN(3), read: map[string]bool{}}
		s.addNodes(k)
		s.addJobs()
		s.addPlaces()
		if k%7 > 4 {
			s.addSeats()
		}
		if k%5 == 3 {
			s.delay(s.tasks[s.r.IntN(len(s.tasks))], s.tasks[s.r.IntN(len(s.tasks))], half(s.r, 4))
		}
		if k%9 == 4 {
			s.begin()
		}
		w, err := b.Build()
		if err != nil { // the delay closes a circle, or a fixed task has begun
			continue
		}
		if _, err := shop.New(w); err == nil { // fixed tasks may lack room, and tasks a node
			return w, nil
		}
	}
}

type smallCluster struct {
	maker
	r     *rand.Rand
	nodes int
	tasks []string
	jobs  []string
	read  map[string]bool // blocks
}

// chance is true once in n times.
func (s *smallCluster) chance(n int) bool { return s.r.IntN(n) == 0 }

// addNodes adds nodes in two racks. What they state depends on k.
func (s *smallCluster) addNodes(k int) {
	r := s.r
	s.root()
	uplink := model.Some(4.0)
	if s.chance(2) {
		uplink.Known = false
	}
	for x := range 2 {
		s.node(model.Node{ID: nth("rack", x), Kind: model.RackNode, Bandwidth: uplink}, "root")
	}
	for i := range s.nodes {
		n := model.Node{ID: nth("n", i), Kind: model.HostNode}
		if s.chance(3) {
			n.Speed = model.Some([]float64{0.5, 0.7, 2, 3}[r.IntN(4)])
		}
		if s.chance(2) {
			n.Bandwidth = model.Some(float64(1 + r.IntN(8)))
		}
		if k%3 == 1 || s.chance(3) {
			n.CPU = model.Some(float64(2 + r.IntN(3)))
		}
		if k%3 == 1 {
			n.MemoryBytes = model.Some(model.Bytes(6 + r.IntN(6)))
		}
		if k%3 == 2 {
			n.MapSlots, n.ReduceSlots = int64(1+r.IntN(2)), int64(1+r.IntN(2))
		}
		s.node(n, nth("rack", i%2))
		if k%4 == 1 {
			gpus := model.Capacity{Resource: "gpu", Amount: model.Amount(2+r.IntN(2)) * model.UnitAmount}
			s.Capacity(gpus, n.ID, model.Locus{})
		}
		if s.chance(4) {
			from := half(r, 12)
			away := model.Unavailable{From: from, Until: model.Some(from + model.Second/2 + half(r, 6))}
			s.Builder.Unavailable(away, n.ID, model.Locus{})
		}
	}
}

// addJobs adds jobs of three shapes.
func (s *smallCluster) addJobs() {
	r := s.r
	left := smallClusterTasks
	for j := range 1 + r.IntN(3) {
		id := nth("j", j)
		x := model.Job{ID: id, Release: half(r, 6), Weight: model.Weight(r.IntN(6)) * model.UnitWeight / 2}
		if s.chance(2) {
			x.Deadline = model.Some(half(r, 16))
		}
		s.job(x)
		if j > 0 && s.chance(2) {
			s.dependency(id, s.jobs[r.IntN(len(s.jobs))], half(r, 4))
		}
		s.jobs = append(s.jobs, id)
		n := 1 + r.IntN(max(1, min(4, left-2+j)))
		left -= n
		s.addTasks(id, n)
	}
}

// addTasks adds tasks to a job: maps and reduces, or with rows of delays.
func (s *smallCluster) addTasks(job string, n int) {
	r, shape := s.r, s.r.IntN(3)
	for u := range n {
		t := model.Task{ID: job + "." + nth("t", u), Processing: model.Some(half(r, 8))}
		block := ""
		if shape == 0 && u > 0 && s.chance(2) {
			t.Kind = model.Reduce
		} else {
			if s.chance(3) {
				t.ShuffleDelay = half(r, 4)
			}
			if s.chance(2) {
				block, t.InputBytes = nth("b", r.IntN(3)), model.Some(model.Bytes(1+r.IntN(8)))
				if !s.read[block] && s.chance(2) {
					s.placement(block, nth("n", r.IntN(s.nodes)))
				}
				s.read[block] = true
			}
		}
		if s.chance(2) {
			t.CPU = model.Some(float64(1+r.IntN(4)) / 2)
		}
		if s.chance(2) {
			t.MemoryBytes = model.Some(model.Bytes(1 + r.IntN(6)))
		}
		if s.chance(6) {
			t.Release = model.Some(half(r, 8))
		}
		s.task(t, job, block)
		s.tasks = append(s.tasks, t.ID)
		if shape == 1 && u > 0 {
			s.delay(job+"."+nth("t", r.IntN(u)), t.ID, half(r, 3))
		}
		if s.chance(8) { // on every node
			for i := range s.nodes {
				s.givenTime(model.GivenTime{Task: t.ID, Time: half(r, 9)}, job, nth("n", i))
			}
		}
	}
}

// addPlaces says where some tasks may run, and that one task runs already.
func (s *smallCluster) addPlaces() {
	r := s.r
	for _, u := range s.tasks {
		if s.chance(6) {
			s.Builder.Eligible("", u, []string{nth("n", r.IntN(s.nodes)), "rack1", "root"}[r.IntN(3)], model.Locus{})
		}
	}
	if s.chance(6) {
		s.Builder.Eligible(s.jobs[r.IntN(len(s.jobs))], "", nth("n", r.IntN(s.nodes)), model.Locus{})
	}
	if s.chance(3) {
		start := half(r, 8)
		if s.chance(2) {
			start = -half(r, 3)
		}
		s.Builder.FixedTask(s.tasks[r.IntN(len(s.tasks))], nth("n", r.IntN(s.nodes)), start, model.Locus{})
	}
}

// begin lets some tasks begin, whatever rules say.
func (s *smallCluster) begin() {
	now := model.Second + half(s.r, 6)
	s.Builder.Now(model.Some(now), model.Some(half(s.r, 3)))
	for _, u := range s.tasks {
		if s.chance(2) {
			continue
		}
		row := model.StateRow{Start: now - half(s.r, 10)}
		switch s.r.IntN(4) {
		case 0:
			row.End = model.Some(max(0, row.Start, now-half(s.r, 4)))
		case 1:
			row.Remaining = model.Some(half(s.r, 5))
		}
		s.Builder.StateRow(row, u, nth("n", s.r.IntN(s.nodes)), model.Locus{})
	}
}

// addSeats adds a resource that the root states, and perhaps a rack and a node, and of which some tasks take some.
func (s *smallCluster) addSeats() {
	for i, place := range []string{"root", "rack1", "rack2", "n1"} {
		if i == 0 || s.chance(3) {
			seats := model.Capacity{Resource: "seat", Amount: model.Amount(1+s.r.IntN(3)) * model.UnitAmount}
			s.Capacity(seats, place, model.Locus{})
		}
	}
	for _, u := range s.tasks {
		if s.chance(2) {
			seats := model.Amount(1+s.r.IntN(2)) * model.UnitAmount
			s.Demand(model.TaskDemand{Resource: "seat", Amount: seats}, u, model.Locus{})
		}
	}
}
