package page

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/io/report/chart"
	"mrsched/io/textpos"
	"mrsched/model"
)

// TestGrid: machine m1 is busy from 0 to 30 s, m2 from 5 to 35 s. In five buckets of 7 s, both machines in one group:
// maps run 7 + 2, 3 + 7, 0 + 1 machine-seconds of 14, reduces the rest.
func TestGrid(t *testing.T) {
	r := msjoResult("x", "a", "b")
	s := prepared(&r)
	g := s.gridOf(1, 5)
	for k, want := range []float64{9, 10, 1, 0, 0} {
		if got := float64(g.maps[k]) * 14; math.Abs(got-want) > 1e-5 {
			t.Errorf("maps in bucket %d: %v, want %v", k, got, want)
		}
	}
	for k, want := range []float64{0, 4, 13, 14, 9} {
		if got := float64(g.reduces[k]) * 14; math.Abs(got-want) > 1e-5 {
			t.Errorf("reduces in bucket %d: %v, want %v", k, got, want)
		}
	}
	if g := s.gridOf(2, 1); g.groups != 2 || math.Abs(float64(g.maps[0]+g.reduces[0])-30.0/35) > 1e-6 {
		t.Errorf("%+v", g)
	}
}

// TestGridKeepsTime: however a schedule is divided into cells, these contain the time of all of its tasks.
func TestGridKeepsTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := msjoResult("x", "a", "b")
		var tasks []Task
		total := 0.0
		for u := range rapid.IntRange(1, 40).Draw(t, "tasks") {
			start := model.Time(rapid.Int64Range(0, 1e9).Draw(t, "start"))
			length := model.Time(rapid.Int64Range(0, 1e9).Draw(t, "length"))
			total += float64(length)
			tasks = append(tasks, Task{ID: fmt.Sprint(u), Job: "a", Machine: fmt.Sprint("m",
				rapid.IntRange(1, 9).Draw(t, "machine")), Reduce: u%2 == 0, Start: start, End: start + length})
		}
		r.Tasks = slices.Values(tasks)
		s := prepared(&r)
		g := s.gridOf(rapid.IntRange(1, 12).Draw(t, "groups"), rapid.IntRange(1, 50).Draw(t, "buckets"))
		sum := 0.0
		for k := range g.maps {
			members := min(g.perGroup, len(s.machines)-k/g.buckets*g.perGroup)
			sum += float64(g.maps[k]+g.reduces[k]) * g.width * float64(members)
		}
		if math.Abs(sum-total) > 1e-4*total+1e-3 {
			t.Errorf("the cells hold %v of %v", sum, total)
		}
	})
}

// content is the unpacked content of a blob.
func (p *packed) content(t *rapid.T, k int) []byte {
	compressed, err := base64.StdEncoding.DecodeString(p.Blobs[k])
	try(t, err)
	z, err := zlib.NewReader(bytes.NewReader(compressed))
	try(t, err)
	b, err := io.ReadAll(z)
	try(t, err)
	return b
}

// TestPack: columns are unpacked as they were packed, with names as shown to people, as the page's decode.js reads
// them. Equal ones are stored once.
func TestPack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &packed{}
		names := rapid.SliceOf(rapid.String()).Draw(t, "names")
		numbers := rapid.SliceOf(rapid.Int64Range(-1<<52, 1<<52)).Draw(t, "numbers")
		a, b := p.names(names), p.numbers64(numbers)
		if p.names(names) != a || p.numbers64(numbers) != b {
			t.Error("equal columns are packed twice")
		}
		text := p.content(t, a)
		before := ""
		for _, want := range names {
			same, n := binary.Uvarint(text)
			rest, m := binary.Uvarint(text[n:])
			got := before[:same] + string(text[n+m:n+m+int(rest)])
			if want := textpos.Visible(want); got != want {
				t.Fatalf("%q, want %q", got, want)
			}
			text, before = text[n+m+int(rest):], got
		}
		text = p.content(t, b)
		value := int64(0)
		for _, want := range numbers {
			d, n := binary.Varint(text)
			if value += d; value != want {
				t.Fatalf("%d, want %d", value, want)
			}
			text = text[n:]
		}
	})
}

// TestPackLimit: a column that does not fit leaves nothing behind, and later ones may still fit.
func TestPackLimit(t *testing.T) {
	large, small := largeResult("x", 5000, 10), msjoResult("y", "a", "b")
	p := &packed{}
	r := p.add(&large, prepared(&large), 2000)
	if r.Whole || r.Tasks != 5000 || r.Machines != 10 || len(p.Blobs) != 0 || p.size != 0 {
		t.Errorf("%+v, %d blobs of %d bytes", r, len(p.Blobs), p.size)
	}
	if r := p.add(&small, prepared(&small), 2000); !r.Whole || r.Tasks != 4 || p.size > 2000 || len(r.Own) != 1 {
		t.Errorf("%+v, %d bytes", r, p.size)
	}
	if r := p.add(&Result{Name: "z"}, nil, 2000); r.Whole || r.Tasks != 0 {
		t.Errorf("%+v", r)
	}
}

// TestShown: numbers are as on the terminal, and all times of a page have one unit.
func TestShown(t *testing.T) {
	r := msjoResult("mars", "a", "b")
	for _, c := range []struct {
		span float64
		want string
	}{{35, "35 s"}, {3000, "0:00:35"}, {0.5, "35000 ms"}} {
		r.unit = chart.TimeUnit(c.span)
		if got := r.shown("makespan", "35", model.RoundDown); got != c.want {
			t.Errorf("of %v s: %q, want %q", c.span, got, c.want)
		}
	}
	for _, c := range []struct{ got, want string }{
		{r.shown("twjct", "1234567.5", model.RoundDown), "1,234,567"}, {r.shown("twjct", "word", model.RoundDown), "word"},
		{r.shown("utilisation", "0.12345", model.RoundDown), "12.34 %"}, {percent(0.1234), "12.34 %"}, {count(12345), "12,345"},
		{r.stated("bounds", []any{map[string]any{"method": "cls-lp", "value": json.Number("16092")}}), "cls-lp 16,092"},
		{r.stated("plan", "racks"), "racks"}, {r.stated("makespan", json.Number("35")), "35000 ms"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestDivide: on a, tasks 0 and 1 overlap and 2 fits behind 0; b has no overlap.
func TestDivide(t *testing.T) {
	s := &schedule{id: make([]string, 5), machine: []int32{0, 0, 0, 1, 1}, start: []model.Time{0, 2, 5, 0, 4},
		end: []model.Time{5, 9, 6, 4, 8}}
	names := s.divide([]string{"a", "b"})
	if !slices.Equal(names, []string{"a/1", "a/2", "b"}) || !slices.Equal(s.machine, []int32{0, 1, 0, 2, 2}) {
		t.Errorf("%v, %v", names, s.machine)
	}
}
