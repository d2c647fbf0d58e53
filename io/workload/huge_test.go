package workload

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/tier"
)

// repeat repeats a text.
type repeat struct {
	text string
	left int64
	i    int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), r.left))
	for k := range p[:n] {
		p[k] = r.text[r.i]
		if r.i++; r.i == len(r.text) {
			r.i = 0
		}
	}
	r.left -= int64(n)
	return n, nil
}

const huge = 100_000_000

// allocated is the total memory allocated while f runs.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestHuge reads a string, a line and a field of 100 MB, which are rejected, and a compact document of 100 MB, which is
// accepted.
func TestHuge(t *testing.T) {
	tier.Repeats(t)
	const start = `{"format":"mrsched-workload/1","jobs":[{"id":"j"}],"tasks":[{"id":"t","job":"j","kind":"map"}]`
	var err error
	if n := allocated(func() {
		_, err = ReadJSON(io.MultiReader(strings.NewReader(start+`,"name":"`), &repeat{text: "x", left: huge}),
			"w", Options{})
	}); n > 16<<20 || err == nil || !strings.HasPrefix(err.Error(), "F106 w:1:") {
		t.Errorf("string: %d bytes allocated; %v", n, err)
	}
	blanks := strings.Repeat(" ", 50_000)
	var w *model.Workload
	if n := allocated(func() {
		w, err = ReadJSON(io.MultiReader(strings.NewReader(start+`,"notes":[""`),
			&repeat{text: "," + blanks + `"n"`, left: 50_004 * 2000},
			strings.NewReader("]}")), "w", Options{})
	}); n > 16<<20 || err != nil || len(w.Notes) != 2001 {
		t.Errorf("compact document: %d bytes allocated; %v", n, err)
	}
	_, err = ReadJSON(io.MultiReader(strings.NewReader(start+`,"notes":[""`),
		&repeat{text: "," + blanks + `"n"`, left: 50_004 * 2000},
		strings.NewReader(",7]}")), "w", Options{})
	if want := fmt.Sprintf("V201 w:1:%d: a note is a number; expected a string; hint: write it in quotes",
		len(start)+len(`,"notes":[""`)+50_004*2000+2); err == nil || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
	for name, text := range map[string]string{"line": "x,", "field": "x", "open quote": "\"\n"} {
		l := &lane{out: make(chan func(*model.Builder), batches)}
		quote := map[bool]string{true: `"`}[name == "open quote"]
		in := io.MultiReader(strings.NewReader("id\n"+quote), &repeat{text: strings.TrimPrefix(text, quote), left: huge})
		n := allocated(func() { jobsTable.readCSV(l, newText(in)) })
		if err := l.findings.Err(); n > 128<<20 || err == nil ||
			err.Error() != "F106 w:2:1: more than 1048576 bytes from here without the end of a value; expected shorter "+
				"values; hint: look for a missing quote" {
			t.Errorf("%s: %d bytes allocated; %v", name, n, err)
		}
	}
}
