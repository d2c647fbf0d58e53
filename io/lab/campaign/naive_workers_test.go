package campaign

import (
	"fmt"
	"math/big"

	"mrsched/model"
)

// naiveNode is a worker: a node of the topology, or a machine if there is no topology.
type naiveNode struct {
	id, rack    string
	count       map[string]int64 // slots by kind of task
	speed       *big.Rat
	link        *big.Rat // bytes a second; nil: no limit
	cpu, memory *big.Rat // nil: not stated; millionths of cores, bytes
}

// naiveWorkers holds the workers with their slots, by name.
type naiveWorkers struct {
	doc   *document
	nodes map[string]*naiveNode // those with slots
	slot  map[string]naiveSlot
	all   []naiveTask
}

func (c *naiveWorkers) tasks() []naiveTask { return c.all }

func (c *naiveWorkers) machine(name string) bool { _, ok := c.slot[name]; return ok }

type naiveSlot struct {
	node *naiveNode
	kind string // of the tasks that it runs
}

// workers reads them.
func (d *document) workers() *naiveWorkers {
	c := &naiveWorkers{doc: d, nodes: map[string]*naiveNode{}, slot: map[string]naiveSlot{}}
	if len(d.Topology) == 0 {
		for k := range whole(d.Machines) {
			c.add(&naiveNode{id: fmt.Sprintf("m%d", k+1), rack: "cluster", speed: rat(1),
				count: map[string]int64{"map": 1, "reduce": 1}})
		}
	}
	for _, t := range d.Topology {
		n := &naiveNode{id: text(t["id"]), rack: text(t["parent"]), speed: decimal(t["speed"]),
			count: map[string]int64{"map": whole(t["map_slots"]), "reduce": whole(t["reduce_slots"])},
			link:  decimal(t["bandwidth_bytes_per_s"]), cpu: millionths(t["cpu"]), memory: decimal(t["memory_bytes"])}
		if up := d.above(t, "rack"); up != nil {
			n.rack = text(up["id"])
		}
		if t["kind"] == "node" {
			c.add(n)
		}
	}
	return c
}

// add adds a worker with slots. Slots are numbered by kind, unless there is only one.
func (c *naiveWorkers) add(n *naiveNode) {
	all := n.count["map"] + n.count["reduce"]
	for kind, mark := range map[string]string{"map": "/m", "reduce": "/r"} {
		for k := range n.count[kind] {
			name := n.id
			if all > 1 {
				name = fmt.Sprintf("%s%s%d", n.id, mark, k+1)
			}
			c.slot[name] = naiveSlot{n, kind}
			c.nodes[n.id] = n
		}
	}
}

// kinds demands that maps run on map slots and reduces on reduce slots.
func (c *naiveWorkers) kinds(v *verdict, kind func(task string) string) {
	for _, e := range v.rows {
		if c.slot[e.machine].kind != kind(e.task) {
			v.breaks(model.CodeSlotKind, "%s on %s", e.task, e.machine)
		}
	}
}

// millionths is a number in millionths; nil: it is absent.
func millionths(v any) *big.Rat {
	if decimal(v) == nil {
		return nil
	}
	return rat(micros(v))
}

// timeOn is a time at speed 1, in microseconds, on a worker.
func (n *naiveNode) timeOn(base *big.Rat) int64 { return nearest(over(base, n.speed)) }

// statedTime is the time of a task at speed 1 in microseconds: its processing_time, else overhead + bytes/rate; nil if
// neither is stated.
func statedTime(task, job row, bytes *big.Rat, rate string) *big.Rat {
	if v, ok := task["processing_time"]; ok {
		return rat(micros(v))
	}
	overhead, perSecond := job["task_overhead"], decimal(job[rate])
	if overhead == nil && perSecond == nil || bytes.Sign() > 0 && perSecond == nil {
		return nil
	}
	sum := rat(micros(overhead))
	if bytes.Sign() > 0 {
		sum.Add(sum, new(big.Rat).Quo(new(big.Rat).Mul(bytes, rat(1_000_000)), perSecond))
	}
	return sum
}
