package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"

	"mrsched/io/disk"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// validateIterations is how long searches run on an instance of validate unless told otherwise. The exact
// method's nodes are counted by iterations too.
const validateIterations = 100

func (s *session) validateCommand() *cli.Command {
	flags := []cli.Flag{
		&cli.IntFlag{Name: "instances", Value: 2000, Usage: "number of random instances"},
		flagSeed,
		&cli.IntFlag{Name: "only", Usage: "solve the instance of this number alone, and write it beside the report, " +
			"without -o into the current directory"},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the report to this JSON file too; instances " +
			"that break a guarantee stand beside it"},
		&cli.IntFlag{Name: "iterations", Value: validateIterations, Usage: "stop each search after this many iterations"},
		flagThreads, flagForce, flagQuiet,
	}
	return &cli.Command{
		Name: "validate",
		Usage: "test every algorithm's bound and guarantee against exact optima of random small instances, of " +
			"multitenant against the best schedules found",
		ArgsUsage: "PROBLEM",
		Description: withExamples("The report is JSON. Exit code 4 says that something was violated.",
			"mrsched validate hta --instances 20",
			"mrsched validate msjo --instances 5 --only 3 -o report.json"),
		Flags:  append(flags, paramFlags(allParams())...),
		Action: s.validate,
	}
}

// validation is one call of validate.
type validation struct {
	problem  problem
	variants []variant
	seed     uint64
	options  solver.Options
	only     int // 0: all instances
}

// variant is a set of parameters under which every instance is solved.
type variant struct {
	label  map[string]string // what sets it apart from the others
	params solver.Params
}

func (s *session) validate(c *cli.Context) error {
	args, err := arguments(c, "PROBLEM")
	if err != nil {
		return err
	}
	if err := atLeastOne(c, "instances", "iterations", flagThreads.Name); err != nil {
		return err
	}
	v, err := newValidation(c, args[0])
	if err != nil {
		return err
	}
	n := c.Int("instances")
	if v.only = c.Int("only"); c.IsSet("only") && (v.only < 1 || v.only > n) {
		return usagef("--only %d: expected a number from 1 to %d", v.only, n)
	}
	if err := outputFits(c, "FILE.json", ".json"); err != nil {
		return err
	}
	out := c.String("output")
	if err := vacantFile(out, c.Bool(flagForce.Name)); err != nil {
		return err
	}
	bar := newBar(s.stderr, "validate", c.Bool(flagQuiet.Name))
	trials, err := v.run(c.Context, n, c.Int(flagThreads.Name), bar.progress)
	bar.close()
	if err != nil {
		return err
	}
	report := v.report(trials)
	if err := v.keep(report, filepath.Dir(out), trials); err != nil {
		return err
	}
	if out != "" {
		if err := misplaced(out, disk.WriteFile(out, c.Bool(flagForce.Name), report.write)); err != nil {
			return err
		}
	}
	if err := report.write(s.stdout); err != nil {
		return err
	}
	if !c.Bool(flagQuiet.Name) {
		unknown := ""
		if report.Optimum != "" {
			unknown = "; no exact method is known: ratios are to the best schedule found"
		}
		fmt.Fprintf(s.stderr, "%s: %s, %s, %s%s\n", v.problem.Name, counted(report.Instances, "instance"),
			counted(report.algorithms(), "algorithm"), counted(len(report.Violations), "violation"), unknown)
	}
	if len(report.Violations) > 0 {
		return &exitError{exitViolation}
	}
	return nil
}

// vacant refuses a file that exists, unless forced, before any work is done.
func vacant(path string, force bool) error {
	if path == "" {
		return nil
	}
	if err := hasPlace(path); err != nil {
		return err
	}
	return disk.Vacant(path, force)
}

// vacantFile is vacant for a file.
func vacantFile(path string, force bool) error {
	if path != "" && isDir(path) {
		return usagef("%s: it is a directory; name a file", path)
	}
	return vacant(path, force)
}

func newValidation(c *cli.Context, name string) (*validation, error) {
	p, err := findProblem(name, nil)
	if kind, _ := kindOf(name); err != nil && kind != unclear {
		return nil, usagef("%s is %s: validate makes instances by itself; name a problem, one of %s", name, kind,
			strings.Join(problemNames(), ", "))
	}
	if err != nil {
		return nil, err
	}
	if p.small == nil {
		return nil, usagef("problem %s has no small instances to validate on", p.Name)
	}
	if err := foreign(c, allParams(), p.used(nil, p.Algorithms...), "this problem"); err != nil {
		return nil, err
	}
	v := &validation{problem: p, seed: c.Uint64(flagSeed.Name),
		options: solver.Options{Iterations: c.Int("iterations"), Seed: c.Uint64(flagSeed.Name), Threads: 1}}
	seen := map[string]bool{}
	for _, settings := range p.small.variants {
		base, err := paramValues(c, p.Params)
		if err != nil {
			return nil, err
		}
		x := variant{map[string]string{}, base}
		for _, q := range p.Params {
			text, ok := settings[q.Name]
			if !ok {
				continue
			}
			if !c.IsSet(q.Name) {
				if base[q.Name], err = parseParam(q, text); err != nil {
					return nil, err
				}
			}
			x.label[q.Name] = fmt.Sprint(base[q.Name])
		}
		if key := fmt.Sprint(x.label); !seen[key] { // a flag may make variants equal
			seen[key] = true
			v.variants = append(v.variants, x)
		}
	}
	return v, nil
}

// trial is what one instance showed.
type trial struct {
	k          int
	workload   *model.Workload
	samples    []sample
	bounds     []boundSample
	exact      []*verified // what the exact method found, by variant
	unsolved   int         // variants whose optimum it did not prove
	violations []breach
}

// run solves all instances; the order of the results does not depend on threads.
func (v *validation) run(ctx context.Context, n, threads int, progress func(done, total int)) ([]*trial, error) {
	trials := make([]*trial, n)
	var mu sync.Mutex
	done := 0
	g, running := errgroup.WithContext(ctx)
	g.SetLimit(threads)
	for i := range trials {
		if running.Err() != nil {
			break
		}
		if v.only != 0 && i != v.only-1 {
			continue
		}
		g.Go(func() error {
			t, err := v.try(running, i+1)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			trials[i] = t
			done++
			progress(done, n)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return trials, ctx.Err()
}

// try solves the k-th instance under every variant.
func (v *validation) try(ctx context.Context, k int) (*trial, error) {
	w, err := v.problem.small.generate(rand.New(rand.NewPCG(v.seed, uint64(k))), k)
	if err != nil {
		return nil, fmt.Errorf("instance %d: %w", k, err)
	}
	t := &trial{k: k, workload: w}
	for i := range v.variants {
		if err := v.tryVariant(ctx, t, i); err != nil {
			return nil, fmt.Errorf("instance %d: %w", k, err)
		}
	}
	return t, nil
}

// tryVariant solves one instance with every algorithm and compares what they promise with the optimum. An algorithm for
// which an earlier variant is the same is not run again.
func (v *validation) tryVariant(ctx context.Context, t *trial, i int) error {
	o, err := open(v.problem, t.workload, v.variants[i].params)
	if nothingToDo(err) {
		t.exact = append(t.exact, nil)
		t.unsolved++
		return nil
	}
	if err != nil {
		return err
	}
	var found []*verified
	var exact *verified
	for _, a := range v.problem.Algorithms {
		first := v.first(a, i)
		if excludes(o.run, a.Name) != "" {
			continue
		}
		if first < i {
			if a.Exhaustive {
				exact = t.exact[first]
			}
			continue
		}
		x, err := o.solve(ctx, a, v.options)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			t.violations = append(t.violations, breach{t.k, a.Name, v.label(a, i), err.Error(), ""})
			continue
		}
		found = append(found, x)
		if a.Exhaustive {
			exact = x
		}
	}
	t.exact = append(t.exact, exact)
	var optimum *yardstick
	switch {
	case exact == nil: // none that could run
		optimum = leastCost(o, found)
	case exact.Status == model.StatusOptimal:
		optimum = &yardstick{o.cost(exact), "optimum", true}
	}
	if optimum == nil || !optimum.proven {
		t.unsolved++
	}
	if optimum == nil {
		return nil
	}
	for _, x := range found {
		t.judge(o, x, i, v.label(x.algorithm, i), optimum, v.first(solver.Algorithm{}, i) == i)
	}
	for _, never := range v.problem.small.neverWorse {
		a, _ := v.problem.Algorithm(never[0])
		t.compare(o, found, i, never, v.label(a, i))
	}
	return nil
}

// nothingToDo says whether an instance is empty under the parameters: it has nothing of what they ask for.
func nothingToDo(err error) bool {
	var input *model.InputError
	return errors.As(err, &input) && !slices.ContainsFunc(input.Findings,
		func(f model.Finding) bool { return f.Code != model.CodeEmpty })
}

// exhaustive says whether some algorithm of the problem proves optima.
func (v *validation) exhaustive() bool {
	return slices.ContainsFunc(v.problem.Algorithms, func(a solver.Algorithm) bool { return a.Exhaustive })
}

// first is the first variant that is for an algorithm what variant i is: its own parameters and those of the instance
// are the same. Without an algorithm it is the first with the same instance.
func (v *validation) first(a solver.Algorithm, i int) int {
	mine := v.label(a, i)
	return slices.IndexFunc(v.variants[:i+1], func(x variant) bool { return maps.Equal(v.seen(a, x), mine) })
}

// label is what sets a variant apart for an algorithm.
func (v *validation) label(a solver.Algorithm, i int) map[string]string {
	return v.seen(a, v.variants[i])
}

// seen are the settings of a variant that an algorithm, or the instance, depends on.
func (v *validation) seen(a solver.Algorithm, x variant) map[string]string {
	used, label := v.problem.used(x.params, a), map[string]string{}
	for name, value := range x.label {
		if used[name] {
			label[name] = value
		}
	}
	return label
}

// keep writes the instances that broke something, or the only one asked for, and names the files.
func (v *validation) keep(r *validationReport, dir string, trials []*trial) error {
	for i := range r.Violations {
		r.Violations[i].File = filepath.Join(dir, fmt.Sprintf("%s-violation-seed%d-%d.json", v.problem.Name, v.seed,
			r.Violations[i].Instance))
		if err := v.keepOne(r.Violations[i].File, trials[r.Violations[i].Instance-1]); err != nil {
			return err
		}
	}
	if v.only == 0 {
		return nil
	}
	return v.keepOne(filepath.Join(dir, fmt.Sprintf("%s-seed%d-%d.json", v.problem.Name, v.seed, v.only)),
		trials[v.only-1])
}

func (v *validation) keepOne(path string, t *trial) error {
	return misplaced(path, workload.Write(path, t.workload, true, nil))
}

// write prints the report.
func (r *validationReport) write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
