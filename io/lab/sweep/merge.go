package sweep

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"mrsched/io/textpos"
	"mrsched/model"
)

// Merged is a sweep's plan with the rows found.
type Merged struct {
	Plan    *Plan
	Runs    []Run
	Missing []Run // those without a row
	Foreign int   // rows of no run of the plan
	Damaged int   // lines that are not as they were written
	Differ  int   // runs with rows that are not alike
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

// WriteRuns writes sweep.csv: one line per run, in the plan's order.
func (m *Merged) WriteRuns(w io.Writer) error {
	made, looked := m.statedNames()
	out := textpos.NewCSVWriter(w)
	write := func(k int, cells [][2]string) error {
		record := make([]string, len(cells))
		for i := range cells {
			record[i] = cells[i][k]
		}
		return out.Write(record)
	}
	if err := write(0, m.cells(&Instance{}, &Variant{}, Run{}, &Row{}, made, looked)); err != nil {
		return err
	}
	err := m.each(func(run Run, row *Row) error {
		in, v := &m.Plan.Instances[run.Instance], &m.Plan.Variants[run.Variant]
		return write(1, m.cells(in, v, run, row, made, looked))
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// seedName is the generator's seed among the columns of an instance.
const seedName = "seed"

// statedNames are the parameters of generators and of algorithms that the spec states anywhere.
func (m *Merged) statedNames() (made, looked []string) {
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
	made, looked = slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))
	if generated {
		made = append(made, seedName)
	}
	return made, looked
}

// cells are the columns of sweep.csv, each with its name: the run from the plan, its outcome from the row.
func (m *Merged) cells(in *Instance, v *Variant, run Run, row *Row, made, looked []string) [][2]string {
	count := func(n int) string {
		if row.Instance.SHA256 == "" {
			return ""
		}
		return strconv.Itoa(n)
	}
	list := [][2]string{{"id", run.ID}, {"group", in.Group}, {"instance", in.Name}, {"sha256", row.Instance.SHA256},
		{"jobs", count(row.Instance.Jobs)}, {"tasks", count(row.Instance.Tasks)},
		{"machines", count(row.Instance.Machines)}}
	for _, name := range made {
		cell := in.Parameters[name]
		if name == seedName && in.Generate != "" {
			cell = strconv.FormatUint(in.Seed, 10)
		}
		list = append(list, [2]string{"instance." + name, cell})
	}
	list = append(list, [][2]string{{"problem", in.Problem}, {"algorithm", v.Algorithm},
		{"seed", strconv.FormatUint(run.Seed, 10)}}...)
	for _, name := range looked {
		list = append(list, [2]string{"parameter." + name, v.stated(name)})
	}
	o, b, g := valueOf(row.Objective), valueOf(row.LowerBound), valueOf(row.Guarantee)
	list = append(list, [][2]string{{"status", string(row.Status)}, {"objective_name", o.Name},
		{"objective", string(o.Value)}, {"lower_bound", string(b.Value)}, {"method", b.Method},
		{"ratio", string(row.Ratio)}, {"guarantee", string(g.Factor)}, {"additive", string(g.Additive)},
		{"verdict", g.Verdict}}...)
	for _, name := range m.metrics {
		cell := ""
		if x, ok := row.Metrics[name]; ok {
			cell = fmt.Sprint(x)
		}
		list = append(list, [2]string{"metric." + name, cell})
	}
	return append(list, [][2]string{{"code", row.Code}, {"note", row.Note}}...)
}

// valueOf is what a pointer points to; nil points to a zero value.
func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
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

// WriteSummary writes summary.csv: one line per group, algorithm and parameters, in the plan's order.
func (m *Merged) WriteSummary(w io.Writer) error {
	header := []string{"group", "problem", "algorithm", "parameters", "runs", "missing", "errors", "skipped", "limits",
		"optimal", "worst_verdict", "objective_name"}
	for _, name := range []string{"objective", "ratio"} {
		for _, what := range []string{"n", "mean", "low", "high", "min", "median", "max"} {
			header = append(header, name+"_"+what)
		}
	}
	records := [][]string{header}
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
		records = append(records, cells)
	}
	return textpos.NewCSVWriter(w).WriteAll(records)
}
