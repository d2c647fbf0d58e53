package realtime

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mrsched/model"
)

// maxTasks bounds the maps of an instance and the partitions of all its sets.
const maxTasks = 200_000_000

// rows are a job's rows of the tables, as ranges of sorted lists.
type rows struct {
	maps, reduces []model.TaskIndex
	parts         []int32 // rows of partitions
	keys          []model.KeyData
}

// jobs reads what belongs to jobs and numbers their tasks.
func (in *Instance) jobs(w *model.Workload, o Options, found *model.Findings) {
	n := len(w.Jobs)
	in.Release, in.Reducers, in.Class = make([]model.Time, n), make([]int32, n), make([]string, n)
	in.FirstMap, in.FirstSet = make([]int32, n+1), make([]int32, n+1)
	in.names.job, in.names.task, in.names.part = make(map[string]int32, n), map[string]int32{}, make([][]string, n)
	of := gather(w)
	for j := range w.Jobs {
		in.names.job[w.Jobs[j].ID] = int32(j)
		if in.Class[j] = w.Jobs[j].Class; in.Goal == Deadlines {
			in.Release[j] = w.Jobs[j].Release
		}
		for _, u := range of[j].maps {
			in.addMap(w, int32(j), u, found)
		}
		in.FirstMap[j+1] = int32(in.Maps)
	}
	hashes := NewHashes(SketchRows(cmp.Or(o.Delta, 0.5)), uint64(o.SketchSeed))
	for j := range w.Jobs {
		in.reducers(w, int32(j), &of[j], found)
		in.partitions(w, o, int32(j), &of[j], hashes, found)
		in.FirstSet[j+1] = int32(len(in.Sets))
	}
	for t := range int32(in.Tasks) {
		if in.listed[t] == model.None && in.names.part[in.jobOf[t]] == nil {
			continue // generated names differ
		}
		if id := in.id(t); in.isGenerated(id) {
			found.Add(in.sameName(w, t, id))
		}
	}
}

func (in *Instance) isGenerated(id string) bool { _, ok := in.generated(id); return ok }

// name enters a name that the workload states.
func (in *Instance) name(w *model.Workload, id string, task int32, found *model.Findings) {
	if _, taken := in.names.task[id]; taken {
		found.Add(in.sameName(w, task, id))
		return
	}
	in.names.task[id] = task
}

func (in *Instance) sameName(w *model.Workload, task int32, id string) model.Finding {
	return model.Finding{Code: model.CodeDuplicate, Pos: in.where(w, task),
		What: fmt.Sprintf("%q is what two tasks or partitions are called", id), Expected: "unique names",
		Hint: "a partition is called job/partition"}
}

// gather sorts the rows of all tables by job.
func gather(w *model.Workload) []rows {
	of := make([]rows, len(w.Jobs))
	for u := range w.Tasks {
		r := &of[w.Tasks[u].Job]
		if w.Tasks[u].Kind == model.Map {
			r.maps = append(r.maps, model.TaskIndex(u))
		} else {
			r.reduces = append(r.reduces, model.TaskIndex(u))
		}
	}
	for i := range w.Parts {
		r := &of[w.Parts[i].Job]
		r.parts = append(r.parts, int32(i))
	}
	for first := 0; first < len(w.Keys); { // rows of one job that are together are not copied
		j, end := w.Keys[first].Job, first+1
		for end < len(w.Keys) && w.Keys[end].Job == j {
			end++
		}
		if of[j].keys == nil {
			of[j].keys = w.Keys[first:end:end]
		} else {
			of[j].keys = append(of[j].keys, w.Keys[first:end]...)
		}
		first = end
	}
	return of
}

// add adds a task of a job.
func (in *Instance) add(job int32, bytes model.Bytes, base float64, listed model.TaskIndex) {
	in.Bytes, in.base, in.jobOf, in.listed = append(in.Bytes, bytes), append(in.base, base), append(in.jobOf, job),
		append(in.listed, listed)
	in.Tasks++
}

// addMap adds a map of the table tasks.
func (in *Instance) addMap(w *model.Workload, job int32, u model.TaskIndex, found *model.Findings) {
	t := &w.Tasks[u]
	in.TaskRelease = append(in.TaskRelease, max(in.Release[job], t.Release.Or(0)))
	in.Shuffle = append(in.Shuffle, t.ShuffleDelay)
	in.add(job, t.InputBytes.Or(0), listedBase(&w.Jobs[job], t), u)
	in.name(w, t.ID, int32(in.Maps), found)
	in.Maps++
}

// listedBase is the base time of a row of the table tasks; negative if nothing states it.
func listedBase(j *model.Job, t *model.Task) float64 {
	rate := j.MapRate
	if t.Kind == model.Reduce {
		rate = j.ReduceRate
	}
	if t.Processing.Known {
		return float64(t.Processing.Value)
	}
	return baseTime(j, t.InputBytes, rate)
}

// baseTime is o + bytes/rate in microseconds; negative if neither is stated, or bytes are stated without a rate.
func baseTime(j *model.Job, bytes model.Optional[model.Bytes], rate model.Optional[float64]) float64 {
	if !j.TaskOverhead.Known && !rate.Known || bytes.Or(0) > 0 && !rate.Known {
		return unknownTime
	}
	if bytes.Or(0) == 0 {
		return float64(j.TaskOverhead.Or(0))
	}
	return float64(j.TaskOverhead.Or(0)) + float64(bytes.Value)*float64(model.Second)/rate.Value
}

// unknownTime is the base time of a task whose times only the table times can state.
const unknownTime = -1

// reducers is R: the job's own number, else the number of its listed reduces.
func (in *Instance) reducers(w *model.Workload, j int32, r *rows, found *model.Findings) {
	job := &w.Jobs[j]
	n := job.Reduces.Or(int64(len(r.reduces)))
	what := ""
	switch {
	case len(r.reduces) > 0 && n != int64(len(r.reduces)):
		what = fmt.Sprintf("reduces %d and %s", n, model.Counted(len(r.reduces), "reduce task"))
	case len(r.reduces) > 0 && (len(r.parts) > 0 || len(r.keys) > 0):
		what = "reduce tasks, and partitions or keys"
	case len(r.parts) > 0 && len(r.keys) > 0:
		what = "partitions and keys"
	case n == 0 && (len(r.parts) > 0 || len(r.keys) > 0):
		what = "partitions or keys, and no reduces"
	case n > maxTasks:
		what = fmt.Sprintf("%d reduces", n)
	}
	if what != "" {
		found.Add(model.Finding{Code: model.CodeJobData, Pos: w.Where(model.TableJobs, int(j)),
			What:     fmt.Sprintf("job %q has %s", job.ID, what),
			Expected: "the number of reducers in reduces, and their data in one way: as reduce tasks, partitions or keys"})
		n = 0
	}
	in.Reducers[j] = int32(n)
}

// partitions makes the sets of a job.
func (in *Instance) partitions(w *model.Workload, o Options, j int32, r *rows, hashes []Hash, found *model.Findings) {
	job := &w.Jobs[j]
	switch {
	case len(r.keys) > 0:
		in.hashed(w, o, j, r.keys, hashes, found)
	case len(r.parts) > 0:
		ids, sizes := in.stated(w, j, r.parts, found)
		in.names.part[j] = ids
		first := in.Tasks
		in.addSet(w, j, 0, sizes, found)
		for k, id := range ids[:in.Tasks-first] {
			in.name(w, job.ID+"/"+id, int32(first+k), found)
		}
		in.sums(w, j, found)
	case len(r.reduces) > 0:
		in.Sets = append(in.Sets, Set{j, 0, int32(in.Tasks), int32(len(r.reduces))})
		for _, u := range r.reduces {
			t := &w.Tasks[u]
			in.add(j, t.InputBytes.Or(0), listedBase(job, t), u)
			in.name(w, t.ID, int32(in.Tasks-1), found)
		}
		in.sums(w, j, found)
	default:
		if in.Reducers[j] > 0 {
			in.Take("jobs.intermediate_bytes")
		}
		in.addSet(w, j, 0, evenly(int64(job.IntermediateBytes.Or(0)), int(in.Reducers[j])), found)
	}
}

// addSet makes the reduces of a set, whose sizes are in bytes.
func (in *Instance) addSet(w *model.Workload, j, row int32, sizes []int64, found *model.Findings) {
	if len(sizes) > maxTasks-in.Tasks {
		found.Add(tooMany(w, j))
		sizes = nil
	}
	in.Sets = append(in.Sets, Set{j, row, int32(in.Tasks), int32(len(sizes))})
	for _, v := range sizes {
		in.add(j, model.Bytes(v), baseTime(&w.Jobs[j], model.Some(model.Bytes(v)), w.Jobs[j].ReduceRate), model.None)
	}
}

// hashed makes the sets of a job with keys: one by Hadoop's hash and, if o.Delta is positive, one for each row of the
// sketch.
func (in *Instance) hashed(w *model.Workload, o Options, j int32, keys []model.KeyData, hashes []Hash,
	found *model.Findings) {
	p := in.hashedInto(&w.Jobs[j], j, o)
	sets := int64(1)
	if o.Delta > 0 {
		sets += int64(len(hashes))
	}
	if p > int64(maxTasks-in.Tasks)/sets {
		found.Add(tooMany(w, j))
		p = 0
	}
	if !in.fits(w, j, keys, found) {
		p = 0
	}
	plain := make([]int64, p)
	for i := range keys {
		if p > 0 {
			plain[HadoopPartition(keys[i].Key, int(p))] += int64(keys[i].Bytes)
		}
	}
	in.addSet(w, j, 0, plain, found)
	if o.Delta > 0 && p > 0 {
		for k, row := range sketch(keys, hashes, int(p)) {
			in.addSet(w, j, int32(k)+1, row, found)
		}
	}
}

// hashedInto is the number of partitions into which a job's keys are hashed.
func (in *Instance) hashedInto(job *model.Job, j int32, o Options) int64 {
	if o.Partitions > 0 {
		return o.Partitions
	}
	in.Take("jobs.partitions")
	return job.Partitions.Or(int64(in.Reducers[j]))
}

func tooMany(w *model.Workload, j int32) model.Finding {
	return model.Finding{Code: model.CodeOverflow, Pos: w.Where(model.TableJobs, int(j)),
		What:     fmt.Sprintf("up to job %q there are more than %d maps and partitions", w.Jobs[j].ID, maxTasks),
		Expected: "fewer"}
}

// sums requires that the data of the last set, that of job j, can be added up.
func (in *Instance) sums(w *model.Workload, j int32, found *model.Findings) {
	s, sum := in.Sets[len(in.Sets)-1], model.Bytes(0)
	for _, v := range in.Bytes[s.First : s.First+s.Count] {
		if sum > math.MaxInt64-v {
			found.Add(overflow(w, model.TableJobs, int(j), fmt.Sprintf("the partitions of job %q", w.Jobs[j].ID)))
			return
		}
		sum += v
	}
}

// evenly divides bytes among partitions, the first ones get one more.
func evenly(bytes int64, parts int) []int64 {
	sizes := make([]int64, parts)
	for k := range sizes {
		sizes[k] = bytes / int64(parts)
		if int64(k) < bytes%int64(parts) {
			sizes[k]++
		}
	}
	return sizes
}

// stated sums the rows of a job's partitions, in the order in which they appear.
func (in *Instance) stated(w *model.Workload, j int32, list []int32, found *model.Findings) (ids []string,
	sizes []int64) {
	at := map[string]int{}
	for _, i := range list {
		p := &w.Parts[i]
		k, ok := at[p.Partition]
		if !ok {
			k = len(ids)
			at[p.Partition] = k
			ids, sizes = append(ids, p.Partition), append(sizes, 0)
		}
		if sizes[k] > math.MaxInt64-int64(p.Bytes) {
			found.Add(overflow(w, model.TablePartitions, int(i), fmt.Sprintf("partition %q of job %q", p.Partition,
				w.Jobs[j].ID)))
			continue
		}
		sizes[k] += int64(p.Bytes)
	}
	return ids, sizes
}

// fits requires that the data of all keys can be added up.
func (in *Instance) fits(w *model.Workload, j int32, keys []model.KeyData, found *model.Findings) bool {
	sum := int64(0)
	for i := range keys {
		if sum > math.MaxInt64-int64(keys[i].Bytes) {
			found.Add(overflow(w, model.TableJobs, int(j), fmt.Sprintf("the keys of job %q", w.Jobs[j].ID)))
			return false
		}
		sum += int64(keys[i].Bytes)
	}
	return true
}

func overflow(w *model.Workload, table model.Table, row int, what string) model.Finding {
	return model.Finding{Code: model.CodeOverflow, Pos: w.Where(table, row),
		What: what + " add up to more than 2^63 bytes", Expected: "fewer"}
}

// checkSlots requires slots for all tasks that have to run.
func (in *Instance) checkSlots(w *model.Workload, found *model.Findings) {
	partitions := in.Tasks > in.Maps
	if in.Goal == Partitions && !partitions {
		found.Add(model.Finding{Code: model.CodeEmpty, What: "no job has partitions", Expected: "partitions, keys or reduces",
			Hint: "or deadlines and --goal deadlines"})
	}
	if in.Goal == Deadlines && in.Maps > 0 && len(in.MapSlots) == 0 {
		found.Add(model.FewSlots(w, model.Map, model.NoSlot(model.Map, in.id(0))))
	}
	if partitions && len(in.ReduceSlots) == 0 {
		found.Add(model.FewSlots(w, model.Reduce, model.NoSlot(model.Reduce, in.id(int32(in.Maps)))))
	}
}

// KindOf is the kind of slot that a task needs.
func (in *Instance) KindOf(task int32) model.TaskKind {
	if in.IsMap(task) {
		return model.Map
	}
	return model.Reduce
}

// mostOf is the largest of a list; 0 if it is empty.
func mostOf[T cmp.Ordered](list []T) (most T) {
	if len(list) > 0 {
		most = slices.Max(list)
	}
	return most
}
