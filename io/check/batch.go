package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mrsched/io/artifact"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
)

// batchCheck checks what one call of solve made of several instances: each instance against the results in its folder,
// and the rows of the summary against the results.
type batchCheck struct {
	*Checker
	ctx     context.Context
	summary *result.Batch // nil: there is none, or none that can be read

	instances, results, wrong, absent int
	codes                             []int // what each check alone would end with
}

// IsBatch says whether a path is what solve writes for several instances.
func IsBatch(dir string) bool {
	return engine.IsDir(dir) && engine.Exists(filepath.Join(dir, result.SummaryFile)) &&
		!engine.Exists(filepath.Join(dir, result.ResultFile))
}

// CheckBatch checks several instances, or one of several, against a batch's directory.
func (k *Checker) CheckBatch(ctx context.Context, instances []string) error {
	dir := k.Dir
	b := &batchCheck{Checker: k, ctx: ctx, instances: len(instances)}
	names, err := artifact.FolderNames(instances)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(names, func(name string) bool { return engine.Exists(filepath.Join(dir, name)) }) {
		if err := artifact.Expect(dir, artifact.ArgBatch); err != nil {
			return err
		}
	}
	switch {
	case engine.Exists(dir) && !engine.IsDir(dir), engine.Exists(filepath.Join(dir, result.ResultFile)):
		return engine.Usagef("%s is one result, and %s are named: name its instance alone, or the directory of all results",
			dir,
			show.Counted(len(instances), "instance"))
	case !engine.IsDir(dir):
		_, _, err := result.Read(dir) // says what is missing
		return err
	}
	if err := b.readSummary(); err != nil {
		return err
	}
	for i, path := range instances {
		if ctx.Err() != nil {
			return engine.ErrInterrupted
		}
		if err := b.instance(path, names[i]); err != nil {
			return err
		}
	}
	b.tellUnchecked(names)
	if err := k.conclude(); err != nil {
		return err
	}
	if k.Stdout.ForPeople() {
		if _, err := fmt.Fprintln(k.Stdout, b.text()); err != nil {
			return err
		}
	}
	if code := engine.MostSerious(b.codes); code != engine.ExitDone {
		return &engine.ExitError{Code: code}
	}
	return nil
}

// readSummary reads the summary if there is one: a batch that was cut short has none.
func (b *batchCheck) readSummary() error {
	file := filepath.Join(b.Dir, result.SummaryFile)
	if !engine.Exists(file) {
		return nil
	}
	var found []model.Violation
	var err error
	if b.summary, found, err = result.ReadBatch(b.Dir); err != nil {
		return err
	}
	if len(found) == 0 {
		return nil
	}
	b.codes = append(b.codes, engine.ExitViolation)
	return b.report(b.Dir, nil, found)
}

// instance checks an instance against the results in its folder. What is wrong with it does not stop the others; an
// error does.
func (b *batchCheck) instance(file, name string) error {
	w, err := b.ReadWorkload(file)
	if err != nil {
		b.absent++
		return b.failed(file, err)
	}
	paths, err := b.paths(name)
	if err != nil {
		return err
	}
	lost := b.lost(name, paths)
	if len(paths)+len(lost) == 0 {
		b.absent++
		return b.failed(file, b.none(file, name))
	}
	for _, at := range paths {
		if err := b.result(w, at); err != nil {
			return err
		}
	}
	for _, at := range lost {
		b.results++
		what := result.SummaryFile + " names this result, which is not there"
		if err := b.judged(at, nil, []model.Violation{{Code: model.CodeResultMalformed, What: what}}); err != nil {
			return err
		}
	}
	return nil
}

// paths are the results in an instance's folder; none if there is none.
func (b *batchCheck) paths(name string) ([]string, error) {
	root, err := os.OpenRoot(b.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() // it was only read
	folder, err := textpos.OpenDirIn(root, name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return []string{filepath.Join(b.Dir, name)}, nil // reading it explains that
	}
	defer folder.Close() // it was only read
	return artifact.ResultsIn(folder, filepath.Join(b.Dir, name))
}

// result checks one result.
func (b *batchCheck) result(w *model.Workload, at string) error {
	b.results++
	bundle, found, err := b.protected(w, at)
	if err != nil {
		b.wrong++
		return b.failed(at, err)
	}
	if below, err := filepath.Rel(b.Dir, at); err == nil && b.summary != nil && bundle != nil {
		below = filepath.ToSlash(below)
		if row := b.summary.Row(below); row != nil {
			found = append(append(found, row.States(bundle.Result)...), elsewhere(row)...)
		} else if row := b.unmade(below); row != nil {
			found = append(found, model.Violation{Code: model.CodeResultMalformed, What: fmt.Sprintf(
				"%s: the status of %q is %s: this result is from an earlier run", result.SummaryFile, row.Instance, ended(row))})
		}
	}
	return b.judged(at, bundle, found)
}

// elsewhere is a violation if a row's result is not in the folder of its instance.
func elsewhere(row *result.BatchRow) []model.Violation {
	name, ok := folderOf(row)
	if folder, _, _ := strings.Cut(row.Result, "/"); !ok || folder == name {
		return nil
	}
	return []model.Violation{{Code: model.CodeResultMalformed, What: fmt.Sprintf("%s: the row of %s is about %q",
		result.SummaryFile, row.Result, row.Instance)}}
}

// folderOf is the folder of a row's instance; ok is false if the row does not tell.
func folderOf(row *result.BatchRow) (name string, ok bool) {
	switch filepath.Base(row.Instance) {
	case ".", "..", string(filepath.Separator): // where solve was called tells what these are
		return "", false
	}
	name, err := artifact.FolderName(row.Instance)
	return name, err == nil
}

// unmade is the row of a run that failed or did not begin, if it would have made the result at a path below the
// directory; nil: there is none.
func (b *batchCheck) unmade(path string) *result.BatchRow {
	folder, algorithm, many := strings.Cut(path, "/")
	for i := range b.summary.Rows {
		row := &b.summary.Rows[i]
		if row.Status != result.StatusError && row.Status != result.StatusNotRun {
			continue
		}
		if name, ok := folderOf(row); ok && name == folder && (!many || row.Algorithm == "" || row.Algorithm == algorithm) {
			return row
		}
	}
	return nil
}

// ended says how the run of a row without a result ended.
func ended(row *result.BatchRow) string {
	if row.Code == "" {
		return string(row.Status)
	}
	return fmt.Sprintf("%s, with code %s", row.Status, row.Code)
}

// protected is a check whose panic is an error, so that it ends no other.
func (b *batchCheck) protected(w *model.Workload, at string) (_ *result.Bundle, _ []model.Violation, err error) {
	defer engine.Protect(&err)
	return artifact.CheckOne(b.ctx, w, b.Dir, at, b.Most)
}

// judged counts and reports what a check found.
func (b *batchCheck) judged(at string, bundle *result.Bundle, found []model.Violation) error {
	if len(found) > 0 {
		b.wrong++
		b.codes = append(b.codes, engine.ExitViolation)
	}
	return b.report(at, bundle, found)
}

// lost are the results that the summary names in an instance's folder and that are not there.
func (b *batchCheck) lost(name string, paths []string) (list []string) {
	if b.summary == nil {
		return nil
	}
	there := map[string]bool{}
	for _, at := range paths {
		there[at] = true
	}
	for _, row := range b.summary.Rows {
		if row.Result != name && !strings.HasPrefix(row.Result, name+"/") {
			continue
		}
		if at := filepath.Join(b.Dir, filepath.FromSlash(row.Result)); !there[at] {
			list = append(list, at)
		}
	}
	return list
}

// none says that an instance has no result, and why if the summary tells.
func (b *batchCheck) none(file, name string) error {
	what := "there is no result of " + file
	if b.summary != nil {
		if row := b.unmade(name); row != nil {
			what += "; by the summary its status is " + ended(row)
		}
	}
	return model.NewInputError(model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: filepath.Join(b.Dir,
		name)}, What: what,
		Expected: "the folder that mrsched solve writes for it"})
}

// failed tells what is wrong with the input of one check. An error is the end of all.
func (b *batchCheck) failed(about string, err error) error {
	if b.ctx.Err() != nil {
		return engine.ErrInterrupted
	}
	code, _ := engine.ExitCode(err)
	b.codes = append(b.codes, code)
	b.Tell(b.Stderr, about, err)
	if crash, ok := errors.AsType[*engine.Panicked](err); ok {
		_, err := b.Stderr.Write(crash.Stack)
		return err
	}
	return nil
}

// maxUnchecked is how many results that belong to no instance a message lists.
const maxUnchecked = 10

// tellUnchecked names folders with results of instances that are not named.
func (b *batchCheck) tellUnchecked(names []string) {
	entries, err := os.ReadDir(b.Dir)
	if err != nil || b.Quiet {
		return
	}
	var others []string
	for _, e := range entries {
		if at := filepath.Join(b.Dir, e.Name()); !slices.Contains(names, e.Name()) && e.IsDir() && e.Name()[0] != '.' {
			others = append(others, textpos.Visible(at))
		}
	}
	if len(others) == 0 {
		return
	}
	text := strings.Join(others[:min(len(others), maxUnchecked)], ", ")
	if n := len(others) - maxUnchecked; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	fmt.Fprintf(b.Stderr, "note: not checked, since no instance of that name is given: %s\n", text)
}

// text sums up.
func (b *batchCheck) text() string {
	text := fmt.Sprintf("%s, %s: %d ok, %d wrong", show.Counted(b.instances, "instance"),
		show.Counted(b.results, "result"),
		b.results-b.wrong, b.wrong)
	if b.absent > 0 {
		text += fmt.Sprintf("; %s without a check", show.Counted(b.absent, "instance"))
	}
	return text
}
