package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/io/solve"
	"mrsched/io/textpos"
	"mrsched/io/workload"
)

// Limits of what is read: files from unknown sources may hold anything.
const (
	maxInputName = "max-input"
	maxCountName = "max-count"
)

// maxInputFlag is a flag of every command that reads files.
func maxInputFlag() cli.Flag {
	return &cli.StringFlag{Name: maxInputName,
		Usage: "refuse files with more bytes after unpacking, such as 500MB or 4GiB",
		DefaultText: fmt.Sprintf("%d GiB; %d GiB for results and plans, which are held in memory", textpos.MaxStream>>30,
			textpos.MaxHeld>>30)}
}

// maxCountFlag is a flag of every command that reads an instance.
func maxCountFlag() cli.Flag {
	return &cli.Int64Flag{Name: maxCountName, Value: workload.DefaultMaxCount,
		Usage: "refuse instances with more machines, slots, reduces or partitions in all"}
}

func maxSearchFlag() cli.Flag {
	return count(engine.MaxSearchName, engine.DefaultMaxSearch, "repeat exhaustive searches of up to this many nodes; "+
		"optima that need larger ones are not verified")
}

// readOptions are what the flags say about reading an instance.
func readOptions(c *cli.Context) workload.Options {
	return workload.Options{AllowUnknown: c.Bool(flagUnknown.Name), MaxCount: c.Int64(maxCountName), Again: again(c)}
}

// spareInputs runs an action unless it is to write to a place without a name, or what it writes would replace a file
// that it reads: one among its arguments, or a table in an instance's directory among them. Arguments of some commands
// are no paths, but the names of problems or experiments.
func spareInputs(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		names := len(argumentWords(c.Command)) > 0
		out := c.String("output")
		if c.IsSet("output") && out == "" {
			return engine.Usagef("--output is empty: name a place, or leave the flag out")
		}
		for _, in := range c.Args().Slice() {
			if in != "-" && out != "-" && !names && replaces(c, out, in) {
				return engine.Usagef("--output %s is also an input, %s: choose another place", out, in)
			}
		}
		beside := solve.BesideResult(c.String("output"))
		for _, in := range append(c.Args().Slice(), c.String(flagState.Name), c.String(flagFrom.Name)) {
			if c.IsSet(flagState.Name) && replaces(c, beside, in) {
				return engine.Usagef("the instance with this state would go to %s, which is also an input: name another --output",
					beside)
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
	batch := c.NArg() > 1 && c.Command.Name == "solve"
	below, err := filepath.Rel(resolved(out), resolved(in))
	return !batch && c.Bool(flagForce.Name) && err == nil && filepath.IsLocal(below)
}

// resolved is a path from the root without symbolic links.
func resolved(path string) string {
	whole, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if final, err := filepath.EvalSymlinks(whole); err == nil {
		return final
	}
	return whole
}

// limitInputs runs an action under the limits of its flags.
func limitInputs(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if text := c.String(maxInputName); text != "" {
			n, err := workload.ParseSize(text)
			if err != nil {
				return engine.Usagef("--%s %q: expected a number of bytes, at least 1, such as 4000000000, 500MB or 4GiB",
					maxInputName, text)
			}
			defer textpos.SetMaxInput(int64(n))()
		}
		if n := c.Int64(maxCountName); c.IsSet(maxCountName) && n < 1 {
			return engine.Usagef("--%s %d: expected at least 1", maxCountName, n)
		}
		return action(c)
	}
}
