package result

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mrsched/model"
)

// Side is one of the two things that diff compares.
type Side struct {
	// Name is the side's name for people, usually a path.
	Name    string
	Problem string // empty: unknown
	// Bundle is what was read. Its Result is nil if there is only a schedule.
	Bundle *Bundle
	// Warnings concern files that differ from those that result.json names, or from how mrsched writes them.
	Warnings []string
	// Instance is what the result is of, if it was named.
	Instance *model.InputText

	Known   []*model.Description // of all problems
	Partial bool                 // only result.json is there
	Nothing bool                 // not even result.json
	// Schedule is the digest of the side's rows; empty if it has no schedule. Digests are those of the tables, by file.
	Schedule string
	Digests  map[string]string
}

// ReadSide reads a result directory, a result as one document, result.json alone, or schedule.csv alone, and calls it
// name. An empty file, such as the null device, is an empty schedule. known are the problems.
func ReadSide(path, name string, known []*model.Description) (*Side, error) {
	s := &Side{Name: name, Known: known}
	info, err := os.Stat(path)
	if err != nil {
		return nil, s.unreadable(err)
	}
	if info.IsDir() {
		return s, s.take(Read(path))
	}
	text, damage, err := DocumentAt(path)
	switch {
	case err != nil:
		return nil, s.unreadable(err)
	case damage != nil:
		return nil, s.refuse(malformed(filepath.Base(path), damage))
	}
	return s, s.takeText(filepath.Base(path), text)
}

// takeText keeps a result or a schedule.
func (s *Side) takeText(name string, text []byte) error {
	if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
		return s.take(readSingle(name, text))
	}
	return s.takeRows(text)
}

// take keeps what was read of a result. Damage is a warning; only an unreadable result is an error.
func (s *Side) take(b *Bundle, found []model.Violation, err error) error {
	if err != nil {
		return err
	}
	for _, v := range found {
		legible := slices.ContainsFunc([]error{errNotCanonical, errLineEnds, errLineEnd}, func(err error) bool {
			return strings.HasSuffix(v.What, err.Error())
		})
		if v.Code == model.CodeResultMalformed && !legible {
			return s.refuse(v)
		}
	}
	s.Bundle, s.Problem = b, b.Result.Problem
	if s.Digests, err = b.tableDigests(); err != nil {
		return err
	}
	s.Schedule = b.schedule
	if s.Partial = b.Partial(); s.Partial {
		s.Schedule, s.Digests = b.Result.SHA256.Schedule, b.Result.SHA256.Tables
	}
	for _, v := range found {
		if !s.Partial || v.Code != model.CodeFileDigest {
			text := fmt.Sprintf("%s: %s", s.Name, v)
			if v.Code == model.CodeDocumentDigest {
				text, _, _ = strings.Cut(text, "; hint: ")
				text += "; status and cost are as stated, and not verified"
			}
			s.Warnings = append(s.Warnings, text)
		}
	}
	return nil
}

const expectedSide = "a result directory, the JSON document of one result, or schedule.csv"

func (s *Side) refuse(v model.Violation) error {
	return model.NewInputError(model.Finding{Code: v.Code, Pos: model.Position{File: s.Name}, What: v.What,
		Expected: expectedSide})
}

func (s *Side) unreadable(err error) error {
	return unopened(s.Name, err, "cannot be read: %v", expectedSide)
}

// takeRows keeps the rows of a schedule.csv, whose columns show the problem.
func (s *Side) takeRows(text []byte) error {
	s.Bundle = &Bundle{Rows: RowsOf([]Row{})}
	if s.Nothing = len(text) == 0; s.Nothing {
		return nil
	}
	rows, digest, err := rowsIn(text)
	if err != nil {
		return s.refuse(malformed(ScheduleFile, err))
	}
	s.Bundle.Rows, s.Schedule = rows, digest
	header, err := csv.NewReader(bytes.NewReader(text)).Read()
	if err != nil {
		return s.refuse(malformed(ScheduleFile, err))
	}
	of := func(d *model.Description) bool {
		return slices.EqualFunc(d.Columns, ownOf(header), func(c model.RowColumn, name string) bool {
			return c.Name == name
		})
	}
	if i := slices.IndexFunc(s.Known, of); i >= 0 && !slices.ContainsFunc(s.Known[i+1:], of) {
		s.Problem = s.Known[i].Problem
	}
	return nil
}

// Bare says that there are rows and nothing else.
func (s *Side) Bare() bool { return s.Bundle.Result == nil && !s.Nothing }

// Document is result.json, or empty if there is none.
func (s *Side) Document() *model.Result {
	if s.Bundle.Result == nil {
		return &model.Result{}
	}
	return s.Bundle.Result
}
