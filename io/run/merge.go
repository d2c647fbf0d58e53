package run

import (
	"maps"
	"slices"
	"strconv"

	"mrsched/io/result"
	"mrsched/io/show"
)

// Merged is a sweep's plan with the rows found.
type Merged struct {
	Plan    *Plan
	Runs    []Run
	Missing []Run // those without a row
	Foreign int   // rows of runs outside the plan
	Damaged int   // damaged lines
	Differ  int   // runs with differing rows
	// Mixed are instances whose rows state different digests: the file or generator has changed.
	Mixed  []string
	Groups []*Group // the lines of the summary, in the plan's order

	logs    *logs
	group   map[[4]string]*Group
	metrics []string // of some row, sorted
}

// Merge reads a sweep's directory: the plan and every shard's rows. The caller closes what it returns.
func Merge(dir string) (*Merged, error) {
	p, err := ReadPlan(dir)
	if err != nil {
		return nil, err
	}
	l, err := openLogs(dir)
	if err != nil {
		return nil, err
	}
	m := &Merged{Plan: p, Runs: p.Runs(), Damaged: l.damaged, logs: l, group: map[[4]string]*Group{}}
	for _, run := range m.Runs {
		m.groupOf(run).Missing++
		if _, ok := l.rows[run.ID]; !ok {
			m.Missing = append(m.Missing, run)
		}
		if l.differ[run.ID] {
			m.Differ++
		}
	}
	m.Foreign = len(l.rows) - (len(m.Runs) - len(m.Missing))
	if err := m.summarize(); err != nil {
		l.close()
		return nil, err
	}
	return m, nil
}

// Close closes the logs.
func (m *Merged) Close() { m.logs.close() }

// groupOf finds or begins the group of a run.
func (m *Merged) groupOf(run Run) *Group {
	in, v := &m.Plan.Instances[run.Instance], &m.Plan.Variants[run.Variant]
	key := [4]string{in.Group, in.Problem, v.Algorithm, v.StatedText()}
	if m.group[key] == nil {
		m.group[key] = &Group{Name: key[0], Problem: key[1], Algorithm: key[2], Parameters: key[3]}
		m.Groups = append(m.Groups, m.group[key])
	}
	return m.group[key]
}

// each visits the runs that have a row, in the plan's order.
func (m *Merged) each(visit func(run Run, row *Row) error) error {
	for _, run := range m.Runs {
		row, err := m.logs.row(run.ID)
		if err == nil && row != nil {
			err = visit(run, row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// summarize goes through the rows once, for the statistics and the columns.
func (m *Merged) summarize() error {
	metrics, digests, mixed := map[string]bool{}, map[int]string{}, map[int]bool{}
	err := m.each(func(run Run, row *Row) error {
		m.groupOf(run).add(run, row)
		for name := range row.Metrics {
			metrics[name] = true
		}
		if d := row.Instance.SHA256; d != "" {
			if old, ok := digests[run.Instance]; ok && old != d {
				mixed[run.Instance] = true
			}
			digests[run.Instance] = d
		}
		return nil
	})
	m.metrics = slices.Sorted(maps.Keys(metrics))
	for _, i := range slices.Sorted(maps.Keys(mixed)) {
		m.Mixed = append(m.Mixed, m.Plan.Instances[i].Name)
	}
	for _, g := range m.Groups {
		g.Objective, g.Ratio = g.objectives.statistics(), g.ratios.statistics()
	}
	return err
}

// found is a run with its row.
type found struct {
	Run
	in   *Instance
	v    *Variant
	row  *Row
	flat result.BatchRow
}

// column is a column of sweep.csv.
type column struct {
	name string
	text func(*found) string
}

// columns are those of sweep.csv: the run from the plan, its outcome from the row.
func (m *Merged) columns() []column {
	size := func(of func(RowInstance) int) func(*found) string {
		return func(x *found) string {
			if x.row.Instance.SHA256 == "" {
				return ""
			}
			return strconv.Itoa(of(x.row.Instance))
		}
	}
	list := []column{
		{"id", func(x *found) string { return x.ID }},
		{"group", func(x *found) string { return x.in.Group }},
		{"instance", func(x *found) string { return x.in.Name }},
		{"sha256", func(x *found) string { return x.row.Instance.SHA256 }},
		{"jobs", size(func(in RowInstance) int { return in.Jobs })},
		{"tasks", size(func(in RowInstance) int { return in.Tasks })},
		{"machines", size(func(in RowInstance) int { return in.Machines })},
	}
	for _, name := range stated(m.Plan.Instances, func(in *Instance) []string { return in.Stated }) {
		list = append(list, column{"instance." + name, func(x *found) string { return x.in.Parameters[name] }})
	}
	if slices.ContainsFunc(m.Plan.Instances, func(in Instance) bool { return in.Generate != "" }) {
		list = append(list, column{"instance.seed", func(x *found) string {
			if x.in.Generate == "" {
				return ""
			}
			return strconv.FormatUint(x.in.Seed, 10)
		}})
	}
	list = append(list,
		column{"problem", func(x *found) string { return x.in.Problem }},
		column{"algorithm", func(x *found) string { return x.v.Algorithm }},
		column{"seed", func(x *found) string { return strconv.FormatUint(x.Seed, 10) }})
	for _, name := range stated(m.Plan.Variants, func(v *Variant) []string { return v.Stated }) {
		list = append(list, column{"parameter." + name, func(x *found) string { return x.v.stated(name) }})
	}
	list = append(list,
		column{"status", func(x *found) string { return string(x.flat.Status) }},
		column{"objective_name", func(x *found) string { return x.flat.Name }},
		column{"objective", func(x *found) string { return string(x.flat.Objective) }},
		column{"lower_bound", func(x *found) string { return string(x.flat.LowerBound) }},
		column{"method", func(x *found) string { return x.flat.Method }},
		column{"ratio", func(x *found) string { return string(x.flat.Ratio) }},
		column{"guarantee", func(x *found) string { return string(x.flat.Factor) }},
		column{"additive", func(x *found) string { return string(x.flat.Additive) }},
		column{"verdict", func(x *found) string { return x.flat.Verdict }})
	for _, name := range m.metrics {
		list = append(list, column{"metric." + name, func(x *found) string { return show.Metric(x.row.Metrics, name) }})
	}
	return append(list,
		column{"code", func(x *found) string { return x.row.Code }},
		column{"note", func(x *found) string { return x.row.Note }})
}

// stated are the names that some of a list states, sorted.
func stated[T any](list []T, of func(*T) []string) []string {
	set := map[string]bool{}
	for i := range list {
		for _, name := range of(&list[i]) {
			set[name] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// RunRecords are sweep.csv: one line per run, in the plan's order.
func (m *Merged) RunRecords() show.Records {
	var r show.Records
	columns := m.columns()
	for _, c := range columns {
		r.Columns = append(r.Columns, show.Column{Name: c.name})
	}
	record := make([]string, len(columns))
	r.Each = func(write func(row []string) error) error {
		return m.each(func(run Run, row *Row) error {
			x := &found{run, &m.Plan.Instances[run.Instance], &m.Plan.Variants[run.Variant], row, row.Flat()}
			for i, c := range columns {
				record[i] = c.text(x)
			}
			return write(record)
		})
	}
	return r
}
