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
	"slices"

	"mrsched/io/disk"
	"mrsched/model"
)

// The files of a result directory.
const (
	ResultFile      = "result.json"
	ScheduleFile    = "schedule.csv"
	CertificateFile = "certificate.json"
)

// Bundle is a complete result.
type Bundle struct {
	Result *model.Result
	// Rows is the schedule; nil if there is none.
	Rows []Row
	// Certificate is the text of certificate.json; nil if there is none.
	Certificate json.RawMessage
}

// New completes a result: it renders the schedule and the certificate (any value that encoding/json can
// write; nil: none), and fills in the digests of both and of the document itself.
func New(r *model.Result, w *model.Workload, view model.View, s *model.Schedule, certificate any) (*Bundle, error) {
	b := &Bundle{Result: r}
	r.Format = model.ResultFormat
	if s != nil {
		b.Rows = rows(tasksOf(w, view), view, s)
		r.SHA256.Schedule = rowsDigest(b.Rows)
	}
	if certificate != nil {
		text, err := json.Marshal(certificate)
		if err != nil {
			return nil, err
		}
		b.Certificate = append(text, '\n')
		sum := sha256.Sum256(b.Certificate)
		r.SHA256.Certificate = hex.EncodeToString(sum[:])
	}
	digest, err := Digest(r)
	r.Digest = digest
	return b, err
}

// Digest is the SHA-256 of result.json without its digest.
func Digest(r *model.Result) (string, error) {
	bare := *r
	bare.Digest = ""
	text, err := document(&bare)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// document is the text of result.json.
func document(r *model.Result) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(r)
	return b.Bytes(), err
}

// writeDocument writes result.json.
func (b *Bundle) writeDocument(w io.Writer) error {
	text, err := document(b.Result)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// WriteDir writes the result as a directory, whole or not at all; see disk.WriteDir. What is replaced must
// be a result: see Replaceable.
func (b *Bundle) WriteDir(path string, replace bool) error {
	text, err := document(b.Result)
	if err != nil {
		return err
	}
	if replace {
		if err := Replaceable(path); err != nil {
			return err
		}
	}
	return disk.WriteDir(path, replace, func(d disk.Dir) error { return b.fill(d, text) })
}

// Replaceable is nil if nothing stands at path, or a directory that holds nothing but a result's files.
// Anything else would be lost with it.
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
	for _, e := range entries {
		if !e.Type().IsRegular() || !slices.Contains([]string{ResultFile, ScheduleFile, CertificateFile}, e.Name()) {
			return fmt.Errorf("%s holds %q, which is no part of a result, and is not replaced", path, e.Name())
		}
	}
	return nil
}

// fill writes the three files.
func (b *Bundle) fill(d disk.Dir, text []byte) error {
	put := func(name string, text []byte) error {
		return d.File(name, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	}
	if err := put(ResultFile, text); err != nil {
		return err
	}
	if b.Rows != nil {
		if err := d.File(ScheduleFile, func(w io.Writer) error { return writeRows(w, b.Rows) }); err != nil {
			return err
		}
	}
	if b.Certificate == nil {
		return nil
	}
	return put(CertificateFile, b.Certificate)
}

// single is a result as one JSON document: result.json's keys, then the schedule and the certificate.
type single struct {
	*model.Result
	Schedule    []Row           `json:"schedule,omitempty"`
	Certificate json.RawMessage `json:"certificate,omitempty"`
}

// WriteLine writes the result as one line of JSON with everything in it.
func (b *Bundle) WriteLine(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(single{b.Result, b.Rows, bytes.TrimSpace(b.Certificate)})
}

// WriteSummary writes result.json as one line.
func (b *Bundle) WriteSummary(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(b.Result)
}

// malformed is the violation for a file that cannot be read as what it should be.
func malformed(name string, err error) model.Violation {
	return model.Violation{Code: model.CodeResultMalformed, What: fmt.Sprintf("%s: %v", name, err)}
}
