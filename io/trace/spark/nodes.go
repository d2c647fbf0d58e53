package spark

import (
	"math"
	"strconv"
	"strings"

	"mrsched/io/trace"
	"mrsched/model"
)

// Names of the topology's rows.
const (
	root       = "spark"
	nodePrefix = "executor-"
	// otherNode begins the names of nodes that the log does not know, so that none is taken for the node where a task ran.
	otherNode = "node-"
)

// rackName is the name of a host as a rack; no other row of the topology has it.
func rackName(host string) string {
	if host == "" || host == root || strings.HasPrefix(host, nodePrefix) {
		return "host-" + host
	}
	return host
}

// enterNodes adds the executors, and returns how many tasks they run at once.
func (im *importer) enterNodes() (machines int64) {
	top := model.Locus{Pos: im.position(place{0, 1})}
	im.b.Node(model.Node{ID: root, Kind: model.RootNode}, "", top)
	if im.opt.Executors.Known {
		for k := range im.opt.Executors.Value {
			im.b.Node(im.node(otherNode+strconv.FormatInt(k+1, 10), im.opt.Cores.Value, im.memory), root, top)
		}
		return max(1, im.opt.Executors.Value*int64(float64(im.opt.Cores.Value)/im.taskCPUs))
	}
	ran := im.recordedOn()
	racks := map[string]bool{}
	for k := range im.executors {
		x := &im.executors[k]
		if !im.settleExecutor(x, ran[k]) {
			continue
		}
		rack := rackName(x.host)
		if !racks[rack] {
			racks[rack] = true
			im.b.Node(model.Node{ID: rack, Kind: model.RackNode}, root, top)
		}
		id := nodePrefix + im.names.IDs[k]
		im.b.Node(im.node(id, x.cores, im.memoryOf(int32(k))), rack, top)
		machines += int64(float64(x.cores) / im.cpusOf(x.profile))
		im.enterAbsences(id, x, top)
	}
	return max(1, machines)
}

func (im *importer) node(id string, cores int64, memory model.Optional[model.Bytes]) model.Node {
	return model.Node{ID: id, Kind: model.HostNode, CPU: model.Some(float64(cores)), MemoryBytes: memory}
}

// memoryOf is what an executor has: its profile's, else what the properties state. The driver that runs tasks itself
// has the driver's memory, whatever they state.
func (im *importer) memoryOf(k int32) model.Optional[model.Bytes] {
	x := &im.executors[k]
	if name := im.names.IDs[k]; name == "driver" || name == "<driver>" {
		return model.Optional[model.Bytes]{}
	}
	if p := im.profiles[x.profile]; x.profile > 0 && p != nil && p.memory > 0 {
		return model.Some(p.memory)
	}
	return im.memory
}

// cpusOf is how many cores a task of a profile takes.
func (im *importer) cpusOf(profile int64) float64 {
	if p := im.profiles[profile]; p != nil && p.cpus > 0 {
		return p.cpus
	}
	return im.taskCPUs
}

// recordedOn are the imported tasks by executor.
func (im *importer) recordedOn() [][]int32 {
	lists := make([][]int32, len(im.executors))
	for i := range im.ends {
		if e := &im.ends[i]; e.chosen {
			lists[e.executor] = append(lists[e.executor], int32(i))
		}
	}
	return lists
}

// settleExecutor decides cores and times of an executor on which these tasks ran. It is false for an executor that can
// run nothing: it was gone before time 0, or there is no sign that it ever ran a task.
func (im *importer) settleExecutor(x *executor, ran []int32) bool {
	busy := im.busiest(ran)
	switch {
	case x.cores == unknown && busy == 0:
		return false
	case x.cores == unknown:
		x.cores = int64(math.Ceil(busy))
		im.count[peaks]++
	case busy > float64(x.cores):
		im.count[crowded]++
	}
	if !x.stated {
		return true
	}
	from, until := x.from, x.until
	for _, k := range ran {
		e := &im.ends[k]
		x.from = min(x.from, e.launch)
		if x.until != unknown {
			x.until = max(x.until, e.recordedEnd())
		}
	}
	if x.from != from || x.until != until {
		im.count[widened]++
	}
	if x.until != unknown && x.until <= im.origin.Zero && len(ran) == 0 {
		im.count[gone]++
		return false
	}
	return true
}

// busiest is the largest number of cores that tasks took at once.
func (im *importer) busiest(ran []int32) float64 {
	var busy trace.Usage
	for _, k := range ran {
		e := &im.ends[k]
		cpus := im.cpusOf(im.stages[im.runs[e.run].stage].profile)
		busy.Add(e.launch, e.recordedEnd(), int64(math.Round(cpus*float64(model.UnitAmount))))
	}
	most := float64(busy.Peak()) / float64(model.UnitAmount)
	if most == 0 && len(ran) > 0 {
		most = im.taskCPUs
	}
	return most
}

// enterAbsences adds when an executor was not there.
func (im *importer) enterAbsences(id string, x *executor, at model.Locus) {
	if from := im.origin.Time(x.from); x.stated && from > 0 {
		im.b.Unavailable(model.Unavailable{Until: model.Some(from)}, id, at)
	}
	if x.stated && x.until != unknown {
		im.b.Unavailable(model.Unavailable{From: im.origin.Time(x.until)}, id, at)
	}
}
