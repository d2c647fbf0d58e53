package campaign

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	noError(t, err)
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, r.Name)
	noError(t, os.WriteFile(filepath.Join(dir, name+".json"), append(text, '\n'), 0o600))
	t.Logf("%s: %d tried, %d found; %s", r.Name, r.Tried, r.Found, r.Text)
}

// total is a line of the summary: the sum of all rows of a make target, or of those whose names contain a word.
type total struct {
	what    string // that is counted
	command string
	with    string // in the name of every row that counts; empty: of those that no earlier line of the same command counts
	defects string // what Found counts
}

// totals are the lines of the summary. Without rows there is no evidence, and no table.
var totals = []total{
	{"inputs that fuzzing gave to readers and checkers", "make fuzz", "", "panics, hangs, wrong answers"},
	{"processes killed with kill -9", "make faults", "kill", "results lost or half written"},
	{"other faults: disks, paths, signals, limits, streams, lp_solve", "make faults", "",
		"results lost, half written or silently wrong, wrong exit codes"},
	{"runs on instances with extreme numbers", "make numbers", "", "bounds that are not true, crashes"},
	{"schedules changed to break a rule, or at random", "make mutations", "rules",
		"on which check and naive evaluation disagree"},
	{"corrupted results given to check", "make mutations", "", "neither detected nor harmless"},
	{"tests under the race detector", "make race", "", "races"},
	{"solves, models of lp_solve, tests under the address sanitizer", "make leaks", "", "leaks"},
	{"runs compared byte for byte", "make determinism", "", "differences"},
}

// ReadRows reads what Record left in a directory, sorted by command as in the summary, then by name.
func ReadRows(dir string) ([]Row, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var r Row
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		rows = append(rows, r)
	}
	place := func(r Row) int { return slices.IndexFunc(totals, func(x total) bool { return x.counts(r) }) }
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.Name, b.Name))
	})
	return rows, nil
}

// counts says whether a row belongs to the summary's line.
func (x total) counts(r Row) bool {
	return r.Command == x.command && strings.Contains(r.Name, x.with)
}

// The heads of the two tables of evidence.
const (
	summaryHead = "| what was tried | how often | defects left | command |\n|---|--:|---|---|\n"
	rowsHead    = "| campaign | tried | defects | what is counted |\n|---|--:|--:|---|\n"
)

// Table is the evidence as Markdown: a summary, and below it a line for each row. Every row must belong to a line of
// the summary, and every line must have a row.
func Table(rows []Row) (string, error) {
	tried, found, of := make([]int, len(totals)), make([]int, len(totals)), make([]int, len(totals))
	var list strings.Builder
	for _, r := range rows {
		i := slices.IndexFunc(totals, func(x total) bool { return x.counts(r) })
		if i < 0 {
			return "", fmt.Errorf("no line of the summary counts %s of %q", r.Name, r.Command)
		}
		tried[i], found[i], of[i] = tried[i]+r.Tried, found[i]+r.Found, of[i]+1
		fmt.Fprintf(&list, "| %s | %d | %d | %s |\n", r.Name, r.Tried, r.Found, strings.ReplaceAll(r.Text, "|", "/"))
	}
	var b strings.Builder
	b.WriteString(summaryHead)
	for i, x := range totals {
		if of[i] == 0 {
			return "", fmt.Errorf("no evidence of %s: %s", x.what, x.command)
		}
		fmt.Fprintf(&b, "| %s | %d | %d %s | `%s` |\n", x.what, tried[i], found[i], x.defects, x.command)
	}
	return b.String() + "\n" + rowsHead + list.String(), nil
}

// ParseTable reads the rows of a text that Table made. Their commands are those of the summary's lines.
func ParseTable(text string) ([]Row, error) {
	_, list, ok := strings.Cut(text, rowsHead)
	if !ok {
		return nil, errors.New("there is no table of campaigns")
	}
	var rows []Row
	for line := range strings.Lines(list) {
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "| "), " |"), " | ")
		if len(cells) != 4 {
			return nil, fmt.Errorf("%q has %d cells", line, len(cells))
		}
		r := Row{Name: cells[0], Text: cells[3]}
		for i, at := range []*int{&r.Tried, &r.Found} {
			n, err := strconv.Atoi(cells[i+1])
			if err != nil {
				return nil, err
			}
			*at = n
		}
		campaign, _, _ := strings.Cut(r.Name, " ")
		r.Command = "make " + campaign
		rows = append(rows, r)
	}
	return rows, nil
}
