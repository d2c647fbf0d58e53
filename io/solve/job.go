package solve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// Options are the settings of one call of solve or compare.
type Options struct {
	ProblemName, Algorithm string // names; empty: the workload's own, and the problem's default
	Out                    string // where results go; empty: nowhere
	Folders                bool   // Out names a directory of results even if there is only one algorithm
	Several                bool   // the call has other instances, too
	Threads                int    // of each algorithm
	Iterations             int
	TimeLimit              time.Duration // 0: none
	Seed                   uint64
	Force, Quiet, Strict   bool
	Stdout                 show.Output
	Stderr                 io.Writer

	Folder string // of the instance's results, if the call has other instances
	// ReadEarlier reads the result that is planned again, and what to keep of it; nil: there is none. A folder is that of
	// one of several instances.
	ReadEarlier  func(folder string) (*result.Bundle, model.Replan, error)
	Merged       bool // the instance is none that was read: it goes beside its results
	ReadWorkload func(path string) (*model.Workload, error)
	ReadParams   func(list []solver.Param) (solver.Params, error)
	Refuse       func(j *Job) error // refuses settings that would have no effect
	// Follow starts to display the progress of a run on the job's instance.
	Follow func(j *Job, algorithm string, watch *solver.Watch) Follower
}

// Follower displays the progress of a run.
type Follower interface {
	Ended(e Ending) // the run has ended and is verified
	End()           // nothing more is displayed; also called after a run that failed
}

// Job is what one call of solve or compare works on: one instance.
type Job struct {
	*engine.Opened
	Options
	Path       string // of the instance
	digest     string
	Algorithms []solver.Algorithm
	skipped    []solver.Algorithm // left out of "all" for their size, or because they cannot run here
	excluded   map[string]string  // why they cannot run, by name
	Limited    bool               // some result's status says that a limit stopped its algorithm
	runs       map[string]Ending  // of those that have ended, by algorithm
	strongest  *engine.Proof      // of a comparison: the best bound so far, by which the next algorithms are judged, too
}

// Open reads an instance, and the settings for its problem.
func Open(o Options, path string) (*Job, error) {
	j := &Job{Options: o, Path: path, runs: map[string]Ending{}}
	w, err := o.ReadWorkload(path)
	if err != nil {
		if o.ReadEarlier != nil {
			hintAway(err)
		}
		return nil, err
	}
	p, err := engine.FindProblem(o.ProblemName, w)
	if err == nil && o.Merged && !engine.Keeps(p.Problem, model.TableState) {
		err = engine.Usagef("--state has no effect on problem %s; only cluster plans from what has happened", p.Name)
	}
	if err != nil {
		return nil, err
	}
	j.digest = workload.Digest(w)
	if _, _, err := p.SelectAlgorithms(o.Algorithm, 0); err != nil { // a wrong name is reported first
		return nil, err
	}
	params, err := o.ReadParams(p.Params)
	if err != nil {
		return nil, err
	}
	if j.Opened, err = engine.Open(p, w, params); err != nil {
		return nil, OfInstance(path, err)
	}
	// What "all" leaves out depends on the instance: some problems schedule tasks without rows in the table tasks.
	if j.Algorithms, j.skipped, err = p.SelectAlgorithms(o.Algorithm, j.Run.View().TaskCount()); err != nil {
		return nil, err
	}
	if o.Algorithm == "all" {
		j.exclude()
	}
	if o.ReadEarlier != nil {
		if err := j.replan(); err != nil {
			return nil, OfInstance(path, err)
		}
	}
	if err := o.Refuse(j); err != nil {
		return nil, err
	}
	return j, j.warn()
}

// OfInstance names the instance in findings without a file: those about a problem, an algorithm or a flag that does not
// fit the instance.
func OfInstance(path string, err error) error {
	input, ok := errors.AsType[*model.InputError](err)
	if !ok {
		return err
	}
	if path == "-" {
		path = workload.StdinName
	}
	named := &model.InputError{Findings: slices.Clone(input.Findings), More: input.More}
	for i := range named.Findings {
		if at := &named.Findings[i].Pos; at.File == "" {
			at.File = path
		}
	}
	return named
}

// meantFor says for which instance sizes an algorithm is meant.
func meantFor(a solver.Algorithm) string { return "for up to " + show.Counted(a.SizeLimit, "task") }

// about begins the notes on this instance if the call has other instances.
func (j *Job) about() string {
	if j.Several {
		return j.Path + ": "
	}
	return ""
}

// warn notes, before they run, which of the named algorithms are meant for smaller instances: all would leave them out.
func (j *Job) warn() error {
	tasks := j.Run.View().TaskCount()
	for _, a := range j.Algorithms {
		if a.SizeLimit > 0 && tasks > a.SizeLimit && !j.Quiet {
			fmt.Fprintf(j.Stderr, "note: %s%s: %s; this instance has %d, so it may take long\n", j.about(), a.Name,
				meantFor(a), tasks)
		}
	}
	return j.tellInputs()
}

// exclude leaves out algorithms that cannot run on the instance.
func (j *Job) exclude() {
	other := func(a solver.Algorithm) bool { return j.Run.Excludes(a.Name).Unoffered }
	j.Algorithms, j.skipped = slices.DeleteFunc(j.Algorithms, other), slices.DeleteFunc(j.skipped, other)
	j.excluded = map[string]string{}
	j.Algorithms = slices.DeleteFunc(j.Algorithms, func(a solver.Algorithm) bool {
		why := j.Run.Excludes(a.Name).Why
		if why != "" {
			j.excluded[a.Name] = why
			j.skipped = append(j.skipped, a)
		}
		return why != ""
	})
}

// Bundle makes a complete result of an outcome, judged against a proven bound.
func (j *Job) Bundle(v *engine.Verified, against *engine.Proof) (*result.Bundle, error) {
	b, err := j.Settle(&model.Result{Instance: model.InstanceSummary{SHA256: j.digest},
		Parameters: j.parameters(v.Algorithm), Seed: j.Seed}, v, against)
	if err == nil && b.Result.Status == model.StatusLimit { // not what the algorithm said: the bound may show an optimum
		j.Limited = true
	}
	return b, err
}

func (j *Job) toStdout() bool { return j.Out == "-" }

// ManyFiles reports whether -o names a directory with one folder per algorithm.
func (j *Job) ManyFiles() bool { return j.Folders || len(j.Algorithms) > 1 }

// target is where an algorithm's result goes; empty: nowhere.
func (j *Job) target(algorithm string) string {
	if j.Out == "" || j.Out == "-" || !j.ManyFiles() {
		return j.Out
	}
	return filepath.Join(j.Out, algorithm)
}

// IsDocument says whether a result goes into one JSON file.
func IsDocument(path string) bool {
	return strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".json.gz")
}

// TargetsFree refuses what cannot or may not be written before any work is done.
func (j *Job) TargetsFree() error {
	out := j.Out
	if err := j.mergedFree(); err != nil || out == "-" || out == "" {
		return err
	}
	if err := engine.HasPlace(out); err != nil {
		return err
	}
	if IsDocument(out) && j.ManyFiles() {
		return engine.Usagef("-o %s holds one result; name a directory for %s", out,
			show.Counted(len(j.Algorithms), "algorithm"))
	}
	err := disk.Vacant(out, j.Force)
	if err == nil || errors.Is(err, disk.ErrExists) { // --force would lead to this refusal
		err = cmp.Or(j.mayReplace(out), err)
	}
	return err
}

// mayReplace refuses to replace anything that --force does not cover.
func (j *Job) mayReplace(out string) error {
	if IsDocument(out) {
		if engine.IsDir(out) {
			return engine.Usagef("-o %s: it is a directory", out)
		}
		return nil
	}
	if j.ManyFiles() && engine.Exists(filepath.Join(out, result.ResultFile)) {
		return engine.Usagef("-o %s: it is one result, not a directory of results; name a directory that is not there yet",
			out)
	}
	for _, a := range j.Algorithms {
		if err := result.Replaceable(j.target(a.Name)); err != nil {
			return engine.Usagef("-o %s: %v", out, err)
		}
	}
	return nil
}

// limits are those of a run.
func (o *Options) limits() engine.Limits {
	return engine.Limits{Options: solver.Options{Iterations: o.Iterations, Seed: o.Seed, Threads: o.Threads,
		Watch: &solver.Watch{}}, Time: o.TimeLimit}
}

// parameters are the settings that the result depends on.
func (j *Job) parameters(a solver.Algorithm) map[string]any {
	out := j.limits().Stated(j.Opened, a)
	engine.ReplanParameters(out, j.Replan)
	return out
}

// Write puts a result where -o says.
func (j *Job) Write(b *result.Bundle) error {
	path := j.target(b.Result.Algorithm)
	switch {
	case path == "":
		return nil
	case path == "-":
		return b.WriteLine(j.Stdout)
	case IsDocument(path):
		return engine.Misplaced(path, disk.WriteFile(path, j.Force, func(w io.Writer) error {
			return disk.Compress(w, path, b.WriteLine)
		}))
	}
	return engine.Misplaced(path, b.WriteDir(path, j.Force))
}

// Phases that no algorithm names.
const (
	PhaseSolve        = "solve" // the work of an algorithm outside its own phases
	phaseVerification = "verification"
)

// Solve runs one algorithm and verifies what it found. It fails if a signal came before there was anything.
func (j *Job) Solve(ctx context.Context, a solver.Algorithm) (*engine.Verified, error) {
	if ctx.Err() != nil {
		return nil, engine.ErrInterrupted
	}
	limits := j.limits()
	ctx, cancel := limits.Within(ctx)
	defer cancel()
	opt := limits.Options
	line := j.Follow(j, a.Name, opt.Watch)
	defer line.End()
	if p := j.strongest; p != nil {
		value, _ := p.Certified.Value.Float64()
		opt.Watch.Bound(value, p.Certified.Method)
	}
	running, end := opt.Phase(ctx, PhaseSolve, 1)
	out, err := j.Run.Solve(running, a.Name, opt)
	end()
	if err != nil {
		return nil, OfInstance(j.Path, err)
	}
	if out.Schedule == nil && !a.BoundOnly && errors.Is(ctx.Err(), context.Canceled) {
		return nil, engine.ErrInterrupted
	}
	_, end = opt.Phase(ctx, phaseVerification, 1)
	v, err := j.Verify(a, out)
	end()
	if err == nil {
		e := j.ending(ctx, opt.Watch, v)
		line.Ended(e)
		j.runs[a.Name] = e
	}
	return v, err
}

// shownRecord are the columns behind the row of the real cluster, which a comparison shows although no algorithm uses
// them.
func (j *Job) shownRecord() []workload.Stated {
	if !j.Folders || j.Problem.Recorded(j.Run.View(), j.W) == nil {
		return nil
	}
	return slices.DeleteFunc(j.Unused(), func(s workload.Stated) bool {
		return !strings.Contains(s.Name, ".recorded_") && !strings.HasPrefix(s.Name, string(model.TableRuns)+".")
	})
}

// tellInputs reports columns with values that the algorithms ignore, and contradictory values: as notes or, with
// --strict, as an error.
func (j *Job) tellInputs() error {
	if j.Strict {
		var found model.Findings
		shown := j.shownRecord()
		for _, f := range j.Objections(j.Algorithms...) {
			is := func(s workload.Stated) bool { return s.At == f.Pos }
			if f.Code != model.CodeUnusedColumn || !slices.ContainsFunc(shown, is) {
				found.Add(f)
			}
		}
		if err := found.Err(); err != nil {
			return err
		}
	}
	shown := j.shownRecord()
	unused := slices.DeleteFunc(j.Unused(j.Algorithms...), func(s workload.Stated) bool {
		return slices.Contains(shown, s)
	})
	warnings := j.Warnings(j.Algorithms...)
	if len(unused) > 0 && !j.Quiet {
		names, whose := j.ColumnNames(unused), "their"
		if len(names) == 1 {
			whose = "its"
		}
		fmt.Fprintf(j.Stderr, "note: %s%s does not use %s; %s values change nothing\n", j.about(), j.Problem.Name,
			engine.Sentence(names), whose)
	}
	if later := j.W.Later(); later != "" && !j.Quiet && j.Uses("jobs.deadline", j.Algorithms) &&
		!slices.ContainsFunc(warnings, func(f model.Finding) bool { return f.Code == model.CodeMoment }) {
		fmt.Fprintf(j.Stderr, "note: %s%s\n", j.about(), later)
	}
	for first := 0; first < len(warnings); { // of those with the same hint, the first
		next, f := first+1, warnings[first]
		for ; next < len(warnings) && warnings[next].Code == f.Code && warnings[next].Hint == f.Hint; next++ {
			f.More += 1 + warnings[next].More
		}
		fmt.Fprintf(j.Stderr, "warning: %s\n", f)
		first = next
	}
	return nil
}
