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
	intake  *intake
	file    string
	strings *interner
	passing model.Copies // of texts that are not kept
}

// readDocument reads the scalars and the given tables of a document.
func readDocument(l *intake, r io.Reader, name string, tables []tableCodec) {
	d := &document{Values: textpos.NewValues(r, name, "", &l.findings), intake: l, file: name, strings: newInterner()}
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
				f.Code, f.What = model.CodeNumber, fmt.Sprintf("%s is %s, which JSON does not have", d.LastKey, word)
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
			d.intake.lost = model.ReferredTables
			d.intake.findings.Add(model.Finding{Code: model.CodeMissing, Pos: s.start.in(d.file),
				What: t.tableName() + " is missing", Expected: "an array of rows", Hint: d.folderHint()})
		}
	}
	return d.End("all tables are in one object; rows are not lines of their own")
}

// member reads the value of one key of the document.
func (d *document) member(s *scalars, tables []tableCodec, key string, at int64) error {
	if s.seen[key] {
		d.intake.findings.Add(textpos.Twice(d.In.Position(at), "key", key))
		return d.Skip()
	}
	if key == schemaKey {
		s.seen[key] = true
		if k := d.Dec.PeekKind(); k != '"' && k != 'n' && k != jsontext.KindInvalid {
			d.report(model.CodeType, d.PeekOffset(), schemaKey+" is "+textpos.KindNames[k], textpos.KindNames['"'], "")
		}
		return d.Skip()
	}
	table := slices.IndexFunc(tables, func(t tableCodec) bool { return t.tableName() == key })
	scalar := find(s.columns, key)
	if table < 0 && scalar < 0 && key != notesKey {
		keys := append(columnNames(s.columns), notesKey)
		for _, t := range tables {
			keys = append(keys, t.tableName())
		}
		d.unknownKey(key, d.In.Position(at), keys)
		return d.Skip()
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

func (d *document) unknownKey(key string, at model.Position, keys []string) {
	d.intake.unknown(model.Finding{Pos: at, What: fmt.Sprintf("unknown key %s", textpos.Quoted(key)),
		Expected: "one of " + strings.Join(keys, ", "), Hint: unknownHint(key, keys)})
}

func (d *document) report(code model.Code, at int64, what, expected, hint string) {
	d.intake.findings.Add(model.Finding{Code: code, Pos: d.In.Position(at), What: what, Expected: expected, Hint: hint})
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
	d.LastKey = strings.Clone(key[:min(len(key), textpos.MaxQuoted)])
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
	if !d.fits(c, k) {
		return d.PeekOffset(), false, d.Skip()
	}
	raw, err := d.Dec.ReadValue()
	if err != nil {
		return 0, false, err
	}
	at = d.startOf(raw)
	if k == 'n' {
		return at, true, nil
	}
	text := []byte(raw)
	if k == '"' {
		text = d.Unquote(raw)
	}
	ok = d.accept(c, k, text, len(raw), at)
	if ok {
		*cell = d.text(c, text)
	}
	return at, ok, nil
}

// fits reports a value that is none of a column, by its kind; the value comes next.
func (d *document) fits(c *column, k jsontext.Kind) bool {
	if c.takes(k) || k == jsontext.KindInvalid {
		return true
	}
	d.reportType(c.name, c.jsonKind(), k, d.PeekOffset())
	return false
}

// takes says whether values of a column may have a kind.
func (c *column) takes(k jsontext.Kind) bool {
	return k == 'n' || k == '"' && (!c.number || c.texts != "") || k == '0' && c.number
}

// jsonKind is the usual kind of a column's values.
func (c *column) jsonKind() jsontext.Kind {
	if c.number {
		return jsontext.KindNumber
	}
	return jsontext.KindString
}

// accept reports texts that are too long, of so many bytes with their quotes, and numbers in quotes.
func (d *document) accept(c *column, k jsontext.Kind, text []byte, size int, at int64) bool {
	switch {
	case size > maxField+len(`""`):
		d.report(model.CodeTooLong, at, fmt.Sprintf("%s has %d bytes", c.name, size), fmt.Sprintf("at most %d", maxField), "")
	case k == '"' && c.number && isNumeric(string(text)) && !model.LooksLikeClock(string(text)): // the empty text, too
		d.report(model.CodeType, at, c.name+" is a string", textpos.KindNames['0'], "write it without quotes")
	default:
		return true
	}
	return false
}

// reportType reports a value of the wrong type.
func (d *document) reportType(what string, want, got jsontext.Kind, at int64) {
	hint := ""
	switch {
	case want == '0' && got == '"':
		hint = "write it without quotes"
	case want == '"' && got == '0':
		hint = "write it in quotes"
	}
	d.report(model.CodeType, at, what+" is "+textpos.KindNames[got], textpos.KindNames[want], hint)
}

func (t *table[R, M]) readJSON(d *document) error {
	n := len(t.columns)
	o := &object{document: d, columns: t.columns, offsets: make([]int64, n), bad: make([]bool, n)}
	rows := t.loader(d.intake, d.file, nil, o.at)
	o.cells, rows.bad = rows.cells, o.bad
	return d.list(string(t.name), func() error {
		if k := d.Dec.PeekKind(); k != '{' {
			d.reportType("a row of "+string(t.name), '{', k, d.PeekOffset())
			t.lose(d.intake)
			return d.Skip()
		}
		rows.texts = *new(R)
		d.In.Release(d.Dec.InputOffset())
		if err := o.read(); err != nil {
			return err
		}
		rows.take(o.placeOf(o.start))
		return nil
	})
}

// list reads an array, and calls each before every element. Another value is reported and skipped; null is an empty
// array.
func (d *document) list(what string, each func() error) error {
	if k := d.Dec.PeekKind(); k != '[' && k != 'n' && k != jsontext.KindInvalid {
		d.intake.lost = model.ReferredTables
		d.reportType(what, '[', k, d.PeekOffset())
		return d.Skip()
	}
	return d.Array(what, each)
}

// object reads the objects of one table.
type object struct {
	*document
	columns []column
	cells   []*string
	offsets []int64 // of the last row's values; 0 if absent
	bad     []bool  // whose values were reported
	start   int64   // of the last row
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
			o.unknownKey(key, o.In.Position(at), columnNames(o.columns))
			err = o.Skip()
		case o.offsets[i] > 0:
			o.intake.findings.Add(textpos.Twice(o.In.Position(at), "key", key))
			err = o.Skip()
		default:
			next = i + 1
			var ok bool
			o.offsets[i], ok, err = o.cell(&o.columns[i], o.cells[i])
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
			o.LastKey = o.columns[i].name
			return i, o.LastKey
		}
	}
	key = o.keyText(raw)
	return find(o.columns, key), key
}
