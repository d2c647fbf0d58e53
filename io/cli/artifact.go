package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"mrsched/io/engine"
	"mrsched/io/lab/sweep"
	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Kinds of files and directories that people pass as arguments, in words.
const (
	unclear = "" // nothing stands there, or its reader knows best

	aWorkload    = "a workload"
	aResult      = "a result"
	aDocument    = "result.json alone of a result that has other files too"
	aSchedule    = "the schedule of a result"
	aCertificate = "the certificate of a result"
	manyResults  = "a directory of results"
	aBatch       = "a directory of the results of several instances"
	aComparison  = "the table of a comparison"
	aSummary     = "the summary of the results of several instances"
	aDifference  = "the difference of two results"
	anAnswer     = "an explanation of a result"
	aSpec        = "the spec of a sweep"
	aSweep       = "the directory of a sweep"
	aPlan        = "the plan of a sweep"
	aLog         = "a log of a sweep"
	aReport      = "a report of mrsched validate"
	aTable       = "a CSV table"
	otherJSON    = "a JSON document of another kind"
	aText        = "a file of text"
	aPage        = "an HTML or XML document"
	aBinary      = "a binary file"
	nothing      = "an empty file"
	emptyDir     = "an empty directory"
	otherDir     = "a directory of other files"
)

// formatKind is the kind of a document of a format, whatever its version.
func formatKind(format string) string {
	for _, f := range [][2]string{
		{workload.Format, aWorkload}, {model.ResultFormat, aResult}, {model.CertificateFormat, aCertificate},
		{result.ComparisonFormat, aComparison}, {result.SummaryFormat, aSummary}, {result.DiffFormat, aDifference},
		{explanationFormat, anAnswer}, {sweep.Format, aSpec}, {sweep.PlanFormat, aPlan},
	} {
		if unversioned(f[0]) == unversioned(format) {
			return f[1]
		}
	}
	return unclear
}

func unversioned(format string) string {
	name, _, _ := strings.Cut(format, "/")
	return name
}

// kindOf says what stands at a path, as far as that can be told from names and the beginnings of files; trace is the
// format to import it with if it is one of other programs.
func kindOf(path string) (kind, trace string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return unclear, ""
	case info.IsDir():
		return kindOfDirectory(path), ""
	case !info.Mode().IsRegular(): // a pipe may never say anything
		return unclear, ""
	}
	f, err := os.Open(path)
	if err != nil {
		return unclear, ""
	}
	defer f.Close() // it was only read
	r := bufio.NewReaderSize(f, recognised)
	text := beginning(r)
	raw, _ := r.Peek(2)
	packed := bytes.Equal(raw, []byte("\x1f\x8b"))
	switch {
	case text == "" && packed: // or damaged
		return unclear, ""
	case text == "":
		return nothing, ""
	case isJSON(text):
		return kindOfJSON(path, text)
	}
	return kindOfText(path, text)
}

// recognised is how many bytes of a file tell its kind.
const recognised = 64 << 10

// kindOfDirectory tells a directory by the names in it.
func kindOfDirectory(path string) string {
	root, err := os.OpenRoot(path)
	if err != nil {
		return unclear
	}
	defer root.Close() // it was only read
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return unclear
	}
	there := map[string]bool{}
	for _, e := range entries {
		there[strings.TrimSuffix(e.Name(), ".gz")] = true
	}
	isThere := func(t workload.TableInfo) bool { return there[t.Name+".csv"] }
	results, err := resultsIn(root, path)
	switch {
	case err != nil:
		return unclear
	case len(entries) == 0:
		return emptyDir
	case there[result.ResultFile]:
		return aResult
	case there["workload.json"] || slices.ContainsFunc(workload.Tables(), isThere):
		return aWorkload
	case there[sweep.PlanFile]:
		return aSweep
	case there[result.SummaryFile]:
		return aBatch
	case there[result.ComparisonFile] || results[0] != path:
		return manyResults
	}
	return otherDir
}

// kindOfJSON tells a document by its format, or by its keys if it has none.
func kindOfJSON(path, text string) (kind, trace string) {
	format, keys, whole := peekKeys(text)
	if format != "" {
		kind = formatKind(format)
		dir := filepath.Dir(path)
		beside := engine.Exists(filepath.Join(dir, result.ScheduleFile)) ||
			engine.Exists(filepath.Join(dir, result.CertificateFile))
		inside := slices.Contains(keys, "schedule") || slices.Contains(keys, "certificate")
		if kind == aResult && filepath.Base(path) == result.ResultFile && beside && whole && !inside {
			return aDocument, ""
		}
		return kind, ""
	}
	for _, by := range signatures {
		if !slices.ContainsFunc(by.keys, func(key string) bool { return !slices.Contains(keys, key) }) {
			return by.kind, ""
		}
	}
	for _, l := range looks() {
		if l.format != "" && l.alike(text) {
			return l.is, l.format
		}
	}
	if whole {
		return otherJSON, ""
	}
	return unclear, ""
}

// signatures tell documents without a format by keys that no others have: their reader says that it is missing.
var signatures = []struct {
	kind string
	keys []string
}{
	{aWorkload, []string{"jobs"}}, {aWorkload, []string{"tasks"}}, {aResult, []string{"sha256"}},
	{aReport, []string{"instances", "violations"}}, {aSpec, []string{"instances", "algorithms"}},
	{aLog, []string{"id", "instance", "algorithm"}},
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

// kindOfText tells a file that is no JSON object by how it begins.
func kindOfText(path, text string) (kind, trace string) {
	line := firstLine(text)
	columns := strings.Split(line, ",")
	for _, l := range looks() {
		if l.format != "" && l.alike(text) {
			return l.is, l.format
		}
	}
	base, dir := filepath.Base(path), filepath.Dir(path)
	switch {
	case strings.HasPrefix(line, scheduleHeader):
		return aSchedule, ""
	case strings.HasPrefix(line, "<"):
		return aPage, ""
	case strings.HasPrefix(text, "\xff\xfe"), strings.HasPrefix(text, "\xfe\xff"): // UTF-16
		return unclear, ""
	case strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && !unicode.IsSpace(c) }):
		return aBinary, ""
	case !utf8.ValidString(line):
		return unclear, ""
	case base == result.ComparisonTable && engine.Exists(filepath.Join(dir, result.ComparisonFile)):
		return aComparison, ""
	case base == result.SummaryTable && engine.Exists(filepath.Join(dir, result.SummaryFile)):
		return aSummary, ""
	case strings.HasSuffix(strings.TrimSuffix(base, ".gz"), ".csv"),
		len(columns) > 1 && !slices.ContainsFunc(columns, noName):
		return aTable, ""
	}
	return aText, ""
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
	// hint says what to do with a kind that is not taken: {file}, which is in the directory {dir}.
	hint func(kind string) string
}

// What commands take.
var (
	argInstance = argument{[]string{aWorkload, aText, emptyDir}, "a workload: its JSON document or its directory",
		instanceHint}
	argResult = argument{[]string{aResult, manyResults, aBatch}, "a result: its directory or its JSON document",
		resultHint}
	argSide = argument{[]string{aResult, manyResults, aBatch, aDocument, aSchedule, nothing},
		"a result: its directory, its JSON document, result.json or schedule.csv", resultHint}
	argBatch = argument{[]string{aBatch, aResult, aDocument},
		"the directory that mrsched solve -o makes for several instances", resultHint}
	argSpec  = argument{[]string{aSpec}, "the JSON document of a sweep", specHint}
	argSweep = argument{[]string{aSweep, emptyDir, otherDir}, "the directory of a sweep", sweepHint}
)

const (
	hintDirectory = "pass its directory: {dir}"
	hintMerge     = "mrsched sweep merge {dir} makes the tables of the sweep"
	hintMergeIt   = "mrsched sweep merge {file} makes the tables of the sweep"
	hintSweep     = "mrsched sweep {file} -o DIR runs it"
)

func instanceHint(kind string) string {
	switch kind {
	case aResult, aDocument, aSchedule, aCertificate, aComparison, manyResults, aBatch, aSummary:
		return "name the workload that it is of"
	case aSpec:
		return hintSweep
	case aTable:
		return hintDirectory
	}
	return ""
}

func resultHint(kind string) string {
	switch kind {
	case aWorkload:
		return "mrsched solve {file} -o DIR makes a result of it"
	case aDocument, aSchedule, aCertificate, aTable, aComparison, aSummary:
		return hintDirectory
	case aPlan, aLog:
		return hintMerge
	case aSweep:
		return hintMergeIt
	case aSpec:
		return hintSweep
	}
	return ""
}

func specHint(kind string) string {
	switch kind {
	case aWorkload:
		return "mrsched solve {file} schedules it"
	case aPlan, aLog, aTable:
		return hintMerge
	case aSweep:
		return hintMergeIt
	}
	return ""
}

func sweepHint(kind string) string {
	switch kind {
	case aSpec:
		return hintSweep
	case aPlan, aLog, aTable:
		return hintDirectory
	}
	return ""
}

// expect is an error if what stands at a path is of a kind that a command does not take there.
func expect(path string, want argument) error {
	if path == "-" {
		return nil
	}
	kind, trace := kindOf(path)
	if kind == unclear || slices.Contains(want.takes, kind) {
		return nil
	}
	f := model.Finding{Code: model.CodeFormat, Pos: model.Position{File: path}, What: "this is " + kind,
		Expected: want.expected, Hint: want.advice(path, kind)}
	switch {
	case kind == nothing:
		f.Code, f.Hint = model.CodeTruncated, "produce or copy it again"
	case trace != "" && slices.Contains(want.takes, aWorkload):
		f.Hint = fmt.Sprintf("mrsched import %s %s -o FILE.json makes a workload of it", trace, path)
	}
	return model.NewInputError(f)
}

// advice is the hint about a path; empty if there is none that leads to what is taken.
func (a argument) advice(path, kind string) string {
	hint, dir := a.hint(kind), filepath.Dir(path)
	if strings.Contains(hint, "{dir}") {
		switch is := kindOfDirectory(dir); {
		case hint == hintMerge && is != aSweep, hint == hintDirectory && !slices.Contains(a.takes, is),
			kind == aTable && is == manyResults: // its tables are kinds of their own
			return ""
		}
	}
	return strings.NewReplacer("{file}", path, "{dir}", dir).Replace(hint)
}
