package workload

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/io/textpos"
	"mrsched/model"
)

var update = flag.Bool("update", false, "write the golden files")

// absent are cases of files that must not exist.
var absent = []string{"F101-nowhere.json"}

// ours are the codes that reading a workload can report; those that a problem adds (R307, S409, …) have cases in
// testdata/script.
var ours = []model.Code{
	model.CodeUnreadable, model.CodeCompression, model.CodeSyntax, model.CodeTruncated, model.CodeEncoding,
	model.CodeTooLong,
	model.CodeFormat, model.CodeMissingTable, model.CodeRowShape, model.CodeTooLarge,
	model.CodeType, model.CodeNumber, model.CodeNegative, model.CodeOverflow, model.CodeEnum, model.CodeMissing,
	model.CodeUnknown,
	model.CodeTwice, model.CodeTooSmall,
	model.CodeDuplicate, model.CodeUnknownJob, model.CodeUnknownTask, model.CodeUnknownBlock, model.CodeUnknownNode,
	model.CodeUnknownParent,
	model.CodeEmpty, model.CodeJobNoTasks, model.CodeNoMachines, model.CodeTopologyRoot, model.CodeTopologyCycle,
	model.CodeTopologyKind,
	model.CodeCycle, model.CodeTotalTime, model.CodeCost, model.CodeInterval, model.CodeState,
}

// malformed changes to testdata/malformed, so that goldens hold bare names, and lists its cases.
func malformed(t *testing.T) []string {
	t.Helper()
	t.Chdir(filepath.Join("..", "..", "testdata", "malformed"))
	entries, err := os.ReadDir(".")
	try(t, err)
	cases := slices.Clone(absent)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".txt") {
			cases = append(cases, e.Name())
		}
	}
	return cases
}

// TestMalformed reads one malformed input for each code; the messages are in the .txt file next to it.
func TestMalformed(t *testing.T) {
	seen := map[model.Code]bool{}
	for _, name := range malformed(t) {
		restore := func() {}
		if strings.HasPrefix(name, string(model.CodeTooLarge)) {
			restore = textpos.SetMaxInput(10_000)
		}
		w, err := Read(name, nil, Options{})
		restore()
		input, ok := errors.AsType[*model.InputError](err)
		if !ok || w != nil {
			t.Errorf("%s: workload %v, error %v; want only an InputError", name, w, err)
			continue
		}
		for _, f := range input.Findings {
			seen[f.Code] = true
		}
		if code, _, ok := strings.Cut(name, "-"); ok && len(code) == 4 && !slices.ContainsFunc(input.Findings,
			func(f model.Finding) bool { return string(f.Code) == code }) {
			t.Errorf("%s: no %s in\n%v", name, code, err)
		}
		if slices.Contains(absent, name) {
			name = "F101" // a similar name would become the hint
		}
		golden(t, name+".txt", err.Error()+"\n")
	}
	for _, code := range ours {
		if !seen[code] {
			t.Errorf("no malformed input for %s", code)
		}
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		try(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	} else if got != string(want) {
		t.Errorf("%s:\n got %swant %s", path, got, want)
	}
}
