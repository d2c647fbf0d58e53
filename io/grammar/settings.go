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

// Every flag of every command can be set outside of the command line too. From the strongest to the weakest:
//
//	the command line               --time-limit 30s
//	a variable of the command      MRSCHED_SOLVE_TIME_LIMIT=30s
//	a variable of all commands     MRSCHED_TIME_LIMIT=30s
//	the file of --config           {"time-limit":"1m","solve":{"time-limit":"30s"}}, where the command's own goes first
//
// Names have levels: all commands, a command, a sub-command. The file is read only if --config or MRSCHED_CONFIG names
// it: a file that happens to be in the working directory must not change what a call does.

// variablePrefix is how all of mrsched's variables begin.
const variablePrefix = "MRSCHED_"

// ConfigVariable names the file, as --config does.
const ConfigVariable = variablePrefix + "CONFIG"

// Setting is a flag's value from outside of the command line.
type Setting struct {
	Value string
	From  string   // a variable, or a place in the file
	short []string // the flag's other names, as they are in a text: " -o"
}

// settingKey joins the words of a command and a flag.
func settingKey(path []string, flag string) string {
	return strings.Join(append(slices.Clone(path), flag), " ")
}

// Variable is the environment variable of a key.
func Variable(key string) string {
	return variablePrefix + strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(key))
}

// SettingKeys are the keys of all flags, on every level.
func (p *Program) SettingKeys() map[string]bool {
	keys := map[string]bool{}
	p.Walk(func(path []string, c *Command) {
		for _, f := range c.Flags {
			for level := range len(path) + 1 {
				keys[settingKey(path[:level], f.Names[0])] = true
			}
		}
	})
	return keys
}

// Settings reads the variables and a file of settings, for the command of a line: what its flags are set to, by their
// names. An empty file is none. Unknown names are errors, whichever command they are for.
func (p *Program) Settings(l *Line, file string) (map[string]Setting, error) {
	path, flags := l.Path, l.Known
	keys := p.SettingKeys()
	byVariable := map[string]string{}
	for key := range keys {
		byVariable[Variable(key)] = key
	}
	inEnvironment := map[string]Setting{}
	var unknowns []string
	for _, pair := range slices.Sorted(slices.Values(os.Environ())) {
		name, value, _ := strings.Cut(pair, "=")
		// an empty one is as good as none
		if !strings.HasPrefix(name, variablePrefix) || name == ConfigVariable || value == "" {
			continue
		}
		if key, ok := byVariable[name]; ok {
			inEnvironment[key] = Setting{Value: value, From: name}
		} else {
			unknowns = append(unknowns, "unknown variable "+name+" in the environment"+nearestVariable(name, byVariable))
		}
	}
	if len(unknowns) > 0 {
		return nil, engine.Usagef("%s", strings.Join(unknowns, "\n"))
	}
	inFile := map[string]Setting{}
	if file != "" {
		var err error
		if inFile, err = p.ReadSettings(file); err != nil {
			return nil, err
		}
	}
	found := map[string]Setting{}
	for _, source := range []map[string]Setting{inFile, inEnvironment} {
		for level := range len(path) + 1 {
			for _, f := range flags {
				if x, ok := source[settingKey(path[:level], f.Names[0])]; ok {
					found[f.Names[0]] = x
				}
			}
		}
	}
	return found, nil
}

// nearestVariable asks whether a known variable was meant.
func nearestVariable(name string, known map[string]string) string {
	var names []string // without what all have in common, which would make any two alike
	for v := range known {
		names = append(names, strings.TrimPrefix(v, variablePrefix))
	}
	names = append(names, strings.TrimPrefix(ConfigVariable, variablePrefix))
	slices.Sort(names)
	if near := model.Nearest(strings.TrimPrefix(name, variablePrefix), names); near != "" {
		return "; did you mean " + variablePrefix + near + "?"
	}
	return ""
}

// Apply adds those settings to the line whose flags do not stand on it, and returns them.
func (l *Line) Apply(found map[string]Setting) map[string]Setting {
	given, set := map[string]bool{}, map[string]Setting{}
	for _, word := range l.flags {
		if name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "="); strings.HasPrefix(word, "-") {
			given[name] = true
		}
	}
	for _, f := range l.Known {
		x, ok := found[f.Names[0]]
		if !ok || slices.ContainsFunc(f.Names, func(n string) bool { return given[n] }) {
			continue
		}
		for _, n := range f.Names[1:] {
			x.short = append(x.short, " "+Dashed(n))
		}
		set[f.Names[0]] = x
		l.flags = append(l.flags, "--"+f.Names[0]+"="+x.Value)
	}
	return set
}

// Origins tells, of the settings that an error speaks of, where they are from.
func Origins(set map[string]Setting, err error) (lines []string) {
	text := " " + err.Error() + " "
	for _, name := range slices.Sorted(maps.Keys(set)) {
		x := set[name]
		named := false
		for _, word := range append(x.short, "--"+name) {
			named = named || strings.ContainsAny(after(text, word), " :,;\n")
		}
		for _, part := range append(strings.Split(x.Value, ","), x.Value) {
			named = named || part != "" && strings.Contains(text, fmt.Sprintf("%q", part))
		}
		if named {
			lines = append(lines, fmt.Sprintf("--%s %s is from %s", name, x.Value, x.From))
		}
	}
	return lines
}

// after is the character behind the first word in a text; empty if the word is not there.
func after(text, word string) string {
	if i := strings.Index(text, word); i >= 0 && i+len(word) < len(text) {
		return text[i+len(word) : i+len(word)+1]
	}
	return ""
}
