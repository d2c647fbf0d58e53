package lp

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// tiny has one example of everything that the formats write differently.
func tiny() *Model {
	m := NewModel("tiny */ model")
	m.Offset = 2.5
	x := m.AddCol("x", 1, 0, Inf)
	y := m.AddCol("y[1,2]", -2, -1, 4)
	z := m.AddCol("z", 0, -7, Inf)
	u := m.AddCol("int", 3, -9, -1)
	k := m.AddCol("k", 1e-7, 0, Inf)
	b := m.AddCol("x", 1, 0, 1)
	f := m.AddCol("", 0, 3, 3)
	m.SetInt(k)
	m.SetInt(b)
	m.AddRow("cover", []Entry{{x, 1}, {y, 2.5}, {z, -1}}, GE, 4)
	m.AddRow("cover", []Entry{{u, -1}, {k, 1}, {b, 1e20}}, LE, 1e6)
	m.AddRow("", []Entry{{x, 1}, {y, 1}, {z, 1}, {u, 1}, {k, 1}, {b, 1}, {f, 1}}, EQ, -3)
	m.AddRow("objective", []Entry{{x, 1}}, GE, 0)
	m.AddRow("nothing", nil, LE, 1)
	return m
}

func TestGolden(t *testing.T) {
	maximize := tiny()
	maximize.Maximize, maximize.Offset = true, 0
	maximize.Comments = []string{"column x: how much of x", "row cover: at least 4 */ of\nall"}
	for name, c := range map[string]struct {
		m     *Model
		write func(io.Writer, *Model) error
	}{
		"tiny.lp": {tiny(), WriteLP}, "tiny.mps": {tiny(), WriteMPS},
		"max.lp": {maximize, WriteLP}, "max.mps": {maximize, WriteMPS},
		"empty.lp": {NewModel(""), WriteLP}, "empty.mps": {NewModel(""), WriteMPS},
	} {
		var got bytes.Buffer
		if err := c.write(&got, c.m); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// full fails after some bytes, like a full disk.
type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteErrors(t *testing.T) {
	m := NewModel("big")
	for range 20_000 {
		m.AddCol("", 1, 0, 1)
	}
	for _, write := range []func(io.Writer, *Model) error{WriteLP, WriteMPS} {
		for _, left := range []int{0, 70_000} {
			if err := write(&full{left}, m); !errors.Is(err, errFull) {
				t.Errorf("%v, want the writer's error", err)
			}
		}
		if write(nil, m) == nil {
			t.Error("nil writer: no error")
		}
	}
}

func TestUniqueNames(t *testing.T) {
	in := []string{"a", "a", "", "a b", "a_b", "a*b", "1x", "int", "INT", "e5", "E", "energy", "é", "a_2",
		strings.Repeat("n", 300), strings.Repeat("n", 300), "R", "_x"}
	want := []string{"a", "a_3", "R3", "a_b_2", "a_b", "a_b_3", "R_1x", "R_int", "R_INT", "R_e5", "R_E", "energy",
		"R___", "a_2",
		strings.Repeat("n", 188), strings.Repeat("n", 188) + "_2", "R_2", "R__x"}
	got := uniqueNames(len(in), func(i int) string { return in[i] }, "R", "R")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestUniqueNamesProperty: for any input the output has legal and distinct names, and legal distinct names stay.
func TestUniqueNamesProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		gen := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-c]_?[23]?`), rapid.StringMatching(`[CeEi][0-9n]?t?`))
		in := rapid.SliceOfN(gen, 0, 12).Draw(rt, "names")
		out := uniqueNames(len(in), func(i int) string { return in[i] }, "C", offsetColumn)
		first := map[string]bool{}
		seen := map[string]bool{offsetColumn: true}
		for i, s := range out {
			if !legal(s) || seen[s] {
				rt.Fatalf("%q becomes %q", in[i], s)
			}
			seen[s] = true
			if legal(in[i]) && !first[in[i]] && s != in[i] {
				rt.Fatalf("legal %q becomes %q", in[i], s)
			}
			first[in[i]] = true
		}
	})
}
