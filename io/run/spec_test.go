package run

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/instances"
	"mrsched/io/textpos"
	"mrsched/model"
	"mrsched/solver"
)

// testCatalog has two problems: `line`, with parameters on which `a` depends, and `ring`.
func testCatalog() Catalog {
	line := &solver.Problem{Name: "line",
		Algorithms: []solver.Algorithm{{Name: "a", Params: []string{"x", "mode"}}, {Name: "b"}},
		Params: []solver.Param{{Name: "x", Kind: solver.IntParam, Default: "0", Maximum: 100},
			{Name: "mode", Kind: solver.StringParam, Default: "fast", Choices: []string{"fast", "slow"}},
			{Name: "machines", Kind: solver.IntParam, Default: "0", Maximum: 10, View: true}}}
	line.Uses = func(algorithm string, _ solver.Params) []string {
		a, _ := line.Algorithm(algorithm)
		return a.Params
	}
	ring := &solver.Problem{Name: "ring", Uses: func(string, solver.Params) []string { return nil }, Algorithms: []solver.Algorithm{{Name: "c"}}}
	return Catalog{Problems: []*solver.Problem{line, ring},
		Presets: []instances.Preset{
			{Problem: "line", Name: "random", Params: []solver.Param{{Name: "n", Kind: solver.IntParam,
				Default: "5", Minimum: 1, Maximum: 1000},
				{Name: "p", Kind: solver.FloatParam, Default: "0.5", Maximum: 1}, {Name: "even", Kind: solver.BoolParam,
					Default: "false"}}},
			{Problem: "line", Name: "fixed", Fixed: true},
			{Problem: "ring", Name: "file", Fixed: true, Params: []solver.Param{{Name: "f", Kind: solver.StringParam}},
				Files: []string{"f"}},
		}}
}

const testRuns = 1000

func planned(text, base string) (*Plan, error) {
	return Read(strings.NewReader(text), "s.json", testRuns, testCatalog(), base)
}

func mustPlan(t *testing.T, text string) *Plan {
	t.Helper()
	p, err := planned(text, t.TempDir())
	must(t, err)
	return p
}

// spec adds keys to a spec that is otherwise right.
func spec(instances, algorithms, more string) string {
	return `{"format":"mrsched-sweep/1","instances":[` + instances + `],"algorithms":[` + algorithms + `]` + more + `}`
}

const random = `{"generate":"line"}`

// badSpecs are specs, with code and position of each finding.
var badSpecs = []struct{ text, want string }{
	{`[]`, "V201 1:1"},
	{`{"format":"mrsched-sweep/1"`, "F104 1:28"},
	{``, "F104 1:1"},
	{`{} 1`, "F107 1:1, V206 1:1, V206 1:1, F103 1:3"},
	{`{"format":"mrsched-workload/1"}`, "V206 1:1, V206 1:1, F107 1:11"},
	{spec(random, `"a"`, `,"seed":1`), "V207 1:82"},
	{spec(random, `"a"`, `,"keep":true`), "V207 1:82"},
	{spec(random, `"a"`, `,"name":1,"name":2`), "V201 1:89, V208 1:91"},
	{spec(random, `"a"`, `,"seeds":[]`), "V206 1:90"},
	{spec(random, `"a"`, `,"seeds":[1.5,"2",-1]`), "V202 1:91, V201 1:95, V202 1:99"},
	{spec(random, `"a"`, `,"seeds":{"from":2,"to":1}`), "V204 1:90"},
	{spec(random, `"a"`, `,"seeds":{"from":2}`), "V206 1:90"},
	{spec(random, `"a"`, `,"seeds":{"from":0.5,"to":2}`), "V202 1:90"},
	{spec(random, `"a"`, `,"seeds":{"from":1,"to":1000000000}`), "V204 1:90"},
	{spec(random, `"a"`, `,"seeds":{"from":1,"to":2,"by":1}`), "V207 1:107"},
	{spec(random, `"a"`, `,"seeds":{"from":1,"to":2,"step":0}`), "V203 1:90"},
	{spec(random, `"a"`, `,"seeds":{"from":1,"to":2,"factor":1}`), "V207 1:90"},
	{spec(random, `"a"`, `,"iterations":0`), "V202 1:95"},
	{spec(random, `"a"`, `,"time_limit":-1`), "V203 1:95"},
	{spec(`{}`, `"a"`, ``), "V206 1:42"},
	{spec(`{"path":"x","seeds":1}`, `"a"`, ``), "V207 1:54"},
	{spec(random, `"d"`, `,"problem":"lin"`), "V205 1:77, V205 1:92"},
	{spec(random, `"d"`, ``), "V205 1:77"},
	{spec(random, `"c"`, ``), "V205 1:77"},
	{spec(random, `"a"`, `,"parameters":{"y":1}`), "V207 1:96"},
	{spec(random, `"b"`, `,"parameters":{"x":1}`), "V207 1:96"},
	{spec(random, `"a"`, `,"parameters":{"x":[1,2.5,101,"1"]}`), "V202 1:103, V204 1:107, V201 1:111"},
	{spec(random, `"a"`, `,"parameters":{"mode":["fest",1]}`), "V205 1:104, V201 1:111"},
	{spec(`{"generate":"line","parameters":{"even":1}}`, `"a"`, ``), "V201 1:82"},
	{spec(`{"generate":"line","parameters":{"m":1}}`, `"a"`, ``), "V207 1:75"},
	{spec(`{"generate":"line","preset":"fxied"}`, `"a"`, ``), "V205 1:70"},
	{spec(`{"generate":"line","preset":"fixed","seeds":1}`, `"a"`, ``), "V207 1:78"},
	{spec(`{"path":"*.json"}`, `"a"`, ``), "F101 1:50"},
	{spec(`{"path":"-"}`, `"a"`, ``), "F101 1:50"},
	{spec(`{"path":"[a"}`, `"a"`, ``), "F103 1:50"},
	{spec(`{"generate":"line","parameters":{"n":{"from":1,"to":100},"p":[0,0.1,0.2]},"seeds":{"from":1,"to":4}}`, `"a"`, ``),
		"V204 1:42"},
	{spec(`{"generate":"line","parameters":{"n":{"from":1,"to":100}}}`, `"a"`,
		`,"parameters":{"x":{"from":0,"to":9}},"seeds":[1,2]`), "V204 1:1"},
}

// TestFindings: the reader finds what is wrong with a spec.
func TestFindings(t *testing.T) {
	place := regexp.MustCompile(`(?m)^([A-Z][0-9]{3}) s\.json:([0-9]+:[0-9]+): `)
	for _, c := range badSpecs {
		_, err := planned(c.text, t.TempDir())
		if err == nil {
			t.Errorf("%s: no finding, want %s", c.text, c.want)
			continue
		}
		var got []string
		for _, m := range place.FindAllStringSubmatch(err.Error(), -1) {
			got = append(got, m[1]+" "+m[2])
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, err, c.want)
		}
	}
}

func TestAxes(t *testing.T) {
	cases := map[string][]string{
		`3`:                          {"3"},
		`1e2`:                        {"100"},
		`"x"`:                        {"x"},
		`[true,"true",1,1.50]`:       {"true", "true", "1", "1.50"},
		`{"from":1,"to":3}`:          {"1", "2", "3"},
		`{"from":1,"to":6,"step":2}`: {"1", "3", "5"},
		`[5,{"from":1,"to":2},{"from":7,"to":7}]`: {"5", "1", "2", "7"},
		`{"from":-1,"to":1}`:                      {"-1", "0", "1"},
		`18446744073709551615`:                    {"18446744073709551615"},
	}
	for text, want := range cases {
		p := &planner{known: map[model.Finding]bool{}, maxRuns: testRuns}
		var got []string
		for _, v := range p.values(textpos.ReadTree(strings.NewReader(text), "s.json", maxDocument, &p.found), "x") {
			got = append(got, v.Text)
		}
		if err := p.found.Err(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
}

// TestPlan multiplies a spec out by hand: 2 × 2 instances of line, for which a has x = 1, 2 and b nothing, and one file
// of ring.
func TestPlan(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "r1.json"), []byte(`{"name":"r","problem":"ring"}`), 0o644))
	text := spec(`{"generate":"line","parameters":{"n":[3,4]},"seeds":[7,8]},{"path":"r*.json","group":"rings"}`,
		`"all","a"`, `,"parameters":{"x":[1,2]},"seeds":[1,2]`)
	p, err := planned(text, dir)
	must(t, err)
	var got []string
	for _, r := range p.Runs() {
		in, v := p.Instances[r.Instance], p.Variants[r.Variant]
		line := in.Group + "|" + in.Name + "|" + v.Algorithm + "|" + v.StatedText() + "|" + v.Note
		if n := len(got); n == 0 || got[n-1] != line {
			got = append(got, line)
		}
	}
	want := []string{}
	for _, in := range []string{"random n=3|random n=3 seed=7", "random n=3|random n=3 seed=8",
		"random n=4|random n=4 seed=7", "random n=4|random n=4 seed=8"} {
		want = append(want, in+"|a|x=1|", in+"|a|x=2|", in+"|b||")
	}
	want = append(want, "rings|r1.json|c||", "rings|r1.json|a||problem ring has no algorithm a")
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n := len(p.Runs()); n != 4*3*2+2+1 { // runs that cannot be executed have no seeds
		t.Errorf("%d runs", n)
	}
	if v := p.Variants[0]; v.FromAll || !p.Variants[2].FromAll || v.Parameters["mode"] != "fast" ||
		v.Parameters["machines"] != "0" || v.Iterations != solver.DefaultIterations {
		t.Errorf("variants %+v", p.Variants)
	}
}

// TestIDs: ids follow from the contents of a run, not from the wording of a spec.
func TestIDs(t *testing.T) {
	ids := func(text string) []string {
		var list []string
		for _, r := range mustPlan(t, text).Runs() {
			list = append(list, r.ID)
		}
		slices.Sort(list)
		return list
	}
	base := ids(spec(`{"generate":"line","parameters":{"n":[3,4],"p":0.5},"seeds":[1,2]}`, `"a","b"`,
		`,"parameters":{"x":[1,2],"mode":"fast"}`))
	if len(base) != 4*3 {
		t.Fatal(len(base), "runs")
	}
	for _, same := range []string{
		spec(`{"generate":"line","preset":"random","group":"g","seeds":{"from":1,"to":2},"parameters":{"n":[4.0,3]}}`,
			`"b","a","b"`, `,"seeds":1,"name":"other","iterations":1000,"parameters":{"x":{"from":1,"to":2}}`),
		spec(`{"generate":"line","parameters":{"n":3},"seeds":[1,2]},{"generate":"line","parameters":{"n":[3,4]},"seeds":[2,1]}`, `"a","b"`, `,"problem":"line","parameters":{"x":[2,1]}`),
	} {
		if got := ids(same); !slices.Equal(got, base) {
			t.Errorf("%s has other ids", same)
		}
	}
	for _, more := range []string{`},"iterations":7`, `},"time_limit":7`, `,"mode":"slow"}`} {
		other := spec(`{"generate":"line","parameters":{"n":[3,4]},"seeds":[1,2]}`, `"a","b"`,
			`,"parameters":{"x":[1,2]`+more)
		got := ids(other)
		if slices.ContainsFunc(got, func(id string) bool { return slices.Contains(base, id) }) &&
			!strings.Contains(other, "slow") {
			t.Errorf("%s shares ids", other)
		}
		if slices.Equal(got, base) {
			t.Errorf("%s has the same ids", other)
		}
	}
}

func FuzzRead(f *testing.F) {
	example, err := os.ReadFile("../../instances/examples/sweep.json")
	must(f, err)
	for _, seed := range []string{string(example), `{}`, `[`, spec(random, `"a"`, ``),
		spec(random, `"all"`, `,"seeds":{"from":1,"to":9,"factor":1.1},"parameters":{"x":[1,{"from":2,"to":3}]}`),
		spec(`{"path":"*"},{"generate":"line","parameters":{"n":{"from":1e-9,"to":1e9,"factor":1e3}}}`, `"b"`,
			`,"time_limit":1e-6`)} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := planned(string(text), dir)
		if err != nil {
			return
		}
		if len(p.Runs()) > testRuns || len(p.Instances) > testRuns {
			t.Fatal(len(p.Runs()), "runs", len(p.Instances), "instances")
		}
	})
}

// must fails a test at an error.
func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
