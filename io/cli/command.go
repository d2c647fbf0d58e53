package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/textpos"
	"mrsched/model"
)

// Version is the program's version.
const Version = "0.1.0"

// released is the day of Version, for the manual: that of a build would make builds differ.
const released = "2026-11-21"

// session is one run of the program.
type session struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	color          bool               // of messages on stderr
	config         string             // the file of settings; empty: none
	printConfig    bool               // print the settings, do nothing else
	set            map[string]setting // flags whose value is not from the command line
}

// Main runs the command line args, args[0] being the program's name, and returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 1 && args[1] == completeWord {
		return complete(args[2:], stdout)
	}
	out := &outlet{w: stdout}
	s := &session{stdin: stdin, stdout: out, stderr: stderr, set: map[string]setting{}}
	args, noColor, err := s.everywhere(args)
	s.color = !noColor && os.Getenv("NO_COLOR") == "" && isTerminal(stderr)
	s.stderr = textpos.NewVisibleWriter(stderr, s.alarm())
	if isTerminal(stdout) { // whatever is printed, a document too
		s.stdout = textpos.NewVisibleWriter(out, "")
	}
	ctx, stop := interruption()
	defer stop()
	defer writeErrors()()
	if stdin != nil {
		s.stdin = &interruptible{ctx: ctx, from: stdin}
	}
	app := s.app()
	if err == nil {
		err = s.run(ctx, app, args)
	}
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

// run carries out a command line.
func (s *session) run(ctx context.Context, app *cli.App, args []string) error {
	line, err := arrange(app, args)
	if err != nil {
		return err
	}
	if line.help {
		return s.help(app, line.path)
	}
	if len(line.path) > 0 {
		found, err := s.settings(app, line.path, line.known)
		if err != nil {
			return err
		}
		line.flags = s.apply(app, found, line.known, line.flags)
	}
	return app.RunContext(ctx, line.words(args[0]))
}

// everywhere takes the words out of the arguments that may stand anywhere.
func (s *session) everywhere(args []string) (kept []string, noColor bool, err error) {
	for i := 0; i < len(args); i++ {
		name, value, hasValue := strings.Cut(args[i], "=")
		switch {
		case args[i] == "--":
			return append(kept, args[i:]...), noColor, nil
		case args[i] == "--no-color":
			noColor = true
		case args[i] == "--print-config":
			s.printConfig = true
		case name == "--config":
			if !hasValue && i+1 == len(args) {
				return args, noColor, engine.Usagef("flag --config needs a value")
			}
			if !hasValue {
				i++
				value = args[i]
			}
			if s.config != "" && s.config != value {
				return args, noColor, twice(name, s.config, value)
			}
			s.config = value
		default:
			kept = append(kept, args[i])
		}
	}
	return kept, noColor, nil
}

func (s *session) app() *cli.App {
	app := &cli.App{
		Name: "mrsched",
		Usage: "schedule MapReduce workloads offline, each schedule beside a lower bound that anyone can " +
			"re-check",
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
			s.compareCommand(),
			s.checkCommand(),
			s.reportCommand(),
			s.diffCommand(),
			s.explainCommand(),
			s.generateCommand(),
			s.validateCommand(),
			s.experimentCommand(),
			s.estimateCommand(),
			s.importCommand(),
			s.formulateCommand(),
			s.schemaCommand(),
			s.sweepCommand(),
			s.versionCommand(),
			s.completionCommand(),
			s.manCommand(),
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return engine.Unknown("command", c.Args().First(), commandNames(c.App))
			}
			return s.help(c.App, nil)
		},
	}
	walk(app.Commands, nil, func(_ []string, c *cli.Command) {
		c.OnUsageError = badFlag
		c.HideHelpCommand = true // a directory may be called h or help
		c.Action = s.orPrint(limitInputs(c.Action))
	})
	return app
}

// badFlag makes a usage error of what the flag package says about a flag's value.
func badFlag(c *cli.Context, err error, _ bool) error {
	text := strings.Replace(err.Error(), " for -", " for flag -", 1) // of booleans
	text = strings.Replace(text, " for flag -", " for flag --", 1)
	for _, f := range c.Command.Flags {
		what := "true or false"
		switch f.(type) {
		case *cli.DurationFlag:
			what = "a duration with its unit, such as 30s or 5m"
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

func commandNames(app *cli.App) []string {
	return namesOf(app.Commands)
}

func namesOf(commands []*cli.Command) []string {
	var names []string
	for _, c := range commands {
		names = append(names, c.Name)
	}
	return names
}

// complain prints an error.
func (s *session) complain(args []string, err error) {
	s.tell(s.stderr, "", err)
	for _, line := range s.origins(err) {
		fmt.Fprintln(s.stderr, line)
	}
	var usage *engine.UsageError
	if errors.As(err, &usage) {
		fmt.Fprintf(s.stderr, "see %s --help\n", strings.Join(commandPath(s.app(), args), " "))
	}
}

// tell prints an error; findings one a line, as they are. What it is about is the path of one instance among several.
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
		fmt.Fprintf(w, "%s %s%v%s\n", s.alarm(), about, err, hint)
		return
	}
	if len(input.Findings) > 0 && input.Findings[0].Pos.File != "" { // it says itself which instance it is about
		about = ""
	}
	for _, f := range input.Findings {
		fmt.Fprintln(w, textpos.Visible(about+f.String()))
	}
	if input.More > 0 {
		fmt.Fprintf(w, "%s… and %d more findings\n", about, input.More)
	}
}

// commandPath is the program's name and the names of the command and sub-command that args call.
func commandPath(app *cli.App, args []string) []string {
	path, commands := []string{app.Name}, app.Commands
	for _, word := range args[1:] {
		next := find(commands, word)
		if next == nil {
			break
		}
		path, commands = append(path, word), next.Subcommands
	}
	return path
}

// alarm is what errors begin with, in red where there are colours.
func (s *session) alarm() string {
	const word = "mrsched:"
	if !s.color {
		return word
	}
	return "\x1b[31m" + word + "\x1b[0m"
}

// commandLine is the words behind the program's name, sorted.
type commandLine struct {
	path       []string   // the command and its sub-command
	known      []cli.Flag // that the command has
	flags      []string   // with their values
	positional []string
	help       bool // is asked for, whatever else stands there
}

// words is the line as the flag package wants it.
func (l *commandLine) words(program string) []string {
	out := slices.Concat([]string{program}, l.path, l.flags)
	if len(l.positional) > 0 {
		out = append(append(out, "--"), l.positional...)
	}
	return out
}

// arrange sorts a command line, so that flags may stand before and after arguments, and reports unknown commands and
// flags with the nearest name. "--" ends the flags.
func arrange(app *cli.App, args []string) (*commandLine, error) {
	l := &commandLine{}
	rest := args[1:]
	if len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		if !slices.Contains(globalFlags, rest[0]) {
			return nil, engine.Usagef("%v (flags of a command come after its name)",
				engine.Unknown("flag", rest[0], globalFlags))
		}
		l.flags, l.help = rest[:1], rest[0] == "--help" || rest[0] == "-h"
		return l, nil
	}
	if len(rest) > 0 && rest[0] == "help" { // as in other programs: help COMMAND
		rest, l.help = rest[1:], true
	}
	commands := app.Commands
	var early []string // flags that stand before a sub-command, which has them too
	for len(rest) > 0 && len(commands) > 0 {
		if n := leading(l.known, rest); n > 0 {
			early, rest = append(early, rest[:n]...), rest[n:]
			continue
		}
		next := find(commands, rest[0])
		if next == nil {
			if len(l.path) == 0 {
				return nil, engine.Unknown("command", rest[0], commandNames(app))
			}
			break
		}
		l.path = append(l.path, rest[0])
		rest, l.known, commands = rest[1:], next.Flags, next.Subcommands
	}
	var err error
	if l.flags, l.positional, err = split(l.known, append(early, rest...)); err != nil {
		return nil, err
	}
	if l.flags, err = once(l.known, l.flags); err != nil {
		return nil, err
	}
	l.help = l.help || slices.Contains(l.flags, "--help") || slices.Contains(l.flags, "-h")
	return l, nil
}

// leading is how many words of a line its first flag is, with its value; 0 if it begins with none of the flags.
func leading(flags []cli.Flag, words []string) int {
	name, _, hasValue := strings.Cut(strings.TrimLeft(words[0], "-"), "=")
	i := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	switch {
	case len(words[0]) < 2 || words[0][0] != '-' || i < 0:
		return 0
	case hasValue || !takesValue(flags[i]) || len(words) == 1:
		return 1
	}
	return 2
}

// globalFlags are all that may stand where a command is expected, besides anywhereFlags.
var globalFlags = []string{"--help", "-h", "--version", "-v"}

// anywhereFlags may stand anywhere (see everywhere).
var anywhereFlags = []string{"--no-color", "--config", "--print-config"}

func find(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.Name == name {
			return c
		}
	}
	return nil
}
