package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"mrsched/io/disk"
	"mrsched/model"
)

// Version is the program's version.
const Version = "0.1.0"

// session is one run of the program.
type session struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	color          bool // of messages on stderr
}

// Main runs the command line args, args[0] being the program's name, and returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := &session{stdin: stdin, stdout: stdout, stderr: stderr}
	args, noColor := without(args, "--no-color")
	s.color = !noColor && os.Getenv("NO_COLOR") == "" && isTerminal(stderr)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if stdin != nil {
		s.stdin = &interruptible{ctx: ctx, from: stdin}
	}
	app := s.app()
	args, err := arrange(app, args)
	if err == nil {
		err = app.RunContext(ctx, args)
	}
	var input *model.InputError
	if ctx.Err() != nil && (errors.As(err, &input) || errors.Is(err, context.Canceled)) {
		err = errInterrupted // reading, or what came after it, was cut short
	}
	code, printIt := exitCode(err)
	if printIt {
		s.complain(args, err)
	}
	return code
}

// without removes a word from the arguments and says whether it was there.
func without(args []string, word string) ([]string, bool) {
	kept := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == word })
	return kept, len(kept) < len(args)
}

func (s *session) app() *cli.App {
	app := &cli.App{
		Name:                   "mrsched",
		Usage:                  "schedule MapReduce workloads offline, each schedule beside a lower bound that anyone can re-check",
		Version:                Version,
		Reader:                 s.stdin,
		Writer:                 s.stdout,
		ErrWriter:              s.stderr,
		HideHelpCommand:        true,
		CustomAppHelpTemplate:  appHelp,
		ExitErrHandler:         func(*cli.Context, error) {},
		OnUsageError:           badFlag,
		UseShortOptionHandling: false,
		Commands: []*cli.Command{
			s.solveCommand(),
			s.compareCommand(),
			s.checkCommand(),
			s.generateCommand(),
			s.validateCommand(),
			s.experimentCommand(),
			s.estimateCommand(),
			s.importCommand(),
			s.formulateCommand(),
			s.schemaCommand(),
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return unknown("command", c.Args().First(), commandNames(c.App))
			}
			return cli.ShowAppHelp(c)
		},
	}
	reportBadFlags(app.Commands)
	return app
}

// badFlag makes a usage error of what the flag package says about a flag's value.
func badFlag(c *cli.Context, err error, _ bool) error {
	text := strings.Replace(err.Error(), " for flag -", " for flag --", 1)
	for _, f := range c.Command.Flags {
		what := ""
		switch f.(type) {
		case *cli.DurationFlag:
			what = "a duration with its unit, such as 30s or 5m"
		case *cli.IntFlag:
			what = "a whole number"
		case *cli.Uint64Flag:
			what = "a whole number, at least 0"
		}
		if what != "" && strings.Contains(text, "--"+f.Names()[0]+":") {
			before, _, _ := strings.Cut(text, ": ")
			return usagef("%s: expected %s", before, what)
		}
	}
	return usagef("%s", text)
}

// reportBadFlags lets every command report bad flags in the same way.
func reportBadFlags(commands []*cli.Command) {
	for _, c := range commands {
		c.OnUsageError = badFlag
		reportBadFlags(c.Subcommands)
	}
}

const appHelp = `{{.Name}} {{.Version}}: {{.Usage}}

Usage: {{.Name}} COMMAND [flags] [arguments]      ({{.Name}} COMMAND --help for its flags)

Commands:{{range .VisibleCommands}}
  {{printf "%-10s" .Name}} {{.Usage}}{{end}}

Everywhere: --help, --no-color (NO_COLOR is honoured too).
INSTANCE is a JSON file, a directory of CSV files, or - for JSON on standard input.
Exit codes: 0 done, 1 internal error, 2 usage or input error, 3 infeasible, 4 check found a violation,
5 the LP solver failed, 6 a limit was hit (with --fail-on-limit), 130 interrupted.
`

func commandNames(app *cli.App) []string {
	var names []string
	for _, c := range app.Commands {
		names = append(names, c.Name)
	}
	return names
}

// complain prints an error; findings one a line, as they are.
func (s *session) complain(args []string, err error) {
	var input *model.InputError
	switch {
	case errors.As(err, &input):
		fmt.Fprintln(s.stderr, input.Error())
	case errors.Is(err, disk.ErrExists):
		fmt.Fprintf(s.stderr, "%s %v; pass --force to replace it\n", s.red("mrsched:"), err)
	default:
		fmt.Fprintf(s.stderr, "%s %v\n", s.red("mrsched:"), err)
	}
	var usage *usageError
	if errors.As(err, &usage) {
		fmt.Fprintf(s.stderr, "see %s --help\n", strings.Join(commandPath(s.app(), args), " "))
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

func (s *session) red(text string) string {
	if !s.color {
		return text
	}
	return "\x1b[31m" + text + "\x1b[0m"
}

// arrange moves the flags of a command before its arguments, so that both orders work, and reports
// unknown commands and flags with the nearest name. "--" ends the flags.
func arrange(app *cli.App, args []string) ([]string, error) {
	head := []string{args[0]}
	rest := args[1:]
	if len(rest) > 0 && strings.HasPrefix(rest[0], "-") && !slices.Contains(globalFlags, rest[0]) {
		return args, usagef("%v (flags of a command come after its name)", unknown("flag", rest[0], globalFlags))
	}
	var flags []cli.Flag
	commands := app.Commands
	for len(rest) > 0 && len(commands) > 0 && !strings.HasPrefix(rest[0], "-") {
		next := find(commands, rest[0])
		if next == nil {
			if len(head) == 1 {
				return args, unknown("command", rest[0], commandNames(app))
			}
			break
		}
		head = append(head, rest[0])
		rest, flags, commands = rest[1:], next.Flags, next.Subcommands
	}
	if len(head) == 1 {
		return args, nil
	}
	moved, positional, err := split(flags, rest)
	if err != nil {
		return args, err
	}
	if slices.Contains(moved, "--help") || slices.Contains(moved, "-h") {
		return append(head, "--help"), nil // whatever else stands there
	}
	out := append(head, moved...)
	if len(positional) > 0 {
		out = append(append(out, "--"), positional...)
	}
	return out, nil
}

// globalFlags are all that may stand where a command is expected, besides --no-color.
var globalFlags = []string{"--help", "-h", "--version", "-v"}

func find(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// split sorts words into flags with their values and arguments.
func split(flags []cli.Flag, words []string) (moved, positional []string, err error) {
	takesValue := map[string]bool{"help": false, "h": false}
	names := []string{"--help"}
	for _, f := range flags {
		_, isBool := f.(*cli.BoolFlag)
		for _, n := range f.Names() {
			takesValue[n] = !isBool
			names = append(names, dashed(n))
		}
	}
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "--" {
			return moved, append(positional, words[i+1:]...), nil
		}
		if len(word) < 2 || word[0] != '-' {
			positional = append(positional, word)
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		value, known := takesValue[name]
		if !known {
			return nil, nil, unknown("flag", dashed(name), names)
		}
		moved = append(moved, word)
		if value && !hasValue {
			if i+1 == len(words) {
				return nil, nil, usagef("flag %s needs a value", dashed(name))
			}
			i++
			moved = append(moved, words[i])
		}
	}
	return moved, positional, nil
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// arguments checks the number of positional arguments.
func arguments(c *cli.Context, names ...string) ([]string, error) {
	got := c.Args().Slice()
	if len(got) < len(names) {
		return nil, usagef("%s is missing: mrsched %s %s", names[len(got)], c.Command.Name, strings.Join(names, " "))
	}
	if len(got) > len(names) && len(names) == 0 {
		return nil, usagef("unexpected argument %q", got[0])
	}
	if len(got) > len(names) {
		return nil, usagef("unexpected argument %q after %s", got[len(names)], strings.Join(names, " "))
	}
	return got, nil
}
