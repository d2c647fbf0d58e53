package spark

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
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
	r := &reader{eventLog: g, lines: newLines(u, f.Name), opt: opt, found: found, file: int32(len(g.files) - 1)}
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

// place is where the line stands.
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
		shown = shown[:textpos.MaxQuoted] + "…"
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

// amount reads a number that may be a fraction.
func (r *reader) amount(value []byte, what string) float64 {
	v, err := strconv.ParseFloat(string(value), 64)
	if err != nil || v < 0 || v > 1e15 {
		r.wrong(value, what, "a number")
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
		r.left.started++
	case `"SparkListenerTaskEnd"`:
		r.taskEnd()
	case `"SparkListenerJobStart"`:
		r.jobStart()
	case `"SparkListenerJobEnd"`:
		r.jobEnd()
	case `"SparkListenerStageSubmitted"`, `"SparkListenerStageCompleted"`:
		r.stageEvent()
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
		case "User":
			r.user = r.text(value, "the user")
		}
	})
}

// environment reads two of Spark's properties; the others may be secrets and stay where they are.
func (r *reader) environment() {
	r.each(r.line, func(key string, value []byte) {
		if key != "Spark Properties" {
			return
		}
		r.each(value, func(name string, value []byte) {
			switch name {
			case "spark.task.cpus":
				n, err := strconv.ParseFloat(strings.TrimSpace(r.text(value, name)), 64)
				if err != nil || !(n > 0) || n > maxCores {
					r.wrong(value, name, "a number of cores")
				} else {
					r.taskCPUs = n
				}
			case "spark.executor.memory":
				if n, ok := memory(r.text(value, name)); ok {
					r.memory = model.Some(n)
				} else {
					r.wrong(value, name, `a size, such as "4g"`)
				}
			}
		})
	})
}

// memory reads a size as Spark writes it, in mebibytes unless it has a unit.
func memory(text string) (model.Bytes, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz")
	shift, known := map[string]int{"": 20, "b": 0, "k": 10, "kb": 10, "m": 20, "mb": 20, "g": 30, "gb": 30, "t": 40,
		"tb": 40, "p": 50, "pb": 50}[text[len(digits):]]
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	if err != nil || !known || n < 0 || n > int64(1)<<(62-shift) {
		return 0, false
	}
	return model.Bytes(n << shift), true
}

func (r *reader) profileAdded() {
	id := int64(unknown)
	var p profile
	amountOf := func(value []byte, what string) (v float64) {
		r.each(value, func(key string, value []byte) {
			if key == "Amount" {
				v = r.amount(value, "the amount of "+what)
			}
		})
		return v
	}
	r.each(r.line, func(key string, value []byte) {
		switch key {
		case "Resource Profile Id":
			id = r.number(value, "the profile's id")
		case "Executor Resource Requests":
			r.each(value, func(name string, value []byte) {
				if name == "memory" {
					p.memory = model.Bytes(amountOf(value, name)) << 20
				}
			})
		case "Task Resource Requests":
			r.each(value, func(name string, value []byte) {
				if name == "cpus" {
					p.cpus = min(amountOf(value, name), maxCores)
				} else {
					p.custom = true
				}
			})
		}
	})
	if r.bad {
		return
	}
	r.profiles[id] = &p
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

// maxCores bounds the cores of an executor or task.
const maxCores = 1 << 20

func (r *reader) executorAdded() {
	id, at := "", int64(unknown)
	x := executor{cores: unknown}
	r.each(r.line, func(key string, value []byte) {
		switch key {
		case "Timestamp":
			at = r.number(value, "the time")
		case "Executor ID":
			id = r.text(value, "the executor's id")
		case "Executor Info":
			r.each(value, func(key string, value []byte) {
				switch key {
				case "Host":
					x.host = r.text(value, "the host")
				case "Total Cores":
					if x.cores = r.number(value, "the number of cores"); x.cores > maxCores {
						r.wrong(value, "the number of cores", "fewer")
					}
				case "Resource Profile Id":
					x.profile = r.number(value, "the profile's id")
				}
			})
		}
	})
	if id == "" && !r.bad {
		r.missing("executor")
	}
	if r.bad {
		return
	}
	k := r.executor(id)
	x.up = r.executors[k].up
	if n := len(x.up); n == 0 || x.up[n-1].until != unknown && x.up[n-1].until <= at {
		x.up = append(slices.Clone(x.up), interval{at, unknown})
	}
	if x.cores == 0 {
		x.cores = unknown
	}
	r.executors[k] = x
}

func (r *reader) executorRemoved() {
	id, at := "", int64(unknown)
	r.each(r.line, func(key string, value []byte) {
		switch key {
		case "Timestamp":
			at = r.number(value, "the time")
		case "Executor ID":
			id = r.text(value, "the executor's id")
		}
	})
	if id == "" && !r.bad {
		r.missing("executor")
	}
	if r.bad || at == unknown {
		return
	}
	x := &r.executors[r.executor(id)]
	if n := len(x.up); n > 0 && x.up[n-1].until == unknown {
		x.up[n-1].until = max(at, x.up[n-1].from)
	} else if n == 0 {
		x.up = append(x.up, interval{unknown, at})
	}
}
