package campaign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// node is a JSON value that keeps the order of keys and the text of every leaf.
type node struct {
	kind byte   // '{', '[', or 0 of a leaf
	text string // of a leaf, as it stands in the document
	keys []string
	kids []*node
}

func parse(text []byte) *node {
	if !json.Valid(text) {
		return nil
	}
	text = bytes.TrimSpace(text)
	if text[0] != '{' && text[0] != '[' {
		return &node{text: string(text)}
	}
	n := &node{kind: text[0]}
	d := json.NewDecoder(bytes.NewReader(text))
	_, _ = d.Token() // the text is valid: there are no errors
	for d.More() {
		if n.kind == '{' {
			key, _ := d.Token()
			n.keys = append(n.keys, fmt.Sprintf("%q", key))
		}
		var kid json.RawMessage
		_ = d.Decode(&kid)
		n.kids = append(n.kids, parse(kid))
	}
	return n
}

// compact is the value without white space.
func (n *node) compact() []byte {
	var b bytes.Buffer
	n.write(&b)
	return b.Bytes()
}

func (n *node) write(b *bytes.Buffer) {
	if n.kind == 0 {
		b.WriteString(n.text)
		return
	}
	b.WriteByte(n.kind)
	for k, x := range n.kids {
		if k > 0 {
			b.WriteByte(',')
		}
		if n.kind == '{' {
			b.WriteString(n.keys[k])
			b.WriteByte(':')
		}
		x.write(b)
	}
	b.WriteByte(n.kind + 2)
}

// indented is the value as result.json is written.
func (n *node) indented() []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, n.compact(), "", "  "); err != nil {
		return append(n.compact(), '\n') // no JSON any more
	}
	return append(b.Bytes(), '\n')
}

// get is the member of an object; nil if there is none.
func (n *node) get(path ...string) *node {
	for _, key := range path {
		if n == nil || n.kind != '{' {
			return nil
		}
		k := slices.Index(n.keys, fmt.Sprintf("%q", key))
		if k < 0 {
			return nil
		}
		n = n.kids[k]
	}
	return n
}

// set replaces or adds a member of an object.
func (n *node) set(key, text string) {
	if x := n.get(key); x != nil {
		*x = node{text: text}
		return
	}
	n.keys, n.kids = append(n.keys, fmt.Sprintf("%q", key)), append(n.kids, &node{text: text})
}

// clone is a deep copy.
func (n *node) clone() *node {
	c := &node{kind: n.kind, text: n.text, keys: slices.Clone(n.keys)}
	for _, x := range n.kids {
		c.kids = append(c.kids, x.clone())
	}
	return c
}

// leaves are all leaves, with their paths.
func (n *node) leaves(path string, each func(path string, leaf *node)) {
	if n.kind == 0 {
		each(path, n)
	}
	for k, x := range n.kids {
		if n.kind == '{' {
			x.leaves(path+"."+strings.Trim(n.keys[k], `"`), each)
		} else {
			x.leaves(fmt.Sprintf("%s[%d]", path, k), each)
		}
	}
}

// isNumber says whether a leaf is a number.
func (n *node) isNumber() bool {
	return n.kind == 0 && n.text != "" && (n.text[0] == '-' || n.text[0] >= '0' && n.text[0] <= '9')
}

// descend picks a value below n (or n itself) by a random walk, with its parent and index there.
func (n *node) descend(r *rand.Rand) (parent *node, k int, at *node) {
	at = n
	for at.kind != 0 && len(at.kids) > 0 && (parent == nil || r.IntN(5) > 0) {
		parent, k = at, r.IntN(len(at.kids))
		at = at.kids[k]
	}
	return parent, k, at
}
