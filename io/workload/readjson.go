package workload

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/io/textpos"
	"mrsched/model"
)

// document reads one JSON document.
type document struct {
	*textpos.Values
	lane    *lane
	file    string
	strings *interner
	passing model.Copies // of texts that are not kept
	key     string       // the last key, for messages
}

// readDocument reads the scalars and the given tables of a document.
func readDocument(l *lane, r io.Reader, name string, tables []tableCodec) {
	d := &document{Values: textpos.NewValues(r, name, "", &l.findings), lane: l, file: name, strings: newInterner()}
	if err := d.top(tables); err != nil {
		l.lost = model.ReferredTables
		l.findings.Add(d.explain(err))
	}
}

// explain turns a decoder's error into a finding.
func (d *document) explain(err error) model.Finding {
	if s, ok := errors.AsType[*textpos.Stop](err); ok {
		return s.Finding
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	f := d.In.Finding(err)
	if f.Code == model.CodeSyntax {
		rest := strings.TrimLeft(string(d.unread()), " \t\r\n:,")
		for _, word := range []string{"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"} {
			if strings.HasPrefix(rest, word) {
				f.Code, f.What = model.CodeNumber, fmt.Sprintf("%s is %s, which JSON does not have", d.key, word)
				f.Expected, f.Hint = "a number", "leave the value out if it is unknown"
				return f
			}
		}
		switch first, _ := utf8.DecodeRuneInString(rest); {
		case first == '\'', first == '“', first == '”':
			f.Hint = `write straight double quotes: "`
		case first == '/', first == '#':
			f.Hint = "JSON has no comments: remove them"
		case first == ']', first == '}':
			f.Hint = "remove the comma before it"
		case f.Pos.Line == 1 && d.Dec.InputOffset() == 0:
			f.Hint = "CSV tables are read from a directory: pass the directory"
		}
	}
	return f
}

// unread is the beginning of the text on which the decoder failed; it may end within a word.
func (d *document) unread() []byte {
	more := make([]byte, len("-Infinity"))
	n, _ := io.ReadFull(d.In, more) // the decoder's error is the one that counts
	text := slices.Concat(d.Dec.UnreadBuffer(), more[:n])
	return text[:min(len(text), textpos.MaxQuoted)]
}

// top reads the outermost object.
func (d *document) top(tables []tableCodec) error {
	if k := d.Dec.PeekKind(); k != '{' && k != jsontext.KindInvalid {
		hint := ""
		if k == '[' {
			hint = fmt.Sprintf(`put the rows into an object with their tables: {"format":%q,"jobs":[…],"tasks":[…]}`, Format)
		}
		return &textpos.Stop{Finding: model.Finding{Code: model.CodeType, Pos: d.PeekPosition(),
			What: "the document is " + textpos.KindNames[k], Expected: textpos.KindNames['{'], Hint: hint}}
	}
	if _, err := d.Dec.ReadToken(); err != nil {
		return err
	}
	s := d.scalars()
	for {
		key, at, err := d.nextKey()
		if err != nil {
			return err
		}
		if at < 0 {
			break
		}
		d.In.Release(at)
		if err := d.member(s, tables, key, at); err != nil {
			return err
		}
	}
	s.finish()
	for _, t := range tables {
		if t.needed() && !s.seen[t.tableName()] {
			d.lane.lost = model.ReferredTables
			d.lane.findings.Add(model.Finding{Code: model.CodeMissing, Pos: s.start.in(d.file),
				What: t.tableName() + " is missing", Expected: "an array of rows", Hint: d.folderHint()})
		}
	}
	return d.End("all tables are in one object; rows are not lines of their own")
}

// member reads the value of one key of the document.
func (d *document) member(s *scalars, tables []tableCodec, key string, at int64) error {
	if s.seen[key] {
		d.lane.findings.Add(textpos.Twice(d.In.Position(at), "key", key))
		return d.Dec.SkipValue()
	}
	if key == schemaKey {
		s.seen[key] = true
		if k := d.Dec.PeekKind(); k != '"' && k != 'n' && k != jsontext.KindInvalid {
			d.report(model.CodeType, d.PeekOffset(), schemaKey+" is "+textpos.KindNames[k], textpos.KindNames['"'], "")
		}
		return d.Dec.SkipValue()
	}
	table := slices.IndexFunc(tables, func(t tableCodec) bool { return t.tableName() == key })
	scalar := find(s.columns, key)
	if table < 0 && scalar < 0 && key != notesKey {
		keys := append(columnNames(s.columns), notesKey)
		for _, t := range tables {
			keys = append(keys, t.tableName())
		}
		return d.skipUnknown(key, at, keys)
	}
	s.seen[key] = true
	switch {
	case scalar >= 0:
		return s.read(scalar)
	case table >= 0:
		return tables[table].readJSON(d)
	}
	return s.readNotes()
}

func (d *document) skipUnknown(key string, at int64, keys []string) error {
	d.lane.unknown(model.Finding{Pos: d.In.Position(at), What: fmt.Sprintf("unknown key %s", textpos.Quoted(key)),
		Expected: "one of " + strings.Join(keys, ", "), Hint: unknownHint(key, nil, keys)})
	return d.Dec.SkipValue()
}

func (d *document) report(code model.Code, at int64, what, expected, hint string) {
	d.lane.findings.Add(model.Finding{Code: code, Pos: d.In.Position(at), What: what, Expected: expected, Hint: hint})
}

// nextKey reads the next key of an object. At the object's end the key is "" and its offset -1.
func (d *document) nextKey() (key string, at int64, err error) {
	raw, err := d.Key()
	if raw == nil {
		return "", -1, err
	}
	return d.keyText(raw), d.startOf(raw), nil
}

func (d *document) keyText(raw jsontext.Value) string {
	key := d.strings.bytes(d.Unquote(raw))
	d.key = strings.Clone(key[:min(len(key), textpos.MaxQuoted)])
	return key
}

// startOf is where the value starts that was just read.
func (d *document) startOf(raw jsontext.Value) int64 { return d.Dec.InputOffset() - int64(len(raw)) }

// text is a value of a column, kept as long as needed.
func (d *document) text(c *column, value []byte) string {
	for _, word := range c.words {
		if string(value) == word {
			return word
		}
	}
	switch {
	case c.number || c.borrowed:
		return d.passing.OfBytes(value)
	case c.name == "id": // rarely occurs twice
		return d.strings.copies.OfBytes(value)
	}
	return d.strings.bytes(value)
}

// cell reads a column's value into its cell; at is its offset. A value of the wrong type is reported: ok is false.
func (d *document) cell(c *column, cell *string) (at int64, ok bool, err error) {
	k := d.Dec.PeekKind()
	right := k == '"' && (!c.number || c.texts != "") || k == '0' && c.number
	if !right && k != 'n' && k != jsontext.KindInvalid {
		want := jsontext.KindString
		if c.number {
			want = jsontext.KindNumber
		}
		return d.reportType(c.name, want, k), false, d.Dec.SkipValue()
	}
	raw, err := d.Dec.ReadValue()
	if err != nil {
		return 0, false, err
	}
	at = d.startOf(raw)
	switch {
	case k == 'n':
	case len(raw) > maxField+len(`""`):
		d.report(model.CodeTooLong, at, fmt.Sprintf("%s has %d bytes", c.name, len(raw)), fmt.Sprintf("at most %d", maxField),
			"")
		return at, false, nil
	case k == '"':
		text := d.text(c, d.Unquote(raw))
		if c.number && isNumeric(text) && !model.LooksLikeClock(text) { // the empty text, too
			d.report(model.CodeType, at, c.name+" is a string", textpos.KindNames['0'], "write it without quotes")
			return at, false, nil
		}
		*cell = text
	default:
		*cell = d.text(c, raw)
	}
	return at, true, nil
}

// reportType reports that the next value has the wrong type, and returns its offset.
func (d *document) reportType(what string, want, got jsontext.Kind) int64 {
	at := d.PeekOffset()
	hint := ""
	switch {
	case want == '0' && got == '"':
		hint = "write it without quotes"
	case want == '"' && got == '0':
		hint = "write it in quotes"
	}
	d.report(model.CodeType, at, what+" is "+textpos.KindNames[got], textpos.KindNames[want], hint)
	return at
}

func (t *table[R, M]) readJSON(d *document) error {
	if done, err := d.enter('[', string(t.name)); done || err != nil {
		return err
	}
	o := objectOf(d, t.columns)
	rows := t.loader(d.lane, d.file, nil, o.at)
	o.cells, rows.bad = rows.cells, o.bad
	defer rows.flush()
	for {
		switch k := d.Dec.PeekKind(); k {
		case '{':
			rows.texts = *new(R)
			d.In.Release(d.Dec.InputOffset())
			if err := o.read(); err != nil {
				return err
			}
			rows.take(o.placeOf(o.start))
		case ']', jsontext.KindInvalid:
			_, err := d.Dec.ReadToken()
			return err
		default:
			d.reportType("a row of "+string(t.name), '{', k)
			t.lose(d.lane)
			if err := d.Dec.SkipValue(); err != nil {
				return err
			}
		}
	}
}

// enter reads the opening bracket of a value. It skips null, and reports and skips other types: then done is true.
func (d *document) enter(want jsontext.Kind, what string) (done bool, err error) {
	switch k := d.Dec.PeekKind(); k {
	case want, jsontext.KindInvalid:
		_, err := d.Dec.ReadToken()
		return false, err
	case 'n':
		return true, d.Dec.SkipValue()
	default:
		d.lane.lost = model.ReferredTables
		d.reportType(what, want, k)
		return true, d.Dec.SkipValue()
	}
}

// object reads the objects of one table, or of a scalar.
type object struct {
	*document
	columns []column
	cells   []*string
	offsets []int64 // of the last row's values; 0 if absent
	bad     []bool  // whose values were reported
	start   int64   // of the last row

	nested func(column int) (ok bool, err error) // reads the value of a nested column
}

// at is the position of a column of the last row, or of the row if the column is absent.
func (o *object) at(column int) place {
	if at := o.offsets[column]; at > 0 {
		return o.placeOf(at)
	}
	return o.placeOf(o.start)
}

func (o *object) placeOf(offset int64) place { return placeOf(o.In.Position(offset)) }

func (o *object) read() error {
	if _, err := o.Dec.ReadToken(); err != nil {
		return err
	}
	o.start = o.Dec.InputOffset() - 1
	clear(o.offsets)
	clear(o.bad)
	next := 0 // columns mostly come in the same order
	for {
		raw, err := o.Key()
		if raw == nil {
			return err
		}
		i, key := o.column(raw, next)
		switch at := o.startOf(raw); {
		case i < 0:
			err = o.skipUnknown(key, at, columnNames(o.columns))
		case o.offsets[i] > 0:
			o.lane.findings.Add(textpos.Twice(o.In.Position(at), "key", key))
			err = o.Dec.SkipValue()
		default:
			next = i + 1
			var ok bool
			if o.columns[i].nested {
				o.offsets[i] = o.PeekOffset()
				ok, err = o.nested(i)
			} else {
				o.offsets[i], ok, err = o.cell(&o.columns[i], o.cells[i])
			}
			o.bad[i] = !ok
		}
		if err != nil {
			return err
		}
	}
}

// column is the index of the column that a key names, most likely the next one or one after it; -1: there is none.
func (o *object) column(raw jsontext.Value, next int) (i int, key string) {
	text := raw[1 : len(raw)-1]
	for i := next; i < len(o.columns); i++ {
		if o.columns[i].name == string(text) {
			o.key = o.columns[i].name
			return i, o.key
		}
	}
	key = o.keyText(raw)
	return find(o.columns, key), key
}
