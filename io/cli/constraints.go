package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/io/show"
	"mrsched/solver"
)

// constraint is a rule about flags on the command line of some commands. Variables count for all calls, and may have no
// effect on one.
type constraint struct {
	commands, flags string // names between blanks
	// off says when the flags have no effect, and why how a message continues; without it, the flags exclude each other.
	off func(c *cli.Context) bool
	why string
}

// constraints are all such rules, but those that depend on the instance or on what an algorithm uses (see foreign
// and idle). The first that applies is reported.
func constraints() []constraint {
	view := namesOf(viewParams())
	return []constraint{
		{"solve", "freeze-until change-penalty change-tolerance", without("from"),
			"without --from: pass the result to plan again, as in --from results/etl"},
		{"solve", "freeze-until", several, "with several instances; solve one"},
		{"solve", "now down grace", without("state"), "without --state: name the table of what has happened"},
		{"solve", "state", without("now"), "without --now, the time up to which it says what has happened"},
		{"solve", "state", several, "with several instances; solve one"},
		{"solve", "freeze-until", with("state"), "with --state, which says what has begun"},
		{"solve", "format", toStdout, "with -o -, which prints the results as JSON"},
		{"csv", "output into", nil, ""}, {"csv", "force", with("into"), "with --into, which adds to what is there"},
		{"diff", "json markdown brief", nil, ""},
		{"diff", "all", with("brief"), "with --brief"},
		{"diff", "all", with("markdown"), "with --markdown"},
		{"explain", "alternatives", instanceAlone, "without RESULT and TASK or JOB"},
		{"explain", "format", func(c *cli.Context) bool { return instanceAlone(c) && inCSV(c) },
			"without RESULT and TASK or JOB: a conflict is no table"},
		{"explain", view, func(c *cli.Context) bool { return !instanceAlone(c) }, "with RESULT, which states it"},
		{"sweep", "format json", without("dry-run"),
			"without --dry-run; rows-*.jsonl in DIR and \"sweep merge\" have the results"},
	}
}

// namesOf are the names of parameters, each after a blank.
func namesOf(params []solver.Param) (names string) {
	for _, p := range params {
		names += " " + p.Name
	}
	return names
}

func with(flag string) func(c *cli.Context) bool {
	return func(c *cli.Context) bool { return c.IsSet(flag) }
}

func without(flag string) func(c *cli.Context) bool {
	return func(c *cli.Context) bool { return !c.IsSet(flag) }
}

// toStdout says that results go to standard output, and that another format than theirs is asked for.
func toStdout(c *cli.Context) bool { return c.String("output") == "-" && inCSV(c) }

func inCSV(c *cli.Context) bool { return c.String(flagFormat.Name) == string(show.FormatCSV) }

// several says that a call names several instances.
func several(c *cli.Context) bool { return c.NArg() > 1 }

// instanceAlone says that a call names an instance and nothing else.
func instanceAlone(c *cli.Context) bool { return c.NArg() == 1 }

// constrained runs an action unless its flags break a constraint.
func constrained(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		format := c.String(flagFormat.Name)
		json := c.Bool(flagJSON.Name) && onLine(c, flagJSON.Name)
		if json && onLine(c, flagFormat.Name) && format != string(show.FormatJSON) {
			return engine.Usagef("--json and --format %s exclude each other", format)
		}
		for _, x := range constraints() {
			if !slices.Contains(strings.Fields(x.commands), c.Command.Name) {
				continue
			}
			var given []string
			for _, name := range strings.Fields(x.flags) {
				if onLine(c, name) && (x.off != nil || c.Value(name) != false) {
					given = append(given, name)
				}
			}
			switch {
			case x.off == nil && len(given) > 1:
				return engine.Usagef("--%s and --%s exclude each other", given[0], given[1])
			case x.off != nil && len(given) > 0 && x.off(c):
				return engine.Usagef("--%s has no effect %s", given[0], x.why)
			}
		}
		return action(c)
	}
}
