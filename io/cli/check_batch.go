package cli

import (
	"errors"
	"fmt"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// batchCheck checks what one call of solve made of several instances: each instance against the results in its folder,
// and the rows of the summary against the results.
type batchCheck struct {
	s       *session
	c       *cli.Context
	dir     string
	summary *result.Batch // nil: there is none, or none that can be read

	instances, results, wrong, absent int
	codes                             []int // what each check alone would end with
}

// isBatch says whether a path is what solve writes for several instances.
func isBatch(dir string) bool {
	return engine.IsDir(dir) && engine.Exists(filepath.Join(dir, result.SummaryFile)) &&
		!engine.Exists(filepath.Join(dir, result.ResultFile))
}

// checkBatch checks several instances, or one of several, against a batch's directory.
func (s *session) checkBatch(c *cli.Context, instances []string, dir string) error {
	b := &batchCheck{s: s, c: c, dir: dir, instances: len(instances)}
	names, err := folderNames(instances)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(names, func(name string) bool { return engine.Exists(filepath.Join(dir, name)) }) {
		if err := expect(dir, argBatch); err != nil {
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
		if c.Context.Err() != nil {
			return errInterrupted
		}
		if err := b.instance(path, names[i]); err != nil {
			return err
		}
	}
	b.tellUnchecked(names)
	if !c.Bool("json") {
		if _, err := fmt.Fprintln(s.stdout, b.text()); err != nil {
			return err
		}
	}
	if code := mostSerious(b.codes); code != exitDone {
		return &exitError{code}
	}
	return nil
}

// folderName is what solve calls an instance's folder among those of several: after its file, in UTF-8, which the
// summary can hold.
func folderName(path string) (string, error) {
	if path == "-" {
		return "stdin", nil
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return textpos.UTF8(textpos.Stem(full, ".gz", ".json")), nil
}

// folderNames are the folders of several instances, in their order.
func folderNames(paths []string) ([]string, error) {
	var names []string
	for i, path := range paths {
		name, err := folderName(path)
		if err != nil {
			return nil, err
		}
		if before := slices.Index(names, name); before >= 0 {
			return nil, engine.Usagef("%s and %s both have the results in %s: check them in two calls", paths[before], paths[i],
				name)
		}
		// "...json" would be "..", which leads out of the directory
		if name == "" || name[0] == '.' || !filepath.IsLocal(name) {
			return nil, engine.Usagef("%s: an instance of several needs a name for its folder; %q is none", path, name)
		}
		names = append(names, name)
	}
	return names, nil
}

// mostSerious is the most serious of some exit codes; exitDone if there are none.
func mostSerious(codes []int) int {
	worst := len(severity) - 1
	for _, code := range codes {
		worst = min(worst, slices.Index(severity, code))
	}
	return severity[worst]
}

// readSummary reads the summary if there is one: a batch that was cut short has none.
func (b *batchCheck) readSummary() error {
	file := filepath.Join(b.dir, result.SummaryFile)
	if !engine.Exists(file) {
		return nil
	}
	var found []model.Violation
	var err error
	if b.summary, found, err = result.ReadBatch(b.dir); err != nil {
		return err
	}
	if len(found) == 0 {
		return nil
	}
	b.codes = append(b.codes, exitViolation)
	return b.s.report(b.c, b.dir, nil, found)
}

// instance checks an instance against the results in its folder. What is wrong with it does not stop the others; an
// error does.
func (b *batchCheck) instance(file, name string) error {
	w, err := b.s.readWorkload(b.c, file)
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
	root, err := os.OpenRoot(b.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() // it was only read
	folder, err := textpos.OpenDirIn(root, name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return []string{filepath.Join(b.dir, name)}, nil // reading it explains that
	}
	defer folder.Close() // it was only read
	return resultsIn(folder, filepath.Join(b.dir, name))
}

// result checks one result.
func (b *batchCheck) result(w *model.Workload, at string) error {
	b.results++
	bundle, found, err := b.protected(w, at)
	if err != nil {
		b.wrong++
		return b.failed(at, err)
	}
	if below, err := filepath.Rel(b.dir, at); err == nil && b.summary != nil && bundle != nil {
		if row := b.summary.Row(filepath.ToSlash(below)); row != nil {
			found = append(append(found, row.States(bundle.Result)...), elsewhere(row)...)
		}
	}
	return b.judged(at, bundle, found)
}

// elsewhere is a violation if a row's result is not in the folder of its instance.
func elsewhere(row *result.BatchRow) []model.Violation {
	switch filepath.Base(row.Instance) {
	case ".", "..", string(filepath.Separator): // where solve was called tells what these are
		return nil
	}
	name, err := folderName(row.Instance)
	if folder, _, _ := strings.Cut(row.Result, "/"); err != nil || folder == name {
		return nil
	}
	return []model.Violation{{Code: model.CodeResultMalformed, What: fmt.Sprintf("%s: the row of %s is about %q",
		result.SummaryFile, row.Result, row.Instance)}}
}

// protected is a check whose panic is an error, so that it ends no other.
func (b *batchCheck) protected(w *model.Workload, at string) (_ *result.Bundle, _ []model.Violation, err error) {
	defer engine.Protect(&err)
	return checkOne(b.c.Context, w, b.dir, at, b.c.Int(engine.MaxSearchName))
}

// judged counts and reports what a check found.
func (b *batchCheck) judged(at string, bundle *result.Bundle, found []model.Violation) error {
	if len(found) > 0 {
		b.wrong++
		b.codes = append(b.codes, exitViolation)
	}
	return b.s.report(b.c, at, bundle, found)
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
		if at := filepath.Join(b.dir, filepath.FromSlash(row.Result)); !there[at] {
			list = append(list, at)
		}
	}
	return list
}

// none says that an instance has no result, and why if the summary tells.
func (b *batchCheck) none(file, name string) error {
	what := "there is no result of " + file
	if b.summary != nil {
		for _, row := range b.summary.Rows {
			if folder, err := folderName(row.Instance); err == nil && folder == name && row.Code != "" {
				what += fmt.Sprintf("; by the summary its status is %s, with code %s", row.Status, row.Code)
				break
			}
		}
	}
	return model.NewInputError(model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: filepath.Join(b.dir,
		name)}, What: what,
		Expected: "the folder that mrsched solve writes for it"})
}

// failed tells what is wrong with the input of one check. An error is the end of all.
func (b *batchCheck) failed(about string, err error) error {
	if b.c.Context.Err() != nil {
		return errInterrupted
	}
	code, _ := exitCode(err)
	b.codes = append(b.codes, code)
	b.s.tell(b.s.stderr, about, err)
	if crash, ok := errors.AsType[*engine.Panicked](err); ok {
		_, err := b.s.stderr.Write(crash.Stack)
		return err
	}
	return nil
}

// maxUnchecked is how many results that belong to no instance a message lists.
const maxUnchecked = 10

// tellUnchecked names folders with results of instances that are not named.
func (b *batchCheck) tellUnchecked(names []string) {
	entries, err := os.ReadDir(b.dir)
	if err != nil || b.c.Bool(flagQuiet.Name) {
		return
	}
	var others []string
	for _, e := range entries {
		if at := filepath.Join(b.dir, e.Name()); !slices.Contains(names, e.Name()) && e.IsDir() && e.Name()[0] != '.' {
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
	fmt.Fprintf(b.s.stderr, "note: not checked, since no instance of that name is given: %s\n", text)
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
