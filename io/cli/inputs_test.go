package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/io/engine"
)

// TestUnusedColumnsAreTold: solve names unused columns on one line and in result.json; with --strict it rejects the
// instance.
func TestUnusedColumnsAreTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.json")
	text := `{"format":"mrsched-workload/1","machines":1,"jobs":[{"id":"a","deadline":9,"intermediate_bytes":5}],
		"tasks":[{"id":"m","job":"a","kind":"map","processing_time":1,"memory_bytes":7},
		{"id":"r","job":"a","kind":"reduce","processing_time":1}]}`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"mrsched", "solve", path, "-p", "msjo", "-a", "mars", "--json"}, nil, &stdout,
		&stderr); code != engine.ExitDone {
		t.Fatal(code, stderr.String())
	}
	want := "note: msjo does not use jobs.deadline, jobs.intermediate_bytes and tasks.memory_bytes; their values " +
		"change nothing\n"
	if !strings.Contains(stderr.String(), want) {
		t.Errorf("%s\nlacks\n%s", stderr.String(), want)
	}
	if want := `"inputs":{"unused":["jobs.deadline","jobs.intermediate_bytes","tasks.memory_bytes"]}`; !strings.Contains(
		stdout.String(), want) {
		t.Errorf("%s\nlacks\n%s", stdout.String(), want)
	}
	stderr.Reset()
	code := Main([]string{"mrsched", "solve", path, "-p", "msjo", "--strict"}, nil, io.Discard, &stderr)
	if want := "S415 " + path + ":1:53: msjo does not use jobs.deadline"; code != engine.ExitUsage ||
		!strings.Contains(stderr.String(), want) {
		t.Errorf("exit %d\n%s\nlacks\n%s", code, stderr.String(), want)
	}
}

// TestContradictionIsTold: intermediate_bytes that differ from the output of the maps give a note, and an error with
// --strict.
func TestContradictionIsTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.json")
	text := `{"format":"mrsched-workload/1","machines":1,"jobs":[{"id":"a","intermediate_bytes":40000000000}],
		"tasks":[{"id":"m","job":"a","kind":"map","processing_time":1,"output_bytes":1},
		{"id":"r","job":"a","kind":"reduce","processing_time":1}]}`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, strict := range []bool{false, true} {
		var stderr bytes.Buffer
		args := []string{"mrsched", "solve", path, "-p", "multitenant", "-a", "fair"}
		want, exit := `:1:53: job "a" states intermediate_bytes 40000000000, and its maps write 1; expected`, engine.ExitDone
		if strict {
			args, want, exit = append(args, "--strict"), `S416 `+path+`:1:53: job "a" states`, engine.ExitUsage
		}
		if code := Main(args, nil, io.Discard, &stderr); code != exit || !strings.Contains(stderr.String(), want) {
			t.Errorf("exit %d\n%s\nlacks\n%s", code, stderr.String(), want)
		}
	}
}

// TestUnusedNotes: a single column is named as such, and so is a table that is not used at all. Of two columns that
// contradict each other the unused one is named, with the contradiction if the other one counts.
func TestUnusedNotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.json")
	const (
		head    = `{"format":"mrsched-workload/1","machines":1,"jobs":[{"id":"a","map_work":1,"task_overhead":1`
		states  = `,"intermediate_bytes":9}],"tasks":[{"id":"m","job":"a","kind":"map","processing_time":1,"output_bytes":1}`
		reduce  = `,{"id":"r","job":"a","kind":"reduce","processing_time":1`
		slots   = `}],"slots":[{"id":"s","cost":1}]}`
		end     = "; its values change nothing\n"
		against = `w.json:1:53: job "a" states intermediate_bytes 9, and its maps write 1; `
	)
	for _, c := range []struct {
		flags, text string
		want        []string
		lacks       string
	}{
		{"-p multitenant -a fair", head + states + reduce + "}]}", []string{against,
			"multitenant does not use jobs.intermediate_bytes, jobs.map_work and jobs.task_overhead; their values change"}, ""},
		{"-p reduceplace -a greedy", head + states + reduce + slots, []string{against, "and tasks.output_bytes; their"}, ""},
		{"-p reduceplace -a greedy", head + states + reduce + `,"input_bytes":3` + slots, []string{
			"jobs.intermediate_bytes, jobs.task_overhead, tasks.processing_time and tasks.output_bytes; their"}, against},
		{"-p msjo -a mars --machines 2", `{"format":"mrsched-workload/1","machines":1,"jobs":[{"id":"a"}],
			"tasks":[{"id":"m","job":"a","kind":"map","processing_time":1}]}`, []string{"does not use machines" + end}, against},
		{"-p realtime -a hash --goal partitions", `{"format":"mrsched-workload/1","machines":1,"jobs":[{"id":"a"}],
			"tasks":[{"id":"m","job":"a","kind":"map","block":"b"},{"id":"r","job":"a","kind":"reduce","processing_time":1}],
			"placements":[{"block":"b","node":"n"}],"topology":[{"id":"n","kind":"node","reduce_slots":1}]}`,
			[]string{"does not use machines, tasks.block and the table placements; their"}, against},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		args := append([]string{"mrsched", "solve", path}, strings.Fields(c.flags)...)
		if code := Main(args, nil, io.Discard, &stderr); code != engine.ExitDone {
			t.Errorf("%s: exit %d", c.flags, code)
		}
		for _, want := range c.want {
			if !strings.Contains(stderr.String(), want) {
				t.Errorf("%s:\n%s\nlacks\n%s", c.flags, stderr.String(), want)
			}
		}
		if c.lacks != "" && strings.Contains(stderr.String(), c.lacks) {
			t.Errorf("%s:\n%s\nhas\n%s", c.flags, stderr.String(), c.lacks)
		}
	}
}
