package grammar

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"mrsched/io/engine"
	"mrsched/model"
)

// variablePrefix is how all of mrsched's variables begin. A flag that is not on the command line takes its value from
// the variable of its command, such as MRSCHED_SOLVE_TIME_LIMIT, else from that of all commands, MRSCHED_TIME_LIMIT.
const variablePrefix = "MRSCHED_"

// Setting is a flag's value from a variable.
type Setting struct{ Value, From string }

// Variable is the environment variable of a flag of a command; of no path, of all commands.
func Variable(path []string, flag string) string {
	name := strings.Join(append(slices.Clone(path), flag), "_")
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// Variables are the variables of all flags, on every level.
func (p *Program) Variables() map[string]bool {
	known := map[string]bool{}
	p.Walk(func(path []string, c *Command) {
		for _, f := range c.Flags {
			for level := range len(path) + 1 {
				known[Variable(path[:level], f.Names[0])] = true
			}
		}
	})
	return known
}

// Settings adds to a line the flags that variables set and that do not stand on it, and returns them. An empty variable
// is none. Unknown variables are errors, whichever command they are for.
func (p *Program) Settings(l *Line) (map[string]Setting, error) {
	known := p.Variables()
	var unknowns []string
	for _, pair := range slices.Sorted(slices.Values(os.Environ())) {
		name, value, _ := strings.Cut(pair, "=")
		short, ours := strings.CutPrefix(name, variablePrefix)
		if !ours || value == "" || known[name] {
			continue
		}
		text := "unknown variable " + name + " in the environment"
		var names []string // without what all have in common, which would make any two alike
		for v := range maps.Keys(known) {
			names = append(names, strings.TrimPrefix(v, variablePrefix))
		}
		slices.Sort(names)
		if near := model.Nearest(short, names); near != "" {
			text += "; did you mean " + variablePrefix + near + "?"
		}
		unknowns = append(unknowns, text)
	}
	if len(unknowns) > 0 {
		return nil, engine.Usagef("%s", strings.Join(unknowns, "\n"))
	}
	set := map[string]Setting{}
	for _, f := range l.Known {
		if slices.ContainsFunc(l.flags, func(word string) bool { return flagOf([]Flag{f}, flagName(word)) != nil }) {
			continue
		}
		for level := len(l.Path); level >= 0; level-- {
			from := Variable(l.Path[:level], f.Names[0])
			if value := os.Getenv(from); value != "" {
				set[f.Names[0]] = Setting{value, from}
				l.flags = append(l.flags, "--"+f.Names[0]+"="+value)
				break
			}
		}
	}
	return set, nil
}

// flagName is the name of a flag that is written as a word, perhaps with its value.
func flagName(word string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	return name
}

// Origins tells, of the settings that an error speaks of, where they are from.
func Origins(set map[string]Setting, err error) (lines []string) {
	text := err.Error()
	for _, name := range slices.Sorted(maps.Keys(set)) {
		x := set[name]
		named := strings.Contains(text, "--"+name) || name == "output" && strings.Contains(text, "-o "+x.Value)
		for _, part := range strings.Split(x.Value, ",") {
			named = named || strings.Contains(text, fmt.Sprintf("%q", part))
		}
		if named {
			lines = append(lines, fmt.Sprintf("--%s %s is from %s", name, x.Value, x.From))
		}
	}
	return lines
}
