package workload

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// headerSwap exchanges two column names of one table of a directory.
type headerSwap struct{ table, one, other string }

// applied is the header of a table with the exchange; s may be nil.
func (s *headerSwap) applied(table string, names []string) []string {
	names = slices.Clone(names)
	if s == nil || s.table != table {
		return names
	}
	for i, name := range names {
		switch name {
		case s.one:
			names[i] = s.other
		case s.other:
			names[i] = s.one
		}
	}
	return names
}

// maxSwapBytes is how large the files of a directory may be together that is read again with headers swapped.
const maxSwapBytes = 64 << 10

// minSwapRows is how many rows a table must have: fewer prove nothing.
const minSwapRows = 2

// minSwapShare is the part of a table's rows, one in this many, that must be wrong before its headers are suspected.
const minSwapShare = 8

// swapped looks for two headers of a table whose exchange removes all findings of a directory. If it finds them, its
// error asks whether they are swapped; otherwise it returns the given error. It only runs after reading failed.
func (d *directory) swapped(entries []fs.DirEntry, opt Options, input *model.InputError) error {
	wrong, all := input.More, false
	for _, f := range input.Findings {
		wrong, all = wrong+1+f.More, all || f.Code == model.CodeUnknownBlock // which is about all rows
		if f.Code[0] == 'F' || f.Code == model.CodeUnknown || f.Code == model.CodeTwice {
			return input // no exchange helps
		}
	}
	if opt.Unknown != nil {
		opt.Unknown = new([]model.Finding)
	}
	size := int64(0)
	for _, file := range d.found {
		info, err := fs.Stat(d.files, file)
		if err != nil || strings.HasSuffix(file, gzSuffix) {
			return input
		}
		size += info.Size()
	}
	if size > maxSwapBytes {
		return input
	}
	var best *headerSwap
	fewest := 0
	for _, t := range d.suspects(input) {
		names, rows := d.header(t.tableName() + csvSuffix)
		names = slices.DeleteFunc(names, func(name string) bool { return find(t.tableColumns(), name) < 0 })
		if rows < minSwapRows || !all && (wrong < 2 || wrong*minSwapShare < rows) {
			continue
		}
		for i, one := range names {
			for _, other := range names[i+1:] {
				opt.swap = &headerSwap{t.tableName(), one, other}
				w, err := readTables(d.files, d.name, entries, opt)
				if err != nil {
					continue
				}
				if warnings := len(w.Warnings()); best == nil || warnings < fewest {
					if best, fewest = opt.swap, warnings; warnings == 0 {
						return model.NewInputError(best.question(d, wrong, input.Findings[0]))
					}
				}
			}
		}
	}
	if best == nil {
		return input
	}
	return model.NewInputError(best.question(d, wrong, input.Findings[0]))
}

// suspects are the tables of the directory with findings, followed, if rows name unknown ids, by those that others
// refer to.
func (d *directory) suspects(input *model.InputError) (list []tableCodec) {
	reference := slices.ContainsFunc(input.Findings, func(f model.Finding) bool { return f.Code[0] == 'R' })
	var others []tableCodec
	for _, t := range tables {
		file := t.tableName() + csvSuffix
		switch {
		case d.found[file] == "":
		case slices.ContainsFunc(input.Findings, func(f model.Finding) bool { return filepath.Base(f.Pos.File) == file }):
			list = append(list, t)
		case reference && !sideTables[model.Table(t.tableName())]:
			others = append(others, t)
		}
	}
	return append(list, others...)
}

// header is the first line of a table, and how many rows follow.
func (d *directory) header(file string) (names []string, rows int) {
	d.read(&lane{}, file, func(r io.Reader, name string) {
		records := csv.NewReader(textpos.NewReader(r, name))
		records.ReuseRecord, records.FieldsPerRecord = true, -1
		for {
			record, err := records.Read()
			if err != nil {
				return
			}
			if names == nil {
				names = slices.Clone(record)
			} else {
				rows++
			}
		}
	})
	return names, rows
}

// question is the finding of swapped headers; it replaces others, of which first is the first.
func (s *headerSwap) question(d *directory, wrong int, first model.Finding) model.Finding {
	at := d.at(d.found[s.table+csvSuffix])
	at.Line, at.Column = 1, 1
	return model.Finding{Code: first.Code, Pos: at,
		What: fmt.Sprintf("with the headers %s and %s exchanged, there is no error; as it is, there %s %s, the first: %s",
			s.one, s.other, model.Are(wrong), model.Counted(wrong, "error"), first.What),
		Expected: "each header above its own values",
		Hint:     fmt.Sprintf("are the two headers %s and %s swapped?", s.one, s.other)}
}

// readDirectory reads the tables and scalars of a directory; name is in positions.
//
// Errors are *model.InputError with every finding of every file.
func readDirectory(files fs.FS, name string, opt Options) (*model.Workload, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, unreadable(name, err)
	}
	w, err := readTables(files, name, entries, opt)
	if input, ok := errors.AsType[*model.InputError](err); ok {
		d := &directory{files, name, map[string]string{}}
		d.list(&lane{opt: opt}, entries)
		d.placeEmpty(entries, input)
		return nil, d.swapped(entries, opt, input)
	}
	return w, err
}
