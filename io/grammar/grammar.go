package grammar

import "slices"

// Program is the whole command line.
type Program struct {
	Name, Version, Usage string
	Released             string     // the day of the version
	Commands             []*Command // those of the short help first
	Front                int        // how many these are
	Topics               []Topic    // that have flags of their own in some commands
}

// Topic is a problem, or a way to use a command: help lists its algorithms and flags only if they are requested.
type Topic struct {
	Name, Title string
	Items       [][2]string // algorithms, each with what it does
	Example     string      // with %s for a command that chooses among the items
}

// Command is a command or a sub-command.
type Command struct {
	Name, Usage string
	Word        string   // that stands for it with the flag of that name; empty: none
	Arguments   string   // how they are called
	Words       []string // that the first argument may be; empty: it is a file
	About       string   // paragraphs for --help
	Examples    []string
	Flags       []Flag
	Commands    []*Command
	Chooses     bool // among the items of a topic
}

// Flag is an option of a command.
type Flag struct {
	Names    []string // the long one first
	Usage    string
	Value    string            // what kind of value it takes, as N, TIME or VALUE; empty: it is true or false
	Choices  []string          // values that it may have; empty: others
	List     bool              // it takes several values, separated by commas, and given several times they add up
	Default  string            // as the help shows it; empty: none
	Topics   []string          // that have the flag; empty: all
	ByTopic  map[string]string // usage in the help of one topic, where topics differ
	Volatile bool              // the default is the machine's
}

// find finds a command by its name or word; nil: there is none.
func find(commands []*Command, name string) *Command {
	i := slices.IndexFunc(commands, func(c *Command) bool { return name == c.Name || name == c.Word && name != "" })
	if i >= 0 {
		return commands[i]
	}
	return nil
}

// flagOf finds a flag under any of its names; nil: there is none.
func flagOf(flags []Flag, name string) *Flag {
	if i := slices.IndexFunc(flags, func(f Flag) bool { return slices.Contains(f.Names, name) }); i >= 0 {
		return &flags[i]
	}
	return nil
}

// Walk visits every command, each before its sub-commands.
func (p *Program) Walk(visit func(path []string, c *Command)) { walk(p.Commands, nil, visit) }

func walk(commands []*Command, above []string, visit func(path []string, c *Command)) {
	for _, c := range commands {
		path := append(slices.Clone(above), c.Name)
		visit(path, c)
		walk(c.Commands, path, visit)
	}
}

// Path is the program's name and the names of the command and sub-command that the words of a call name.
func (p *Program) Path(args []string) []string {
	path, commands := []string{p.Name}, p.Commands
	for _, word := range args[1:] {
		next := find(commands, word)
		if next == nil {
			break
		}
		path, commands = append(path, next.Name), next.Commands
	}
	return path
}

// Names are the names of commands.
func Names(commands []*Command) []string {
	var names []string
	for _, c := range commands {
		names = append(names, c.Name)
	}
	return names
}

// Dashed is a flag's name as it is written.
func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
