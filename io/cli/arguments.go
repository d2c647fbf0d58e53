package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/io/grammar"
	"mrsched/model"
)

// onlyArguments are what commands of one argument take. Other commands, groups and importers count by themselves.
var onlyArguments = []string{"", "INSTANCE", "DIR", "SPEC.json", problemArgument, shellArgument}

// withArguments runs an action if a call has the one argument that its command takes, or none where it takes none.
func withArguments(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		usage := c.Command.ArgsUsage
		group := len(c.Command.Subcommands) > 0 && usage == problemArgument
		if !group && slices.Contains(onlyArguments, usage) {
			if _, err := arguments(c, strings.Fields(usage)...); err != nil {
				return err
			}
		}
		return action(c)
	}
}

// arguments checks the number of positional arguments.
func arguments(c *cli.Context, names ...string) ([]string, error) {
	got := c.Args().Slice()
	if len(got) < len(names) {
		return nil, engine.Usagef("%s is missing: mrsched %s %s", names[len(got)], c.Command.Name, strings.Join(names, " "))
	}
	if len(got) > len(names) && len(names) == 0 {
		return nil, engine.Usagef("unexpected argument %q", got[0])
	}
	if len(got) > len(names) {
		if near := model.Nearest(got[0], grammar.Names(describedCommands(c.Command.Subcommands))); near != "" {
			return nil, engine.Usagef("%s has no command %q; did you mean %q?", c.Command.Name, got[0], near)
		}
		return nil, engine.Usagef("unexpected argument %q after %s", got[len(names)], strings.Join(names, " "))
	}
	return got, nil
}
