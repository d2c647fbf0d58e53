package campaign

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/model/realtime"
	"mrsched/model/reduceplace"
)

// entry is one row of a schedule.
type entry struct {
	task, machine string
	from, until   int64 // microseconds
	own           []string
}

// schedule shows that the corrupted schedule is another schedule with what the result claims: the same tasks in the same rows, none
// of the constraints broken, and the stated objective.
func (n *naive) schedule() (string, error) {
	if len(n.rows) != len(n.before) || len(n.rows) == 0 {
		return "", fmt.Errorf("%d rows in place of %d", len(n.rows), len(n.before))
	}
	list := make([]entry, 0, len(n.rows))
	for k, r := range n.rows {
		if !slices.Equal(r[:machineColumn], n.before[k][:machineColumn]) || k == 0 && !slices.Equal(r, n.before[k]) {
			return "", fmt.Errorf("row %d is of another task", k)
		}
		if k == 0 {
			continue
		}
		from, err1 := model.ParseTime(r[startColumn])
		until, err2 := model.ParseTime(r[endColumn])
		if err := errors.Join(err1, err2); err != nil {
			return "", err
		}
		list = append(list, entry{r[taskColumn], r[machineColumn], int64(from), int64(until), r[ownColumns:]})
	}
	if n.problem != "reduceplace" { // whose reduces may share a slot for no time
		if err := noOverlap(list); err != nil {
			return "", err
		}
	}
	cost, err := map[string]func([]entry) (*big.Rat, error){"msjo": n.runMSJO, "hta": n.runHTA, "reduceplace": n.runPlacement, "realtime": n.runRealtime, "multitenant": n.runMultitenant}[n.problem](list)
	if err != nil {
		return "", err
	}
	if stated := n.stated("objective", "value"); stated == nil || stated.Cmp(printed(cost)) != 0 {
		return "", fmt.Errorf("it costs %s", cost.FloatString(12))
	}
	return "another schedule that breaks no constraint and costs what is stated, by naive evaluation", nil
}

// printed is a cost as results print it.
func printed(v *big.Rat) *big.Rat {
	r, _ := model.ExactNumber(v).Rat()
	return r
}

// noOverlap demands that a machine runs one task at a time.
func noOverlap(list []entry) error {
	for i, a := range list {
		for _, b := range list[:i] {
			if a.machine == b.machine && a.from < b.until && b.from < a.until {
				return fmt.Errorf("%s and %s overlap", a.task, b.task)
			}
		}
	}
	return nil
}

// runMSJO is the objective of a schedule.
func (n *naive) runMSJO(list []entry) (*big.Rat, error) {
	of, _ := n.doc.jobsOf()
	at, own := map[string]entry{}, map[int]bool{}
	jobOf := func(u int) int { return of[n.doc.Tasks[u]["job"].(string)] }
	machines := n.stated("instance", "machines")
	weight := func(j int, t row) *big.Int {
		if v, ok := t["weight"]; ok {
			return big.NewInt(micros(v))
		}
		if v, ok := n.doc.Jobs[j]["weight"]; ok {
			return big.NewInt(micros(v))
		}
		return big.NewInt(1_000_000)
	}
	sum, last := new(big.Int), make([]int64, len(n.doc.Jobs))
	for u, e := range list {
		t := n.doc.Tasks[u]
		j := jobOf(u)
		k, ok := new(big.Rat).SetString(strings.TrimPrefix(e.machine, "m"))
		switch {
		case !ok || !k.IsInt() || k.Sign() <= 0 || k.Cmp(machines) > 0:
			return nil, fmt.Errorf("machine %s", e.machine)
		case e.task != t["id"] || e.until-e.from != micros(t["processing_time"]):
			return nil, fmt.Errorf("task %s takes %d", e.task, e.until-e.from)
		case e.from < micros(t["release"]) || e.from < micros(n.doc.Jobs[j]["release"]):
			return nil, fmt.Errorf("task %s starts at %d", e.task, e.from)
		}
		at[e.task], last[j] = e, max(last[j], e.until)
		if n.byTask {
			sum.Add(sum, new(big.Int).Mul(weight(j, t), big.NewInt(e.until)))
		}
	}
	after := func(u, v string, delay int64) error {
		if at[v].from < at[u].until+delay {
			return fmt.Errorf("%s starts before %s lets it", v, u)
		}
		return nil
	}
	var errs []error
	for _, d := range n.doc.Delays {
		for u := range n.doc.Tasks {
			if n.doc.Tasks[u]["id"] == d["from"] {
				own[jobOf(u)] = true
			}
		}
		errs = append(errs, after(d["from"].(string), d["to"].(string), micros(d["delay"])))
	}
	for u, a := range n.doc.Tasks {
		for v, b := range n.doc.Tasks {
			if jobOf(u) == jobOf(v) && !own[jobOf(u)] && a["kind"] == "map" && b["kind"] == "reduce" {
				errs = append(errs, after(a["id"].(string), b["id"].(string), micros(a["shuffle_delay"])))
			}
		}
	}
	for j, end := range last {
		if !n.byTask {
			sum.Add(sum, new(big.Int).Mul(weight(j, nil), big.NewInt(end)))
		}
	}
	return perMillion(sum, 2), errors.Join(errs...)
}

// runHTA is the makespan of an assignment.
func (n *naive) runHTA(list []entry) (*big.Rat, error) {
	at := map[string]string{}
	for _, e := range list {
		at[e.task] = e.machine
	}
	cost, servers := n.doc.assignment(at)
	end, most := map[string]int64{}, int64(0)
	for _, e := range list {
		if !slices.Contains(servers, e.machine) {
			return nil, fmt.Errorf("server %s", e.machine)
		}
		if e.from != end[e.machine] || e.until != e.from+cost[e.task] {
			return nil, fmt.Errorf("task %s from %d to %d", e.task, e.from, e.until)
		}
		end[e.machine] = e.until
		most = max(most, e.until)
	}
	return perMillion(big.NewInt(most), 1), nil
}

// runPlacement is the fetching cost. Times are those of the honest schedule, as they depend on no placement.
func (n *naive) runPlacement(list []entry) (*big.Rat, error) {
	in := n.view.(*reduceplace.Instance)
	sum := new(big.Rat)
	for k, e := range list {
		r := n.before[k+1]
		if r[startColumn] != n.rows[k+1][startColumn] || r[endColumn] != n.rows[k+1][endColumn] || r[ownColumns+1] != e.own[1] {
			return nil, fmt.Errorf("%s has other times", e.task)
		}
		t, ok := in.FindTask(e.task)
		s, ok2 := in.Machine(e.machine)
		if !ok || !ok2 {
			return nil, fmt.Errorf("%s on %s", e.task, e.machine)
		}
		bytes, parts := in.Data(in.JobOf(int32(t)), int32(t))
		price := perMillion(big.NewInt(int64(in.Cost[s])), 1)
		cost := new(big.Rat).Mul(price, big.NewRat(int64(bytes), int64(parts)))
		if e.own[2] != string(model.LowerNumber(price)) || e.own[3] != string(model.LowerNumber(cost)) {
			return nil, fmt.Errorf("%s costs %s, on a slot that costs %s", e.task, e.own[3], e.own[2])
		}
		sum.Add(sum, cost)
		for _, o := range list[:k] {
			if o.machine == e.machine && o.from < e.until && e.from < o.until {
				return nil, fmt.Errorf("%s and %s overlap", e.task, o.task)
			}
		}
	}
	return sum, nil
}

// runRealtime is the number of missed deadlines, or the makespan of the reduce phases.
func (n *naive) runRealtime(list []entry) (*big.Rat, error) {
	in := n.view.(*realtime.Instance)
	ready, slots, end := slices.Clone(in.Release), make([]map[string]bool, in.Jobs), slices.Clone(in.Release)
	last := make([]int64, in.Jobs)
	parts := map[string]int{}
	for _, e := range list {
		u, ok := in.FindTask(e.task)
		m, ok2 := in.Machine(e.machine)
		if !ok || !ok2 || in.SlotKind[m] != in.KindOf(int32(u)) {
			return nil, fmt.Errorf("%s on %s", e.task, e.machine)
		}
		j := in.JobOf(int32(u))
		parts[e.task]++
		if p := in.Time(int32(u), in.WorkerOf[m]); e.until-e.from != int64(p) {
			return nil, fmt.Errorf("%s takes %d", e.task, e.until-e.from)
		}
		last[j], end[j] = max(last[j], e.until), max(end[j], model.Time(e.until))
		if in.IsMap(int32(u)) {
			if e.from < int64(in.TaskRelease[u]) {
				return nil, fmt.Errorf("%s starts at %d", e.task, e.from)
			}
			ready[j] = max(ready[j], model.Time(e.until)+in.Shuffle[u])
			continue
		}
		if slots[j] == nil {
			slots[j] = map[string]bool{}
		}
		if slots[j][e.machine] = true; len(slots[j]) > int(in.Reducers[j]) {
			return nil, fmt.Errorf("%s is on one slot too many", e.task)
		}
	}
	if in.Goal == realtime.Partitions {
		most := int64(0)
		for j := range ready {
			ready[j] = model.Time(most)
			most = max(most, last[j])
		}
	}
	most, missed := int64(0), int64(0)
	for _, e := range list {
		u, _ := in.FindTask(e.task)
		if most = max(most, e.until); parts[e.task] > 1 || !in.IsMap(int32(u)) && e.from < int64(ready[in.JobOf(int32(u))]) {
			return nil, fmt.Errorf("%s starts at %d, or is in pieces", e.task, e.from)
		}
	}
	for j, at := range end {
		if in.Due[j] != realtime.NoDeadline && at > in.Due[j] {
			missed++
		}
	}
	if in.Goal == realtime.Partitions {
		return perMillion(big.NewInt(most), 1), nil
	}
	return big.NewRat(missed, 1), nil
}

// crossing is what has to cross a link within a window.
type crossing struct {
	from, until int64
	bytes       float64
}

// runMultitenant is the makespan. What links can carry is looked at in every interval between two ends of windows: what has to
// cross within it fits, but for what rounding may cost, some microseconds and a byte for each.
func (n *naive) runMultitenant(list []entry) (*big.Rat, error) {
	in := n.view.(*multitenant.Instance)
	type place struct {
		entry
		task, worker int32
		compute      int64
	}
	var all []place
	most, mapsEnd := int64(0), make([]int64, in.Jobs)
	for _, e := range list {
		u, ok := in.FindTask(e.task)
		m, ok2 := in.Machine(e.machine)
		if !ok || !ok2 || in.SlotKind[m] != in.KindOf(int32(u)) {
			return nil, fmt.Errorf("%s on %s", e.task, e.machine)
		}
		p := place{e, int32(u), in.WorkerOf[m], int64(in.Compute(int32(u), in.WorkerOf[m]))}
		j := in.JobOf(p.task)
		if most = max(most, e.until); e.from < int64(in.Arrival[j]) || e.until-e.from < p.compute {
			return nil, fmt.Errorf("%s from %d to %d", e.task, e.from, e.until)
		}
		if in.IsMap(p.task) {
			near := in.Locality(p.task, p.worker)
			mapsEnd[j] = max(mapsEnd[j], e.until)
			if near == model.NodeLocal && e.until-e.from != p.compute || e.until-e.from < p.compute+int64(in.ReadTime(p.task, p.worker)) {
				return nil, fmt.Errorf("map %s takes %d", e.task, e.until-e.from)
			}
		}
		all = append(all, p)
	}
	loads := map[string][]crossing{}
	rate := map[string]int64{}
	add := func(name string, capacity int64, c crossing) {
		if capacity > 0 && c.bytes > 0 {
			loads[name], rate[name] = append(loads[name], c), capacity
		}
	}
	for _, p := range all {
		j, rack, until := in.JobOf(p.task), in.RackOf[p.worker], p.until-p.compute
		if in.IsMap(p.task) {
			c := crossing{p.from, until, float64(in.Input[p.task])}
			switch in.Locality(p.task, p.worker) {
			case model.Remote:
				from := in.RackOf[in.Source(p.task, p.worker)]
				add(fmt.Sprint("out", from), in.Uplink[from], c)
				add(fmt.Sprint("in", rack), in.Uplink[rack], c)
				fallthrough
			case model.RackLocal:
				add(fmt.Sprint("fabric", rack), in.Fabric[rack], c)
			}
			continue
		}
		if p.from < int64(in.Arrival[j]) || until < mapsEnd[j] {
			return nil, fmt.Errorf("reduce %s ends at %d", p.entry.task, p.until)
		}
		first, put := map[int32]int64{}, map[int32]float64{} // by rack of the job's maps
		for _, m := range all {
			if k := in.RackOf[m.worker]; in.IsMap(m.task) && in.JobOf(m.task) == j && in.Output[m.task] > 0 || in.IsMap(m.task) && in.JobOf(m.task) == j {
				if at, ok := first[k]; !ok || m.until < at {
					first[k] = m.until
				}
				put[k] += float64(in.Output[m.task])
			}
		}
		whole, foreign := crossing{until, until, 0}, crossing{until, until, 0}
		for k, bytes := range put {
			c := crossing{max(p.from, first[k]), until, bytes / float64(in.Reduces(j))}
			if bytes == 0 {
				continue
			}
			whole = crossing{min(whole.from, c.from), until, whole.bytes + c.bytes}
			if k != rack {
				foreign = crossing{min(foreign.from, c.from), until, foreign.bytes + c.bytes}
				add(fmt.Sprint("out", k), in.Uplink[k], c)
			}
		}
		add(fmt.Sprint("in", rack), in.Uplink[rack], foreign)
		add(fmt.Sprint("fabric", rack), in.Fabric[rack], whole)
		add(fmt.Sprint("node of ", p.entry.task), in.Bandwidth[p.worker], whole)
	}
	for name, list := range loads {
		slices.SortFunc(list, func(a, b crossing) int { return cmp.Compare(a.from, b.from) })
		for _, a := range list {
			for _, b := range list {
				if b.until < a.from {
					continue
				}
				within := 0.0
				for _, c := range list {
					if c.from >= a.from && c.until <= b.until {
						within += c.bytes
					}
				}
				if room := float64(b.until-a.from+10)/1e6*float64(rate[name]) + float64(len(list)); within > room*(1+1e-12) {
					return nil, fmt.Errorf("%s carries %g bytes, not %g", name, room, within)
				}
			}
		}
	}
	return perMillion(big.NewInt(most), 1), nil
}
