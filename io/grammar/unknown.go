package grammar

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mrsched/io/engine"
	"mrsched/model"
)

// shortest is how long a name is that tells what was meant by more than its letters.
const shortest = 2

// unknownFlag says what a flag that a command does not have may mean: something that is no flag of this command, the
// flag that it begins, else the nearest flag. A command may have dozens, so no message lists them.
func (p *Program) unknownFlag(path []string, arguments, name string, names []string) error {
	text := fmt.Sprintf("unknown flag %q", Dashed(name))
	if other := p.noFlag(path, arguments, name); other != "" {
		text += "; " + other
	} else if near := cmp.Or(begun(Dashed(name), names), model.Nearest(Dashed(name), names)); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return engine.Usagef("%s", text)
}

// begun is the shortest of the names that begin with a name; empty if none does.
func begun(name string, names []string) (best string) {
	for _, n := range names {
		if len(name) > len("--")+1 && strings.HasPrefix(n, name) && (best == "" || len(n) < len(best)) {
			best = n
		}
	}
	return best
}

// noFlag says where a name is known that is no flag of a command: an argument, a column of the input, a flag of other
// commands. Empty: nowhere.
func (p *Program) noFlag(path []string, arguments, name string) string {
	if len(name) < shortest {
		return ""
	}
	words := strings.FieldsFunc(arguments, func(c rune) bool { return c < 'A' || c > 'Z' })
	if word := strings.ToUpper(name); slices.Contains(words, word) {
		return fmt.Sprintf("%s stands without a flag: mrsched %s %s", word, strings.Join(path, " "), arguments)
	}
	var places []string
	if table := p.Table(name); table != "" {
		places = append(places, fmt.Sprintf("%s is a column of the table %s", name, table))
	}
	var others []string
	p.Walk(func(path []string, c *Command) {
		if flagOf(c.Flags, name) != nil && len(path) == 1 {
			others = append(others, "mrsched "+path[0])
		}
	})
	if most := 3; len(others) > most {
		others = append(others[:most-1], "others")
	}
	if last := len(others) - 1; last > 0 {
		places = append(places, strings.Join(others[:last], ", ")+" and "+others[last]+" have this flag")
	} else if last == 0 {
		places = append(places, others[0]+" has this flag")
	}
	return strings.Join(places, "; ")
}
