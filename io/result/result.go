package result

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"mrsched/io/disk"
	"mrsched/io/show"
	"mrsched/model"
)

// The files of a result directory.
const (
	ResultFile      = model.ResultFile
	ScheduleFile    = "schedule.csv"
	CertificateFile = "certificate.json"
)

// Bundle is a complete result.
type Bundle struct {
	Result *model.Result
	Rows   Rows // nil: there is no schedule
	// Certificate is the text of certificate.json; nil if there is none, or if it is not rendered yet: see Seal.
	Certificate json.RawMessage

	tables func() []model.ResultTable // the problem's own; nil: none
	// the digest of Rows as schedule.csv, for a result that was read; empty if there are none
	schedule    string
	certificate any  // the value that Certificate is to be rendered from
	unsealed    bool // the digests are missing
}

// New completes a result with its schedule and certificate (any value that encoding/json can write; nil: none). They
// are rendered, and the digests filled in, only on demand, so a result that is never written costs nothing.
func New(r *model.Result, view model.View, s *model.Schedule, certificate any) *Bundle {
	b := &Bundle{Result: r, certificate: certificate, unsealed: true}
	r.Format = model.ResultFormat
	if s != nil {
		origin, _ := model.ParseOrigin(r.Instance.Origin) // unknown if it states none
		b.Rows, b.tables = rendered(view, s, origin), tablesOf(view, s)
	}
	return b
}

// Seal fills in the digests of a new result: of its schedule, tables and certificate, and of the document itself.
// Everything that writes a result calls it.
func (b *Bundle) Seal() error {
	if !b.unsealed {
		return nil
	}
	schedule := ""
	if b.Rows != nil {
		schedule = rowsDigest(b.Rows)
	}
	tables, err := b.tableDigests()
	if err != nil {
		return err
	}
	return b.seal(schedule, tables)
}

// seal is Seal for a schedule.csv and tables whose digests are known.
func (b *Bundle) seal(schedule string, tables map[string]string) error {
	r := b.Result
	r.SHA256.Schedule, r.SHA256.Tables = schedule, tables
	if b.certificate != nil {
		text, err := json.Marshal(b.certificate)
		if err != nil {
			return err
		}
		b.Certificate = append(text, '\n')
		sum := sha256.Sum256(b.Certificate)
		r.SHA256.Certificate = hex.EncodeToString(sum[:])
	}
	digest, err := Digest(r)
	r.Digest = digest
	b.unsealed = err != nil
	return err
}

// Digest is the SHA-256 of result.json without its digest.
func Digest(r *model.Result) (string, error) {
	bare := *r
	bare.Digest = ""
	h := sha256.New()
	err := show.WriteJSON(h, &bare)
	return hex.EncodeToString(h.Sum(nil)), err
}

func (b *Bundle) writeDocument(w io.Writer) error { return show.WriteJSON(w, b.Result) }

// WriteDir writes the result as a directory, whole or not at all; see disk.WriteDir. It replaces only results: see
// Replaceable.
func (b *Bundle) WriteDir(path string, replace bool) error {
	if replace {
		if err := Replaceable(path); err != nil {
			return err
		}
	}
	return disk.WriteDir(path, replace, b.fill)
}

// Replaceable is nil if path is free, or a directory with only a result's files. Anything else would be lost.
func Replaceable(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a result directory and is not replaced", path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	own := append(statedTables(path), ResultFile, ScheduleFile, CertificateFile)
	for _, e := range entries {
		if !e.Type().IsRegular() || !slices.Contains(own, e.Name()) {
			what := "no part of a result"
			if _, err := os.Stat(filepath.Join(path, e.Name(), ResultFile)); err == nil {
				what = "a result of its own"
			}
			return fmt.Errorf("%s holds %q, which is %s, and is not replaced; name a directory that is not there yet", path,
				e.Name(), what)
		}
	}
	return nil
}

// fill writes the files: schedule and tables first, because result.json states their digests.
func (b *Bundle) fill(d disk.Dir) error {
	hashed := func(name string, write func(w io.Writer) error) (string, error) {
		h := sha256.New()
		err := d.File(name, func(w io.Writer) error { return write(io.MultiWriter(w, h)) })
		return hex.EncodeToString(h.Sum(nil)), err
	}
	schedule, tables := "", map[string]string{}
	var err error
	if b.Rows != nil {
		if schedule, err = hashed(ScheduleFile, func(w io.Writer) error { return writeRows(w, b.Rows) }); err != nil {
			return err
		}
	}
	for _, t := range b.listed() {
		name := t.Name + tableEnding
		if tables[name], err = hashed(name, func(w io.Writer) error { return writeTable(w, t) }); err != nil {
			return err
		}
	}
	if b.unsealed {
		if len(tables) == 0 {
			tables = nil
		}
		if err := b.seal(schedule, tables); err != nil {
			return err
		}
	}
	if err := d.File(ResultFile, b.writeDocument); err != nil {
		return err
	}
	if b.Certificate == nil {
		return nil
	}
	return d.File(CertificateFile, func(w io.Writer) error {
		_, err := w.Write(b.Certificate)
		return err
	})
}

// single is a result as one JSON document: result.json's keys, then schedule, tables and certificate. readSingle reads
// it; WriteLine writes the same keys in the same order.
type single struct {
	*model.Result
	Schedule    []Row           `json:"schedule,omitempty"`
	Tables      []table         `json:"tables,omitempty"`
	Certificate json.RawMessage `json:"certificate,omitempty"`
}

// WriteLine writes the whole result as one line of JSON.
func (b *Bundle) WriteLine(w io.Writer) error {
	if err := b.Seal(); err != nil {
		return err
	}
	l := newLine(w)
	l.value(b.Result, "", "}\n") // its closing brace comes last
	between := `,"schedule":[`
	for some := range b.Rows.All() {
		l.text(between)
		l.value(some, "[", "]\n")
		between = ","
	}
	if between == "," {
		l.text("]")
	}
	between = `,"tables":[`
	for _, t := range b.listed() {
		l.text(between)
		l.value(table{t.Name, t.Columns, [][]string{}}, "", "]}\n")
		writeItems(l, func(yield func([]string) bool) {
			t.Rows(func(row []string) bool { return yield(slices.Clone(row)) })
		})
		l.text("]}")
		between = ","
	}
	if between == "," {
		l.text("]")
	}
	if text := bytes.TrimSpace(b.Certificate); len(text) > 0 {
		l.text(`,"certificate":`)
		l.value(json.RawMessage(text), "", "\n")
	}
	l.text("}\n")
	return l.err
}

// malformed is the violation for a file that cannot be read as what it should be.
func malformed(name string, err error) model.Violation {
	if p, ok := errors.AsType[*located](err); ok {
		name = fmt.Sprintf("%s:%d:%d", name, p.at.Line, p.at.Column)
	}
	return model.Violation{Code: model.CodeResultMalformed, What: fmt.Sprintf("%s: %s", name, brief(err.Error()))}
}

// line writes a JSON document in pieces, exactly as encoding/json would write it as a whole. It keeps its first error.
type line struct {
	to     io.Writer
	buffer bytes.Buffer // of one value
	encode *json.Encoder
	err    error
}

func newLine(w io.Writer) *line {
	l := &line{to: w}
	l.encode = json.NewEncoder(&l.buffer)
	l.encode.SetEscapeHTML(false)
	return l
}

// value writes a value without the given beginning and end of its text.
func (l *line) value(v any, begin, end string) {
	if l.err != nil {
		return
	}
	l.buffer.Reset()
	if l.err = l.encode.Encode(v); l.err != nil {
		return
	}
	text := bytes.TrimPrefix(l.buffer.Bytes(), []byte(begin))
	_, l.err = l.to.Write(bytes.TrimSuffix(text, []byte(end)))
}

func (l *line) text(text string) {
	if l.err == nil {
		_, l.err = io.WriteString(l.to, text)
	}
}

//go:embed schema.json
var schema []byte

// Schema is the JSON Schema (2020-12) of result.json and of a result as one document.
func Schema() []byte { return schema }

// writeItems writes the items of a list without its brackets, some at a time.
func writeItems[T any](l *line, list iter.Seq[T]) {
	some, separator := make([]T, 0, chunk), ""
	flush := func() {
		if len(some) > 0 {
			l.text(separator)
			l.value(some, "[", "]\n")
			some, separator = some[:0], ","
		}
	}
	for x := range list {
		if some = append(some, x); len(some) == chunk {
			flush()
		}
	}
	flush()
}
