package cli

import (
	"io"
	"os"

	"github.com/urfave/cli/v2"
	terminal "golang.org/x/term"

	"mrsched/io/show"
)

// Flags of every command that prints a table.
var (
	flagFormat = choice(cli.StringFlag{Name: "format", Value: string(show.FormatTable),
		Usage: "print a table for people, or exact values as CSV or as JSON lines"}, formats...)
	flagJSON = &cli.BoolFlag{Name: "json", Usage: "short for --format json"}
)

// formats are what --format may say.
var formats = []string{string(show.FormatTable), string(show.FormatCSV), string(show.FormatJSON)}

// output is standard output in the format that the flags name.
func (s *session) output(c *cli.Context) show.Output {
	format := show.Format(c.String(flagFormat.Name))
	if c.Bool(flagJSON.Name) && (onLine(c, flagJSON.Name) || !c.IsSet(flagFormat.Name)) {
		format = show.FormatJSON
	}
	return show.Output{Writer: s.stdout, Format: format, Width: s.width(s.stdout)}
}

// width is how many columns the terminal behind a writer has; 0: it is no terminal.
func (s *session) width(w io.Writer) int {
	if w = below(w); !isTerminal(w) {
		return 0
	}
	width, _, err := terminal.GetSize(int(w.(*os.File).Fd()))
	if err != nil {
		return 0
	}
	return width
}

// below is the writer that texts go to in the end.
func below(w io.Writer) io.Writer {
	for {
		u, ok := w.(interface{ Unwrap() io.Writer })
		if !ok {
			return w
		}
		w = u.Unwrap()
	}
}
