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
	Differ  int   // runs of which there are rows that are not alike
	// Mixed are instances whose rows state different digests: the file or generator has changed.
	Mixed  []string
	Groups []*Group // what the summary is about, in the plan's order

	logs    *logs
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
	m := &Merged{Plan: p, Runs: p.Runs(), Damaged: l.damaged, logs: l}
	found := 0
	for _, run := range m.Runs {
		if _, ok := l.rows[run.ID]; ok {
			found++
		} else {
			m.Missing = append(m.Missing, run)
		}
	}
	m.Foreign = len(l.rows) - found
	m.Differ = m.alike()
	return m, m.summarize()
}

// alike counts the plan's runs that have rows with different contents.
func (m *Merged) alike() int {
	if len(m.logs.differ) == 0 {
		return 0
	}
	differ := map[string]bool{}
	for _, id := range m.logs.differ {
		differ[id] = true
	}
	n := 0
	for _, run := range m.Runs {
		if differ[run.ID] {
			n++
		}
	}
	return n
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
	groups := map[string]*Group{}
	for _, run := range m.Runs {
		in, v := &m.Plan.Instances[run.Instance], &m.Plan.Variants[run.Variant]
		key := fmt.Sprintf("%q %q %q %q", in.Group, in.Problem, v.Algorithm, v.StatedText())
		g := groups[key]
		if g == nil {
			g = &Group{Name: in.Group, Problem: in.Problem, Algorithm: v.Algorithm, Parameters: v.StatedText()}
			groups[key] = g
			m.Groups = append(m.Groups, g)
		}
		g.Runs++
	}
	err := m.each(func(run Run, row *Row) error {
		in, v := &m.Plan.Instances[run.Instance], &m.Plan.Variants[run.Variant]
		groups[fmt.Sprintf("%q %q %q %q", in.Group, in.Problem, v.Algorithm, v.StatedText())].add(run, row)
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
	return err
}

// Count is how many runs have a row of a status.
func (m *Merged) Count(status model.Status) int {
	n := 0
	for _, g := range m.Groups {
		n += g.statuses[status]
	}
	return n
}

// Columns of sweep.csv before and after those that depend on the sweep.
var (
	headColumns = []string{"id", "group", "instance", "sha256", "jobs", "tasks", "machines"}
	bodyColumns = []string{"problem", "algorithm", "seed"}
	tailColumns = []string{"status", "objective_name", "objective", "lower_bound", "method", "ratio", "guarantee",
		"additive", "verdict"}
	lastColumns = []string{"code", "note"}
)

// WriteRuns writes sweep.csv: one line per run, in the plan's order.
func (m *Merged) WriteRuns(w io.Writer) error {
	made, looked := m.statedNames()
	header := slices.Clone(headColumns)
	for _, name := range made {
		header = append(header, "instance."+name)
	}
	header = append(header, bodyColumns...)
	for _, name := range looked {
		header = append(header, "parameter."+name)
	}
	header = append(header, tailColumns...)
	for _, name := range m.metrics {
		header = append(header, "metric."+name)
	}
	out := textpos.NewCSVWriter(w)
	if err := out.Write(append(header, lastColumns...)); err != nil {
		return err
	}
	err := m.each(func(run Run, row *Row) error {
		return out.Write(m.cells(run, row, made, looked))
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
	a, b := map[string]bool{}, map[string]bool{}
	for i := range m.Plan.Instances {
		for _, name := range m.Plan.Instances[i].Stated {
			a[name] = true
		}
	}
	for i := range m.Plan.Variants {
		for _, name := range m.Plan.Variants[i].Stated {
			b[name] = true
		}
	}
	made, looked = slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))
	if slices.ContainsFunc(m.Plan.Instances, func(in Instance) bool { return in.Generate != "" }) {
		made = append(made, seedName)
	}
	return made, looked
}

// cells are a line of sweep.csv: the run from the plan, its outcome from the row.
func (m *Merged) cells(run Run, row *Row, made, looked []string) []string {
	in, v := &m.Plan.Instances[run.Instance], &m.Plan.Variants[run.Variant]
	count := func(n int) string {
		if row.Instance.SHA256 == "" {
			return ""
		}
		return strconv.Itoa(n)
	}
	cells := []string{run.ID, in.Group, in.Name, row.Instance.SHA256, count(row.Instance.Jobs), count(row.Instance.Tasks),
		count(row.Instance.Machines)}
	for _, name := range made {
		switch {
		case in.Generate == "":
			cells = append(cells, "")
		case name == seedName:
			cells = append(cells, strconv.FormatUint(in.Seed, 10))
		default:
			cells = append(cells, in.Parameters[name])
		}
	}
	cells = append(cells, in.Problem, v.Algorithm, strconv.FormatUint(run.Seed, 10))
	for _, name := range looked {
		cells = append(cells, v.stated(name))
	}
	o, b, g := model.Objective{}, model.LowerBound{}, RowGuarantee{}
	if row.Objective != nil {
		o = *row.Objective
	}
	if row.LowerBound != nil {
		b = *row.LowerBound
	}
	if row.Guarantee != nil {
		g = *row.Guarantee
	}
	cells = append(cells, string(row.Status), o.Name, string(o.Value), string(b.Value), b.Method, string(row.Ratio),
		string(g.Factor), string(g.Additive), g.Verdict)
	for _, name := range m.metrics {
		cell := ""
		if x, ok := row.Metrics[name]; ok {
			cell = fmt.Sprint(x)
		}
		cells = append(cells, cell)
	}
	return append(cells, row.Code, row.Note)
}
