package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"mrsched/io/disk"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := board(ctx, os.Args[1:], os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "scoreboard:", err)
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	bench, rows, document string
	only                  []string // names of sets; nil: all
	sample                int      // solve every how many-th instance of a set
	scale                 float64  // of the time limits
	threads               int
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	f := flag.NewFlagSet("scoreboard", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.rows, "rows", "results/scoreboard.jsonl", "the log of rows, which grows")
	f.StringVar(&o.document, "o", "docs/scoreboard.md", "the document")
	f.IntVar(&o.sample, "sample", 1, "run only every K-th instance of a set, from the first")
	f.Float64Var(&o.scale, "scale", 1, "multiply the time limits")
	f.IntVar(&o.threads, "threads", runtime.NumCPU(), "threads of each run")
	only := f.String("only", "", "run only these sets, separated by commas: "+strings.Join(names(), ", "))
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	for _, name := range o.only {
		if !slices.Contains(names(), name) {
			return o, fmt.Errorf("unknown set %q; there are %s", name, strings.Join(names(), ", "))
		}
	}
	if f.NArg() != 1 || o.sample < 1 || o.scale <= 0 || o.threads < 1 {
		return o, errors.New("expected one directory, and numbers above 0")
	}
	o.bench = f.Arg(0)
	return o, nil
}

// board does what the command line says; progress goes to stderr.
func board(ctx context.Context, args []string, stderr io.Writer) (err error) {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(o.threads)
	log, err := openLog(o.rows)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	for _, s := range sets() {
		if len(o.only) > 0 && !slices.Contains(o.only, s.name) {
			continue
		}
		if err := o.solveSet(ctx, s, log, stderr); err != nil {
			return err
		}
	}
	text, wrong := render(log.rows)
	if err := disk.WriteFile(o.document, true, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}); err != nil {
		return err
	}
	if len(wrong) > 0 {
		return fmt.Errorf("wrong results:\n%s", strings.Join(wrong, "\n"))
	}
	return nil
}

// solveSet runs the instances of a set that the log does not have.
func (o *options) solveSet(ctx context.Context, s set, log *rowLog, stderr io.Writer) error {
	list, err := s.list(o.bench)
	if errors.Is(err, os.ErrNotExist) {
		fmt.Fprintf(stderr, "%s: not there\n", s.name)
		return nil
	}
	if err != nil {
		return err
	}
	limit := time.Duration(float64(s.limit) * o.scale)
	for k := 0; k < len(list); k += o.sample {
		r := newRow(&s, &list[k], limit, o.threads)
		if log.has(r) {
			continue
		}
		r.Of, r.Cores = len(list), runtime.NumCPU()
		if err := solve(ctx, &list[k], s.settings, r); err != nil {
			return fmt.Errorf("%s %s: %w", s.name, list[k].name, err)
		}
		f := r.Flat()
		fmt.Fprintf(stderr, "%s %s: %s %s ≥ %s %s\n", s.name, list[k].name, r.Status, f.Objective, f.LowerBound, r.Note)
		if err := log.add(r); err != nil {
			return err
		}
	}
	return nil
}
