package workload

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"mrsched/io/disk"
	"mrsched/io/textpos"
	"mrsched/model"
)

// ErrExists says that the target exists and must not be replaced.
var ErrExists = disk.ErrExists

// Write writes a workload: JSON to a path ending in .json or .json.gz, JSON to stdout for "-", else a directory of CSV
// files. The target appears whole or not at all. An existing target is replaced only if force is set, and a directory
// only if it holds only a workload.
//
// Errors: ErrExists (wrapped), text that the form cannot keep, and those of the file system.
func Write(path string, wl *model.Workload, force bool, stdout io.Writer) error {
	if path == "-" {
		return WriteJSON(stdout, wl)
	}
	path = filepath.Clean(path)
	asJSON := strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".json"+gzSuffix)
	if force {
		if err := replaceable(path, !asJSON); err != nil {
			return err
		}
	}
	if asJSON {
		return disk.WriteFile(path, force, func(w io.Writer) error {
			return disk.Compress(w, path, func(w io.Writer) error { return WriteJSON(w, wl) })
		})
	}
	return disk.WriteDir(path, force, func(d disk.Dir) error { return writeTables(d.File, wl) })
}

// writeTables writes the scalars and every nonempty table to a file each.
func writeTables(file func(name string, write func(io.Writer) error) error, wl *model.Workload) error {
	err := file(scalarFile, func(w io.Writer) error { return writeDocument(w, wl, nil) })
	for _, t := range tables {
		if err == nil && (t.needed() || t.len(wl) > 0) {
			err = file(t.tableName()+csvSuffix, func(w io.Writer) error { return t.writeCSV(w, wl) })
		}
	}
	return err
}

// replaceable is an error if the target must not be replaced.
func replaceable(path string, directory bool) error {
	if err := disk.Vacant(path, true); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case directory && !info.IsDir():
		return fmt.Errorf("%s is a file, not a directory of CSV files", path)
	case !directory && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	case directory:
		return onlyWorkload(path)
	}
	return nil
}

// onlyWorkload refuses a directory with other files, which would be lost.
func onlyWorkload(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !slices.Contains(fileNames(), strings.TrimSuffix(e.Name(), gzSuffix)) {
			return fmt.Errorf("%s holds %s, which is no part of a workload, and is not replaced", path, textpos.Quoted(e.Name()))
		}
	}
	return nil
}

// writeCSV writes a table with its header row.
//
// Errors: those of w, and text that CSV cannot keep.
func (t *table[R, M]) writeCSV(w io.Writer, wl *model.Workload) error {
	out := textpos.NewCSVWriter(bufio.NewWriterSize(w, flushAt))
	if err := out.Write(columnNames(t.columns)); err != nil {
		return err
	}
	var row R
	cells, read := cellsOf(&row), t.texts(wl, &row)
	record := make([]string, len(cells))
	for i := range t.count(wl) {
		read(i)
		if err := t.keepable(cells); err != nil {
			return err
		}
		for k, cell := range cells {
			record[k] = *cell
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// keepable refuses text that would not be read back unchanged: CSV readers turn "\r\n" into "\n".
func (t *table[R, M]) keepable(cells []*string) error {
	for i, cell := range cells {
		if t.columns[i].number {
			continue
		}
		if strings.Contains(*cell, "\r\n") || !utf8.ValidString(*cell) {
			return fmt.Errorf("%s.csv: %s %s cannot be kept in CSV: write JSON, or rename it", t.name, t.columns[i].name,
				textpos.Quoted(*cell))
		}
	}
	return nil
}
