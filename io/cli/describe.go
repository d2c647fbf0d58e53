package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	_ "embed"

	"github.com/urfave/cli/v2"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/grammar"
	"mrsched/io/workload"
)

// described is the command line as data.
func described(app *cli.App) *grammar.Program {
	return &grammar.Program{Name: app.Name, Version: app.Version, Released: released, Usage: app.Usage,
		Commands: describedCommands(app.Commands), Topics: topics(), Table: tableWith}
}

// tableWith is the first table with a column that is no name of a row.
func tableWith(column string) string {
	for _, t := range workload.Tables() {
		for _, c := range t.Columns {
			if c.Name == column && c.Kind != "id" && c.Kind != "ref" {
				return t.Name
			}
		}
	}
	return ""
}

// topics are the problems with their algorithms.
func topics() (list []grammar.Topic) {
	for _, p := range engine.Problems() {
		t := grammar.Topic{Name: p.Name, Title: p.Title}
		for _, a := range p.Algorithms {
			note := ""
			if a.Default {
				note = " (default)"
			}
			t.Items = append(t.Items, [2]string{a.Name, a.Summary + note})
		}
		for _, x := range instances.Examples() {
			if x.Problem == p.Name {
				t.Files = append(t.Files, x.Name+".json")
			}
		}
		t.Example = "mrsched generate " + p.Name + " --tasks 100 | mrsched %s - -a all"
		if len(t.Files) > 0 {
			t.Example = "mrsched %s " + t.Files[0] + " -a all"
		}
		list = append(list, t)
	}
	return list
}

func describedCommands(commands []*cli.Command) (list []*grammar.Command) {
	for _, c := range commands {
		d := &grammar.Command{Name: c.Name, Usage: c.Usage, Arguments: c.ArgsUsage, Hidden: c.Hidden,
			Commands: describedCommands(c.Subcommands)}
		d.About, d.Examples = grammar.Described(c.Description)
		for _, f := range c.Flags {
			if f, ok := f.(cli.DocGenerationFlag); ok && f.Names()[0] != "help" {
				d.Flags = append(d.Flags, describedFlag(f))
				d.Chooses = d.Chooses || f.Names()[0] == "algorithm" && strings.Contains(f.GetUsage(), grammar.ListUsage)
			}
		}
		list = append(list, d)
	}
	return list
}

func describedFlag(f cli.DocGenerationFlag) grammar.Flag {
	d := grammar.Flag{Names: f.Names(), Usage: f.GetUsage(), Value: "VALUE", Default: strings.Trim(f.GetDefaultText(), `"`),
		Volatile: f.Names()[0] == flagThreads.Name}
	if x, ok := f.(cli.CategorizableFlag); ok && x.GetCategory() != "" {
		d.Topics = strings.Split(x.GetCategory(), ", ")
	}
	if len(d.Topics) > 1 {
		d.ByTopic = map[string]string{}
		for _, q := range paramsByName()[f.Names()[0]] {
			d.ByTopic[q.problem] = ownUsage(q.Param)
		}
	}
	if x, ok := f.(cli.VisibleFlag); ok {
		d.Hidden = !x.IsVisible()
	}
	switch x := f.(type) {
	case *cli.BoolFlag:
		d.Value, d.Default = "", ""
	case *timeFlag:
		d.Value = "TIME"
	case *cli.IntFlag:
		if d.Value = "N"; x.Value == 0 {
			d.Default = ""
		}
	case *cli.Int64Flag, *cli.Uint64Flag:
		d.Value = "N"
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

const completionHelp = `Completes commands, flags and values. Algorithms and presets are those of the problem that -p, the sub-command or an instance on
the line names. To install it for all sessions:

  bash   mrsched completion bash > ~/.local/share/bash-completion/completions/mrsched
  zsh    mrsched completion zsh > DIRECTORY/_mrsched, where $fpath has DIRECTORY
  fish   mrsched completion fish > ~/.config/fish/completions/mrsched.fish`

func (s *session) completionCommand() *cli.Command {
	scripts := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	return &cli.Command{
		Name:        "completion",
		Usage:       "print a script that completes command lines in a shell",
		ArgsUsage:   "bash|zsh|fish",
		Description: grammar.Describe(completionHelp, "mrsched completion bash > mrsched.bash && . ./mrsched.bash"),
		Action: func(c *cli.Context) error {
			args, err := arguments(c, "bash|zsh|fish")
			if err != nil {
				return err
			}
			script, ok := scripts[args[0]]
			if !ok {
				return engine.Unknown("shell", args[0], slices.Sorted(maps.Keys(scripts)))
			}
			_, err = io.WriteString(s.stdout, script)
			return err
		},
	}
}

func (s *session) manCommand() *cli.Command {
	return &cli.Command{
		Name:  "man",
		Usage: "print the manual page",
		Description: grammar.Describe("For all users: mrsched man > /usr/local/share/man/man1/mrsched.1",
			"mrsched man > mrsched.1"),
		Action: func(c *cli.Context) error {
			if _, err := arguments(c); err != nil {
				return err
			}
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

// printed is a flag as --print-config shows it.
type printed struct {
	Value any    `json:"value"` // null: none
	From  string `json:"from"`
}

// orPrint lets --print-config print what an action would run with, instead of running it.
func (s *session) orPrint(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if !s.printConfig {
			return action(c)
		}
		doc := struct {
			Command string             `json:"command"`
			Config  string             `json:"config,omitempty"`
			Flags   map[string]printed `json:"flags"`
		}{strings.TrimPrefix(c.Command.HelpName, c.App.Name+" "), s.config, map[string]printed{}}
		for _, f := range c.Command.Flags {
			name := f.Names()[0]
			if name != "help" {
				doc.Flags[name] = s.effective(c, f, name)
			}
		}
		e := json.NewEncoder(s.stdout)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(doc)
	}
}

// effective is a flag's value and where it is from.
func (s *session) effective(c *cli.Context, f cli.Flag, name string) printed {
	p := printed{c.Value(name), "command line"}
	if x, ok := s.set[name]; ok {
		p.From = x.From
	} else if !c.IsSet(name) {
		p = printed{defaultValue(f, p.Value), "default"}
	}
	if text, ok := p.Value.(fmt.Stringer); ok {
		p.Value = text.String()
	}
	if p.Value == "" {
		p.Value = nil
	}
	return p
}

// defaultValue is a flag's default as --print-config shows it: its value, or that which its help states. It is nil if
// the help describes the default in words, such as "as executed", and for zero.
func defaultValue(f cli.Flag, value any) any {
	d, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return value
	}
	text := strings.Trim(d.GetDefaultText(), `"`)
	switch value {
	case "":
		if strings.Contains(text, " ") {
			return nil
		}
		return text
	case int64(0), float64(0):
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			return nil
		}
	}
	return value
}
