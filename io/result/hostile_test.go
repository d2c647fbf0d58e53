package result

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/io/textpos"
	"mrsched/model"
)

// TestLongHeader: messages about a file have a few lines, however long the file's lines are.
func TestLongHeader(t *testing.T) {
	path := filepath.Join(t.TempDir(), ScheduleFile)
	for name, text := range map[string]string{
		"header": strings.Repeat("[", 1<<20), "columns": strings.Join(common, ",") + strings.Repeat(",x", 1<<19) + "\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSide(path, "s", known); err == nil || len(err.Error()) > 2*maxMessage {
			t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
		}
	}
}

// TestTooLarge: documents, directories and schedules stop at the limit, whatever reads them.
func TestTooLarge(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{ResultFile, ScheduleFile} {
		if err := os.WriteFile(filepath.Join(dir, name), bytes.Repeat([]byte(" "), 1000), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	defer textpos.SetMaxInput(999)()
	read := func(path string) error {
		_, _, err := Read(path)
		return err
	}
	side := func(path string) error {
		_, err := ReadSide(path, path, known)
		return err
	}
	for name, err := range map[string]error{
		"directory": read(dir), "document": read(filepath.Join(dir, ResultFile)), "side": side(dir),
		"schedule": side(filepath.Join(dir, ScheduleFile)),
	} {
		input, ok := errors.AsType[*model.InputError](err)
		if !ok || input.Findings[0].Code != model.CodeTooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHostileRows: a schedule with any ids is read as it was written, and no cell of the file begins like a formula.
func TestHostileRows(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		start := rapid.SampledFrom([]string{"", "=", "+", "-", "@", "'", "'=", "''@", "\t", "-7", "＝"}).Draw(t, "start")
		return strings.ReplaceAll(start+rapid.String().Draw(t, "rest"), "\r\n", "")
	})
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Row {
			return Row{Task: text.Draw(t, "task"), Job: text.Draw(t, "job"), Kind: "map", Machine: text.Draw(t, "machine"),
				Start: 1, End: 2,
				Columns: Cells{{"block", text.Draw(t, "block")}, {"cost", "-7"}}}
		})).Draw(t, "rows")
		var file bytes.Buffer
		if err := writeRows(&file, rowsOf(rows)); err != nil {
			t.Fatal(err)
		}
		var got []Row
		for some, err := range readAll(file.Bytes()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, some)
		}
		if !slices.EqualFunc(got, rows, func(a, b Row) bool {
			return a.Task == b.Task && a.Job == b.Job && a.Machine == b.Machine && slices.Equal(a.Columns, b.Columns)
		}) {
			t.Fatalf("%v is read as %v:\n%s", rows, got, file.String())
		}
		again, digest, err := rowsIn(file.Bytes())
		if err != nil || again == nil || digest != rowsDigest(rowsOf(rows)) {
			t.Fatalf("%v; digest %s", err, digest)
		}
	})
}

// readAll yields copies of the rows of a schedule.csv.
func readAll(text []byte) func(func(Row, error) bool) {
	return func(yield func(Row, error) bool) {
		err := readRows(bytes.NewReader(text), func(some []Row) bool {
			for _, r := range some {
				r.Columns = slices.Clone(r.Columns)
				if !yield(r, nil) {
					return false
				}
			}
			return true
		})
		if err != nil {
			yield(Row{}, err)
		}
	}
}
