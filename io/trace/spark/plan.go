package spark

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"mrsched/model"
)

// plan holds the decisions about a job.
type plan struct {
	name  string
	runs  []int32 // with tasks, by stage and attempt
	place int32   // in importer.order, or None
	// submitted is when the job came; last the recorded end of its last task; over when the job was over, never
	// earlier.
	submitted, last, over int64
	edges                 [][2]int32 // pairs of its runs, of which the second waits for the first
	after                 []int32    // jobs whose data it reads
}

// chooseTasks picks the last success of every task, and of retried stages that of every partition.
func (im *importer) chooseTasks() {
	order := make([]int32, len(im.ends))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		x, y := &im.ends[a], &im.ends[b]
		return cmp.Or(cmp.Compare(x.run, y.run), cmp.Compare(x.index, y.index))
	})
	type task struct{ run, index int32 }
	done := task{run: model.None}
	for _, k := range slices.Backward(order) {
		e := &im.ends[k]
		switch this := (task{e.run, e.index}); {
		case !e.success:
			im.count[failed]++
		case this == done:
			im.count[repeated]++
		default:
			e.chosen, done = true, this
			im.runs[e.run].success++
		}
	}
	im.dropReplaced()
	for _, k := range order {
		e := &im.ends[k]
		if !e.chosen {
			continue
		}
		r := &im.runs[e.run]
		if len(r.tasks) == 0 {
			r.first, r.last, r.on = e.launch, e.recordedEnd(), e.executor
		}
		if e.recordedEnd() > r.last {
			r.last, r.on = e.recordedEnd(), e.executor
		}
		r.first = min(r.first, e.launch)
		r.tasks = append(r.tasks, k)
	}
}

// settleJobs finds the runs and times of all jobs. A stage that no job lists becomes a job of its own.
func (im *importer) settleJobs() {
	for i := range im.runs {
		r := &im.runs[i]
		s := &im.stages[r.stage]
		if len(s.jobs) == 0 {
			s.jobs = append(s.jobs, int32(len(im.jobs)))
			im.jobs = append(im.jobs, job{id: unknown, stage: s.id, submitted: r.submitted, done: unknown,
				over: math.MaxInt32, stages: []int32{r.stage}, class: s.name, sql: unknown, at: r.at})
			im.count[orphans]++
		}
		if r.job == model.None {
			r.job = s.jobs[0]
		}
	}
	im.plans = make([]plan, len(im.jobs))
	for i := range im.runs {
		if r := &im.runs[i]; len(r.tasks) > 0 {
			im.plans[r.job].runs = append(im.plans[r.job].runs, int32(i))
		}
	}
	for j := range im.jobs {
		im.settleJob(int32(j))
	}
	slices.SortStableFunc(im.order, func(a, b int32) int {
		return cmp.Compare(im.plans[a].submitted, im.plans[b].submitted)
	})
	for i, j := range im.order {
		im.plans[j].place = int32(i)
	}
}

func (im *importer) settleJob(j int32) {
	x, p := &im.jobs[j], &im.plans[j]
	if p.name = "job-" + strconv.FormatInt(x.id, 10); x.id == unknown {
		p.name = "stage-" + strconv.FormatInt(x.stage, 10)
	}
	if text := im.sql[x.sql]; text != "" && x.sql != unknown {
		x.class = text
	}
	im.origin.Saw(x.submitted)
	p.place = model.None
	if len(p.runs) == 0 {
		im.count[emptied]++
		return
	}
	slices.SortFunc(p.runs, func(a, b int32) int {
		r, s := &im.runs[a], &im.runs[b]
		return cmp.Or(cmp.Compare(im.stages[r.stage].id, im.stages[s.stage].id), cmp.Compare(r.attempt, s.attempt))
	})
	p.submitted = math.MaxInt64
	if x.submitted != unknown {
		p.submitted = x.submitted
	} else {
		im.count[unsubmitted]++
	}
	if p.over = x.done; im.endedAt > 0 && x.done > im.endedAt && x.succeeded {
		p.over = 0
		im.count[unusable]++
	}
	for _, k := range p.runs {
		r := &im.runs[k]
		p.submitted = min(p.submitted, r.first)
		if x.submitted == unknown && r.submitted != unknown {
			p.submitted = min(p.submitted, r.submitted)
		}
		p.last = max(p.last, r.last)
	}
	p.over = max(p.over, p.last)
	im.origin.Saw(p.submitted)
	im.order = append(im.order, j)
}

// before says whether a job was over when another one was submitted. Of jobs of the same instant the earlier one of the
// log comes first, so that this is a partial order.
func (im *importer) before(i, j int32) bool {
	p, q := &im.plans[i], &im.plans[j]
	return p.place != model.None && q.place != model.None && p.over <= q.submitted && p.place < q.place
}

// wait makes a job wait for others until some time after the last of them.
type wait struct {
	after []int32
	delay int64
}

// waits are the jobs that each job waits for if it waits for all that were over at its submission, without those that
// follow from others. Jobs are intervals of time, so that one sweep finds them: let k be the last to be submitted of
// those that were over. Any other one follows from k if it was over when k was submitted; otherwise it was not over at
// the submission of any of the others, which came before k, so no other row implies it.
func (im *importer) waits(most int) ([]wait, bool) {
	byEnd := slices.Clone(im.order)
	slices.SortFunc(byEnd, func(a, b int32) int {
		p, q := &im.plans[a], &im.plans[b]
		return cmp.Or(cmp.Compare(p.over, q.over), cmp.Compare(p.place, q.place))
	})
	list := make([]wait, len(im.order))
	over, rows := 0, 0
	latest := int32(model.None) // k
	end := int64(0)
	for i, j := range im.order {
		for over < len(byEnd) && im.before(byEnd[over], j) {
			p := &im.plans[byEnd[over]]
			if latest == model.None || p.place > im.plans[latest].place {
				latest = byEnd[over]
			}
			end = max(end, p.last)
			over++
		}
		if latest == model.None {
			continue
		}
		w := &list[i]
		w.after, w.delay = []int32{latest}, im.plans[j].submitted-end
		for n := over - 1; n >= 0 && im.plans[byEnd[n]].over > im.plans[latest].submitted; n-- {
			if byEnd[n] != latest {
				w.after = append(w.after, byEnd[n])
			}
		}
		if rows += len(w.after); rows > most {
			return nil, false
		}
		slices.SortFunc(w.after, func(a, b int32) int { return cmp.Compare(im.plans[a].place, im.plans[b].place) })
	}
	return list, true
}

// dropReplaced leaves out tasks whose partition another attempt of their stage completed later. Before 3.3, Spark does
// not state partitions: then an attempt that runs all of them has each at its own index.
func (im *importer) dropReplaced() {
	type task struct{ stage, partition int32 }
	last, unstated := map[task]int32{}, map[int32]bool{} // runs
	for k := range im.ends {
		e := &im.ends[k]
		r := &im.runs[e.run]
		s := &im.stages[r.stage]
		if len(s.runs) < 2 {
			continue
		}
		if e.partition == unknown && r.size == s.tasks && s.tasks != unknown {
			e.partition = e.index
		}
		if e.partition == unknown && !unstated[e.run] {
			unstated[e.run] = true
			im.count[unplaced]++
		}
		if e.partition == unknown || !e.chosen {
			continue
		}
		t := task{r.stage, e.partition}
		if before, twice := last[t]; twice {
			im.ends[before].chosen = false
			im.count[repeated]++
		}
		last[t] = int32(k)
	}
}
