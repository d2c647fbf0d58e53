package multitenant

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

// explainer answers questions about one schedule.
type explainer struct {
	*multitenant.Instance
	s    *model.Schedule
	task int32 // the task in question; for a job its last task to end, or None
	job  int32
	all  bool // the question is about the job

	row    []int32   // by task: its entry
	bySlot [][]int32 // tasks by slot, in the order of time
	f      *multitenant.Flows
	told   solver.Explanation
}

// Explain gives the reasons for the place and time of a map or reduce: where its data lies, who had the slots, which
// links it waits for, its price by the bound, and the cost of free slots elsewhere (explain_elsewhere.go). For a job it
// explains the last task to end and the map that this task waits for.
func (r *run) Explain(ctx context.Context, q solver.Question) (*solver.Explanation, error) {
	x := newExplainer(r.in, q)
	e := &x.told
	e.Subject = x.subject()
	if x.task == model.None {
		return e, nil
	}
	c, err := r.certificateOf(ctx, q.Certificate)
	if err != nil {
		return nil, err
	}
	e.Where, e.Prices = x.where(x.task), x.prices(c)
	x.when()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return e, x.alternatives(ctx, q.Alternatives)
}

func newExplainer(in *multitenant.Instance, q solver.Question) *explainer {
	x := &explainer{Instance: in, s: q.Schedule, task: model.None, job: int32(q.Job), row: make([]int32, in.Tasks),
		bySlot: make([][]int32, in.Slots), f: in.Flows(q.Schedule)}
	for i := range x.s.Entries {
		e := &x.s.Entries[i]
		x.row[e.Task] = int32(i)
		x.bySlot[e.Machine] = append(x.bySlot[e.Machine], int32(e.Task))
	}
	for _, list := range x.bySlot {
		slices.SortFunc(list, func(a, b int32) int {
			i, k := x.entry(a), x.entry(b)
			return cmp.Or(cmp.Compare(i.Start, k.Start), cmp.Compare(i.End, k.End), cmp.Compare(a, b))
		})
	}
	if q.Task != model.None {
		x.task, x.job = int32(q.Task), in.JobOf(int32(q.Task))
		return x
	}
	x.all = true
	for _, t := range x.tasksOf(x.job) {
		if x.task == model.None || x.entry(t).End >= x.entry(x.task).End {
			x.task = t
		}
	}
	return x
}

func (x *explainer) entry(t int32) *model.Entry { return &x.s.Entries[x.row[t]] }

// tasksOf lists a job's maps, then its reduces.
func (x *explainer) tasksOf(j int32) (list []int32) {
	for t := x.FirstMap[j]; t < x.FirstMap[j+1]; t++ {
		list = append(list, t)
	}
	for t := x.FirstReduce(j); t < x.FirstReduce(j+1); t++ {
		list = append(list, t)
	}
	return list
}

// lastMap is a job's last map to end; ties: the first.
func (x *explainer) lastMap(j int32) (at int32, ok bool) {
	for t := x.FirstMap[j]; t < x.FirstMap[j+1]; t++ {
		if !ok || x.entry(t).End > x.entry(at).End {
			at, ok = t, true
		}
	}
	return at, ok
}

func (x *explainer) id(t int32) string {
	id, _, _ := x.TaskName(model.TaskIndex(t))
	return id
}

func (x *explainer) worker(t int32) int32 { return x.WorkerOf[x.entry(t).Machine] }

func (x *explainer) rack(t int32) int32 { return x.RackOf[x.worker(t)] }

func (x *explainer) slotName(t int32) string { return x.MachineName(x.entry(t).Machine) }

func (x *explainer) user(j int32) string {
	return cmp.Or(x.Users[x.UserOf[j]], nameless)
}

const nameless = "without a name"

// owned names a task with its job and user.
func (x *explainer) owned(t int32) string {
	j := x.JobOf(t)
	return fmt.Sprintf("%s of job %s, user %s", x.id(t), x.JobID(j), x.user(j))
}

func number(t model.Time) model.Number { return model.Number(t.String()) }

// rackText is a rack's name, preceded by "rack" unless it contains that word.
func rackText(name string) string {
	if strings.HasPrefix(strings.ToLower(name), "rack") {
		return name
	}
	return "rack " + name
}

func (x *explainer) subject() string {
	if x.all {
		maps, reduces := x.FirstMap[x.job+1]-x.FirstMap[x.job], x.Reduces(x.job)
		if x.task == model.None {
			return fmt.Sprintf("job %s of user %s has nothing to run", x.JobID(x.job), x.user(x.job))
		}
		first := model.MaxTime
		for _, t := range x.tasksOf(x.job) {
			first = min(first, x.entry(t).Start)
		}
		return fmt.Sprintf("job %s of user %s, %d %s and %d %s, arrives at %s and runs from %s to %s; %s ends last",
			x.JobID(x.job), x.user(x.job), maps, model.Plural(maps, "map"), reduces, model.Plural(reduces, "reduce"),
			x.Arrival[x.job], first, x.entry(x.task).End, x.id(x.task))
	}
	e := x.entry(x.task)
	return fmt.Sprintf("%s %s, is on %s in %s from %s to %s", x.KindOf(x.task), x.owned(x.task), x.slotName(x.task),
		rackText(x.RackName(x.rack(x.task))), e.Start, e.End)
}

// where reports how near a map is to its input and who had the slots there. For a reduce it reports how much of the
// input lies in its rack.
func (x *explainer) where(t int32) []solver.Reason {
	if !x.IsMap(t) {
		return []solver.Reason{x.shuffled(t)}
	}
	w, replicas := x.worker(t), x.Replicas(t)
	r := solver.Reason{Kind: solver.ReasonData, Task: x.id(t)}
	holders := solver.Names(replicas, x.WorkerName)
	switch near := x.Locality(t, w); {
	case len(replicas) == 0:
		r.Text = "no node is known to hold its block: it is local everywhere"
	case near == model.NodeLocal:
		r.Text = fmt.Sprintf("it is node-local: its block lies on %s", holders)
	case near == model.RackLocal:
		r.Text = fmt.Sprintf("it is rack-local: it reads %s bytes from %s in its rack; its block lies on %s", x.Input[t],
			x.WorkerName(x.Source(t, w)), holders)
	default:
		r.Text = fmt.Sprintf("it is remote: it reads %s bytes from %s in %s; its block lies on %s", x.Input[t],
			x.WorkerName(x.Source(t, w)), rackText(x.RackName(x.RackOf[x.Source(t, w)])), holders)
	}
	list := []solver.Reason{r}
	if len(replicas) > 0 && x.Locality(t, w) != model.NodeLocal {
		for _, h := range replicas[:min(len(replicas), solver.Listed)] {
			list = append(list, x.holder(t, h))
		}
	}
	return list
}

// holder reports when a node with a map's input would have had a slot for it.
func (x *explainer) holder(t, w int32) solver.Reason {
	start := x.entry(t).Start
	p, name := x.locate(elsewhere{task: t, from: start, stretch: 1}, w), x.WorkerName(w)
	r := solver.Reason{Kind: solver.ReasonMachine, Task: x.id(t)}
	lacks, has := "no slot for it", "one"
	if p.slot >= 0 && p.after != model.None && x.entry(p.after).Machine != p.slot {
		lacks, has = x.lacking(t, w, p.start), "some"
	}
	switch {
	case p.slot < 0:
		r.Text = fmt.Sprintf("%s, which holds its block, has no %s slots", name, x.KindOf(t))
		if !x.Holds(w, t) {
			r.Text = fmt.Sprintf("%s, which holds its block, has %s", name, x.lacking(t, w, 0))
		}
	case p.start == start:
		r.Kind = solver.ReasonPlace
		r.Text = fmt.Sprintf("%s, which holds its block, has a free slot then: there it would run until %s", name, p.end)
	default:
		r.Until = number(p.start)
		r.Text = fmt.Sprintf("%s, which holds its block, has %s before %s: there it would end at %s, not %s",
			name, lacks, p.start, p.end, x.entry(t).End)
		if p.after != model.None {
			r.Task, r.Job = x.id(p.after), x.JobID(x.JobOf(p.after))
			r.Text += fmt.Sprintf("; %s of job %s has %s until then", r.Task, r.Job, has)
		}
	}
	return r
}

// shuffled reports where the input of a reduce lies.
func (x *explainer) shuffled(t int32) solver.Reason {
	j, rack := x.job, x.rack(t)
	k := int(j)*x.Racks + int(rack)
	parts := int64(x.Reduces(j))
	part := func(b model.Bytes) model.Number { return model.LowerNumber(big.NewRat(int64(b), parts)) }
	return solver.Reason{Kind: solver.ReasonData, Job: x.JobID(j),
		Text: fmt.Sprintf("%s has %s of the %s bytes that the job's maps write, and %d of its %d %s; of the %s bytes "+
			"that it fetches %s come from other racks",
			rackText(x.RackName(rack)), x.f.Output[k], x.Shuffled[j], x.f.Reducers[k], parts,
			model.Plural(x.Reduces(j), "reduce"), part(x.Shuffled[j]), part(x.Shuffled[j]-x.f.Output[k]))}
}

// certificateOf is the certificate of a result, which check has accepted; otherwise that of the strongest bound, or
// nil.
func (r *run) certificateOf(ctx context.Context, raw []byte) (*multitenant.Certificate, error) {
	if raw != nil {
		c := &multitenant.Certificate{}
		return c, model.ReadCertificate(raw, c)
	}
	bounds, err := r.bound(ctx, solver.Options{Threads: 1})
	if err != nil {
		return nil, err
	}
	if len(bounds) == 0 {
		return nil, ctx.Err()
	}
	return bounds[0].Certificate.(*multitenant.Certificate), ctx.Err()
}

// prices returns payments at the certificate's prices, in seconds of the bound: of the job wherever it runs, and of the
// task at its place for its slot and for links.
func (x *explainer) prices(c *multitenant.Certificate) (list []solver.Price) {
	if c == nil {
		return nil
	}
	add := func(name string, value model.Number, format string, args ...any) {
		list = append(list, solver.Price{Name: name, Value: value, Text: fmt.Sprintf(format, args...)})
	}
	bound, job := model.LowerNumber(valueOf(solver.Bound{Certificate: c})), x.JobID(x.job)
	switch {
	case c.Prices == nil && c.Job == job:
		add("job", bound, "s is the bound %s: when job %s ends if it has the whole cluster for itself", c.Method, job)
	case c.Prices == nil:
		add("job", "0", "s is its part of the bound %s, which looks at job %s alone", c.Method, c.Job)
	case x.Arrival[x.job] < c.Prices.From:
		add("job", "0", "s is its part of the bound %s, which looks at jobs that arrive at %s or later", c.Method,
			c.Prices.From)
	default:
		o := newOracle(x.Instance, 1)
		price := o.normal(c.Prices)
		paid := newPricer(o, price).job(x.job, make([]float64, o.crossAt()+1))
		add("job", rounded(paid), "s of the %s s of the bound %s is what job %s pays at least, wherever it runs", bound,
			c.Method, job)
		slot, links := x.pays(o, price, x.task)
		add("slot", rounded(slot), "s at these prices is what the time of %s on %s costs", x.id(x.task),
			x.slotName(x.task))
		add("links", rounded(links), "s at these prices is what the data that %s reads or fetches costs on links",
			x.id(x.task))
	}
	return list
}

// rounded prints a price that was computed in floating point.
func rounded(v float64) model.Number {
	r := new(big.Rat).SetFloat64(v)
	if r == nil {
		return ""
	}
	return model.LowerNumber(r)
}

// pays is the payment of a task at its place: its slot while it runs, and the links that its data crosses.
func (x *explainer) pays(o *oracle, price []float64, t int32) (slot, links float64) {
	e, w := x.entry(t), x.worker(t)
	rack, at := int(x.rack(t)), o.x.PlaceOf[w]
	held := (e.End - e.Start).Seconds()
	if x.IsMap(t) {
		slot = price[o.mapAt(at)] * held
		near := x.Locality(t, w)
		if near != model.NodeLocal {
			links = float64(x.Input[t]) * price[o.fabricAt(rack)]
		}
		if near == model.Remote {
			links += float64(float64(x.Input[t]) * (price[o.inAt(rack)] + price[o.outAt(int(x.RackOf[x.Source(t, w)]))]))
		}
		return slot, links
	}
	slot = price[o.reduceAt(at)] * held
	j, parts := int(x.JobOf(t)), float64(x.Reduces(x.JobOf(t)))
	for k := range x.Racks {
		bytes := float64(x.f.Output[j*x.Racks+k]) / parts
		links += float64(bytes * price[o.fabricAt(rack)])
		if k != rack {
			links += float64(bytes * (price[o.outAt(k)] + price[o.inAt(rack)]))
		}
	}
	return slot, links
}
