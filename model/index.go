package model

import "strings"

// rowsByID are the rows of a table by their ids; of a repeated id, the first one.
type rowsByID map[string]int32

// find is the row of an id, or None.
func (x rowsByID) find(id string) int32 {
	if row, ok := x[id]; ok {
		return row
	}
	return None
}

// numbering numbers ids in order of appearance. It keeps copies, because an id may be part of a longer text.
type numbering struct {
	of     map[string]int32
	ids    []string
	copies Copies
	last   int32 // given out
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
	k, known := n.of[id]
	if !known {
		k = int32(len(n.ids))
		n.ids = append(n.ids, n.copies.Of(id))
		n.of[n.ids[k]] = k
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
