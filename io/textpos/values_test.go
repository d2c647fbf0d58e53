package textpos

import (
	"io"
	"strings"
	"testing"

	"mrsched/model"
)

// readValues reads {"name":…,"list":[…],"size":…} and says what it found; an error of reading becomes a finding.
func readValues(text string) (got string, findings error) {
	var found model.Findings
	v := NewValues(strings.NewReader(text), "f", "an example", &found)
	var list []string
	var name Ident
	var size string
	ok, err := v.Object("the example", NewFields("name", "list", "size", "count"), func(key string) (err error) {
		switch key {
		case "name":
			name, err = v.ID("name")
		case "list":
			err = v.Array("list", func() error {
				s, err := v.Text("an element")
				list = append(list, s)
				return err
			})
		case "size":
			size, _, err = v.Number("size")
		case "count":
			_, err = v.Count("count")
		}
		return err
	})
	if ok && err == nil && name.Text == "" {
		v.Missing(name, v.Here(0), "the example", "name")
	}
	if err != nil && err != io.EOF {
		v.Fail(err)
	}
	return name.Text + " " + strings.Join(list, ",") + " " + size, found.Err()
}

func TestValues(t *testing.T) {
	for _, c := range []struct{ text, got, found string }{
		{`{"n\u0061me":"a\tb","list":["x",null,"y"],"size":1e3,"other":[{"deep":[1]}],"count":[1,[2],{}]}`,
			"a\tb x,,y 1e3", ""},
		{`{"name":"a","size":null,"list":null}`, "a  ", ""},
		{"{\n \"name\": 7,\n \"list\": {},\n \"size\": \"1\"}", "  ", "T501 f:2:10: name is a number; expected a " +
			"string\nT501 f:3:10: list is an object; expected an array\nT501 f:4:10: size is a string; expected a number"},
		{`{"name":"a","name":"b"}`, "a  ", `V208 f:1:13: key "name" of the example is given twice; expected one of the two`},
		{`{"name":""}`, "  ", "T501 f:1:9: name is empty; expected a name"},
		{`{"name":null}`, "  ", "T501 f:1:9: name is null; expected a string"},
		{`{}`, "  ", "T501 f:1:3: the example has no name; expected an id"},
		{`[]`, "  ", "T501 f:1:1: the example is an array; expected an object"},
		{`{"name":"` + strings.Repeat("x", maxText) + `"}`, "  ", "F106 f:1:9: name is 65538 bytes long; expected at most " +
			"65536 bytes"},
		{`{"other":` + strings.Repeat("[", MaxDepth+1), "  ", "T501 f:1:137: values lie within each other more than 128 " +
			"deep; expected an example"},
		{`{"name":"a"`, "a  ", "F104 f:1:12: the file ends in the middle of a value; expected the rest of it; hint: " +
			"the file was cut: produce or copy it again"},
	} {
		got, err := readValues(c.text)
		found := ""
		if err != nil {
			found = err.Error()
		}
		if got != c.got || found != c.found {
			t.Errorf("%.60s: %q\n%s\nwant %q\n%s", c.text, got, found, c.got, c.found)
		}
	}
}
