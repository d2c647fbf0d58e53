package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mrsched/io/textpos"
	"mrsched/model"
)

// Read reads a result: a directory, or a file that holds one JSON document. Unreadable contents are violations; an
// error means that the files cannot be opened.
func Read(path string) (*Bundle, []model.Violation, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, unreadable(path, err)
	}
	if !info.IsDir() {
		text, damage, err := DocumentAt(path)
		switch {
		case err != nil:
			return nil, nil, unreadable(path, err)
		case damage != nil:
			return nil, []model.Violation{malformed(path, damage)}, nil
		}
		return readSingle(path, text)
	}
	root, err := os.OpenRoot(path) // follows no link out of the directory
	if err != nil {
		return nil, nil, unreadable(path, err)
	}
	defer root.Close() // it was only read
	return readIn(root, path)
}

// DocumentAt is the text of a file, which may be gzip; damage is the error of unpacking it.
func DocumentAt(path string) (text []byte, damage, err error) {
	text, err = textpos.ReadFile(path)
	if err != nil || !bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		return text, nil, err
	}
	text, damage = textpos.Unpacked(bytes.NewReader(text))
	if large := new(textpos.TooLargeError); errors.As(damage, &large) {
		return nil, nil, damage
	}
	return text, damage, nil
}

// unreadable is the finding about a result that cannot be opened.
func unreadable(path string, err error) error {
	return unopened(path, err, "cannot read the result: %v", "a result directory, or the JSON document of one result")
}

// unopened is F110 for a file that is too large, else F101 with what was expected.
func unopened(path string, err error, what, expected string) error {
	if large := new(textpos.TooLargeError); errors.As(err, &large) {
		return model.NewInputError(large.Finding(model.Position{File: path}))
	}
	if p := new(os.PathError); errors.As(err, &p) {
		err = p.Err
	}
	return model.NewInputError(model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: path},
		What: fmt.Sprintf(what, err), Expected: expected})
}

func readSingle(path string, text []byte) (*Bundle, []model.Violation, error) {
	s := single{Result: &model.Result{}}
	if err := strict(text, &s); err != nil {
		return nil, []model.Violation{malformed(path, err)}, nil
	}
	if s.Schedule == nil && s.Result.SHA256.Schedule != "" {
		s.Schedule = []Row{} // not nil: a nil list would be left out
	}
	b := &Bundle{Result: s.Result, Rows: RowsOf(s.Schedule)}
	if b.Rows != nil {
		b.schedule = rowsDigest(b.Rows)
	}
	if s.Certificate != nil {
		b.Certificate = append(bytes.TrimSpace(s.Certificate), '\n')
	}
	found := formatOf(b.Result)
	var err error
	if b.tables, err = tablesRead(s.Tables); err != nil {
		return nil, []model.Violation{malformed(path, err)}, nil
	}
	if err := canonical(text, b.WriteLine); err != nil {
		found.malformed(path, err)
	}
	if s.Schedule != nil && len(s.Schedule) == 0 && b.schedule != b.Result.SHA256.Schedule {
		b.Rows, b.schedule = nil, ""
	}
	if b.Partial() {
		found.add(model.CodeFileDigest,
			"%s has no schedule: it is a line that --json prints; hint: mrsched solve INSTANCE -o DIR writes a whole result",
			path)
		return b, found, nil
	}
	return b, append(found, b.digests(found)...), nil
}

var (
	errNotCanonical = errors.New("some key or number is not as mrsched writes it; hint: the file was edited: restore " +
		"it, or solve again")
	errEmpty    = errors.New("the file is empty; hint: restore it, or solve again")
	errLineEnds = errors.New("line ends are CRLF; mrsched writes LF; hint: if git changed them (core.autocrlf), put " +
		"*.csv -text and *.json -text into .gitattributes and check the files out " +
		"again; if an editor or a spreadsheet did, save the file with LF, or solve again")
	errByteOrderMark = errors.New("the file begins with a byte order mark (BOM), which mrsched does not write; hint: a " +
		"spreadsheet or editor has saved it: restore the file, or solve again")
	errLineEnd = errors.New("this line ends with CRLF and others with LF, which is what mrsched writes; hint: an editor " +
		"has changed the file: restore it, or solve again")
)

// lineEnds reports CRLF instead of LF at the ends of all or some lines, and the first such line; err is nil for other
// texts.
func lineEnds(text []byte) (line int, err error) {
	switch n := bytes.Count(text, []byte("\r\n")); n {
	case 0:
		return 0, nil
	case bytes.Count(text, []byte("\n")):
		return 1, errLineEnds
	}
	before, _, _ := bytes.Cut(text, []byte("\r\n"))
	return 1 + bytes.Count(before, []byte("\n")), errLineEnd
}

// notCanonical adds how a text differs from what mrsched writes.
func (v *violations) notCanonical(name string, text []byte) {
	if line, err := lineEnds(text); err != nil {
		v.malformed(fmt.Sprintf("%s:%d", name, line), err)
		return
	}
	v.malformed(name, errNotCanonical)
}

// canonical returns an error if a document differs, apart from white space, from what write writes. Duplicate keys,
// keys with other capitals, and digits that reading drops could show people something other than what was checked.
func canonical(text []byte, write func(w io.Writer) error) error {
	var again, is, want bytes.Buffer
	if err := write(&again); err != nil {
		return err
	}
	if err := errors.Join(json.Compact(&is, text), json.Compact(&want, again.Bytes())); err != nil {
		return err
	}
	if !bytes.Equal(is.Bytes(), want.Bytes()) {
		return errNotCanonical
	}
	return nil
}

// strict decodes exactly one JSON value without unknown keys.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(into); errors.Is(err, io.EOF) {
		return errEmpty
	} else if err != nil {
		return misspelled(text, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the document")
	}
	return nil
}

// located is an error at a place of a file.
type located struct {
	at model.Position
	error
}

// misspelled returns err, with the position at which the text is not JSON, if there is one.
func misspelled(text []byte, err error) error {
	v := textpos.NewValues(bytes.NewReader(text), "", "", nil)
	if wrong := v.Skip(); wrong != nil {
		if f := v.In.Finding(wrong); f.Code == model.CodeSyntax || f.Code == model.CodeTruncated {
			return &located{f.Pos, errors.New(f.What)}
		}
	}
	return err
}

// formatOf returns a violation if a result states another format.
func formatOf(r *model.Result) violations {
	if r.Format == model.ResultFormat {
		return nil
	}
	return violations{malformed(ResultFile, fmt.Errorf("format %q, expected %q", r.Format, model.ResultFormat))}
}

// ReadBelow is Read for a directory below another one; no link on the way may lead out of that.
func ReadBelow(dir, path string) (*Bundle, []model.Violation, error) {
	outer, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, unreadable(path, err)
	}
	defer outer.Close() // it was only read
	below, err := filepath.Rel(dir, path)
	if err != nil {
		return nil, nil, unreadable(path, err)
	}
	root, err := textpos.OpenDirIn(outer, below)
	if err != nil {
		return nil, nil, unreadable(path, err)
	}
	defer root.Close() // it was only read
	return readIn(root, path)
}

// readIn reads a result's directory, which findings call path.
func readIn(root *os.Root, path string) (*Bundle, []model.Violation, error) {
	b := &Bundle{Result: &model.Result{}}
	text, err := textpos.ReadIn(root, ResultFile)
	if err != nil {
		return nil, nil, unreadable(filepath.Join(path, ResultFile), err)
	}
	if err := strict(text, b.Result); err != nil {
		return nil, []model.Violation{malformed(ResultFile, err)}, nil
	}
	found := formatOf(b.Result)
	if err := canonical(text, b.writeDocument); err != nil {
		found.malformed(ResultFile, err)
	}
	if text, err := textpos.ReadIn(root, ScheduleFile); err == nil {
		rows, digest, err := rowsIn(text)
		if b.Rows = rows; rows != nil {
			b.schedule = digest
		}
		if sum := sha256.Sum256(text); err != nil {
			found.malformed(ScheduleFile, err)
		} else if hex.EncodeToString(sum[:]) != digest {
			if line := oddLine(text, rows); line > 0 {
				found.malformed(fmt.Sprintf("%s:%d", ScheduleFile, line), errNotCanonical)
			} else {
				found.notCanonical(ScheduleFile, text)
			}
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, nil, unreadable(filepath.Join(path, ScheduleFile), err)
	}
	tables, err := b.readTables(root)
	if err != nil {
		return nil, nil, err
	}
	found = append(found, tables...)
	if text, err := textpos.ReadIn(root, CertificateFile); err == nil {
		b.Certificate = text
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, nil, unreadable(filepath.Join(path, CertificateFile), err)
	}
	return b, append(found, b.digests(found)...), nil
}
