package sat

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"mrsched/model"
)

// paperCNF is the example of Fischer, Su, Yin 2010, §3.2.
const paperCNF = "c (x1∨x2∨x3)∧(x1∨¬x4∨x5)∧(¬x1∨x4∨¬x6)\np cnf 6 3\n1 2 3 0\n1 -4 5 0\n-1 4 -6 0\n"

func parse(t testing.TB, text string) *Formula {
	t.Helper()
	f, err := ReadCNF(strings.NewReader(text), "f.cnf")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestReadCNF(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Formula
	}{
		{"the paper's", paperCNF, Formula{Declared: 6, Clauses: []Clause{{1, 2, 3}, {1, -4, 5}, {-1, 4, -6}}}},
		{"short clauses repeat a literal", "p cnf 2 2\n1 0\n-1 2 0\n", Formula{Declared: 2,
			Clauses: []Clause{{1, 1, 1}, {-1, 2, 2}}, Short: 2}},
		{"a tautology", "p cnf 1 1\n1 -1 0", Formula{Declared: 1, Clauses: []Clause{{1, -1, -1}}, Short: 1}},
		{"clauses as they come", "  c one\r\np  cnf\t3 2 \r\n1 2\r\nc between\r\n3 0 -1 -2 -3\r\n0",
			Formula{Declared: 3, Clauses: []Clause{{1, 2, 3}, {-1, -2, -3}}}},
		{"SATLIB's end", "p cnf 3 1\n 1 2 3 0\n%\n0\n\n", Formula{Declared: 3, Clauses: []Clause{{1, 2, 3}}}},
		{"a long comment", "c" + strings.Repeat("x", 1<<20) + "\np cnf 3 1\n1 2 3 0\n",
			Formula{Declared: 3, Clauses: []Clause{{1, 2, 3}}}},
		{"a long line", "p cnf 3 1\n1 2 3" + strings.Repeat(" ", 1<<20) + "0",
			Formula{Declared: 3, Clauses: []Clause{{1, 2, 3}}}},
	} {
		c.want.Name = "f.cnf"
		got, err := ReadCNF(iotest.OneByteReader(strings.NewReader(c.text)), "f.cnf")
		if err != nil || !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

// TestReadCNFFindings: each kind of error with its code and position, and several at once.
func TestReadCNFFindings(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "F103 1:1", // nothing
		"c one\nc two\n":                  "F103 3:1", // comments only
		"1 2 3 0\n4 0\n":                  "F103 1:1", // no header
		"p wcnf 3 1 10\n1 2 3 0\n":        "F103 1:1", // another format
		"p cnf -3 1\n1 2 3 0\n":           "F103 1:1", // a negative size
		"p cnf 3 1\np cnf 3 1\n1 2 3 0\n": "V208 2:1", // two headers
		"p cnf 0 0\n":                     "S401 2:1", // no clause
		"p cnf 2 2\n1 2 0\n  0\n":         "F109 3:3", // an empty clause
		"p cnf 5 1\n1 2 3 4 5 0\n":        "F109 2:7", // a long clause
		"p cnf 3 1\n1 x2 3 0\n":           "V202 2:3", // a word
		"p cnf 3 1\n1 2.0 3 0\n":          "V202 2:3", // a fraction
		"p cnf 3 1\n1 2 -4 0\n":           "V204 2:5", // an undeclared variable
		"p cnf 3 1\n1 -9223372036854775808 99999999999999999999 0\n": "V204 2:3", // a huge number
		"p cnf 3 2\n1 2 3 0\n1 2":                                    "F104 3:1", // no end
		"p cnf 3 2\n1 2 3 0\n":                                       "F104 3:1", // too few clauses
		"c\np cnf 3 1\n1 2 3 0\n1 0":                                 "F109 2:1", // too many clauses
		"\x1f\x8b\x00":                                               "F103 1:1", // binary
		"p cnf 3 4\n1 2 9 0\n0\n1 y 0\n1 2 3 1 0\n":                  "V204 2:5, F109 3:1, V202 4:3, F109 5:7",
	} {
		_, err := ReadCNF(strings.NewReader(text), "f.cnf")
		var got []string
		if input, ok := errors.AsType[*model.InputError](err); ok {
			for _, f := range input.Findings {
				got = append(got, fmt.Sprintf("%s %d:%d", f.Code, f.Pos.Line, f.Pos.Column))
			}
		}
		if list := strings.Join(got, ", "); list != want && !strings.HasPrefix(list, want+", ") {
			t.Errorf("%q: %s, not %s", text, list, want)
		}
	}
}

// knowing is a reader that supplies the findings of its errors.
type knowing struct{ io.Reader }

func (knowing) Finding(err error) model.Finding {
	return model.Finding{Code: model.CodeCompression, What: err.Error()}
}

func TestReadCNFBrokenReader(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("p cnf 3 1\n1 2"), iotest.ErrReader(errors.New("no disk")))
	if _, err := ReadCNF(broken, "f.cnf"); err == nil || err.Error() != "F101 f.cnf: no disk" {
		t.Error(err)
	}
	if _, err := ReadCNF(knowing{iotest.ErrReader(errors.New("cut"))}, "f.cnf"); err == nil || err.Error() != "F102: cut" {
		t.Error(err)
	}
}

// cnf writes a formula.
func cnf(f *Formula) string {
	var b strings.Builder
	fmt.Fprintf(&b, "p cnf %d %d\n", f.Declared, len(f.Clauses))
	for _, c := range f.Clauses {
		fmt.Fprintf(&b, "%d %d %d 0\n", c[0], c[1], c[2])
	}
	return b.String()
}

// FuzzReadCNF reads any bytes. Accepted text is a formula that is read back unchanged and can be recovered from its
// reduction.
func FuzzReadCNF(f *testing.F) {
	for _, seed := range []string{paperCNF, "", "p cnf 1 1\n1 0\n", "p cnf 3 1\n1 -1 3 0\n%\n0\n",
		"c\np cnf 4 2\n1 2 3 4 0\n0\n",
		"p cnf 2147483647 1\n-2147483647 0", "p cnf 1 1\n-9223372036854775808 0", "1 2 3 0", "p cnf x y",
		"\xef\xbb\xbfp cnf 1 1\n1 0"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		formula, err := ReadCNF(strings.NewReader(string(text)), "f.cnf")
		if err != nil {
			if input := (*model.InputError)(nil); !errors.As(err, &input) || len(input.Findings) == 0 {
				t.Fatal(err)
			}
			return
		}
		again := parse(t, cnf(formula))
		again.Short = formula.Short
		if !reflect.DeepEqual(again, formula) {
			t.Fatalf("%+v is read again as %+v", formula, again)
		}
		if len(formula.Clauses) > 20 {
			return
		}
		w, err := Reduce(formula)
		if err != nil {
			t.Fatal(err)
		}
		if told, err := Recover(w); err != nil || !reflect.DeepEqual(told.Clauses, formula.Clauses) {
			t.Fatalf("%+v, %v", told, err)
		}
	})
}
