package grammar

import (
	"fmt"
	"strings"
)

// The library's ToMan leaves descriptions, arguments, examples and exit codes out, and groff cannot break its lines. So
// the manual page is the help of all commands, as it is.

// Manual is the manual page of all commands.
func (p *Program) Manual() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH MRSCHED 1 %s \"mrsched %s\" \"User Commands\"\n.SH NAME\n%s\n", p.Released, p.Version,
		roff(p.Name+" - "+p.Usage))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n.nf\n%s.fi\n.SH COMMANDS\n", roff(p.Help(nil, Everything)))
	p.Walk(func(path []string, c *Command) {
		fmt.Fprintf(&b, ".SS %s\n.nf\n%s", roff(strings.Join(path, " ")), roff(p.Help(path, "")))
		for _, t := range p.Topics {
			if rows := flagRows(c, t.Name); len(rows) > 0 {
				var flags strings.Builder
				aligned(&flags, rows)
				fmt.Fprintf(&b, "\n%s", roff("Flags of "+t.Name+":\n"+flags.String()))
			}
		}
		b.WriteString(".fi\n")
	})
	b.WriteString(".SH ALGORITHMS\n.nf\n")
	for _, t := range p.Topics {
		var items strings.Builder
		aligned(&items, t.Items)
		b.WriteString(roff(t.Name + ": " + t.Title + ".\n" + items.String() + "\n"))
	}
	b.WriteString(".fi\n")
	return b.String()
}

// roff escapes a text: backslashes, hyphens and quotes that are to be copied, all beyond ASCII, and lines that would be
// requests.
func roff(text string) string {
	var b strings.Builder
	for i, r := range text {
		if (r == '.' || r == '\'') && (i == 0 || text[i-1] == '\n') {
			b.WriteString(`\&`)
		}
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r > 126:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
