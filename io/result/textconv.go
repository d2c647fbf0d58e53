package result

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
)

// WriteStable writes a schedule or a result as lines that git can compare: one for each fact of the result and one for
// each row of the schedule, by job and task in natural order, times rounded to milliseconds. A line depends on nothing
// else, so unchanged facts have the same text. Other files are copied; those packed by gzip are unpacked.
func WriteStable(w io.Writer, path string, known []*model.Description) error {
	text, damage, err := documentAt(path)
	if large := new(textpos.TooLargeError); errors.As(cmp.Or(err, damage), &large) {
		return copied(w, path)
	}
	if err != nil {
		return unopened(path, err, "cannot be read: %v", expectedSide)
	}
	out := bufio.NewWriter(w)
	s := &Side{Name: path, known: known}
	switch {
	case damage != nil || s.takeText(path, text) != nil || s.nothing:
		_, err = out.Write(text)
	default:
		s.stable(out)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

// copied writes a file as it is.
func copied(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return unopened(path, err, "cannot be read: %v", expectedSide)
	}
	defer f.Close() // it was only read
	_, err = io.Copy(w, f)
	return err
}

// stable writes facts and rows. Errors appear when the bufio.Writer is flushed.
func (s *Side) stable(w *bufio.Writer) {
	if r := s.Bundle.Result; r != nil {
		stableFacts(w, r)
	}
	if s.partial {
		return
	}
	var rows []Row
	for some := range s.Bundle.Rows.all() {
		for _, r := range some {
			r.Columns = slices.Clone(r.Columns)
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(show.Natural(a.Job, b.Job), show.Natural(a.Task, b.Task), cmp.Compare(a.Start, b.Start))
	})
	for i := range rows {
		r := &rows[i]
		if i == 0 || rows[i-1].Job != r.Job {
			fmt.Fprintf(w, "job %s\n", wholeName(r.Job))
		}
		line := fmt.Sprintf("  %-24s  %-6s  %-16s  %12s  %12s", wholeName(r.Task), wholeName(r.Kind), wholeName(r.Machine),
			roundedTime(r.Start), roundedTime(r.End))
		for _, c := range r.Columns {
			if c.Text == "" {
				continue
			}
			line += "  " + c.Name + "=" + wholeName(c.Text)
		}
		fmt.Fprintln(w, line)
	}
}

// roundedTime is a time in seconds with three decimals.
func roundedTime(t model.Time) string {
	const milli = int64(model.Second) / 1000
	n := (int64(t) + milli/2) / milli
	return fmt.Sprintf("%d.%03d", n/1000, n%1000)
}

// stableFacts are what result.json states, without the digests of files, which git shows themselves.
func stableFacts(w io.Writer, r *model.Result) {
	fact := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "%-28s  %s\n", name, text)
		}
	}
	fact("problem", wholeName(r.Problem))
	fact(madeAlgorithm, wholeName(r.Algorithm))
	fact("status", wholeName(string(r.Status)))
	if o := r.Objective; o != nil {
		fact("objective", wholeName(o.Name)+" "+string(o.Value))
	}
	if b := r.LowerBound; b != nil {
		fact("lower bound", fmt.Sprintf("%s %s%s", b.Value, wholeName(b.Method), either(b.Verified, "", " (not verified)")))
	}
	fact("ratio", string(r.Ratio))
	if r.Guarantee != nil {
		fact("guarantee", promiseText(r.Guarantee))
	}
	i := r.Instance
	fact("instance", fmt.Sprintf("%.12s: %s, %s, %s", wholeName(i.SHA256), model.Counted(i.Jobs, "job"),
		model.Counted(i.Tasks, "task"), model.Counted(i.Machines, "machine")))
	fact("origin", i.Origin)
	fact(madeSeed, fmt.Sprint(r.Seed))
	measures, run := flatMetrics(r.Metrics)
	parameters := map[string]json.RawMessage{}
	flatten(madeParameters, r.Parameters, parameters)
	for _, list := range []map[string]json.RawMessage{parameters, measures, run} {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			fact(wholeName(name), wholeName(strings.TrimSpace(string(list[name]))))
		}
	}
	if r.Inputs != nil {
		for _, name := range r.Inputs.Unused {
			fact("not used", wholeName(name))
		}
	}
}
