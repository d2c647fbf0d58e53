package run

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/io/textpos"
	"mrsched/model"
)

const (
	// maxDocument is how many bytes a spec may have: it is held in memory.
	maxDocument = 4 << 20
	// maxToken is how many bytes one of its values may have.
	maxToken = 1 << 20
)

// node is a JSON value with its position.
type node struct {
	kind    jsontext.Kind
	pos     model.Position
	text    string // of a string, number or boolean
	members []member
	items   []*node
}

func (n *node) has(name string) bool {
	return slices.ContainsFunc(n.members, func(m member) bool { return m.name == name })
}

// member is a key of an object with its value.
type member struct {
	name  string
	pos   model.Position
	value *node
}

// typeNames are the JSON types as messages call them.
var typeNames = map[jsontext.Kind]string{
	'n': "null", 'f': "a boolean", 't': "a boolean", '"': "a string", '0': "a number", '{': "an object", '[': "an array",
}

// errTooLong is a document beyond maxDocument.
var errTooLong = errors.New("too long")

// tree reads a JSON document.
type tree struct {
	in    *textpos.Reader
	dec   *jsontext.Decoder
	found *model.Findings
}

// readTree reads one JSON document to its end. Duplicate keys are findings; if the document cannot be read, that is a
// finding too, and the tree is nil.
func readTree(r io.Reader, name string, found *model.Findings) *node {
	in := textpos.NewReader(r, name)
	t := &tree{in: in, dec: jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true)), found: found}
	in.Limit(maxToken, t.dec.InputOffset)
	n, err := t.value()
	if err == nil {
		err = t.end()
	}
	if err == nil {
		return n
	}
	f := model.Finding{Code: model.CodeTooLong, Pos: model.Position{File: name},
		What:     fmt.Sprintf("the document has more than %d bytes", maxDocument),
		Expected: "a shorter one", Hint: "use ranges and globs"}
	if !errors.Is(err, errTooLong) {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		f = in.Finding(err)
	}
	found.Add(f)
	return nil
}

func (t *tree) end() error {
	if t.dec.PeekKind() == jsontext.KindInvalid {
		if _, err := t.dec.ReadToken(); !errors.Is(err, io.EOF) {
			return err
		}
		return nil
	}
	t.found.Add(model.Finding{Code: model.CodeSyntax, Pos: t.in.Position(t.dec.InputOffset()),
		What: "something follows the document", Expected: "the end of the file"})
	return nil
}

func (t *tree) token() (jsontext.Token, model.Position, error) {
	if t.in.Offset() > maxDocument {
		return jsontext.Token{}, model.Position{}, errTooLong
	}
	if t.dec.PeekKind() == jsontext.KindInvalid {
		tok, err := t.dec.ReadToken()
		return tok, model.Position{}, err
	}
	// After PeekKind the buffer begins with the separator before the token.
	at := t.dec.InputOffset()
	for _, c := range t.dec.UnreadBuffer() {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != ':' && c != ',' {
			break
		}
		at++
	}
	tok, err := t.dec.ReadToken()
	return tok, t.in.Position(at), err
}

func (t *tree) value() (*node, error) {
	tok, pos, err := t.token()
	if err != nil {
		return nil, err
	}
	n := &node{kind: tok.Kind(), pos: pos}
	switch n.kind {
	case '{':
		return n, t.object(n)
	case '[':
		for t.dec.PeekKind() != ']' {
			item, err := t.value()
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
		_, err = t.dec.ReadToken()
		return n, err
	}
	n.text = tok.String()
	return n, nil
}

func (t *tree) object(n *node) error {
	seen := map[string]bool{}
	for t.dec.PeekKind() != '}' {
		key, pos, err := t.token()
		if err != nil {
			return err
		}
		name := key.String()
		value, err := t.value()
		if err != nil {
			return err
		}
		if seen[name] {
			t.found.Add(model.Finding{Code: model.CodeTwice, Pos: pos, What: fmt.Sprintf("key %q is given twice", name),
				Expected: "unique keys", Hint: "keep one of the two"})
			continue
		}
		seen[name] = true
		n.members = append(n.members, member{name, pos, value})
	}
	_, err := t.dec.ReadToken()
	return err
}
