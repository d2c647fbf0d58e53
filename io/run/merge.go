package run

import (
	"maps"
	"slices"
	"strconv"

	"mrsched/io/show"
	"mrsched/model"
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

// Merge reads a sweep's directory: the plan and every shard's rows.
func Merge(dir string) (*Merged, error) {
	p, err := ReadPlan(dir)
	if err != nil {
		return nil, err
	}
	l, err := readLogs(dir)
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
	return m, m.summarize()
}

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
	r, err := m.logs.open()
	if err != nil {
		return err
	}
	defer r.close()
	for _, run := range m.Runs {
		at, ok := m.logs.rows[run.ID]
		if !ok {
			continue
		}
		row, err := r.row(at)
		if err != nil {
			return err
		}
		if err := visit(run, row); err != nil {
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

// RunRecords are sweep.csv: one line per run, in the plan's order.
func (m *Merged) RunRecords() show.Records {
	made, looked := m.stated()
	var r show.Records
	for _, c := range m.cells(&Instance{}, &Variant{}, Run{}, &Row{}, made, looked) {
		r.Columns = append(r.Columns, c.column)
	}
	r.Each = func(write func(row []string) error) error {
		return m.each(func(run Run, row *Row) error {
			in, v := &m.Plan.Instances[run.Instance], &m.Plan.Variants[run.Variant]
			var record []string
			for _, c := range m.cells(in, v, run, row, made, looked) {
				record = append(record, c.text)
			}
			return write(record)
		})
	}
	return r
}

// seedName is the generator's seed among the columns of an instance.
const seedName = "seed"

// stated are the parameters of generators and of algorithms that the spec states anywhere.
func (m *Merged) stated() (made, looked []show.Column) {
	a, b, generated := map[string]bool{}, map[string]bool{}, false
	for _, in := range m.Plan.Instances {
		generated = generated || in.Generate != ""
		for _, name := range in.Stated {
			a[name] = true
		}
	}
	for _, v := range m.Plan.Variants {
		for _, name := range v.Stated {
			b[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		text := func(in Instance) bool { return !isNumber(in.Parameters[name]) }
		made = append(made, show.Column{Name: name, Number: !slices.ContainsFunc(m.Plan.Instances, text)})
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		text := func(v Variant) bool { return !isNumber(v.stated(name)) }
		looked = append(looked, show.Column{Name: name, Number: !slices.ContainsFunc(m.Plan.Variants, text)})
	}
	if generated {
		made = append(made, show.Counts(seedName)...)
	}
	return made, looked
}

// cell is a text with its column.
type cell struct {
	column show.Column
	text   string
}

// cells are the columns of sweep.csv: the run from the plan, its outcome from the row.
func (m *Merged) cells(in *Instance, v *Variant, run Run, row *Row, made, looked []show.Column) (list []cell) {
	add := func(columns []show.Column, texts ...string) {
		for i, c := range columns {
			list = append(list, cell{c, texts[i]})
		}
	}
	count := func(n int) string {
		if row.Instance.SHA256 == "" {
			return ""
		}
		return strconv.Itoa(n)
	}
	add(show.Texts("id", "group", "instance", "sha256"), run.ID, in.Group, in.Name, row.Instance.SHA256)
	add(show.Counts("jobs", "tasks", "machines"), count(row.Instance.Jobs), count(row.Instance.Tasks),
		count(row.Instance.Machines))
	for _, c := range made {
		text := in.Parameters[c.Name]
		if c.Name == seedName && in.Generate != "" {
			text = strconv.FormatUint(in.Seed, 10)
		}
		c.Name = "instance." + c.Name
		add([]show.Column{c}, text)
	}
	add(show.Texts("problem", "algorithm"), in.Problem, v.Algorithm)
	add(show.Counts("seed"), strconv.FormatUint(run.Seed, 10))
	for _, c := range looked {
		text := v.stated(c.Name)
		c.Name = "parameter." + c.Name
		add([]show.Column{c}, text)
	}
	f := row.Flat()
	add(show.Texts("status", "objective_name"), string(f.Status), f.Name)
	add(show.Numbers("objective", "lower_bound"), string(f.Objective), string(f.LowerBound))
	add(show.Texts("method"), f.Method)
	add(show.Numbers("ratio", "guarantee", "additive"), string(f.Ratio), string(f.Factor), string(f.Additive))
	add(show.Texts("verdict"), f.Verdict)
	for _, name := range m.metrics {
		add(show.Numbers("metric."+name), show.Metric(row.Metrics, name))
	}
	add(show.Texts("code", "note"), row.Code, row.Note)
	return list
}

// isNumber says that a parameter's value is a number, or unknown.
func isNumber(text string) bool {
	f, err := strconv.ParseFloat(text, 64)
	return text == "" || err == nil && textOf(f) == text
}

// Group is a line of the summary: an algorithm with its parameters on the instances of a group.
type Group struct {
	Name       string     `json:"group"`
	Problem    string     `json:"problem,omitempty"`
	Algorithm  string     `json:"algorithm"`
	Parameters string     `json:"parameters,omitempty"`
	Runs       int        `json:"runs"`    // with a row
	Missing    int        `json:"missing"` // without one
	Errors     int        `json:"errors"`
	Skipped    int        `json:"skipped"`
	Limits     int        `json:"-"`
	Optimal    int        `json:"-"`
	Measure    string     `json:"objective_name,omitempty"` // empty: no run has a schedule
	Objective  Statistics `json:"objective,omitzero"`
	Ratio      Statistics `json:"ratio,omitzero"`          // objective over lower bound, rounded up as in the rows
	Verdict    string     `json:"worst_verdict,omitempty"` // empty: nothing is promised

	objectives, ratios samples
}

// verdicts from the best to the worst.
var verdicts = []string{"", model.VerdictProven, model.VerdictUnknown, model.VerdictViolated}

// add counts a row.
func (g *Group) add(run Run, row *Row) {
	g.Runs++
	g.Missing--
	switch row.Status {
	case StatusError:
		g.Errors++
	case model.StatusSkipped:
		g.Skipped++
	case model.StatusLimit:
		g.Limits++
	case model.StatusOptimal:
		g.Optimal++
	}
	if row.Objective != nil {
		g.Measure = row.Objective.Name
		g.objectives.add(run.Instance, row.Objective.Value)
	}
	g.ratios.add(run.Instance, row.Ratio)
	if row.Guarantee != nil && slices.Index(verdicts, row.Guarantee.Verdict) > slices.Index(verdicts, g.Verdict) {
		g.Verdict = row.Guarantee.Verdict
	}
}

// SummaryRecords are summary.csv: one line per group, algorithm and parameters, in the plan's order.
func (m *Merged) SummaryRecords() show.Records {
	r := show.Records{Columns: slices.Concat(show.Texts("group", "problem", "algorithm", "parameters"),
		show.Counts("runs", "missing", "errors", "skipped", "limits", "optimal"),
		show.Texts("worst_verdict", "objective_name"))}
	for _, name := range []string{"objective", "ratio"} {
		r.Columns = append(r.Columns, show.Counts(name+"_n")...)
		for _, what := range []string{"mean", "low", "high", "min", "median", "max"} {
			r.Columns = append(r.Columns, show.Numbers(name+"_"+what)...)
		}
	}
	r.Each = func(write func(row []string) error) error {
		for _, g := range m.Groups {
			cells := []string{g.Name, g.Problem, g.Algorithm, g.Parameters}
			for _, n := range []int{g.Runs + g.Missing, g.Missing, g.Errors, g.Skipped, g.Limits, g.Optimal} {
				cells = append(cells, strconv.Itoa(n))
			}
			cells = append(cells, g.Verdict, g.Measure)
			for _, s := range []Statistics{g.Objective, g.Ratio} {
				cells = append(cells, strconv.Itoa(s.Runs), string(s.Mean), string(s.Low), string(s.High), string(s.Min),
					string(s.Median), string(s.Max))
			}
			if err := write(cells); err != nil {
				return err
			}
		}
		return nil
	}
	return r
}
