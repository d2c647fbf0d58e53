package textpos

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"mrsched/model"
)

// pack packs texts, each as a member of its own.
func pack(texts ...string) []byte {
	var b bytes.Buffer
	for _, text := range texts {
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, text)
		_ = w.Close()
	}
	return b.Bytes()
}

// at is the code and the position of a finding.
func at(f model.Finding) string { return string(f.Code) + " " + f.Pos.String() }

func TestRead(t *testing.T) {
	cases := map[string]struct{ in, want string }{
		"plain":        {"a\nb", "a\nb"},
		"empty":        {"", ""},
		"one byte":     {"\x1f", "\x1f"},
		"mark":         {"\xef\xbb\xbfid,job", "id,job"},
		"mark only":    {"\xef\xbb\xbf", ""},
		"gzip":         {string(pack("a\nb")), "a\nb"},
		"gzip of none": {string(pack("")), ""},
		"gzip, mark":   {string(pack("\xef\xbb\xbfa")), "a"},
		"two members":  {string(pack("a", "b")), "ab"},
		"runes":        {"żółw 日本 🐘", "żółw 日本 🐘"},
	}
	for name, c := range cases {
		for how, wrap := range chunkings {
			got, err := io.ReadAll(NewReader(wrap(strings.NewReader(c.in)), "f"))
			if err != nil || string(got) != c.want {
				t.Errorf("%s, %s: %q, %v; want %q", name, how, got, err, c.want)
			}
		}
	}
}

var chunkings = map[string]func(io.Reader) io.Reader{
	"whole":        func(r io.Reader) io.Reader { return r },
	"single bytes": iotest.OneByteReader,
	"halves":       iotest.HalfReader,
	"error early":  iotest.DataErrReader,
}

func TestErrors(t *testing.T) {
	zipped := pack(strings.Repeat("some text\n", 1000))
	damaged := bytes.Clone(zipped)
	damaged[len(damaged)-6] ^= 1 // the checksum
	boom := errors.New("disk on fire")
	for name, c := range map[string]struct {
		in    string
		after error // what comes behind the text, if not its end
		want  string
	}{
		"cut gzip":        {string(zipped[:len(zipped)-9]), nil, "F102 f:1001:1"},
		"cut gzip header": {"\x1f\x8b\x08", nil, "F102 f:1:1"},
		"gzip checksum":   {string(damaged), nil, "F102 f:1001:1"},
		"gzip and more":   {string(pack("a\n")) + "plain text", nil, "F102 f:2:1"},
		"latin-1":         {"ab\nc\xe9d", nil, "F105 f:2:2"},
		"utf-16":          {"\xff\xfea\x00", nil, "F105 f:1:1"},
		"half a rune":     {"ab\n\xe6\x97", nil, "F104 f:2:3"},
		"plain":           {"ab", boom, "F101 f"},
		"under gzip":      {string(zipped[:20]), boom, "F101 f"},
	} {
		for how, wrap := range chunkings {
			src := io.Reader(strings.NewReader(c.in))
			if c.after != nil {
				src = io.MultiReader(src, iotest.ErrReader(c.after))
			}
			r := NewReader(wrap(src), "f")
			_, err := io.ReadAll(r)
			if err == nil || at(r.Finding(err)) != c.want {
				t.Errorf("%s, %s: %v, want %s", name, how, err, c.want)
			}
			if _, again := r.Read(make([]byte, 9)); again != err {
				t.Errorf("%s, %s: %v, then %v", name, how, err, again)
			}
		}
	}
	r := NewReader(stalled{}, "f")
	if _, err := io.ReadAll(r); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("error %v, want %v", err, io.ErrNoProgress)
	}
}

type stalled struct{}

func (stalled) Read([]byte) (int, error) { return 0, nil }

// endless repeats its text forever.
type endless struct {
	text string
	i    int
}

func (e *endless) Read(p []byte) (int, error) {
	for k := range p {
		p[k] = e.text[e.i%len(e.text)]
		e.i++
	}
	return len(p), nil
}

// TestFindings: errors of the readers of JSON and CSV are findings in the text; a value has an end before the limit.
func TestFindings(t *testing.T) {
	for _, c := range []struct{ text, more, want string }{
		{"{\"a\":1,\n \"b\":?}", "", "F103 f:2:6"}, {"{\"a\":1,\n", "", "F104 f:2:1"},
		{"{\"a\":\n\"\xc3\x28\"}", "", "F105 f:2:2"},
		{`{"a":"`, "x", "F106 f:1:5"}, {"{\n", " \n", "F106 f:1:2"}, {"1", "0", "F106 f:1:1"},
	} {
		in := io.Reader(strings.NewReader(c.text))
		if c.more != "" {
			in = io.MultiReader(in, &endless{text: c.more})
		}
		r := NewReader(in, "f")
		dec := jsontext.NewDecoder(r)
		r.Limit(1<<16, dec.InputOffset)
		if err := dec.SkipValue(); err == nil || at(r.Finding(err)) != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	for text, want := range map[string]string{
		"a,b\n1,x\"y\n": "F103 f:2:4", "a,b\n\"x\ny\" z,2\n": "F103 f:2:1", "a\n\xff": "F105 f:2:1",
	} {
		in := NewReader(strings.NewReader(text), "f")
		if _, err := csv.NewReader(in).ReadAll(); err == nil || at(in.CSVFinding(err)) != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	place := model.Position{File: "f", Line: 3, Column: 4}
	for text, want := range map[string]string{"x": "V202 f:3:4", "-1": "V203 f:3:4", "1e400": "V204 f:3:4"} {
		_, err := model.ParseTime(text)
		if got := at(NumberFinding(place, "time", text, err, "seconds")); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
	_, err := model.ParseTime("é")
	f := NumberFinding(place, "time", strings.Repeat("é", 40), err, "seconds")
	if !strings.Contains(f.What, strings.Repeat("é", 30)+`"…`) || strings.Contains(f.What, strings.Repeat("é", 31)) {
		t.Errorf("a long text is quoted in %s", f.What)
	}
}

// TestPositions compares with counting, for any text, chunks and releases.
func TestPositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab\n\né日🐘"))).Draw(t, "text")
		r := NewReader(strings.NewReader(text), "f")
		released := 0
		for {
			p := make([]byte, rapid.IntRange(1, 5).Draw(t, "chunk"))
			_, err := r.Read(p)
			for range 3 {
				at := rapid.IntRange(released, int(r.Offset())).Draw(t, "offset")
				before := text[:at]
				want := model.Position{File: "f", Line: int32(1 + strings.Count(before, "\n")),
					Column: int32(at - strings.LastIndex(before, "\n"))}
				if got := r.Position(int64(at)); got != want {
					t.Fatalf("offset %d of %q: %v, want %v", at, text, got, want)
				}
			}
			if rapid.Bool().Draw(t, "release") {
				released = rapid.IntRange(released, int(r.Offset())).Draw(t, "upto")
				r.Release(int64(released))
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if int(r.Offset()) != len(text) {
			t.Fatalf("%d bytes of %d", r.Offset(), len(text))
		}
	})
}

func TestStem(t *testing.T) {
	for name, want := range map[string]string{
		"x/19-jobs.trace.json.gz": "19-jobs.trace", "input-trace.json": "input-trace", `C:\t\a.gz`: "a", "-": "-", "": ".",
	} {
		if got := Stem(name, ".gz", ".json"); got != want {
			t.Errorf("Stem(%q) = %q, want %q", name, got, want)
		}
	}
}

// readValues reads {"name":…,"list":[…]} and says what it found; an error of reading becomes a finding.
func readValues(text string) (got, findings string) {
	var found model.Findings
	v := NewValues(strings.NewReader(text), "f", "an example", &found)
	var list []string
	var name string
	_, err := v.Object("the example", NewFields("name", "list"), func(key string) (err error) {
		switch key {
		case "name":
			name, err = v.Text("name")
		case "list":
			err = v.Array("list", func() error {
				s, err := v.Text("an element")
				list = append(list, s)
				return err
			})
		}
		return err
	})
	if err != nil && err != io.EOF {
		v.Fail(err)
	}
	var places []string
	if input, ok := errors.AsType[*model.InputError](found.Err()); ok {
		for _, f := range input.Findings {
			places = append(places, at(f))
		}
	}
	return name + " " + strings.Join(list, ","), strings.Join(places, ", ")
}

func TestValues(t *testing.T) {
	for _, c := range []struct{ text, got, found string }{
		{`{"n\u0061me":"a\tb","list":["x",null,"y"],"other":[{"deep":[1]}]}`, "a\tb x,,y", ""},
		{`{"name":"a","list":null}`, "a ", ""},
		{"{\n \"name\": 7,\n \"list\": {}}", " ", "T501 f:2:10, T501 f:3:10"},
		{`{"name":"a","name":"b"}`, "a ", "V208 f:1:13"}, {`{"name":null}`, " ", ""}, {`[]`, " ", "T501 f:1:1"},
		{`{"name":"` + strings.Repeat("x", maxText) + `"}`, " ", "F106 f:1:9"},
		{`{"other":` + strings.Repeat("[", MaxDepth+1), " ", "T501 f:1:137"}, {`{"name":"a"`, "a ", "F104 f:1:12"},
	} {
		if got, found := readValues(c.text); got != c.got || found != c.found {
			t.Errorf("%.60s: %q, %s; want %q, %s", c.text, got, found, c.got, c.found)
		}
	}
}
