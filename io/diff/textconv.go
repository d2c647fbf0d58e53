package diff

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/model"
)

// WriteStable writes a schedule or a result as lines that git can compare: what differs from nothing. There is one line
// for each fact of the result and one for each row of the schedule, by job and task in natural order, times rounded to
// milliseconds. A line depends on nothing else, so unchanged facts have the same text. Other files are copied; those
// packed by gzip are unpacked.
func WriteStable(w io.Writer, path string, known []*model.Description) error {
	s, err := result.ReadSide(path, path, known)
	if input, ok := errors.AsType[*model.InputError](err); ok && input.Findings[0].Code == model.CodeUnreadable {
		return err
	}
	if err != nil || s.Nothing {
		return copied(w, path)
	}
	nothing := &result.Side{Known: known, Nothing: true, Bundle: &result.Bundle{Rows: result.RowsOf([]result.Row{})}}
	d, err := Results(nothing, s, 0)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w) // whose errors Flush returns
	d.stable(out)
	return out.Flush()
}

// copied writes a file, unpacked if that is possible.
func copied(w io.Writer, path string) error {
	text, damage, err := result.DocumentAt(path)
	if damage == nil && err == nil {
		_, err = w.Write(text)
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // it was only read
	_, err = io.Copy(w, f)
	return err
}

// stable writes what the new side states, without the digests of files, which git shows itself.
func (d *Difference) stable(w io.Writer) {
	fact := func(name, text string) {
		if text != "" && name != madeCertificate {
			fmt.Fprintf(w, "%-28s  %s\n", wholeName(name), text)
		}
	}
	if d.Compared != ComparedSchedules {
		fact("problem", wholeName(d.Problem))
		fact("instance", fmt.Sprintf("%.12s", d.Instance))
		fact("status", wholeName(d.Status.New))
	}
	if o := d.Objective; o != nil {
		fact("objective", wholeName(o.Name)+" "+string(o.New))
	}
	if c := d.LowerBound; c != nil {
		fact("lower bound", fmt.Sprintf("%s %s%s", c.New.Value, wholeName(c.New.Method), either(c.New.Verified, "",
			" (not verified)")))
	}
	if d.Ratio != nil {
		fact("ratio", string(d.Ratio.New))
	}
	if d.Guarantee != nil {
		fact("guarantee", promiseText(d.Guarantee.New))
	}
	for _, v := range slices.Concat(d.Made, d.Metrics) {
		fact(v.Name, wholeName(strings.Trim(string(v.New), `"`)))
	}
	slices.SortFunc(d.moves, func(a, b move) int {
		return cmp.Or(show.Natural(a.new[0].Job, b.new[0].Job), show.Natural(a.new[0].Task, b.new[0].Task))
	})
	job := ""
	for _, m := range d.moves {
		for _, r := range slices.SortedStableFunc(slices.Values(m.new), func(a, b result.Row) int {
			return cmp.Compare(a.Start, b.Start)
		}) {
			if r.Job != job {
				job = r.Job
				fmt.Fprintf(w, "job %s\n", wholeName(job))
			}
			fmt.Fprintf(w, "  %-24s  %-6s  %-16s  %12s  %12s", wholeName(r.Task), wholeName(r.Kind), wholeName(r.Machine),
				roundedTime(r.Start), roundedTime(r.End))
			for _, c := range r.Columns {
				if c.Text != "" {
					fmt.Fprintf(w, "  %s=%s", c.Name, wholeName(c.Text))
				}
			}
			fmt.Fprintln(w)
		}
	}
}

// roundedTime is a time in seconds with three decimals.
func roundedTime(t model.Time) string {
	const milli = int64(model.Second) / 1000
	n := (int64(t) + milli/2) / milli
	return fmt.Sprintf("%d.%03d", n/1000, n%1000)
}
