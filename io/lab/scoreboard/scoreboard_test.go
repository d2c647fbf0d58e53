package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const data = "../../../testdata"

// bench makes a folder of small sets: files of testdata with their values.
func bench(t *testing.T, optima string) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name string, text []byte) {
		path := filepath.Join(dir, name)
		must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)))
	}
	of := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(data, name))
		must(t, err)
		return text
	}
	put("stg/50/fork.stg", of("stg/fork.stg"))
	put("stg/optima.csv", []byte(optima))
	put("pcmax/three.txt", of("pcmax/three.txt"))
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		put("wfinstances/"+name+".json", of("wfformat/diamond.json"))
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(of("rcmax/pairs.txt"))
	_ = z.Close()
	put("rcmax-fanjul/Set-1.txt.gz", packed.Bytes())
	put("rwct/two.csv", of("rwct/two.csv"))
	put("rwct/more.csv", of("rwct/two.csv"))
	put("rwct/values.csv", []byte("instance,machines,jobs,objective,status\ntwo,2,3,22.5,bpc\nmore,2,101,,none\n"))
	put("psplib/small.sm", of("psplib/small.sm"))
	put("psplib/optima.csv", []byte("instance,optimum\nsmall.sm,12\n"))
	put("rcpsp/small.rcp", of("psplib/small.rcp"))
	put("rcpsp/values.csv", []byte("instance,best_known,a,b,c,d,e,f,g\nsmall.rcp,12,12,12.0,,,,12,11.0\n"))
	put("rcmax-fanjul/values.csv", []byte("type,instance,A value,A opt,B value,B opt\nSet,1,3,0,2,1\n"))
	return dir
}

// scoreOf runs the sets. It returns the table lines of the document, and the rows.
func scoreOf(t *testing.T, rows string, args ...string) (table, log string, err error) {
	t.Helper()
	document := filepath.Join(t.TempDir(), "scoreboard.md")
	var stderr bytes.Buffer
	err = board(context.Background(), append([]string{"-rows", rows, "-o", document, "-threads", "1"}, args...), &stderr)
	text, readErr := os.ReadFile(document)
	raw, rawErr := os.ReadFile(rows)
	if readErr != nil || rawErr != nil {
		t.Fatal(err, readErr, rawErr, stderr.String())
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "|") || strings.HasPrefix(line, "- `") {
			table += line
		}
	}
	return table, string(raw), err
}

// TestScoreboard solves the small sets. By hand, the fork takes 9 s on 2 machines, the three lengths 6 s, and the pairs
// 2 s; two.csv costs 22.5, small.sm and small.rcp take 12 s, and diamond.json 43 s on its own machines. A finished run
// is not repeated; a row that was cut short is.
func TestScoreboard(t *testing.T) {
	dir := bench(t, "50/fork.stg,2,9\n50/fork.stg,1,10.5\n50/fork.stg,3,8,10\n50/fork.stg,4,9,9\n")
	rows := filepath.Join(t.TempDir(), "deep", "rows.jsonl")
	args := []string{"-only", "stg,stg-open,wfinstances-nodes,pcmax,rcmax-fanjul,rwct,rwct-large,psplib,rcpsp",
		"-scale", "0.1", dir}
	table, log, err := scoreOf(t, rows, args...)
	must(t, err)
	for _, want := range []string{
		"| `stg` | 3 of 3 | 200ms | 1 of ", "| 3 of 3 | 1 | 1 | 3 | 1 |\n",
		"| `stg-open` | 1 of 1 | 3s | 1 of ", "| 1 of 1, 1 better | 0.9 | 0.9 | 1 | 1 |\n",
		"| `pcmax` | 1 of 1 | 1s | 1 of ", "| – | – | – | 1 | 1 |\n",
		"| `rcmax-fanjul` | 1 of 1 | 6s | 1 of ", "| 1 of 1 | 1 | 1 | 1 | 1 |\n",
		"- `wfinstances`: executed workflows of WfInstances on 16 machines, makespan; no known values; not run.\n",
		"| `wfinstances-nodes` | 5 of 5 | 2s | 1 of ", "| – | – | – | 5 | 1 |\n",
		"| `rwct` | 1 of 1 | 3s | 1 of ", "| `rwct-large` | 1 of 1 | 3s | 1 of ", "| `psplib` | 1 of 1 | 500ms | 1 of ",
		"| `rcpsp` | 1 of 1 | 6s | 1 of ",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
	if n := strings.Count(table, "| 1 of 1 | 1 | 1 | 1 | 1 |\n"); n != 4 {
		t.Errorf("%d sets of one instance are solved, not rcmax-fanjul, rwct, psplib and rcpsp:\n%s", n, table)
	}
	again, same, err := scoreOf(t, rows, args...)
	if err != nil || again != table || same != log {
		t.Errorf("%v: run again, the table is\n%sit was\n%s", err, again, table)
	}
	must(t, os.WriteFile(rows, []byte(log[:len(log)-3]), 0o644))
	mended, _, err := scoreOf(t, rows, args...)
	if err != nil || mended != table {
		t.Errorf("%v: after a cut, the table is\n%sit was\n%s", err, mended, table)
	}
}

// TestScoreboardSample runs every second instance, and mixes of the workflows with random weights.
func TestScoreboardSample(t *testing.T) {
	dir := bench(t, "")
	table, log, err := scoreOf(t, filepath.Join(t.TempDir(), "rows.jsonl"), "-only", "wfinstances,mixes", "-sample", "2",
		"-scale", "0.05", dir)
	if err != nil || !strings.Contains(table, "| `wfinstances` | 3 of 5 | 500ms | 1 of ") ||
		!strings.Contains(table, "| `mixes` | 2 of 3 | 1.5s | 1 of ") || !strings.Contains(log, "\"5 workflows, seed 3\"") {
		t.Errorf("%v\n%s\n%s", err, table, log)
	}
}

// TestWrongValues: a schedule below a known lower bound, or a bound above a known value, is an error and counts
// nowhere.
func TestWrongValues(t *testing.T) {
	dir := bench(t, "50/fork.stg,2,8\n50/fork.stg,1,13\n50/fork.stg,3,9\n")
	table, _, err := scoreOf(t, filepath.Join(t.TempDir(), "rows.jsonl"), "-only", "stg", "-scale", "0.1", dir)
	if err == nil || !strings.Contains(err.Error(), "50/fork.stg on 2: the bound is above the known value 8") ||
		!strings.Contains(err.Error(), "50/fork.stg on 1: the schedule is better than the known lower bound 13") ||
		!strings.Contains(table, "| 1 of 1 | 1 | 1 | 1 | 1 |\n") {
		t.Errorf("%v\n%s", err, table)
	}
}

// TestArguments: invalid arguments give a message, and nothing is written.
func TestArguments(t *testing.T) {
	rows := filepath.Join(t.TempDir(), "rows.jsonl")
	for _, args := range [][]string{{}, {"a", "b"}, {"-only", "stgs", "a"}, {"-sample", "0", "a"}, {"-scale", "0", "a"}} {
		if err := board(context.Background(), append([]string{"-rows", rows}, args...), &bytes.Buffer{}); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
	if _, err := os.Stat(rows); err == nil {
		t.Error("the file of rows was made")
	}
}

// must fails a test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
