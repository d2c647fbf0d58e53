package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"
)

// batch is one call of solve for several instances. Each is solved as if alone, on one core; as many are open at a time
// as --threads says. What is printed and written does not depend on how many those are.
type batch struct {
	s     *session
	c     *cli.Context
	paths []string // the instances, as the command line names them
	names []string // of their folders below -o
	out   string   // empty: nothing is written

	mu      sync.Mutex
	bar     *bar
	ends    []*ending
	next    int   // the first whose ending was not told yet
	told    int   // how many have ended
	failure error // of printing
}

// ending is what became of one instance.
type ending struct {
	rows     []result.BatchRow
	messages bytes.Buffer // for standard error
	timings  *stats
}

// solveMany solves several instances.
func (s *session) solveMany(c *cli.Context) error {
	b := &batch{s: s, c: c, paths: c.Args().Slice(), out: c.String("output"), ends: make([]*ending, c.NArg())}
	if err := b.prepare(); err != nil {
		return err
	}
	defer limitCores(c)()
	begin := time.Now()
	b.bar = newBar(s.stderr, "solve", c.Bool(flagQuiet.Name))
	var g errgroup.Group
	g.SetLimit(c.Int(flagThreads.Name))
	for i := range b.paths {
		g.Go(func() error {
			e := b.protected(c.Context, i)
			e.timings.end()
			b.ended(i, e)
			return nil
		})
	}
	_ = g.Wait() // what fails is a row
	b.bar.close()
	timings := &stats{begin: begin, output: phase{Name: phaseOutput}}
	for i, e := range b.ends {
		took := &phase{Name: b.paths[i], Seconds: e.timings.Seconds, Phases: e.timings.Phases}
		timings.Phases = append(timings.Phases, took)
	}
	timings.resume(&timings.output)
	if err := errors.Join(b.failure, b.conclude()); err != nil {
		return err
	}
	if err := timings.finish(c.String("stats"), s.stderr, c.Bool(flagQuiet.Name)); err != nil {
		return err
	}
	if code := b.exit(); code != exitDone {
		return &exitError{code}
	}
	return nil
}

// prepare refuses what no run could be right with, before any of them.
func (b *batch) prepare() error {
	if err := limitsFit(b.c); err != nil {
		return err
	}
	if name := b.c.String(flagProblem.Name); name != "" {
		if _, err := engine.FindProblem(name, nil); err != nil {
			return err
		}
	}
	if err := b.name(); err != nil {
		return err
	}
	if err := statsFree(b.c); err != nil || b.out == "" {
		return err
	}
	if err := outputFits(b.c, "a directory", ".json", ".json.gz"); err != nil {
		return err
	}
	if b.out == "-" || isDocument(b.out) {
		return engine.Usagef("-o %s holds one result; name a directory for %s", b.out, show.Counted(len(b.paths), "instance"))
	}
	if err := vacant(b.out, b.c.Bool(flagForce.Name)); err != nil {
		return err
	}
	switch {
	case engine.Exists(b.out) && !engine.IsDir(b.out):
		return engine.Usagef("-o %s: it is not a directory", b.out)
	case engine.Exists(filepath.Join(b.out, result.ResultFile)):
		return engine.Usagef("-o %s: it is one result, not a directory of results", b.out)
	}
	return engine.Misplaced(b.out, os.MkdirAll(b.out, 0o755))
}

// name calls each instance's folder after its file. No two may be equal.
func (b *batch) name() error {
	first := map[string]string{}
	for _, path := range b.paths {
		name, err := folderName(path)
		if err != nil {
			return err
		}
		if before, taken := first[name]; taken && (b.out != "" || path == "-" && before == path) {
			return engine.Usagef("%s and %s would both be %s below -o; give them different names, or solve them in two calls",
				before,
				path, name)
		}
		// "...json" would be "..", which leads out of -o
		if b.out != "" && (name == "" || name[0] == '.' || !filepath.IsLocal(name) || isDocument(name)) {
			return engine.Usagef("%s: an instance of several needs a name for its folder below -o; %q is none", path, name)
		}
		if name == result.SummaryFile || name == result.SummaryTable {
			return engine.Usagef("%s: an instance of several cannot be called %s, as the summary is", path, name)
		}
		first[name] = path
		b.names = append(b.names, name)
	}
	return nil
}

// protected is run, where a panic is the last row of its instance and ends no other.
func (b *batch) protected(ctx context.Context, i int) *ending {
	e := &ending{timings: newStats()}
	err := func() (err error) {
		defer engine.Protect(&err)
		b.run(ctx, i, e)
		return nil
	}()
	if err != nil {
		e.fail(b, i, "", err)
		if crash, ok := errors.AsType[*engine.Panicked](err); ok {
			e.messages.Write(crash.Stack)
		}
	}
	return e
}

// run solves one instance with every algorithm that is asked for.
func (b *batch) run(ctx context.Context, i int, e *ending) {
	alone := &session{stdin: b.s.stdin, stdout: io.Discard, stderr: &e.messages, color: b.s.color}
	j := &job{c: b.c, s: alone, threads: 1, stats: e.timings}
	if b.out != "" {
		j.out = filepath.Join(b.out, b.names[i])
	}
	if ctx.Err() != nil {
		e.fail(b, i, "", ctx.Err())
		return
	}
	if err := j.open(b.paths[i]); err != nil {
		e.fail(b, i, "", err)
		return
	}
	if err := j.targetsFree(); err != nil {
		e.fail(b, i, "", err)
		return
	}
	t := newTable(j)
	for _, a := range j.algorithms {
		if err := ctx.Err(); err != nil {
			e.fail(b, i, a.Name, err)
			continue
		}
		j.limited = false
		bundle, err := j.produce(ctx, a)
		if err != nil {
			e.fail(b, i, a.Name, err)
			continue
		}
		e.rows = append(e.rows, b.row(ctx, i, j, bundle.Result))
	}
	comparison := &result.Comparison{}
	j.leftOut(t, comparison)
	for _, row := range comparison.Rows {
		e.rows = append(e.rows, result.BatchRow{Instance: b.paths[i], Problem: j.Problem.Name, Algorithm: row.Algorithm,
			Status: row.Status})
	}
	if !b.c.Bool(flagQuiet.Name) {
		for _, n := range t.notes {
			fmt.Fprintf(&e.messages, "note: %s\n", textpos.Visible(b.paths[i]+": "+n))
		}
	}
}

// row is the line of a result.
func (b *batch) row(ctx context.Context, i int, j *job, r *model.Result) result.BatchRow {
	row := result.NewBatchRow(b.paths[i], r)
	if j.out != "" {
		row.Result = b.names[i]
		if j.several() {
			row.Result += "/" + r.Algorithm
		}
	}
	switch {
	case j.limited && ctx.Err() != nil:
		row.Exit = exitInterrupted
	case j.limited && b.c.Bool("fail-on-limit"):
		row.Exit = exitLimit
	}
	return row
}

// fail adds the row of a run that could not be carried out and says why; of one that was interrupted before it had
// anything, only that it was not run.
func (e *ending) fail(b *batch, i int, algorithm string, err error) {
	code, _ := exitCode(err)
	row := result.BatchRow{Instance: b.paths[i], Algorithm: algorithm, Status: result.StatusError, Exit: code,
		Code: engine.Kind(err), Error: engine.OneLine(err)}
	if code == exitInterrupted || b.c.Context.Err() != nil {
		e.rows = append(e.rows, result.BatchRow{Instance: b.paths[i], Algorithm: algorithm, Status: result.StatusNotRun,
			Exit: exitInterrupted})
		return
	}
	e.rows = append(e.rows, row)
	b.s.tell(&e.messages, b.paths[i], err)
}

// ended keeps an instance's ending and tells, in the order of the command line, what is known by now.
func (b *batch) ended(i int, e *ending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ends[i] = e
	b.told++
	for ; b.next < len(b.ends) && b.ends[b.next] != nil; b.next++ {
		e := b.ends[b.next]
		if e.messages.Len() > 0 {
			b.bar.clear()
			_, err := e.messages.WriteTo(b.s.stderr)
			b.failure = errors.Join(b.failure, err)
		}
		if b.c.Bool(flagJSON.Name) {
			b.failure = errors.Join(b.failure, show.WriteLines(b.s.stdout, e.rows))
		}
	}
	b.bar.progress(b.told, len(b.paths))
}

// conclude prints the table and writes the summary.
func (b *batch) conclude() error {
	doc := &result.Batch{}
	for _, e := range b.ends {
		doc.Rows = append(doc.Rows, e.rows...)
	}
	if b.out != "" {
		table, file := filepath.Join(b.out, result.SummaryTable), filepath.Join(b.out, result.SummaryFile)
		if err := errors.Join(disk.WriteFile(table, true, doc.WriteCSV), disk.WriteFile(file, true,
			doc.WriteJSON)); err != nil {
			return engine.Misplaced(b.out, err)
		}
	}
	if b.c.Bool(flagJSON.Name) {
		return nil
	}
	tw := tabwriter.NewWriter(b.s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "INSTANCE\tPROBLEM\tALGORITHM\tSTATUS\tOBJECTIVE\tLOWER BOUND\tRATIO\tGUARANTEE\n")
	for _, r := range doc.Rows {
		status, objective, bound := string(r.Status), "–", "–"
		if r.Code != "" {
			status += " " + r.Code
		}
		if r.Objective != "" {
			objective = show.Shorten(r.Objective) + " " + r.Name
		}
		if r.LowerBound != "" {
			bound = show.Shorten(r.LowerBound) + " " + r.Method
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", textpos.Visible(r.Instance), show.Dash(r.Problem),
			show.Dash(r.Algorithm),
			status, objective, bound, show.Dash(string(r.Ratio)),
			show.PromiseText(r.Factor, r.Additive, r.Verdict))
	}
	if err := tw.Flush(); err != nil || b.out == "" {
		return err
	}
	_, err := fmt.Fprintf(b.s.stdout, "summary: %s\n", textpos.Visible(filepath.Join(b.out, result.SummaryTable)))
	return err
}

// exit is the most serious of the runs' codes.
func (b *batch) exit() int {
	if errors.Is(context.Cause(b.c.Context), context.Canceled) {
		return exitInterrupted
	}
	worst := len(severity) - 1
	for _, e := range b.ends {
		for _, row := range e.rows {
			worst = min(worst, slices.Index(severity, row.Exit))
		}
	}
	return severity[worst]
}
