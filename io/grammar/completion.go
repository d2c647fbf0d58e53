package grammar

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/lab/experiment"
	"mrsched/io/textpos"
	"mrsched/io/workload"
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
	path     []string
	commands []*Command // that may come next
	command  *Command   // the last one, nil before any
	argument int        // how many arguments stand there
	paths    []string   // of these, those that do not stand behind "--"
	given    map[string]string
}

// Complete prints what may replace the last word, one per line with a tab before what it is.
func (program *Program) Complete(words []string, stdout io.Writer) {
	if len(words) == 0 {
		words = []string{""}
	}
	p := &completer{commands: program.Commands, given: map[string]string{}}
	current := words[len(words)-1]
	for _, x := range p.candidates(words[:len(words)-1], current) {
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
func (p *completer) candidates(before []string, current string) []candidate {
	open := "" // the flag whose value comes next
	for i, word := range before {
		switch {
		case open != "":
			p.given[open], open = word, ""
		case word == "--":
			p.argument += len(before) - i - 1
			return p.arguments()
		case len(word) > 1 && word[0] == '-':
			name, value, has := strings.Cut(strings.TrimLeft(word, "-"), "=")
			f := p.flag(name)
			switch {
			case name == "config" && !has:
				open = name
			case f == nil:
			case has:
				p.given[f.Names[0]] = value
			case f.Value != "":
				open = f.Names[0]
			}
		default:
			p.step(word)
		}
	}
	if open != "" {
		return p.values(open, "", current)
	}
	if name, value, has := strings.Cut(current, "="); has && strings.HasPrefix(current, "--") {
		return p.values(strings.TrimPrefix(name, "--"), name+"=", value)
	}
	if strings.HasPrefix(current, "-") {
		return p.flags()
	}
	if p.argument == 0 && len(p.commands) > 0 {
		var list []candidate
		for _, c := range p.commands {
			list = append(list, candidate{c.Name, c.Usage})
		}
		if p.command != nil && strings.HasSuffix(p.command.Arguments, ".json") { // it takes a file as well as a sub-command
			list = append(list, candidate{filesWord, ""})
		}
		return list
	}
	return p.arguments()
}

// step takes a word that is no flag.
func (p *completer) step(word string) {
	next := find(p.commands, word)
	if next == nil || p.argument > 0 {
		p.argument++
		p.paths = append(p.paths, word)
		return
	}
	p.path, p.command, p.commands = append(p.path, word), next, next.Commands
}

// flag finds a flag of the command under any of its names; nil: there is none.
func (p *completer) flag(name string) *Flag {
	if p.command == nil {
		return nil
	}
	return flagOf(p.command.Flags, name)
}

func (p *completer) flags() []candidate {
	list := []candidate{{"--help", "show help"}}
	if p.command == nil {
		list = append(list, candidate{"--version", "print the version"})
	} else {
		for _, f := range p.command.Flags {
			for _, n := range f.Names {
				list = append(list, candidate{Dashed(n), f.Usage})
			}
		}
	}
	for _, r := range everywhereHelp[1:] {
		name, _, _ := strings.Cut(r[0], " ")
		list = append(list, candidate{name, r[1]})
	}
	return list
}

// values are those of a flag; prefix is before them in the same word.
func (p *completer) values(name, prefix, current string) (list []candidate) {
	f := p.flag(name)
	if f != nil {
		name = f.Names[0]
	}
	switch name {
	case "problem":
		list = texts(engine.ProblemNames())
	case "algorithm":
		list = p.algorithms()
		if i := strings.LastIndex(current, ","); i >= 0 {
			prefix += current[:i+1]
		}
	case "preset":
		for _, x := range instances.Presets() {
			if len(p.path) > 0 && x.Problem == p.path[len(p.path)-1] {
				list = append(list, candidate{x.Name, x.Summary})
			}
		}
	case "config", "output", "stats", "topology", "cnf":
		return []candidate{{filesWord, ""}}
	default:
		switch {
		case f == nil:
		case f.Value == "":
			list = texts([]string{"true", "false"})
		default:
			list = texts(choices(f.Usage))
		}
	}
	for i := range list {
		list[i].text = prefix + list[i].text
	}
	return list
}

// problems are the names of those that -p or else the instances on the line name; empty: nothing tells.
func (p *completer) problems() (names []string) {
	if name := p.given["problem"]; name != "" {
		return []string{name}
	}
	for _, path := range p.paths {
		name := workload.PeekProblem(unquoted(path))
		if !slices.Contains(engine.ProblemNames(), name) {
			return nil
		}
		names = append(names, name)
	}
	return names
}

// unquoted is a path as the shell would take it, whose words come here as they were typed.
func unquoted(path string) string {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(path, "~/") {
		path = home + path[1:]
	}
	if n := len(path); n > 1 && (path[0] == '\'' || path[0] == '"') && path[n-1] == path[0] {
		return path[1 : n-1]
	}
	return strings.ReplaceAll(path, `\`, "")
}

// algorithms are those of the problems that the line tells, else of all problems.
func (p *completer) algorithms() []candidate {
	var list []candidate
	about := map[string]int{} // an algorithm's place in the list
	chosen := p.problems()
	for _, x := range engine.Problems() {
		if len(chosen) > 0 && !slices.Contains(chosen, x.Name) {
			continue
		}
		for _, a := range x.Algorithms {
			if i, ok := about[a.Name]; ok {
				list[i].about += "; " + x.Name + ": " + a.Summary
				continue
			}
			about[a.Name] = len(list)
			list = append(list, candidate{a.Name, x.Name + ": " + a.Summary})
		}
	}
	return append(list, candidate{"all", "every algorithm of the problem"})
}

// alternatives are words of a help text of which one is to be chosen, as in (a|b) or one of a, b.
var alternatives = regexp.MustCompile(`\(([\w.-]+(?:\|[\w.-]+)+)\)|one of ((?:[\w.-]+, )+[\w.-]+)`)

// choices are the words that a flag's help offers.
func choices(usage string) []string {
	m := alternatives.FindStringSubmatch(usage)
	switch {
	case m == nil:
		return nil
	case m[1] != "":
		return strings.Split(m[1], "|")
	}
	return strings.Split(m[2], ", ")
}

// arguments are the words that a command's next argument may be.
func (p *completer) arguments() []candidate {
	if p.command == nil || p.command.Arguments == "" {
		return nil
	}
	first := p.argument == 0
	switch usage := strings.Trim(p.command.Arguments, "[]"); {
	case first && p.path[0] == "experiment":
		list := []candidate{{"all", "every figure"}}
		for _, e := range experiment.All() {
			list = append(list, candidate{e.Name, e.Title})
		}
		return list
	case first && usage == "PROBLEM":
		return texts(engine.ProblemNames())
	case strings.Contains(usage, "|") && usage == strings.ToLower(usage): // a choice such as bash|zsh|fish
		if !first {
			return nil
		}
		return texts(strings.Split(usage, "|"))
	}
	return []candidate{{filesWord, ""}}
}

func texts(words []string) (list []candidate) {
	for _, w := range words {
		list = append(list, candidate{w, ""})
	}
	return list
}
