package grammar

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Widths of help texts, in characters.
const (
	HelpWidth  = 110 // of a line
	nameColumn = 34  // a longer name is on a line of its own
)

// exitCodes says what the codes mean, for --help and the manual.
var exitCodes = [][2]string{
	{"0", "done; also if a limit stopped the search, in which case the result states \"status\": \"limit\""},
	{"1", "internal error, or the output cannot be written, as on a full disk; of diff --exit-code: the results " +
		"differ"},
	{"2", "usage or input error"},
	{"3", "explain without a result proved that no schedule exists"},
	{"4", "check, validate, report or explain found a violation; rows of sweep merge are missing or do not belong " +
		"together"},
	{"5", "the LP solver failed"},
	{"6", "with --fail-on-limit: the result's status is limit"},
	{"70", "internal error of diff --exit-code"},
	{"130", "interrupted (Ctrl-C, SIGTERM, SIGHUP); solve and size still write the best schedule so far, if " +
		"there is one, whole"},
	{"141", "the reader of standard output has ended"},
}

// severityText is the order of the codes, for calls that have several runs.
const severityText = "A call with several instances exits with the most serious of 130, 1, 5, 4, 2, 6, 0, in this " +
	"order."

// timesHelp says what every time may be.
const timesHelp = "TIME is seconds, or a number with its units: 10 is 10s, and 90 is 1m30s, in settings and specs too."

// settingsHelp says how flags are set outside of the command line.
const settingsHelp = `A variable of the environment sets a flag of all commands, as MRSCHED_THREADS=2, or of one command, as
MRSCHED_SOLVE_TIME_LIMIT=30s. The command line takes precedence over a command's variable, and that over a general one.`

// Everything is the topic of a help that leaves nothing out: mrsched help all.
const Everything = "all"

// Help is what there is to know about the command at a path; of no path, about the program. Of the topics it lists the
// named one alone.
func (p *Program) Help(path []string, topic string) string {
	if len(path) > 0 {
		return p.commandHelp(path, topic)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s\n\nUsage: %s COMMAND [flags] [arguments]\n\nCommands:\n", p.Name, p.Version,
		p.Usage, p.Name)
	aligned(&b, commandRows(p.Commands[:p.Front]))
	more := p.Commands[p.Front:]
	if topic != Everything {
		fmt.Fprintf(&b, "\n%s\n", reflowed(fmt.Sprintf("%[1]s help COMMAND shows what a command does; %[1]s help %[2]s has "+
			"more commands (%[3]s), settings and exit codes.", p.Name, Everything, strings.Join(Names(more), ", "))))
		return b.String()
	}
	b.WriteString("\nMore:\n")
	aligned(&b, commandRows(more))
	fmt.Fprintf(&b, "\n%s\n\nINSTANCE is a JSON file, a directory of CSV files, or - for JSON on standard "+
		"input.\n%s\n\nExit codes:\n", reflowed(settingsHelp), timesHelp)
	aligned(&b, exitCodes)
	fmt.Fprintf(&b, "%s\n", severityText)
	return b.String()
}

// commandRows are commands and what they do.
func commandRows(commands []*Command) (rows [][2]string) {
	for _, c := range commands {
		rows = append(rows, [2]string{c.Name, c.Usage})
		if c.Word != "" {
			rows[len(rows)-1][1] += "; " + c.Word + " is short for " + c.Name + " " + Dashed(c.Word)
		}
	}
	return rows
}

func (p *Program) commandHelp(path []string, topic string) string {
	c := &Command{Commands: p.Commands}
	for _, name := range path {
		c = find(c.Commands, name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s\n\nUsage: %s\n", p.Name, strings.Join(path, " "), c.Usage, p.usageLine(path, c))
	at := slices.IndexFunc(p.Topics, func(t Topic) bool { return t.Name == topic })
	part := at >= 0 // the rest is not requested
	if c.About != "" && !part {
		fmt.Fprintf(&b, "\n%s\n", reflowed(c.About))
	}
	if len(c.Commands) > 0 {
		b.WriteString("\nCommands:\n")
		aligned(&b, commandRows(c.Commands))
	}
	if general := flagRows(c, ""); len(general) > 0 && !part {
		b.WriteString("\nFlags:\n")
		aligned(&b, general)
	}
	p.topicHelp(&b, path, c, topic)
	examples := c.Examples
	if part && c.Chooses && p.Topics[at].Example != "" {
		examples = []string{fmt.Sprintf(p.Topics[at].Example, strings.Join(path, " "))}
	}
	if len(examples) > 0 {
		fmt.Fprintf(&b, "\nExamples:\n  %s\n", strings.Join(examples, "\n  "))
	}
	return b.String()
}

// topicHelp lists what a topic adds to a command or, without one, the topics.
func (p *Program) topicHelp(b *strings.Builder, path []string, c *Command, topic string) {
	var topics [][2]string
	for _, t := range p.Topics {
		flags := flagRows(c, t.Name)
		if len(flags) == 0 && (!c.Chooses || len(t.Items) == 0) {
			continue
		}
		topics = append(topics, [2]string{t.Name, t.Title})
		if t.Name != topic {
			continue
		}
		if c.Chooses && len(t.Items) > 0 {
			fmt.Fprintf(b, "\nAlgorithms of %s:\n", t.Name)
			aligned(b, t.Items)
		}
		if len(flags) > 0 {
			fmt.Fprintf(b, "\nFlags of %s:\n", t.Name)
			aligned(b, flags)
		}
		return
	}
	if len(topics) == 0 {
		return
	}
	what := "flags"
	if c.Chooses {
		what = "algorithms and flags"
	}
	fmt.Fprintf(b, "\nMore %s: %s help %s NAME, of\n", what, p.Name, strings.Join(path, " "))
	aligned(b, topics)
}

// usageLine is how a command is called.
func (p *Program) usageLine(path []string, c *Command) string {
	words := append([]string{p.Name}, path...)
	if len(c.Commands) > 0 {
		words = append(words, c.Arguments)
	}
	if len(c.Flags) > 0 || len(c.Commands) > 0 {
		words = append(words, "[flags]")
	}
	if len(c.Commands) == 0 && c.Arguments != "" {
		words = append(words, c.Arguments)
	}
	return strings.Join(words, " ")
}

// flagRows are the flags of a topic, or with an empty name those of all topics. They keep the order of their
// declarations, so that a text may refer to the one before.
func flagRows(c *Command, topic string) (rows [][2]string) {
	for _, f := range c.Flags {
		if len(f.Topics) == 0 && topic == "" || slices.Contains(f.Topics, topic) {
			f.Usage = cmp.Or(f.ByTopic[topic], f.Usage)
			rows = append(rows, [2]string{flagNames(f), flagUsage(f)})
		}
	}
	return rows
}

// flagNames is how a flag is written, the short name first.
func flagNames(f Flag) string {
	var names []string
	for _, n := range slices.Backward(f.Names) {
		names = append(names, Dashed(n))
	}
	return strings.TrimSpace(strings.Join(names, ", ") + " " + f.Value)
}

// flagUsage is what a flag does, and its default.
func flagUsage(f Flag) string {
	if f.Default == "" || f.Volatile {
		return f.Usage
	}
	return f.Usage + " (default: " + f.Default + ")"
}

// Aligned is rows of names and what they are, in two columns.
func Aligned(rows [][2]string) string {
	var b strings.Builder
	aligned(&b, rows)
	return b.String()
}

// aligned prints names and what they are in two columns, as wide as the names need, up to nameColumn.
func aligned(b *strings.Builder, rows [][2]string) {
	width := 0
	for _, r := range rows {
		if n := utf8.RuneCountInString(r[0]); n <= nameColumn {
			width = max(width, n)
		}
	}
	for _, r := range rows {
		lines := wrap(r[1], HelpWidth-width-4)
		pad := width - utf8.RuneCountInString(r[0])
		if pad < 0 {
			fmt.Fprintf(b, "  %s\n", r[0])
		} else {
			fmt.Fprintf(b, "  %s%s  %s\n", r[0], strings.Repeat(" ", pad), lines[0])
			lines = lines[1:]
		}
		for _, line := range lines {
			fmt.Fprintf(b, "  %s  %s\n", strings.Repeat(" ", width), line)
		}
	}
}

// reflowed breaks the lines of paragraphs again; indented lines stay as they are.
func reflowed(text string) string {
	var lines []string
	paragraph := ""
	flush := func() {
		if paragraph != "" {
			lines = append(lines, wrap(paragraph, HelpWidth)...)
			paragraph = ""
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && !strings.HasPrefix(line, " ") {
			paragraph += " " + line
			continue
		}
		flush()
		lines = append(lines, line)
	}
	flush()
	return strings.Join(lines, "\n")
}

// wrap breaks a text into lines of this many characters, where words allow it. There is at least one.
func wrap(text string, width int) []string {
	lines := []string{""}
	n := 0
	for _, word := range strings.Fields(text) {
		k := utf8.RuneCountInString(word)
		last := &lines[len(lines)-1]
		switch {
		case n == 0:
			*last, n = word, k
		case n+1+k <= width:
			*last, n = *last+" "+word, n+1+k
		default:
			lines, n = append(lines, word), k
		}
	}
	return lines
}
