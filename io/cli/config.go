package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

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
// it: a file that lies about in the working directory must not change what a call does.

// variablePrefix is how all of mrsched's variables begin.
const variablePrefix = "MRSCHED_"

// configVariable names the file, as --config does.
const configVariable = variablePrefix + "CONFIG"

// setting is a flag's value from outside of the command line.
type setting struct {
	value string
	from  string   // a variable, or a place in the file
	short []string // the flag's other names, as they stand in a text: " -o"
}

// settingKey joins the words of a command and a flag.
func settingKey(path []string, flag string) string {
	return strings.Join(append(slices.Clone(path), flag), " ")
}

// variable is the environment variable of a key.
func variable(key string) string {
	return variablePrefix + strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(key))
}

// settingKeys are the keys of all flags, on every level.
func settingKeys(app *cli.App) map[string]bool {
	keys := map[string]bool{}
	walk(app.Commands, nil, func(path []string, c *cli.Command) {
		for _, f := range c.Flags {
			for level := range len(path) + 1 {
				keys[settingKey(path[:level], f.Names()[0])] = true
			}
		}
	})
	return keys
}

// walk visits every command, each before its sub-commands.
func walk(commands []*cli.Command, above []string, visit func(path []string, c *cli.Command)) {
	for _, c := range commands {
		path := append(slices.Clone(above), c.Name)
		visit(path, c)
		walk(c.Subcommands, path, visit)
	}
}

// settings reads the variables and the file, for a command: what its flags are set to, by their names. Unknown names
// are errors, whichever command they are for.
func (s *session) settings(app *cli.App, path []string, flags []cli.Flag) (map[string]setting, error) {
	keys := settingKeys(app)
	byVariable := map[string]string{}
	for key := range keys {
		byVariable[variable(key)] = key
	}
	inEnvironment := map[string]setting{}
	var unknowns []string
	for _, pair := range slices.Sorted(slices.Values(os.Environ())) {
		name, value, _ := strings.Cut(pair, "=")
		// an empty one is as good as none
		if !strings.HasPrefix(name, variablePrefix) || name == configVariable || value == "" {
			continue
		}
		if key, ok := byVariable[name]; ok {
			inEnvironment[key] = setting{value: value, from: name}
		} else {
			unknowns = append(unknowns, "unknown variable "+name+" in the environment"+nearestVariable(name, byVariable))
		}
	}
	if len(unknowns) > 0 {
		return nil, engine.Usagef("%s", strings.Join(unknowns, "\n"))
	}
	inFile := map[string]setting{}
	if s.config == "" {
		s.config = os.Getenv(configVariable)
	}
	if s.config != "" {
		var err error
		if inFile, err = readConfig(s.config, app); err != nil {
			return nil, err
		}
	}
	found := map[string]setting{}
	for _, source := range []map[string]setting{inFile, inEnvironment} {
		for level := range len(path) + 1 {
			for _, f := range flags {
				if x, ok := source[settingKey(path[:level], f.Names()[0])]; ok {
					found[f.Names()[0]] = x
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
	names = append(names, strings.TrimPrefix(configVariable, variablePrefix))
	slices.Sort(names)
	if near := model.Nearest(strings.TrimPrefix(name, variablePrefix), names); near != "" {
		return "; did you mean " + variablePrefix + near + "?"
	}
	return ""
}

// apply adds the settings of the flags that are not on the command line, and remembers where they are from.
func (s *session) apply(app *cli.App, found map[string]setting, flags []cli.Flag, line []string) []string {
	given := map[string]bool{}
	for _, word := range line {
		if name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "="); strings.HasPrefix(word, "-") {
			given[name] = true
		}
	}
	for _, f := range flags {
		x, ok := found[f.Names()[0]]
		if !ok || slices.ContainsFunc(f.Names(), func(n string) bool { return given[n] }) {
			continue
		}
		for _, n := range f.Names()[1:] {
			x.short = append(x.short, " "+dashed(n))
		}
		s.set[f.Names()[0]] = x
		line = append(line, "--"+f.Names()[0]+"="+x.value)
	}
	app.Metadata = map[string]any{metaSet: s.set}
	return line
}

// metaSet is where an app keeps the settings that its call took from outside of the command line.
const metaSet = "set"

// onLine says that a flag stands on the command line. One that was set elsewhere counts for all calls, and has no
// effect where it makes no sense; on the command line that is a mistake.
func onLine(c *cli.Context, name string) bool {
	set, _ := c.App.Metadata[metaSet].(map[string]setting)
	_, elsewhere := set[name]
	return c.IsSet(name) && !elsewhere
}

// origins tells, of the settings that an error speaks of, where they are from.
func (s *session) origins(err error) (lines []string) {
	text := " " + err.Error() + " "
	for _, name := range slices.Sorted(maps.Keys(s.set)) {
		x := s.set[name]
		named := false
		for _, word := range append(x.short, "--"+name) {
			named = named || strings.ContainsAny(after(text, word), " :,;\n")
		}
		for _, part := range append(strings.Split(x.value, ","), x.value) {
			named = named || part != "" && strings.Contains(text, fmt.Sprintf("%q", part))
		}
		if named {
			lines = append(lines, fmt.Sprintf("--%s %s is from %s", name, x.value, x.from))
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

// printed is a flag as --print-config shows it.
type printed struct {
	Value any    `json:"value"` // null: none
	From  string `json:"from"`
}

// orPrint lets --print-config print what an action would run with, in place of running it.
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
		p.From = x.from
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

// defaultValue is what a flag has if nothing sets it: the value, or what its help says where that is one, as of
// parameters. Where the help has words, such as "as executed", there is no value, and a zero is none either.
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
