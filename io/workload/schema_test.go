package workload

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
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
