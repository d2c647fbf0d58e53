package spark

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// reader reads one file of a log.
type reader struct {
	*eventLog
	*lines
	opt   *Options
	found *model.Findings
	file  int32
	bad   bool // the line has a finding, or would have
}

// readFile reads a file; false if the log ends with it, or is none.
func (g *eventLog) readFile(f File, opt *Options, found *model.Findings) bool {
	u, finding := unpack(f)
	if finding != nil {
		found.Add(*finding)
		return false
	}
	defer u.close()
	g.files = append(g.files, f.Name)
	var text io.Reader = u
	if opt.SkipBadLines {
		text = &scrubber{r: u}
	}
	r := &reader{eventLog: g, lines: newLines(text, f.Name), opt: opt, found: found, file: int32(len(g.files) - 1)}
	for {
		more, err := r.next()
		if err != nil && !(u.cut && errors.Is(err, io.ErrUnexpectedEOF)) { // else cut within a character
			r.fail(err, u.packed)
			return false
		}
		if !more {
			g.left.cut = g.left.cut || u.cut
			return !g.left.cut
		}
		if !r.readLine() {
			g.left.cut = true
			return false
		}
	}
}

// fail reports that the file cannot be read further.
func (r *reader) fail(err error, packed string) {
	f := r.in.Finding(err)
	if f.Code == model.CodeCompression {
		f.Expected = "whole " + packed + " data"
	}
	r.found.Add(f)
}

// place is where the line is.
func (r *reader) place() place { return place{r.file, r.row} }

// readLine reads an event; false if the log was cut within it.
func (r *reader) readLine() bool {
	r.bad = false
	if byteOffset, err := r.check(); err != nil {
		if !r.whole && errors.Is(err, io.ErrUnexpectedEOF) {
			return false
		}
		r.report(model.Finding{Code: model.CodeSyntax, Pos: r.at(byteOffset), What: err.Error(),
			Expected: "JSON, an event a line"})
	} else if r.line[0] != '{' {
		r.report(model.Finding{Code: model.CodeTraceObject, Pos: r.at(0), What: "the line is no object",
			Expected: "an event of Spark's log"})
	} else {
		r.event()
	}
	if r.bad && r.opt.SkipBadLines {
		r.left.bad++
	}
	return true
}

// report says that the line is malformed.
func (r *reader) report(f model.Finding) {
	if r.bad = true; r.opt.SkipBadLines {
		return
	}
	f.Hint, f.Like = cmp.Or(f.Hint, "--skip-bad-lines leaves such lines out"), "line"
	r.found.Add(f)
}

// wrong reports a value of another type than it should have.
func (r *reader) wrong(value []byte, what, expected string) {
	shown := string(value)
	if value[0] == '"' {
		shown = textpos.Quoted(textpos.Unquote(value))
	} else if len(shown) > textpos.MaxQuoted {
		shown = strings.ToValidUTF8(shown[:textpos.MaxQuoted], "") + "…"
	}
	r.report(model.Finding{Code: model.CodeTraceObject, Pos: r.where(value), What: what + " is " + shown,
		Expected: expected})
}

// missing reports an event that lacks what it must have.
func (r *reader) missing(what string) {
	r.report(model.Finding{Code: model.CodeTraceObject, Pos: r.at(0), What: "the event has no " + what,
		Expected: "an event of Spark's log"})
}

// largest bounds ids and times: milliseconds that model.Time can hold.
const largest = int64(model.MaxTime / millisecond)

const millisecond = model.Second / 1000

// number reads a whole number, not negative; null is unknown.
func (r *reader) number(value []byte, what string) int64 {
	if string(value) == "null" {
		return unknown
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < 0 || n > largest {
		r.wrong(value, what, "a whole number")
		return unknown
	}
	return n
}

// measure reads a number that the import can do without. Spark measures by clocks that may be set back, and its
// counters overflow: a number that cannot be is unknown, and counted.
func (r *reader) measure(value []byte, what string) int64 { return r.upTo(largest, value, what) }

// upTo does so for a number that cannot be larger than most.
func (r *reader) upTo(most int64, value []byte, what string) int64 {
	if !isNumber(value) {
		return r.number(value, what)
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < 0 || n > most {
		r.left.unusable++
		return unknown
	}
	return n
}

// isNumber says whether a JSON value is a number.
func isNumber(value []byte) bool { return value[0] == '-' || value[0] >= '0' && value[0] <= '9' }

// moment reads a point in time.
func (r *reader) moment(value []byte, what string) int64 {
	t := r.measure(value, what)
	r.saw(t)
	return t
}

// amount reads a number that may be a fraction; 0 is unknown.
func (r *reader) amount(value []byte, what string) float64 {
	v, err := strconv.ParseFloat(string(value), 64)
	switch {
	case !isNumber(value):
		r.wrong(value, what, "a number")
		return 0
	case err != nil || v < 0 || v > 1e15:
		r.left.unusable++
		return 0
	}
	return v
}

// text reads a string; null is empty.
func (r *reader) text(value []byte, what string) string {
	switch {
	case string(value) == "null":
		return ""
	case value[0] != '"':
		r.wrong(value, what, "a text")
		return ""
	case len(value) > trace.MaxID:
		r.report(model.Finding{Code: model.CodeTooLong, Pos: r.where(value),
			What: fmt.Sprintf("%s has %d bytes", what, len(value)), Expected: fmt.Sprintf("at most %d", trace.MaxID)})
		return ""
	}
	return textpos.Unquote(value)
}

// description reads a text that may be long, such as an SQL query: its beginning, on one line.
func description(value []byte) string {
	if value[0] != '"' {
		return ""
	}
	const most = 1 << 10
	text := strings.Join(strings.Fields(textpos.Unquote(value)), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// event reads the line, an object. Events that are not known are skipped.
func (r *reader) event() {
	m := membersOf(r.line)
	var name []byte
	for key, value, ok := m.next(); ok; key, value, ok = m.next() {
		if string(key) == "Event" {
			name = value
			break
		}
	}
	switch string(name) {
	case `"SparkListenerTaskStart"`:
		r.taskStart()
	case `"SparkListenerTaskEnd"`:
		r.taskEnd()
	case `"SparkListenerJobStart"`:
		r.jobStart()
	case `"SparkListenerJobEnd"`:
		r.jobEnd()
	case `"SparkListenerStageSubmitted"`, `"SparkListenerStageCompleted"`:
		r.stageEvent(string(name) == `"SparkListenerStageCompleted"`)
	case `"SparkListenerExecutorAdded"`:
		r.executorAdded()
	case `"SparkListenerExecutorRemoved"`:
		r.executorRemoved()
	case `"SparkListenerResourceProfileAdded"`:
		r.profileAdded()
	case `"SparkListenerEnvironmentUpdate"`:
		r.environment()
	case `"SparkListenerLogStart"`:
		r.each(r.line, func(key string, value []byte) {
			if key == "Spark Version" {
				r.version = r.text(value, "the version")
			}
		})
	case `"SparkListenerApplicationStart"`:
		r.applicationStart()
	case `"SparkListenerApplicationEnd"`:
		r.ended = true
		r.each(r.line, func(key string, value []byte) {
			if key == "Timestamp" {
				r.endedAt = r.moment(value, "the end of the application")
			}
		})
	case `"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"`:
		r.sqlStart()
	case "":
		r.missing(`"Event"`)
	}
}

// each calls do for the members of an object.
func (r *reader) each(object []byte, do func(key string, value []byte)) {
	m := membersOf(object)
	for key, value, ok := m.next(); ok; key, value, ok = m.next() {
		do(string(key), value)
	}
}

// list calls do for the elements of an array.
func (r *reader) list(array []byte, do func(value []byte)) {
	m := membersOf(array)
	for value, ok := m.element(); ok; value, ok = m.element() {
		do(value)
	}
}

func (r *reader) applicationStart() {
	if r.begun {
		r.found.Add(model.Finding{Code: model.CodeTraceObject, Pos: r.at(0), What: "a second application begins",
			Expected: "the log of one application", Hint: "import each log by itself"})
		return
	}
	r.begun = true
	r.each(r.line, func(key string, value []byte) {
		switch key {
		case "App ID":
			r.app = r.text(value, "the application's id")
		case "Timestamp":
			r.startedAt = r.measure(value, "the start of the application")
		case "User":
			r.user = r.text(value, "the user")
		}
	})
}

func (r *reader) sqlStart() {
	id, text := int64(unknown), ""
	r.each(r.line, func(key string, value []byte) {
		switch key {
		case "executionId":
			id = r.number(value, "the execution's id")
		case "description":
			text = description(value)
		}
	})
	if !r.bad {
		r.sql[id] = text
	}
}
