package campaign

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// outcomes counts the tests of a run of go test -json, with subtests.
type outcomes struct {
	sync.Mutex // for those that count

	passed, failed, skipped int
	why                     []string // what failed, with the end of its output, and what was skipped
}

// said is how many bytes of a failed test's output are kept.
const said = 4000

// count reads what go test -json prints.
func (o *outcomes) count(text []byte) error {
	output := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var event struct{ Action, Package, Test, Output string }
		if err := d.Decode(&event); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if event.Test == "" && event.Action != "fail" && event.Action != "output" {
			continue
		}
		switch event.Action {
		case "output":
			output[event.Test] += event.Output
		case "pass":
			delete(output, event.Test)
			o.passed++
		case "fail":
			o.failed++
			text := output[event.Test]
			o.why = append(o.why, "failed: "+event.Package+" "+event.Test+"\n"+text[max(0, len(text)-said):])
		case "skip":
			delete(output, event.Test)
			o.skipped++
			o.why = append(o.why, "skipped: "+event.Package+" "+event.Test)
		}
	}
}

// races counts the reports of the race detector in a directory and returns their text.
func races(dir string) (n int, text string, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "race.*"))
	for _, path := range paths {
		report, err := os.ReadFile(path)
		if err != nil {
			return n, text, err
		}
		n += bytes.Count(report, []byte("WARNING: DATA RACE"))
		text += string(report)
	}
	return n, text, err
}

func TestRaceCounts(t *testing.T) {
	o := &outcomes{}
	lines := `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- PASS: TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA/one"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestC","Output":"one is two\n"}
{"Action":"fail","Package":"p","Test":"TestC"}
{"Action":"fail","Package":"p"}
`
	if err := o.count([]byte(lines)); err != nil || o.passed != 2 || o.skipped != 1 || o.failed != 2 || len(o.why) != 3 ||
		o.why[1] != "failed: p TestC\none is two\n" {
		t.Errorf("%+v, %v", o, err)
	}
	if o.count([]byte("{")) == nil {
		t.Error("half a line is no error")
	}
	dir := t.TempDir()
	report := "==================\nWARNING: DATA RACE\nRead at 0x1\n==================\nWARNING: DATA RACE\nWrite at 0x1\n"
	if err := os.WriteFile(filepath.Join(dir, "race.17"), []byte(report), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, text, err := races(dir); n != 2 || !strings.Contains(text, "Write at") || err != nil {
		t.Errorf("%d races, %q, %v", n, text, err)
	}
}
