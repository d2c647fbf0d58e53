package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"mrsched/io/engine"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/io/workload"
	"mrsched/model"
)

// Options say how to run a shard.
type Options struct {
	Base        string // the folder of the spec
	MaxRuns     int
	Shard       shard
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
	mine     []Run // of this shard
	already  int   // how many of these have a row
	Failed   int   // how many of all of these have a row that is an error
}

// New plans the spec at a path and returns all findings about it at once.
func New(path string, o Options) (*Sweep, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, model.NewInputError(model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: path},
			What: "cannot be read: " + textpos.Cause(err), Expected: "the JSON document of a sweep",
			Hint: "check the path and its permissions"})
	}
	defer f.Close() // it was only read
	names := FullCatalog()
	names.Outside, o.Base = o.Outside, filepath.Dir(path)
	plan, err := Read(f, path, o.MaxRuns, names, o.Base)
	if err != nil {
		return nil, err
	}
	x := &Sweep{Options: o, plan: plan, runs: plan.Runs()}
	for i, shard := range Divide(x.runs, o.Shard.of) {
		if shard == o.Shard.index-1 {
			x.mine = append(x.mine, x.runs[i])
		}
	}
	return x, nil
}

// CarryOut runs what has no row yet. If ctx ends, the rows so far remain.
func (x *Sweep) CarryOut(ctx context.Context) error {
	rows, err := OpenLog(x.log())
	if err != nil {
		if locked, ok := errors.AsType[*LockedError](err); ok {
			return engine.Usagef("%v", locked)
		}
		return engine.Misplaced(x.log(), err)
	}
	left, deaths, err := x.left(rows)
	if err == nil {
		err = x.pool(ctx, left, deaths, rows)
	}
	if err = errors.Join(err, rows.Close()); err == nil && errors.Is(ctx.Err(), context.Canceled) {
		x.Note("%s of this shard are finished; the same command continues", show.Counted(x.already, "run"))
	}
	return err
}

// left are the runs of the shard that have no row yet, and how often processes died during each.
func (x *Sweep) left(rows *Log) (left []Run, deaths map[string]int, err error) {
	if rows.Unlocked {
		x.Note("%s cannot be locked on this file system: see to it that no other process runs this shard",
			filepath.Base(x.log()))
	}
	changed, err := x.plan.Write(x.Dir)
	if err != nil {
		return nil, nil, err
	}
	l, err := openLogs(x.Dir)
	if err != nil {
		return nil, nil, err
	}
	defer l.close()
	known := 0
	for _, run := range x.runs {
		if _, ok := l.rows[run.ID]; ok {
			known++
		}
	}
	if changed {
		x.Note("%s was made of another spec: of its finished runs %d are part of this one, %d are not and will be left out",
			x.Dir, known, len(l.rows)-known)
	}
	if l.damaged > 0 {
		x.Note("%s in %s cannot be read; their runs are done again", show.Counted(l.damaged, "row"), x.Dir)
	}
	for _, run := range x.mine {
		row, ok := l.rows[run.ID]
		if !ok || row.failed && x.RetryFailed {
			left = append(left, run)
			continue
		}
		x.already++
		if row.failed {
			x.Failed++
		}
	}
	if x.already > 0 {
		x.Note("%d of %s of this shard are finished already", x.already, show.Counted(len(x.mine), "run"))
	}
	if x.plan.TimeLimit > 0 {
		x.Note("runs have a time limit: rows are not reproducible")
	}
	return left, l.deaths(x.log()), nil
}

// log is the path of the shard's log.
func (x *Sweep) log() string { return logFile(x.Dir, x.Shard.index, x.Shard.of) }

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
	for _, run := range x.mine {
		v := &x.plan.Variants[run.Variant]
		t.Add(run.ID, x.plan.Instances[run.Instance].Name, v.Problem, v.Algorithm, v.StatedText(),
			strconv.FormatUint(run.Seed, 10))
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

// maxFailed is how many errors the end of a sweep lists.
const maxFailed = 10

// ListFailed lists the runs of the shard that are errors.
func (x *Sweep) ListFailed(w io.Writer) error {
	l, err := openLogs(x.Dir)
	if err != nil {
		return err
	}
	defer l.close()
	listed := 0
	for _, run := range x.mine {
		if !l.rows[run.ID].failed || listed == maxFailed {
			continue
		}
		row, err := l.row(run.ID)
		if err != nil {
			return err
		}
		listed++
		fmt.Fprintf(w, "error: %s: %s\n", RunText(x.plan, run), textpos.Visible(row.Note))
	}
	if n := x.Failed - listed; n > 0 {
		fmt.Fprintf(w, "… and %d more: see %s\n", n, textpos.Visible(filepath.Join(x.Dir, "rows-*.jsonl")))
	}
	return nil
}

// RunText names a run: its id, instance, algorithm, the parameters that the spec states, and the seed.
func RunText(p *Plan, run Run) string {
	v := &p.Variants[run.Variant]
	words := strings.Fields(fmt.Sprintf("%s %s seed=%d", v.Algorithm, v.StatedText(), run.Seed))
	return fmt.Sprintf("%s: %s, %s", run.ID, textpos.Visible(p.Instances[run.Instance].Name), strings.Join(words, " "))
}
