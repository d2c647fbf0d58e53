package diff

import (
	"fmt"
	"slices"
	"strings"

	"mrsched/io/result"
	"mrsched/model"
)

// Elsewhere is an instance that a result is not for.
type Elsewhere struct {
	Workload *model.Workload
	Digest   string
	View     model.View // nil: the result's problem cannot open it
	Text     model.InputText
}

// otherLines is how many differences of another instance a message lists.
const otherLines = 4

// hintOther says what to do with another version of a result's instance.
const hintOther = "; hint: check the version that was solved, or solve this one; if the old one still exists, " +
	"mrsched diff OLD-INSTANCE INSTANCE shows all that changed"

// OtherInstance is the violation of a result for another instance: what differs between versions of one instance, as
// far as the result repeats its own, and then both instances.
func OtherInstance(b *result.Bundle, about *model.Description, is Elsewhere) model.Violation {
	r := b.Result
	was, here, hint := instanceText(r.Instance), "", hintOther
	if is.View != nil {
		here = instanceText(result.Summary(is.Workload, is.Digest, is.View))
	} else {
		was += " of problem " + r.Problem
		here = fmt.Sprintf("instance %s (%s, %s)", shortDigest(is.Digest), model.Counted(len(is.Workload.Jobs), "job"),
			model.Counted(len(is.Workload.Tasks), "task"))
		if p := is.Workload.Problem; p != "" {
			here += " of problem " + p
		}
	}
	lines, version := differences(b, about, is)
	text := fmt.Sprintf("the result is for %s; this is %s", was, here)
	switch {
	case !version:
		hint = ""
	case len(lines) > 0:
		text = "the instance is another version than the result's: " + strings.Join(lines, "; ") + "; " + text
	default:
		text = "the instance is another version than the result's, in values that the result does not repeat; " + text
	}
	return model.Violation{Code: model.CodeOtherInstance, What: text + hint}
}

// differences compares an instance with what the result repeats of its own; version says whether both have jobs in
// common and no names that differ.
func differences(b *result.Bundle, about *model.Description, is Elsewhere) (lines []string, version bool) {
	was := b.Result.Instance
	if w := is.Workload; b.Rows == nil || was.Name != "" && w.Name != "" && was.Name != w.Name {
		return nil, false
	}
	here := model.InstanceSummary{Jobs: len(is.Workload.Jobs), Tasks: was.Tasks, Machines: was.Machines,
		Origin: is.Workload.Origin.String()}
	all := false // the rows of the schedule are the tasks of both instances
	if is.View != nil {
		here.Tasks, here.Machines = is.View.TaskCount(), is.View.Size()
		all = here.Tasks == len(is.Workload.Tasks) && tasksOf(b) == was.Tasks
	}
	c := &inputComparison{unused: unusedOf(b.Result)}
	jobs, fromTable := jobEchoes(b, about)
	c.repeats(is, jobs, !fromTable)
	version = len(c.tables) > 0 && c.tables[0].both > 0
	var tasks []model.Echo
	for _, e := range about.Inputs {
		if e.By == model.ByTask && stands(is.Text, tasksTable, e.Of) {
			tasks = append(tasks, e)
		}
	}
	c.repeats(is, taskEchoes(b.Rows, tasks), !all)
	in := &InputDifference{Source: fromResults, Old: inputSummary(was), New: inputSummary(here)}
	in.scalars([]model.InputScalar{{Name: "origin", Text: was.Origin}}, []model.InputScalar{{Name: "origin",
		Text: here.Origin}})
	in.Changes = append(in.Changes, c.found(false)...)
	t := &inputText{in: in, name: plainName, most: otherLines}
	for _, part := range t.counts() {
		if part.old != part.new {
			lines = append(lines, fmt.Sprintf("%s → %d", model.Counted(part.old, part.what), part.new))
		}
	}
	if len(in.Changes) > 0 {
		lines = append(lines, t.lines()...)
	}
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], " → ", ", here ")
	}
	return lines, version
}

// tasksOf counts the tasks of the schedule.
func tasksOf(b *result.Bundle) (n int) {
	for range byTask(b.Rows) {
		n++
	}
	return n
}

// stands reports whether a table of an instance has a column.
func stands(text model.InputText, table, column string) bool {
	return slices.ContainsFunc(text.Tables, func(t model.InputTable) bool {
		return t.Name == table && slices.ContainsFunc(t.Columns, func(c model.InputColumn) bool { return c.Name == column })
	})
}

// jobEchoes are what the result repeats of its jobs: from the table jobs, which has all of them, else from the rows.
func jobEchoes(b *result.Bundle, about *model.Description) (t model.InputTable, fromTable bool) {
	jobs, ok := jobTable(&result.Side{Tables: b.Tables()})
	var list []model.Echo
	for _, e := range about.Inputs {
		if e.By == model.ByJob && (!ok || slices.Contains(jobs.Columns, e.Column) && stated(jobs, e.Column)) {
			list = append(list, e)
		}
	}
	if ok {
		return tableEchoes(jobs, list), true
	}
	return rowEchoes(b.Rows, jobsTable, list), false
}

// stated says whether some row of a table has a value in a column.
func stated(t model.ResultTable, column string) bool {
	i := slices.Index(t.Columns, column)
	for row := range t.Rows {
		if row[i] != "" {
			return true
		}
	}
	return false
}

// repeats compares what a result repeats of a table with the instance's own.
func (c *inputComparison) repeats(is Elsewhere, echo model.InputTable, partial bool) {
	for _, t := range is.Text.Tables {
		if t.Name == echo.Name {
			c.table(echo, projected(t, echo), partial)
		}
	}
}

// projected is a table of an instance, with the columns of what results repeat of it.
func projected(t, echo model.InputTable) model.InputTable {
	at := make([]int, len(echo.Columns))
	for i, c := range echo.Columns {
		at[i] = slices.IndexFunc(t.Columns, func(x model.InputColumn) bool { return x.Name == c.Name })
	}
	echo.Rows = func(yield func([]string) bool) {
		texts := make([]string, len(at))
		for row := range t.Rows {
			for i, k := range at {
				texts[i] = row[k]
			}
			if !yield(texts) {
				return
			}
		}
	}
	return echo
}

// shortDigest is the beginning of a digest, which tells two instances apart.
func shortDigest(digest string) string { return digest[:min(len(digest), 8)] }

func instanceText(i model.InstanceSummary) string {
	name, origin := shortDigest(i.SHA256), ""
	if i.Name != "" {
		name = fmt.Sprintf("%s %q", name, i.Name)
	}
	if i.Origin != "" {
		origin = fmt.Sprintf(", origin %q", i.Origin)
	}
	return fmt.Sprintf("instance %s (%s, %s, %s%s)", name, model.Counted(i.Jobs, "job"), model.Counted(i.Tasks, "task"),
		model.Counted(i.Machines, "machine"), origin)
}
