package lint

import (
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// look returns the report on a document.
func look(t *testing.T, o Options, doc string) *Report {
	t.Helper()
	o.Read = func(path string, opt workload.Options) (*model.Workload, error) {
		return workload.ReadBytes([]byte(doc), path, opt)
	}
	o.ReadParams = func(list []solver.Param) (solver.Params, error) { return engine.SettingValues(list, nil) }
	r, err := Look(o, "w.json")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestClean lists instances with exit code 0.
func TestClean(t *testing.T) {
	const head, tail = `{"format":"mrsched-workload/1","machines":1,`, `"tasks":[{"id":"m","job":"a","kind":"map","processing_time":1}]}`
	for _, c := range []struct {
		name, doc string
		o         Options
		want      bool
	}{
		{"plain", head + `"jobs":[{"id":"a"}],` + tail, Options{}, true},
		{"loose", head + `"jobs":[{"id":"a","deadline":"40d"}],` + tail, Options{}, true},
		{"loose, strict", head + `"jobs":[{"id":"a","deadline":"40d"}],` + tail, Options{Strict: true}, false},
		{"unknown", head + `"jobs":[{"id":"a","x":1}],` + tail, Options{}, false},
		{"error", head + `"jobs":[{"id":"a","weight":-1}],` + tail, Options{}, false},
		{"one problem that can", head + `"jobs":[{"id":"a"}],` + tail, Options{Problem: "msjo"}, true},
		{"one problem that cannot", head + `"jobs":[{"id":"a"}],` + tail, Options{Problem: "hta"}, false},
		{"its problem cannot", head + `"problem":"hta","jobs":[{"id":"a"}],` + tail, Options{}, false},
		{"no such problem", head + `"problem":"none","jobs":[{"id":"a"}],` + tail, Options{}, false},
	} {
		if r := look(t, c.o, c.doc); r.Clean != c.want {
			t.Errorf("%s: clean %v; %+v", c.name, r.Clean, r)
		}
	}
}

// TestAllFindings (finding 17): neither the reader's limit nor similarity hides a finding.
func TestAllFindings(t *testing.T) {
	doc := `{"format":"mrsched-workload/1","jobs":[` + strings.Repeat(`{"id":"","weight":"x"},`, 200) + `{"id":"a"}]}`
	if r := look(t, Options{}, doc); len(r.Findings) < 400 || r.More != 0 || len(r.Problems) != 0 {
		t.Errorf("%d findings and %d more", len(r.Findings), r.More)
	}
}

// TestCodes requires a cause and a remedy for each code.
func TestCodes(t *testing.T) {
	seen := map[model.Code]bool{}
	for _, c := range Codes() {
		if c.Cause == "" || c.Action == "" || seen[c.Code] {
			t.Errorf("%+v", c)
		}
		seen[c.Code] = true
	}
}
