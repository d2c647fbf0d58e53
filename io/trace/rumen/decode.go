package rumen

import (
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/io/textpos"
	"mrsched/model"
)

// Limits against hostile input; no sensible trace comes near them.
const (
	maxID    = 64 << 10 // bytes of a rack's name with those above it
	maxTasks = 1 << 24
	maxHosts = 1 << 22
	// maxReplicas is how many preferred locations of a map are kept.
	maxReplicas = 1 << 10

	maxMillis = int64(model.MaxTime / millisecond)
)

const millisecond = model.Second / 1000

// unknown is how the trace writes a number that it does not know.
const unknown = -1

// decoder reads the values of a trace or topology.
type decoder struct{ *textpos.Values }

func newDecoder(r io.Reader, name string, findings *model.Findings) *decoder {
	return &decoder{textpos.NewValues(r, name, "a Rumen file", findings)}
}

// Short names of what textpos offers.
type (
	fields = textpos.Fields
	ident  = textpos.Ident
)

// number reads a whole number; null and anything negative are unknown.
func (d *decoder) number(what string) (int64, error) {
	kind := d.Dec.PeekKind()
	if kind != jsontext.KindNumber && kind != jsontext.KindNull {
		return unknown, d.Wrong(what, "a number")
	}
	v, err := d.Dec.ReadValue()
	if err != nil || kind == jsontext.KindNull || v[0] == '-' {
		return unknown, err
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n, nil
	}
	n, err := model.ParseFixed(string(v), 0)
	if err != nil {
		d.Report(d.Here(len(v)), what+" is too large", "a number below 2^63")
		return unknown, nil
	}
	return n, nil
}

// millis reads a point in time.
func (d *decoder) millis(what string) (int64, error) {
	n, err := d.number(what)
	if n > maxMillis {
		d.Report(d.Here(0), what+" is too large", "milliseconds since 1970")
		return unknown, err
	}
	return n, err
}

// words are the frequent strings of the format.
var words = map[string]string{
	success: success, succeeded: succeeded, failed: failed, killed: killed,
	typeMap: typeMap, typeReduce: typeReduce, priorityNormal: priorityNormal,
}

// word is text without allocating the frequent strings anew.
func (d *decoder) word(what string) (string, error) {
	raw, err := d.Raw(what)
	if raw == nil || err != nil {
		return "", err
	}
	if w, ok := words[string(raw[1:len(raw)-1])]; ok {
		return w, nil
	}
	return textpos.Unquote(raw), nil
}
