package cli

import (
	"io"
	"maps"
	"slices"
	"strings"

	_ "embed"

	"github.com/urfave/cli/v2"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/grammar"
	"mrsched/io/lab/experiment"
)

// described is the command line as data.
func described(app *cli.App) *grammar.Program {
	return &grammar.Program{Name: app.Name, Version: app.Version, Released: released, Usage: app.Usage,
		Commands: describedCommands(app.Commands), Front: frontCommands, Topics: topics()}
}

// frontCommands is how many commands the short help shows.
const frontCommands = 10

// replanTopic is what the flags of planning again are listed under.
const replanTopic = "replan"

// topics are the problems with their algorithms, and planning again.
func topics() (list []grammar.Topic) {
	for _, p := range engine.Problems() {
		t := grammar.Topic{Name: p.Name, Title: p.Title,
			Example: "mrsched generate " + p.Name + " --tasks 100 | mrsched %s - -a all"}
		for _, a := range p.Algorithms {
			note := ""
			if a.Default {
				note = " (default)"
			}
			t.Items = append(t.Items, [2]string{a.Name, a.Summary + note})
		}
		for _, x := range slices.Backward(instances.Examples()) { // the first is the easiest
			if x.Problem == p.Name {
				t.Example = "mrsched %s " + x.Name + ".json -a all"
			}
		}
		list = append(list, t)
	}
	return append(list, grammar.Topic{Name: replanTopic, Title: "plan an earlier result again"})
}

// examples are those of a command, one a line; the library would print them as its usage.
func examples(lines ...string) string { return strings.Join(lines, "\n") }

func describedCommands(commands []*cli.Command) (list []*grammar.Command) {
	for _, c := range commands {
		d := &grammar.Command{Name: c.Name, Usage: c.Usage, Arguments: c.ArgsUsage, About: c.Description,
			Words: argumentWords(c), Commands: describedCommands(c.Subcommands)}
		if len(c.Aliases) > 0 {
			d.Word = c.Aliases[0]
		}
		if c.UsageText != "" {
			d.Examples = strings.Split(c.UsageText, "\n")
		}
		for _, f := range c.Flags {
			if f, ok := f.(cli.DocGenerationFlag); ok && f.Names()[0] != "help" {
				described := describedFlag(f)
				d.Flags = append(d.Flags, described)
				d.Chooses = d.Chooses || described.Names[0] == "algorithm" && described.List
			}
		}
		list = append(list, d)
	}
	return list
}

// argumentWords are what the first argument of a command may be, if it is no file.
func argumentWords(c *cli.Command) (words []string) {
	switch {
	case c.ArgsUsage == problemArgument:
		return engine.ProblemNames()
	case c.ArgsUsage == importArgument:
		return formatNames()
	case c.ArgsUsage == schemaArgument:
		return schemaNames
	case c.ArgsUsage == shellArgument:
		return slices.Sorted(maps.Keys(shells()))
	case c.ArgsUsage == experimentArgument:
		for _, e := range experiment.All() {
			words = append(words, e.Name)
		}
		return append(words, "all")
	}
	return nil
}

// The arguments of commands that are words and no files.
const (
	problemArgument    = "PROBLEM"
	experimentArgument = "[NAME|PROBLEM|all]"
	schemaArgument     = "[workload|result|diff|check]"
	shellArgument      = "bash|zsh|fish"
	importArgument     = "FORMAT FILE…"
)

func describedFlag(f cli.DocGenerationFlag) grammar.Flag {
	d := grammar.Flag{Names: f.Names(), Usage: f.GetUsage(), Value: "VALUE", Default: strings.Trim(f.GetDefaultText(), `"`),
		Volatile: f.Names()[0] == flagThreads.Name}
	if x, ok := f.(cli.CategorizableFlag); ok && x.GetCategory() != "" {
		d.Topics = strings.Split(x.GetCategory(), ", ")
	}
	if slices.ContainsFunc(replanFlags, func(r cli.Flag) bool { return r.Names()[0] == d.Names[0] }) {
		d.Topics = []string{replanTopic}
	}
	if len(d.Topics) > 1 {
		d.ByTopic = map[string]string{}
		for _, q := range paramsByName()[f.Names()[0]] {
			d.ByTopic[q.problem] = ownUsage(q.Param)
		}
	}
	switch x := f.(type) {
	case *cli.BoolFlag:
		d.Value, d.Default = "", ""
	case *timeFlag:
		d.Value = "TIME"
	case *choiceFlag:
		d.Choices = x.choices
	case *listFlag:
		d.List = true
	case *cli.IntFlag:
		if d.Value = "N"; x.Value == 0 {
			d.Default = ""
		}
	case *cli.Int64Flag, *cli.Uint64Flag:
		d.Value = "N"
	}
	if d.Names[0] == flagProblem.Name {
		d.Choices = engine.ProblemNames()
	}
	return d
}

var (
	//go:embed completion/mrsched.bash
	bashCompletion string
	//go:embed completion/mrsched.zsh
	zshCompletion string
	//go:embed completion/mrsched.fish
	fishCompletion string
)

// shells are the scripts, by shell.
func shells() map[string]string {
	return map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
}

const completionHelp = `Completes commands, flags and values. Algorithms are those of the problem that -p names. To install it for all sessions:

  bash   mrsched completion bash > ~/.local/share/bash-completion/completions/mrsched
  zsh    mrsched completion zsh > DIRECTORY/_mrsched, where $fpath has DIRECTORY
  fish   mrsched completion fish > ~/.config/fish/completions/mrsched.fish`

func (s *session) completionCommand() *cli.Command {
	return &cli.Command{
		Name:        "completion",
		Usage:       "print a script that completes command lines in a shell",
		ArgsUsage:   shellArgument,
		Description: completionHelp,
		UsageText:   examples("mrsched completion bash > mrsched.bash && . ./mrsched.bash"),
		Action: func(c *cli.Context) error {
			script, ok := shells()[c.Args().First()]
			if !ok {
				return engine.Unknown("shell", c.Args().First(), argumentWords(c.Command))
			}
			_, err := io.WriteString(s.stdout, script)
			return err
		},
	}
}

func (s *session) manCommand() *cli.Command {
	return &cli.Command{
		Name:        "man",
		Usage:       "print the manual page",
		Description: "For all users: mrsched man > /usr/local/share/man/man1/mrsched.1",
		UsageText:   examples("mrsched man > mrsched.1"),
		Action: func(c *cli.Context) error {
			_, err := io.WriteString(s.stdout, described(s.app()).Manual())
			return err
		},
	}
}

// metaSet is where an app keeps the settings that its call took from outside of the command line.
const metaSet = "set"

// onLine reports whether a flag is on the command line. Only there is a flag without effect an error; other settings
// count for all calls.
func onLine(c *cli.Context, name string) bool {
	set, _ := c.App.Metadata[metaSet].(map[string]grammar.Setting)
	_, elsewhere := set[name]
	return c.IsSet(name) && !elsewhere
}
