package textpos

import (
	"errors"
	"io"
	"strings"
	"testing"

	"mrsched/model"
)

// readValues reads {"name":…,"list":[…],"size":…} and says what it found; an error of reading becomes a finding.
func readValues(text string) (got, findings string) {
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
	var places []string
	if input, ok := errors.AsType[*model.InputError](found.Err()); ok {
		for _, f := range input.Findings {
			places = append(places, at(f))
		}
	}
	return name.Text + " " + strings.Join(list, ",") + " " + size, strings.Join(places, ", ")
}

func TestValues(t *testing.T) {
	for _, c := range []struct{ text, got, found string }{
		{`{"n\u0061me":"a\tb","list":["x",null,"y"],"size":1e3,"other":[{"deep":[1]}],"count":[1,[2],{}]}`,
			"a\tb x,,y 1e3", ""},
		{`{"name":"a","size":null,"list":null}`, "a  ", ""},
		{"{\n \"name\": 7,\n \"list\": {},\n \"size\": \"1\"}", "  ", "T501 f:2:10, T501 f:3:10, T501 f:4:10"},
		{`{"name":"a","name":"b"}`, "a  ", "V208 f:1:13"}, {`{"name":""}`, "  ", "T501 f:1:9"},
		{`{"name":null}`, "  ", "T501 f:1:9"}, {`{}`, "  ", "T501 f:1:3"}, {`[]`, "  ", "T501 f:1:1"},
		{`{"name":"` + strings.Repeat("x", maxText) + `"}`, "  ", "F106 f:1:9"},
		{`{"other":` + strings.Repeat("[", MaxDepth+1), "  ", "T501 f:1:137"}, {`{"name":"a"`, "a  ", "F104 f:1:12"},
	} {
		if got, found := readValues(c.text); got != c.got || found != c.found {
			t.Errorf("%.60s: %q, %s; want %q, %s", c.text, got, found, c.got, c.found)
		}
	}
}
