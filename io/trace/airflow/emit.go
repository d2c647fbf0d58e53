package airflow

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"mrsched/io/trace"
	"mrsched/model"
)

const (
	root = "root"
	// maxRows bounds the rows of delays and eligible, which must fit into memory.
	maxRows = 10_000_000
)

// emit enters everything.
func (im *importer) emit() {
	im.b.Origin(im.origin)
	im.nodes()
	pools := im.limits()
	for _, name := range im.dagNames {
		im.job(name)
	}
	for _, u := range im.kept {
		im.task(u, pools)
	}
	im.queues()
	im.precedence()
	for _, w := range im.waits {
		im.everyWait(w)
	}
	for u := range im.units {
		if !im.stages[im.units[u].stage].sensor {
			im.runs(u)
		}
	}
}

// nodes enters the hosts on which tasks ran, or the first of as many as the options state, with further ones.
func (im *importer) nodes() {
	im.cores = im.busiest()
	im.hosts = slices.Sorted(maps.Keys(im.cores))
	n := int(im.opt.Nodes.Or(int64(max(1, len(im.hosts)))))
	for k := 1; len(im.hosts) < n; k++ {
		if name := "node" + strconv.Itoa(k); !slices.Contains(im.hosts, name) {
			im.hosts = append(im.hosts, name)
		}
	}
	most := slices.Max(append(slices.Collect(maps.Values(im.cores)), 1))
	im.b.Node(model.Node{ID: root, Kind: model.RootNode}, "", model.Locus{})
	for _, h := range im.hosts[:n] {
		im.b.Node(model.Node{ID: h, Kind: model.HostNode, MemoryBytes: im.opt.Memory,
			CPU: model.Some(im.opt.CPU.Or(float64(cmp.Or(im.cores[h], most))))}, root, model.Locus{})
	}
}

// busiest is, by host, the most tries on it at once that are no sensors.
func (im *importer) busiest() map[string]int64 {
	uses, most := map[string]*trace.Usage{}, map[string]int64{}
	for k := range im.tries {
		if t := &im.tries[k]; t.start > 0 && t.end > t.start && t.host != "" && !im.stages[im.units[t.unit].stage].sensor {
			if uses[t.host] == nil {
				uses[t.host] = &trace.Usage{}
			}
			uses[t.host].Add(t.start, t.end, 1)
		}
	}
	for host, u := range uses {
		most[host] = u.Peak()
	}
	return most
}

// queues lets tasks run only on those hosts on which tries from their queue ran, if not all queues have all hosts.
func (im *importer) queues() {
	at := map[string]map[string]bool{} // hosts by queue
	for k := range im.tries {
		if t := &im.tries[k]; t.queue != "" && im.cores[t.host] > 0 {
			if at[t.queue] == nil {
				at[t.queue] = map[string]bool{}
			}
			at[t.queue][t.host] = true
		}
	}
	maps.DeleteFunc(at, func(_ string, hosts map[string]bool) bool { return len(hosts) == len(im.cores) })
	for _, queue := range slices.Sorted(maps.Keys(at)) {
		if im.opt.Nodes.Known {
			im.mark(unqueued, queue)
		} else {
			im.mark(queued, queue+" ("+some(slices.Collect(maps.Keys(at[queue])))+")")
		}
	}
	for _, u := range im.kept {
		t := &im.tries[im.last[u]]
		if im.opt.Nodes.Known || !im.room(len(at[t.queue]), t.at) {
			return
		}
		for _, host := range slices.Sorted(maps.Keys(at[t.queue])) {
			im.b.Eligible("", im.units[u].id, host, model.Locus{Pos: t.at})
		}
	}
}

// limits enters the pools as capacities of the root, and returns their names.
func (im *importer) limits() map[string]bool {
	names := map[string]bool{}
	for _, p := range im.pools {
		if p.slots < 0 {
			im.count[unlimited]++
			continue
		}
		names[p.name] = true
		im.b.Capacity(model.Capacity{Resource: p.name, Amount: model.Amount(p.slots) * model.UnitAmount}, root,
			model.Locus{Pos: p.at})
	}
	return names
}

// job enters a DAG that has tasks.
func (im *importer) job(name string) {
	d, weight, ended, tasks := im.dags[name], int64(ever), model.Optional[model.Time]{}, 0
	for _, s := range im.tasksOf(name) {
		last := len(im.behind(s, nil)) == 0
		for _, u := range im.keptOf[s] {
			t := &im.tries[im.last[u]]
			if tasks++; last {
				weight = min(weight, max(0, t.weight))
			}
			if im.complete && t.state == "success" && t.end > 0 {
				ended = model.Some(max(ended.Value, im.since(t.end)))
			}
		}
	}
	if tasks == 0 {
		return
	}
	if im.jobs++; d.before != "" {
		im.mark(repeats, name)
	}
	j := model.Job{ID: name, Weight: model.UnitWeight, Release: im.release(name), RecordedCompletion: ended}
	if weight < ever {
		j.Weight = model.Weight(weight) * model.UnitWeight
	}
	if d.due != "" {
		im.count[due]++
		at, err := im.origin.Moment(d.due, model.Some(j.Release))
		if err != nil {
			im.b.Findings.Add(model.Finding{Code: model.CodeNumber, Pos: d.duePos,
				What: fmt.Sprintf("sla_by %.40q %v", d.due, err), Expected: "a clock time, such as 06:00"})
		}
		j.Deadline = model.Some(max(0, at-j.Release))
	}
	im.b.Job(j, model.Locus{Pos: d.at})
}

// since is a time in the chosen night, from its beginning on.
func (im *importer) since(at int64) model.Time { return model.Time(max(0, at-im.zero(im.chosen))) }

// task enters a unit of the chosen night.
func (im *importer) task(u int32, pools map[string]bool) {
	x, t := &im.units[u], &im.tries[im.last[u]]
	row := model.Task{ID: x.id, Processing: model.Some(model.Time(0))}
	if times := im.good(x, 0, model.None); len(times) > 0 {
		row.Processing = model.Some(model.DurationOf(im.opt.Duration, times))
	} else {
		im.count[timeless]++
		for _, k := range x.tries {
			row.Processing.Value = max(row.Processing.Value, model.Time(im.tries[k].end-im.tries[k].start))
		}
	}
	if t.state == "success" && im.complete && slices.Contains(im.hosts, t.host) {
		row.RecordedNode, row.RecordedStart = t.host, model.Some(im.since(t.start))
	}
	at := model.Locus{Pos: t.at}
	im.b.Task(row, im.stages[x.stage].dag, "", at)
	switch {
	case t.pool == "" || t.slots <= 0:
	case pools[t.pool]:
		im.b.Demand(model.TaskDemand{Resource: t.pool, Amount: model.Amount(t.slots) * model.UnitAmount}, x.id, at)
	case len(im.pools) > 0 && !slices.ContainsFunc(im.pools, func(p pool) bool { return p.name == t.pool }):
		im.mark(unpooled, t.pool)
	}
}

// good are the times of a unit's successful tries, but one, that took at least so long, in the order in which they ran.
func (im *importer) good(x *unit, least int64, but int32) (times []model.Time) {
	order := slices.Clone(x.tries)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(im.tries[a].start, im.tries[b].start) })
	for _, k := range order {
		if t := &im.tries[k]; k != but && t.state == "success" && t.start > 0 && t.end-t.start >= least {
			times = append(times, model.Time(t.end-t.start))
		}
	}
	return times
}

// behind are the stages with tasks that wait for a stage, through stages without.
func (im *importer) behind(s int32, seen map[int32]bool) (list []int32) {
	if seen == nil {
		seen = map[int32]bool{}
	}
	for _, n := range im.stages[s].next {
		if seen[n] {
			continue
		}
		if seen[n] = true; len(im.keptOf[n]) > 0 {
			list = append(list, n)
		} else {
			list = append(list, im.behind(n, seen)...)
		}
	}
	return list
}

// room counts rows, and says whether they fit.
func (im *importer) room(rows int, at model.Position) bool {
	if im.rows += rows; im.rows > maxRows && im.b.Findings.Empty() {
		im.b.Findings.Add(model.Finding{Code: model.CodeOverflow, Pos: at,
			What:     fmt.Sprintf("mapped tasks and queues need more than %d rows of delays and eligible", maxRows),
			Expected: "fewer"})
	}
	return im.rows <= maxRows
}

// delay lets all tasks of a stage wait for all of another one.
func (im *importer) delay(from, to int32, at model.Position) {
	if !im.room(len(im.keptOf[from])*len(im.keptOf[to]), at) {
		return
	}
	for _, a := range im.keptOf[from] {
		for _, b := range im.keptOf[to] {
			im.b.Delay(im.units[a].id, im.units[b].id, 0, model.Locus{Pos: at})
		}
	}
}

// precedence enters the waits inside DAGs.
func (im *importer) precedence() {
	for s := range im.stages {
		for _, to := range im.behind(int32(s), nil) {
			im.delay(int32(s), to, im.stages[to].at)
		}
	}
}

// runs enters all tries of a unit that have begun.
func (im *importer) runs(u int) {
	for _, k := range im.units[u].tries {
		t := &im.tries[k]
		r := model.TaskRun{Task: im.units[u].id, Run: t.run, Try: t.number, State: model.Failed}
		switch {
		case t.start == 0:
			continue
		case t.end == 0:
			r.State = model.Running
		case t.state == "success":
			r.State = model.Succeeded
		}
		r.Start = model.Some(model.Time(t.start - im.base))
		if t.end > 0 {
			r.End = model.Some(model.Time(t.end - im.base))
		}
		im.b.TaskRun(r, model.Locus{Pos: t.at})
	}
}
