package result

import (
	"bytes"
	"encoding/json"
	"io"
)

// line writes a JSON document piece by piece, exactly as encoding/json would write it as a whole. It keeps its first
// error.
type line struct {
	to     io.Writer
	buffer bytes.Buffer // of one value
	encode *json.Encoder
	err    error
}

func newLine(w io.Writer) *line {
	l := &line{to: w}
	l.encode = json.NewEncoder(&l.buffer)
	l.encode.SetEscapeHTML(false)
	return l
}

// value writes a value without the given beginning and end of its text.
func (l *line) value(v any, begin, end string) {
	if l.err != nil {
		return
	}
	l.buffer.Reset()
	if l.err = l.encode.Encode(v); l.err != nil {
		return
	}
	text := bytes.TrimPrefix(l.buffer.Bytes(), []byte(begin))
	_, l.err = l.to.Write(bytes.TrimSuffix(text, []byte(end)))
}

func (l *line) text(text string) {
	if l.err == nil {
		_, l.err = io.WriteString(l.to, text)
	}
}
