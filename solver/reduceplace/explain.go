package reduceplace

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// explainer answers questions about one placement.
type explainer struct {
	in    *reduceplace.Instance
	slot  []int32  // by task
	lists [][]span // by slot: its tasks, in the order of time
	job   int32
	tasks []int32 // that are asked about: one, or all of the job
}

// Explain says why reduces have their slots and why their job starts when it does, what the clairvoyant bound charges
// them, and what other slots would cost. Starts do not depend on slots, so there are no alternatives in time.
func (r *run) Explain(ctx context.Context, q solver.Question) (*solver.Explanation, error) {
	x := newExplainer(r.in, q)
	e := &solver.Explanation{Subject: x.subject(), Where: x.where(), When: x.when(x.job), Prices: x.prices(ctx),
		Changes: x.changes()}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var err error
	e.Alternatives, err = x.alternatives(ctx, q)
	return e, err
}

func newExplainer(in *reduceplace.Instance, q solver.Question) *explainer {
	x := &explainer{in: in, slot: in.Placed(q.Schedule), job: int32(q.Job)}
	x.lists = held(in, x.slot)
	if q.Task != model.None {
		x.job, x.tasks = in.JobOf(int32(q.Task)), []int32{int32(q.Task)}
	} else {
		for t := in.First[x.job]; t < in.First[x.job+1]; t++ {
			x.tasks = append(x.tasks, t)
		}
	}
	for _, list := range x.lists {
		slices.SortFunc(list, func(a, b span) int { return cmp.Or(a.compare(b), cmp.Compare(a.task, b.task)) })
	}
	return x
}

// holders are the tasks on a slot that overlap a job and so exclude its tasks.
func (x *explainer) holders(slot, job int32) []span {
	return overlapping(x.lists[slot], x.in.Start[job], x.in.End[job])
}

func (x *explainer) data(task int32) *big.Rat {
	bytes, parts := x.in.Data(x.in.JobOf(task), task)
	return big.NewRat(int64(bytes), parts)
}

// cost is the fetching cost of a task.
func (x *explainer) cost(task int32) *big.Rat {
	c := big.NewRat(int64(x.in.Cost[x.slot[task]]), int64(model.UnitCost))
	return c.Mul(c, x.data(task))
}

// saved is how much less a task would cost on another slot.
func (x *explainer) saved(task, slot int32) *big.Rat {
	v := big.NewRat(int64(x.in.Cost[x.slot[task]]-x.in.Cost[slot]), int64(model.UnitCost))
	return v.Mul(v, x.data(task))
}

func (x *explainer) id(task int32) string {
	id, _ := x.in.Name(task)
	return id
}

func (x *explainer) slotName(s int32) string { return x.in.MachineName(s) }

func text(r *big.Rat) string { return string(model.LowerNumber(r)) }

func (x *explainer) subject() string {
	in, j := x.in, x.job
	span := fmt.Sprintf("from %s to %s", in.Start[j], in.End[j])
	switch {
	case len(x.tasks) == 0:
		return fmt.Sprintf("job %s has no reduces and holds no slots; it runs %s", in.JobID(j), span)
	case len(x.tasks) == 1:
		t := x.tasks[0]
		s := x.slot[t]
		return fmt.Sprintf("reduce %s of job %s is on slot %s %s; it fetches %s bytes at %s each, which costs %s", x.id(t),
			in.JobID(j), x.slotName(s), span, text(x.data(t)), in.Cost[s], text(x.cost(t)))
	}
	var slots []int32
	cost := new(big.Rat)
	for _, t := range x.tasks {
		slots = append(slots, x.slot[t])
		cost.Add(cost, x.cost(t))
	}
	slices.Sort(slots)
	return fmt.Sprintf("job %s has its %s on %s %s %s; fetching costs %s", in.JobID(j),
		model.Counted(len(x.tasks), "reduce"), model.Plural(len(slots), "slot"), solver.Names(slots, x.slotName), span,
		text(cost))
}

// dearest is the task of the question on the most expensive slot.
func (x *explainer) dearest() int32 {
	return slices.MaxFunc(x.tasks, func(a, b int32) int {
		return cmp.Or(cmp.Compare(x.slot[a], x.slot[b]), cmp.Compare(b, a))
	})
}

// cheaper are the slots that cost less than that of a task.
func (x *explainer) cheaper(task int32) int32 {
	n, _ := slices.BinarySearch(x.in.Cost, x.in.Cost[x.slot[task]])
	return int32(n)
}

// obstacle is why a task is not on cheaper slots: a job that holds or will hold them, or none.
type obstacle struct {
	job   int32 // None: they are free all the time
	later bool  // the job comes after the task
	slots []int32
}

// obstacles groups the cheaper slots by the first job in the way, in the order of the slots' costs.
func (x *explainer) obstacles(task int32) (list []obstacle) {
	at := map[int32]int{} // by job
	for s := range x.cheaper(task) {
		o := obstacle{job: model.None}
		if held := x.holders(s, x.job); len(held) > 0 {
			o.job, o.later = held[0].job, held[0].start > x.in.Start[x.job]
		}
		i, ok := at[o.job]
		if !ok {
			i = len(list)
			at[o.job] = i
			list = append(list, o)
		}
		list[i].slots = append(list[i].slots, s)
	}
	return list
}

// where says who holds the cheaper slots. For a job it looks at the reduce with the most expensive slot.
func (x *explainer) where() (list []solver.Reason) {
	if len(x.tasks) == 0 {
		return nil
	}
	place := func(format string, args ...any) {
		list = append(list, solver.Reason{Kind: solver.ReasonPlace, Text: fmt.Sprintf(format, args...)})
	}
	t := x.dearest()
	own, name, n := x.in.Cost[x.slot[t]], x.slotName(x.slot[t]), x.cheaper(t)
	if n == 0 {
		place("no slot costs less than the %s a byte of %s", own, name)
		return list
	}
	place("%s costs %s a byte; %d of %d slots cost less", name, own, n, x.in.Slots)
	obstacles := x.obstacles(t)
	for _, o := range obstacles[:min(len(obstacles), solver.Listed+1)] {
		list = append(list, x.obstructs(t, o))
	}
	if rest := obstacles[min(len(obstacles), solver.Listed+1):]; len(rest) > 0 {
		slots := 0
		for _, o := range rest {
			slots += len(o.slots)
		}
		place("%s %s in the way on %s", model.Counted(len(rest), "more job"), model.Are(len(rest)),
			model.Counted(slots, "cheaper slot"))
	}
	return list
}

func (x *explainer) obstructs(task int32, o obstacle) solver.Reason {
	in := x.in
	what := fmt.Sprintf("%s %s (from %s a byte)", model.Plural(len(o.slots), "slot"), solver.Names(o.slots, x.slotName),
		in.Cost[o.slots[0]])
	r := solver.Reason{Kind: solver.ReasonPlace}
	if o.job == model.None {
		r.Text = fmt.Sprintf("%s: free until %s, and left so", what, in.End[x.job])
		return r
	}
	r.Job = in.JobID(o.job)
	switch {
	case o.job == x.job && in.Uneven(x.job):
		r.Text = fmt.Sprintf("%s: held by its own job's other reduces; of a job's slots the cheapest go to those that "+
			"fetch most", what)
	case o.job == x.job:
		r.Text = fmt.Sprintf("%s: held by its own job's other reduces, which fetch as much", what)
	case o.later:
		r.Until = model.Number(in.Start[o.job].String())
		r.Text = fmt.Sprintf("%s: free at %s, but job %s takes them at %s, before %s ends", what, in.Start[x.job], r.Job,
			in.Start[o.job], in.JobID(x.job))
	default:
		r.Until = model.Number(in.End[o.job].String())
		r.Text = fmt.Sprintf("%s: held by job %s until %s", what, r.Job, in.End[o.job])
	}
	return r
}

// changes says what would give the task, or the job's reduce with the most expensive slot, a cheaper one.
func (x *explainer) changes() (list []string) {
	in := x.in
	if len(x.tasks) > 0 {
		t := x.dearest()
		told := 0
		for _, o := range x.obstacles(t) {
			if o.job == model.None || o.job == x.job || told == solver.Listed {
				continue
			}
			s := o.slots[0]
			if holders := x.holders(s, x.job); len(holders) > 1 {
				continue // one job that is out of the way would not do
			}
			told++
			demand := fmt.Sprintf("job %s would have to end by %s, not %s", in.JobID(o.job), in.Start[x.job], in.End[o.job])
			if o.later {
				demand = fmt.Sprintf("job %s would have to start at %s, not %s", in.JobID(o.job), in.End[x.job], in.Start[o.job])
			}
			list = append(list, fmt.Sprintf("%s, for slot %s at %s a byte: %s less for reduce %s", demand, x.slotName(s),
				in.Cost[s], text(x.saved(t, s)), x.id(t)))
		}
		if x.cheaper(t) > 0 && told == 0 {
			list = append(list, fmt.Sprintf("a slot cheaper than %s a byte would have to be free from %s to %s; each unit "+
				"less a byte saves %s", in.Cost[x.slot[t]], in.Start[x.job], in.End[x.job], text(x.data(t))))
		}
	}
	if in.Start[x.job] > in.Arrival[x.job] {
		list = append(list, x.sooner())
	}
	return list
}

// turn is the situation just before a job starts later than it arrives.
type turn struct {
	running int     // jobs
	held    int     // slots
	ended   []int32 // the jobs that end when it starts, by index
	head    int32   // of the jobs that start then and had to wait, the first to arrive
}

// ahead describes what a waiting job waits for. Jobs of length 0 hold nothing.
func (x *explainer) ahead(j int32) turn {
	in, at := x.in, x.in.Start[j]
	q := turn{head: j}
	for i := range int32(in.Jobs) {
		if in.Start[i] >= at || in.End[i] < at {
			continue
		}
		q.running++
		q.held += int(in.Reduces[i])
		if in.End[i] == at {
			q.ended = append(q.ended, i)
		}
	}
	for _, i := range in.Order {
		if in.Start[i] == at && in.Arrival[i] < at {
			q.head = i
			break
		}
	}
	return q
}

// when says what a job waits for, the binding reason first: its arrival, one of the running jobs, free slots, or the
// job before it.
func (x *explainer) when(j int32) []solver.Reason {
	in, at := x.in, x.in.Start[j]
	release := solver.Reason{Kind: solver.ReasonRelease, Job: in.JobID(j), Until: model.Number(in.Arrival[j].String()),
		Text: fmt.Sprintf("job %s arrives at %s", in.JobID(j), in.Arrival[j])}
	if at == in.Arrival[j] {
		release.Text += " and starts at once"
		return []solver.Reason{release}
	}
	q := x.ahead(j)
	ends := fmt.Sprintf("jobs %s end", solver.Names(q.ended, in.JobID))
	if len(q.ended) == 1 {
		ends = fmt.Sprintf("job %s ends", in.JobID(q.ended[0]))
	}
	wait := solver.Reason{Kind: solver.ReasonMachine, Until: model.Number(at.String()), Job: in.JobID(q.ended[0])}
	rank := solver.Reason{Kind: solver.ReasonRank, Until: wait.Until, Job: in.JobID(q.head),
		Text: fmt.Sprintf("jobs start in the order in which they arrive, and job %s, which came before, waits until %s",
			in.JobID(q.head), at)}
	needs := func(i int32) string {
		return fmt.Sprintf("needs %s and %d of %d are free until %s at %s", model.Counted(in.Reduces[i], "slot"),
			in.Slots-q.held, in.Slots, ends, at)
	}
	switch {
	case q.running >= in.MaxRunning:
		wait.Text = fmt.Sprintf("%s may run at a time, and as many do until %s at %s",
			model.Counted(in.MaxRunning, "job"), ends, at)
	case in.Slots-q.held < int(in.Reduces[j]):
		wait.Text = "it " + needs(j)
	default:
		wait.Text = fmt.Sprintf("job %s %s", in.JobID(q.head), needs(q.head))
		return []solver.Reason{rank, wait, release}
	}
	if q.head == j {
		return []solver.Reason{wait, release}
	}
	return []solver.Reason{wait, rank, release}
}

// sooner is what would let a waiting job start earlier.
func (x *explainer) sooner() string {
	in, j := x.in, x.job
	q := x.ahead(j)
	at, ends := in.Start[j], "job "+solver.Names(q.ended, in.JobID)
	if len(q.ended) > 1 { // some of them may do
		ends = "one or more of jobs " + solver.Names(q.ended, in.JobID)
	}
	text := fmt.Sprintf("to start before %s, %s would have to end earlier", at, ends)
	missing := int(in.Reduces[q.head]) - (in.Slots - q.held)
	switch {
	case q.running >= in.MaxRunning:
		text += fmt.Sprintf(", or more than %s run at a time (--max-running-jobs)", model.Counted(in.MaxRunning, "job"))
	case missing > 0:
		text += fmt.Sprintf(", or there be %s", model.Counted(missing, "more slot"))
	}
	return text
}
