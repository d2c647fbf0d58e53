package campaign

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// naiveRealtime is a workload as problem realtime: jobs with deadlines and skewed data on unequal workers.
type naiveRealtime struct {
	*naiveWorkers
	partitions bool   // the goal
	piece      *int64 // what a further piece of a partition costs; nil: partitions have one
	list       []*timedTask
	byID       map[string]*timedTask
	job        []*timedJob
}

type timedTask struct {
	naiveTask
	of             *timedJob
	set            int // of partitions: 0, or the row of the sketch
	bytes          int64
	base           *big.Rat         // at speed 1, in microseconds; nil: nothing says it
	given          map[string]int64 // by worker
	release, delay int64
}

type timedJob struct {
	cells                 row
	release, due, reduces int64
	hasDue                bool
}

// newNaiveRealtime reads a workload. sketched returns the sizes of the partitions in a row of a job's sketch, whose
// hash functions docs/formats.md does not define.
func newNaiveRealtime(d *document, p solver.Params, sketched func(job, row int) []int64) *naiveRealtime {
	x := &naiveRealtime{naiveWorkers: d.workers(), byID: map[string]*timedTask{}}
	if text, _ := p["resplit-cost"].(string); text != "" {
		c := micros(number(text))
		x.piece = &c
	}
	factor, _ := p["deadline-factor"].(float64)
	dues := factor > 0
	for _, cells := range d.Jobs {
		dues = dues || cells["deadline"] != nil
		x.job = append(x.job, &timedJob{cells: cells, release: micros(cells["release"]), reduces: whole(cells["reduces"])})
	}
	x.partitions = p["goal"] == "partitions" || p["goal"] == "auto" && !dues
	_, tasks := d.jobsOf()
	for j, job := range x.job {
		for _, u := range tasks[j] {
			if t := d.Tasks[u]; t["kind"] == "map" {
				x.listed(job, t, "map_bytes_per_s")
			}
		}
	}
	asked, _ := p["partitions"].(int64)
	delta, _ := p["sketch-delta"].(float64)
	for j, job := range x.job {
		x.reduces(j, tasks[j], asked)
		for k := 1; delta > 0 && job.keyed(d); k++ {
			sizes := sketched(j, k)
			if sizes == nil {
				break
			}
			for i, bytes := range sizes {
				x.add(job, k, fmt.Sprintf("h%d.p%d", k, i+1), bytes)
			}
		}
		x.deadline(job, factor)
	}
	x.times()
	return x
}

// keyed says whether the table keys describes the job's data.
func (j *timedJob) keyed(d *document) bool {
	return slices.ContainsFunc(d.Keys, func(k row) bool { return k["job"] == j.cells["id"] })
}

func (x *naiveRealtime) enter(t *timedTask) {
	t.given = map[string]int64{}
	x.all, x.list, x.byID[t.id] = append(x.all, t.naiveTask), append(x.list, t), t
}

func (x *naiveRealtime) listed(job *timedJob, t row, rate string) {
	bytes := whole(t["input_bytes"])
	x.enter(&timedTask{naiveTask: naiveTask{text(t["id"]), text(t["job"]), text(t["kind"])}, of: job, bytes: bytes,
		base: statedTime(t, job.cells, rat(bytes), rate), release: max(job.release, micros(t["release"])),
		delay: micros(t["shuffle_delay"])})
}

func (x *naiveRealtime) add(job *timedJob, set int, name string, bytes int64) {
	id := text(job.cells["id"])
	x.enter(&timedTask{naiveTask: naiveTask{id + "/" + name, id, "reduce"}, of: job, set: set, bytes: bytes,
		base: statedTime(nil, job.cells, rat(bytes), "reduce_bytes_per_s"), release: job.release})
}

// reduces adds the partitions of a job that no sketch makes.
func (x *naiveRealtime) reduces(j int, tasks []int, asked int64) {
	job, d := x.job[j], x.doc
	id := job.cells["id"]
	var names []string
	sizes := map[string]int64{}
	for _, r := range d.Parts {
		if name := text(r["partition"]); r["job"] == id {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			sizes[name] += whole(r["bytes"])
		}
	}
	for _, name := range names {
		x.add(job, 0, name, sizes[name])
	}
	count := int64(0) // of listed reduces
	for _, u := range tasks {
		if t := d.Tasks[u]; t["kind"] == "reduce" {
			count++
			x.listed(job, t, "reduce_bytes_per_s")
		}
	}
	switch {
	case len(names) > 0:
	case count > 0:
		job.reduces = count
	case job.keyed(d):
		n := cmp.Or(asked, whole(job.cells["partitions"]), job.reduces)
		parts := make([]int64, n)
		for _, k := range d.Keys {
			if k["job"] == id {
				parts[hadoop(text(k["key"]))%n] += whole(k["bytes"])
			}
		}
		for i, bytes := range parts {
			x.add(job, 0, fmt.Sprintf("p%d", i+1), bytes)
		}
	default: // even parts, of which the first have a byte more
		all := whole(job.cells["intermediate_bytes"])
		for i := range job.reduces {
			x.add(job, 0, fmt.Sprintf("p%d", i+1), (all+job.reduces-1-i)/job.reduces)
		}
	}
}

// hadoop is Hadoop's hash of a text.
func hadoop(key string) int64 {
	h := int32(1)
	for _, b := range []byte(key) {
		h = 31*h + int32(int8(b))
	}
	return int64(h & 0x7fffffff)
}

// deadline sets a job's due date.
func (x *naiveRealtime) deadline(job *timedJob, factor float64) {
	if v, ok := job.cells["deadline"]; ok {
		job.due, job.hasDue = job.release+micros(v), true
		return
	}
	if factor == 0 {
		return
	}
	longest := map[string]*big.Rat{"map": rat(0), "reduce": rat(0)}
	for _, t := range x.list {
		if t.of == job && t.set == 0 && t.base != nil && t.base.Cmp(longest[t.kind]) > 0 {
			longest[t.kind] = t.base
		}
	}
	path := new(big.Rat).Add(longest["map"], longest["reduce"])
	times, _ := new(big.Rat).SetString(fmt.Sprint(factor))
	job.due, job.hasDue = job.release+nearest(path.Mul(path, times)), true
}

// times reads what the table times says.
func (x *naiveRealtime) times() {
	for _, r := range x.doc.Times {
		job, name := text(r["job"]), text(r["task"])
		for _, id := range []string{name, job + "/" + name} {
			if t := x.byID[id]; t != nil && t.job == job {
				t.given[text(r["worker"])] = micros(r["seconds"])
				break
			}
		}
	}
}

// takes is the duration of a task on a worker.
func (t *timedTask) takes(n *naiveNode) int64 {
	if p, ok := t.given[n.id]; ok {
		return p
	}
	return n.timeOn(t.base)
}

func (x *naiveRealtime) columns(e *entry) []string {
	t := x.byID[e.task]
	due := ""
	if t.of.hasDue && !x.partitions {
		due = inSeconds(t.of.due)
	}
	return []string{fmt.Sprint(t.bytes), due}
}

func (x *naiveRealtime) takes(e *entry) int64 { return x.byID[e.task].takes(x.slot[e.machine].node) }

func (x *naiveRealtime) check(v *verdict) {
	x.kinds(v, func(task string) string { return x.byID[task].kind })
	v.apart()
	for _, job := range x.job {
		x.checkJob(v, job)
	}
	ready := int64(0) // with goal partitions, when the next phase may begin
	for _, job := range x.job {
		last := ready
		for _, e := range v.rows {
			t := x.byID[e.task]
			if t.of != job {
				continue
			}
			if x.partitions && e.from < ready {
				v.breaks(model.CodePrecedence, "%s starts at %d, before the phase of an earlier job ends", e.task, e.from)
			}
			last = max(last, e.until)
		}
		ready = last
	}
}

// checkJob checks the rows of one job.
func (x *naiveRealtime) checkJob(v *verdict, job *timedJob) {
	ready, sets, slots := job.release, map[int]bool{}, map[string]bool{}
	pieces := map[string][]entry{}
	for _, e := range v.rows {
		t := x.byID[e.task]
		if t.of != job {
			continue
		}
		pieces[e.task] = append(pieces[e.task], e)
		if t.kind == "map" {
			ready = max(ready, e.until+t.delay)
			continue
		}
		sets[t.set], slots[e.machine] = true, true
	}
	if len(sets) > 1 {
		v.breaks(model.CodePartitioner, "%s uses partitions of %d partitioners", text(job.cells["id"]), len(sets))
	}
	if int64(len(slots)) > job.reduces {
		v.breaks(model.CodeReducers, "%s is on %d slots", text(job.cells["id"]), len(slots))
	}
	for _, t := range x.list {
		if t.of != job || t.kind == "map" && x.partitions {
			continue
		}
		rows := pieces[t.id]
		switch {
		case len(rows) == 0 && (t.kind == "map" || sets[t.set] || len(sets) == 0 && t.set == 0):
			v.breaks(model.CodeTaskMissing, "%s has no row", t.id)
		case len(rows) > 1 && (x.piece == nil || t.kind == "map"):
			v.breaks(model.CodeTaskTwice, "%s has %d rows", t.id, len(rows))
		case len(rows) > 1:
			x.wholly(v, t, rows)
		}
		for _, e := range rows {
			if t.kind == "reduce" && e.from < ready && !x.partitions {
				v.breaks(model.CodePrecedence, "%s starts at %d, before its job or the maps' output is there", t.id, e.from)
			}
			if e.from < t.release && !x.partitions && (t.kind == "map" || t.release > job.release) {
				v.breaks(model.CodeBeforeRelease, "%s starts at %d, before %d", t.id, e.from, t.release)
			}
			if p := t.takes(x.slot[e.machine].node); (len(rows) == 1 || x.piece == nil) && e.until-e.from != p {
				v.breaks(model.CodeDuration, "%s takes %d, not %d", t.id, e.until-e.from, p)
			}
		}
	}
	if x.partitions {
		for id := range pieces {
			if x.byID[id].kind == "map" {
				v.breaks(model.CodeTaskUnknown, "%s is a map", id)
			}
		}
	}
}

// wholly requires that the pieces of a partition, of which all but the first cost extra time, make up all of it, up to
// rounding: if each were a microsecond shorter, they would be less than all.
func (x *naiveRealtime) wholly(v *verdict, t *timedTask, rows []entry) {
	slices.SortStableFunc(rows, func(a, b entry) int { return cmp.Compare(a.from, b.from) })
	share, less := new(big.Rat), new(big.Rat)
	for k, e := range rows {
		length, p := e.until-e.from, t.takes(x.slot[e.machine].node)
		if k > 0 {
			length -= *x.piece
		}
		if length < 0 || p == 0 {
			v.breaks(model.CodePieces, "a piece of %s does nothing", t.id)
			return
		}
		share.Add(share, big.NewRat(length, p))
		less.Add(less, big.NewRat(length-1, p))
	}
	if share.Cmp(rat(1)) < 0 || less.Cmp(rat(1)) >= 0 {
		v.breaks(model.CodePieces, "the pieces of %s are %s of it", t.id, share.FloatString(9))
	}
}

func (x *naiveRealtime) objective(rows []entry) *big.Rat {
	if x.partitions {
		return makespan(rows)
	}
	missed, end := int64(0), map[*timedJob]int64{}
	for _, e := range rows {
		job := x.byID[e.task].of
		end[job] = max(end[job], e.until)
	}
	for _, job := range x.job {
		if job.hasDue && max(end[job], job.release) > job.due {
			missed++
		}
	}
	return rat(missed)
}
