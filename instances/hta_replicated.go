package instances

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"mrsched/model"
	"mrsched/solver"
)

// maxReplicas bounds the replicas of all blocks together, which must fit into memory.
const maxReplicas = 100_000_000

func replicatedPreset() Preset {
	return Preset{
		Problem: "hta", Name: "replicated",
		Summary: "blocks with replicas on random servers, uniform or by popularity, placed across racks as HDFS does",
		Source:  "Fischer, Su, Yin, SPAA 2010, §2; placement: HDFS, BlockPlacementPolicyDefault",
		Params: slices.Concat([]solver.Param{
			htaTasks("number of map tasks", "1000"),
			htaServers("100", 1),
			{Name: "replicas", Kind: solver.IntParam, Default: "3", Minimum: 1, Maximum: 1e6,
				Usage: "replicas a block, on different servers"},
			{Name: "zipf", Kind: solver.FloatParam, Default: "0", Minimum: 0, Maximum: 10,
				Usage: "exponent of the blocks' popularity: a task reads the block of popularity rank r with probability " +
					"proportional to r^-zipf; " +
					"0, with --blocks 0: every task reads a block of its own"},
			{Name: "blocks", Kind: solver.IntParam, Default: "0", Minimum: 0, Maximum: 1e7,
				Usage: "number of blocks that tasks choose theirs from; 0: as many as tasks"},
			{Name: "server-zipf", Kind: solver.FloatParam, Default: "0", Minimum: 0, Maximum: 10,
				Usage: "exponent of the servers' popularity with replicas; 0: all servers alike"},
			{Name: "racks", Kind: solver.IntParam, Default: "10", Minimum: 0, Maximum: 1e6,
				Usage: "number of racks, at most one a server: the second replica lies in another rack than the first, the " +
					"third in that of the second; " +
					"with 0 or 1 servers are chosen regardless of racks"},
		}, htaCosts(), []solver.Param{
			{Name: "per-remote", Kind: solver.FloatParam, Default: "0", Minimum: 0, Maximum: 1e6,
				Usage: "what each remote task adds to the cost of all remote tasks"},
			{Name: "rack-cost", Kind: solver.FloatParam, Default: "0", Minimum: 0, Maximum: 1e6,
				Usage: "cost of a task in the rack of its block, but on another server; 0: as remote"},
		}),
		Generate: generateReplicated,
		Tasks:    func(p solver.Params, _ uint64) int64 { return p.Int("tasks") },
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
		b.Findings.Add(contradiction(fmt.Sprintf("%s of a block on %s", model.Counted(replicas, "replica"),
			model.Counted(servers, "server")), "at most one a server", "lower --replicas"))
	}
	if n := int64(min(blocks, tasks)) * int64(replicas); n > maxReplicas {
		b.Findings.Add(contradiction(fmt.Sprintf("%d replicas in all", n), fmt.Sprintf("at most %d", maxReplicas),
			"lower --replicas, --blocks or --tasks"))
	}
	if cost.Rack.Known && racks == 0 {
		b.Findings.Add(contradiction("--rack-cost without racks", "--racks 1 or more with it", ""))
	}
	if !b.Findings.Empty() {
		return nil, b.Findings.Err()
	}
	reads := taskBlocks(tasks, blocks, own, p.Float("zipf"), seed)
	read := make([]bool, blocks)
	b.Reserve(tasks)
	for t, block := range reads {
		read[block] = true
		b.Task(model.Task{ID: "t" + strconv.Itoa(t+1), Kind: model.Map}, "j1", "b"+strconv.Itoa(block+1), model.Locus{})
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
	var popularity *urn
	if !own {
		popularity = newUrn(zipfWeights(blocks, zipf), stream(seed, htaReads))
	}
	for t := range reads {
		reads[t] = t
		if !own {
			reads[t], _ = popularity.draw(0, blocks)
		}
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
		rand.New(stream(seed, htaRanks)).Shuffle(servers, func(i, k int) { weight[i], weight[k] = weight[k], weight[i] })
	}
	return &placer{newUrn(weight, stream(seed, htaPlaces)), racks, rackNumbers(servers, racks)}
}

// place chooses different servers: the first at random, the second in another rack, the third in the second's rack,
// where there is a server left, and the others at random.
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
			first, last := p.rackOf(chosen[0])
			chosen[i], ok = p.servers.drawOutside(first, last)
		case i == 2:
			first, last := p.rackOf(chosen[1])
			chosen[i], ok = p.servers.draw(first, last)
		}
		if !ok {
			chosen[i], _ = p.servers.draw(0, n)
		}
		p.servers.take(chosen[i])
	}
	p.servers.refill()
}

// rackOf is the range of servers in the rack of one.
func (p *placer) rackOf(server int) (first, last int) {
	k, n := p.rack[server], len(p.rack)
	return rackFirst(k, n, p.racks), rackFirst(k+1, n, p.racks)
}

// placeAll places every block, writes those that are read and counts the others.
func (p *placer) placeAll(b *model.Builder, read []bool, replicas int) (unread int) {
	names := make([]string, len(p.rack))
	for s := range names {
		names[s] = "s" + strconv.Itoa(s+1)
	}
	chosen := make([]int, replicas)
	for block, needed := range read {
		p.place(chosen)
		if !needed {
			unread++
			continue
		}
		name := "b" + strconv.Itoa(block+1)
		for _, s := range chosen {
			b.Placement(name, names[s], model.Locus{})
		}
	}
	return unread
}
