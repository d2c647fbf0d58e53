package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"mrsched/io/artifact"
	"mrsched/io/diff"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
)

// The flags that name instances.
const (
	oldInputName = "old-input"
	newInputName = "new-input"
)

var inputNames = [2]string{oldInputName, newInputName}

// Exit codes of diff --exit-code, as of diff(1), in which 1 is not an internal error.
const (
	exitDifferent    = 1
	exitDiffInternal = 70
)

const diffAbout = `RESULT is a result directory, a result in one JSON document (plain or .gz), a result.json, or a schedule.csv. The null device counts
as an empty schedule. Of two directories of results, each is compared with that of its name, the worse ones first; then --old-input and
--new-input name the folders of the instances. Results must belong to the same problem; of two schedule.csv, only the rows are compared. Two INSTANCEs in place
of results are compared as inputs, solved or not.

If the input changed in between, diff begins with what changed in it. Results repeat only some of their input: name both instances
with --old-input and --new-input, and diff tells all that changed. Numbers of different inputs do not say that a schedule is better.

Results are equal if the input, status, objective, lower bound, ratio, guarantee, metrics, schedule and tables are equal. Differences in how they
were made (algorithm, seed, parameters, metrics.run, machines, certificate) are shown but do not count.

With --exit-code: 0 equal, 1 different, 2 usage or input error, 70 internal error. Without it: 0 unless there was an error.

For git, diff is a diff driver or a difftool: git config diff.mrsched.command 'mrsched diff --'. git difftool -d needs
--no-symlinks: a result has no links.`

func (s *session) diffCommand() *cli.Command {
	return &cli.Command{
		Name:        "diff",
		Usage:       "compare two results: what changed in the input, which jobs end earlier or later, what moved",
		ArgsUsage:   "RESULT RESULT | INSTANCE INSTANCE",
		Description: diffAbout,
		UsageText: examples("mrsched diff results/r/mars results/r/best",
			"mrsched diff --exit-code --quiet yesterday/r today/r",
			"mrsched diff --old-input yesterday.json --new-input today.json yesterday/r today/r",
			"mrsched diff yesterday.json today.json",
			"mrsched diff --markdown old.json.gz new.json.gz",
			"mrsched diff --json results/r/mars results/r/best > diff.json"),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "list all that differs; without it each part of the text has at most 8 lines"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON document with all differences"},
			&cli.BoolFlag{Name: "markdown", Usage: "print Markdown for a code review"},
			&cli.BoolFlag{Name: "brief", Usage: "print a few lines of at most 76 columns, for a mail"},
			&cli.StringFlag{Name: oldInputName, Usage: "the instance of the old result, to show what changed in it"},
			&cli.StringFlag{Name: newInputName, Usage: "the instance of the new result"},
			&timeFlag{cli.StringFlag{Name: "tolerance",
				Usage: "a task on its machine whose start and end change by no more than this time, such as 5m, has not moved"}},
			&cli.BoolFlag{Name: "exit-code", Usage: "exit with 1 if the results differ"},
			flagUnknown, maxInputFlag(), maxCountFlag(), flagQuiet,
		},
		Action: s.diff,
	}
}

func (s *session) diff(c *cli.Context) error {
	err := s.diffOf(c)
	if !c.Bool("exit-code") {
		return err
	}
	if code, printIt := engine.ExitCode(err); code == engine.ExitInternal && printIt {
		s.tell(s.stderr, "", err)
		return &engine.ExitError{Code: exitDiffInternal}
	}
	return err
}

// diffOf is diff with the usual exit codes.
func (s *session) diffOf(c *cli.Context) error {
	call, err := diffCall(c)
	if err != nil {
		return err
	}
	if call.unmerged {
		_, err := fmt.Fprintf(s.stdout, "%s is unmerged and not compared\n", call.old.name)
		return err
	}
	if call.many {
		return s.diffMany(c, call)
	}
	compare := s.compared
	if call.inputs {
		compare = s.comparedInputs
	}
	d, err := compare(c, call)
	if call.driver && !c.Bool("exit-code") && isInput(err) { // git would give up all other files
		_, err := fmt.Fprintf(s.stdout, "%s cannot be compared: %s\n", call.new.name, engine.OneLine(err))
		return err
	}
	if err != nil {
		return err
	}
	if err = s.printDifference(c, d); err == nil && c.Bool("exit-code") && !d.Same {
		return &engine.ExitError{Code: exitDifferent}
	}
	return err
}

// printDifference prints a difference in the form that the flags ask for.
func (s *session) printDifference(c *cli.Context, d *diff.Difference) error {
	if !c.Bool(flagQuiet.Name) && !c.Bool("json") && !c.Bool("markdown") {
		for _, w := range d.Warnings {
			fmt.Fprintf(s.stderr, "note: %s\n", w)
		}
	}
	switch {
	case c.Bool("json"):
		return d.WriteJSON(s.stdout)
	case c.Bool("markdown"):
		return d.WriteMarkdown(s.stdout)
	case c.Bool("brief"):
		return d.WriteBrief(s.stdout)
	}
	return d.WriteText(s.stdout, c.Bool("all"))
}

// compared reads both sides and compares them.
func (s *session) compared(c *cli.Context, call diffArguments) (*diff.Difference, error) {
	var sides [2]*result.Side
	var errs [2]error
	var group sync.WaitGroup
	for k, x := range []namedPath{call.old, call.new} {
		group.Go(func() { sides[k], errs[k] = result.ReadSide(x.path, x.name, engine.Descriptions()) })
	}
	group.Wait()
	if err := both(errs); err != nil {
		return nil, err
	}
	if err := s.nameInputs(c, call.instances, sides); err != nil {
		return nil, err
	}
	if err := c.Context.Err(); err != nil {
		return nil, err
	}
	tolerance, err := timeOf(c, "tolerance")
	if err != nil {
		return nil, err
	}
	d, err := diff.Results(sides[0], sides[1], keptBy(c), tolerance)
	if err == nil {
		err = c.Context.Err()
	}
	return d, err
}

// keptBy is how many changes of a kind the output lists; 0: all.
func keptBy(c *cli.Context) int {
	switch {
	case c.Bool("all"), c.Bool("json"):
		return 0
	case c.Bool("markdown"):
		return diff.KeepMarkdown
	}
	return diff.Keep
}

// comparedInputs reads two instances and compares them.
func (s *session) comparedInputs(c *cli.Context, call diffArguments) (*diff.Difference, error) {
	for _, name := range []string{oldInputName, newInputName, "tolerance"} {
		if c.IsSet(name) {
			return nil, engine.Usagef("--%s has no effect: %s is an instance", name, call.old.name)
		}
	}
	var sides [2]*diff.Input
	var errs [2]error
	for k, x := range []namedPath{call.old, call.new} {
		var w *model.Workload
		if w, errs[k] = s.readWorkload(c, x.path); errs[k] == nil {
			sides[k] = &diff.Input{Name: x.name, Text: workload.Listed(w), Summary: model.InstanceSummary{Name: w.Name,
				SHA256: workload.Digest(w), Jobs: len(w.Jobs), Tasks: len(w.Tasks), Origin: w.Origin.String()}}
		}
	}
	if err := both(errs); err != nil {
		return nil, err
	}
	return diff.Inputs(sides[0], sides[1], keptBy(c)), nil
}

// nameInputs adds to both sides the instances that flags name, which must be those of the results.
func (s *session) nameInputs(c *cli.Context, instances [2]string, sides [2]*result.Side) error {
	var errs [2]error
	for k, side := range sides {
		path := instances[k]
		if path == "" {
			continue
		}
		r := side.Bundle.Result
		if r == nil {
			return engine.Usagef("--%s: %s does not say of which instance it is; name its result's directory", inputNames[k],
				side.Name)
		}
		var w *model.Workload
		if w, errs[k] = s.readWorkload(c, path); errs[k] == nil {
			side.Instance, errs[k] = engine.InstanceOf(side.Bundle, w, artifact.Titled(path))
		}
	}
	if err := both(errs); err != nil {
		return err
	}
	a, b := sides[0], sides[1]
	if (a.Instance == nil) != (b.Instance == nil) && a.Bundle.Result != nil && b.Bundle.Result != nil &&
		a.Bundle.Result.Instance.SHA256 != b.Bundle.Result.Instance.SHA256 {
		missing := 0
		if b.Instance == nil {
			missing = 1
		}
		return engine.Usagef("--%s is missing: the results are of different inputs", inputNames[missing])
	}
	return nil
}

// both are the findings about either side; an error of another kind goes before them.
func both(errs [2]error) error {
	all := &model.InputError{}
	for _, err := range errs {
		var input *model.InputError
		switch {
		case errors.As(err, &input):
			all.Findings = append(all.Findings, input.Findings...)
		case err != nil:
			return err
		}
	}
	if len(all.Findings) == 0 {
		return nil
	}
	return all
}

// namedPath is where a side is and what it is called.
type namedPath struct{ path, name string }

// diffArguments are what diff is called with.
type diffArguments struct {
	old, new namedPath
	driver   bool // git calls
	unmerged bool
	inputs   bool // both are instances
	many     bool // both are directories of results
	// instances are those of both sides, or the folders of the instances of many; empty: not named.
	instances [2]string
}

func named(path string) namedPath { return namedPath{path, path} }

// How many arguments git calls a diff driver with: path, old file, its object and mode, new file, its object and mode;
// and of a renamed file the other path and a text. An unmerged file has its path alone.
const (
	driverArguments = 7
	renameArguments = 9
)

// driverCall understands the arguments of a diff driver; ok is false if git does not call one.
func driverCall(args []string) (call diffArguments, ok bool) {
	switch n := len(args); {
	case n == driverArguments || n == renameArguments:
		other := args[0]
		if n == renameArguments {
			other = args[driverArguments]
		}
		return diffArguments{old: namedPath{args[1], "a/" + args[0]}, new: namedPath{args[4], "b/" + other}, driver: true},
			true
	case n == 1 && os.Getenv("GIT_DIFF_PATH_TOTAL") != "":
		return diffArguments{old: named(args[0]), driver: true, unmerged: true}, true
	}
	return call, false
}

// diffCall understands the arguments.
func diffCall(c *cli.Context) (diffArguments, error) {
	if call, ok := driverCall(c.Args().Slice()); ok {
		return call, nil
	}
	call := diffArguments{instances: [2]string{c.String(oldInputName), c.String(newInputName)}}
	args, err := arguments(c, "RESULT", "RESULT")
	if err != nil {
		return call, err
	}
	call.old, call.new = named(args[0]), named(args[1])
	if call.driver = os.Getenv("GIT_DIFF_PATH_TOTAL") != ""; call.driver { // a difftool
		return call, nil
	}
	if call.inputs = isInstance(args[0]) && isInstance(args[1]); call.inputs {
		return call, nil
	}
	if call.many = isMany(args[0]) && isMany(args[1]); call.many {
		return call, nil
	}
	for _, path := range args {
		if path == "-" {
			return call, engine.Usagef("RESULT cannot be -: name a result's directory or file")
		}
		if err := artifact.Expect(path, artifact.ArgSide); err != nil {
			return call, err
		}
		if inside := artifact.Below(path); isMany(path) {
			return call, engine.Usagef("%s holds results in folders of their own: name one of them, %s", path,
				strings.Join(inside, ", "))
		}
	}
	return call, nil
}

func isInstance(path string) bool {
	kind, _ := artifact.KindOf(path)
	return path != "-" && kind == artifact.AWorkload
}
