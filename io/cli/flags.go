package cli

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// Flags that several commands share.
var (
	flagQuiet = &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"},
		Usage: "print only errors and warnings on standard error"}
	flagForce   = &cli.BoolFlag{Name: "force", Usage: "replace existing files"}
	flagProblem = &cli.StringFlag{Name: "problem", Aliases: []string{"p"},
		Usage: "the problem to solve (default: the workload's own)"}
	flagSeed    = &cli.Uint64Flag{Name: "seed", Value: 1, Usage: "seed of every random choice"}
	flagUnknown = &cli.BoolFlag{Name: "allow-unknown", Usage: "ignore unknown columns, keys and tables of the instance"}
	flagStrict  = &cli.BoolFlag{Name: "strict",
		Usage: "treat warnings, and columns with values that the problem ignores, as errors"}
	flagThreads = count("threads", runtime.NumCPU(),
		"use at most this many processor cores; results do not depend on it")
	flagIterations = count("iterations", solver.DefaultIterations,
		"stop each search after this many iterations; under --time-limit only if given")
)

// listFlag is a flag that takes several values, separated by commas; given several times, they add up.
type listFlag struct{ cli.StringFlag }

// choiceFlag is a flag that takes one of some words.
type choiceFlag struct {
	cli.StringFlag
	choices []string
}

// offering makes a flag whose help lists the words that it takes; the command refuses others.
func offering(f cli.StringFlag, choices ...string) *choiceFlag {
	f.Usage += " (" + strings.Join(choices, "|") + ")"
	return &choiceFlag{f, choices}
}

// choice makes a flag that takes one of some words.
func choice(f cli.StringFlag, choices ...string) *choiceFlag {
	f.Action = func(_ *cli.Context, text string) error {
		switch {
		case slices.Contains(choices, text):
			return nil
		case text == "parquet" && f.Name == "format":
			return engine.Usagef("--format %s is gone: use csv, which has the same columns and values", text)
		}
		return engine.Unknown("--"+f.Name, text, choices)
	}
	return offering(f, choices...)
}

// count makes a flag that takes a whole number, at least 1.
func count(name string, value int, usage string) *cli.IntFlag {
	return counted(1, &cli.IntFlag{Name: name, Value: value, Usage: usage})
}

// counted refuses numbers below a least one, or so large that they would mean no limit.
func counted(least int, f *cli.IntFlag) *cli.IntFlag {
	f.Action = func(_ *cli.Context, n int) error {
		if n < least {
			return engine.Usagef("--%s %d: expected at least %d", f.Name, n, least)
		} else if n >= engine.Unlimited {
			return engine.Usagef("--%s %d: expected at most %d", f.Name, n, engine.Unlimited-1)
		}
		return nil
	}
	return f
}

// timeFlag is a flag whose value is a time: seconds, or a number with its units.
type timeFlag struct{ cli.StringFlag }

// timesExpected is what such a flag may be.
const timesExpected = "seconds, or a time such as 30s or 2h30m"

// timeOf reads such a flag; without it, the time is 0.
func timeOf(c *cli.Context, name string) (model.Time, error) {
	text := c.String(name)
	if text == "" {
		return 0, nil
	}
	t, err := workload.ParseTime(text)
	if err != nil {
		return 0, engine.Usagef("--%s %q: expected %s, at least 0", name, text, timesExpected)
	}
	return t, nil
}

const timeLimitName = "time-limit"

// timeLimitFlag is the flag of how long a command may take.
func timeLimitFlag(usage string) cli.Flag {
	return &timeFlag{cli.StringFlag{Name: timeLimitName, Usage: usage, Action: func(_ *cli.Context, text string) error {
		if d, err := workload.ParseDuration(text); err != nil || d <= 0 {
			return engine.Usagef("--%s %q: expected %s, more than 0", timeLimitName, text, timesExpected)
		}
		return nil
	}}}
}

// timeLimit is that flag's value; 0: there is no limit.
func timeLimit(c *cli.Context) time.Duration {
	d, _ := workload.ParseDuration(c.String(timeLimitName)) // it was read before
	return d
}

// iterations are the limit of each search: under a time limit only one that is given.
func iterations(c *cli.Context) int {
	if timeLimit(c) > 0 && !c.IsSet(flagIterations.Name) {
		return engine.Unlimited
	}
	return c.Int(flagIterations.Name)
}

// paramsOf are the parameters of some problems that are kept.
func paramsOf(problems func(p engine.Problem) bool, kept func(q solver.Param, used bool) bool) (list []solver.Param) {
	for _, p := range engine.Problems() {
		used := p.Used(nil, p.Algorithms...)
		for _, q := range p.Params {
			if problems(p) && kept(q, used[q.Name]) {
				list = append(list, q)
			}
		}
	}
	return list
}

func anyProblem(engine.Problem) bool { return true }

// sizable says that size can ask about a problem.
func sizable(p engine.Problem) bool { return p.Carried != nil }

// problemsThat names some problems.
func problemsThat(are func(p engine.Problem) bool) (names []string) {
	for _, p := range engine.Problems() {
		if are(p) {
			names = append(names, p.Name)
		}
	}
	return names
}

func isUsed(_ solver.Param, used bool) bool { return used }

// allParams are those of every problem's instances and algorithms.
func allParams() []solver.Param { return paramsOf(anyProblem, isUsed) }

// sizableParams are those of the problems that size can ask about.
func sizableParams() []solver.Param { return paramsOf(sizable, isUsed) }

// viewParams are those that change an instance itself.
func viewParams() []solver.Param {
	return paramsOf(anyProblem, func(q solver.Param, _ bool) bool { return q.View })
}

// paramFlags makes a flag of every parameter, each name once, with the problems that have it as category.
func paramFlags(params []solver.Param) []cli.Flag { return flagsOf(params, owners) }

// flagsOf makes a flag of every parameter, each name once.
func flagsOf(params []solver.Param, category func(name string) string) (flags []cli.Flag) {
	seen := map[string]bool{}
	for _, p := range params {
		if seen[p.Name] {
			continue
		}
		seen[p.Name] = true
		text := cli.StringFlag{Name: p.Name, Usage: usageOf(p), DefaultText: p.Default, Category: category(p.Name)}
		switch {
		case p.Kind == solver.BoolParam:
			flags = append(flags, &cli.BoolFlag{Name: p.Name, Usage: text.Usage, Category: text.Category})
		case p.Seconds:
			flags = append(flags, &timeFlag{text})
		case p.List:
			flags = append(flags, &listFlag{text})
		case len(p.Choices) > 0:
			flags = append(flags, &choiceFlag{text, choicesOf(p)})
		default:
			flags = append(flags, &text)
		}
	}
	return flags
}

// usageOf says what a parameter does; one that several problems understand differently, what it does for each.
func usageOf(p solver.Param) string {
	var texts []string
	shared := paramsByName()[p.Name]
	for _, q := range shared {
		texts = append(texts, ownUsage(q.Param))
	}
	own := ownUsage(p)
	if !slices.Contains(texts, own) || !slices.ContainsFunc(texts, func(s string) bool { return s != own }) {
		return own
	}
	for k, q := range shared {
		texts[k] = q.problem + ": " + texts[k]
	}
	return strings.Join(texts, "; ")
}

// choicesOf are the words that a parameter of some problem may be.
func choicesOf(p solver.Param) []string {
	list := slices.Clone(p.Choices)
	for _, q := range paramsByName()[p.Name] {
		list = append(list, q.Choices...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// ownUsage says what a parameter does for its own problem.
func ownUsage(p solver.Param) string {
	usage := strings.ReplaceAll(p.Usage, "`", "") // the library would take the quoted word for the value's name
	if len(p.Choices) > 0 {
		usage += " (" + strings.Join(p.Choices, "|") + ")"
	}
	return usage
}

// owners names the problems that have a parameter, as a heading; empty for one that only generators have.
func owners(name string) string {
	var names []string
	for _, q := range paramsByName()[name] {
		names = append(names, q.problem)
	}
	return strings.Join(names, ", ")
}

// problemParam is a parameter of a problem.
type problemParam struct {
	problem string
	solver.Param
}

// paramsByName are the parameters of all problems.
var paramsByName = sync.OnceValue(func() map[string][]problemParam {
	list := map[string][]problemParam{}
	for _, p := range engine.Problems() {
		for _, q := range p.Params {
			list[q.Name] = append(list[q.Name], problemParam{p.Name, q})
		}
	}
	return list
})

// paramValues reads parameters from their flags, each checked; a flag that is set but belongs to none of
// the parameters is ignored here (see foreign).
func paramValues(c *cli.Context, params []solver.Param) (solver.Params, error) {
	values := solver.Params{}
	for _, p := range params {
		text := p.Default
		if c.IsSet(p.Name) {
			text = fmt.Sprint(c.Value(p.Name))
		}
		v, err := engine.ParseParam(p, text)
		if err != nil {
			return nil, err
		}
		values[p.Name] = v
	}
	return values, nil
}

// foreign reports a flag on the command line that the requested work does not use.
func foreign(c *cli.Context, all []solver.Param, used map[string]bool, what string) error {
	for _, p := range all {
		if onLine(c, p.Name) && !used[p.Name] {
			return engine.Usagef("--%s has no effect on %s", p.Name, what)
		}
	}
	return nil
}

// idle reports a flag on the command line that is of the problem and makes no difference on this instance.
func idle(c *cli.Context, params []solver.Param, view model.View) error {
	for _, p := range params {
		if why := view.Idle(p.Name); why != "" && onLine(c, p.Name) {
			return engine.Usagef("--%s has no effect on this instance: %s", p.Name, why)
		}
	}
	return nil
}
