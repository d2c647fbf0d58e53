package instances

import (
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// Purposes of the random streams.
const (
	htaReads = iota + 201
	htaPlaces
	htaRanks
)

func htaServers(number string, least float64) solver.Param {
	return whole("servers", number, least, 1e6, "number of servers")
}

// htaCosts are the costs of a task in seconds.
func htaCosts() []solver.Param {
	return []solver.Param{
		number("local", "1", 1e-6, 1e6, "cost of a task whose server holds its block"),
		number("remote", "3", 1e-6, 1e6, "cost of any other task"),
	}
}

// htaCost reads the parameters of htaCosts. The builder reports costs that fall.
func htaCost(p solver.Params) model.AssignmentCost {
	return model.AssignmentCost{Local: model.TimeOf(p.Float("local")),
		Remote: model.RemoteCost{Base: model.TimeOf(p.Float("remote"))}}
}

// htaWorkload starts a workload of one job, "j1", on servers "s1", "s2", … that spread over racks evenly, neighbours in
// one rack; without racks they are below the root.
func htaWorkload(name string, cost model.AssignmentCost, servers, racks int) maker {
	b := newMaker()
	b.start(name, "hta")
	b.cost(cost)
	b.job(model.Job{ID: "j1", Weight: model.UnitWeight})
	b.root()
	for k := range racks {
		b.node(model.Node{ID: nth("rack", k), Kind: model.RackNode}, "root")
	}
	for s, rack := range rackNumbers(servers, racks) {
		parent := "root"
		if racks > 0 {
			parent = nth("rack", rack)
		}
		b.node(model.Node{ID: nth("s", s), Kind: model.HostNode, MapSlots: 1}, parent)
	}
	return b
}

// local adds a map whose block lies on the given servers.
func (b maker) local(task, block string, servers ...int) {
	b.task(model.Task{ID: task, Kind: model.Map}, "j1", block)
	for _, s := range servers {
		b.placement(block, fmt.Sprintf("s%d", s))
	}
}

// maxReplicas bounds the replicas of all blocks together, which must fit into memory.
const maxReplicas = 100_000_000

func replicatedPreset() Preset {
	return Preset{
		Problem: "hta", Name: "replicated",
		Examples: []string{"mrsched generate hta --tasks 200 --servers 20 --zipf 1.2 -o blocks.json"},
		Summary:  "blocks with replicas on random servers, uniform or by popularity, placed across racks as HDFS does",
		Params: slices.Concat([]solver.Param{
			whole("tasks", "1000", 1, 1e7, "number of map tasks"),
			htaServers("100", 1),
			whole("replicas", "3", 1, 1e6, "replicas per block, on different servers"),
			number("zipf", "0", 0, 10, "exponent of the blocks' popularity: a task reads the block of popularity rank r "+
				"with probability proportional to r^-zipf; 0, with --blocks 0: every task reads a block of its own"),
			whole("blocks", "0", 0, 1e7, "number of blocks that tasks choose theirs from; 0: as many as tasks"),
			number("server-zipf", "0", 0, 10, "exponent of the servers' popularity with replicas; 0: all servers alike"),
			whole("racks", "10", 0, 1e6, "number of racks, at most one per server: the second replica lies in another rack "+
				"than the first, the third in that of the second; with 0 or 1 servers are chosen regardless of racks"),
		}, htaCosts(), []solver.Param{
			number("per-remote", "0", 0, 1e6, "what each remote task adds to the cost of all remote tasks"),
			number("rack-cost", "0", 0, 1e6,
				"cost of a task in the rack of its block, but on another server; 0: as remote"),
		}),
		Generate: generateReplicated,
		Tasks:    tasksOf("tasks"),
	}
}

// generateReplicated makes blocks "b1", the most popular, "b2", … and tasks "t1", …. Where a block lies depends neither
// on the tasks nor on who reads it. Blocks that nobody reads are not written.
//
// Popular blocks make their servers popular too: all readers of a block share its replicas. Apart from that,
// server-zipf gives some servers more blocks than others, as old or large disks have.
func generateReplicated(p solver.Params, seed uint64) (*model.Workload, error) {
	tasks, servers, replicas := int(p.Int("tasks")), int(p.Int("servers")), int(p.Int("replicas"))
	blocks := int(p.Int("blocks"))
	own := blocks == 0 && p.Float("zipf") == 0
	if blocks == 0 {
		blocks = tasks
	}
	racks := min(int(p.Int("racks")), servers)
	cost := htaCost(p)
	cost.Remote.PerRemote = model.TimeOf(p.Float("per-remote"))
	if c := p.Float("rack-cost"); c > 0 {
		cost.Rack = model.Some(model.TimeOf(c))
	}
	b := htaWorkload(fmt.Sprintf("replicated-%d-%d-seed%d", tasks, servers, seed), cost, servers, racks)
	if replicas > servers {
		b.refuse(fmt.Sprintf("%s of a block on %s", model.Counted(replicas, "replica"),
			model.Counted(servers, "server")), "at most one per server", "lower --replicas")
	}
	if n := int64(min(blocks, tasks)) * int64(replicas); n > maxReplicas {
		b.refuse(fmt.Sprintf("%d replicas in all", n), fmt.Sprintf("at most %d", maxReplicas),
			"lower --replicas, --blocks or --tasks")
	}
	if cost.Rack.Known && racks == 0 {
		b.refuse("--rack-cost without racks", "--racks 1 or more with it", "")
	}
	if !b.Findings.Empty() {
		return nil, b.Findings.Err()
	}
	reads := taskBlocks(tasks, blocks, own, p.Float("zipf"), seed)
	read := make([]bool, blocks)
	b.Reserve(tasks)
	for t, block := range reads {
		read[block] = true
		b.task(model.Task{ID: nth("t", t), Kind: model.Map}, "j1", nth("b", block))
	}
	unread := newPlacer(servers, racks, p.Float("server-zipf"), seed).placeAll(b, read, replicas)
	if !own {
		b.Note("tasks read %d of %s", blocks-unread, model.Counted(blocks, "block"))
	}
	return b.Build()
}

// taskBlocks draws the block that each task reads: its own, or by popularity.
func taskBlocks(tasks, blocks int, own bool, zipf float64, seed uint64) []int {
	reads := make([]int, tasks)
	if own {
		for t := range reads {
			reads[t] = t
		}
		return reads
	}
	popularity := newUrn(zipfWeights(blocks, zipf), stream(seed, htaReads))
	for t := range reads {
		reads[t], _ = popularity.draw(0, blocks)
	}
	return reads
}

// placer chooses the servers of a block's replicas.
type placer struct {
	servers *urn
	racks   int
	rack    []int // by server
}

func newPlacer(servers, racks int, zipf float64, seed uint64) *placer {
	weight := zipfWeights(servers, zipf)
	if zipf > 0 { // else the ranks do not matter
		shuffle(weight, random(seed, htaRanks))
	}
	return &placer{newUrn(weight, stream(seed, htaPlaces)), racks, rackNumbers(servers, racks)}
}

// place chooses different servers: the first at random, the second in another rack, the third in the second's rack, if
// a server is left there, and the others at random.
//
// Source: HDFS, BlockPlacementPolicyDefault, for a writer outside the cluster. Differs: nothing limits the replicas a
// rack from the fourth on.
func (p *placer) place(chosen []int) {
	n := len(p.rack)
	for i := range chosen {
		var ok bool
		switch {
		case p.racks < 2:
		case i == 1:
			chosen[i], ok = p.servers.drawOutside(rackRange(p.rack[chosen[0]], n, p.racks))
		case i == 2:
			chosen[i], ok = p.servers.draw(rackRange(p.rack[chosen[1]], n, p.racks))
		}
		if !ok {
			chosen[i], _ = p.servers.draw(0, n)
		}
		p.servers.take(chosen[i])
	}
	p.servers.refill()
}

// placeAll places every block, writes those that are read and counts the others.
func (p *placer) placeAll(b maker, read []bool, replicas int) (unread int) {
	names := make([]string, len(p.rack))
	for s := range names {
		names[s] = nth("s", s)
	}
	chosen := make([]int, replicas)
	for block, needed := range read {
		p.place(chosen)
		if !needed {
			unread++
			continue
		}
		name := nth("b", block)
		for _, s := range chosen {
			b.placement(name, names[s])
		}
	}
	return unread
}
