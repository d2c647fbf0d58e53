package campaign

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Directory is the environment variable that names the directory of the evidence.
const Directory = "MRSCHED_CAMPAIGN_DIR"

// directory is the value of the variable Directory. The program under attack refuses unknown variables MRSCHED_…, so
// this one leaves the environment before any test runs.
var directory = func() string {
	dir := os.Getenv(Directory)
	if err := os.Unsetenv(Directory); err != nil {
		panic(err) // the name is a constant that every system accepts
	}
	return dir
}()

// Row is one row of the table of evidence.
type Row struct {
	Name    string `json:"name"`    // the subject, such as "mutations msjo"; each name is one file
	Command string `json:"command"` // that does it again, such as "make mutations"
	Tried   int    `json:"tried"`   // cases
	Found   int    `json:"found"`   // defects among them
	Text    string `json:"text"`    // what the two numbers count, and further remarks
}

// Record writes a row as NAME.json, with dashes for all but letters and digits, into the directory that the environment
// variable Directory names, which must exist. Without the variable it writes into a temporary directory, so that the
// code is always tested.
func Record(t testing.TB, r Row) {
	t.Helper()
	dir := directory
	if dir == "" {
		dir = t.TempDir()
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, r.Name)
	if err := os.WriteFile(filepath.Join(dir, name+".json"), append(text, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d tried, %d found; %s", r.Name, r.Tried, r.Found, r.Text)
}
