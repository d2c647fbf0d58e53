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

// Explain says why a map or partition runs on its slot and when it does, what the bound's certificate says about its
// job, and what it would cost elsewhere (explain_move.go). Of a job it looks at what ends last, and at what that waits
// for.
func (r *run) Explain(ctx context.Context, q solver.Question) (*solver.Explanation, error) {
	x := newExplainer(r, q)
	if len(x.rows) == 0 {
		return &solver.Explanation{Subject: x.subject()}, nil
	}
	if err := x.readCertificate(ctx, q.Certificate); err != nil {
		return nil, err
	}
	last := x.last()
	e := &solver.Explanation{Subject: x.subject(), When: x.when(last), Changes: x.changes(last)}
	var err error
	if e.Where, err = x.where(last); err != nil {
		return nil, err
	}
	necessary, err := x.necessary()
	if err != nil {
		return nil, err
	}
	e.When = append(e.When, necessary...)
	if e.Prices, err = x.prices(last); err != nil {
		return nil, err
	}
	why := ""
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
	order := make([]int32, len(x.s.Entries))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, x.compare)
	for _, i := range order {
		e := x.entry(i)
		j := in.JobOf(int32(e.Task))
		x.bySlot[e.Machine], x.byJob[j] = append(x.bySlot[e.Machine], i), append(x.byJob[j], i)
		if int32(e.Task) == x.task || x.task == model.None && j == x.job {
			x.rows = append(x.rows, i)
		}
	}
	x.findReady(order)
	return x
}

// readCertificate takes the certificate that a result states, which check has accepted, or makes one.
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

// compare orders entries by time; ties: the one that ends first, then the earlier one.
func (x *explainer) compare(a, b int32) int {
	i, k := x.entry(a), x.entry(b)
	return cmp.Or(cmp.Compare(i.Start, k.Start), cmp.Compare(i.End, k.End), cmp.Compare(a, b))
}

func (x *explainer) entry(i int32) *model.Entry { return &x.s.Entries[i] }

// findReady sets ready and before; order is that of time.
func (x *explainer) findReady(order []int32) {
	in := x.in
	x.ready, x.before = append([]model.Time(nil), in.Release...), make([]int32, in.Jobs)
	for j := range x.before {
		x.before[j] = model.None
	}
	if in.Goal == realtime.Partitions {
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
		if e := x.entry(i); in.IsMap(int32(e.Task)) {
			j := in.JobOf(int32(e.Task))
			if at := e.End + in.Shuffle[e.Task]; at > x.ready[j] || at == x.ready[j] && x.before[j] == model.None {
				x.ready[j], x.before[j] = at, i
			}
		}
	}
}

// allowed is when an entry may start, whatever slots do. Further pieces of a partition come after the first, since it
// alone does without what splitting costs.
func (x *explainer) allowed(i int32) model.Time {
	at := x.fixed(i)
	if first := x.firstPiece(i); first != i {
		at = max(at, x.entry(first).Start+1)
	}
	return at
}

// firstPiece is the entry of the same task that starts first.
func (x *explainer) firstPiece(i int32) int32 {
	t := x.entry(i).Task
	if x.in.IsMap(int32(t)) || !x.in.Resplit.Known {
		return i
	}
	for _, k := range x.byJob[x.in.JobOf(int32(t))] { // in the order of time
		if x.entry(k).Task == t {
			return k
		}
	}
	return i
}

// fixed is when an entry's task may start: its release, its job's maps or the phase before.
func (x *explainer) fixed(i int32) model.Time {
	t := int32(x.entry(i).Task)
	ready := x.ready[x.in.JobOf(t)]
	switch {
	case x.in.IsMap(t):
		return x.in.ReleaseOf(t)
	case x.in.Goal == realtime.Partitions:
		return ready
	}
	return max(ready, x.in.ReleaseOf(t))
}

// last is the entry asked about that ends last; ties: the later one.
func (x *explainer) last() int32 {
	return slices.MaxFunc(x.rows, func(a, b int32) int {
		return cmp.Or(cmp.Compare(x.entry(a).End, x.entry(b).End), x.compare(a, b))
	})
}

func (x *explainer) id(i int32) string {
	id, _, _ := x.in.TaskName(x.entry(i).Task)
	return id
}

func (x *explainer) jobID(j int32) string { return x.in.Workload().Jobs[j].ID }

func (x *explainer) worker(i int32) int32 { return x.in.WorkerOf[x.entry(i).Machine] }

// pieces is how many rows a task has.
func (x *explainer) pieces(task int32) (n int) {
	for _, i := range x.byJob[x.in.JobOf(task)] {
		if int32(x.entry(i).Task) == task {
			n++
		}
	}
	return n
}

func (x *explainer) subject() string {
	in := x.in
	if x.task != model.None {
		id, job, _ := in.TaskName(model.TaskIndex(x.task))
		kind := "map"
		if !in.IsMap(x.task) {
			kind = "partition"
		}
		if len(x.rows) == 0 {
			return fmt.Sprintf("%s %s of job %s has no place in this schedule", kind, id, job)
		}
		first, last := x.entry(x.rows[0]), x.entry(x.last())
		if len(x.rows) > 1 {
			return fmt.Sprintf("%s %s of job %s is worked off in %d pieces from %s to %s, the last of them on %s", kind, id, job,
				len(x.rows), first.Start, last.End, in.MachineName(last.Machine))
		}
		return fmt.Sprintf("%s %s of job %s is on %s from %s to %s", kind, id, job, in.MachineName(first.Machine),
			first.Start, first.End)
	}
	if len(x.rows) == 0 {
		return fmt.Sprintf("job %s has nothing to run", x.jobID(x.job))
	}
	maps, parts := 0, map[model.TaskIndex]bool{}
	for _, i := range x.rows {
		if t := x.entry(i).Task; in.IsMap(int32(t)) {
			maps++
		} else {
			parts[t] = true
		}
	}
	what := fmt.Sprintf("%d %s", len(parts), model.Plural(len(parts), "partition"))
	if maps > 0 {
		what = fmt.Sprintf("%d %s and %s", maps, model.Plural(maps, "map"), what)
	}
	if len(x.rows) > maps+len(parts) {
		what += fmt.Sprintf(" in %d pieces", len(x.rows)-maps)
	}
	due := ""
	if in.Goal == realtime.Deadlines && in.Due[x.job] != realtime.NoDeadline {
		due = fmt.Sprintf(", due at %s", in.Due[x.job])
	}
	return fmt.Sprintf("job %s, of %s, runs from %s to %s%s; %s ends last", x.jobID(x.job), what, x.entry(x.rows[0]).Start,
		x.ends.Job[x.job], due, x.id(x.last()))
}
