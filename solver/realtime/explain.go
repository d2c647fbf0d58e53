package realtime

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// explainer answers questions about one schedule.
type explainer struct {
	r    *run
	in   *realtime.Instance
	s    *model.Schedule
	task int32 // None: the question is about the job
	job  int32
	rows []int32 // numbers of the entries asked about, in the order of time; of a job all

	bySlot [][]int32    // entries by slot, in the order of time
	byJob  [][]int32    // entries by job, in the order of time
	ready  []model.Time // by job: when its partitions may start
	// by job: the entry that ready follows from, or None: a map, or of goal partitions one of an earlier phase
	before []int32
	ends   realtime.Ends
	c      *realtime.Certificate
}

// Explain says why a map or partition runs on its slot and at its time, what the bound's certificate says about its
// job, and what it would cost elsewhere (explain_move.go). For a job it looks at the entry that ends last and at what
// that waits for.
func (r *run) Explain(ctx context.Context, q solver.Question) (e *solver.Explanation, err error) {
	x := newExplainer(r, q)
	e = &solver.Explanation{Subject: x.subject()}
	if len(x.rows) == 0 {
		return e, nil
	}
	if err := x.readCertificate(ctx, q.Certificate); err != nil {
		return nil, err
	}
	last := x.last()
	e.When, e.Changes = x.when(last), x.changes(last)
	if e.Where, err = x.where(last); err != nil {
		return nil, err
	}
	necessary, err := x.necessary()
	if err != nil {
		return nil, err
	}
	e.When = append(e.When, necessary...)
	if e.Prices, err = r.goal.prices(x, last); err != nil {
		return nil, err
	}
	var why string
	e.Alternatives, why, err = x.alternatives(ctx, q.Alternatives)
	if why != "" {
		e.Changes = append(e.Changes, why)
	}
	return e, err
}

func newExplainer(r *run, q solver.Question) *explainer {
	in := r.in
	x := &explainer{r: r, in: in, s: q.Schedule, task: model.None, job: int32(q.Job), bySlot: make([][]int32, in.Slots),
		byJob: make([][]int32, in.Jobs), ends: in.Ends(q.Schedule)}
	if q.Task != model.None {
		x.task, x.job = int32(q.Task), in.JobOf(int32(q.Task))
	}
	order := numbers(0, int32(len(x.s.Entries)))
	slices.SortFunc(order, x.compare)
	for _, i := range order {
		j, slot := x.jobOf(i), x.entry(i).Machine
		x.bySlot[slot], x.byJob[j] = append(x.bySlot[slot], i), append(x.byJob[j], i)
		if x.taskOf(i) == x.task || x.task == model.None && j == x.job {
			x.rows = append(x.rows, i)
		}
	}
	x.findReady(order)
	return x
}

// readCertificate reads the certificate that a result states, which check has accepted, or makes one.
func (x *explainer) readCertificate(ctx context.Context, raw []byte) error {
	if raw != nil {
		x.c = &realtime.Certificate{}
		return model.ReadCertificate(raw, x.c)
	}
	if err := x.r.prove(ctx, solver.Options{Threads: 1}, 1); err != nil {
		return err
	}
	x.c = x.r.bounds[0].Certificate.(*realtime.Certificate)
	return ctx.Err()
}

// compare orders entries by start, then by end, then by number.
func (x *explainer) compare(a, b int32) int {
	i, k := x.entry(a), x.entry(b)
	return cmp.Or(cmp.Compare(i.Start, k.Start), cmp.Compare(i.End, k.End), cmp.Compare(a, b))
}

func (x *explainer) entry(i int32) *model.Entry { return &x.s.Entries[i] }
func (x *explainer) taskOf(i int32) int32       { return int32(x.s.Entries[i].Task) }
func (x *explainer) jobOf(i int32) int32        { return x.in.JobOf(x.taskOf(i)) }
func (x *explainer) isMap(i int32) bool         { return x.in.IsMap(x.taskOf(i)) }
func (x *explainer) worker(i int32) int32       { return x.in.WorkerOf[x.entry(i).Machine] }
func (x *explainer) slotName(i int32) string    { return x.in.MachineName(x.entry(i).Machine) }
func (x *explainer) jobID(j int32) string       { return x.in.Workload().Jobs[j].ID }

func (x *explainer) id(i int32) string {
	id, _, _ := x.in.TaskName(x.entry(i).Task)
	return id
}

// findReady sets ready and before; order is that of time.
func (x *explainer) findReady(order []int32) {
	in := x.in
	x.ready, x.before = slices.Clone(in.Release), slices.Repeat([]int32{model.None}, in.Jobs)
	if x.r.goal.serial {
		at, by := model.Time(0), int32(model.None)
		for j, rows := range x.byJob {
			x.ready[j], x.before[j] = at, by
			for _, i := range rows {
				if end := x.entry(i).End; end > at {
					at, by = end, i
				}
			}
		}
		return
	}
	for _, i := range order {
		if x.isMap(i) {
			j, at := x.jobOf(i), x.entry(i).End+in.Shuffle[x.taskOf(i)]
			if at > x.ready[j] || at == x.ready[j] && x.before[j] == model.None {
				x.ready[j], x.before[j] = at, i
			}
		}
	}
}

// allowed is when an entry may start if all slots are free. Further pieces of a partition start after the first, the
// only one that does not pay for the split.
func (x *explainer) allowed(i int32) model.Time {
	at := x.fixed(i)
	if first := x.firstPiece(i); first != i {
		at = max(at, x.entry(first).Start+1)
	}
	return at
}

// last is the entry that ends last, among those asked about; ties: the later one.
func (x *explainer) firstPiece(i int32) int32 {
	if x.isMap(i) || !x.in.Resplit.Known {
		return i
	}
	rows := x.byJob[x.jobOf(i)]
	return rows[slices.IndexFunc(rows, func(k int32) bool { return x.taskOf(k) == x.taskOf(i) })]
}

// fixed is when an entry's task may start: at its release, after its job's maps, or after the phase before.
func (x *explainer) fixed(i int32) model.Time {
	at := x.in.ReleaseOf(x.taskOf(i))
	if !x.isMap(i) {
		at = max(at, x.ready[x.jobOf(i)])
	}
	return at
}

// last is the entry asked about that ends last; ties: the later one.
func (x *explainer) last() int32 {
	return slices.MaxFunc(x.rows, func(a, b int32) int {
		return cmp.Or(cmp.Compare(x.entry(a).End, x.entry(b).End), x.compare(a, b))
	})
}

// pieces is the number of rows of a task.
func (x *explainer) pieces(task int32) (n int) {
	for _, i := range x.byJob[x.in.JobOf(task)] {
		if x.taskOf(i) == task {
			n++
		}
	}
	return n
}

// subject says in one line what is asked about, and where and when it runs.
func (x *explainer) subject() string {
	if x.task == model.None {
		return x.jobSubject()
	}
	id, job, _ := x.in.TaskName(model.TaskIndex(x.task))
	what := fmt.Sprintf("map %s of job %s", id, job)
	if !x.in.IsMap(x.task) {
		what = fmt.Sprintf("partition %s of job %s", id, job)
	}
	if len(x.rows) == 0 {
		return what + " has no place in this schedule"
	}
	first, last := x.entry(x.rows[0]), x.last()
	if len(x.rows) > 1 {
		return fmt.Sprintf("%s is worked off in %d pieces from %s to %s, the last of them on %s", what, len(x.rows),
			first.Start, x.entry(last).End, x.slotName(last))
	}
	return fmt.Sprintf("%s is on %s from %s to %s", what, x.slotName(last), first.Start, first.End)
}

func (x *explainer) jobSubject() string {
	if len(x.rows) == 0 {
		return fmt.Sprintf("job %s has nothing to run", x.jobID(x.job))
	}
	maps, parts := 0, map[int32]bool{}
	for _, i := range x.rows {
		if x.isMap(i) {
			maps++
		} else {
			parts[x.taskOf(i)] = true
		}
	}
	what := model.Counted(len(parts), "partition")
	if maps > 0 {
		what = model.Counted(maps, "map") + " and " + what
	}
	if len(x.rows) > maps+len(parts) {
		what += fmt.Sprintf(" in %d pieces", len(x.rows)-maps)
	}
	due := ""
	if at := x.in.Due[x.job]; at != realtime.NoDeadline {
		due = fmt.Sprintf(", due at %s", at)
	}
	return fmt.Sprintf("job %s, of %s, runs from %s to %s%s; %s ends last", x.jobID(x.job), what, x.entry(x.rows[0]).Start,
		x.ends.Job[x.job], due, x.id(x.last()))
}
