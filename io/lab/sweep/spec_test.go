package sweep

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	ring := &solver.Problem{Name: "ring", Algorithms: []solver.Algorithm{{Name: "c"}}}
	return Catalog{Problems: []*solver.Problem{line, ring},
		Presets: []Preset{
			{Problem: "line", Name: "random", Seeded: true, Params: []solver.Param{{Name: "n", Kind: solver.IntParam,
				Default: "5", Minimum: 1, Maximum: 1000},
				{Name: "p", Kind: solver.FloatParam, Default: "0.5", Maximum: 1}, {Name: "even", Kind: solver.BoolParam,
					Default: "false"}}},
			{Problem: "line", Name: "fixed"},
			{Problem: "ring", Name: "file", Params: []solver.Param{{Name: "f", Kind: solver.StringParam}}, Files: []string{"f"}},
		},
		Uses: func(p *solver.Problem, a solver.Algorithm, _ solver.Params) map[string]bool {
			used := map[string]bool{}
			for _, q := range p.Params {
				used[q.Name] = q.View || slices.Contains(a.Params, q.Name)
			}
			return used
		}}
}

const testRuns = 1000

func planned(text, base string) (*Plan, error) {
	return Read(strings.NewReader(text), "s.json", testRuns).Plan(testCatalog(), base)
}

func mustPlan(t *testing.T, text string) *Plan {
	t.Helper()
	p, err := planned(text, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// spec adds keys to a spec that is otherwise right.
func spec(instances, algorithms, more string) string {
	return `{"format":"mrsched-sweep/1","instances":[` + instances + `],"algorithms":[` + algorithms + `]` + more + `}`
}

const random = `{"generate":"line"}`

// badSpecs are specs and all findings of each.
func badSpecs() map[string]string {
	return map[string]string{
		`[]`: "V201 s.json:1:1: the document is an array; expected an object",
		`{"format":"mrsched-sweep/1"`: "F104 s.json:1:28: the file ends in the middle of a value; expected the rest of it; " +
			"hint: the file was cut: produce or copy it again",
		``: "F104 s.json:1:1: the input is empty; expected JSON; hint: the command that should have written it may have " +
			"failed: look at its messages and exit code",
		`{} 1`: "F107 s.json:1:1: `format` is missing; expected \"mrsched-sweep/1\"\nV206 " +
			"s.json:1:1: instances is missing; expected a list\nV206 s.json:1:1: algorithms is missing; expected a " +
			"list\nF103 s.json:1:3: something follows the document; expected the end of the file",
		`{"format":"mrsched-workload/1"}`: "V206 s.json:1:1: instances is missing; expected a list\nV206 s.json:1:1: " +
			"algorithms is missing; expected a list\nF107 s.json:1:11: `format` is \"mrsched-workload/1\"; expected " +
			"\"mrsched-sweep/1\"",

		spec(random, `"a"`,
			`,"seed":1`): `V207 s.json:1:82: unknown key "seed"; expected one of format, name, problem, instances, algorithms, parameters, seeds, iterations, time_limit, keep, $schema; hint: did you mean "seeds"?`,
		spec(random, `"a"`, `,"keep":1`): "V201 s.json:1:89: keep is a " +
			"number; expected true or false",
		spec(random, `"a"`, `,"name":1,"name":2`): "V201 s.json:1:89: name is a " +
			"number; expected a string\nV208 s.json:1:91: key \"name\" is given twice; expected unique keys; hint: keep one " +
			"of the two",
		spec(random, `"a"`, `,"seeds":[]`): "V206 s.json:1:90: seeds is " +
			"empty; expected at least one value",
		spec(random, `"a"`, `,"seeds":[1.5,"2",-1]`): "V202 s.json:1:91: seeds 1.5; " +
			"expected whole numbers from 0 to 18446744073709551615\nV201 s.json:1:95: seeds \"2\" is not a number; expected " +
			"whole numbers\nV202 s.json:1:99: seeds -1; expected whole numbers from 0 to 18446744073709551615",
		spec(random, `"a"`, `,"seeds":{"from":2,"to":1}`): "V204 s.json:1:90: the range of " +
			"seeds goes from 2 to 1; expected `from` ≤ `to`",
		spec(random, `"a"`, `,"seeds":{"from":2}`): "V206 s.json:1:90: the range of " +
			"seeds lacks `from` or `to`; expected {\"from\":…,\"to\":…}, with \"step\" or \"factor\"",
		spec(random, `"a"`, `,"seeds":{"from":1,"to":1e9}`): "V204 s.json:1:90: the range of " +
			"seeds has more than 1000 values; expected at most 1000",
		spec(random, `"a"`,
			`,"seeds":{"from":1,"to":2,"by":1}`): `V207 s.json:1:107: unknown key "by"; expected one of from, to, step, factor`,
		spec(random, `"a"`, `,"seeds":{"from":1,"to":2,"step":0}`): "V203 s.json:1:90: the range of " +
			"seeds has the step 0; expected a step above 0",
		spec(random, `"a"`, `,"seeds":{"from":1,"to":2,"factor":1}`): "V203 s.json:1:90: the range of " +
			"seeds has the factor 1 from 1; expected a factor above 1 and `from` above 0",
		spec(random, `"a"`, `,"seeds":{"from":1,"to":2,"factor":1.0000000000000000001}`): "V204 s.json:1:90: the range of " +
			"seeds has more than 1000 values; expected at most 1000",
		spec(random, `"a"`, `,"seeds":1e999999999`): "V204 s.json:1:90: seeds " +
			"1e999999999 is out of range; expected 0, or a magnitude from 1e-20 to 1e+20",
		spec(random, `"a"`, `,"iterations":0`): "V202 s.json:1:95: iterations " +
			"0; expected whole numbers from 1 to 1099511627775",
		spec(random, `"a"`, `,"time_limit":-1`): "V203 s.json:1:95: time_limit " +
			`is -1; expected seconds, or a time such as "5m", more than 0 and at most 1000000000 s`,
		spec(`{}`, `"a"`, ``): "V206 s.json:1:42: an instance " +
			"has neither or both of `path` and `generate`; expected {\"path\":…} or {\"generate\":…}",
		spec(`{"path":"x","seeds":1}`, `"a"`,
			``): `V207 s.json:1:54: unknown key "seeds"; expected one of path, problem, group`,

		spec(random, `"d"`, `,"problem":"lin"`): "V205 s.json:1:77: unknown algorithm \"d\"; " +
			"expected one of a, b, c, all\n" +
			`V205 s.json:1:92: unknown problem "lin"; expected one of line, ring; hint: did you mean "line"?`,
		spec(random, `"d"`,
			``): `V205 s.json:1:77: unknown algorithm "d"; expected one of a, b, all`,
		spec(random, `"c"`,
			``): `V205 s.json:1:77: no instance of this sweep is of a problem that has algorithm "c"; expected one of a, b, all`,
		spec(random, `"a"`,
			`,"parameters":{"y":1}`): `V207 s.json:1:96: unknown parameter "y"; expected one of machines, mode, x`,
		spec(random, `"b"`,
			`,"parameters":{"x":1}`): `V207 s.json:1:96: x has no effect on any run of this sweep; expected a parameter that some algorithm of the sweep looks at`,
		spec(random, `"a"`, `,"parameters":{"x":[1,2.5,101,"1"]}`): "V202 s.json:1:103: x 2.5; expected a whole " +
			"number from 0 to 100\nV204 s.json:1:107: x 101; expected a number from 0 to 100\nV201 s.json:1:111: x \"1\"; " +
			"expected a number from 0 to 100; hint: write it without quotes",
		spec(random, `"a"`, `,"parameters":{"mode":["fest",1]}`): "V205 s.json:1:104: mode \"fest\"; expected " +
			"one of fast, slow; hint: did you mean \"fast\"?\nV201 s.json:1:111: mode 1; expected a string; hint: write it " +
			"in quotes",
		spec(`{"generate":"line","parameters":{"even":1}}`, `"a"`, ``): "V201 s.json:1:82: even 1; expected true or false",
		spec(`{"generate":"line","parameters":{"m":1}}`, `"a"`,
			``): `V207 s.json:1:75: unknown parameter "m" of preset random; expected one of n, p, even`,
		spec(`{"generate":"line","preset":"fxied"}`, `"a"`,
			``): `V205 s.json:1:70: unknown preset "fxied" of line; expected one of random, fixed; hint: did you mean "fixed"?`,
		spec(`{"generate":"line","preset":"fixed","seeds":1}`, `"a"`,
			``): `V207 s.json:1:78: seeds have no effect on preset fixed; expected no seeds`,
		spec(`{"path":"*.json"}`, `"a"`,
			``): `F101 s.json:1:50: "*.json" matches nothing; expected a path relative to the spec's folder`,
		spec(`{"path":"-"}`, `"a"`,
			``): `F101 s.json:1:50: standard input cannot be an instance of a sweep; expected a path`,
		spec(`{"path":"[a"}`, `"a"`,
			``): `F103 s.json:1:50: "[a" is no pattern: syntax error in pattern; expected a path with *, ? or […]`,
		spec(`{"generate":"line","parameters":{"n":{"from":1,"to":100},"p":[0,0.1,0.2]},"seeds":{"from":1,"to":4}}`, `"a"`,
			``): "V204 s.json:1:42: there are more than 1000 instances; expected fewer; hint: shorten a list or a " +
			"range, or raise --max-runs",
		spec(`{"generate":"line","parameters":{"n":{"from":1,"to":100}}}`, `"a"`,
			`,"parameters":{"x":{"from":0,"to":9}},"seeds":[1,2]`): "V204 s.json:1:1: there are 2000 runs; expected at most " +
			"1000; hint: shorten a list or a range, or raise --max-runs",
	}
}

func TestFindings(t *testing.T) {
	for text, want := range badSpecs() {
		_, err := planned(text, t.TempDir())
		if err == nil {
			t.Errorf("%s: no finding, want %s", text, want)
		} else if err.Error() != want {
			t.Errorf("%s:\n got %s\nwant %s", text, err, want)
		}
	}
}

func TestAxes(t *testing.T) {
	cases := map[string][]string{
		`3`:                                {"3"},
		`1e2`:                              {"100"},
		`"x"`:                              {"x"},
		`[true,"true",1,1.50]`:             {"true", "true", "1", "1.5"},
		`{"from":1,"to":3}`:                {"1", "2", "3"},
		`{"from":1,"to":2.9,"step":0.1e1}`: {"1", "2"},
		`{"from":0,"to":0.3,"step":0.1}`:   {"0", "0.1", "0.2", "0.3"},
		`{"from":10,"to":100,"factor":2}`:  {"10", "20", "40", "80"},
		`{"from":1,"to":4,"factor":1.5}`:   {"1", "1.5", "2.25", "3.375"},
		`[5,{"from":1,"to":2},{"from":7,"to":7}]`: {"5", "1", "2", "7"},
		`{"from":-1,"to":1}`:                      {"-1", "0", "1"},
		`18446744073709551615`:                    {"18446744073709551615"},
	}
	for text, want := range cases {
		var found model.Findings
		r := &reader{found: &found, known: map[model.Finding]bool{}, maxRuns: testRuns}
		var got []string
		for _, v := range r.axis(readTree(strings.NewReader(text), "s.json", &found), "x") {
			got = append(got, v.Text)
		}
		if err := found.Err(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
}

// TestPlan multiplies a spec out by hand: 2 × 2 instances of line, for which a has x = 1, 2 and b nothing, and one file
// of ring.
func TestPlan(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "r1.json"), []byte(`{"name":"r","problem":"ring"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	text := spec(`{"generate":"line","parameters":{"n":[3,4]},"seeds":[7,8]},{"path":"r*.json","group":"rings"}`,
		`"all","a"`, `,"parameters":{"x":[1,2]},"seeds":[1,2]`)
	p, err := planned(text, dir)
	if err != nil {
		t.Fatal(err)
	}
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
		spec(`{"generate":"line","parameters":{"n":3},"seeds":[1,2]},{"generate":"line","parameters":{"n":[3,4]},"seeds":[2,1]}`, `"a","b"`, `,"keep":true,"problem":"line","parameters":{"x":[2,1]}`),
	} {
		if got := ids(same); !slices.Equal(got, base) {
			t.Errorf("%s has other ids", same)
		}
	}
	for _, other := range []string{
		spec(`{"generate":"line","parameters":{"n":[3,4]},"seeds":[1,2]}`, `"a","b"`,
			`,"parameters":{"x":[1,2],"mode":"slow"}`),
		spec(`{"generate":"line","parameters":{"n":[3,4]},"seeds":[1,2]}`, `"a","b"`,
			`,"parameters":{"x":[1,2]},"iterations":7`),
		spec(`{"generate":"line","parameters":{"n":[3,4]},"seeds":[1,2]}`, `"a","b"`,
			`,"parameters":{"x":[1,2]},"time_limit":7`),
	} {
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
	example, err := os.ReadFile("../../../instances/examples/sweep.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{string(example), `{}`, `[`, spec(random, `"a"`, ``),
		spec(random, `"all"`, `,"seeds":{"from":1,"to":9,"factor":1.1},"parameters":{"x":[1,{"from":2,"to":3}]}`),
		spec(`{"path":"*"},{"generate":"line","parameters":{"n":{"from":1e-9,"to":1e9,"factor":1e3}}}`, `"b"`,
			`,"time_limit":1e-6,"keep":true`)} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := planned(string(text), dir)
		if err != nil {
			return
		}
		if runs := p.Runs(); len(runs) > testRuns {
			t.Fatal(len(runs), "runs")
		}
		if len(p.Instances) > testRuns {
			t.Fatal(len(p.Instances), "instances")
		}
	})
}
