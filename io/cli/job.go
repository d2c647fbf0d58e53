package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// job is what one call of solve or compare works on: one instance.
type job struct {
	*engine.Opened
	c          *cli.Context
	s          *session
	path       string // of the instance
	out        string // where results go; empty: nowhere
	threads    int    // of each algorithm
	digest     string
	algorithms []solver.Algorithm
	skipped    []solver.Algorithm // left out of "all" for their size, or because they cannot run here
	excluded   map[string]string  // why the latter, by name
	folders    bool               // -o names a directory of results even if there is one algorithm
	limited    bool               // some result's status says that a limit stopped its algorithm
	stats      *stats
	bound      model.Optional[float64] // the best verified one so far, for the status line
}

// newJob reads the one instance that is named and everything that the flags say, and refuses targets that may not be
// written.
func (s *session) newJob(c *cli.Context, folders bool) (*job, error) {
	args, err := arguments(c, "INSTANCE")
	if err != nil {
		return nil, err
	}
	if err := limitsFit(c); err != nil {
		return nil, err
	}
	if folders {
		err = outputFits(c, "a directory, or - for standard output")
	} else {
		err = outputFits(c, "a directory, FILE.json, FILE.json.gz, or - for standard output", ".json", ".json.gz")
	}
	if err != nil {
		return nil, err
	}
	j := &job{c: c, s: s, out: c.String("output"), threads: c.Int(flagThreads.Name), folders: folders, stats: newStats()}
	if err := j.open(args[0]); err != nil {
		return nil, err
	}
	if err := j.targetsFree(); err != nil {
		return nil, err
	}
	return j, statsFree(c)
}

// limitsFit refuses limits that no run could keep.
func limitsFit(c *cli.Context) error {
	if err := atLeastOne(c, flagThreads.Name, "iterations"); err != nil {
		return err
	}
	if d := c.Duration("time-limit"); d < 0 {
		return engine.Usagef("--time-limit %s: expected more than 0", d)
	}
	return nil
}

// limitCores lets the program use so many processor cores; restore undoes it.
func limitCores(c *cli.Context) (restore func()) {
	before := runtime.GOMAXPROCS(c.Int(flagThreads.Name))
	return func() { runtime.GOMAXPROCS(before) }
}

// instance reads a workload, restricted to the jobs that --job names, and says which problem it is for.
func (s *session) instance(c *cli.Context, path string) (engine.Problem, *model.Workload, error) {
	w, err := s.readWorkload(c, path)
	if err != nil {
		return engine.Problem{}, nil, err
	}
	p, err := engine.FindProblem(c.String(flagProblem.Name), w)
	if err != nil {
		return engine.Problem{}, nil, err
	}
	w, err = restrict(c, w)
	return p, w, err
}

// open reads the instance and everything that the flags say about it.
func (j *job) open(path string) error {
	c := j.c
	j.path = path
	p, w, err := j.s.instance(c, path)
	if err != nil {
		return err
	}
	j.digest = workload.Digest(w)
	if _, _, err := p.SelectAlgorithms(c.String("algorithm"), 0); err != nil { // a wrong name is said first
		return err
	}
	params, err := paramValues(c, p.Params)
	if err != nil {
		return err
	}
	if j.Opened, err = engine.Open(p, w, params); err != nil {
		return ofInstance(path, err)
	}
	// What all leaves out depends on the instance: some problems schedule tasks without rows in the table tasks.
	if j.algorithms, j.skipped, err = p.SelectAlgorithms(c.String("algorithm"),
		model.TaskCount(w, j.Run.View())); err != nil {
		return err
	}
	if c.String("algorithm") == "all" {
		j.exclude()
	}
	if err := unheeded(c, p, params, j.algorithms); err != nil {
		return err
	}
	if err := foreign(c, allParams(), p.Used(params, j.algorithms...), "this problem and algorithm"); err != nil {
		return err
	}
	if err := idle(c, p.Params, j.Run.View()); err != nil {
		return err
	}
	return j.warn()
}

// ofInstance names the instance in findings that name no file: a problem or algorithm has nothing to do with it, or not
// with such flags.
func ofInstance(path string, err error) error {
	var input *model.InputError
	if !errors.As(err, &input) {
		return err
	}
	if path == "-" {
		path = workload.StdinName
	}
	named := &model.InputError{Findings: slices.Clone(input.Findings), More: input.More}
	for i := range named.Findings {
		if f := &named.Findings[i]; f.Pos.File == "" {
			f.Pos.File = path
		}
	}
	return named
}

// meantFor says for which instances an algorithm is meant.
func meantFor(a solver.Algorithm) string { return "for up to " + show.Counted(a.SizeLimit, "task") }

// warn tells, before they run, which of the algorithms that were named are meant for smaller instances: all would leave
// them out.
func (j *job) warn() error {
	tasks, about := model.TaskCount(j.W, j.Run.View()), ""
	if j.c.NArg() > 1 { // of several instances
		about = j.path + ": "
	}
	for _, a := range j.algorithms {
		if a.SizeLimit > 0 && tasks > a.SizeLimit && !j.c.Bool(flagQuiet.Name) {
			fmt.Fprintf(j.s.stderr, "note: %s%s: %s; this instance has %d, so it may take long\n", about, a.Name,
				meantFor(a), tasks)
		}
	}
	return j.tellInputs(about)
}

// exclude leaves out algorithms that cannot run on the instance.
func (j *job) exclude() {
	if o, ok := j.Run.(solver.Chooser); ok {
		other := func(a solver.Algorithm) bool { return !o.Offers(a.Name) }
		j.algorithms, j.skipped = slices.DeleteFunc(j.algorithms, other), slices.DeleteFunc(j.skipped, other)
	}
	j.excluded = map[string]string{}
	j.algorithms = slices.DeleteFunc(j.algorithms, func(a solver.Algorithm) bool {
		why := engine.Excludes(j.Run, a.Name)
		if why != "" {
			j.excluded[a.Name] = why
			j.skipped = append(j.skipped, a)
		}
		return why != ""
	})
}

// bundle makes a complete result of an outcome, judged against a proven bound.
func (j *job) bundle(v *engine.Verified, against *engine.Proof) (*result.Bundle, error) {
	b, err := j.Settle(&model.Result{Instance: model.InstanceSummary{SHA256: j.digest},
		Parameters: j.parameters(v.Algorithm), Seed: j.c.Uint64(flagSeed.Name)}, v, against)
	if err == nil && b.Result.Status == model.StatusLimit { // not what the algorithm said: the bound may show an optimum
		j.limited = true
	}
	return b, err
}

// finish prints and writes the timings and gives the command's end.
func (j *job) finish() error {
	c := j.c
	if err := j.stats.finish(c.String("stats"), j.s.stderr, c.Bool(flagQuiet.Name)); err != nil {
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

// toStdout says that the documents themselves go to standard output.
func (j *job) toStdout() bool { return j.out == "-" }

// several says that -o names a directory with one folder an algorithm.
func (j *job) several() bool { return j.folders || len(j.algorithms) > 1 }

// target is where an algorithm's result goes; empty: nowhere.
func (j *job) target(algorithm string) string {
	if j.out == "" || j.out == "-" || !j.several() {
		return j.out
	}
	return filepath.Join(j.out, algorithm)
}

func isDocument(path string) bool {
	return strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".json.gz")
}

// statsFree refuses a file for --stats that cannot or may not be written before any work is done.
func statsFree(c *cli.Context) error {
	stats := c.String("stats")
	if stats == "" {
		return nil
	}
	if stats == c.String("output") {
		return engine.Usagef("-o and --stats both name %s", stats)
	}
	return vacantFile(stats, c.Bool(flagForce.Name))
}

// targetsFree refuses what cannot or may not be written before any work is done.
func (j *job) targetsFree() error {
	out := j.out
	if out == "-" {
		return nil
	}
	if err := engine.HasPlace(out); err != nil {
		return err
	}
	if out == "" {
		return nil
	}
	if isDocument(out) && j.several() {
		return engine.Usagef("-o %s holds one result; name a directory for %s", out,
			show.Counted(len(j.algorithms), "algorithm"))
	}
	if err := disk.Vacant(out, j.c.Bool(flagForce.Name)); err != nil {
		return err
	}
	return j.mayReplace(out)
}

// mayReplace refuses to replace what --force was not meant for.
func (j *job) mayReplace(out string) error {
	if isDocument(out) {
		if engine.IsDir(out) {
			return engine.Usagef("-o %s: it is a directory", out)
		}
		return nil
	}
	if j.several() && engine.Exists(filepath.Join(out, result.ResultFile)) {
		return engine.Usagef("-o %s: it is one result, not a directory of results", out)
	}
	for _, a := range j.algorithms {
		if err := result.Replaceable(j.target(a.Name)); err != nil {
			return engine.Usagef("-o %s: %v", out, err)
		}
	}
	return nil
}

// iterations is the limit of a search: as told, or none if there is a time limit instead.
func (j *job) iterations() int {
	if j.c.Duration("time-limit") > 0 && !j.c.IsSet("iterations") {
		return engine.Unlimited
	}
	return j.c.Int("iterations")
}

// parameters are the settings that the result depends on.
func (j *job) parameters(a solver.Algorithm) map[string]any {
	out := j.Problem.Parameters(a, j.Params, j.iterations())
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
		return engine.Misplaced(path, disk.WriteFile(path, force, func(w io.Writer) error {
			return disk.Compress(w, path,
				b.WriteLine)
		}))
	}
	return engine.Misplaced(path, b.WriteDir(path, force))
}
