package grammar

import (
	"fmt"
	"regexp"
	"strings"
)

// The library's ToMan leaves descriptions, arguments, examples and exit codes out, and groff cannot break its lines; so
// the manPage is written here, in the few requests of man(7) that it needs.

// manPage is a manual page in the making.
type manPage struct{ strings.Builder }

// roffWidth is how long a line of the source may be.
const roffWidth = 76

// Manual is the manual page of all commands.
func (program *Program) Manual() string {
	p := &manPage{}
	fmt.Fprintf(p, ".TH MRSCHED 1 %s \"mrsched %s\" \"User Commands\"\n.nh\n.ad l\n", program.Released, program.Version)
	p.section("NAME")
	p.text(program.Name + " - " + program.Usage)
	p.section("SYNOPSIS")
	p.request("B", program.Name)
	p.text("COMMAND [flags] [arguments]")
	p.section("DESCRIPTION")
	p.text("INSTANCE is a JSON file, a directory of CSV files, or - for JSON on standard input. RESULT is what solve " +
		"or compare wrote. " +
		"Flags may come before and after arguments; -- ends them. Data goes to standard output, everything else to " +
		"standard error.")
	p.text(timesHelp)
	p.text("These flags may come anywhere:")
	p.items(everywhereHelp)
	p.section("COMMANDS")
	program.Walk(func(path []string, c *Command) { p.command(program, path, c) })
	p.section("ALGORITHMS")
	for _, t := range program.Topics {
		p.text(t.Name + ": " + t.Title + ".")
		p.items(t.Items)
	}
	p.section("EXIT STATUS")
	p.items(exitCodes)
	p.text(severityText)
	p.section("ENVIRONMENT")
	p.text(settingsHelp)
	p.items([][2]string{
		{ConfigVariable, "the file of settings, unless --config names one"},
		{variablePrefix + "FLAG", "sets a flag of all commands that have it; - is written as _"},
		{variablePrefix + "COMMAND_FLAG", "sets a flag of one command"},
		{"NO_COLOR", "if not empty, messages have no colour"},
	})
	p.section("FILES")
	p.items([][2]string{
		{"RESULT/result.json", "status, objective, lower bound, ratio, guarantee, metrics, parameters, digests"},
		{"RESULT/schedule.csv", "one row per task"},
		{"RESULT/certificate.json", "the proof of the lower bound"},
		{"DIR/compare.csv, DIR/compare.json", "of compare -o: the table"},
		{"DIR/summary.csv, DIR/summary.json", "of solve -o with several instances: a row a run"},
	})
	return p.String()
}

// command writes what --help says.
func (p *manPage) command(program *Program, path []string, c *Command) {
	fmt.Fprintf(p, ".SS %s\n", roff(strings.Join(path, " ")))
	p.text(upperFirst(c.Usage) + ".")
	p.request("PP", "")
	p.request("B", program.usageLine(path, c))
	if c.About != "" {
		p.about(c.About)
	}
	for _, t := range append([]Topic{{}}, program.Topics...) {
		rows := flagRows(c, t.Name)
		switch {
		case len(rows) == 0:
			continue
		case t.Name == "":
			p.text("Flags:")
		default:
			p.text("Flags of " + t.Name + ":")
		}
		p.items(rows)
	}
	if len(c.Examples) > 0 {
		p.text("Examples:")
		p.literal(c.Examples)
	}
}

func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func (p *manPage) section(title string) { fmt.Fprintf(p, ".SH %s\n", title) }

func (p *manPage) request(name, text string) {
	line := "." + name
	if text != "" {
		line += " " + roff(text)
	}
	p.WriteString(line + "\n")
}

// text writes a paragraph.
func (p *manPage) text(text string) {
	if !p.begun() {
		p.WriteString(".PP\n")
	}
	p.lines(text)
}

// begun says that a paragraph begins by itself, behind a heading and in the synopsis.
func (p *manPage) begun() bool {
	lines := strings.Split(strings.TrimSuffix(p.String(), "\n"), "\n")
	last := lines[len(lines)-1]
	return strings.HasPrefix(last, ".SH") || strings.HasPrefix(last, ".SS") || last == ".B mrsched"
}

// lines writes a text, which the page's reader fills.
func (p *manPage) lines(text string) {
	for _, line := range wrap(roff(text), roffWidth) {
		if line[0] == '.' || line[0] == '\'' { // not a request
			line = `\&` + line
		}
		p.WriteString(line + "\n")
	}
}

// items writes terms and what they are.
func (p *manPage) items(rows [][2]string) {
	for _, r := range rows {
		p.request("TP", "")
		p.request("B", r[0])
		p.lines(r[1])
	}
}

// twoColumns is an indented line of a name and, behind two blanks or more, what it is.
var twoColumns = regexp.MustCompile(`^ +(\S+(?: \S+)*) {2,}(\S.*)$`)

// about writes a description: paragraphs, rows of two columns, whose second may continue below, and lines to keep.
func (p *manPage) about(text string) {
	var rows [][2]string
	flush := func() {
		p.items(rows)
		rows = nil
	}
	paragraph := ""
	for line := range strings.SplitSeq(text+"\n", "\n") {
		m := twoColumns.FindStringSubmatch(line)
		switch {
		case m != nil:
			rows = append(rows, [2]string{m[1], m[2]})
		case strings.HasPrefix(line, "   ") && len(rows) > 0:
			rows[len(rows)-1][1] += " " + strings.TrimSpace(line)
		case strings.TrimSpace(line) != "":
			flush()
			paragraph += " " + line
			continue
		}
		if paragraph != "" {
			p.text(paragraph)
			paragraph = ""
		}
		if m == nil && strings.TrimSpace(line) == "" {
			flush()
		}
	}
	flush()
}

// literal writes lines as they are.
func (p *manPage) literal(lines []string) {
	p.WriteString(".PP\n.nf\n")
	for _, line := range lines {
		p.WriteString(roff(line) + "\n")
	}
	p.WriteString(".fi\n")
}

// roff escapes a text: backslashes, hyphens and quotes that are to be copied, all beyond ASCII; and lets lines break
// behind the bars of choices and the commas of lists.
func roff(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case (r == '|' || r == ',') && i+1 < len(text) && text[i+1] != ' ':
			b.WriteString(string(r) + `\:`)
		case r > 126:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
