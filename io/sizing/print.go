package sizing

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/show"
	"mrsched/io/workload"
	"mrsched/model"
)

// TableFile stands in a directory of sizes, beside an instance and a result for each size.
const TableFile = "sizes.csv"

// Table has a row for each size that was solved.
func (a *Answer) Table(o Options) *show.Table {
	about := o.Problem.Results
	objective := show.Described(about.Quantity(o.objective()))
	objective.Number = true
	method := show.Column{Name: "method", Title: "BOUND BY", Rank: 5}
	searched := func(r *Row) bool { return r.Bound != nil && !slices.Contains(about.Bounds, r.Method) }
	if slices.ContainsFunc(a.Rows, searched) {
		method.About = "exact: by a complete search, which check repeats, and not by a certificate"
	}
	t := &show.Table{Columns: []show.Column{{Name: "nodes", Whole: true}, {Name: "verdict"},
		{Name: "status", Rank: 2}, objective, {Name: "lower_bound", Number: true, Unit: objective.Unit},
		method, {Name: "bound_of", Whole: true, Rank: 4, About: "the number of nodes whose result proves the bound; it " +
			"holds for fewer"}, show.GapColumn()}}
	if !o.Deadline.Known {
		t.Columns = append(t.Columns[:1], t.Columns[2:]...)
	}
	for _, r := range a.Rows {
		row := []string{strconv.Itoa(r.Machines)}
		if o.Deadline.Known {
			row = append(row, string(r.Verdict))
		}
		t.Add(append(row, r.cells()...)...)
	}
	return t
}

// objective is the name of what the sizes cost.
func (o *Options) objective() string { return o.Params.Text(objectiveParam) }

// cells are a row's status, cost, bound, its method and size, and the gap.
func (r *Row) cells() []string {
	if r.Result == nil {
		return []string{"infeasible", "", "", "input", strconv.Itoa(r.Machines), ""}
	}
	cells := []string{string(r.status()), "", "", "", "", ""}
	if r.Result.Objective != nil {
		cells[1] = string(r.Result.Objective.Value)
	}
	if r.Bound != nil {
		cells[2], cells[3], cells[4] = string(model.LowerNumber(r.Bound)), r.Method, strconv.Itoa(r.From)
	}
	if r.status() == model.StatusOptimal {
		cells[5] = "1"
	} else if r.Bound != nil && r.Bound.Sign() > 0 && r.Result.Objective != nil {
		cost, _ := show.Rational(r.Result.Objective.Value)
		cells[5] = model.FormatRat(cost.Quo(cost, r.Bound), model.ValueDigits, model.RoundUp)
	}
	return cells
}

// status is that of the result, or optimal if a larger size's bound equals the cost.
func (r *Row) status() model.Status {
	if r.cost != nil && r.Bound != nil && r.cost.Cmp(r.Bound) == 0 {
		return model.StatusOptimal
	}
	return r.Result.Status
}

// Summary says in sentences what is known about the deadline or, without one, for which sizes there was no time.
func (a *Answer) Summary(o Options) (lines []string) {
	if !o.Deadline.Known {
		if left := o.Sizes[len(a.Rows):]; len(left) > 0 {
			lines = append(lines, "no time was left for: "+between(left))
		}
		return lines
	}
	due, count := show.Time(o.Deadline.Value), func(n int) string { return show.Counted(n, "node") }
	if o.Workload.Origin.Known() {
		due = o.Workload.At(o.Deadline.Value) + " (" + due + " after time 0)"
	}
	if a.Most > 0 {
		lines = append(lines, fmt.Sprintf("proven: with %s or fewer, some task ends after %s", count(a.Most), due))
	}
	if a.Least > 0 {
		lines = append(lines, fmt.Sprintf("found: with %s, all tasks end by %s", count(a.Least), due))
	}
	if open := slices.DeleteFunc(slices.Clone(o.Sizes), func(n int) bool {
		return n <= a.Most || a.Least > 0 && n >= a.Least
	}); len(open) > 0 {
		lines = append(lines, "open: "+between(open)+"; no schedule that was found ends by then, and no bound proves that "+
			"none does")
	}
	return lines
}

// between names some sizes; of a range its first and last.
func between(sizes []int) string {
	if first, last := sizes[0], sizes[len(sizes)-1]; first < last && last-first == len(sizes)-1 {
		return fmt.Sprintf("%d to %d", first, last)
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(sizes), " ", ", "), "[]")
}

// without says which sizes have no schedule and why: what a size lacks, all smaller ones lack.
func (a *Answer) without() (lines []string) {
	for i, r := range a.Rows {
		count := show.Counted(r.Machines, "node")
		if r.Why == nil {
			if why := r.none(); why != "" {
				lines = append(lines, count+": "+why)
			}
		} else if i+1 == len(a.Rows) || a.Rows[i+1].Why == nil {
			if r.Machines > 1 {
				count += " or fewer"
			}
			lines = append(lines, count+": "+r.Why.String())
		}
	}
	return lines
}

// Lacking says which named resources the added nodes of the sizes do not have; empty: none.
func (a *Answer) Lacking(o Options) string {
	if len(a.Rows) == 0 {
		return ""
	}
	names := o.Workload.Lacking(a.Rows[len(a.Rows)-1].Machines, o.Copied)
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("nodes that join have nothing of %s; to give them what the copied nodes have, pass "+
		"--copy-resources %s", engine.Sentence(names), strings.Join(append(slices.Clone(o.Copied), names...), ","))
}

// none says why a size has no schedule; empty if it has one.
func (r *Row) none() string {
	switch {
	case r.Result.Objective != nil:
		return ""
	case slices.ContainsFunc(r.opened.W.Unavailable, func(u model.Unavailable) bool { return !u.Until.Known }):
		return "the search found no schedule, as nodes leave for good before all tasks have run; no proof says that there " +
			"is none"
	}
	return "the search had no time to find a schedule"
}

// Print writes the table, and for people the sizes without a schedule and the summary.
func (a *Answer) Print(out show.Output, o Options) error {
	if err := out.Print(a.Table(o)); err != nil || !out.ForPeople() {
		return err
	}
	for _, line := range a.without() {
		fmt.Fprintln(out, line)
	}
	if line := a.Lacking(o); line != "" {
		fmt.Fprintln(out, line)
	}
	for _, line := range a.Summary(o) {
		fmt.Fprintln(out, line)
	}
	return nil
}

// Names of the files of a size.
func (r *Row) instanceFile() string { return fmt.Sprintf("%d.instance.json", r.Machines) }
func (r *Row) resultFile() string   { return fmt.Sprintf("%d.result.json", r.Machines) }

// Replaceable returns an error if something other than a directory of sizes is at a path.
func Replaceable(path string) error {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if _, err := os.Stat(filepath.Join(path, TableFile)); err != nil {
		return fmt.Errorf("%s is not a directory of sizes (it has no %s) and is not replaced", path, TableFile)
	}
	return nil
}

// Write makes a directory, whole or not at all: the table, and of each size its instance and its result,
// which check accepts together.
func (a *Answer) Write(path string, force bool, o Options) error {
	return disk.WriteDir(path, force, func(d disk.Dir) error {
		if err := d.File(TableFile, func(w io.Writer) error {
			return show.Output{Writer: w, Format: show.FormatCSV}.Print(a.Table(o))
		}); err != nil {
			return err
		}
		for _, r := range a.Rows {
			if r.bundle == nil {
				continue
			}
			instance := func(w io.Writer) error { return workload.WriteJSON(w, r.opened.W) }
			if err := errors.Join(d.File(r.instanceFile(), instance), d.File(r.resultFile(), r.bundle.WriteLine)); err != nil {
				return err
			}
		}
		return nil
	})
}
