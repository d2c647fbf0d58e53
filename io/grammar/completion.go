package grammar

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"mrsched/io/textpos"
)

// The library's own completion knows commands and flags only: it parses the words first, which fails in the middle of a
// flag with a value, and looks at os.Args. So the scripts ask `mrsched __complete WORDS…`, whose last word is the one
// to complete.

// CompleteWord is the hidden command that the shells' scripts call.
const CompleteWord = "__complete"

// filesWord tells the scripts to complete names of files.
const filesWord = ":files"

// candidate is a word that may be at the cursor.
type candidate struct{ text, about string }

// completer looks at the words before the cursor.
type completer struct {
	commands []*Command // that may come next
	command  *Command   // the last one, nil before any
	argument int        // how many arguments stand there
	given    map[string]string
	topics   []Topic
}

// Complete prints what may replace the last word, one per line with a tab before what it is.
func (p *Program) Complete(words []string, stdout io.Writer) {
	if len(words) == 0 {
		words = []string{""}
	}
	c := &completer{commands: p.Commands, given: map[string]string{}, topics: p.Topics}
	current := words[len(words)-1]
	for _, x := range c.candidates(words[:len(words)-1], current) {
		if x.text != filesWord && (!strings.HasPrefix(x.text, current) || textpos.Visible(x.text) != x.text) {
			continue // words that begin with what was typed may have its line ends and escape sequences
		}
		if x.about != "" {
			x.text += "\t" + strings.ReplaceAll(x.about, "\n", " ")
		}
		fmt.Fprintln(stdout, x.text)
	}
}

// candidates are the words that may follow the words before. They are complete: each includes what current already has.
func (c *completer) candidates(before []string, current string) []candidate {
	open := ""        // the flag whose value comes next
	flagsEnd := false // "--" stands there
	for _, word := range before {
		switch {
		case flagsEnd:
			c.argument++
		case word == "--":
			flagsEnd = true
		case open != "":
			c.given[open], open = word, ""
		case len(word) > 1 && word[0] == '-':
			_, value, has := strings.Cut(word, "=")
			if f := c.flag(flagName(word)); f != nil && has {
				c.given[f.Names[0]] = value
			} else if f != nil && f.Value != "" {
				open = f.Names[0]
			}
		default:
			c.step(word)
		}
	}
	name, value, has := strings.Cut(current, "=")
	switch {
	case open != "":
		return c.values(open, "", current)
	case flagsEnd:
	case has && strings.HasPrefix(current, "--"):
		return c.values(strings.TrimPrefix(name, "--"), name+"=", value)
	case strings.HasPrefix(current, "-"):
		return c.flags()
	}
	var list []candidate
	if c.argument == 0 {
		for _, next := range c.commands {
			list = append(list, candidate{next.Name, next.Usage})
			if next.Word != "" {
				list = append(list, candidate{next.Word, "short for " + next.Name + " " + Dashed(next.Word)})
			}
		}
	}
	switch {
	case c.command == nil, c.command.Arguments == "", len(list) > 0 && len(c.command.Words) > 0:
		return list
	case len(c.command.Words) == 0:
		return append(list, candidate{filesWord, ""})
	case c.argument == 0:
		return append(list, texts(c.command.Words)...)
	}
	return list
}

// step takes a word that is no flag.
func (c *completer) step(word string) {
	if next := find(c.commands, word); next != nil && c.argument == 0 {
		c.command, c.commands = next, next.Commands
		return
	}
	c.argument++
}

// flag finds a flag of the command under any of its names; nil: there is none.
func (c *completer) flag(name string) *Flag {
	if c.command == nil {
		return nil
	}
	return flagOf(c.command.Flags, name)
}

func (c *completer) flags() []candidate {
	list := []candidate{{"--help", "show help"}}
	if c.command == nil {
		return append(list, candidate{"--version", "print the version"})
	}
	for _, f := range c.command.Flags {
		for _, n := range f.Names {
			list = append(list, candidate{Dashed(n), f.Usage})
		}
	}
	return list
}

// values are what a flag may be set to.
func (c *completer) values(name, prefix, current string) (list []candidate) {
	f := c.flag(name)
	switch {
	case f == nil:
		return nil
	case f.Names[0] == "algorithm":
		list = c.algorithms()
		if i := strings.LastIndex(current, ","); i >= 0 {
			prefix += current[:i+1]
		}
	case f.Value == "":
		list = texts([]string{"true", "false"})
	case f.Value == "N" || f.Value == "TIME":
		return nil
	case len(f.Choices) == 0:
		return []candidate{{filesWord, ""}}
	default:
		list = texts(f.Choices)
	}
	for i := range list {
		list[i].text = prefix + list[i].text
	}
	return list
}

// algorithms are those of the problem that -p names, else of all problems, each once.
func (c *completer) algorithms() []candidate {
	list := []candidate{{"all", "every algorithm of the problem"}}
	for _, t := range c.topics {
		if chosen := c.given["problem"]; chosen != "" && chosen != t.Name {
			continue
		}
		for _, item := range t.Items {
			if !slices.ContainsFunc(list, func(x candidate) bool { return x.text == item[0] }) {
				list = append(list, candidate{item[0], t.Name + ": " + item[1]})
			}
		}
	}
	return list
}

func texts(words []string) (list []candidate) {
	for _, w := range words {
		list = append(list, candidate{w, ""})
	}
	return list
}
