package textpos

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"mrsched/model"
)

func pack(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.Bytes()
}

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
		"two members":  {string(pack("a")) + string(pack("b")), "ab"},
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
	boom := iotest.ErrReader(errors.New("disk on fire"))
	cases := map[string]struct {
		in   io.Reader
		want string
	}{
		"cut gzip": {bytes.NewReader(zipped[:len(zipped)-9]), "F102 f:1001:1: the gzip data are cut short; " +
			"expected a whole gzip file; hint: copy or compress the file again"},
		"cut gzip header": {strings.NewReader("\x1f\x8b\x08"), "F102 f:1:1: the gzip data are cut short; expected a whole " +
			"gzip file; hint: copy or compress the file again"},
		"gzip checksum": {bytes.NewReader(damaged), "F102 f:1001:1: the gzip data are damaged (gzip: invalid checksum); " +
			"expected a whole gzip file; hint: copy or compress the file again"},
		"gzip and more": {io.MultiReader(bytes.NewReader(pack("a\n")), strings.NewReader("plain text")),
			"F102 f:2:1: the gzip data are damaged (gzip: invalid header); expected a whole gzip file; hint: copy or " +
				"compress the file again"},
		"latin-1": {strings.NewReader("ab\nc\xe9d"), "F105 f:2:2: byte 0xe9 does not begin a valid UTF-8 " +
			"sequence; expected UTF-8; hint: " + remedies[model.CodeEncoding][1]},
		"utf-16": {strings.NewReader("\xff\xfea\x00"), "F105 f:1:1: the file is UTF-16 text; expected UTF-8; hint: " +
			"save it as UTF-8: in a spreadsheet \"CSV UTF-8\", in a shell iconv -f UTF-16 -t UTF-8"},
		"half a rune": {strings.NewReader("ab\n\xe6\x97"), "F104 f:2:3: the file ends in the middle of a value; expected " +
			"the rest of it; hint: the file was cut: produce or copy it again"},
		"plain":      {io.MultiReader(strings.NewReader("ab"), boom), "F101 f: disk on fire"},
		"under gzip": {io.MultiReader(bytes.NewReader(zipped[:20]), boom), "F101 f: disk on fire"},
	}
	for name, c := range cases {
		in, _ := io.ReadAll(c.in) // the text before the error; boom comes again below
		for how, wrap := range chunkings {
			src := io.Reader(bytes.NewReader(in))
			if name == "plain" || name == "under gzip" {
				src = io.MultiReader(src, boom)
			}
			r := NewReader(wrap(src), "f")
			_, err := io.ReadAll(r)
			if err == nil {
				t.Errorf("%s, %s: no error", name, how)
				continue
			}
			if got := r.Finding(err).String(); got != c.want {
				t.Errorf("%s, %s:\n got %s\nwant %s", name, how, got, c.want)
			}
			if _, again := r.Read(make([]byte, 9)); again != err {
				t.Errorf("%s, %s: %v, then %v", name, how, err, again)
			}
		}
	}
}

func TestJSONFindings(t *testing.T) {
	cases := map[string]string{
		"{\"a\":1,\n \"b\":?}": "F103 f:2:6: invalid character '?' at start of value; expected JSON",
		"{\"a\":1,\n": "F104 f:2:1: the file ends in the middle of a value; expected the rest of it; hint: the file was " +
			"cut: produce or copy it again",
		"{\"a\":\n\"\xc3\x28\"}": "F105 f:2:2: byte 0xc3 does not begin a valid UTF-8 sequence; expected UTF-8; hint: " +
			remedies[model.CodeEncoding][1],
	}
	for text, want := range cases {
		r := NewReader(strings.NewReader(text), "f")
		dec := jsontext.NewDecoder(r)
		err := dec.SkipValue()
		if err == nil {
			t.Errorf("%q: no error", text)
		} else if got := r.Finding(err).String(); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

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

func TestLimit(t *testing.T) {
	for _, c := range []struct{ head, tail, want string }{
		{`{"a":"`, "x", "F106 f:1:5: more than 65536 bytes from here without the end of a value; expected shorter values; " +
			"hint: look for a missing quote"},
		{"{\n", " \n", "F106 f:1:2: more than 65536 bytes from here without the end of a value; expected shorter values; " +
			"hint: look for a missing quote"},
		{"1", "0", "F106 f:1:1: more than 65536 bytes from here without the end of a value; expected shorter values; " +
			"hint: look for a missing quote"},
	} {
		r := NewReader(io.MultiReader(strings.NewReader(c.head), &endless{text: c.tail}), "f")
		dec := jsontext.NewDecoder(r)
		r.Limit(1<<16, dec.InputOffset)
		err := dec.SkipValue()
		if err == nil {
			t.Fatalf("%q…: no error", c.head)
		}
		if got := r.Finding(err).String(); got != c.want {
			t.Errorf("%q…:\n got %s\nwant %s", c.head, got, c.want)
		}
	}
}

func TestStalledSource(t *testing.T) {
	r := NewReader(stalled{}, "f")
	if _, err := io.ReadAll(r); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("error %v, want %v", err, io.ErrNoProgress)
	}
}

type stalled struct{}

func (stalled) Read([]byte) (int, error) { return 0, nil }

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

func BenchmarkRead(b *testing.B) {
	text := strings.Repeat("{\"id\":\"task_1\",\"value\":12345}\n", 1<<17)
	b.SetBytes(int64(len(text)))
	p := make([]byte, 4<<10)
	for b.Loop() {
		r := NewReader(strings.NewReader(text), "f")
		for {
			if _, err := r.Read(p); err != nil {
				break
			}
			r.Release(r.Offset())
		}
	}
}
