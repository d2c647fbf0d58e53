package campaign

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"
)

// begun is the environment variable with the time at which make reliability began, in seconds since 1970, and the
// revision that it ran on.
const begun = "CAMPAIGN_BEGIN"

// manner says how the campaigns ran: in one piece on a revision, as make reliability says, or each by itself.
func manner(t *testing.T) string {
	t.Helper()
	text := os.Getenv(begun)
	if text == "" {
		return "The campaigns ran one by one."
	}
	seconds, revision, _ := strings.Cut(text, " ")
	begin, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		t.Fatalf("%s is %q, expected seconds and a revision", begun, text)
	}
	return fmt.Sprintf("`make reliability CAMPAIGN_SCALE=%s` ran in one piece on revision %s, in %d minutes.",
		cmp.Or(os.Getenv("CAMPAIGN_SCALE"), "1"), cmp.Or(revision, "unknown (no git)"),
		int(time.Since(time.Unix(begin, 0)).Minutes()+0.5))
}

// TestReliabilityDocument compares the sums of the table of evidence with its rows, and demands that its commands are
// make targets and that no defect is left. With a directory of evidence, as from make evidence, it writes the table
// instead.
func TestReliabilityDocument(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const name, begin, end = "../../../docs/reliability.md", "<!-- begin: evidence -->\n", "<!-- end: evidence -->"
	before, text, ok := strings.Cut(read(name), begin)
	text, after, closed := strings.Cut(text, end)
	if !ok || !closed {
		t.Fatalf("%s has no %s%s", name, begin, end)
	}
	if directory != "" {
		rows, err := ReadRows(directory)
		if err != nil {
			t.Fatal(err)
		}
		table, err := Table(rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, gap := range gaps(rows, targets(t)) {
			t.Error(gap)
		}
		text = fmt.Sprintf("On %s, %s on %s/%s with %d processors. %s\n\n%s", time.Now().Format(time.DateOnly),
			runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), manner(t), table)
		if err := os.WriteFile(name, []byte(before+begin+text+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	head, table, ok := strings.Cut(text, "\n\n")
	if !ok || !strings.HasPrefix(head, "On ") {
		t.Fatalf("the evidence begins with %q", head)
	}
	rows, err := ParseTable(table)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Table(rows)
	if more := diff.Diff(strings.Split(table, "\n"), strings.Split(again, "\n")); err != nil || more != "" {
		t.Errorf("this is not the table of its rows: %v\n%s", err, more)
	}
	for _, gap := range few(rows) {
		t.Error(gap)
	}
	make := read("../../../Makefile")
	for _, r := range rows {
		target := strings.TrimPrefix(r.Command, "make ")
		if !strings.Contains(make, "\n"+target+": ") {
			t.Errorf("%s: %q is no target", r.Name, r.Command)
		}
		if r.Tried <= 0 || r.Found != 0 {
			t.Errorf("%s: %d tried, %d defects", r.Name, r.Tried, r.Found)
		}
	}
}
