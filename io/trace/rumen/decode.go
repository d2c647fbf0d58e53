package rumen

import (
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/io/textpos"
	"mrsched/model"
)

// Limits against hostile input. No real trace comes near them.
const (
	maxID    = 64 << 10 // bytes of a rack's name, including the names above it
	maxTasks = 1 << 24
	maxHosts = 1 << 22
	// maxReplicas is the most preferred locations that are kept of a map.
	maxReplicas = 1 << 10

	maxMillis = int64(model.MaxTime / millisecond)
)

const millisecond = model.Second / 1000

// unknown stands for a number that the trace does not know. Rumen writes it so.
const unknown = -1

// decoder reads the values of a trace or topology.
type decoder struct{ *textpos.Values }

func newDecoder(r io.Reader, name string, findings *model.Findings) *decoder {
	return &decoder{textpos.NewValues(r, name, "a Rumen file", findings)}
}

// number reads a whole number; null and negative numbers are unknown.
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

// words are strings that occur very often.
var words = map[string]string{
	success: success, succeeded: succeeded, failed: failed, killed: killed,
	typeMap: typeMap, typeReduce: typeReduce, priorityNormal: priorityNormal,
}

// word reads a string without allocating memory for the frequent ones.
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
