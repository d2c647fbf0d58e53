package cli

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mrsched/io/artifact"
	"mrsched/io/engine"
	"mrsched/model/tier"
)

// artifacts makes one of every kind of file and directory in the working directory, and lists their kinds.
func artifacts(t *testing.T) map[string]string {
	t.Helper()
	examples, err := filepath.Abs(root + "/instances/examples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		writeText(t, name, text)
	}
	dag := filepath.Join(examples, "dag.json")
	write("spec.json",
		`{"format":"mrsched-sweep/1","instances":[{"path":"w.json"}],"algorithms":["mars"],"iterations":10}`)
	write("empty", "")
	write("blank.json", " \n")
	write("picture.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	write("trace.tsv", "job0\t12\t0\t1000\t2000\t3000\n")
	write("other.json", `{"version":3,"packages":[]}`)
	write("prose.txt", "all is well\n")
	if err := os.Mkdir("none", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"generate", "msjo", "--preset", "fig1", "-o", "w.json"},
		{"generate", "msjo", "--preset", "fig1", "-o", "packed.json.gz"},
		{"generate", "msjo", "--preset", "fig1", "-o", "w"},
		{"solve", "w.json", "-a", "mars", "-o", "r"},
		{"solve", "w.json", "-a", "mars", "-o", "r.json.gz"},
		{"compare", "w.json", "-a", "mars,huwf", "-o", "compared"},
		{"solve", "w.json", dag, "-a", "mars", "-o", "batch"},
		{"sweep", "spec.json", "-o", "swept"},
		{"report", "r", "-o", "page.html"},
		{"validate", "hta", "--instances", "1", "-o", "validated.json"},
		{"experiment", "mars-fig5", "--jobs-max", "10", "--seeds", "1", "-o", "figures"},
	} {
		run(t, engine.ExitDone, append(args, "-q")...)
	}
	write("difference.json", run(t, engine.ExitDone, "diff", "compared/mars", "compared/huwf", "--json"))
	write("explained.json", run(t, engine.ExitDone, "explain", "w.json", "r", "1", "--json"))
	return map[string]string{
		"w.json": artifact.AWorkload, "packed.json.gz": artifact.AWorkload, "w": artifact.AWorkload, "w/workload.json": artifact.AWorkload, "w/tasks.csv": artifact.ATable,
		"r": artifact.AResult, "r.json.gz": artifact.AResult, "compared/mars": artifact.AResult, "r/result.json": artifact.ADocument, "r/schedule.csv": artifact.ASchedule,
		"r/jobs.csv": artifact.ATable, "r/certificate.json": artifact.ACertificate,
		"compared": artifact.ManyResults, "compared/compare.json": "a document of the format mrsched-comparison",
		"compared/compare.csv": artifact.ATable, "batch": artifact.ABatch,
		"batch/summary.json": "a document of the format mrsched-summary", "batch/summary.csv": artifact.ATable,
		"spec.json": artifact.ASpec, "swept": artifact.ASweep, "swept/plan.json": "a document of the format mrsched-sweep-plan",
		"difference.json": "a document of the format mrsched-diff",
		"explained.json":  "a document of the format mrsched-explanation", "page.html": artifact.APage,
		"figures": artifact.OtherDir, "validated.json": artifact.OtherJSON,
		"empty": artifact.Nothing, "blank.json": artifact.Nothing, "none": artifact.EmptyDir, "picture.png": artifact.ABinary,
		"trace.tsv":  "a SWIM trace",
		"other.json": artifact.OtherJSON, "prose.txt": artifact.AText, "missing": artifact.Unclear,
	}
}

// takers are the commands that take files. @ stands for the file; accepts are the kinds that they take.
var takers = []struct {
	line    string
	accepts []string
}{
	{"solve @", []string{artifact.AWorkload}},
	{"compare @", []string{artifact.AWorkload}},
	{"formulate @", []string{artifact.AWorkload}},
	{"explain @", []string{artifact.AWorkload}},
	{"estimate @", []string{artifact.AWorkload}},
	{"check @ r", []string{artifact.AWorkload}},
	{"explain @ r 1", []string{artifact.AWorkload}},
	{"report r --instance @ -o - -q", []string{artifact.AWorkload}},
	{"check w.json @", []string{artifact.AResult, artifact.ManyResults, artifact.ABatch}},
	{"check w.json spec.json @", []string{artifact.AResult, artifact.ADocument, artifact.ABatch}},
	{"explain w.json @ 1", []string{artifact.AResult, artifact.ManyResults, artifact.ABatch}},
	{"report @ -o - -q", []string{artifact.AResult, artifact.ManyResults, artifact.ABatch}},
	{"diff @ r", []string{artifact.AResult, artifact.ADocument, artifact.ManyResults, artifact.ABatch, artifact.ASchedule, artifact.Nothing}},
	{"diff r @", []string{artifact.AResult, artifact.ADocument, artifact.ManyResults, artifact.ABatch, artifact.ASchedule, artifact.Nothing}},
	{"sweep @ --dry-run", []string{artifact.ASpec}},
	{"sweep merge @", []string{artifact.ASweep}},
	{"validate @", nil},
}

// TestWrongArgumentsAreNamed passes one artifact of every kind to every command that takes files. For a wrong kind, the
// answer is one line that names it. It was "invalid character 'a' in literal true" with exit 4 for the schedule.csv of
// a result, and `json: unknown field "name"` for a workload.
func TestWrongArgumentsAreNamed(t *testing.T) {
	things := artifacts(t)
	for i, taker := range takers {
		for k, path := range slices.Sorted(maps.Keys(things)) {
			kind := things[path]
			if slices.Contains(taker.accepts, kind) || os.Getenv(tier.Tool) != "" && (i+k)%4 > 0 {
				continue
			}
			args := strings.Fields(strings.ReplaceAll(taker.line, "@", path))
			out, messages := runBoth(t, engine.ExitUsage, args...)
			text, _, _ := strings.Cut(messages, "see mrsched ")
			want := answer(taker.line, path, kind, slices.Contains(taker.accepts, artifact.AWorkload))
			if out != "" || !want.MatchString(text) {
				t.Errorf("%v: want %s\n%s%s", args, want, out, text)
			}
		}
	}
}

// answer matches the line that a command prints about a kind that it does not take.
func answer(line, path, kind string, instance bool) *regexp.Regexp {
	path, is := regexp.QuoteMeta(path), regexp.QuoteMeta(kind)
	pattern := "^F107 " + path + ": this is " + is + "; expected .+\n$"
	switch {
	case kind == artifact.Nothing && line != "validate @":
		pattern = "^F104 " + path + ": this is an empty file; expected .*; hint: produce or copy it again\n$"
	case line == "validate @" && kind == artifact.Unclear:
		pattern = `^V205: unknown problem "missing"; expected one of .+` + "\n$"
	case line == "validate @":
		pattern = "^mrsched: " + path + " is " + is + ": validate makes instances by itself; name a problem, one of .+\n$"
	case line == "sweep merge @" && (kind == artifact.Unclear || kind == artifact.EmptyDir || kind == artifact.OtherDir):
		pattern = "^F101 " + path + "/plan.json: no such file or directory; expected the directory of a sweep; hint: .+\n$"
	case kind == artifact.Unclear:
		pattern = "^F101 missing: .*no such file or directory; expected .+\n$"
	case kind == artifact.AText && instance:
		pattern = "^F103 prose.txt:1:[12]: .*; expected JSON.*\n$"
	case kind == artifact.EmptyDir && instance:
		pattern = "^F108 none: the directory has no jobs.csv; .+\n$"
	}
	return regexp.MustCompile(pattern)
}

// TestHintsForWrongArguments lists hints that name the right command.
func TestHintsForWrongArguments(t *testing.T) {
	artifacts(t)
	for line, hint := range map[string]string{
		"check w.json r/schedule.csv":       "pass its directory: r",
		"check w.json r/result.json":        "pass its directory: r",
		"check w.json compared/compare.csv": "pass its directory: compared",
		"check w.json w/tasks.csv":          "",
		"diff w.json r":                     "mrsched solve w.json -o DIR makes a result of it",
		"report swept":                      "mrsched sweep merge swept makes the tables of the sweep",
		"solve w/tasks.csv":                 "pass its directory: w",
		"solve trace.tsv":                   "mrsched import swim trace.tsv -o FILE.json makes a workload of it",
	} {
		_, got := runBoth(t, engine.ExitUsage, strings.Fields(line)...)
		if _, is, _ := strings.Cut(got, "; hint: "); strings.TrimSpace(is) != hint {
			t.Errorf("%s: %s, want the hint %s", line, got, hint)
		}
	}
}

// TestDamagedIsNoOtherKind: a file that may be a damaged workload or result goes to its reader, which finds the place.
func TestDamagedIsNoOtherKind(t *testing.T) {
	t.Chdir(t.TempDir())
	for text, kind := range map[string]string{
		`{"jobs":[],"format":`:               artifact.AWorkload,
		`{"tasks":[]}`:                       artifact.AWorkload,
		`{"format":"mrsched-workload/9"}`:    artifact.AWorkload,
		`{"format":"mrsched-result/9"}`:      artifact.AResult,
		`{"problem":"msjo","sha256":{}}`:     artifact.AResult,
		`{"format":"other/1"}`:               artifact.Unclear,
		`{"name":"x"`:                        artifact.Unclear,
		"\xff\xfe{\x00}\x00":                 artifact.Unclear, // UTF-16
		"\x1f\x8b\x08\x00damaged":            artifact.Unclear,
		"n\xe4me,w\xe4ge\n":                  artifact.Unclear, // Latin-1
		"{\"name\":\"x\"}\n{\"name\":\"y\"}": artifact.OtherJSON,
	} {
		writeText(t, "x", text)
		if got, _ := artifact.KindOf("x"); got != kind {
			t.Errorf("%q is %q, want %q", text, got, kind)
		}
	}
}
