package workload

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mrsched/model"
)

// withCost is the document of a small workload with a cost.
func withCost(cost string) string {
	return `{"format":"mrsched-workload/1","cost":` + cost +
		`,"jobs":[{"id":"j"}],"tasks":[{"id":"t","job":"j","kind":"map"}]}`
}

// TestCostForms reads every form of a cost and writes the canonical one, in JSON and in a directory's workload.json.
func TestCostForms(t *testing.T) {
	s := compiled(t)
	digests := map[string]string{Digest(mustRead(t, withCost("null"))): "null"}
	for _, forms := range [][]string{ // the first is canonical
		{`{"local":1,"remote":3}`, `{"remote":{"base":3e0},"rack":null,"local":1.0000001}`,
			`{"local":1,"remote":{"per_remote":0,"base":3}}`},
		{`{"local":0,"remote":{"base":3,"per_remote":0.01}}`},
		{`{"local":1,"remote":{"base":3,"per_remote":0.000001}}`, `{"local":1,"remote":{"base":3,"per_remote":0.0000005}}`},
		{`{"local":1,"remote":[3,3,3.5]}`}, {`{"local":1,"remote":[3]}`}, {`{"local":1,"rack":1.5,"remote":3}`},
	} {
		for _, cost := range forms {
			doc := withCost(cost)
			if err := validate(s, []byte(doc)); err != nil {
				t.Errorf("%s: schema says %v", cost, err)
			}
			w := mustRead(t, doc)
			var out strings.Builder
			if err := WriteJSON(&out, w); err != nil || !strings.Contains(out.String(), "\n\"cost\":"+forms[0]+",\n") {
				t.Errorf("%s: %v, written as\n%s", cost, err, out.String())
			}
			if other, taken := digests[Digest(w)]; taken && other != forms[0] {
				t.Errorf("%s and %s have the same digest", other, cost)
			}
			digests[Digest(w)] = forms[0]
			files, err := csvFiles(w, false)
			try(t, err)
			back, err := readDirectory(files, "w", Options{})
			compare(t, "CSV", w, back, err)
		}
	}
	want := model.AssignmentCost{Local: model.Second, Rack: model.Some(3 * model.Second / 2),
		Remote: model.RemoteCost{Base: 3 * model.Second}}
	if d := cmp.Diff(&want, mustRead(t, withCost(`{"local":1,"rack":1.5,"remote":3}`)).Cost); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	table := []model.Time{3 * model.Second, 7 * model.Second / 2}
	got := mustRead(t, withCost(`{"local":1,"remote":[3,3.5]}`)).Cost.Remote
	each := mustRead(t, withCost(`{"local":1,"remote":{"base":3,"per_remote":0.01}}`)).Cost.Remote
	if !slices.Equal(got.Table, table) || each.Base != 3*model.Second || each.PerRemote != model.Second/100 {
		t.Errorf("a table is read as %v, a sum as %v", got, each)
	}
}

// TestCostSkipped: --allow-unknown holds inside a cost too.
func TestCostSkipped(t *testing.T) {
	w, err := ReadBytes([]byte(withCost(`{"local":1,"switch":[2],"remote":{"unit":"s","base":3}}`)), "w",
		Options{AllowUnknown: true})
	if err != nil || costText(w.Cost) != `{"local":1,"remote":3}` {
		t.Errorf("%v, %v", w, err)
	}
}

// TestCostPositions: a cost over many lines does not lose the lines before it.
func TestCostPositions(t *testing.T) {
	_, err := ReadBytes([]byte(withCost("{\"remote\":\n{\"per_remote\":\n1\n},\n\"lcal\":1}")), "w", Options{})
	var got []string
	for _, f := range findings(err) {
		got = append(got, string(f.Code)+" "+f.Pos.String())
	}
	if want := []string{"V206 w:1:39", "V206 w:2:1", "V207 w:5:1"}; !slices.Equal(got, want) {
		t.Errorf("%v", err)
	}
}
