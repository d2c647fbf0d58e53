package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"mrsched/io/engine"
)

// TestUnusedNotes: a single column is named as such, and so is a table that is not used at all. Of two columns that
// contradict each other the unused one is named, with the contradiction if the other one counts; with --strict that is
// an error.
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
		{"-p multitenant -a fair --strict", head + states + reduce + "}]}", []string{"S416 ", against}, ""},
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
		writeText(t, path, c.text)
		exit := engine.ExitDone
		if strings.Contains(c.flags, "--strict") {
			exit = engine.ExitUsage
		}
		_, stderr := runBoth(t, exit, append([]string{"solve", path}, strings.Fields(c.flags)...)...)
		for _, want := range c.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s:\n%s\nlacks\n%s", c.flags, stderr, want)
			}
		}
		if c.lacks != "" && strings.Contains(stderr, c.lacks) {
			t.Errorf("%s:\n%s\nhas\n%s", c.flags, stderr, c.lacks)
		}
	}
}
