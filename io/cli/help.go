package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

// Widths of help texts, in characters.
const (
	helpWidth  = 110
	nameColumn = 34 // a longer name stands on a line of its own
)

// help prints what there is to know about a command; of no command, about the program.
func (s *session) help(app *cli.App, path []string) error {
	text := appHelp(app)
	if len(path) > 0 {
		text = commandHelp(app, path)
	}
	_, err := fmt.Fprint(s.stdout, text)
	return err
}

// exitCodes says what the codes mean, for --help and the manual.
var exitCodes = [][2]string{
	{"0", "done; also when a limit stopped the search, which the result says"},
	{"1", "internal error; of diff --exit-code: the results differ"},
	{"2", "usage or input error"},
	{"3", "infeasible"},
	{"4", "check or validate found a violation; rows of sweep merge are missing or do not belong together"},
	{"5", "the LP solver failed"},
	{"6", "a limit was hit, with --fail-on-limit"},
	{"70", "internal error of diff --exit-code"},
	{"130", "interrupted; the best so far was written"},
}

// severityText is the order of the codes, for calls that have several runs.
const severityText = "Several instances in one call end with the most serious code of all: 130, 1, 5, 4, 2, 3, 6, 0, " +
	"in this order."

// everywhereHelp are the flags that all commands have.
var everywhereHelp = [][2]string{
	{"--help", "what a command does, its flags, and examples"},
	{"--config FILE", "read settings from a JSON file (default: the file that " + configVariable + " names)"},
	{"--print-config", "print the flags' values and where each is from, as JSON, and do nothing else"},
	{"--no-color", "messages without colour; NO_COLOR does the same"},
}

// settingsHelp says how flags are set outside of the command line.
const settingsHelp = `Every flag can also be set by a variable, as MRSCHED_THREADS=2, or of one command, as MRSCHED_SOLVE_TIME_LIMIT=30s; and
in the file of --config, as {"threads":2,"solve":{"time-limit":"30s"}}. The command line goes before a command's variable,
that before a general one, that before the file.`

func appHelp(app *cli.App) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s\n\nUsage: %s COMMAND [flags] [arguments]\n\nCommands:\n", app.Name, app.Version,
		app.Usage, app.Name)
	var rows [][2]string
	for _, c := range app.Commands {
		if !c.Hidden {
			rows = append(rows, [2]string{c.Name, c.Usage})
		}
	}
	aligned(&b, rows)
	b.WriteString("\nEverywhere:\n")
	aligned(&b, everywhereHelp)
	fmt.Fprintf(&b, "\n%s\n\nINSTANCE is a JSON file, a directory of CSV files, or - for JSON on standard "+
		"input.\n\nExit codes:\n", reflowed(settingsHelp))
	aligned(&b, exitCodes)
	fmt.Fprintf(&b, "%s\n", severityText)
	return b.String()
}

// commandHelp is the help of the command at a path.
func commandHelp(app *cli.App, path []string) string {
	c := &cli.Command{Subcommands: app.Commands}
	for _, name := range path {
		c = find(c.Subcommands, name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s\n\nUsage: %s\n", app.Name, strings.Join(path, " "), c.Usage, usageLine(app, path, c))
	about, examples := described(c)
	if about != "" {
		fmt.Fprintf(&b, "\n%s\n", reflowed(about))
	}
	if len(c.Subcommands) > 0 {
		b.WriteString("\nCommands:\n")
		var rows [][2]string
		for _, sub := range c.Subcommands {
			rows = append(rows, [2]string{sub.Name, sub.Usage})
		}
		aligned(&b, rows)
	}
	for _, g := range flagGroups(c) {
		fmt.Fprintf(&b, "\n%s:\n", g.title)
		var rows [][2]string
		for _, f := range g.flags {
			rows = append(rows, [2]string{flagNames(f), flagUsage(f)})
		}
		aligned(&b, rows)
	}
	if len(examples) > 0 {
		fmt.Fprintf(&b, "\nExamples:\n  %s\n", strings.Join(examples, "\n  "))
	}
	return b.String()
}

// usageLine is how a command is called.
func usageLine(app *cli.App, path []string, c *cli.Command) string {
	words := append([]string{app.Name}, path...)
	if len(c.Subcommands) > 0 {
		words = append(words, c.ArgsUsage)
	}
	if len(c.Flags) > 0 || len(c.Subcommands) > 0 {
		words = append(words, "[flags]")
	}
	if len(c.Subcommands) == 0 && c.ArgsUsage != "" {
		words = append(words, c.ArgsUsage)
	}
	return strings.Join(words, " ")
}

// examplesHead begins the examples, which end a command's description, one a line.
const examplesHead = "Examples:\n"

// described splits a command's description into its text and its examples.
func described(c *cli.Command) (about string, examples []string) {
	about, list, _ := strings.Cut(c.Description, examplesHead)
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" {
			examples = append(examples, line)
		}
	}
	return strings.TrimRight(about, "\n"), examples
}

// withExamples is a description that ends with examples.
func withExamples(about string, examples ...string) string {
	if about != "" {
		about = strings.TrimRight(about, "\n") + "\n\n"
	}
	return about + examplesHead + "   " + strings.Join(examples, "\n   ")
}

// flagGroup is flags under one heading.
type flagGroup struct {
	title string
	flags []cli.DocGenerationFlag
}

// flagGroups are the flags of a command in the order in which they were declared, so that a text may lean on the one
// before: first those of no category, then each category.
func flagGroups(c *cli.Command) []flagGroup {
	groups := []flagGroup{{title: "Flags"}}
	for _, f := range c.Flags {
		d, ok := f.(cli.DocGenerationFlag)
		if v, is := f.(cli.VisibleFlag); !ok || f.Names()[0] == "help" || is && !v.IsVisible() {
			continue
		}
		title := "Flags"
		if g, ok := f.(cli.CategorizableFlag); ok && g.GetCategory() != "" {
			title += " of " + g.GetCategory()
		}
		i := slices.IndexFunc(groups, func(g flagGroup) bool { return g.title == title })
		if i < 0 {
			i = len(groups)
			groups = append(groups, flagGroup{title: title})
		}
		groups[i].flags = append(groups[i].flags, d)
	}
	return slices.DeleteFunc(groups, func(g flagGroup) bool { return len(g.flags) == 0 })
}

// flagNames is how a flag is written, the short name first.
func flagNames(f cli.DocGenerationFlag) string {
	var names []string
	for _, n := range slices.Backward(f.Names()) {
		names = append(names, dashed(n))
	}
	text := strings.Join(names, ", ")
	switch f.(type) {
	case *cli.BoolFlag:
		return text
	case *cli.IntFlag, *cli.Int64Flag, *cli.Uint64Flag:
		return text + " N"
	case *cli.DurationFlag:
		return text + " TIME"
	}
	return text + " VALUE"
}

// flagUsage is what a flag does, and its default.
func flagUsage(f cli.DocGenerationFlag) string {
	text := strings.Trim(f.GetDefaultText(), `"`)
	switch d := f.(type) {
	case *cli.BoolFlag:
		text = ""
	case *cli.DurationFlag:
		if d.Value == 0 {
			text = ""
		}
	case *cli.IntFlag:
		if d.Value == 0 {
			text = ""
		}
	}
	if text == "" || f.Names()[0] == flagThreads.Name {
		return f.GetUsage()
	}
	return f.GetUsage() + " (default: " + text + ")"
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
		lines := wrap(r[1], helpWidth-width-4)
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

// reflowed breaks the lines of paragraphs anew; indented lines stay as they are.
func reflowed(text string) string {
	var lines []string
	paragraph := ""
	flush := func() {
		if paragraph != "" {
			lines = append(lines, wrap(paragraph, helpWidth)...)
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

// wrap breaks a text into lines of so many characters, where words allow it. There is at least one.
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
