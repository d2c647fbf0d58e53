package run

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// compiled is the schema of specs with the names of testCatalog.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := Schema(testCatalog())
	must(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must(t, err)
	c := jsonschema.NewCompiler()
	must(t, c.AddResource("schema.json", doc))
	s, err := c.Compile("schema.json")
	must(t, err)
	return s
}

func validate(s *jsonschema.Schema, text string) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// TestSchemaAccepts: the schema accepts and rejects what the reader does, except for beyondSchema. Specs consist of
// good and bad parts.
func TestSchemaAccepts(t *testing.T) {
	s := compiled(t)
	dir := t.TempDir()
	kinds := map[bool]int{}
	pick := func(t *rapid.T, what string, list ...string) string { return rapid.SampledFrom(list).Draw(t, what) }
	axis := func(t *rapid.T, what string) string {
		one := []string{"0", "1", "3.0", "2.5", "1e2", "-1", "101", `"fast"`, `"slow"`, `"x"`, "true", "false", "null", "[]",
			"{}", "1e21",
			`{"from":1,"to":3}`, `{"from":1,"to":9,"step":2}`, `{"from":1,"to":9,"factor":2}`, `{"from":1}`,
			`{"from":1,"to":2,"by":1}`, `{"from":1,"to":2,"step":0}`}
		if rapid.Bool().Draw(t, what+" list") {
			return "[" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(one), 1, 2).Draw(t, what), ",") + "]"
		}
		return pick(t, what, one...)
	}
	rapid.Check(t, func(t *rapid.T) {
		var more string
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"seeds", "iterations", "parameters", "keep",
			"name", "time_limit", "problem", "group"}), 0, 2, rapid.ID).Draw(t, "keys") {
			value := axis(t, key)
			switch key {
			case "parameters":
				value = fmt.Sprintf(`{%q:%s}`, pick(t, "parameter", "x", "mode", "machines", "y"), value)
			case "problem":
				value = pick(t, key, `"line"`, `"ring"`, `"lin"`, `""`)
			}
			more += fmt.Sprintf(`,%q:%s`, key, value)
		}
		instance := `"generate":"line"`
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"seeds", "parameters", "preset", "group"}), 0,
			2, rapid.ID).Draw(t, "instance") {
			value := axis(t, "of instance "+key)
			switch key {
			case "parameters":
				value = fmt.Sprintf(`{%q:%s}`, pick(t, "of generator", "n", "p", "even", "m"), value)
			case "preset", "group":
				value = pick(t, key, `"random"`, `"fixed"`, `"file"`, "1")
			}
			instance += fmt.Sprintf(`,%q:%s`, key, value)
		}
		text := spec("{"+instance+"}", pick(t, "algorithms", `"a"`, `"b"`, `"all"`, `"a","b"`, `"d"`, `1`), more)
		_, err := planned(text, dir)
		said := validate(s, text)
		kinds[err == nil]++
		switch {
		case err == nil && said != nil:
			t.Fatalf("%s: the schema says %v", text, said)
		case err != nil && said == nil:
			for line := range strings.Lines(err.Error()) {
				alone := slices.ContainsFunc(append(beyondSchema, "has more than", "range"),
					func(part string) bool { return strings.Contains(line, part) })
				if !alone && !strings.Contains(text, `"from"`) { // what comes of a range may be no value of a parameter
					t.Fatalf("%s: the schema takes it; the reader says %v", text, err)
				}
			}
		}
	})
	if kinds[true] == 0 || kinds[false] == 0 {
		t.Errorf("specs that the reader takes, or not: %v", kinds)
	}
}
