package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mrsched/io/textpos"
	"mrsched/model"
)

// maxDocument is how many bytes a document may have, which is held in memory.
const maxDocument = 2 << 30

// Document is a file of JSON values, which are read into structs whose leaves are of type Value.
type Document struct {
	*textpos.Values
	Found *model.Findings
	value string // what one of them is, for messages
}

// Value is a string or number of a document as it stands there, and where it begins; empty if it is absent or null.
type Value struct {
	Raw string
	At  int64
}

// UnmarshalJSONFrom keeps a value; what becomes of values of another type, their user says.
func (v *Value) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err == nil && raw.Kind() != jsontext.KindNull {
		v.Raw, v.At = string(raw), dec.InputOffset()-int64(len(raw))
	}
	return err
}

// Placed is a value of a document and where it begins.
type Placed[T any] struct {
	Of T
	At int64
}

// UnmarshalJSONFrom reads the value.
func (p *Placed[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	dec.PeekKind()
	rest := dec.UnreadBuffer()
	p.At = dec.InputOffset() + int64(len(rest)-len(bytes.TrimLeft(rest, " \t\r\n,:")))
	return json.UnmarshalDecode(dec, &p.Of)
}

// NewDocument begins to read a file; what says what it should hold, and value what one of its values is.
func NewDocument(f File, what, value string, found *model.Findings) *Document {
	d := &Document{textpos.NewValues(f.Text, f.Name, what, found), found, value}
	d.Dec = jsontext.NewDecoder(d.In) // which refuses keys that are given twice
	d.In.Limit(MaxRecord, d.Dec.InputOffset)
	return d
}

// ReadDocument reads a file of one value. It is false after a finding.
func ReadDocument(f File, what, value string, into any, found *model.Findings) (*Document, bool) {
	d := NewDocument(f, what, value, found)
	d.In.Max(maxDocument)
	err := d.Document(value, what, func() error { return json.UnmarshalDecode(d.Dec, into) })
	if err != nil {
		d.Fail(d.explain(err))
	}
	return d, err == nil && found.Empty()
}

// Next reads the next of several values; false at the end of the file, or after a finding.
func (d *Document) Next(into any) bool {
	d.In.Release(d.Dec.InputOffset())
	if d.Dec.PeekKind() == jsontext.KindInvalid {
		_, err := d.Dec.ReadToken()
		if err != io.EOF {
			d.Fail(err)
		}
		return false
	}
	err := json.UnmarshalDecode(d.Dec, into)
	if err != nil {
		d.Fail(d.explain(err))
	}
	return err == nil
}

// explain finds the words for what is wrong with the layout of a document.
func (d *Document) explain(err error) error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(e, jsontext.ErrDuplicateName) {
		return &textpos.Stop{Finding: textpos.Twice(d.In.Position(e.ByteOffset), "key", e.JSONPointer.LastToken())}
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return err
	}
	name, expected := d.value, "an object"
	if e.JSONPointer != "" {
		name = e.JSONPointer.LastToken()
	}
	if e.GoType != nil && e.GoType.Kind() == reflect.Slice {
		expected = "an array"
	}
	return textpos.StopAt(d.In.Position(e.ByteOffset), fmt.Sprintf("%s is %s", name, kinds[e.JSONKind]), expected)
}

// kinds are the kinds of JSON values in messages.
var kinds = map[jsontext.Kind]string{jsontext.KindNull: "null", jsontext.KindTrue: "a boolean",
	jsontext.KindFalse: "a boolean", jsontext.KindString: "a string", jsontext.KindNumber: "a number",
	jsontext.KindBeginObject: "an object", jsontext.KindBeginArray: "an array"}

// Wrong reports a value of another type.
func (d *Document) Wrong(v Value, what, expected string) {
	d.Report(d.Position(v), fmt.Sprintf("%s is %s", what, kinds[jsontext.Value(v.Raw).Kind()]), expected)
}

// Position is where a value is.
func (d *Document) Position(v Value) model.Position { return d.In.Position(v.At) }

// Text is a string; empty if it is absent, or after a finding.
func (d *Document) Text(v Value, what string) string {
	switch {
	case v.Raw == "":
		return ""
	case v.Raw[0] != '"':
		d.Wrong(v, what, "a string")
		return ""
	case len(v.Raw) > MaxID:
		d.Found.Add(model.Finding{Code: model.CodeTooLong, Pos: d.Position(v),
			What: fmt.Sprintf("%s is %d bytes long", what, len(v.Raw)), Expected: fmt.Sprintf("at most %d bytes", MaxID)})
		return ""
	}
	return textpos.Unquote([]byte(v.Raw))
}

// ID is a string that may not be empty, with its position; object, which begins at a place, must have it.
func (d *Document) ID(v Value, what, object string, at int64) textpos.Ident {
	id := textpos.Ident{Text: d.Text(v, what), Pos: d.Position(v)}
	switch v.Raw {
	case "":
		d.Report(d.In.Position(at), fmt.Sprintf("%s has no %s", object, what), "an id")
	case `""`:
		d.Report(id.Pos, what+" is empty", "a name")
	}
	return id
}

// Number parses a number of a document; it is unknown if it is absent, or after a finding.
func Number[T any](d *Document, v Value, what, expected string, parse func(string) (T, error)) model.Optional[T] {
	if v.Raw == "" {
		return model.Optional[T]{}
	}
	if jsontext.Value(v.Raw).Kind() != jsontext.KindNumber {
		d.Wrong(v, what, "a number")
		return model.Optional[T]{}
	}
	x, err := parse(v.Raw)
	if err != nil {
		d.Found.Add(textpos.NumberFinding(d.Position(v), what, v.Raw, err, expected))
		return model.Optional[T]{}
	}
	return model.Some(x)
}

// Rounded parses a number of bytes; some writers state these with decimals.
func Rounded(s string) (model.Bytes, error) {
	v, err := model.ParseFixed(s, 0)
	return model.Bytes(v), err
}
