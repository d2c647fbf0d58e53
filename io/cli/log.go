package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"mrsched/io/artifact"
	"mrsched/io/engine"
	"mrsched/io/show"
	"mrsched/io/solve"
	"mrsched/io/textpos"
	"mrsched/model"
)

// Flags of the search log.
const (
	logName       = "log"
	logFileName   = "log-file"
	logFormatName = "log-format"
	logText       = "text"
	logJSON       = "json"
)

// logHelp describes the search log.
const logHelp = `--log prints the search log on standard error, in place of the status line: a line at the beginning of each phase, at each
improvement of incumbent or bound (many in a short time share a line), every few seconds in between, and at the end of each run, with
the verified values and the reason. --log-file FILE writes it to a file. Results do not depend on it.`

func logFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: logName, Usage: "print the search log on standard error"},
		&cli.StringFlag{Name: logFileName,
			Usage: "write the search log to this file; refuse an existing one without --force"},
		&cli.StringFlag{Name: logFormatName, Value: logText,
			Usage: "of the search log: text, or json for JSON lines (text|json)"},
	}
}

// searchLog is where the search logs of all runs of a call go. Nil is none. Lines of several runs do not mix.
type searchLog struct {
	json  bool
	path  string // of the file; empty: none
	force bool
	width int // of the column of instances; 0: there is only one

	mu     sync.Mutex
	stderr io.Writer // nil: not there
	file   *os.File  // opened with the first line, so that nothing is left of a call that is refused
	headed bool
	err    error // of the file
}

// newSearchLog reads the flags; nil if they ask for no log.
func newSearchLog(c *cli.Context, stderr io.Writer) (*searchLog, error) {
	l := &searchLog{path: c.String(logFileName), force: c.Bool(flagForce.Name)}
	switch format := c.String(logFormatName); {
	case format != logText && format != logJSON:
		return nil, engine.Usagef("--%s %q: expected %s or %s", logFormatName, format, logText, logJSON)
	case !c.Bool(logName) && l.path == "" && onLine(c, logFormatName):
		return nil, engine.Usagef("--%s has no effect without --%s or --%s FILE", logFormatName, logName, logFileName)
	case c.Bool(logName) && c.Bool(flagQuiet.Name):
		return nil, engine.Usagef("--%s prints on standard error and --%s forbids it; leave one out, or use --%s FILE",
			logName, flagQuiet.Name, logFileName)
	case !c.Bool(logName) && l.path == "":
		return nil, nil
	default:
		l.json = format == logJSON
	}
	if c.Bool(logName) {
		l.stderr = stderr
	}
	if c.NArg() > 1 {
		for _, path := range c.Args().Slice() {
			l.width = max(l.width, utf8.RuneCountInString(textpos.Visible(artifact.Titled(path))))
		}
	}
	return l, l.fileFits(c)
}

// fileFits refuses a file that cannot or may not be written, before any work is done.
func (l *searchLog) fileFits(c *cli.Context) error {
	if l.path == "" {
		return nil
	}
	if l.path == "-" {
		return engine.Usagef("--%s -: name a file; --%s prints the log on standard error", logFileName, logName)
	}
	for _, other := range []string{"output", "stats"} {
		if named := c.String(other); named != "" && absolute(named) == absolute(l.path) {
			return engine.Usagef("--%s and --%s both name %s", other, logFileName, l.path)
		}
	}
	if out := c.String("output"); out != "" && out != "-" {
		if below, err := filepath.Rel(absolute(out), absolute(l.path)); err == nil && filepath.IsLocal(below) {
			return engine.Usagef("--%s %s: it is in %s, which -o makes or replaces; choose another place", logFileName,
				l.path, out)
		}
	}
	return engine.VacantFile(l.path, l.force)
}

// absolute is a path from the root, if there is a working directory.
func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return filepath.Clean(path)
}

// logged runs an action whose runs write the search log.
func (s *session) logged(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) (err error) {
		if s.log, err = newSearchLog(c, s.stderr); err != nil {
			return err
		}
		err = action(c)
		if closed := s.log.close(); err == nil {
			err = closed
		}
		return err
	}
}

// shown says that the log goes to standard error.
func (l *searchLog) shown() bool { return l != nil && l.stderr != nil }

func (l *searchLog) close() error {
	if l == nil || l.path == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		if err := l.file.Close(); l.err == nil {
			l.err = err
		}
	}
	if l.err == nil {
		return nil
	}
	return fmt.Errorf("--%s: the log is incomplete: %w", logFileName, l.err)
}

// write writes an event to all places. Standard error that nobody reads is no reason to stop.
func (l *searchLog) write(e *logEvent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := e.text(l.width)
	if l.json {
		text, err := json.Marshal(e)
		if err != nil { // there are only numbers and strings in it
			panic(err)
		}
		line = string(text) + "\n"
	} else if !l.headed {
		line = logHeader(l.width) + line
	}
	l.headed = true
	if l.stderr != nil {
		_, _ = io.WriteString(l.stderr, line)
	}
	if l.path == "" || l.err != nil {
		return
	}
	if l.file == nil {
		mode := os.O_EXCL
		if l.force {
			mode = os.O_TRUNC
		}
		if l.err = os.MkdirAll(filepath.Dir(l.path), 0o755); l.err != nil {
			return
		}
		if l.file, l.err = os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|mode, 0o666); l.err != nil {
			return
		}
	}
	_, l.err = io.WriteString(l.file, line)
}

// logEvent is a line of the search log. Unknown values are absent.
type logEvent struct {
	Event        string       `json:"event"`
	Elapsed      model.Number `json:"elapsed"` // seconds since the run began
	Instance     string       `json:"instance"`
	Problem      string       `json:"problem"`
	Algorithm    string       `json:"algorithm"`
	Phase        string       `json:"phase,omitempty"`
	Done         int          `json:"done,omitempty"`
	Total        int          `json:"total,omitempty"`
	Incumbent    model.Number `json:"incumbent,omitempty"`
	IncumbentBy  string       `json:"incumbent_by,omitempty"`
	Bound        model.Number `json:"bound,omitempty"`
	BoundBy      string       `json:"bound_by,omitempty"`
	GapPercent   model.Number `json:"gap_percent,omitempty"`
	Improvements int          `json:"improvements,omitempty"` // since the last line
	Status       model.Status `json:"status,omitempty"`       // of the end
	Why          solve.Why    `json:"why,omitempty"`

	incumbent, bound model.Optional[float64]
	what             string // of the column EVENT
}

// Events.
const (
	eventBegin       = "begin"
	eventPhase       = "phase"
	eventIncumbent   = "incumbent"
	eventBound       = "bound"
	eventProgress    = "progress"
	eventInterrupted = "interrupted"
	eventEnd         = "end"
)

// logColumns are those of the log as text, without that of instances.
const logColumns = "%9s  %-12s %-16s %17s %16s %16s %9s  %s\n"

func logHeader(width int) string {
	head := fmt.Sprintf(logColumns, "ELAPSED", "ALGORITHM", "PHASE", "PROGRESS", "INCUMBENT", "BOUND", "GAP", "EVENT")
	if width > 0 {
		head = fmt.Sprintf("%-*s ", width, "INSTANCE") + head
	}
	return head
}

// text is the line as text.
func (e *logEvent) text(width int) string {
	value := func(v model.Optional[float64]) string {
		if !v.Known {
			return "–"
		}
		return grouped(v.Value)
	}
	progress, gap := "–", show.Dash(gapText(e.incumbent, e.bound))
	if e.Total > 0 {
		progress = grouped(float64(e.Done)) + "/" + grouped(float64(e.Total))
	} else if e.Done > 0 {
		progress = grouped(float64(e.Done))
	}
	seconds, _ := e.Elapsed.Rat()
	elapsed, _ := seconds.Float64()
	line := fmt.Sprintf(logColumns, clock(time.Duration(elapsed*float64(time.Second))), e.Algorithm, show.Dash(e.Phase),
		progress, value(e.incumbent), value(e.bound), gap, e.what)
	if width > 0 {
		line = fmt.Sprintf("%-*s ", width, textpos.Visible(e.Instance)) + line
	}
	return strings.TrimRight(line, " \n") + "\n"
}

// set fills in the values of incumbent and bound, as they are stated, and their gap.
func (e *logEvent) set(incumbent, bound model.Optional[float64], exact, lower *big.Rat) {
	e.incumbent, e.bound = incumbent, bound
	number := func(v model.Optional[float64]) model.Number {
		if !v.Known {
			return ""
		}
		text, err := json.Marshal(v.Value)
		if err != nil { // a Watch keeps finite values only
			panic(err)
		}
		return model.Number(text)
	}
	if e.Incumbent = number(incumbent); exact != nil {
		e.Incumbent = model.ExactNumber(exact)
	}
	if e.Bound = number(bound); lower != nil {
		e.Bound = model.LowerNumber(lower)
	}
	if gap := gapPercent(incumbent, bound); gap.Known {
		e.GapPercent = number(gap)
	}
}
