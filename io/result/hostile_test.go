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
	for name, text := range map[string]string{
		"header": strings.Repeat("[", 1<<20), "columns": strings.Join(common, ",") + strings.Repeat(",x", 1<<19) + "\n",
	} {
		_, err := ReadSide(write(t, ScheduleFile, []byte(text)), "s", known)
		if err == nil || len(err.Error()) > 2*maxMessage {
			t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
		}
	}
}

// TestTooLarge: documents, directories and schedules stop at the limit, whatever reads them.
func TestTooLarge(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{ResultFile, ScheduleFile} {
		try(t, os.WriteFile(filepath.Join(dir, name), bytes.Repeat([]byte(" "), 1000), 0o644))
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
		try(t, writeRows(&file, rowsOf(rows)))
		again, digest, err := rowsIn(file.Bytes())
		if err != nil || digest != rowsDigest(rowsOf(rows)) {
			t.Fatalf("%v; digest %s", err, digest)
		}
		got := allRows(&Bundle{Rows: again})
		if !slices.EqualFunc(got, rows, func(a, b Row) bool {
			return a.Task == b.Task && a.Job == b.Job && a.Machine == b.Machine && slices.Equal(a.Columns, b.Columns)
		}) {
			t.Fatalf("%v is read as %v:\n%s", rows, got, file.String())
		}
	})
}
