package workload

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(s *jsonschema.Schema, doc []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func TestSchemaAccepts(t *testing.T) {
	s := compiled(t)
	if err := validate(s, []byte(small)); err != nil {
		t.Error(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		var doc bytes.Buffer
		if err := WriteJSON(&doc, anyWorkload.Draw(t, "workload")); err != nil {
			t.Fatal(err)
		}
		if err := validate(s, doc.Bytes()); err != nil {
			t.Fatalf("%v\n%s", err, doc.String())
		}
	})
}

// beyondSchema are malformed documents that a schema, or the validator's lenient JSON reader, cannot tell from good
// ones: wrong references and structure, keys given twice, counts that add up, weights that round to 0, costs that fall,
// bad UTF-8.
var beyondSchema = []string{"F103-surrogate", "F105", "R30", "S401-no-tasks", "S402", "S404", "S405", "S406", "S407",
	"S408", "S411", "S424", "V204-counts", "V208", "V209"}

func TestSchemaRejects(t *testing.T) {
	s := compiled(t)
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
	bare, err := ReadBytes([]byte(`{`+rest), "w", Options{})
	if err != nil {
		t.Fatal(err)
	}
	named, err := ReadBytes([]byte(`{"$schema":"urn:mrsched:workload:1",`+rest), "w", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if Digest(bare) != Digest(named) {
		t.Error("the digest depends on $schema")
	}
	for text, want := range map[string]string{`"$schema":7,`: "$schema is a number; expected a string",
		`"$schema":"a","$schema":"a",`: `key "$schema" is given twice`} {
		if _, err := ReadBytes([]byte(`{`+text+rest), "w", Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
