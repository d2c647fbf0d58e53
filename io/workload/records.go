package workload

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

const (
	// readBytes is how many bytes of a CSV file are read at a time.
	readBytes = 64 << 10
	// lateBytes is how many bytes are read at a time when a record is about to exceed maxGap.
	lateBytes = 4 << 10
)

// records reads the records of a CSV file as a csv.Reader does: same fields, places and errors. It allocates nothing
// for a record: fields are parts of a text that many records share.
type records struct {
	in    io.Reader
	err   error  // of in, after text
	text  string // read; begins with a record or before one
	base  int64  // where text starts in the file
	next  int    // where the next record starts in text, perhaps after empty lines
	line  int    // how many lines lie before next
	space []byte // to read into
	freed func(offset int64)

	fields []string // of the last record
	places []place  // of fields
}

// newRecords reads in; it calls freed, now and then, with an offset before which no further record starts.
func newRecords(in io.Reader, freed func(offset int64)) *records {
	return &records{in: in, space: make([]byte, readBytes), freed: freed}
}

// offset is where the last record ended.
func (r *records) offset() int64 { return r.base + int64(r.next) }

// read reads a record into fields and places. After the last one its error is io.EOF.
func (r *records) read() error {
	for {
		err := r.record()
		if err != errShort {
			return err
		}
		r.fill()
	}
}

// fill reads about as much again as text has after next, so that a long record is parsed only a few times.
func (r *records) fill() {
	r.freed(r.offset())
	var text strings.Builder
	rest := r.text[r.next:]
	text.Grow(2*len(rest) + len(r.space))
	text.WriteString(rest)
	r.base += int64(r.next)
	r.next = 0
	for enough := false; !enough && r.err == nil; enough = text.Len() >= min(2*len(rest), maxGap) {
		size := min(len(r.space), (maxGap-text.Len())&^(lateBytes-1))
		n, err := r.in.Read(r.space[:max(size, lateBytes)])
		text.Write(r.space[:n])
		r.err = err
	}
	r.text = text.String()
}

// errShort says that text ends within a record, although the file may continue.
var errShort = errors.New("more text is needed")

// record reads the next record if it is in text, or the last one, after which the file ends.
func (r *records) record() error {
	p := parser{r.text, r.next, r.next, r.line + 1, r.err}
	for p.emptyLine() {
		p.newLine()
	}
	r.fields, r.places = r.fields[:0], r.places[:0]
	if p.at == len(p.text) && r.err != nil {
		return r.err
	}
	first := p.line
	for {
		r.places = append(r.places, place{int32(p.line), int32(p.at - p.start + 1)})
		field, last, err := p.field()
		switch {
		case err == errShort && r.err != nil && r.err != io.EOF:
			return r.err
		case err != nil:
			if e, ok := errors.AsType[*csv.ParseError](err); ok {
				e.StartLine = first
			}
			return err
		}
		r.fields = append(r.fields, field)
		if last {
			r.next, r.line = p.at, p.line-1
			if r.err != nil && r.err != io.EOF && p.at == len(p.text) && !strings.HasSuffix(p.text, "\n") {
				return r.err
			}
			return nil
		}
	}
}

// parser takes text apart from at on.
type parser struct {
	text  string
	at    int
	start int   // of the line
	line  int   // its number
	end   error // what comes after text; nil: more text
}

// emptyLine says whether the line is empty, and moves to its end.
func (p *parser) emptyLine() bool {
	n := p.lineEnd(p.at)
	p.at += max(n, 0)
	return n > 0 && p.at > 0 && p.text[p.at-1] == '\n'
}

// lineEnd is how many bytes of a line's end stand at i, 0 at the end of the file, or -1: the line continues there, or
// it is unknown whether it does.
func (p *parser) lineEnd(i int) int {
	switch rest := p.text[i:]; {
	case rest == "" && p.end != nil:
		return 0
	case strings.HasPrefix(rest, "\n"), rest == "\r" && p.end == io.EOF:
		return 1
	case strings.HasPrefix(rest, "\r\n"):
		return 2
	}
	return -1
}

// newLine begins a line at the current place.
func (p *parser) newLine() { p.start, p.line = p.at, p.line+1 }

func (p *parser) fault(err error, at int) error {
	return &csv.ParseError{Line: p.line, Column: at - p.start + 1, Err: err}
}

// field reads a field, and what ends it; last is true for the end of the record.
func (p *parser) field() (field string, last bool, err error) {
	if p.at < len(p.text) && p.text[p.at] == '"' {
		return p.quoted()
	}
	text, from, i := p.text, p.at, p.at
	for ; i < len(text); i++ {
		c := text[i]
		if c > ',' { // as letters and digits have
			continue
		}
		switch c {
		case ',':
			p.at = i + 1
			return text[from:i], false, nil
		case '"':
			return "", false, p.fault(csv.ErrBareQuote, i)
		case '\n':
			p.at = i + 1
			p.newLine()
			return strings.TrimSuffix(text[from:i], "\r"), true, nil
		}
	}
	if p.end == nil {
		return "", false, errShort
	}
	p.at = i
	if field = text[from:]; p.end == io.EOF {
		field = strings.TrimSuffix(field, "\r")
	}
	return field, true, nil
}

// quoted reads a field that begins with a quote.
func (p *parser) quoted() (field string, last bool, err error) {
	text, from, doubled := p.text, p.at+1, false
	i := from
	for {
		n := strings.IndexByte(text[i:], '"')
		if n < 0 {
			return "", false, p.unclosed(from)
		}
		i += n + 1
		if !strings.HasPrefix(text[i:], `"`) {
			break
		}
		doubled = true
		i++
	}
	field = p.lines(from, i-1)
	if doubled {
		field = strings.ReplaceAll(field, `""`, `"`)
	}
	p.at = i
	if strings.HasPrefix(text[i:], ",") {
		p.at++
		return field, false, nil
	}
	switch n := p.lineEnd(i); {
	case n >= 0:
		p.at += n
		if n > 0 && text[p.at-1] == '\n' {
			p.newLine()
		}
		return field, true, nil
	case p.end == nil && len(text)-i < len("\r\n"):
		return "", false, errShort
	}
	return "", false, p.fault(csv.ErrQuote, i-1)
}

// lines is the text within quotes from one place to another, with lines that end with "\n".
func (p *parser) lines(from, to int) string {
	text := p.text[from:to]
	if n := strings.LastIndexByte(text, '\n'); n >= 0 {
		p.start, p.line = from+n+1, p.line+strings.Count(text, "\n")
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text
}

// unclosed is the error of quotes that are not closed in text.
func (p *parser) unclosed(from int) error {
	if p.end != io.EOF {
		return errShort
	}
	text := strings.TrimSuffix(p.text, "\r")
	p.lines(from, len(text))
	if p.start == len(text) && strings.HasSuffix(text, "\n") { // csv.Reader stays behind the last line
		p.line--
		p.start = strings.LastIndexByte(text[:len(text)-1], '\n') + 1
	}
	at := len(text)
	if strings.HasSuffix(text, "\r\n") {
		at--
	}
	return p.fault(csv.ErrQuote, at)
}
