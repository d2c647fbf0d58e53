package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"mrsched/io/artifact"
	"mrsched/io/show"
	"mrsched/io/solve"
	"mrsched/io/textpos"
	"mrsched/model"
)

// Flags of the search log.
const (
	logName       = "log"
	logFormatName = "log-format"
	logText       = "text"
	logJSON       = "json"
)

// logHelp describes the search log.
const logHelp = `--log prints the search log on standard error, in place of the status line: a line for each new phase, incumbent or bound (what
happens within a fifth of a second shares a line), every few seconds in between, and at the end of each run, with the verified
values and the reason. Results do not depend on it.`

func logFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: logName, Usage: "print the search log on standard error"},
		choice(cli.StringFlag{Name: logFormatName, Value: logText,
			Usage: "of the search log: text, or json for JSON lines"}, logText, logJSON),
	}
}

// searchLog is where the search logs of all runs of a call go. Nil is none. Lines of several runs do not mix.
type searchLog struct {
	json   bool
	width  int // of the column of instances; 0: there is only one
	stderr io.Writer

	mu     sync.Mutex
	headed bool
}

// logged runs an action whose runs write the search log if the flags ask for it.
func (s *session) logged(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if s.log = nil; c.Bool(logName) {
			s.log = &searchLog{json: c.String(logFormatName) == logJSON, stderr: s.stderr}
			for _, path := range c.Args().Slice() {
				if several(c) {
					s.log.width = max(s.log.width, utf8.RuneCountInString(textpos.Visible(artifact.Titled(path))))
				}
			}
		}
		return action(c)
	}
}

// write writes an event. Standard error that nobody reads is no reason to stop.
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
	_, _ = io.WriteString(l.stderr, line)
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
