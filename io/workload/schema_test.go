package workload

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"mrsched/model"
)

// compiled is the schema of workloads.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	try(t, err)
	c := jsonschema.NewCompiler()
	try(t, c.AddResource("schema.json", doc))
	return c.MustCompile("schema.json")
}

func validate(s *jsonschema.Schema, doc []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// beyondSchema are malformed documents that a schema, or the validator's lenient JSON reader, cannot tell from good
// ones: wrong references and structure, keys given twice, counts that add up, weights that round to 0, costs that fall,
// bad UTF-8.
var beyondSchema = []string{"F103-surrogate", "F105", "R30", "S401-no-tasks", "S402", "S404", "S405", "S406", "S407",
	"S408", "S411", "S424", "V204-counts", "V208", "V209"}

func TestSchemaRejects(t *testing.T) {
	s := compiled(t)
	if err := validate(s, []byte(small)); err != nil {
		t.Error(err)
	}
	files, err := filepath.Glob("../../testdata/malformed/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		beyond := slices.ContainsFunc(beyondSchema, func(code string) bool { return strings.HasPrefix(name, code) })
		if err := validate(s, readFile(t, path)); (err == nil) != beyond {
			t.Errorf("%s: schema says %v", name, err)
		}
	}
}

// TestDescribed requires a description of every column.
func TestDescribed(t *testing.T) {
	columns := Scalars()
	for _, table := range Tables() {
		if table.Doc == "" {
			t.Errorf("%s has no description", table.Name)
		}
		columns = append(columns, table.Columns...)
	}
	for _, c := range columns {
		if c.Name == "" || c.Doc == "" || c.Kind == "" {
			t.Errorf("incomplete tags: %+v", c)
		}
	}
}

// TestSchemaKey: a document may name its schema, which changes neither the workload nor its digest.
func TestSchemaKey(t *testing.T) {
	const rest = `"format":"mrsched-workload/1","jobs":[{"id":"a"}],"tasks":[{"id":"t","job":"a","kind":"map","processing_time":1}]}`
	bare, named := mustRead(t, "{"+rest), mustRead(t, `{"$schema":"urn:mrsched:workload:1",`+rest)
	if Digest(bare) != Digest(named) {
		t.Error("the digest depends on $schema")
	}
	for text, code := range map[string]string{`"$schema":7,`: "V201", `"$schema":"a","$schema":"a",`: "V208"} {
		_, err := ReadBytes([]byte(`{`+text+rest), "w", Options{})
		oneFinding(t, text, err, code, "w:1:")
	}
}

// TestListed: the listing of a workload has every column of every table of its document.
func TestListed(t *testing.T) {
	list := Listed(mustRead(t, `{"format":"mrsched-workload/1","name":"n","machines":2,"notes":["a","b"],
"jobs":[{"id":"x","weight":2},{"id":"y","release":3}],
"tasks":[{"id":"m","job":"x","kind":"map","processing_time":4,"block":"b"},{"id":"r","job":"x","kind":"reduce","processing_time":1},
{"id":"s","job":"y","kind":"map","processing_time":4}],
"delays":[{"from":"m","to":"r","delay":1}],"placements":[{"block":"b","node":"h"}],
"topology":[{"id":"dc","kind":"root"},{"id":"h","parent":"dc","kind":"node"},
{"id":"r","parent":"dc","kind":"rack"},{"id":"i","parent":"r","kind":"node"}]}`))
	if !slices.Contains(list.Scalars, model.InputScalar{Name: "machines", Text: "2"}) ||
		!slices.Contains(list.Scalars, model.InputScalar{Name: "notes", Text: "a\nb"}) {
		t.Errorf("scalars %v", list.Scalars)
	}
	levels := model.NodeKindNames()
	if len(list.Tables) != len(tables)+len(levels)-1 {
		t.Fatalf("%d tables", len(list.Tables))
	}
	want := map[string]string{"jobs": "x|0|2|;y|3|1|;", "tasks": "m|x|map|4|0|b|;r|x|reduce|1|0|;s|y|map|4|0|;",
		"delays": "m|r|1|;", "placements": "b|h|;", "root": "dc|root|0|0|;", "rack": "r|dc|rack|0|0|;",
		"node": "h|dc|node|0|0|;i|r|node|0|0|;"}
	for _, in := range list.Tables {
		if names := columnNames(listed(t, in).tableColumns()); len(names) != len(in.Columns) {
			t.Errorf("%s has columns %v", in.Name, in.Columns)
		}
		name, text := strings.TrimPrefix(in.Name, "topology "), ""
		for row := range in.Rows {
			for _, cell := range row {
				if cell != "" {
					text += cell + "|"
				}
			}
			text += ";"
		}
		if text != want[name] {
			t.Errorf("%s: %s, want %s", name, text, want[name])
		}
	}
}

// listed is the table that a listing is of.
func listed(t *testing.T, in model.InputTable) tableCodec {
	t.Helper()
	for _, x := range tables {
		if name, _, _ := strings.Cut(in.Name, " "); x.tableName() == name {
			return x
		}
	}
	t.Fatalf("there is no table %s", in.Name)
	return nil
}

// TestListedKeys: a table's first columns identify its rows.
func TestListedKeys(t *testing.T) {
	for _, in := range Listed(&model.Workload{}).Tables {
		if in.Keys < 1 || in.Keys > len(in.Columns) {
			t.Errorf("%s: %d keys", in.Name, in.Keys)
		}
		columns := listed(t, in).tableColumns()
		for k, c := range in.Columns {
			if k >= in.Keys && strings.HasSuffix(columns[k].kind.name, "id") {
				t.Errorf("%s.%s is an id and no key", in.Name, c.Name)
			}
		}
	}
}

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
			if out := string(docOf(t, w)); !strings.Contains(out, "\n\"cost\":"+forms[0]+",\n") {
				t.Errorf("%s is written as\n%s", cost, out)
			}
			if other, taken := digests[Digest(w)]; taken && other != forms[0] {
				t.Errorf("%s and %s have the same digest", other, cost)
			}
			digests[Digest(w)] = forms[0]
			throughCSV(t, w, false, Options{})
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
