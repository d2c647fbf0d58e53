package campaign

import (
	"fmt"
	"math/big"

	"mrsched/model"
)

// naiveTenants is a workload as problem multitenant: users who share racks with narrow links.
type naiveTenants struct {
	*naiveWorkers
	list []*tenantTask
	byID map[string]*tenantTask
	job  []*tenantJob
}

type tenantTask struct {
	naiveTask
	of            *tenantJob
	base          *big.Rat // what it computes at speed 1, in microseconds
	release       int64
	input, output int64        // bytes, of maps; of a reduce, what it writes
	stated        any          // its output_bytes
	replicas      []*naiveNode // with slots
	number        int          // of the task
	cpu, memory   *big.Rat     // nil: it needs none; millionths of cores, bytes
}

type tenantJob struct {
	cells         row
	maps, reduces []*tenantTask
	volume        int64 // what its reduces fetch
}

func newNaiveTenants(d *document) *naiveTenants {
	x := &naiveTenants{naiveWorkers: d.workers(), byID: map[string]*tenantTask{}}
	_, tasks := d.jobsOf()
	for j, cells := range d.Jobs {
		job := &tenantJob{cells: cells}
		x.job = append(x.job, job)
		for _, u := range tasks[j] {
			if t := d.Tasks[u]; t["kind"] == "map" {
				job.maps = append(job.maps, x.add(job, t, text(t["id"]), "map"))
			}
		}
	}
	for j, job := range x.job {
		for _, u := range tasks[j] {
			if t := d.Tasks[u]; t["kind"] == "reduce" {
				job.reduces = append(job.reduces, x.add(job, t, text(t["id"]), "reduce"))
			}
		}
		for k := len(job.reduces); k < int(whole(job.cells["reduces"])); k++ {
			job.reduces = append(job.reduces, x.add(job, nil, fmt.Sprintf("%s.r%d", text(job.cells["id"]), k+1), "reduce"))
		}
		job.shuffle()
		bytes := job.volume
		if len(job.maps) == 0 {
			bytes = whole(job.cells["intermediate_bytes"])
		}
		for _, t := range job.reduces {
			if t.base == nil {
				t.base = job.time(nil, bytes/int64(len(job.reduces)), "reduce_bytes_per_s")
			}
		}
	}
	return x
}

// add adds a task; cells is nil for a reduce without a row.
func (x *naiveTenants) add(job *tenantJob, cells row, id, kind string) *tenantTask {
	t := &tenantTask{naiveTask: naiveTask{id, text(job.cells["id"]), kind}, of: job, input: whole(cells["input_bytes"]),
		release: max(micros(job.cells["release"]), micros(cells["release"])),
		cpu:     millionths(cells["cpu"]), memory: decimal(cells["memory_bytes"])}
	if kind == "map" || cells["processing_time"] != nil {
		t.base = job.time(cells, t.input, "map_bytes_per_s")
	}
	t.number, t.stated = len(x.list), cells["output_bytes"]
	if kind == "reduce" && len(x.racks()) > 1 {
		t.output = whole(t.stated)
	}
	for _, p := range x.doc.Places {
		if n := x.nodes[text(p["node"])]; n != nil && p["block"] == cells["block"] && kind == "map" {
			t.replicas = append(t.replicas, n)
		}
	}
	x.all, x.list, x.byID[id] = append(x.all, t.naiveTask), append(x.list, t), t
	return t
}

// time is the computing time of a task at speed 1; bytes take no time where no rate is stated.
func (j *tenantJob) time(cells row, bytes int64, rate string) *big.Rat {
	if j.cells[rate] == nil {
		bytes = 0
	}
	return statedTime(cells, j.cells, rat(bytes), rate)
}

// shuffle computes the output of each map for the reduces.
func (j *tenantJob) shuffle() {
	read, known := int64(0), true
	for _, t := range j.maps {
		read += t.input
	}
	for _, t := range j.maps {
		known = known && t.stated != nil
	}
	if len(j.reduces) == 0 {
		return
	}
	all := decimal(j.cells["intermediate_bytes"])
	if ratio := decimal(j.cells["shuffle_ratio"]); all == nil && ratio != nil {
		all = rat(nearest(ratio.Mul(ratio, rat(read))))
	}
	if all == nil {
		all = new(big.Rat)
	}
	done := int64(0)
	for k, t := range j.maps {
		before, after := big.NewRat(int64(k), int64(len(j.maps))), big.NewRat(int64(k+1), int64(len(j.maps)))
		if read > 0 {
			before, after = big.NewRat(done, read), big.NewRat(done+t.input, read)
			done += t.input
		}
		t.output = floor(after.Mul(after, all)) - floor(before.Mul(before, all))
		if known {
			t.output = whole(t.stated)
		}
		j.volume += t.output
	}
}

// locality is how near a map runs to its block; a map without a block is node-local everywhere.
func (t *tenantTask) locality(n *naiveNode) string {
	near := "remote"
	if len(t.replicas) == 0 {
		return "node"
	}
	for _, r := range t.replicas {
		if r == n {
			return "node"
		}
		if r.rack == n.rack {
			near = "rack"
		}
	}
	return near
}

// source is the node from which a map reads when its own node has no replica.
func (t *tenantTask) source(n *naiveNode) *naiveNode {
	for _, r := range t.replicas {
		if r.rack == n.rack {
			return r
		}
	}
	return t.replicas[t.number%len(t.replicas)]
}

func (x *naiveTenants) columns(e *entry) []string {
	t, n := x.byID[e.task], x.slot[e.machine].node
	if t.kind == "reduce" {
		return []string{n.rack, "", ""}
	}
	near, across := t.locality(n), int64(0)
	if near == "remote" {
		across = t.input
	}
	return []string{n.rack, near, fmt.Sprint(across)}
}

func (x *naiveTenants) takes(e *entry) int64 {
	t, n := x.byID[e.task], x.slot[e.machine].node
	if t.kind == "reduce" {
		return e.until - e.from
	}
	return x.reading(t, n) + n.timeOn(t.base)
}

func (x *naiveTenants) check(v *verdict) {
	v.once(x.tasks())
	v.apart()
	x.kinds(v, func(task string) string { return x.byID[task].kind })
	mapsEnd := map[*tenantJob]int64{}
	for _, e := range v.rows {
		if t := x.byID[e.task]; t.kind == "map" {
			mapsEnd[t.of] = max(mapsEnd[t.of], e.until)
		}
	}
	for _, e := range v.rows {
		t, n := x.byID[e.task], x.slot[e.machine].node
		length, compute, arrival := e.until-e.from, n.timeOn(t.base), micros(t.of.cells["release"])
		if e.from < t.release {
			v.breaks(model.CodeBeforeRelease, "%s starts at %d, before %d", e.task, e.from, t.release)
		}
		switch {
		case t.kind == "reduce" && e.until-compute-x.writing(t, n) < max(e.from, mapsEnd[t.of], arrival):
			v.breaks(model.CodePrecedence, "%s ends %d, too early for computing %d", e.task, e.until, compute)
		case t.kind == "map" && t.locality(n) == "node" && length != compute:
			v.breaks(model.CodeDuration, "%s takes %d, not %d", e.task, length, compute)
		case t.kind == "map" && length < compute+x.reading(t, n):
			v.breaks(model.CodeDuration, "%s takes %d, reads %d, computes %d", e.task, length, x.reading(t, n), compute)
		}
	}
	x.links(v)
	x.capacity(v)
}

// capacity demands that the tasks on a node never need more memory and cores together than it has, nor one task alone.
func (x *naiveTenants) capacity(v *verdict) {
	for _, at := range v.rows {
		n := x.slot[at.machine].node
		judge := func(code model.Code, has *big.Rat, needs func(t *tenantTask) *big.Rat) {
			sum, own := new(big.Rat), needs(x.byID[at.task]) // at the moment when the row starts
			for _, e := range v.rows {
				need := needs(x.byID[e.task])
				if need != nil && x.slot[e.machine].node == n && e.from <= at.from && at.from < e.until {
					sum.Add(sum, need)
				}
			}
			if has != nil && (sum.Cmp(has) > 0 || own != nil && own.Cmp(has) > 0) {
				v.breaks(code, "%s needs %s at %d", n.id, sum.RatString(), at.from)
			}
		}
		judge(model.CodeMemory, n.memory, func(t *tenantTask) *big.Rat { return t.memory })
		judge(model.CodeCores, n.cpu, func(t *tenantTask) *big.Rat { return t.cpu })
	}
}

func (x *naiveTenants) objective(rows []entry) *big.Rat { return makespan(rows) }
