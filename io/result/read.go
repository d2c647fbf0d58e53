package result

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mrsched/model"
)

// Read reads a result: a directory, or a file that holds one JSON document. What cannot be read as a
// result at all is a violation; an error means that the files cannot be opened.
func Read(path string) (*Bundle, []model.Violation, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, unreadable(path, err)
	}
	if !info.IsDir() {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, unreadable(path, err)
		}
		if text, err = unpacked(text); err != nil {
			return nil, []model.Violation{malformed(path, err)}, nil
		}
		return readSingle(path, text)
	}
	return readDir(path)
}

// unpacked is the text of a document, which may be gzip.
func unpacked(text []byte) ([]byte, error) {
	if !bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		return text, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func unreadable(path string, err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return model.NewInputError(model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: path},
		What: fmt.Sprintf("cannot read the result: %v", err), Expected: "a result directory, or the JSON document of one result"})
}

func readSingle(path string, text []byte) (*Bundle, []model.Violation, error) {
	s := single{Result: &model.Result{}}
	if err := strict(text, &s); err != nil {
		return nil, []model.Violation{malformed(path, err)}, nil
	}
	if s.Schedule == nil && s.Result.SHA256.Schedule != "" {
		s.Schedule = []Row{} // of nothing: a list without members is left out
	}
	b := &Bundle{Result: s.Result, Rows: rowsOf(s.Schedule)}
	if b.Rows != nil {
		b.schedule = rowsDigest(b.Rows)
	}
	if s.Certificate != nil {
		b.Certificate = append(bytes.TrimSpace(s.Certificate), '\n')
	}
	var found []model.Violation
	var err error
	if b.tables, err = tablesRead(s.Tables); err != nil {
		return nil, []model.Violation{malformed(path, err)}, nil
	}
	if err := canonical(text, b.WriteLine); err != nil {
		found = append(found, malformed(path, err))
	}
	return b, append(found, b.digests()...), nil
}

var errNotCanonical = errors.New("some key or number is not as mrsched writes it")

// canonical is an error if a document, blanks aside, is not what write writes. A key that is given twice or in
// other letters, and digits that reading drops, would tell people something else than was checked.
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

// strict decodes one JSON value without unknown keys and with nothing behind it.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the document")
	}
	return nil
}

func readDir(path string) (*Bundle, []model.Violation, error) {
	b := &Bundle{Result: &model.Result{}}
	text, err := os.ReadFile(filepath.Join(path, ResultFile))
	if err != nil {
		return nil, nil, unreadable(filepath.Join(path, ResultFile), err)
	}
	if err := strict(text, b.Result); err != nil {
		return nil, []model.Violation{malformed(ResultFile, err)}, nil
	}
	var found []model.Violation
	if err := canonical(text, b.writeDocument); err != nil {
		found = append(found, malformed(ResultFile, err))
	}
	if text, err := os.ReadFile(filepath.Join(path, ScheduleFile)); err == nil {
		rows, digest, err := rowsIn(text)
		if b.Rows = rows; rows != nil {
			b.schedule = digest
		}
		if sum := sha256.Sum256(text); err == nil && hex.EncodeToString(sum[:]) != digest {
			err = errNotCanonical
		}
		if err != nil {
			found = append(found, malformed(ScheduleFile, err))
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, nil, unreadable(filepath.Join(path, ScheduleFile), err)
	}
	tables, err := b.readTables(path)
	if err != nil {
		return nil, nil, err
	}
	found = append(found, tables...)
	if text, err := os.ReadFile(filepath.Join(path, CertificateFile)); err == nil {
		b.Certificate = text
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, nil, unreadable(filepath.Join(path, CertificateFile), err)
	}
	return b, append(found, b.digests()...), nil
}
