package rumen

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/io/textpos"
	"mrsched/model"
)

// Limits against hostile input; no sensible trace comes near them.
const (
	maxToken = 1 << 20  // bytes of any string or number, and of blanks in a row
	maxID    = 64 << 10 // bytes of a string that is kept
	maxDepth = 128      // objects and arrays within each other
	maxTasks = 1 << 24
	maxHosts = 1 << 22
	// maxReplicas is how many preferred locations of a map are kept.
	maxReplicas = 1 << 10

	maxMillis = int64(model.MaxTime / millisecond)
)

const millisecond = model.Second / 1000

// unknown is how the trace writes a number that it does not know.
const unknown = -1

// decoder reads JSON values. Values of the wrong type become findings and are skipped; its methods
// return an error only where reading cannot go on.
type decoder struct {
	dec      *jsontext.Decoder
	in       *textpos.Reader
	findings *model.Findings
	scratch  []byte
}

func newDecoder(r io.Reader, name string, findings *model.Findings) *decoder {
	in := textpos.NewReader(r, name)
	dec := jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true))
	in.Limit(maxToken, dec.InputOffset)
	return &decoder{dec: dec, in: in, findings: findings}
}

// stop is a finding that ends the reading.
type stop struct{ model.Finding }

func (s *stop) Error() string { return s.String() }

// fail adds the finding that err amounts to.
func (d *decoder) fail(err error) {
	if s, ok := err.(*stop); ok {
		d.findings.Add(s.Finding)
		return
	}
	d.findings.Add(d.in.Finding(err))
}

// here is the position of the byte after the last token, less some bytes.
func (d *decoder) here(back int) model.Position {
	return d.in.Position(d.dec.InputOffset() - int64(back))
}

// fields maps the keys of an object to small numbers of the caller's choice.
type fields map[string]uint

// object reads an object and calls each for every key of known; each must read the value.
// It returns false if there is no object.
func (d *decoder) object(what string, known fields, each func(field uint) error) (bool, error) {
	if d.dec.PeekKind() != jsontext.KindBeginObject {
		return false, d.wrong(what, "an object")
	}
	if _, err := d.dec.ReadToken(); err != nil {
		return false, err
	}
	var seen uint64
	for d.dec.PeekKind() != jsontext.KindEndObject {
		key, err := d.dec.ReadValue()
		if err != nil {
			return false, err
		}
		if bytes.IndexByte(key, '\\') >= 0 {
			if d.scratch, err = jsontext.AppendUnquote(append(d.scratch[:0], '"'), key); err != nil {
				return false, err
			}
			key = append(d.scratch, '"')
		}
		field, ok := known[string(key[1:len(key)-1])]
		switch {
		case !ok:
			err = d.skip()
		case seen&(1<<field) != 0:
			d.findings.Add(model.Finding{Code: model.CodeTwice, Pos: d.here(len(key)),
				What: fmt.Sprintf("key %s of %s is given twice", key, what), Expected: "one of the two"})
			err = d.skip()
		default:
			seen |= 1 << field
			err = each(field)
		}
		if err != nil {
			return false, err
		}
	}
	_, err := d.dec.ReadToken()
	return true, err
}

// array reads an array and calls each before every element; each must read it. null is an empty array.
func (d *decoder) array(what string, each func() error) error {
	switch d.dec.PeekKind() {
	case jsontext.KindNull:
		return d.skip()
	case jsontext.KindBeginArray:
	default:
		return d.wrong(what, "an array")
	}
	if _, err := d.dec.ReadToken(); err != nil {
		return err
	}
	for d.dec.PeekKind() != jsontext.KindEndArray {
		if d.dec.PeekKind() == jsontext.KindInvalid {
			_, err := d.dec.ReadToken()
			return err
		}
		if err := each(); err != nil {
			return err
		}
	}
	_, err := d.dec.ReadToken()
	return err
}

// count reads an array and returns how many elements it has.
func (d *decoder) count(what string) (n int, err error) {
	err = d.array(what, func() error {
		n++
		return d.skip()
	})
	return n, err
}

// skip reads over one value of any kind.
func (d *decoder) skip() error {
	for depth := d.dec.StackDepth(); ; {
		if _, err := d.dec.ReadToken(); err != nil {
			return err
		}
		switch n := d.dec.StackDepth(); {
		case n <= depth:
			return nil
		case n > maxDepth:
			return d.tooDeep()
		}
	}
}

func (d *decoder) tooDeep() error {
	return &stop{model.Finding{Code: model.CodeTraceObject, Pos: d.here(1),
		What: fmt.Sprintf("values lie within each other more than %d deep", maxDepth), Expected: "a Rumen file"}}
}

// kindNames say what a value is.
var kindNames = map[jsontext.Kind]string{
	jsontext.KindNull: "null", jsontext.KindFalse: "a boolean", jsontext.KindTrue: "a boolean", jsontext.KindString: "a string",
	jsontext.KindNumber: "a number", jsontext.KindBeginObject: "an object", jsontext.KindBeginArray: "an array",
}

// wrong reads over a value that is not what was expected, and reports it.
func (d *decoder) wrong(what, expected string) error {
	kind, pos := d.dec.PeekKind(), d.peekPosition()
	if err := d.skip(); err != nil {
		return err
	}
	d.report(pos, what+" is "+kindNames[kind], expected)
	return nil
}

// peekPosition is where the next value starts.
func (d *decoder) peekPosition() model.Position {
	d.dec.PeekKind() // makes sure that the value has begun within the buffer
	ahead := d.dec.UnreadBuffer()
	return d.here(len(bytes.TrimLeft(ahead, " \t\r\n,:")) - len(ahead))
}

func (d *decoder) report(pos model.Position, what, expected string) {
	d.findings.Add(model.Finding{Code: model.CodeTraceObject, Pos: pos, What: what, Expected: expected})
}

// number reads a whole number; null and anything negative are unknown.
func (d *decoder) number(what string) (int64, error) {
	kind := d.dec.PeekKind()
	if kind != jsontext.KindNumber && kind != jsontext.KindNull {
		return unknown, d.wrong(what, "a number")
	}
	v, err := d.dec.ReadValue()
	if err != nil || kind == jsontext.KindNull || v[0] == '-' {
		return unknown, err
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n, nil
	}
	n, err := model.ParseFixed(string(v), 0)
	if err != nil {
		d.report(d.here(len(v)), what+" is too large", "a number below 2^63")
		return unknown, nil
	}
	return n, nil
}

// millis reads a point in time.
func (d *decoder) millis(what string) (int64, error) {
	n, err := d.number(what)
	if n > maxMillis {
		d.report(d.here(0), what+" is too large", "milliseconds since 1970")
		return unknown, err
	}
	return n, err
}

// raw reads a string as it stands in the file, with its quotes; nil for null and for findings.
// It is valid until the next read.
func (d *decoder) raw(what string) ([]byte, error) {
	kind := d.dec.PeekKind()
	if kind != jsontext.KindString && kind != jsontext.KindNull {
		return nil, d.wrong(what, "a string")
	}
	v, err := d.dec.ReadValue()
	if err != nil || kind == jsontext.KindNull {
		return nil, err
	}
	if len(v) > maxID {
		d.findings.Add(model.Finding{Code: model.CodeTooLong, Pos: d.here(len(v)),
			What: fmt.Sprintf("%s is %d bytes long", what, len(v)), Expected: fmt.Sprintf("at most %d bytes", maxID)})
		return nil, nil
	}
	return v, nil
}

// unquote is the text of a raw string.
func unquote(raw []byte) string {
	if raw == nil {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	b, _ := jsontext.AppendUnquote(nil, raw) // the decoder has checked it
	return string(b)
}

// text reads a string; null is empty.
func (d *decoder) text(what string) (string, error) {
	raw, err := d.raw(what)
	return unquote(raw), err
}

// words are the frequent strings of the format.
var words = map[string]string{
	success: success, succeeded: succeeded, failed: failed, killed: killed,
	typeMap: typeMap, typeReduce: typeReduce, priorityNormal: priorityNormal,
}

// word is text without allocating the frequent strings anew.
func (d *decoder) word(what string) (string, error) {
	raw, err := d.raw(what)
	if raw == nil || err != nil {
		return "", err
	}
	if w, ok := words[string(raw[1:len(raw)-1])]; ok {
		return w, nil
	}
	return unquote(raw), nil
}

// ident is an id and where it stands.
type ident struct {
	text string
	pos  model.Position
}

// id reads a string that must not be empty; otherwise it is a finding and the text empty.
func (d *decoder) id(what string) (ident, error) {
	null := d.dec.PeekKind() == jsontext.KindNull
	x := ident{pos: d.peekPosition()}
	raw, err := d.raw(what)
	switch {
	case err != nil:
		return x, err
	case null:
		d.report(x.pos, what+" is null", "a string")
	case raw != nil:
		if x.text = unquote(raw); x.text == "" {
			d.report(x.pos, what+" is empty", "a name")
		}
	}
	return x, nil
}

// missing reports an object without its id, unless the id itself was reported.
func (d *decoder) missing(x ident, object model.Position, what, key string) {
	if x.pos.Line == 0 {
		d.report(object, what+" has no "+key, "an id")
	}
}
