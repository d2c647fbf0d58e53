package workload

import (
	"hash/maphash"
	"strings"
)

// internSlots is how many recent texts an interner remembers; a power of two.
const internSlots = 1 << 13

// maxInterned is the longest text worth remembering.
const maxInterned = 64

// interner keeps one copy of frequent texts (job ids, nodes, equal numbers). It forgets, so a text may be copied twice,
// but memory is bounded.
type interner struct {
	seed  maphash.Seed
	slots []string
	last  string // of text
}

func newInterner() *interner {
	return &interner{seed: maphash.MakeSeed(), slots: make([]string, internSlots)}
}

func (n *interner) bytes(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > maxInterned {
		return string(b)
	}
	slot := &n.slots[maphash.Bytes(n.seed, b)%internSlots]
	if *slot != string(b) {
		*slot = string(b)
	}
	return *slot
}

// text is a copy of s that shares no memory with it.
func (n *interner) text(s string) string {
	switch s {
	case "":
		return ""
	case n.last:
		return n.last
	}
	if len(s) > maxInterned {
		return strings.Clone(s)
	}
	slot := &n.slots[maphash.String(n.seed, s)%internSlots]
	if *slot != s {
		*slot = strings.Clone(s)
	}
	n.last = *slot
	return n.last
}
