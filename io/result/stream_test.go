package result

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mrsched/model"
)

// long is a new result whose rows do not all exist at once.
func long(view model.View, rows int) *Bundle {
	s := &model.Schedule{}
	for k := range rows {
		s.Entries = append(s.Entries, model.Entry{Task: model.TaskIndex(k), Machine: int32(k % 2), Start: model.Time(k),
			End: model.Time(k) + model.Second})
	}
	r := &model.Result{Problem: "p<&>", Algorithm: "hand", Status: model.StatusFeasible, Parameters: map[string]any{}}
	return New(r, view, s, map[string]any{"a<&>": []int{1, 2}})
}

// TestLineInPieces: the document written piece by piece equals that of encoding/json.
func TestLineInPieces(t *testing.T) {
	for _, rows := range []int{0, 1, chunk, 2*chunk + 1} {
		for _, view := range []model.View{slotView{}, columnsView{}, tablesView{rows: rows}} {
			b := long(view, rows)
			text := oneLine(t, b)
			var whole bytes.Buffer
			e := json.NewEncoder(&whole)
			e.SetEscapeHTML(false)
			try(t, e.Encode(single{b.Result, allRows(b), allTables(b), bytes.TrimSpace(b.Certificate)}))
			if !bytes.Equal(text, whole.Bytes()) {
				t.Errorf("%T, %d rows: written %.300s, encoding/json writes %.300s", view, rows, text, whole.Bytes())
			}
		}
	}
}

// TestSealed: a directory sealed while it is written has the digests of a result sealed before, and its rows are read
// back piece by piece.
func TestSealed(t *testing.T) {
	before, while := sealed(t, long(columnsView{}, 2*chunk+1)), long(columnsView{}, 2*chunk+1)
	if before.Result.SHA256.Schedule == "" || before.Result.SHA256.Certificate == "" || before.Result.Digest == "" {
		t.Errorf("not sealed: %+v", before.Result)
	}
	dir := directory(t, while)
	if !reflect.DeepEqual(while.Result, before.Result) {
		t.Errorf("%+v, then %+v", before.Result, while.Result)
	}
	if !reflect.DeepEqual(allRows(good(t, dir)), allRows(before)) {
		t.Error("other rows are read than were written")
	}
	path := filepath.Join(dir, ScheduleFile)
	text, err := os.ReadFile(path)
	try(t, err)
	try(t, os.WriteFile(path, append(text, "r0,j\n"...), 0o600))
	again, found, err := Read(dir)
	if err != nil || again.Rows != nil || len(found) != 2 || !strings.Contains(found[0].What, "row 8194: ") {
		t.Error("a broken last row: ", err, found)
	}
}
