package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/grammar"
	"mrsched/io/lint"
	"mrsched/io/textpos"
	"mrsched/model"
)

// Version is the program's version.
const Version = "0.3.0"

// released is the day of Version, for the manual: that of a build would make builds differ.
const released = "2026-11-29"

// session is one run of the program.
type session struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	log            *searchLog                 // of solve; nil: none
	set            map[string]grammar.Setting // flags whose value is from a variable
	told           int                        // how many notes of a workload an earlier import has told
}

// sharedFlag is a flag of the library that all its commands share, such as --help. A copy is applied, so that sessions
// that run side by side do not write to it.
type sharedFlag struct{ *cli.BoolFlag }

// Apply adds the flag to a set.
func (f sharedFlag) Apply(set *flag.FlagSet) error {
	own := *f.BoolFlag
	return own.Apply(set)
}

func init() {
	for _, f := range []*cli.Flag{&cli.HelpFlag, &cli.VersionFlag, &cli.BashCompletionFlag} {
		if shared, ok := (*f).(*cli.BoolFlag); ok {
			*f = sharedFlag{shared}
		}
	}
}

// Main runs the command line args, args[0] being the program's name, and returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 1 && args[1] == grammar.CompleteWord {
		described((&session{}).app()).Complete(args[2:], stdout)
		return engine.ExitDone
	}
	out := &outlet{w: stdout}
	s := &session{stdin: stdin, stdout: out, stderr: stderr, set: map[string]grammar.Setting{}}
	s.stderr = textpos.NewVisibleWriter(stderr)
	if isTerminal(stdout) { // whatever is printed, a document too
		s.stdout = textpos.NewVisibleWriter(out)
	}
	ctx, stop := interruption()
	defer stop()
	defer writeErrors()()
	if stdin != nil {
		s.stdin = &interruptible{ctx: ctx, from: stdin}
	}
	app := s.app()
	err := s.run(ctx, app, args)
	var input *model.InputError
	if ctx.Err() != nil && (errors.As(err, &input) || errors.Is(err, context.Canceled)) {
		err = engine.ErrInterrupted // reading, or what came after it, was cut short
	}
	err = out.judge(err)
	code, printIt := engine.ExitCode(err)
	if printIt {
		s.complain(args, err)
	}
	return code
}

// Exit ends the program with an exit code of Main. After an interruption some work may still go on; what it writes is
// removed.
func Exit(code int) {
	disk.Abandon()
	os.Exit(code)
}

// run carries out a command line.
func (s *session) run(ctx context.Context, app *cli.App, args []string) error {
	program := described(app)
	line, err := program.Arrange(args)
	if err != nil {
		return err
	}
	if line.Help {
		_, err := io.WriteString(s.stdout, program.Help(line.Path, line.Topic))
		return err
	}
	if len(line.Path) > 0 {
		if s.set, err = program.Settings(line); err != nil {
			return err
		}
		app.Metadata = map[string]any{metaSet: s.set}
	}
	return app.RunContext(ctx, line.Words(args[0]))
}

func (s *session) app() *cli.App {
	app := &cli.App{
		Name:                   "mrsched",
		Usage:                  "schedule MapReduce workloads offline, with lower bounds that anyone can verify",
		Version:                Version,
		Reader:                 s.stdin,
		Writer:                 s.stdout,
		ErrWriter:              s.stderr,
		HideHelpCommand:        true,
		ExitErrHandler:         func(*cli.Context, error) {},
		OnUsageError:           badFlag,
		UseShortOptionHandling: false,
		Commands: []*cli.Command{
			s.solveCommand(),
			s.checkCommand(),
			s.lintCommand(),
			s.reportCommand(),
			s.explainCommand(),
			s.diffCommand(),
			s.sizeCommand(),
			s.importCommand(),
			s.exportCommand(),
			s.simulateCommand(),
			s.generateCommand(),
			s.estimateCommand(),
			s.validateCommand(),
			s.experimentCommand(),
			s.formulateCommand(),
			s.schemaCommand(),
			s.sweepCommand(),
			s.versionCommand(),
			s.completionCommand(),
			s.manCommand(),
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return engine.Unknown("command", c.Args().First(), grammar.Names(described(c.App).Commands))
			}
			_, err := io.WriteString(s.stdout, described(c.App).Help(nil, ""))
			return err
		},
	}
	s.prepare(app.Commands)
	return app
}

// prepare gives all commands what they have in common.
func (s *session) prepare(commands []*cli.Command) {
	for _, c := range commands {
		c.OnUsageError = badFlag
		c.Flags = own(c.Flags)
		c.HideHelpCommand = true // a directory may be called h or help
		c.Action = patiently(withArguments(constrained(spareInputs(limitInputs(c.Action)))))
		s.prepare(c.Subcommands)
	}
}

// patiently ends an action soon after a signal, whatever it does.
func patiently(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		return engine.Patiently(c.Context, engine.Patience, func() error { return action(c) })
	}
}

// own copies flags: parsing writes into them, and several sessions of one process may run at a time.
func own(flags []cli.Flag) []cli.Flag {
	list := make([]cli.Flag, len(flags))
	for k, f := range flags {
		is := reflect.ValueOf(f).Elem()
		copied := reflect.New(is.Type())
		copied.Elem().Set(is)
		list[k] = copied.Interface().(cli.Flag)
	}
	return list
}

// badFlag makes a usage error of what the flag package says about a flag's value.
func badFlag(c *cli.Context, err error, _ bool) error {
	text := strings.Replace(err.Error(), " for -", " for flag -", 1) // of booleans
	text = strings.Replace(text, " for flag -", " for flag --", 1)
	for _, f := range c.Command.Flags {
		what := "true or false"
		switch f.(type) {
		case *cli.IntFlag, *cli.Int64Flag:
			what = "a whole number"
		case *cli.Float64Flag:
			what = "a number"
		case *cli.Uint64Flag:
			what = "a whole number, at least 0"
		}
		if slices.ContainsFunc(f.Names(), func(n string) bool { return strings.Contains(text, " --"+n+":") }) {
			before, _, _ := strings.Cut(text, ": ")
			return engine.Usagef("%s: expected %s", before, what)
		}
	}
	return engine.Usagef("%s", text)
}

// complain prints an error.
func (s *session) complain(args []string, err error) {
	s.tell(s.stderr, "", err)
	for _, line := range grammar.Origins(s.set, err) {
		fmt.Fprintln(s.stderr, line)
	}
	var usage *engine.UsageError
	if errors.As(err, &usage) {
		fmt.Fprintf(s.stderr, "see %s --help\n", strings.Join(described(s.app()).Path(args), " "))
	}
}

// tell prints an error, findings one per line. about is the path of the instance if there are several.
func (s *session) tell(w io.Writer, about string, err error) {
	if about != "" {
		about += ": "
	}
	var input *model.InputError
	if !errors.As(err, &input) {
		hint := ""
		if errors.Is(err, disk.ErrExists) {
			hint = "; pass --force to replace it"
		}
		fmt.Fprintf(w, "%s %s%v%s\n", alarm, about, err, hint)
		return
	}
	if len(input.Findings) > 0 && input.Findings[0].Pos.File != "" { // it says itself which instance it is about
		about = ""
	}
	for _, f := range input.Findings {
		fmt.Fprintln(w, textpos.Visible(about+lint.Hinted(f).String()))
	}
	if input.More > 0 {
		fmt.Fprintf(w, "%s… and %d more findings\n", about, input.More)
	}
}

// alarm is what errors begin with.
const alarm = "mrsched:"
