package workload

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/tier"
)

// TestCountObjects: the rows of a document are counted, and its reader keeps its position. Braces without rows reserve
// no more than rows of as many bytes.
func TestCountObjects(t *testing.T) {
	var doc bytes.Buffer
	doc.WriteString("before")
	try(t, WriteJSON(&doc, cluster(t, 40_000, 80)))
	for text, want := range map[string]map[model.Table]int{
		doc.String(): {model.TableTasks: 40_000, model.TablePlacements: 120_000},
		`before{"notes":["history"],"tasks":[` + strings.Repeat("{", longFile): {model.TableTasks: 0},
		`before{"tasks":[` + strings.Repeat(`{""""""""`, longFile/4):           {model.TableTasks: longFile / 4 * 9 / minObject},
		`before{"tasks":[{},{},{}]}`:                                           {}, // too short
	} {
		r := strings.NewReader(text)
		_, _ = r.Seek(int64(len("before")), io.SeekStart)
		got := countObjects(r)
		for table := range reservers {
			if got[table] != want[table] {
				t.Errorf("%.50s: %d rows of %s, want %d", text, got[table], table, want[table])
			}
		}
		if rest, _ := io.ReadAll(r); "before"+string(rest) != text {
			t.Errorf("%.50s: %d bytes are left of %d", text, len(rest), len(text))
		}
	}
}

// TestCountLines: lines are counted, and a file of blank ones reserves no more than rows of its size.
func TestCountLines(t *testing.T) {
	for line, want := range map[string]int{"task1,job1,map,20\n": longFile, "\n": longFile / minLine, "": 0} {
		if got := countLines(strings.NewReader(strings.Repeat(line, longFile))); got != want {
			t.Errorf("%q: %d rows, want %d", line, got, want)
		}
	}
}

// TestReserved: counted tables have room for their rows and little more.
func TestReserved(t *testing.T) {
	tier.Slow(t)
	want := cluster(t, 40_000, 80)
	for _, name := range []string{"w", "w.json"} {
		name = filepath.Join(t.TempDir(), name)
		try(t, Write(name, want, false, nil))
		w, err := Read(name, nil, Options{})
		if err != nil || cap(w.Tasks) > len(w.Tasks)*11/10 {
			t.Errorf("%s: room for %d tasks, there are %d; %v", name, cap(w.Tasks), len(w.Tasks), err)
		}
	}
}
