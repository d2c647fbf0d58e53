package textpos

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/model"
)

// Limits against hostile input; no sensible trace comes near them.
const (
	maxToken = 1 << 20  // bytes of any string or number, and of blanks in a row
	maxText  = 64 << 10 // bytes of a string that is kept
	// MaxDepth is how many objects and arrays may lie within each other.
	MaxDepth = 128
)

// Values reads the JSON values of a trace. Values of the wrong type become findings (T501) and are skipped; its methods
// return an error only if reading cannot continue, and Fail turns that into a finding.
type Values struct {
	Dec      *jsontext.Decoder
	In       *Reader
	what     string // the file holds, for messages
	findings *model.Findings
	scratch  []byte
	nodes    int    // of trees
	LastKey  string // for messages; of trees, and of callers that set it
}

// NewValues reads r, plain or gzip; name is the file's, and what says what it should hold, such as "a Rumen file".
func NewValues(r io.Reader, name, what string, findings *model.Findings) *Values {
	in := NewReader(r, name)
	dec := jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true))
	in.Limit(maxToken, dec.InputOffset)
	return &Values{Dec: dec, In: in, what: what, findings: findings}
}

// Stop is a finding that ends the reading.
type Stop struct{ model.Finding }

func (s *Stop) Error() string { return s.String() }

// StopAt is a Stop with T501.
func StopAt(at model.Position, what, expected string) error {
	return &Stop{model.Finding{Code: model.CodeTraceObject, Pos: at, What: what, Expected: expected}}
}

// Fail adds the finding for an error.
func (d *Values) Fail(err error) {
	if s := (*Stop)(nil); errors.As(err, &s) {
		d.findings.Add(s.Finding)
		return
	}
	d.findings.Add(d.In.Finding(err))
}

// Here is the position of the byte after the last token, less some bytes.
func (d *Values) Here(back int) model.Position {
	return d.In.Position(d.Dec.InputOffset() - int64(back))
}

// Fields are the keys of an object that a caller of Object knows, at most 64.
type Fields struct {
	keys  []string
	index map[string]int
}

// NewFields makes Fields of keys.
func NewFields(keys ...string) Fields {
	f := Fields{keys, make(map[string]int, len(keys))}
	for i, key := range keys {
		f.index[key] = i
	}
	return f
}

// Object reads an object and calls each for every known key; each must read the value. It returns false if there is
// no object.
func (d *Values) Object(what string, known Fields, each func(key string) error) (bool, error) {
	if d.Dec.PeekKind() != jsontext.KindBeginObject {
		return false, d.Wrong(what, "an object")
	}
	if _, err := d.Dec.ReadToken(); err != nil {
		return false, err
	}
	var seen uint64
	for {
		d.In.Release(d.Dec.InputOffset())
		raw, err := d.Key()
		if raw == nil {
			return err == nil, err
		}
		field, ok := known.index[string(d.Unquote(raw))]
		switch {
		case !ok:
			err = d.Skip()
		case seen&(1<<field) != 0:
			d.findings.Add(Twice(d.Here(len(raw)), "key", known.keys[field]))
			err = d.Skip()
		default:
			seen |= 1 << field
			err = each(known.keys[field])
		}
		if err != nil {
			return false, err
		}
	}
}

// Key reads the next key of an object as it is in the file. It is nil at the object's end, and if there is an error.
func (d *Values) Key() (jsontext.Value, error) {
	if d.Dec.PeekKind() == jsontext.KindEndObject {
		_, err := d.Dec.ReadToken()
		return nil, err
	}
	raw, err := d.Dec.ReadValue()
	if err != nil {
		return nil, err
	}
	return raw, nil
}

// Twice is the finding of a key, or a column, that an object or a header has already.
func Twice(at model.Position, kind, name string) model.Finding {
	return model.Finding{Code: model.CodeTwice, Pos: at, What: fmt.Sprintf("%s %q is given twice", kind, name),
		Expected: "unique " + kind + "s", Hint: "keep one of the two"}
}

// End expects the end of the file.
func (d *Values) End(hint string) error {
	if d.Dec.PeekKind() != jsontext.KindInvalid {
		return &Stop{model.Finding{Code: model.CodeSyntax, Pos: d.Here(0), What: "something follows the document",
			Expected: "the end of the file", Hint: hint}}
	}
	if _, err := d.Dec.ReadToken(); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// Document reads the only value of a file. It reports an empty file, and a second value.
func (d *Values) Document(what, expected string, read func() error) error {
	if d.Dec.PeekKind() == jsontext.KindInvalid {
		_, err := d.Dec.ReadToken()
		if err == io.EOF {
			d.Report(d.Here(0), what+" is empty", expected)
			err = nil
		}
		return err
	}
	if err := read(); err != nil {
		return err
	}
	at := d.PeekPosition()
	err := d.Skip()
	if err == nil {
		d.Report(at, "a second value follows "+what, "one value in a file")
	} else if err == io.EOF {
		err = nil
	}
	return err
}

// Array reads an array and calls each before every element; each must read it. null is an empty array.
func (d *Values) Array(what string, each func() error) error {
	switch d.Dec.PeekKind() {
	case jsontext.KindNull:
		return d.Skip()
	case jsontext.KindBeginArray:
	default:
		return d.Wrong(what, "an array")
	}
	if _, err := d.Dec.ReadToken(); err != nil {
		return err
	}
	for d.Dec.PeekKind() != jsontext.KindEndArray {
		if d.Dec.PeekKind() == jsontext.KindInvalid {
			_, err := d.Dec.ReadToken()
			return err
		}
		if err := each(); err != nil {
			return err
		}
	}
	_, err := d.Dec.ReadToken()
	return err
}

// Skip reads over one value of any kind.
func (d *Values) Skip() error {
	for depth := d.Dec.StackDepth(); ; {
		if _, err := d.Dec.ReadToken(); err != nil {
			return err
		}
		switch n := d.Dec.StackDepth(); {
		case n <= depth:
			return nil
		case n > MaxDepth:
			return d.TooDeep()
		}
	}
}

// TooDeep is the error of values within values beyond MaxDepth.
func (d *Values) TooDeep() error {
	return StopAt(d.Here(1), fmt.Sprintf("values lie within each other more than %d deep", MaxDepth), d.what)
}

// KindNames are the names of JSON types in messages.
var KindNames = map[jsontext.Kind]string{'n': "null", 'f': "a boolean", 't': "a boolean", '"': "a string",
	'0': "a number", '{': "an object", '[': "an array"}

// Wrong reads over a value that is not what was expected, and reports it.
func (d *Values) Wrong(what, expected string) error {
	kind, pos := d.Dec.PeekKind(), d.PeekPosition()
	if err := d.Skip(); err != nil {
		return err
	}
	d.Report(pos, what+" is "+KindNames[kind], expected)
	return nil
}

// PeekPosition is where the next value starts.
func (d *Values) PeekPosition() model.Position { return d.In.Position(d.PeekOffset()) }

// PeekOffset is PeekPosition in bytes.
func (d *Values) PeekOffset() int64 {
	d.Dec.PeekKind() // makes sure that the value has begun within the buffer
	ahead := d.Dec.UnreadBuffer()
	return d.Dec.InputOffset() + int64(len(ahead)-len(bytes.TrimLeft(ahead, " \t\r\n,:")))
}

// Report adds the finding (T501) that something at pos is not as expected.
func (d *Values) Report(pos model.Position, what, expected string) {
	d.findings.Add(model.Finding{Code: model.CodeTraceObject, Pos: pos, What: what, Expected: expected})
}

// Raw reads a string as in the file, with its quotes; nil for null and for findings.
// It is valid until the next read.
func (d *Values) Raw(what string) ([]byte, error) {
	kind := d.Dec.PeekKind()
	if kind != jsontext.KindString && kind != jsontext.KindNull {
		return nil, d.Wrong(what, "a string")
	}
	v, err := d.Dec.ReadValue()
	if err != nil || kind == jsontext.KindNull {
		return nil, err
	}
	if len(v) > maxText {
		d.findings.Add(model.Finding{Code: model.CodeTooLong, Pos: d.Here(len(v)),
			What: fmt.Sprintf("%s is %d bytes long", what, len(v)), Expected: fmt.Sprintf("at most %d bytes", maxText)})
		return nil, nil
	}
	return v, nil
}

// Unquote is the text of a raw string, until the next call.
func (d *Values) Unquote(raw jsontext.Value) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	d.scratch, _ = jsontext.AppendUnquote(d.scratch[:0], raw) // the decoder has checked it
	return d.scratch
}

// Unquote is the text of a raw string.
func Unquote(raw []byte) string {
	if raw == nil {
		return ""
	}
	var d Values
	return string(d.Unquote(raw))
}

// Text reads a string; null is empty.
func (d *Values) Text(what string) (string, error) {
	raw, err := d.Raw(what)
	return Unquote(raw), err
}

// Ident is an id and where it is.
type Ident struct {
	Text string
	Pos  model.Position
}
