package spark

import (
	"cmp"
	"slices"
)

// maxRetries is how many attempts a stage may have for its partitions to be inferred. Spark gives up after four in a
// row.
const maxRetries = 100

// settlePartitions finds out which partitions the tasks of retried stages ran. Before 3.3, Spark does not state them.
// An attempt that runs all partitions has each at its own index. A later one runs those whose output is missing, in
// ascending order: they are known if they are as many as the attempt has tasks.
func (im *importer) settlePartitions() {
	im.retried = make([][]int32, len(im.stages))
	for k := range im.ends {
		if s := im.runs[im.ends[k].run].stage; len(im.stages[s].runs) > 1 {
			im.retried[s] = append(im.retried[s], int32(k))
		}
	}
	for s, ends := range im.retried {
		x := &im.stages[s]
		slices.SortFunc(x.runs, func(a, b int32) int { return cmp.Compare(im.runs[a].attempt, im.runs[b].attempt) })
		for _, k := range x.runs {
			im.settleRun(s, k, ends)
		}
	}
}

// settleRun does so for an attempt of a stage, of which these are the ends of tasks.
func (im *importer) settleRun(s int, run int32, ends []int32) {
	unstated := slices.DeleteFunc(slices.Clone(ends), func(k int32) bool {
		return im.ends[k].run != run || im.ends[k].partition != unknown
	})
	if len(unstated) == 0 {
		return
	}
	r, total := &im.runs[run], im.stages[s].tasks
	if r.size == total && total != unknown {
		for _, k := range unstated {
			im.ends[k].partition = im.ends[k].index
		}
		return
	}
	missing := im.missing(s, run, ends)
	if missing == nil {
		im.unplaced++
	}
	for _, k := range unstated {
		if e := &im.ends[k]; int(e.index) < len(missing) {
			e.partition = missing[e.index]
		}
	}
}

// missing are the partitions of a stage that had no output when an attempt was submitted, of which these are the ends
// of tasks; nil if they are not as many as the attempt has tasks, whether or not executors that go take their outputs
// with them.
func (im *importer) missing(s int, run int32, ends []int32) []int32 {
	r, total := &im.runs[run], im.stages[s].tasks
	if r.size == unknown || total > int64(len(im.ends)) || len(im.stages[s].runs) > maxRetries {
		return nil
	}
	for _, causes := range []int{causes, removed} {
		there := map[int32]bool{}
		for _, k := range ends {
			if e := &im.ends[k]; k < r.begun && e.success && e.partition != unknown && !im.lostOutput(k, r.begun, causes) {
				there[e.partition] = true
			}
		}
		if total-int64(len(there)) != r.size {
			continue
		}
		list := make([]int32, 0, r.size)
		for p := range int32(total) {
			if !there[p] {
				list = append(list, p)
			}
		}
		return list
	}
	return nil
}

// lostOutput says whether the output of an attempt was lost before this many ends of the log, for one of the first
// causes. What reduces return to the driver is not lost.
func (im *importer) lostOutput(k, before int32, causes int) bool {
	e := &im.ends[k]
	return im.runs[e.run].shuffles && slices.ContainsFunc(im.executors[e.executor].lost[:causes], func(lost []int32) bool {
		return slices.ContainsFunc(lost, func(at int32) bool { return k < at && at <= before })
	})
}

// dropReplaced leaves out tasks whose partition another attempt of their stage completed later.
func (im *importer) dropReplaced() {
	type task struct{ stage, partition int32 }
	last := map[task]int32{}
	for k := range im.ends {
		e := &im.ends[k]
		s := im.runs[e.run].stage
		if !e.chosen || e.partition == unknown || len(im.stages[s].runs) < 2 {
			continue
		}
		t := task{s, e.partition}
		if before, twice := last[t]; twice {
			im.ends[before].chosen = false
			im.repeated++
		}
		last[t] = int32(k)
	}
}
