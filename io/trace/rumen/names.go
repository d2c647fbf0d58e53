package rumen

import (
	"bytes"
	"strings"

	"mrsched/io/textpos"
)

// unescape takes the backslashes off a regular expression that stands for one name.
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

// hostTable keeps every host name once.
type hostTable struct {
	names    []string
	byName   map[string]hostIndex
	patterns map[string]hostIndex // by JSON string as it stands in the file, to save the unescaping
}

func newHostTable() *hostTable {
	return &hostTable{byName: map[string]hostIndex{}, patterns: map[string]hostIndex{}}
}

// host enters the host that a JSON string names: what follows its last slash.
func (h *hostTable) host(raw []byte) hostIndex {
	if raw == nil {
		return noHost
	}
	last := raw[bytes.LastIndexByte(raw, '/')+1:]
	if i, ok := h.patterns[string(last)]; ok {
		return i
	}
	pattern := textpos.Unquote(raw)
	i := h.enter(unescape(pattern[strings.LastIndexByte(pattern, '/')+1:]))
	h.patterns[string(last)] = i
	return i
}

func (h *hostTable) enter(name string) hostIndex {
	if name == "" {
		return noHost
	}
	i, ok := h.byName[name]
	if !ok {
		i = hostIndex(len(h.names))
		h.names = append(h.names, name)
		h.byName[name] = i
	}
	return i
}
