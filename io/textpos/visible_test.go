package textpos

import (
	"bytes"
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"

	"pgregory.net/rapid"
)

func TestGuardCell(t *testing.T) {
	for _, c := range []struct{ text, cell string }{
		{"", ""}, {"job1", "job1"}, {"a=b", "a=b"}, {" =1", " =1"}, {"'", "'"}, {"it's", "it's"}, {"'tis", "'tis"},
		{"=1+1", "'=1+1"}, {"+1+1", "'+1+1"}, {"-1-1", "'-1-1"}, {"@SUM(A1)", "'@SUM(A1)"}, {"-", "'-"}, {"-x", "'-x"},
		{"\t=1", "'\t=1"}, {"\r=1", "'\r=1"}, {"\n=1", "'\n=1"}, {"＝1", "'＝1"},
		{"-7", "-7"}, {"+7", "+7"}, {"-0.5", "-0.5"}, {"-.5", "-.5"}, {"-1e-07", "-1e-07"}, {"+1E+5", "+1E+5"}, // numbers
		{"-1e", "'-1e"}, {"-.", "'-."}, {"-1e5x", "'-1e5x"}, {"+Inf", "'+Inf"}, {"-0x10", "'-0x10"},
		{"'=1", "''=1"}, {"''=1", "'''=1"}, {"'-7", "''-7"}, {"''", "''"}, // what looks guarded
	} {
		if got := GuardCell(c.text); got != c.cell {
			t.Errorf("%q is written as %q; want %q", c.text, got, c.cell)
		}
		if got := BareCell(c.cell); got != c.text {
			t.Errorf("%q is read as %q; want %q", c.cell, got, c.text)
		}
	}
}

// hostile draws texts that are difficult for spreadsheets, CSV and people.
func hostile() *rapid.Generator[string] {
	parts := rapid.SampledFrom([]string{"'", "=", "+", "-", "@", "\t", "\r", "\n", "＝", "1", "7.5", "e3", ",", ";", `"`,
		" ", "a", "cmd|' /C calc'!A0", "\u202e", "\x00", "\x1b[2J"})
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(parts, 0, 6).Draw(t, "parts"), "") })
}

// TestCellProperties: every text is read back unchanged, and no cell begins so that a spreadsheet runs it.
func TestCellProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(hostile(), rapid.String()).Draw(t, "text")
		cell := GuardCell(text)
		if got := BareCell(cell); got != text {
			t.Fatalf("%q is written as %q and read as %q", text, cell, got)
		}
		if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r\n") && !decimal.MatchString(cell) {
			t.Fatalf("%q is written as %q", text, cell)
		}
		var file bytes.Buffer
		out := NewCSVWriter(&file)
		line := []string{text, "x"}
		if err := out.WriteAll([][]string{line}); err != nil || line[0] != text {
			t.Fatalf("%v; the record is %q afterwards", err, line)
		}
		if strings.Contains(text, "\r\n") {
			return // CSV cannot keep it
		}
		got, err := csv.NewReader(&file).Read()
		if err != nil {
			t.Fatal(err)
		}
		if Bare(got); !slices.Equal(got, line) {
			t.Fatalf("%q is read as %q", line, got)
		}
	})
}

func TestVisible(t *testing.T) {
	for _, c := range []struct{ text, seen string }{
		{"", ""}, {"job 1", "job 1"}, {"größer ≤ 3", "größer ≤ 3"}, {"数", "数"}, {`a\b"c'`, `a\b"c'`},
		{"a\u00a0b", "a\u00a0b"},
		{"\x1b[2J", `\x1b[2J`}, {"\x1b]0;title\a", `\x1b]0;title\a`}, {"a\nok: b", `a\nok: b`}, {"a\tb\r", `a\tb\r`},
		{"\x00\x7f", `\x00\x7f`},
		{"\u009b2J", `\u009b2J`}, {"\u202eabc\u202c", `\u202eabc\u202c`}, {"\u2066x\u2069", `\u2066x\u2069`},
		{"a\u2028b\u2029", `a\u2028b\u2029`},
		{"\u200b\u200d\ufeff", `\u200b\u200d\ufeff`}, {"\xff\x9b", `\xff\x9b`},
	} {
		if got := Visible(c.text); got != c.seen {
			t.Errorf("%q is shown as %q; want %q", c.text, got, c.seen)
		}
	}
}

func TestVisibleWriter(t *testing.T) {
	var b bytes.Buffer
	w := NewVisibleWriter(&b)
	for _, part := range []string{"\x1b[31mx\x1b[0m\n", "a\tb\r\n", "\xe2\x80", "\xae \xe2", "\x89\xa4 ",
		"\xe2\x80"} {
		if n, err := io.WriteString(w, part); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if want := "\\x1b[31mx\\x1b[0m\na\tb\\r\n\\u202e ≤ "; b.String() != want {
		t.Errorf("%q; want %q", b.String(), want)
	}
}

// TestVisibleProperties: no control sequence passes, however the text is divided into writes.
func TestVisibleProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(hostile(), rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()),
			func(b []byte) string { return string(b) })).Draw(t, "text")
		if seen := Visible(text); strings.IndexFunc(seen, func(c rune) bool { return !unicode.IsGraphic(c) }) >= 0 ||
			Visible(seen) != seen {
			t.Fatalf("%q is shown as %q", text, seen)
		}
		var whole, parts bytes.Buffer
		_, err := NewVisibleWriter(&whole).Write([]byte(text + "."))
		if err != nil {
			t.Fatal(err)
		}
		w := NewVisibleWriter(&parts)
		if _, err := io.CopyBuffer(struct{ io.Writer }{w}, iotest.OneByteReader(strings.NewReader(text+".")),
			make([]byte, 1)); err != nil || whole.String() != parts.String() {
			t.Fatalf("%q is shown as %q, and byte by byte as %q; %v", text, whole.String(), parts.String(), err)
		}
	})
}
