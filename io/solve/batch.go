package solve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"mrsched/io/artifact"
	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/run"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
)

// Batch is one call of solve or compare for several instances. Each is solved as if alone, on one core; up to --threads
// instances are open at a time. Output does not depend on their number.
type Batch struct {
	BatchOptions
	ctx   context.Context
	paths []string // the instances, as the command line names them
	names []string // of their folders below -o
	Out   string   // empty: nothing is written

	mu      sync.Mutex
	ends    []*ending
	next    int   // the first instance whose ending was not yet reported
	told    int   // how many have ended
	failure error // of printing
}

// ending is the outcome of one instance.
type ending struct {
	Rows     []result.BatchRow
	Messages bytes.Buffer // for standard error
}

// BatchOptions are the settings of a call of solve with several instances.
type BatchOptions struct {
	Options                   func(stderr io.Writer) Options // of one instance
	Problem                   string
	Threads                   int
	Force, Quiet, FailOnLimit bool
	Compare                   bool // judge the algorithms of an instance by the strongest bound of all
	Stdout                    show.Output
	Stderr                    io.Writer
	Tell                      func(w io.Writer, about string, err error)
	// progress shows how many instances have ended, clear hides that for a message, gone ends it.
	Progress    func(done, total int)
	Clear, Gone func()
}

// NewBatch prepares the instances at some paths; results go below out.
func NewBatch(ctx context.Context, o BatchOptions, paths []string, out string) *Batch {
	return &Batch{BatchOptions: o, ctx: ctx, paths: paths, Out: out, ends: make([]*ending, len(paths))}
}

// RunAll solves all instances, threads at a time.
func (b *Batch) RunAll() error {
	begin := time.Now()
	all := context.WithoutCancel(b.ctx)                                               // what a signal ends has rows, too
	_ = run.Each(all, len(b.paths), b.Threads, func(_ context.Context, i int) error { // failures become rows
		e := b.protected(i)
		b.ended(i, e)
		return nil
	})
	b.Gone()
	if err := errors.Join(b.failure, b.conclude()); err != nil {
		return err
	}
	Took(begin, b.Stderr, b.Quiet)
	if code := b.exit(); code != engine.ExitDone {
		return &engine.ExitError{Code: code}
	}
	return nil
}

// Named refuses an unknown problem, and names that no folders can have.
func (b *Batch) Named() error {
	if b.Problem != "" {
		if _, err := engine.FindProblem(b.Problem, nil); err != nil {
			return err
		}
	}
	return b.name()
}

// Place makes the directory of the results, unless something else is there.
func (b *Batch) Place() error {
	if b.Out == "" {
		return nil
	}
	if b.Out == "-" || IsDocument(b.Out) {
		return engine.Usagef("-o %s holds one result; name a directory for %s", b.Out, show.Counted(len(b.paths), "instance"))
	}
	if err := engine.Vacant(b.Out, b.Force); err != nil {
		return err
	}
	switch {
	case engine.Exists(b.Out) && !engine.IsDir(b.Out):
		return engine.Usagef("-o %s: it is not a directory", b.Out)
	case engine.Exists(filepath.Join(b.Out, result.ResultFile)):
		return engine.Usagef("-o %s: it is one result, not a directory of results; name a directory that is not there yet",
			b.Out)
	}
	return engine.Misplaced(b.Out, os.MkdirAll(b.Out, 0o755))
}

// name names each instance's folder after its file. No two may be equal.
func (b *Batch) name() error {
	first := map[string]string{}
	for _, path := range b.paths {
		name, err := artifact.FolderName(path)
		if err != nil {
			return err
		}
		if before, taken := first[name]; taken && (b.Out != "" || path == "-" && before == path) {
			return engine.Usagef("%s and %s would both be %s below -o; give them different names, or solve them in two calls",
				before, path, name)
		}
		// "...json" would be "..", which leads out of -o
		if b.Out != "" && (name == "" || name[0] == '.' || !filepath.IsLocal(name) || IsDocument(name)) {
			return engine.Usagef("%s: with several instances, each needs a name for its folder below -o; %q is not a "+
				"name", path, name)
		}
		if name == result.SummaryFile || name == result.SummaryTable {
			return engine.Usagef("%s: an instance of several cannot be called %s, as the summary is", path, name)
		}
		first[name] = path
		b.names = append(b.names, name)
	}
	return nil
}

// protected calls run; a panic becomes the last row of its instance and does not affect others. An instance that goes
// on after a signal is left behind, so that the others have their rows.
func (b *Batch) protected(i int) *ending {
	e := &ending{}
	err := engine.Patiently(b.ctx, engine.BatchPatience, func() (err error) {
		defer engine.Protect(&err)
		return b.run(i, e)
	})
	if errors.Is(err, engine.ErrInterrupted) {
		e = &ending{} // the other one is still in use
	}
	if err != nil {
		e.fail(b, i, "", err)
		if crash, ok := errors.AsType[*engine.Panicked](err); ok {
			e.Messages.Write(crash.Stack)
		}
	}
	return e
}

// run solves one instance with every algorithm that is requested. An error concerns the instance.
func (b *Batch) run(i int, e *ending) error {
	o := b.Options(&e.Messages)
	o.Threads, o.Folders, o.Folder = 1, b.Compare, b.names[i]
	if o.Out = ""; b.Out != "" {
		o.Out = filepath.Join(b.Out, b.names[i])
	}
	if err := b.ctx.Err(); err != nil {
		return err
	}
	j, err := Open(o, b.paths[i])
	if err != nil {
		return err
	}
	if err := j.TargetsFree(); err != nil {
		return err
	}
	failed := Stops
	if !b.Compare {
		failed = func(algorithm string, err error) error {
			e.fail(b, i, algorithm, err)
			return nil
		}
	}
	t, _, err := j.Do(b.ctx, func(bundle *result.Bundle) error {
		e.Rows = append(e.Rows, b.row(i, j, bundle.Result))
		return nil
	}, failed)
	if err != nil {
		return err
	}
	for _, r := range t.Rows {
		if r.Status == model.StatusSkipped {
			e.Rows = append(e.Rows, result.BatchRow{Instance: b.paths[i], Problem: j.Problem.Name, Algorithm: r.Algorithm,
				Status: r.Status})
		}
	}
	if !b.Quiet {
		for _, n := range t.Notes {
			fmt.Fprintf(&e.Messages, "note: %s\n", textpos.Visible(b.paths[i]+": "+n))
		}
	}
	return nil
}

// row is the line of a result.
func (b *Batch) row(i int, j *Job, r *model.Result) result.BatchRow {
	row := result.NewBatchRow(b.paths[i], r)
	if j.Out != "" {
		row.Result = b.names[i]
		if j.ManyFiles() {
			row.Result += "/" + r.Algorithm
		}
	}
	switch {
	case r.Status == model.StatusLimit && b.ctx.Err() != nil:
		row.Exit = engine.ExitInterrupted
	case r.Status == model.StatusLimit && b.FailOnLimit:
		row.Exit = engine.ExitLimit
	}
	return row
}

// fail adds the row of a run that could not be carried out and says why. A run that was interrupted before it had
// anything was only not run.
func (e *ending) fail(b *Batch, i int, algorithm string, err error) {
	row := result.BatchRow{Instance: b.paths[i], Algorithm: algorithm, Status: result.StatusNotRun,
		Exit: engine.ExitInterrupted}
	if code, _ := engine.ExitCode(err); code != engine.ExitInterrupted && b.ctx.Err() == nil {
		row.Status, row.Exit, row.Code, row.Error = result.StatusError, code, engine.Kind(err), engine.OneLine(err)
		b.Tell(&e.Messages, b.paths[i], err)
	}
	e.Rows = append(e.Rows, row)
}

// ended keeps an instance's ending and reports, in the order of the command line, what is known by now.
func (b *Batch) ended(i int, e *ending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ends[i] = e
	b.told++
	for ; b.next < len(b.ends) && b.ends[b.next] != nil; b.next++ {
		e := b.ends[b.next]
		if e.Messages.Len() > 0 {
			b.Clear()
			_, err := e.Messages.WriteTo(b.Stderr)
			b.failure = errors.Join(b.failure, err)
		}
		if b.Stdout.Format == show.FormatJSON {
			b.failure = errors.Join(b.failure, show.WriteLines(b.Stdout, e.Rows))
		}
	}
	b.Progress(b.told, len(b.paths))
}

// conclude prints the table and writes the summary.
func (b *Batch) conclude() error {
	doc := &result.Batch{}
	for _, e := range b.ends {
		doc.Rows = append(doc.Rows, e.Rows...)
	}
	if b.Compare {
		doc.Ranking = result.Rank(doc.Rows)
	}
	if b.Out != "" {
		table, file := filepath.Join(b.Out, result.SummaryTable), filepath.Join(b.Out, result.SummaryFile)
		err := errors.Join(disk.WriteFile(table, true, doc.Records().WriteCSV), disk.WriteFile(file, true, doc.WriteJSON))
		if err != nil {
			return engine.Misplaced(b.Out, err)
		}
	}
	switch {
	case b.Stdout.Format == show.FormatJSON: // each row was already printed when its instance ended
		return show.WriteLines(b.Stdout, doc.Ranking)
	case b.Stdout.ForRecords():
		return doc.Records().WriteCSV(b.Stdout)
	}
	if err := errors.Join(b.Stdout.Print(batchTable(doc.Rows)), b.rank(doc)); err != nil || b.Out == "" {
		return err
	}
	_, err := fmt.Fprintf(b.Stdout, "summary: %s\n", textpos.Visible(filepath.Join(b.Out, result.SummaryTable)))
	return err
}

// batchTable has a row per run. Problems measure in different units, so a row's numbers are in that of its objective.
func batchTable(rows []result.BatchRow) *show.Table {
	shown := func(exact string) string { return show.Dash(exact) }
	bound := show.Column{Name: "lower_bound", Number: true, Show: shown, Rank: 2}
	if slices.ContainsFunc(rows, searched) {
		bound.About = aboutSearched
	}
	t := &show.Table{Columns: []show.Column{{Name: "instance"}, {Name: "problem", Rank: 4}, {Name: "algorithm"},
		{Name: "status", Rank: 1}, {Name: "objective_name", Title: "OBJECTIVE", Rank: 3},
		{Name: "objective", Title: "VALUE", Number: true, Show: shown},
		bound, {Name: "method", Title: "BOUND BY", Rank: 6}, show.GapColumn(), {Name: "guarantee", Rank: 5}}}
	for _, r := range rows {
		status, unit := string(r.Status), engine.UnitOf(r.Problem, r.Name)
		if r.Code != "" {
			status += " " + r.Code
		}
		t.Add(r.Instance, r.Problem, r.Algorithm, status, r.Name, show.Value(r.Objective, unit, model.RoundDown),
			show.Value(r.LowerBound, unit, model.RoundDown), r.Method, string(show.Optimum(r.Status, r.Ratio)),
			show.PromiseText(r.Factor, r.Additive, r.Verdict))
	}
	return t
}

// rank prints how the algorithms compare over all instances, by the gaps that the table of the runs shows.
func (b *Batch) rank(doc *result.Batch) error {
	if len(doc.Ranking) == 0 {
		return nil
	}
	runs := slices.Clone(doc.Rows)
	for i := range runs {
		runs[i].Ratio = show.Optimum(runs[i].Status, runs[i].Ratio)
	}
	ratio := func(name, title string) show.Column {
		return show.Column{Name: name, Title: title, Unit: model.UnitRatio, Mode: model.RoundUp}
	}
	t := &show.Table{Columns: []show.Column{{Name: "problem"}, {Name: "algorithm"},
		{Name: "instances", Number: true, Rank: 1}, {Name: "cheapest", Title: "BEST", Number: true},
		ratio("mean_ratio", "MEAN GAP"), ratio("worst_ratio", "WORST GAP"),
		{Name: "worst_instance", Title: "WORST ON", Rank: 2}}}
	for _, r := range result.Rank(runs) {
		t.Add(r.Problem, r.Algorithm, strconv.Itoa(r.Instances), strconv.Itoa(r.Best), string(r.MeanRatio),
			string(r.WorstRatio), r.WorstInstance)
	}
	if _, err := fmt.Fprintln(b.Stdout); err != nil {
		return err
	}
	return b.Stdout.Print(t)
}

// exit is the most serious of the runs' codes.
func (b *Batch) exit() int {
	if errors.Is(context.Cause(b.ctx), context.Canceled) {
		return engine.ExitInterrupted
	}
	var codes []int
	for _, e := range b.ends {
		for _, row := range e.Rows {
			codes = append(codes, row.Exit)
		}
	}
	return engine.MostSerious(codes)
}
