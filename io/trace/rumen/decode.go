package rumen

import (
	"io"
	"math"
	"strconv"
	"strings"

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

// tooLarge stands for a number that does not fit. Like all negative numbers, it counts as unknown.
const tooLarge = math.MinInt64

// decoder reads the values of a trace or topology.
type decoder struct {
	*textpos.Values
	impossible int // numbers so far that are negative, though not -1, or too large
}

func newDecoder(r io.Reader, name string, findings *model.Findings) *decoder {
	return &decoder{Values: textpos.NewValues(r, name, "a Rumen file", findings)}
}

// number reads a whole number; null and negative numbers are unknown. One that is too large is unknown, too.
func (d *decoder) number(what string) (int64, error) {
	kind := d.Dec.PeekKind()
	if kind != jsontext.KindNumber && kind != jsontext.KindNull {
		return unknown, d.Wrong(what, "a number")
	}
	v, err := d.Dec.ReadValue()
	if err != nil || kind == jsontext.KindNull {
		return unknown, err
	}
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil {
		n, err = model.ParseFixed(string(v), 0)
	}
	if err != nil || n < unknown {
		d.impossible++
	}
	if err != nil {
		return tooLarge, nil
	}
	return n, nil
}

// millis reads a point in time.
func (d *decoder) millis(what string) (int64, error) {
	n, err := d.number(what)
	if n > maxMillis {
		d.impossible++
		return tooLarge, err
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

// unescape removes the backslashes from a regular expression that matches a single name.
func unescape(pattern string) string {
	if strings.IndexByte(pattern, '\\') < 0 {
		return pattern
	}
	name := make([]byte, 0, len(pattern))
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
		}
		name = append(name, pattern[i])
	}
	return string(name)
}

// hostIndex is a host's place in hostTable.names.
type hostIndex int32

// noHost is an unknown or empty host name.
const noHost hostIndex = -1

// hostTable keeps every host once.
type hostTable struct {
	names  []string
	racks  []string // by host: the rack that a path first named it in, empty if none did
	known  []bool   // by host: it holds a replica or ran a successful attempt
	byName map[string]hostIndex
	paths  map[string]hostIndex // by JSON string as in the file, to save the unescaping
	moved  map[hostIndex]bool   // hosts that paths name in several racks
}

func newHostTable() *hostTable {
	return &hostTable{byName: map[string]hostIndex{}, paths: map[string]hostIndex{}, moved: map[hostIndex]bool{}}
}

// host enters the host of a path, a JSON string such as "/rack/host": what follows the last slash.
func (h *hostTable) host(path []byte) hostIndex {
	if path == nil {
		return noHost
	}
	if i, ok := h.paths[string(path)]; ok {
		return i
	}
	layers := strings.Split(textpos.Unquote(path), "/")
	last := len(layers) - 1
	i := h.enter(unescape(layers[last]))
	h.paths[string(path)] = i
	if rack := rackName(layers[:last]); i != noHost && rack != "" {
		switch h.racks[i] {
		case "":
			h.racks[i] = rack
		case rack:
		default:
			h.moved[i] = true
		}
	}
	return i
}

// rackName joins the layers above a host: "rack", or "dc/rack".
func rackName(layers []string) string {
	var names []string
	for _, pattern := range layers {
		if pattern != "" {
			names = append(names, unescape(pattern))
		}
	}
	return strings.Join(names, "/")
}

// confirm says that a host, if it is one, belongs to the cluster.
func (h *hostTable) confirm(i hostIndex) {
	if i != noHost {
		h.known[i] = true
	}
}

func (h *hostTable) enter(name string) hostIndex {
	if name == "" {
		return noHost
	}
	i, ok := h.byName[name]
	if !ok {
		i = hostIndex(len(h.names))
		h.names, h.racks, h.known = append(h.names, name), append(h.racks, ""), append(h.known, false)
		h.byName[name] = i
	}
	return i
}
