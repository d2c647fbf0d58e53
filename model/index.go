package model

import (
	"hash/maphash"
	"strings"
)

// index finds the row of an id in a table that holds the ids. It is a hash table with open addressing: eight bytes per
// slot, at least a quarter of them free, so that millions of ids cost little memory and one cache miss each.
type index struct {
	seed  maphash.Seed
	slots []slot // a power of two
	used  int
}

// slot is free if its row is 0, else it holds a row, counted from 1. Ids are compared only where hashes are equal.
type slot struct {
	hash uint32
	row  int32
}

const minSlots = 8

func newIndex() index { return index{seed: maphash.MakeSeed(), slots: make([]slot, minSlots)} }

// find is the row of an id, or None, and the id's hash for add; idOf returns the id of a row that was added.
func (x *index) find(id string, idOf func(row int32) string) (row int32, hash uint32) {
	hash = uint32(maphash.String(x.seed, id))
	mask := uint32(len(x.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := x.slots[i]
		switch {
		case s.row == 0:
			return None, hash
		case s.hash == hash && idOf(s.row-1) == id:
			return s.row - 1, hash
		}
	}
}

// add enters a row whose id was not found.
func (x *index) add(row int32, hash uint32) {
	x.used++
	x.reserve(x.used)
	x.put(slot{hash, row + 1})
}

func (x *index) put(s slot) {
	mask := uint32(len(x.slots) - 1)
	i := s.hash & mask
	for x.slots[i].row != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = s
}

func (x *index) reserve(rows int) {
	n := len(x.slots)
	for rows > n/4*3 {
		n *= 2
	}
	if n == len(x.slots) {
		return
	}
	old := x.slots
	x.slots = make([]slot, n)
	for _, s := range old {
		if s.row != 0 {
			x.put(s)
		}
	}
}

// numbering numbers ids in order of appearance. It keeps copies, because an id may be part of a longer text.
type numbering struct {
	index
	ids    []string
	copies Copies
	last   int32 // given out
}

func newNumbering() numbering { return numbering{index: newIndex()} }

func (n *numbering) id(number int32) string { return n.ids[number] }

// has says whether an id has a number.
func (n *numbering) has(id string) bool {
	k, _ := n.find(id, n.id)
	return k != None
}

// number is the number of an id, which may be new. Equal ids mostly come together, and tables often name the same ids
// in the same order.
func (n *numbering) number(id string) int32 {
	for k := n.last; int(k) < len(n.ids) && k <= n.last+1; k++ {
		if n.ids[k] == id {
			n.last = k
			return k
		}
	}
	k, hash := n.find(id, n.id)
	if k == None {
		k = int32(len(n.ids))
		n.add(k, hash)
		n.ids = append(n.ids, n.copies.Of(id))
	}
	n.last = k
	return k
}

// Copies makes copies of texts that are kept together, such as the ids of one table: many share a piece of memory, so
// that the garbage collector has little to visit.
type Copies struct{ piece strings.Builder }

// pieceBytes is the size of a piece; longer texts get memory of their own.
const pieceBytes = 4 << 10

// Of is a copy of a text.
func (c *Copies) Of(text string) string {
	start, fits := c.room(len(text))
	if !fits {
		return strings.Clone(text)
	}
	c.piece.WriteString(text)
	return c.piece.String()[start:]
}

// OfBytes is a copy of a text.
func (c *Copies) OfBytes(text []byte) string {
	start, fits := c.room(len(text))
	if !fits {
		return string(text)
	}
	c.piece.Write(text)
	return c.piece.String()[start:]
}

// room is the start of enough room in the current piece, or in a new one; fits is false if the bytes exceed a piece.
func (c *Copies) room(bytes int) (start int, fits bool) {
	if bytes > pieceBytes/8 {
		return 0, false
	}
	if c.piece.Len()+bytes > c.piece.Cap() {
		c.piece = strings.Builder{}
		c.piece.Grow(pieceBytes)
	}
	return c.piece.Len(), true
}
