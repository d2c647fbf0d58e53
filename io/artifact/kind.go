package artifact

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/run"
	"mrsched/io/textpos"
	"mrsched/io/workload"
	"mrsched/model"
)

// Kinds of files and directories that people pass as arguments, in words.
const (
	Unclear = "" // nothing is there, or its reader knows best

	AWorkload    = "a workload"
	AResult      = "a result"
	HalfResult   = "a result without its result.json"
	ADocument    = "result.json alone of a result that has other files too"
	ASchedule    = "the schedule of a result"
	ACertificate = "the certificate of a result"
	ManyResults  = "a directory of results"
	ABatch       = "a directory of the results of several instances"
	ASpec        = "the spec of a sweep"
	ASweep       = "the directory of a sweep"
	ATable       = "a CSV table"
	OtherJSON    = "a JSON document of another kind"
	AText        = "a file of text"
	APage        = "an HTML or XML document"
	ABinary      = "a binary file"
	Nothing      = "an empty file"
	EmptyDir     = "an empty directory"
	OtherDir     = "a directory of other files"
)

// formatKind is the kind of a document of a format, whatever its version.
func formatKind(format string) string {
	name, _, _ := strings.Cut(format, "/")
	for own, kind := range map[string]string{workload.Format: AWorkload, model.ResultFormat: AResult,
		model.CertificateFormat: ACertificate, run.Format: ASpec} {
		if strings.HasPrefix(own, name+"/") {
			return kind
		}
	}
	if strings.HasPrefix(name, "mrsched-") {
		return "a document of the format " + name
	}
	return Unclear
}

// KindOf says what is at a path, judging by names and the beginnings of files; hint is what to do with a file of
// another program, whose path is called FILE.
func KindOf(path string) (kind, hint string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Unclear, ""
	case info.IsDir():
		return kindOfDirectory(path), ""
	case !info.Mode().IsRegular(): // a pipe may never say anything
		return Unclear, ""
	}
	f, err := os.Open(path)
	if err != nil {
		return Unclear, ""
	}
	defer f.Close() // it was only read
	r := bufio.NewReaderSize(f, recognised)
	text := Beginning(r)
	raw, _ := r.Peek(2)
	packed := bytes.Equal(raw, []byte("\x1f\x8b"))
	switch {
	case text == "" && packed: // or damaged
		return Unclear, ""
	case text == "":
		return Nothing, ""
	case isJSON(text):
		return kindOfJSON(path, text)
	}
	return kindOfText(path, text)
}

// kindOfDirectory recognises a directory by the names in it.
func kindOfDirectory(path string) string {
	root, err := os.OpenRoot(path)
	if err != nil {
		return Unclear
	}
	defer root.Close() // it was only read
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return Unclear
	}
	there := map[string]bool{}
	for _, e := range entries {
		there[strings.TrimSuffix(e.Name(), ".gz")] = true
	}
	isThere := func(t workload.TableInfo) bool { return there[t.Name+".csv"] }
	results, err := ResultsIn(root, path)
	switch {
	case err != nil:
		return Unclear
	case len(entries) == 0:
		return EmptyDir
	case there[result.ResultFile]:
		return AResult
	case there[result.ScheduleFile] && !there["tasks.csv"] && !there["workload.json"]:
		return HalfResult
	case there["workload.json"] || slices.ContainsFunc(workload.Tables(), isThere):
		return AWorkload
	case there[run.PlanFile]:
		return ASweep
	case there[result.SummaryFile]:
		return ABatch
	case there[result.ComparisonFile] || results[0] != path:
		return ManyResults
	}
	return OtherDir
}

// kindOfJSON recognises a document by its format, or by its keys if it has none.
func kindOfJSON(path, text string) (kind, hint string) {
	format, keys, whole := peekKeys(text)
	if format != "" {
		kind = formatKind(format)
		dir := filepath.Dir(path)
		beside := engine.Exists(filepath.Join(dir, result.ScheduleFile)) ||
			engine.Exists(filepath.Join(dir, result.CertificateFile))
		inside := slices.Contains(keys, "schedule") || slices.Contains(keys, "certificate")
		if kind == AResult && filepath.Base(path) == result.ResultFile && beside && whole && !inside {
			return ADocument, ""
		}
		return kind, ""
	}
	if kind, hint, ok := ofOtherProgram(text); ok {
		return kind, hint
	}
	for _, by := range signatures {
		if !slices.ContainsFunc(by.keys, func(key string) bool { return !slices.Contains(keys, key) }) {
			return by.kind, ""
		}
	}
	if whole {
		return OtherJSON, ""
	}
	return Unclear, ""
}

// signatures recognise documents that lack a format by keys that no others have: their reader then reports the missing
// format.
var signatures = []struct {
	kind string
	keys []string
}{
	{AWorkload, []string{"jobs"}}, {AWorkload, []string{"tasks"}}, {AResult, []string{"sha256"}},
	{OtherJSON, []string{"instances", "violations"}}, {ASpec, []string{"instances", "algorithms"}},
}

// peekKeys reads the format and the keys of the document that a text begins with; whole: to its end.
func peekKeys(text string) (format string, keys []string, whole bool) {
	d := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true))
	if _, err := d.ReadToken(); err != nil {
		return "", nil, false
	}
	for d.PeekKind() == '"' {
		key, err := d.ReadToken()
		if err != nil {
			return format, keys, false
		}
		keys = append(keys, key.String())
		if keys[len(keys)-1] == "format" && d.PeekKind() == '"' {
			value, err := d.ReadToken()
			if err != nil {
				return format, keys, false
			}
			format = value.String()
		} else if d.SkipValue() != nil {
			return format, keys, false
		}
	}
	_, err := d.ReadToken()
	return format, keys, err == nil
}

// kindOfText recognises a file that is not a JSON object by its beginning.
func kindOfText(path, text string) (kind, hint string) {
	line := firstLine(text)
	columns := strings.Split(line, ",")
	if kind, hint, ok := ofOtherProgram(text); ok {
		return kind, hint
	}
	switch {
	case strings.HasPrefix(line, scheduleHeader):
		return ASchedule, ""
	case strings.HasPrefix(line, "<"):
		return APage, ""
	case textpos.NotText([]byte(text)) != nil:
		return Unclear, ""
	case strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && !unicode.IsSpace(c) }):
		return ABinary, ""
	case !utf8.ValidString(line):
		return Unclear, ""
	case strings.HasSuffix(strings.TrimSuffix(path, ".gz"), ".csv"),
		len(columns) > 1 && !slices.ContainsFunc(columns, noName):
		return ATable, ""
	}
	return AText, ""
}

// noName says that something between the commas of a header cannot be a column's name.
func noName(column string) bool {
	column = strings.Trim(column, ` "`)
	return column == "" || column[0] >= '0' && column[0] <= '9' || strings.ContainsFunc(column, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_. ", c)
	})
}

// scheduleHeader begins every schedule.csv.
const scheduleHeader = "task,job,kind,machine,start,end"

// argument is what a command takes in one place.
type argument struct {
	takes    []string // kinds
	expected string   // in words
	hints    hints
}

// hints say what to do with kinds that are not taken. {file} is the file and {dir} its directory.
type hints []struct {
	text  string
	kinds []string
}

// What commands take.
var (
	ArgInstance = argument{[]string{AWorkload, AText, EmptyDir}, "a workload: its JSON document or its directory",
		instanceHints}
	argResult = argument{[]string{AResult, ManyResults, ABatch}, "a result: its directory or its JSON document",
		resultHints}
	ArgSide = argument{[]string{AResult, ManyResults, ABatch, ADocument, ASchedule, Nothing},
		"a result: its directory, its JSON document, result.json or schedule.csv", resultHints}
	ArgBatch = argument{[]string{ABatch, AResult, ADocument},
		"the directory that mrsched solve -o makes for several instances", resultHints}
	ArgSpec  = argument{[]string{ASpec}, "the JSON document of a sweep", specHints}
	ArgSweep = argument{[]string{ASweep, EmptyDir, OtherDir}, "the directory of a sweep", sweepHints}
)

const (
	hintDirectory = "pass its directory: {dir}"
	hintMerge     = "mrsched sweep merge {file} makes the tables of the sweep"
	hintSweep     = "mrsched sweep {file} -o DIR runs it"
)

var (
	instanceHints = hints{{"name the workload that it is of", []string{AResult, ADocument, ASchedule, ACertificate,
		ManyResults, ABatch}}, {hintSweep, []string{ASpec}}, {hintDirectory, []string{ATable}},
		{"a workload's directory has jobs.csv; mrsched import makes workloads of other files", []string{OtherDir}},
		{"mrsched schema workload describes the document: all tables are in one object", []string{OtherJSON}}}
	resultHints = hints{{"mrsched solve {file} -o DIR makes a result of it", []string{AWorkload}},
		{"a result's directory has result.json; mrsched solve INSTANCE -o DIR writes one", []string{OtherDir, EmptyDir}},
		{"restore result.json, or solve again", []string{HalfResult}},
		{hintDirectory, []string{ADocument, ASchedule, ACertificate, ATable}},
		{hintMerge, []string{ASweep}}, {hintSweep, []string{ASpec}}}
	specHints = hints{{"mrsched solve {file} schedules it", []string{AWorkload}},
		{hintMerge, []string{ASweep}}}
	sweepHints = hints{{hintSweep, []string{ASpec}}, {hintDirectory, []string{ATable}}}
)

// workloadInside is the first folder of a directory that has the table jobs; empty if none has.
func workloadInside(dir string) string {
	entries, _ := os.ReadDir(dir) // no hint if it cannot be read
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(path, "jobs.csv")); err == nil {
			return path
		}
	}
	return ""
}

// Expect returns an error if a command does not take what is at a path.
func Expect(path string, want argument) error {
	if path == "-" {
		return nil
	}
	kind, hint := KindOf(path)
	if kind == Unclear || slices.Contains(want.takes, kind) {
		return nil
	}
	f := model.Finding{Code: model.CodeFormat, Pos: model.Position{File: path}, What: "this is " + kind,
		Expected: want.expected, Hint: want.advice(path, kind)}
	switch {
	case kind == Nothing:
		f.Code, f.Hint = model.CodeTruncated, "produce or copy it again"
	case kind == OtherDir && slices.Contains(want.takes, AWorkload):
		if inside := workloadInside(path); inside != "" {
			f.Hint = "the folder " + textpos.Quoted(filepath.Base(inside)) + " inside is a workload: pass " + inside
		}
	case kind == ATable && slices.Contains(want.takes, AWorkload):
		if command, ok := workload.Propose(path); ok {
			f.Hint = command
		} else if f.Hint == "" {
			f.Hint = "mrsched import csv --help says how a table of another program becomes a workload"
		}
	case hint != "" && slices.Contains(want.takes, AWorkload):
		f.Hint = strings.Replace(hint, "FILE", path, 1)
	}
	return model.NewInputError(f)
}

// IsResult says whether a result, or a directory of results, is at a path.
func IsResult(path string) bool {
	kind, _ := KindOf(path)
	return slices.Contains(argResult.takes, kind)
}

// Swapped is err, which says that something other than a result is at a path, with another hint if the path of the
// instance holds the result. The hint shows the right command.
func Swapped(err error, instance, at, command string) error {
	var input *model.InputError
	if errors.As(err, &input) {
		if is, _ := KindOf(at); is == AWorkload && IsResult(instance) {
			input.Findings[0].Hint = "the two are swapped: mrsched " + command
		}
	}
	return err
}

// advice is the hint about a path; empty if no hint leads to something that the command takes.
func (a argument) advice(path, kind string) string {
	hint, dir := "", filepath.Dir(path)
	for _, h := range a.hints {
		if slices.Contains(h.kinds, kind) {
			hint = h.text
		}
	}
	if hint == hintDirectory && !slices.Contains(a.takes, kindOfDirectory(dir)) {
		return ""
	}
	return strings.NewReplacer("{file}", path, "{dir}", dir).Replace(hint)
}
