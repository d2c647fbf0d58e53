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
	ids  []string
	last int32 // given out; equal ids mostly come together
}

func newNumbering() numbering { return numbering{index: newIndex()} }

func (n *numbering) id(number int32) string { return n.ids[number] }

// has says whether an id has a number.
func (n *numbering) has(id string) bool {
	k, _ := n.find(id, n.id)
	return k != None
}

func (n *numbering) number(id string) int32 {
	if len(n.ids) > 0 && n.ids[n.last] == id {
		return n.last
	}
	k, hash := n.find(id, n.id)
	if k == None {
		k = int32(len(n.ids))
		n.add(k, hash)
		n.ids = append(n.ids, strings.Clone(id))
	}
	n.last = k
	return k
}
