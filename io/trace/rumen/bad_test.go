package rumen

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
)

// TestBad imports every file of testdata/rumen/bad, named after the code that it provokes, and compares the whole
// message with the .golden beside it. Topologies go with rules.json.
func TestBad(t *testing.T) {
	for _, pattern := range []string{"*.json", "*.gz", "topology/*.json"} {
		golden.Bad(t, filepath.Join(data, "bad", pattern), func(path string) (*model.Workload, error) {
			name := filepath.Base(path)
			trace, topology := "bad/"+name, ""
			if filepath.Dir(pattern) != "." {
				trace, topology = "rules.json", "bad/topology/"+name
			}
			return importFiles(t, trace, topology, Options{})
		})
	}
}

// forever repeats a text without end.
type forever string

func (f forever) Read(p []byte) (int, error) {
	n := 0
	for n+len(f) <= len(p) {
		n += copy(p[n:], f)
	}
	if n == 0 {
		return copy(p, f), nil
	}
	return n, nil
}

// TestHostile feeds endless input: the import must stop soon, without storing it.
func TestHostile(t *testing.T) {
	const tooLong = "more than 1048576 bytes from here without the end of a value; expected shorter values; hint: look " +
		"for a missing quote"
	const tooDeep = "exceeded max depth; expected JSON"
	cases := map[string]struct {
		head     string
		tail     forever
		topology bool
		want     string
	}{
		"string":          {`{"jobName":"`, "x", false, "F106 f:1:11: " + tooLong},
		"key":             {`{"`, "x", false, "F106 f:1:2: " + tooLong},
		"id":              {`{"jobID":"`, "x", false, "F106 f:1:9: " + tooLong},
		"number":          {`{"jobID":"j","submitTime":1`, "0", false, "F106 f:1:26: " + tooLong},
		"blanks":          {`{`, " \n", false, "F106 f:1:2: " + tooLong},
		"blanks first":    {``, " \n", false, "F106 f:1:1: " + tooLong},
		"arrays":          {`{"x":`, "[", false, "F103 f:1:10005: " + tooDeep},
		"objects":         {`{"x":`, `{"x":`, false, "F103 f:1:50001: " + tooDeep},
		"jobs in jobs":    {``, `{"jobID":`, false, "F103 f:1:90001: " + tooDeep},
		"elements":        {``, `{"children":[`, true, "F103 f:1:65001: " + tooDeep},
		"element name":    {`{"name":"`, "x", true, "F106 f:1:8: " + tooLong},
		"element nesting": {`{"name":`, "[", true, "F103 f:1:10008: " + tooDeep},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			file := trace.File{Name: "f", Text: io.MultiReader(strings.NewReader(c.head), c.tail)}
			var err error
			if c.topology {
				_, err = Import(golden.Text(string(read(t, "rules.json")))[0], &file, Options{})
			} else {
				_, err = Import(file, nil, Options{})
			}
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Fatal("no error")
			}
			if got, _, _ := strings.Cut(err.Error(), "\n"); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
				t.Errorf("%d MiB were allocated", used>>20)
			}
		})
	}
}

// TestLongID: ids beyond 64 KiB are findings; long values under other keys are not.
func TestLongID(t *testing.T) {
	long := strings.Repeat("x", maxID)
	jobs := `{"jobID":"` + long + `"}{"jobName":"` + long + `","jobID":"j","user":"` + long +
		`","mapTasks":[{"taskID":"` + long + `"}]}`
	_, err := Import(golden.Text(jobs)[0], nil, Options{})
	want := ""
	for _, key := range []string{"jobID", "user", "taskID"} {
		at := strings.Index(jobs, `"`+key+`":"`+"x") + len(key) + 4
		want += fmt.Sprintf("F106 f:1:%d: %s is %d bytes long; expected at most %d bytes\n", at, key, maxID+2, maxID)
	}
	want = strings.TrimSuffix(want, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
	deep := `{"name":"h"}`
	for _, c := range "cba" { // from the inside out
		deep = `{"name":"` + strings.Repeat(string(c), maxID/2) + `","children":[` + deep + `]}`
	}
	deep = `{"name":"r","children":[` + deep + `]}`
	_, err = Import(golden.Text(`{}`)[0], &golden.Text(deep)[0], Options{})
	deepWant := fmt.Sprintf("F106 f:1:%d: the names from the root down to here are %d bytes long; expected at most %d "+
		"bytes",
		strings.Index(deep, `"bb`)+1, maxID+1, maxID)
	if err == nil || !strings.Contains(err.Error(), deepWant) {
		t.Errorf("error\n%.300v\nwant\n%s", err, deepWant)
	}
}

// TestManyReplicas: of an absurd number of locations only the first ones are kept.
func TestManyReplicas(t *testing.T) {
	var b strings.Builder
	b.WriteString(
		`{"jobID":"j","mapTasks":[{"taskID":"t","attempts":[{"result":"SUCCESS","startTime":1,"finishTime":2}],"preferredLocations":[{"layers":[]},{"layers":null},{}`)
	for i := range maxReplicas + 5 {
		b.WriteString(`,{"layers":["r","h` + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + `"]}`)
	}
	b.WriteString(`]}]}`)
	w, err := Import(golden.Text(b.String())[0], nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Placements) != maxReplicas {
		t.Errorf("%d placements", len(w.Placements))
	}
	noted(t, w, "8 replicas without a host are dropped")
}
