package rumen

import (
	"strings"

	"mrsched/io/textpos"
)

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
func (h *hostTable) host(path string) hostIndex {
	if path == "" {
		return noHost
	}
	if i, ok := h.paths[path]; ok {
		return i
	}
	layers := strings.Split(textpos.Unquote([]byte(path)), "/")
	last := len(layers) - 1
	i := h.enter(unescape(layers[last]))
	h.paths[path] = i
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
