package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"mrsched/io/disk"
	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// allParams lists every problem's parameters.
func allParams() []solver.Param {
	var all []solver.Param
	for _, p := range problems() {
		all = append(all, p.Params...)
	}
	return all
}

func (s *session) solveCommand() *cli.Command {
	flags := []cli.Flag{
		flagProblem,
		&cli.StringFlag{Name: "algorithm", Aliases: []string{"a"}, Usage: "algorithms, separated by commas, or all (default: the problem's default)"},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "result directory, FILE.json[.gz], or - for standard output"},
		flagJob,
		&cli.DurationFlag{Name: "time-limit", Usage: "stop searching after this time, such as 30s or 5m (not byte-reproducible)"},
		&cli.IntFlag{Name: "iterations", Value: solver.DefaultIterations, Usage: "stop searching after this many iterations"},
		flagSeed,
		&cli.IntFlag{Name: "threads", Value: runtime.NumCPU(), Usage: "use at most this many processor cores; results do not depend on it"},
		flagJSON, flagForce,
		&cli.BoolFlag{Name: "fail-on-limit", Usage: "exit 6 if a limit stopped the search"},
		&cli.StringFlag{Name: "stats", Usage: "write timings and memory to this JSON file"},
		flagUnknown, flagQuiet,
	}
	return &cli.Command{
		Name:      "solve",
		Usage:     "schedule an instance and prove a lower bound",
		ArgsUsage: "INSTANCE",
		Flags:     append(flags, paramFlags(allParams())...),
		Action:    s.solve,
	}
}

// job is what one call of solve works on.
type job struct {
	c          *cli.Context
	s          *session
	w          *model.Workload
	digest     string
	problem    problem
	algorithms []solver.Algorithm
	params     solver.Params
	run        solver.Run
	limited    bool
	stats      *stats
}

func (s *session) solve(c *cli.Context) error {
	args, err := arguments(c, "INSTANCE")
	if err != nil {
		return err
	}
	if n := c.Int("threads"); n < 1 {
		return usagef("--threads %d: expected at least 1", n)
	}
	if n := c.Int("iterations"); n < 1 {
		return usagef("--iterations %d: expected at least 1", n)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.Int("threads")))
	j := &job{c: c, s: s, stats: newStats()}
	if err := j.open(args[0]); err != nil {
		return err
	}
	if err := j.targetsFree(); err != nil {
		return err
	}
	if err := j.solveAll(c.Context); err != nil {
		return err
	}
	if err := j.stats.finish(c.String("stats"), s.stderr, c.Bool("quiet")); err != nil {
		return err
	}
	switch {
	case errors.Is(context.Cause(c.Context), context.Canceled):
		return &exitError{exitInterrupted}
	case j.limited && c.Bool("fail-on-limit"):
		return &exitError{exitLimit}
	}
	return nil
}

// open reads the instance and everything that the flags say about it.
func (j *job) open(path string) (err error) {
	c := j.c
	if j.w, err = workload.Read(path, j.s.stdin, workload.Options{AllowUnknown: c.Bool(flagUnknown.Name)}); err != nil {
		return err
	}
	if j.problem, err = findProblem(c.String(flagProblem.Name), j.w); err != nil {
		return err
	}
	if j.w, err = restrict(c, j.w); err != nil {
		return err
	}
	j.digest = workload.Digest(j.w)
	j.stats.lap("read")
	if j.algorithms, _, err = j.problem.selectAlgorithms(c.String("algorithm"), len(j.w.Tasks)); err != nil {
		return err
	}
	if j.params, err = paramValues(c, j.problem.Params); err != nil {
		return err
	}
	if err := foreign(c, allParams(), j.used(j.algorithms...), "this problem and algorithm"); err != nil {
		return err
	}
	j.run, err = j.problem.Open(j.w, j.params)
	return err
}

// used names the parameters that the problem's instance or the algorithms look at.
func (j *job) used(algorithms ...solver.Algorithm) map[string]bool {
	used := map[string]bool{}
	for _, p := range j.problem.Params {
		used[p.Name] = p.View
	}
	for _, a := range algorithms {
		for _, name := range a.Params {
			used[name] = true
		}
	}
	return used
}

// toStdout says that the documents themselves go to standard output.
func (j *job) toStdout() bool { return j.c.String("output") == "-" }

// target is where an algorithm's result goes; empty: nowhere.
func (j *job) target(algorithm string) string {
	out := j.c.String("output")
	if out == "" || out == "-" || len(j.algorithms) == 1 {
		return out
	}
	return filepath.Join(out, algorithm)
}

func isDocument(path string) bool {
	return strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".json.gz")
}

// targetsFree refuses what cannot or may not be written before any work is done.
func (j *job) targetsFree() error {
	out := j.c.String("output")
	if out == "-" {
		out = ""
	}
	for _, path := range []string{out, j.c.String("stats")} {
		if parent := filepath.Dir(filepath.Clean(path)); !isDir(parent) {
			return usagef("%s cannot be written: %s is not a directory", path, parent)
		}
	}
	if out == "" {
		return nil
	}
	if isDocument(out) && len(j.algorithms) > 1 {
		return usagef("-o %s holds one result; name a directory for %d algorithms", out, len(j.algorithms))
	}
	if _, err := os.Lstat(out); err == nil && !j.c.Bool(flagForce.Name) {
		return fmt.Errorf("%s: %w", out, disk.ErrExists)
	}
	return j.mayReplace(out)
}

// mayReplace refuses to replace what --force was not meant for.
func (j *job) mayReplace(out string) error {
	if isDocument(out) {
		if isDir(out) {
			return usagef("-o %s: it is a directory", out)
		}
		return nil
	}
	for _, a := range j.algorithms {
		if err := result.Replaceable(j.target(a.Name)); err != nil {
			return usagef("-o %s: %v", out, err)
		}
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// solveAll runs the algorithms one after another and writes each result as soon as it stands.
func (j *job) solveAll(ctx context.Context) error {
	if d := j.c.Duration("time-limit"); d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	table := newTable(j)
	for _, a := range j.algorithms {
		bundle, err := j.solveOne(ctx, a)
		if err != nil {
			return err
		}
		if bundle.Result.Status == model.StatusLimit {
			j.limited = true
		}
		if err := j.write(bundle); err != nil {
			return err
		}
		table.add(bundle.Result)
	}
	return table.print()
}

func (j *job) solveOne(ctx context.Context, a solver.Algorithm) (*result.Bundle, error) {
	bar := newBar(j.s.stderr, a.Name, j.c.Bool(flagQuiet.Name))
	out, err := j.run.Solve(ctx, a.Name, solver.Options{
		Iterations: j.iterations(), Seed: j.c.Uint64(flagSeed.Name), Threads: j.c.Int("threads"), Progress: bar.progress,
	})
	bar.close()
	if err != nil {
		return nil, err
	}
	j.stats.lap(a.Name)
	bundle, err := j.bundle(a, out)
	j.stats.lap(a.Name + " verification")
	return bundle, err
}

// bundle recomputes everything about an outcome from the workload and makes the result of it.
func (j *job) bundle(a solver.Algorithm, out *solver.Outcome) (*result.Bundle, error) {
	view := j.run.View()
	if out.Schedule != nil {
		if v := view.Check(out.Schedule); len(v) > 0 {
			return nil, fmt.Errorf("%s made an impossible schedule: %s", a.Name, v[0])
		}
	}
	best, proof, bounds, err := strongest(view, out.Bounds)
	if err != nil {
		return nil, err
	}
	r := &model.Result{
		Problem: j.problem.Name, Algorithm: a.Name, Status: out.Status, Seed: j.c.Uint64(flagSeed.Name),
		Instance:   model.InstanceSummary{SHA256: j.digest, Jobs: len(j.w.Jobs), Tasks: len(j.w.Tasks), Machines: view.Size()},
		Parameters: j.parameters(a),
		Metrics:    map[string]any{},
	}
	if len(out.Found) > 0 {
		r.Metrics["run"] = out.Found
	}
	if len(bounds) > 0 {
		r.Metrics["bounds"] = bounds
	}
	g := j.run.Guarantee(a.Name, out.Status == model.StatusLimit)
	if err := result.Derive(r, view, out.Schedule, proof, g, best.Theorem); err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	if g != nil && g.Verdict == model.VerdictViolated {
		return nil, fmt.Errorf("%s exceeds its proven factor %s: %s against %s; please report this instance", a.Name, g.Factor, r.Objective.Value, r.LowerBound.Value)
	}
	return result.New(r, j.w, view, out.Schedule, best.Certificate)
}

// strongest re-evaluates all bounds exactly and picks the highest; ties: the first.
func strongest(view model.View, bounds []solver.Bound) (best solver.Bound, proof *model.Certified, all []any, err error) {
	for _, b := range bounds {
		text, err := json.Marshal(b.Certificate)
		if err != nil {
			return best, nil, nil, err
		}
		p, err := view.Certify(text)
		if err != nil {
			return best, nil, nil, err
		}
		all = append(all, map[string]any{"method": p.Method, "value": model.LowerNumber(p.Value)})
		if proof == nil || p.Value.Cmp(proof.Value) > 0 {
			best, proof = b, &p
		}
	}
	return best, proof, all, nil
}

// unlimited is a number of iterations that nobody reaches.
const unlimited = 1 << 40

// iterations is the limit of a search: as told, or none if there is a time limit instead.
func (j *job) iterations() int {
	if j.c.Duration("time-limit") > 0 && !j.c.IsSet("iterations") {
		return unlimited
	}
	return j.c.Int("iterations")
}

// parameters are the settings that the result depends on.
func (j *job) parameters(a solver.Algorithm) map[string]any {
	out := map[string]any{}
	if n := j.iterations(); n != unlimited {
		out["iterations"] = n
	}
	used := j.used(a)
	for _, p := range j.problem.Params {
		if used[p.Name] && j.params[p.Name] != any(int64(0)) {
			out[p.Name] = j.params[p.Name]
		}
	}
	if d := j.c.Duration("time-limit"); d > 0 {
		out["time_limit"] = model.Number(model.FormatFixed(d.Microseconds(), 6))
	}
	if j.c.IsSet(flagJob.Name) {
		out["job"] = j.c.String(flagJob.Name)
	}
	return out
}

// write puts a result where -o says.
func (j *job) write(b *result.Bundle) error {
	path := j.target(b.Result.Algorithm)
	force := j.c.Bool(flagForce.Name)
	switch {
	case path == "":
		return nil
	case path == "-":
		return b.WriteLine(j.s.stdout)
	case isDocument(path):
		return disk.WriteFile(path, force, func(w io.Writer) error { return disk.Compress(w, path, b.WriteLine) })
	}
	if len(j.algorithms) > 1 {
		if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return b.WriteDir(path, force)
}

// stats are timings and memory, which never enter a result.
type stats struct {
	Phases  []phase `json:"phases"`
	Seconds float64 `json:"seconds"`
	PeakMiB float64 `json:"peak_mib"`
	begin   time.Time
	last    time.Time
}

type phase struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

func newStats() *stats {
	now := time.Now()
	return &stats{begin: now, last: now}
}

// lap ends a phase.
func (s *stats) lap(name string) {
	now := time.Now()
	s.Phases = append(s.Phases, phase{name, now.Sub(s.last).Seconds()})
	s.last = now
}

// finish prints the timings and, if a path is given, writes them.
func (s *stats) finish(path string, stderr io.Writer, quiet bool) error {
	s.lap("output")
	s.Seconds, s.PeakMiB = time.Since(s.begin).Seconds(), peakMiB()
	if !quiet {
		var parts []string
		for _, p := range s.Phases {
			parts = append(parts, fmt.Sprintf("%s %.2f s", p.Name, p.Seconds))
		}
		fmt.Fprintf(stderr, "%s; %.2f s in all, %.0f MiB\n", strings.Join(parts, ", "), s.Seconds, s.PeakMiB)
	}
	if path == "" {
		return nil
	}
	return disk.WriteFile(path, true, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(s)
	})
}
