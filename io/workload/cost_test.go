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
	const second = model.Second
	cost := func(local model.Time, remote model.RemoteCost) *model.AssignmentCost {
		return &model.AssignmentCost{Local: local, Remote: remote}
	}
	three := cost(second, model.RemoteCost{Base: 3 * second})
	racks := cost(second, model.RemoteCost{Base: 3 * second})
	racks.Rack = model.Some(3 * second / 2)
	s := compiled(t)
	digests := map[string]string{Digest(mustRead(t, withCost("null"))): "null"}
	for _, c := range []struct {
		cost, canonical string // "" if equal
		want            *model.AssignmentCost
	}{
		{`{"local":1,"remote":3}`, "", three},
		{`{"remote":{"base":3e0},"rack":null,"local":1.0000001}`, `{"local":1,"remote":3}`, three},
		{`{"local":1,"remote":{"per_remote":0,"base":3}}`, `{"local":1,"remote":3}`, three},
		{`{"local":0,"remote":{"base":3,"per_remote":0.01}}`, "",
			cost(0, model.RemoteCost{Base: 3 * second, PerRemote: second / 100})},
		{`{"local":1,"remote":{"base":3,"per_remote":0.0000005}}`, `{"local":1,"remote":{"base":3,"per_remote":0.000001}}`,
			cost(second, model.RemoteCost{Base: 3 * second, PerRemote: 1})},
		{`{"local":1,"remote":[3,3,3.5]}`, "",
			cost(second, model.RemoteCost{Table: []model.Time{3 * second, 3 * second, 7 * second / 2}})},
		{`{"local":1,"remote":[3]}`, "", cost(second, model.RemoteCost{Table: []model.Time{3 * second}})},
		{`{"local":1,"rack":1.5,"remote":3}`, "", racks},
	} {
		doc := withCost(c.cost)
		if err := validate(s, []byte(doc)); err != nil {
			t.Errorf("%s: schema says %v", c.cost, err)
		}
		w := mustRead(t, doc)
		if d := cmp.Diff(c.want, w.Cost); d != "" {
			t.Errorf("%s: (-want +got)\n%s", c.cost, d)
		}
		if c.canonical == "" {
			c.canonical = c.cost
		}
		var out strings.Builder
		if err := WriteJSON(&out, w); err != nil || !strings.Contains(out.String(), "\n\"cost\":"+c.canonical+",\n") {
			t.Errorf("%s: %v, written as\n%s", c.cost, err, out.String())
		}
		if other, taken := digests[Digest(w)]; taken && other != c.canonical {
			t.Errorf("%s and %s have the same digest", other, c.cost)
		}
		digests[Digest(w)] = c.canonical
		files, err := csvFiles(w, false)
		if err != nil {
			t.Fatal(err)
		}
		back, err := readDirectory(files, "w", Options{})
		compare(t, "CSV", w, back, err)
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
