package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/io/workload"
	"mrsched/model"
)

// Options say how to run a shard.
type Options struct {
	Base        string // the folder of the spec
	Shard       shard
	Attempts    int  // this many deaths of the process make a run an error
	RetryFailed bool // do runs again whose row is an error
	Threads     int
	Outside     bool // let paths of the spec lead out of its folder
	Read        workload.Options
	Note        func(format string, args ...any)
}

// Sweep is one call of sweep.
type Sweep struct {
	Options
	Progress func(done, total int)
	Dir      string // where rows go
	plan     *Plan
	runs     []Run // of all shards
	of       []int // the shard of each run, from 0
	mine     []int // the runs of this shard
	already  int   // how many of these have a row
	Failed   int   // how many of all of these have a row that is an error
}

// New plans a sweep and returns all findings about the spec at once.
func New(spec *Spec, o Options) (*Sweep, error) {
	names := FullCatalog()
	names.Outside = o.Outside
	plan, err := spec.Plan(names, o.Base)
	if err != nil {
		return nil, err
	}
	x := &Sweep{Options: o, plan: plan, runs: plan.Runs()}
	x.of = Divide(x.runs, x.Shard.of)
	for i := range x.runs {
		if x.of[i] == x.Shard.index-1 {
			x.mine = append(x.mine, i)
		}
	}
	return x, nil
}

// CarryOut runs what has no row yet. If ctx ends, the rows so far remain.
func (x *Sweep) CarryOut(ctx context.Context) error {
	rows, err := OpenLog(x.log(Rows))
	if err != nil {
		if locked, ok := errors.AsType[*LockedError](err); ok {
			return engine.Usagef("%v", locked)
		}
		return engine.Misplaced(x.log(Rows), err)
	}
	err = x.work(ctx, rows)
	if err = errors.Join(err, rows.Close()); err == nil && errors.Is(ctx.Err(), context.Canceled) {
		x.Note("%s of this shard are finished; the same command continues", show.Counted(x.already, "run"))
	}
	return err
}

// ReadSpec reads the spec at a path.
func ReadSpec(path string, maxRuns int) (*Spec, error) {
	f, err := os.Open(path)
	if err != nil {
		if e, ok := errors.AsType[*os.PathError](err); ok {
			err = e.Err
		}
		return nil, model.NewInputError(model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: path},
			What:     "cannot be read: " + err.Error(),
			Expected: "the JSON document of a sweep", Hint: "check the path and its permissions"})
	}
	defer f.Close() // it was only read
	return Read(f, path, maxRuns), nil
}

// FullCatalog is what specs may name.
func FullCatalog() Catalog {
	c := Catalog{Presets: instances.Presets()}
	for _, p := range engine.Problems() {
		c.Problems = append(c.Problems, p.Problem)
	}
	return c
}

// work does the runs that have no row yet.
func (x *Sweep) work(ctx context.Context, rows *Log) (err error) {
	if rows.Unlocked {
		x.Note("%s cannot be locked on this file system: see to it that no other process runs this shard",
			filepath.Base(x.log(Rows)))
	}
	changed, err := x.plan.Write(x.Dir)
	if err != nil {
		return err
	}
	finished, damaged, err := ReadFinished(x.Dir)
	if err != nil {
		return err
	}
	known := 0
	for _, run := range x.runs {
		if _, ok := finished[run.ID]; ok {
			known++
		}
	}
	if changed {
		x.Note("%s was made of another spec: of its finished runs %d are part of this one, %d are not and will be left out",
			x.Dir, known, len(finished)-known)
	}
	if damaged > 0 {
		x.Note("%s in %s cannot be read; their runs are done again", show.Counted(damaged, "row"), x.Dir)
	}
	var left []int
	for _, i := range x.mine {
		failed, ok := finished[x.runs[i].ID]
		if !ok || failed && x.RetryFailed {
			left = append(left, i)
			continue
		}
		x.already++
		if failed {
			x.Failed++
		}
	}
	if x.already > 0 {
		x.Note("%d of %s of this shard are finished already", x.already, show.Counted(len(x.mine), "run"))
	}
	if x.plan.TimeLimit > 0 {
		x.Note("runs have a time limit: rows are not reproducible")
	}
	if x.plan.Keep {
		if err := x.clearKept(); err != nil {
			return err
		}
	}
	return x.begin(ctx, left, rows, finished)
}

// begin opens the log of attempts and does the runs that are left.
func (x *Sweep) begin(ctx context.Context, left []int, rows *Log, finished map[string]bool) error {
	attempts, err := OpenAttempts(x.Dir, x.Shard.index, x.Shard.of, func(id string) bool {
		failed, ok := finished[id]
		return ok && !(failed && x.RetryFailed)
	})
	if err != nil {
		return engine.Misplaced(x.log(Begun), err)
	}
	stop := context.AfterFunc(ctx, func() { _ = attempts.Release() }) // a second signal ends the process at once
	err = x.pool(ctx, left, rows, attempts)
	stop()
	return errors.Join(err, attempts.Close())
}

// log is the path of a log of the shard.
func (x *Sweep) log(kind string) string { return logFile(x.Dir, kind, x.Shard.index, x.Shard.of) }

// clearKept removes half-written results of a killed process of this shard.
func (x *Sweep) clearKept() error {
	dir := x.kept("")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	mine := map[string]bool{}
	for _, i := range x.mine {
		mine[x.runs[i].ID] = true
	}
	for _, e := range entries {
		name, half := strings.CutPrefix(e.Name(), ".") // .ID.tmp-…, see disk.WriteDir
		id, _, _ := strings.Cut(name, ".")
		if half && mine[id] {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// keptName is the directory of the results, one per run, named by id.
const keptName = "results"

func (x *Sweep) kept(id string) string { return filepath.Join(x.Dir, keptName, id) }

// Summary describes the outcome of the shard.
func (x *Sweep) Summary() string {
	text := fmt.Sprintf("%s, %s", show.Counted(len(x.mine), "run"), show.Counted(x.Failed, "error"))
	if x.Shard.of > 1 {
		text = fmt.Sprintf("shard %d/%d: %s", x.Shard.index, x.Shard.of, text)
	}
	return text
}

// Print lists the runs of the shard.
func (x *Sweep) Print(out show.Output) error {
	t := &show.Table{Columns: []show.Column{{Name: "id"}, {Name: "instance"}, {Name: "problem", Rank: 3},
		{Name: "algorithm"}, {Name: "parameters", Rank: 1}, {Name: "seed", Whole: true, Show: show.Dash, Rank: 2}}}
	for _, i := range x.mine {
		run := x.runs[i]
		in, v := &x.plan.Instances[run.Instance], &x.plan.Variants[run.Variant]
		t.Add(run.ID, in.Name, v.Problem, v.Algorithm, v.StatedText(), strconv.FormatUint(run.Seed, 10))
	}
	if err := out.Print(t); err != nil || !out.ForPeople() {
		return err
	}
	of := ""
	if x.Shard.of > 1 {
		of = fmt.Sprintf(" of %s in shard %d/%d", show.Counted(len(x.runs), "run"), x.Shard.index, x.Shard.of)
	}
	_, err := fmt.Fprintf(out, "%s%s\n", show.Counted(len(x.mine), "run"), of)
	return err
}

// PrintSummary prints the table of groups.
func PrintSummary(out show.Output, m *Merged, runs, summary string) error {
	switch {
	case out.Format == show.FormatJSON:
		return show.WriteLines(out, m.Groups)
	case out.ForRecords():
		return m.SummaryRecords().WriteCSV(out)
	}
	gap := func(name, title string, rank int) show.Column {
		return show.Column{Name: name, Title: title, Unit: model.UnitRatio, Mode: model.RoundUp, Rank: rank}
	}
	shown := show.Column{Name: "mean", Number: true, Show: show.Dash}
	t := &show.Table{Columns: []show.Column{{Name: "instances"}, {Name: "algorithm"}, {Name: "parameters", Rank: 2},
		{Name: "runs", Number: true, Rank: 3}, {Name: "errors", Number: true, Rank: 4}, {Name: "objective", Rank: 5}, shown,
		gap("ratio", "MEAN GAP", 0), {Name: "interval", Title: "95 %", Number: true, Show: show.Dash, Rank: 6,
			About: "confidence interval of the mean gap"},
		gap("worst", "WORST GAP", 1), {Name: "verdict", Rank: 7,
			About: "whether the guarantee of the algorithm is proven, in the worst run"}}}
	errors, skipped := 0, 0
	for _, g := range m.Groups {
		errors += g.Errors
		skipped += g.Skipped
		if g.Skipped > 0 && g.Skipped == g.Runs+g.Missing { // the last line counts them
			continue
		}
		interval := ""
		if r := g.Ratio; r.Low != "" {
			interval = show.Value(r.Low, model.UnitRatio, model.RoundDown) + " … " + show.Gap(r.High)
		}
		t.Add(g.Name, g.Algorithm, g.Parameters, strconv.Itoa(g.Runs), strconv.Itoa(g.Errors), g.Measure,
			show.Value(g.Objective.Mean, engine.UnitOf(g.Problem, g.Measure), model.RoundDown), string(g.Ratio.Mean), interval,
			string(g.Ratio.Max), g.Verdict)
	}
	if err := out.Print(t); err != nil {
		return err
	}
	text := show.Counted(len(m.Runs)-len(m.Missing), "run") + ", " + show.Counted(errors, "error")
	if skipped > 0 {
		text += fmt.Sprintf(", %d skipped", skipped)
	}
	if n := len(m.Missing); n > 0 {
		text += fmt.Sprintf(", %d missing", n)
	}
	_, err := fmt.Fprintf(out, "%s\n%s\n%s\n", text, textpos.Visible(runs), textpos.Visible(summary))
	return err
}
