package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"mrsched/io/result"
	"mrsched/io/textpos"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

const checkHelp = `RESULT is a result's directory or document, a directory of results, or what solve wrote for several instances: then each INSTANCE is
checked against the results in the folder of its name, and the summary's rows against the results. All is checked, whatever is
found; the exit code is the gravest.`

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
	if err := atLeastOne(c, maxSearchName); err != nil {
		return err
	}
	at := args[len(args)-1]
	if at == "-" {
		return usagef("RESULT cannot be -: name a result's directory or file; only INSTANCE is read from standard input")
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
		b, found, err := checkOne(c.Context, w, at, path, c.Int(maxSearchName))
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
	again, err := recheck(ctx, w, b, most)
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
	if !isDir(path) {
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

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// recheck re-derives everything that a result claims; it makes exhaustive searches again of most nodes or fewer. An
// error means that ctx ended.
func recheck(ctx context.Context, w *model.Workload, b *result.Bundle, most int) ([]model.Violation, error) {
	r := b.Result
	bad := func(err error) ([]model.Violation, error) {
		return []model.Violation{{Code: model.CodeResultMalformed, What: oneLine(err)}}, nil
	}
	p, err := findProblem(r.Problem, nil)
	if err != nil {
		return bad(err)
	}
	a, ok := p.Algorithm(r.Algorithm)
	if !ok {
		return bad(fmt.Errorf("%s has no algorithm %q", p.Name, r.Algorithm))
	}
	if only, ok := r.Parameters["job"].(string); ok {
		part, err := w.Restrict(strings.Split(only, ","))
		if err != nil { // it has no such jobs
			return []model.Violation{result.OtherInstance(r, w, workload.Digest(w))}, nil
		}
		w = part
	}
	params, err := statedParams(p.Params, r.Parameters)
	if err != nil {
		return bad(err)
	}
	if err := p.asWritten(a, params, r.Parameters); err != nil {
		return bad(err)
	}
	digest := workload.Digest(w)
	view, err := p.view(w, params)
	if err != nil && r.Instance.SHA256 != digest {
		// what that problem finds wrong with it says nothing of the result
		return []model.Violation{result.OtherInstance(r, w, digest)}, nil
	}
	if err != nil {
		return bad(err)
	}
	o, err := open(p, w, params)
	if err != nil {
		return bad(err)
	}
	run := o.run
	var g *model.Guarantee
	if r.Guarantee != nil { // the digest protects an absent one
		g = run.Guarantee(r.Algorithm, r.Status == model.StatusLimit)
	}
	found := b.Verify(w, digest, view, result.Promise{Guarantee: g, Inputs: o.inputs(a)})
	if a.Exhaustive && r.Status == model.StatusOptimal && len(found) == 1 && found[0].Code == model.CodeStatus {
		optimal, nodes, err := searchAgain(ctx, w, b, run, most)
		switch {
		case err != nil:
			return nil, err
		case optimal:
			found = nil
		case nodes > most:
			found[0].What += fmt.Sprintf("; the search that is to prove it has %d nodes, and check makes searches of up to "+
				"%d again: see --%s", nodes, most, maxSearchName)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return witness(ctx, w, b, run)
}

// witness compares the facts of the run that follow from the schedule with what is derived.
func witness(ctx context.Context, w *model.Workload, b *result.Bundle, run solver.Run) ([]model.Violation, error) {
	x, ok := run.(solver.Witness)
	if !ok || b.Rows == nil {
		return nil, nil
	}
	s, _ := result.Schedule(w, run.View(), b.Rows)
	names, facts, err := x.Witness(ctx, s, b.Result.Status == model.StatusOptimal)
	if err != nil {
		return nil, err
	}
	stated, _ := b.Result.Metrics[result.MetricRun].(map[string]any)
	var found model.Violations
	for _, name := range names {
		is, had := stated[name]
		want, has := facts[name]
		if had != has || fmt.Sprint(is) != fmt.Sprint(want) {
			found.Add(model.CodeMetrics, "run.%s is stated as %v and derived as %v", name, is, want)
		}
	}
	return found.List(), nil
}

// searchAgain says whether an exhaustive search as large as the stated one, in nodes, shows that a result is optimal;
// none of more than most nodes is made. An error means that ctx ended.
func searchAgain(ctx context.Context, w *model.Workload, b *result.Bundle, run solver.Run, most int) (optimal bool,
	nodes int, err error) {
	prover, ok := run.(solver.Prover)
	facts, _ := b.Result.Metrics[result.MetricRun].(map[string]any)
	nodes, err = strconv.Atoi(fmt.Sprint(facts[solver.FoundNodes]))
	if !ok || b.Rows == nil || err != nil {
		return false, 0, nil
	}
	if nodes > most {
		return false, nodes, nil
	}
	s, _ := result.Schedule(w, run.View(), b.Rows)
	optimal, err = prover.Optimal(ctx, s, nodes)
	return optimal, nodes, err
}

// statedParams reads a result's parameters back.
func statedParams(params []solver.Param, stated map[string]any) (solver.Params, error) {
	values := solver.Params{}
	for _, p := range params {
		text := p.Default
		if v, ok := stated[p.Name]; ok {
			text = fmt.Sprint(v)
		}
		v, err := parseParam(p, text)
		if err != nil {
			return nil, err
		}
		values[p.Name] = v
	}
	return values, nil
}

// asWritten is an error unless the stated parameters are those that a run of the algorithm writes, params being their
// values.
func (p problem) asWritten(a solver.Algorithm, params solver.Params, stated map[string]any) error {
	iterations := unlimited
	if v, ok := stated["iterations"]; ok {
		n, err := strconv.Atoi(fmt.Sprint(v))
		if err != nil || n < 1 {
			return fmt.Errorf("parameter iterations is %v; expected a whole number, at least 1", v)
		}
		iterations = n
	}
	want := p.parameters(a, params, iterations)
	_, limited := stated["time_limit"]
	if v, ok := stated["time_limit"].(json.Number); ok {
		if d, err := model.ParseTime(v.String()); err == nil { // 0 is less than a microsecond
			want["time_limit"] = model.Number(d.String())
		}
	}
	if v, ok := stated["job"].(string); ok {
		want["job"] = v
	}
	if !limited && iterations == unlimited {
		return errors.New("the parameters name neither iterations nor time_limit")
	}
	for _, name := range slices.Sorted(maps.Keys(stated)) {
		if _, ok := want[name]; !ok {
			return fmt.Errorf("parameter %s is %v; %s is not run with such a parameter", name, stated[name], a.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		is, err := json.Marshal(stated[name])
		should, err2 := json.Marshal(want[name])
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if string(is) != string(should) {
			return fmt.Errorf("parameter %s is %s, and is written as %s", name, is, should)
		}
	}
	return nil
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
		parts = append(parts, guaranteeText(r))
	}
	return r.Algorithm + ": " + string(r.Status) + ", " + strings.Join(parts, ", ")
}
