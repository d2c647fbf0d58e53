package textpos

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/model"
)

// Node is a JSON value with its position.
type Node struct {
	Kind    jsontext.Kind
	Pos     model.Position
	Offset  int64  // Pos in bytes
	Text    string // of a string, number or boolean
	Members []Member
	Items   []*Node
}

// Has says whether an object has a key.
func (n *Node) Has(name string) bool { return n.Get(name) != nil }

// Get is the value of a key; nil if the object does not have it.
func (n *Node) Get(name string) *Node {
	if i := slices.IndexFunc(n.Members, func(m Member) bool { return m.Name == name }); i >= 0 {
		return n.Members[i].Value
	}
	return nil
}

// Member is a key of an object with its value.
type Member struct {
	Name  string
	Pos   model.Position
	Value *Node
}

// ReadTree reads a small JSON document, plain or gzip, of at most this many bytes, to its end; name is the file's.
// Duplicate keys are findings. If the document cannot be read, that is a finding too, and the tree is nil.
func ReadTree(r io.Reader, name string, most int64, found *model.Findings) *Node {
	d := NewValues(r, name, "", found)
	d.In.Max(most)
	n, err := d.Node()
	if err == nil {
		err = d.End("")
	} else if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		return n
	}
	d.Fail(err)
	if _, more := errors.AsType[*Stop](err); more {
		return n
	}
	return nil
}

// maxNodes is how many values a tree may have.
const maxNodes = 1 << 20

// Node reads the next value, which is small, as a tree. Duplicate keys are findings.
func (d *Values) Node() (*Node, error) {
	n := &Node{Offset: d.PeekOffset()}
	n.Pos = d.In.Position(n.Offset)
	if d.nodes++; d.nodes > maxNodes {
		return nil, StopAt(n.Pos, fmt.Sprintf("there are more than %d values", maxNodes), "fewer")
	}
	token, err := d.Dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch n.Kind = token.Kind(); n.Kind {
	case jsontext.KindBeginObject:
		return n, d.members(n)
	case jsontext.KindBeginArray:
		for d.Dec.PeekKind() != jsontext.KindEndArray {
			item, err := d.Node()
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, item)
		}
		_, err = d.Dec.ReadToken()
		return n, err
	}
	n.Text = token.String()
	return n, nil
}

func (d *Values) members(n *Node) error {
	seen := map[string]bool{}
	for d.Dec.PeekKind() != jsontext.KindEndObject {
		m := Member{Pos: d.PeekPosition()}
		key, err := d.Dec.ReadToken()
		if err != nil {
			return err
		}
		m.Name = key.String()
		d.LastKey = m.Name
		if m.Value, err = d.Node(); err != nil {
			return err
		}
		if seen[m.Name] {
			d.findings.Add(Twice(m.Pos, "key", m.Name))
			continue
		}
		seen[m.Name] = true
		n.Members = append(n.Members, m)
	}
	_, err := d.Dec.ReadToken()
	return err
}
