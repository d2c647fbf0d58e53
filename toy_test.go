package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/model/tier"
)

// toyFiles are the new files of the problem toy, and where they go.
var toyFiles = map[string]string{
	"testdata/toy/model.go.txt":     "model/toy/toy.go",
	"testdata/toy/solver.go.txt":    "solver/toy/problem.go",
	"testdata/toy/instances.go.txt": "instances/toy.go",
}

// toyEdits are all edits of existing files that the problem toy needs: a text and what replaces it. The list is that of
// docs/adding-a-problem.md.
var toyEdits = map[string][][2]string{
	"io/engine/problems.go": {
		{"\t\"mrsched/solver/reduceplace\"\n", "\t\"mrsched/solver/reduceplace\"\n\t\"mrsched/solver/toy\"\n"},
		{"{shop.Problem()}}", "{shop.Problem()}, {toy.Problem()}}"},
	},
	"instances/preset.go": {{"clusterPreset()}", "clusterPreset(), toyPreset()}"}},
}

// TestToyProblem adds a problem to a copy of the tree with at most five edited files, builds the program and runs the
// commands on the problem. By day only the packages with new and edited files are built.
func TestToyProblem(t *testing.T) {
	dir := t.TempDir()
	if tier.Nightly {
		copyTree(t, dir)
	}
	for from, to := range toyFiles {
		write(t, filepath.Join(dir, to), read(t, from))
	}
	if len(toyEdits) > 5 {
		t.Errorf("%d existing files are edited", len(toyEdits))
	}
	page := read(t, "docs/adding-a-problem.md")
	for name, edits := range toyEdits {
		text := read(t, name)
		for _, e := range edits {
			if !strings.Contains(text, e[0]) {
				t.Fatalf("%s has no %q", name, e[0])
			}
			text = strings.Replace(text, e[0], e[1], 1)
		}
		write(t, filepath.Join(dir, name), text)
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/adding-a-problem.md does not name %s", name)
		}
	}
	if !tier.Nightly {
		here, replace := strings.TrimSpace(command(t, ".", "pwd")), map[string]string{}
		for _, name := range slices.AppendSeq(slices.Collect(maps.Keys(toyEdits)), maps.Values(toyFiles)) {
			replace[filepath.Join(here, name)] = filepath.Join(dir, name)
		}
		text, err := json.Marshal(map[string]any{"Replace": replace})
		if err != nil {
			t.Fatal(err)
		}
		overlay := filepath.Join(dir, "overlay.json")
		write(t, overlay, string(text))
		command(t, ".", "go", "build", "-overlay", overlay, "./model/toy", "./solver/toy", "./io/engine", "./instances")
		return
	}
	program := filepath.Join(dir, "mrsched")
	t.Setenv("GOFLAGS", "-trimpath -buildvcs=false") // packages that did not change come from the cache of make build
	command(t, dir, "go", "vet", "./solver/toy", "./model/toy")
	command(t, dir, "go", "build", "-o", program, ".")
	for _, line := range []string{
		"generate toy -o toy.json --seed 3", "generate toy -o other.json --seed 4",
		"solve toy.json -a all -o results/toy", "check toy.json results/toy/spt", "compare toy.json -o results/compared",
		"diff results/toy/fifo results/toy/spt", "explain toy.json results/toy/spt t1", "report results/toy/spt -o toy.html",
		"solve toy.json other.json -o results/batch", "validate toy --instances 20", "schema workload",
		"solve toy.json -a fifo --reverse -o results/reversed",
	} {
		command(t, dir, program, strings.Fields(line)...)
	}
	text := read(t, filepath.Join(dir, "results/toy/spt/result.json"))
	for _, want := range []string{`"status": "optimal"`, `"ordered_tasks": 4`} {
		if !strings.Contains(text, want) {
			t.Errorf("result.json lacks %s\n%s", want, text)
		}
	}
}

// copyTree copies the sources of the program: Go files except tests of packages, and the files beside them.
func copyTree(t *testing.T, dir string) {
	t.Helper()
	list := command(t, ".", "git", "ls-files", "--cached", "--others", "--exclude-standard", "go.mod", "go.sum", "main.go",
		"model", "solver", "instances", "io")
	for name := range strings.Lines(list) {
		name = strings.TrimSpace(name)
		if strings.Contains(name, "/") && strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") {
			continue
		}
		if _, err := os.Stat(name); err == nil { // not deleted
			write(t, filepath.Join(dir, name), read(t, name))
		}
	}
}

// command runs a command in a folder and returns what it prints.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return string(out)
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
