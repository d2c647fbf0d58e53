package workload

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

const (
	scalarFile = "workload.json"
	csvSuffix  = ".csv"
	gzSuffix   = ".gz"
)

// directory is a directory of CSV files that is being read.
type directory struct {
	files fs.FS
	name  string            // in positions
	found map[string]string // "jobs.csv" → "jobs.csv" or "jobs.csv.gz"
}

// readDirectory reads the tables and scalars of a directory; name is in positions.
//
// Errors are *model.InputError with every finding of every file.
func readDirectory(files fs.FS, name string, opt Options) (*model.Workload, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, unreadable(name, err)
	}
	if names := entryNames(entries); slices.Contains(names, model.ResultFile) && !slices.Contains(names, scalarFile) {
		return nil, model.NewInputError(model.Finding{Code: model.CodeFormat,
			Pos:  model.Position{File: filepath.Join(name, model.ResultFile)},
			What: "the directory holds a result", Expected: "the tables of a workload", Hint: resultHint})
	}
	dir := &directory{files, name, map[string]string{}}
	w, err := build(name, opt, func(l *intake) {
		dir.list(l, entries)
		dir.read(l, scalarFile, func(r io.Reader, name string) { readDocument(l, r, name, nil) })
		for _, t := range tables {
			dir.read(l, t.tableName()+csvSuffix, func(r io.Reader, name string) {
				if reserve := t.reserver(); reserve != nil {
					l.reserve(reserve, countLines(r))
				}
				t.readCSV(l, textpos.NewReader(r, name))
			})
		}
	})
	if input, ok := errors.AsType[*model.InputError](err); ok {
		dir.placeEmpty(entries, input)
	}
	return w, err
}

func entryNames(entries []fs.DirEntry) []string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

func (d *directory) list(l *intake, entries []fs.DirEntry) {
	known, names := fileNames(), entryNames(entries)
	for _, e := range entries {
		plain := strings.TrimSuffix(e.Name(), gzSuffix)
		isTable := strings.HasSuffix(strings.ToLower(plain), csvSuffix) || slices.Contains(known, strings.ToLower(plain))
		switch other, twice := d.found[plain]; {
		case !slices.Contains(known, plain):
			if isTable {
				f := model.Finding{Pos: d.at(e.Name()), What: fmt.Sprintf("unknown table %s", textpos.Quoted(plain)),
					Expected: "one of " + strings.Join(known, ", "), Hint: tableHint(plain, known, d.at(e.Name()).File)}
				if low := strings.ToLower(plain); slices.Contains(known, low) {
					f.Hint = "rename it to " + low
				}
				l.unknown(f)
			}
		case twice:
			l.findings.Add(model.Finding{Code: model.CodeTwice, Pos: d.at(e.Name()),
				What:     fmt.Sprintf("the directory holds %s too", other),
				Expected: "one file for each table", Hint: "remove one of the two"})
		default:
			d.found[plain] = e.Name()
		}
	}
	d.workbooks(l, names)
	for _, t := range tables {
		if file := t.tableName() + csvSuffix; t.needed() && d.found[file] == "" {
			l.lost = model.ReferredTables
			l.findings.Add(model.Finding{Code: model.CodeMissingTable, Pos: model.Position{File: d.name},
				What: "the directory has no " + file, Expected: "the table " + file, Hint: d.absentHint(file, entries)})
		}
	}
}

// workbooks reports spreadsheets, and other files that are no CSV by their names, in place of tables. The table that
// every workload needs has its own finding.
func (d *directory) workbooks(l *intake, names []string) {
	for _, name := range names {
		stem := strings.ToLower(strings.TrimSuffix(name, path.Ext(name)))
		file := strings.TrimSuffix(stem, csvSuffix) + csvSuffix
		if file == neededFile || !slices.Contains(fileNames(), file) || d.found[file] != "" || !isExport(name) {
			continue
		}
		l.findings.Add(model.Finding{Code: model.CodeFormat, Pos: d.at(name),
			What: "this is no CSV file by its name, and the directory has no " + file, Expected: "the table " + file,
			Hint: "save it as \"CSV UTF-8\", named " + file})
	}
}

// isExport says whether a file is one that holds tables in other programs.
func isExport(name string) bool {
	return slices.Contains([]string{".xlsx", ".xls", ".ods", ".tsv", ".txt", ".tab", ".parquet"},
		strings.ToLower(path.Ext(name)))
}

// tableHint says what an unknown CSV file may be.
func tableHint(file string, known []string, path string) string {
	stem := func(name string) string { return strings.TrimSuffix(strings.ToLower(name), csvSuffix) }
	for _, name := range known {
		if near := model.Nearest(stem(file), []string{stem(name)}); near != "" && near[0] == stem(file)[0] {
			return fmt.Sprintf("did you mean %q?", name)
		}
	}
	if command, ok := Propose(path); ok {
		return "if another program wrote it: " + command
	}
	return "move it elsewhere, or pass --allow-unknown to skip it"
}

// maxInside is how many folders inside a directory are looked into for a hint.
const maxInside = 1000

// neededFile is the table that every workload has.
const neededFile = string(model.TableJobs) + csvSuffix

// absentHint says how to get a table that is absent.
func (d *directory) absentHint(file string, entries []fs.DirEntry) string {
	for _, e := range entries {
		if isExport(e.Name()) {
			return fmt.Sprintf("save each table of %s as \"CSV UTF-8\", named after it", textpos.Quoted(e.Name()))
		}
	}
	for _, e := range entries[:min(len(entries), maxInside)] {
		inside := path.Join(e.Name(), file)
		if _, err := fs.Stat(d.files, inside); e.IsDir() && err == nil {
			return fmt.Sprintf("%s inside has one: pass that folder", textpos.Quoted(e.Name()))
		}
	}
	return "add the file, with its header row"
}

// tasksFile is the table that workloads need unless jobs state reduces.
const tasksFile = string(model.TableTasks) + csvSuffix

// placeEmpty says of a workload without tasks whether the table is missing or has no rows; the builder, which knows no
// files, says so of the jobs.
func (d *directory) placeEmpty(entries []fs.DirEntry, input *model.InputError) {
	for i := range input.Findings {
		f := &input.Findings[i]
		switch jobs := d.found[neededFile]; {
		case f.Code != model.CodeEmpty || f.Pos != d.at(jobs):
		case d.found[tasksFile] != "":
			f.Pos = d.at(d.found[tasksFile])
		default:
			*f = model.Finding{Code: model.CodeMissingTable, Pos: model.Position{File: d.name},
				What:     "the directory has no " + tasksFile + ", and no job states reduces",
				Expected: "the table " + tasksFile, Hint: d.absentHint(tasksFile, entries)}
		}
	}
}

// fileNames are the names of a directory's files, without .gz.
func fileNames() []string {
	list := []string{scalarFile}
	for _, t := range tables {
		list = append(list, t.tableName()+csvSuffix)
	}
	return list
}

// IsFile says whether a name is that of a file in a workload's directory.
func IsFile(name string) bool {
	return slices.Contains(fileNames(), strings.TrimSuffix(name, gzSuffix))
}

func (d *directory) at(file string) model.Position {
	return model.Position{File: filepath.Join(d.name, file)}
}

// read opens a file of the directory if it exists.
func (d *directory) read(l *intake, name string, parse func(r io.Reader, name string)) {
	file, ok := d.found[name]
	if !ok {
		return
	}
	at := d.at(file)
	fail := func(what string) {
		l.lost = model.ReferredTables
		l.findings.Add(model.Finding{Code: model.CodeUnreadable, Pos: at, What: "cannot be read: " + what,
			Expected: "a file inside the directory", Hint: "check the file and its permissions"})
	}
	info, err := fs.Stat(d.files, path.Clean(file))
	if err != nil {
		fail(textpos.Cause(err))
		return
	}
	if !info.Mode().IsRegular() {
		fail("it is not a regular file")
		return
	}
	f, err := d.files.Open(file)
	if err != nil {
		fail(textpos.Cause(err))
		return
	}
	defer f.Close()
	parse(f, at.File)
}

// folderHint says that a document without tables stands next to tables.
func (d *document) folderHint() string {
	if dir := filepath.Dir(d.file); d.file != "" {
		if _, err := os.Stat(filepath.Join(dir, neededFile)); err == nil {
			return fmt.Sprintf("beside it is %s, so that the directory is the workload: pass %s", neededFile, dir)
		}
	}
	return "name the problem's tables in the document, or pass a directory of CSV files"
}
