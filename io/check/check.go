package check

import (
	"context"
	_ "embed" // the schema
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/artifact"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
)

// checked is the outcome of one check.
type checked struct {
	Result     string            `json:"result"`
	OK         bool              `json:"ok"`
	Algorithm  string            `json:"algorithm,omitempty"`
	Status     model.Status      `json:"status,omitempty"`
	Objective  *model.Objective  `json:"objective,omitempty"`
	LowerBound *model.LowerBound `json:"lower_bound,omitempty"`
	Ratio      model.Number      `json:"ratio,omitempty"`
	Violations []violation       `json:"violations,omitempty"`
}

//go:embed schema.json
var schema []byte

// Schema is the JSON Schema (2020-12) of a line that check prints.
func Schema() []byte { return schema }

type violation struct {
	Code model.Code `json:"code"`
	What string     `json:"what"`
}

// Checker is one call of check.
type Checker struct {
	Dir          string // the result, or a directory of results
	Most         int    // nodes of exhaustive searches that are made again
	Quiet        bool
	Stdout       show.Output
	Stderr       io.Writer
	Tell         func(w io.Writer, about string, err error)
	ReadWorkload func(path string) (*model.Workload, error)

	rows [][]string // of the CSV table
}

// CheckAll checks the results at a path against one instance.
func (k *Checker) CheckAll(ctx context.Context, instance string) error {
	paths, err := artifact.ResultPaths(k.Dir)
	if err != nil {
		return artifact.Swapped(err, instance, k.Dir, fmt.Sprintf("check %s %s", k.Dir, instance))
	}
	w, err := k.ReadWorkload(instance)
	if err != nil {
		return err
	}
	all := true
	for _, path := range paths {
		b, found, err := artifact.CheckOne(ctx, w, k.Dir, path, k.Most)
		if err != nil {
			return err
		}
		all = all && len(found) == 0
		if err := k.report(path, b, found); err != nil {
			return err
		}
	}
	if err := k.conclude(); err != nil {
		return err
	}
	if !all {
		return &engine.ExitError{Code: engine.ExitViolation}
	}
	return nil
}

// report prints what a check found.
func (k *Checker) report(path string, b *result.Bundle, found []model.Violation) error {
	line := checked{Result: path, OK: len(found) == 0}
	if b != nil {
		r := b.Result
		line.Algorithm, line.Status, line.Ratio = r.Algorithm, r.Status, r.Ratio
		line.Objective, line.LowerBound = r.Objective, r.LowerBound
	}
	for _, v := range found {
		line.Violations = append(line.Violations, violation{v.Code, v.What})
	}
	switch {
	case k.Stdout.Format == show.FormatJSON:
		text, err := json.Marshal(line)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(k.Stdout, "%s\n", text)
		return err
	case k.Stdout.ForRecords():
		k.add(line)
		return nil
	}
	var err error
	if line.OK {
		_, err = fmt.Fprintf(k.Stdout, "%s\n", textpos.Visible(path+": ok: "+claims(b.Result)))
	}
	for _, v := range result.Told(found) {
		_, e := fmt.Fprintf(k.Stdout, "%s\n", textpos.Visible(path+": "+v.String()))
		err = errors.Join(err, e)
	}
	return err
}

// add adds a result's rows to the table: one for each violation, or one that says that there is none.
func (k *Checker) add(line checked) {
	row := []string{line.Result, strconv.FormatBool(line.OK), line.Algorithm, string(line.Ratio)}
	for _, v := range line.Violations {
		k.rows = append(k.rows, append(slices.Clone(row), string(v.Code), v.What))
	}
	if line.OK {
		k.rows = append(k.rows, append(row, "", ""))
	}
}

// conclude prints the table where it is printed as a whole.
func (k *Checker) conclude() error {
	if !k.Stdout.ForRecords() {
		return nil
	}
	return k.Stdout.Print(&show.Table{Rows: k.rows, Columns: []show.Column{{Name: "result"}, {Name: "ok"},
		{Name: "algorithm"}, {Name: "ratio", Number: true}, {Name: "code"}, {Name: "what"}}})
}

// claims sums up what a result states.
func claims(r *model.Result) string {
	var parts []string
	value := func(n model.Number) string { return string(n) }
	if r.Objective != nil {
		unit := engine.UnitOf(r.Problem, r.Objective.Name)
		value = func(n model.Number) string { return show.Value(n, unit, model.RoundDown) }
		parts = append(parts, r.Objective.Name+" "+value(r.Objective.Value))
	}
	if r.LowerBound != nil {
		parts = append(parts, fmt.Sprintf("lower bound %s (%s)", value(r.LowerBound.Value), r.LowerBound.Method))
	}
	if r.Objective != nil && r.LowerBound != nil {
		parts = append(parts, "gap "+show.GapOf(r.Status, r.Ratio))
	}
	if r.Guarantee != nil {
		parts = append(parts, show.GuaranteeText(r))
	}
	return r.Algorithm + ": " + string(r.Status) + ", " + strings.Join(parts, ", ")
}
