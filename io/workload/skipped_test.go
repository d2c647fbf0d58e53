package workload

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"mrsched/model"
)

// twoNodes has no topology: its nodes are those that placements name.
const twoNodes = `{"format":"mrsched-workload/1",
"jobs":[
{"id":"j"}
],
"tasks":[
{"id":"m1","job":"j","kind":"map","block":"b1"},
{"id":"m2","job":"j","kind":"map","block":"b2"}
],
"placements":[
{"block":"b1","node":"n1"},
{"block":"b2","node":"n2"}
]}
`

// TestSkippedPlacementsChangeNothing: placements of unread blocks do not change the workload, in any form: it has the
// same document and digest, also after reading it again.
func TestSkippedPlacementsChangeNothing(t *testing.T) {
	first, last := `{"block":"b1"`, `"node":"n1"}`
	for name, clean := range map[string]string{"topology": small, "no topology": twoNodes} {
		rows := `{"block":"c1","node":"n1"},` + "\n" + `{"block":"c2","node":"n1"},` + "\n"
		dirty := strings.Replace(clean, first, rows+first, 1)
		if name == "no topology" {
			dirty = strings.Replace(dirty, last+",\n"+`{"block":"b2"`, last+`,{"block":"c1","node":"n0"},{"block":"b2"`, 1)
		}
		want := mustRead(t, clean)
		got, err := ReadBytes([]byte(dirty), "w.json", Options{})
		try(t, err)
		if len(got.Skipped) != 1 || !strings.Contains(got.Skipped[0],
			` placements of 2 blocks that no task reads ("c1", … at w.json:`) {
			t.Errorf("%s: %q", name, got.Skipped)
		}
		compare(t, name, want, got, nil)
		var doc bytes.Buffer
		try(t, WriteJSON(&doc, got))
		compare(t, name+" again", want, mustRead(t, doc.String()), nil)
	}
	files := smallFiles()
	files["placements.csv"] = &fstest.MapFile{Data: []byte("block,node\nc1,n1\nb1,n1\nc1,n1\n")}
	got, err := readDirectory(files, "small", Options{})
	if err != nil ||
		!slices.Equal(got.Skipped, []string{
			`2 placements of 1 block that no task reads ("c1" at small/placements.csv:2:1) were skipped`}) {
		t.Fatal(err, got)
	}
	if at := got.Where(model.TablePlacements, 0).String(); at != "small/placements.csv:3:1" {
		t.Errorf("the kept placement has position %s", at)
	}
	compare(t, "CSV", mustRead(t, small), got, nil)
}
