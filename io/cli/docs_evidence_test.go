package cli

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mrsched/io/lab/campaign"
)

// evidenceRegion is where docs/reliability.md has the table.
const evidenceRegion = "evidence"

// TestReliabilityDocument writes the table of evidence, if make evidence calls it with a directory of what the
// campaigns left; else it compares the table's sums with its rows, and demands that its commands are make targets and
// that no defect is left.
func TestReliabilityDocument(t *testing.T) {
	const name = "docs/reliability.md"
	if dir := campaign.Dir(); dir != "" {
		rows, err := campaign.ReadRows(dir)
		if err != nil {
			t.Fatal(err)
		}
		table, err := campaign.Table(rows)
		if err != nil {
			t.Fatal(err)
		}
		*update = true
		document(t, name, map[string]string{evidenceRegion: fmt.Sprintf("On %s, %s on %s/%s with %d processors:\n\n%s",
			time.Now().Format(time.DateOnly), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), table)})
		return
	}
	_, text, _ := strings.Cut(readText(t, filepath.Join(root, name)), "<!-- begin: "+evidenceRegion+" -->\n")
	text, _, _ = strings.Cut(text, "<!-- end: ")
	head, table, ok := strings.Cut(text, "\n\n")
	if !ok || !strings.HasPrefix(head, "On ") {
		t.Fatalf("the evidence begins with %q", head)
	}
	rows, err := campaign.ParseTable(table)
	if err != nil {
		t.Fatal(err)
	}
	again, err := campaign.Table(rows)
	if diff := cmp.Diff(strings.Split(table, "\n"), strings.Split(again, "\n")); err != nil || diff != "" {
		t.Errorf("this is not the table of its rows: %v\n%s", err, diff)
	}
	make := readText(t, filepath.Join(root, "Makefile"))
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
