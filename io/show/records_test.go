package show

import (
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// TestRecordsOf: fields are columns by their csv tags.
func TestRecordsOf(t *testing.T) {
	r := RecordsOf([]struct {
		A string       `csv:"a"`
		B model.Number `csv:"b"`
		C int          `csv:"c"`
		D []int        `csv:"-"`
		E bool
		F model.Status `csv:"f"`
	}{{"x", "1.5", 3, nil, true, model.StatusLimit}, {}})
	var b strings.Builder
	try(t, r.WriteCSV(&b))
	if want := "a,b,c,f\nx,1.5,3,limit\n,,0,\n"; b.String() != want {
		t.Errorf("%s", b.String())
	}
	want := []Column{{Name: "a"}, {Name: "b", Number: true}, {Name: "c", Whole: true}, {Name: "f"}}
	if !slices.EqualFunc(r.Columns, want, func(a, b Column) bool {
		return a.Name == b.Name && a.Number == b.Number && a.Whole == b.Whole
	}) {
		t.Errorf("%+v", r.Columns)
	}
}
