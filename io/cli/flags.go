package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/io/grammar"
	"mrsched/io/solve"
	"mrsched/io/textpos"
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
	flagThreads = &cli.IntFlag{Name: "threads", Value: runtime.NumCPU(),
		Usage: "use at most this many processor cores; results do not depend on it"}
	flagJob = &cli.StringFlag{Name: "job",
		Usage: "only this job (or these, " + grammar.ListUsage + ") of the instance"}
)

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
	return &timeFlag{cli.StringFlag{Name: timeLimitName, Usage: usage}}
}

// timeLimit is that flag's value; 0: there is no limit.
func timeLimit(c *cli.Context) (time.Duration, error) {
	if !c.IsSet(timeLimitName) {
		return 0, nil
	}
	text := c.String(timeLimitName)
	d, err := workload.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, engine.Usagef("--%s %q: expected %s, more than 0", timeLimitName, text, timesExpected)
	}
	return d, nil
}

// paramFlags makes a flag of every parameter, each name once.
func paramFlags(params []solver.Param, skip ...string) []cli.Flag {
	seen := map[string]bool{}
	for _, name := range skip {
		seen[name] = true
	}
	var flags []cli.Flag
	for _, p := range params {
		if seen[p.Name] {
			continue
		}
		seen[p.Name] = true
		usage := usageOf(p)
		text := cli.StringFlag{Name: p.Name, Usage: usage, DefaultText: p.Default, Category: owners(p.Name)}
		switch {
		case p.Kind == solver.BoolParam:
			flags = append(flags, &cli.BoolFlag{Name: p.Name, Usage: usage, Category: owners(p.Name)})
		case p.Seconds:
			flags = append(flags, &timeFlag{text})
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

// unheeded reports a flag on the command line that the algorithms look at, but not beside another flag's value.
func unheeded(c *cli.Context, p engine.Problem, values solver.Params, algorithms []solver.Algorithm) error {
	ever, used := p.Used(nil, algorithms...), p.Used(values, algorithms...)
	for _, q := range p.Params {
		if !onLine(c, q.Name) || used[q.Name] || !ever[q.Name] {
			continue
		}
		for _, other := range p.Params {
			standard, err := engine.ParseParam(other, other.Default)
			if err != nil {
				return err
			}
			if values[other.Name] == standard {
				continue
			}
			without := maps.Clone(values)
			if without[other.Name] = standard; p.Used(without, algorithms...)[q.Name] {
				return engine.Usagef("--%s has no effect on this problem and algorithm with --%s %v", q.Name, other.Name,
					values[other.Name])
			}
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

// countsFit refuses whole-number flags below 1, or so large that they would mean no limit.
func countsFit(c *cli.Context, names ...string) error {
	for _, name := range names {
		if n := c.Int(name); n < 1 {
			return engine.Usagef("--%s %d: expected at least 1", name, n)
		} else if n >= engine.Unlimited {
			return engine.Usagef("--%s %d: expected at most %d", name, n, engine.Unlimited-1)
		}
	}
	return nil
}

// restrict applies --job to a workload.
func (s *session) restrict(c *cli.Context, w *model.Workload, path string) (*model.Workload, error) {
	if !c.IsSet(flagJob.Name) {
		return w, nil
	}
	return solve.Restrict(w, strings.Split(c.String(flagJob.Name), ","), path, c.Bool(flagQuiet.Name), s.stderr)
}

// Limits of what is read: files from unknown sources may hold anything.
const (
	maxInputName = "max-input"
	maxCountName = "max-count"
)

// maxInputFlag is a flag of every command that reads files.
func maxInputFlag() cli.Flag {
	return &cli.StringFlag{Name: maxInputName,
		Usage: "refuse files with more bytes after unpacking, such as 500MB or 4GiB",
		DefaultText: fmt.Sprintf("%s; %s for results and plans, which are held in memory", sizeText(textpos.MaxStream),
			sizeText(textpos.MaxHeld))}
}

// maxCountFlag is a flag of every command that reads an instance.
func maxCountFlag() cli.Flag {
	return &cli.Int64Flag{Name: maxCountName, Value: workload.DefaultMaxCount,
		Usage: "refuse instances with more machines, slots, reduces or partitions in all"}
}

func maxSearchFlag() cli.Flag {
	return &cli.IntFlag{Name: engine.MaxSearchName, Value: engine.DefaultMaxSearch,
		Usage: "repeat exhaustive searches of up to this many nodes; optima that need larger " +
			"ones are not verified"}
}

// readOptions are what the flags say about reading an instance.
func readOptions(c *cli.Context) workload.Options {
	return workload.Options{AllowUnknown: c.Bool(flagUnknown.Name), MaxCount: c.Int64(maxCountName)}
}

// spareInputs runs an action unless it is to write to a place without a name, or what it writes would replace a file
// that it reads: one among its arguments, or a table in an instance's directory among them. Arguments of some commands
// are no paths, but the names of problems or experiments.
func spareInputs(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		names := slices.Contains([]string{"PROBLEM", "[NAME|all]"}, c.Command.ArgsUsage)
		for _, flag := range []string{"output", "stats", logFileName} {
			out := c.String(flag)
			if c.IsSet(flag) && out == "" {
				return engine.Usagef("--%s is empty: name a place, or leave the flag out", flag)
			}
			for _, in := range c.Args().Slice() {
				if in != "-" && out != "-" && !names && replaces(c, out, in) {
					return engine.Usagef("--%s %s is also an input, %s: choose another place", flag, out, in)
				}
			}
		}
		return action(c)
	}
}

// replaces says whether a command that writes to out replaces an input: the same file, a table of an instance's
// directory, or what is in an output directory that is replaced as a whole. Batches only add to their directory.
func replaces(c *cli.Context, out, in string) bool {
	to, err := os.Stat(out)
	from, err2 := os.Stat(in)
	switch {
	case err != nil || err2 != nil:
		return false
	case from.IsDir() && !to.IsDir():
		folder, err := os.Stat(filepath.Dir(out))
		return err == nil && os.SameFile(folder, from) && workload.IsFile(filepath.Base(out))
	case !to.IsDir():
		return os.SameFile(from, to)
	}
	batch := c.NArg() > 1 && (c.Command.Name == "solve" || c.Command.Name == "compare")
	below, err := filepath.Rel(resolved(out), resolved(in))
	return !batch && c.Bool(flagForce.Name) && err == nil && filepath.IsLocal(below)
}

// resolved is a path from the root without symbolic links.
func resolved(path string) string {
	if whole, err := filepath.EvalSymlinks(absolute(path)); err == nil {
		return whole
	}
	return path
}

// limitInputs runs an action under the limits of its flags.
func limitInputs(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if text := c.String(maxInputName); text != "" {
			n, ok := parseSize(text)
			if !ok {
				return engine.Usagef("--%s %q: expected a number of bytes, at least 1, such as 4000000000, 500MB or 4GiB",
					maxInputName, text)
			}
			defer textpos.SetMaxInput(n)()
		}
		if n := c.Int64(maxCountName); c.IsSet(maxCountName) && n < 1 {
			return engine.Usagef("--%s %d: expected at least 1", maxCountName, n)
		}
		return action(c)
	}
}

// units are those of sizes, the longest endings first.
var units = []struct {
	name  string
	bytes int64
}{
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}, {"", 1},
}

// parseSize reads a whole number of bytes with or without a unit.
func parseSize(text string) (int64, bool) {
	for _, u := range units {
		if number, ok := strings.CutSuffix(text, u.name); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
			if err != nil || n < 1 || n > (1<<62)/u.bytes {
				return 0, false
			}
			return n * u.bytes, true
		}
	}
	return 0, false
}

// sizeText is a size with the largest unit of which it is a whole number.
func sizeText(bytes int64) string {
	for _, u := range units {
		if bytes%u.bytes == 0 {
			return fmt.Sprintf("%d %s", bytes/u.bytes, u.name)
		}
	}
	return fmt.Sprint(bytes)
}
