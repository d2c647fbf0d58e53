package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"
)

const checkHelp = `RESULT is a result's directory or document, a directory of results, or what solve wrote for several instances: then each INSTANCE is
checked against the results in the folder of its name, and the summary's rows against the results. All is checked, whatever is
found; the exit code is the most serious one.`

func (s *session) checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "re-derive a result from the raw instance: schedule, objective, bound, ratio, guarantee",
		ArgsUsage: "INSTANCE… RESULT",
		Description: withExamples(checkHelp,
			"mrsched check fig1.json r/fig1",
			"mrsched check deadlines.json r/deadlines --json",
			"mrsched check fig1.json dag.json tree.json r/nightly"),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print one JSON line a result"},
			flagUnknown, maxInputFlag(), maxCountFlag(), maxSearchFlag(), flagQuiet,
		},
		Action: s.check,
	}
}

// checked is the outcome of one check.
type checked struct {
	Result     string       `json:"result"`
	OK         bool         `json:"ok"`
	Algorithm  string       `json:"algorithm,omitempty"`
	Ratio      model.Number `json:"ratio,omitempty"`
	Violations []violation  `json:"violations,omitempty"`
}

type violation struct {
	Code model.Code `json:"code"`
	What string     `json:"what"`
}

func (s *session) check(c *cli.Context) error {
	args := c.Args().Slice()
	if len(args) < 2 {
		_, err := arguments(c, "INSTANCE", "RESULT")
		return err
	}
	if err := atLeastOne(c, engine.MaxSearchName); err != nil {
		return err
	}
	at := args[len(args)-1]
	if at == "-" {
		return engine.Usagef("RESULT cannot be -: name a result's directory or file; " +
			"only INSTANCE is read from standard input")
	}
	if len(args) > 2 || isBatch(at) {
		return s.checkBatch(c, args[:len(args)-1], at)
	}
	paths, err := resultPaths(at)
	if err != nil {
		return err
	}
	w, err := s.readWorkload(c, args[0])
	if err != nil {
		return err
	}
	all := true
	for _, path := range paths {
		b, found, err := checkOne(c.Context, w, at, path, c.Int(engine.MaxSearchName))
		if err != nil {
			return err
		}
		all = all && len(found) == 0
		if err := s.report(c, path, b, found); err != nil {
			return err
		}
	}
	if !all {
		return &exitError{exitViolation}
	}
	return nil
}

// checkOne checks one of the results at a named path. Without a bundle it cannot be read as one; an error means that it
// cannot be opened, or that ctx ended. The most nodes of a search that is made again are given.
func checkOne(ctx context.Context, w *model.Workload, named, path string, most int) (*result.Bundle, []model.Violation,
	error) {
	b, found, err := resultAt(named, path)
	if err != nil || b == nil {
		return nil, found, err
	}
	again, err := engine.Recheck(ctx, w, b, most)
	return b, append(found, again...), err
}

// resultAt reads one of the results at a named path: a link may be named, but those inside what is named lead nowhere
// else.
func resultAt(named, path string) (*result.Bundle, []model.Violation, error) {
	if path == named {
		return result.Read(path)
	}
	return result.ReadBelow(named, path)
}

// resultPaths is the path itself if it is a result, else the results directly inside it; see resultAt.
func resultPaths(path string) ([]string, error) {
	if err := expect(path, argResult); err != nil {
		return nil, err
	}
	if !engine.IsDir(path) {
		return []string{path}, nil
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	defer root.Close() // it was only read
	return resultsIn(root, path)
}

// resultsIn is resultPaths for a directory that is open. What leads out of it is among the results: reading it explains
// why it cannot be one.
func resultsIn(root *os.Root, path string) ([]string, error) {
	if _, err := root.Stat(result.ResultFile); err == nil {
		return []string{path}, nil
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if !e.IsDir() && e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		if _, err := root.Stat(filepath.Join(e.Name(), result.ResultFile)); !errors.Is(err, fs.ErrNotExist) &&
			!errors.Is(err, syscall.ENOTDIR) {
			paths = append(paths, filepath.Join(path, e.Name()))
		}
	}
	if len(paths) == 0 {
		return []string{path}, nil // reading it explains what is missing
	}
	sort.Strings(paths)
	return paths, nil
}

// report prints what a check found.
func (s *session) report(c *cli.Context, path string, b *result.Bundle, found []model.Violation) error {
	line := checked{Result: path, OK: len(found) == 0}
	if b != nil {
		line.Algorithm, line.Ratio = b.Result.Algorithm, b.Result.Ratio
	}
	for _, v := range found {
		line.Violations = append(line.Violations, violation{v.Code, v.What})
	}
	if c.Bool("json") {
		text, err := json.Marshal(line)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.stdout, "%s\n", text)
		return err
	}
	var err error
	if line.OK {
		_, err = fmt.Fprintf(s.stdout, "%s\n", textpos.Visible(path+": ok: "+claims(b.Result)))
	}
	for _, v := range found {
		_, e := fmt.Fprintf(s.stdout, "%s\n", textpos.Visible(path+": "+v.String()))
		err = errors.Join(err, e)
	}
	return err
}

// claims sums up what a result states.
func claims(r *model.Result) string {
	var parts []string
	if r.Objective != nil {
		parts = append(parts, fmt.Sprintf("%s %s", r.Objective.Name, r.Objective.Value))
	}
	if r.LowerBound != nil {
		parts = append(parts, fmt.Sprintf("lower bound %s (%s)", r.LowerBound.Value, r.LowerBound.Method))
	}
	if r.Ratio != "" {
		parts = append(parts, "ratio "+string(r.Ratio))
	}
	if r.Guarantee != nil {
		parts = append(parts, show.GuaranteeText(r))
	}
	return r.Algorithm + ": " + string(r.Status) + ", " + strings.Join(parts, ", ")
}
