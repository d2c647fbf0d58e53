package spark

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// maxLine is how many bytes a line may have. The plans of large SQL queries take some megabytes.
const maxLine = 64 << 20

// readFiles reads the parts of a log, up to one where it ends early.
func (im *importer) readFiles(files []trace.File) {
	for i, f := range files {
		u, finding := unpack(f)
		if finding != nil {
			im.b.Findings.Add(*finding)
			return
		}
		im.files = append(im.files, f.Name)
		whole := im.readFile(u, f.Name)
		u.close()
		if !whole {
			im.unread = len(files) - i - 1
			return
		}
	}
}

// readFile reads a part; false if the log ends with it, or is none.
func (im *importer) readFile(u *unpacker, name string) bool {
	in := textpos.NewReader(u, name)
	offset := int64(0)
	in.Limit(maxLine, func() int64 { return offset })
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, peeked), 2*maxLine+peeked) // in, which reads ahead, fails first
	lines.Split(withEnd)
	im.at = place{file: int32(len(im.files) - 1)}
	for lines.Scan() {
		im.at.line++
		offset += int64(len(lines.Bytes()))
		in.Release(offset)
		im.bad = false
		line, ends := bytes.TrimSpace(lines.Bytes()), bytes.HasSuffix(lines.Bytes(), []byte("\n"))
		if !ends && lines.Err() != nil {
			break // the line is a part of one
		}
		if len(line) > 0 && !im.readLine(line) {
			if !ends {
				im.cut = true
				return false
			}
			im.report(model.Finding{Code: model.CodeSyntax, What: "the line ends within a value", Expected: oneEvent,
				Pos: im.column(int64(len(line)))})
		}
		if im.bad && im.opt.SkipBadLines {
			im.count[badLines]++
		}
	}
	if err := lines.Err(); err != nil && !(u.cut && errors.Is(err, io.ErrUnexpectedEOF)) { // else cut within a character
		f := in.Finding(err)
		if f.Code == model.CodeCompression {
			f.Expected = "whole " + u.packed + " data"
		}
		im.b.Findings.Add(f)
		return false
	}
	im.cut = im.cut || u.cut
	return !im.cut
}

// withEnd cuts text after its line ends.
func withEnd(text []byte, atEOF bool) (int, []byte, error) {
	end := bytes.IndexByte(text, '\n') + 1
	if end == 0 && atEOF {
		end = len(text)
	}
	if end == 0 {
		return 0, nil, nil
	}
	return end, text[:end], nil
}

const oneEvent = "JSON, an event a line"

// readLine reads an event; false if the line ends within it.
func (im *importer) readLine(line []byte) bool {
	im.event = event{}
	err := json.Unmarshal(line, &im.event, jsontext.AllowDuplicateNames(true))
	take, known := events[im.event.Event]
	if err == nil {
		switch {
		case known:
			take(im)
		case im.event.Event == "":
			im.missing(`"Event"`)
		}
		return true
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		im.report(model.Finding{Code: model.CodeSyntax, Pos: im.column(e.ByteOffset), What: e.Err.Error(),
			Expected: oneEvent})
	} else if line[0] != '{' {
		im.report(model.Finding{Code: model.CodeTraceObject, Pos: im.column(0), What: "the line is no object",
			Expected: anEvent})
	} else if known || im.event.Event == "" { // other events may have any values
		im.reportValue(err)
	}
	return true
}

const anEvent = "an event of Spark's log"

// reportValue reports a value of the wrong type.
func (im *importer) reportValue(err error) {
	f := model.Finding{Code: model.CodeTraceObject, Pos: im.column(0), What: err.Error(), Expected: anEvent}
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		f.Pos = im.column(e.ByteOffset)
	}
	if e, ok := errors.AsType[*wrongValue](err); ok {
		f.Pos, f.What, f.Expected = im.column(e.offset), e.what, e.expected
	}
	im.report(f)
}

// report says that the line is malformed.
func (im *importer) report(f model.Finding) {
	if im.bad = true; im.opt.SkipBadLines {
		return
	}
	f.Hint, f.Like = cmp.Or(f.Hint, "--skip-bad-lines leaves such lines out"), "line"
	im.b.Findings.Add(f)
}

// missing reports an event that lacks what it must have.
func (im *importer) missing(what string) {
	im.report(model.Finding{Code: model.CodeTraceObject, Pos: im.column(0), What: "the event has no " + what,
		Expected: anEvent})
}

// column is where a byte of the line is. Blanks before the line are rare and not counted.
func (im *importer) column(offset int64) model.Position {
	at := im.position(im.at)
	at.Column = int32(min(offset, maxLine)) + 1
	return at
}

// place is a line of a file.
type place struct{ file, line int32 }

func (im *importer) position(p place) model.Position {
	return model.Position{File: im.files[p.file], Line: p.line, Column: 1}
}
