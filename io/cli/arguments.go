package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/model"
)

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
			return nil, nil, engine.Unknown("flag", dashed(name), names)
		}
		moved = append(moved, word)
		if value && !hasValue {
			if i+1 == len(words) {
				return nil, nil, engine.Usagef("flag %s needs a value", dashed(name))
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
		return nil, engine.Usagef("%s is missing: mrsched %s %s", names[len(got)], c.Command.Name, strings.Join(names, " "))
	}
	if len(got) > len(names) && len(names) == 0 {
		return nil, engine.Usagef("unexpected argument %q", got[0])
	}
	if len(got) > len(names) {
		if near := model.Nearest(got[0], namesOf(c.Command.Subcommands)); near != "" {
			return nil, engine.Usagef("%s has no command %q; did you mean %q?", c.Command.Name, got[0], near)
		}
		return nil, engine.Usagef("unexpected argument %q after %s", got[len(names)], strings.Join(names, " "))
	}
	return got, nil
}

// listUsage says how listFlags take several values.
const listUsage = "separated by commas or each with a flag of its own"

// listFlags are the flags that take several values, separated by commas. Given several times, they add up.
var listFlags = []string{"algorithm", "job", "task", "worker", "without"}

// once makes each flag of a sorted line stand there once. The flag package would let the last value of a flag hide the
// others, and refuse two names of one flag.
func once(flags []cli.Flag, line []string) ([]string, error) {
	kept := line[:0:0]
	at := map[cli.Flag]int{} // where a flag's value stands in kept
	for i := 0; i < len(line); i++ {
		name, value, hasValue := strings.Cut(strings.TrimLeft(line[i], "-"), "=")
		known := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
		if known < 0 { // --help
			kept = append(kept, line[i])
			continue
		}
		f := flags[known]
		switch {
		case !hasValue && takesValue(f):
			i++
			value = line[i]
		case !hasValue:
			value = "true"
		}
		before, given := at[f]
		if !given {
			at[f] = len(kept)
			kept = append(kept, dashed(name)+"="+value)
			continue
		}
		written, old, _ := strings.Cut(kept[before], "=")
		switch {
		case slices.Contains(listFlags, f.Names()[0]):
			kept[before] = written + "=" + added(old, value)
		case old != value:
			return nil, twice(dashed(f.Names()[0]), old, value)
		}
	}
	return kept, nil
}

// added is a list with the values of another one that it does not have.
func added(list, more string) string {
	values := strings.Split(list, ",")
	for _, v := range strings.Split(more, ",") {
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return strings.Trim(strings.Join(values, ","), ",") // an empty list adds nothing
}

// twice is the error of a flag with two values.
func twice(flag, first, second string) error {
	return engine.Usagef("%s is given twice, with %q and with %q: give it once", flag, first, second)
}
