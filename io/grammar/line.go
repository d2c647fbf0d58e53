package grammar

import (
	"slices"
	"strings"

	"mrsched/io/engine"
)

// split sorts words into flags with their values and arguments.
func split(flags []Flag, words []string, unknown func(name string, names []string) error) (
	moved, positional []string, err error) {
	takesValue := map[string]bool{"help": false, "h": false}
	names := []string{"--help"}
	for _, f := range flags {
		for _, n := range f.Names {
			takesValue[n] = f.Value != ""
			names = append(names, Dashed(n))
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
			return nil, nil, unknown(name, names)
		}
		moved = append(moved, word)
		if value && !hasValue {
			if i+1 == len(words) || isFlag(words[i+1], takesValue) {
				return nil, nil, engine.Usagef("flag %s needs a value", Dashed(name))
			}
			i++
			moved = append(moved, words[i])
		}
	}
	return moved, positional, nil
}

// isFlag says whether a word is one of the known flags with two hyphens.
func isFlag(word string, known map[string]bool) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
	_, ok := known[name]
	return ok && strings.HasPrefix(word, "--")
}

// ListUsage says how flags that are lists take several values.
const ListUsage = "separated by commas or each with a flag of its own"

// once rejects a flag of a sorted line that has several values, and merges the values of a list. The flag package would
// let the last value of a flag hide the others, and reject two names of one flag.
func once(flags []Flag, line []string) ([]string, error) {
	kept := line[:0:0]
	at := map[*Flag]int{} // where a flag's value is in kept
	for i := 0; i < len(line); i++ {
		name, value, hasValue := strings.Cut(strings.TrimLeft(line[i], "-"), "=")
		f := flagOf(flags, name)
		if f == nil { // --help
			kept = append(kept, line[i])
			continue
		}
		switch {
		case !hasValue && f.Value != "":
			i++
			value = line[i]
		case !hasValue:
			value = "true"
		}
		before, given := at[f]
		if !given {
			at[f] = len(kept)
			kept = append(kept, Dashed(name)+"="+value)
			continue
		}
		written, old, _ := strings.Cut(kept[before], "=")
		switch {
		case f.List:
			kept[before] = written + "=" + added(old, value)
		case old != value:
			return nil, engine.Usagef("%s is given twice, with %q and with %q: give it once", Dashed(f.Names[0]), old, value)
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

// Line is the words behind the program's name, sorted.
type Line struct {
	Path       []string // the command and its sub-command
	Known      []Flag   // that the command has
	Help       bool     // is requested, whatever else is there
	Topic      string   // that the line names; empty: none
	flags      []string // with their values
	positional []string
}

// Words is the line as a flag package wants it: flags first.
func (l *Line) Words(program string) []string {
	out := slices.Concat([]string{program}, l.Path, l.flags)
	if len(l.positional) > 0 {
		out = append(append(out, "--"), l.positional...)
	}
	return out
}

// Arrange sorts a command line, so that flags may be before and after arguments, and reports unknown commands and
// flags with the nearest name. "--" ends the flags.
func (p *Program) Arrange(args []string) (*Line, error) {
	l := &Line{}
	rest := args[1:]
	if len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		if !slices.Contains(GlobalFlags, rest[0]) {
			return nil, engine.Usagef("%v (flags of a command come after its name)",
				engine.Unknown("flag", rest[0], GlobalFlags))
		}
		l.flags, l.Help = rest[:1], rest[0] == "--help" || rest[0] == "-h"
		return l, nil
	}
	if len(rest) > 0 && rest[0] == "help" { // as in other programs: help COMMAND
		if rest, l.Help = rest[1:], true; slices.Equal(rest, []string{Everything}) {
			l.Topic = Everything
			return l, nil
		}
	}
	commands := p.Commands
	var early []string // flags that are before a sub-command, which has them too
	for len(rest) > 0 && len(commands) > 0 {
		if n := leading(l.Known, rest); n > 0 {
			early, rest = append(early, rest[:n]...), rest[n:]
			continue
		}
		next := find(commands, rest[0])
		if next == nil {
			if len(l.Path) == 0 {
				return nil, engine.Unknown("command", rest[0], Names(p.Commands))
			}
			break
		}
		l.Path = append(l.Path, next.Name)
		if rest[0] == next.Word {
			early = append(early, Dashed(next.Word))
		}
		rest, l.Known, commands = rest[1:], next.Flags, next.Commands
	}
	var err error
	unknown := func(name string, names []string) error { return p.unknownFlag(l.Path, name, names) }
	if l.flags, l.positional, err = split(l.Known, append(early, rest...), unknown); err != nil {
		return nil, err
	}
	if l.flags, err = once(l.Known, l.flags); err != nil {
		return nil, err
	}
	l.Topic = p.topic(l)
	l.Help = l.Help || slices.Contains(l.flags, "--help") || slices.Contains(l.flags, "-h")
	return l, nil
}

// topic is the topic that a flag or an argument of a line names; empty if none does.
func (p *Program) topic(l *Line) string {
	words := slices.Clone(l.positional)
	for _, f := range l.flags {
		_, value, _ := strings.Cut(f, "=")
		words = append(words, value)
	}
	for _, t := range p.Topics {
		if slices.Contains(words, t.Name) {
			return t.Name
		}
	}
	return ""
}

// leading is how many words of a line its first flag is, with its value; 0 if it begins with none of the flags.
func leading(flags []Flag, words []string) int {
	name, _, hasValue := strings.Cut(strings.TrimLeft(words[0], "-"), "=")
	f := flagOf(flags, name)
	switch {
	case len(words[0]) < 2 || words[0][0] != '-' || f == nil:
		return 0
	case hasValue || f.Value == "" || len(words) == 1:
		return 1
	}
	return 2
}

// GlobalFlags are all that may be where a command is expected, besides those that may be anywhere.
var GlobalFlags = []string{"--help", "-h", "--version", "-v"}
