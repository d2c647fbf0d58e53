package textpos

import (
	"encoding/csv"
	"io"
	"strings"
	"testing"

	"mrsched/model"
)

func TestStem(t *testing.T) {
	for name, want := range map[string]string{
		"x/19-jobs.trace.json.gz": "19-jobs.trace", "input-trace.json": "input-trace", `C:\t\a.gz`: "a", "-": "-", "": ".",
	} {
		if got := Stem(name, ".gz", ".json"); got != want {
			t.Errorf("Stem(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestCSVFinding(t *testing.T) {
	const hint = `; expected CSV; hint: put fields with quotes, commas or line ends in quotes and double the quotes inside: "a ""b"""`
	for text, want := range map[string]string{
		"a,b\n1,x\"y\n":       `F103 f:2:4: bare " in non-quoted-field` + hint,
		"a,b\n\"x\ny\" z,2\n": `F103 f:2:1: extraneous or missing " in quoted-field` + hint,
		"a\n\xff":             "F105 f:2:1: byte 0xff does not begin a valid UTF-8 sequence; expected UTF-8; hint: " + remedies[model.CodeEncoding][1],
	} {
		in := NewReader(strings.NewReader(text), "f")
		r := csv.NewReader(in)
		var err error
		for err == nil {
			_, err = r.Read()
		}
		if err == io.EOF {
			t.Errorf("%q is read", text)
		} else if got := in.CSVFinding(err).String(); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestNumberFinding(t *testing.T) {
	at := model.Position{File: "f", Line: 3, Column: 4}
	for text, want := range map[string]string{
		"x":                     `V202 f:3:4: time "x" is not a number; expected seconds`,
		"-1":                    `V203 f:3:4: time "-1" is negative; expected seconds`,
		"1e400":                 `V204 f:3:4: time "1e400" is too large; expected seconds`,
		strings.Repeat("é", 40): `V202 f:3:4: time "` + strings.Repeat("é", 30) + `"… is not a number; expected seconds`,
	} {
		_, err := model.ParseTime(text)
		if got := NumberFinding(at, "time", text, err, "seconds").String(); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}
