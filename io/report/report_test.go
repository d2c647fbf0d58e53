package report

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name  string
		claim Claim
		want  Verdict
	}{
		{"near: inside the tolerance", Near(1.5, 0.05)("", []float64{1.49, 1.5, 1.51}), Holds},
		{"near: noise around the number", Near(1.5, 0.05)("", []float64{1.1, 1.5, 1.9}), Undecided},
		{"near: outside", Near(1.5, 0.05)("", []float64{1.4, 1.4, 1.41}), Differs},
		{"near: far outside", Near(1.5, 0.05)("", []float64{1.2, 1.2, 1.21}), Contradicted},
		{"near: exactly another", Near(5, 0)("", []float64{4, 4}), Contradicted},
		{"one seed decides nothing", Near(1.5, 0.05)("", []float64{1.5}), Undecided},
		{"at most: below", AtMost(1.2, 0)("", []float64{1, 1.1}), Undecided},
		{"at most: well below", AtMost(1.2, 0)("", []float64{1, 1.01}), Holds},
		{"at most: above", AtMost(1.2, 0)("", []float64{1.3, 1.301}), Contradicted},
		{"at most: above within the tolerance", AtMost(1.2, 0.1)("", []float64{1.25, 1.25}), Holds},
		{"at least: above", AtLeast(0, 0)("", []float64{0.1, 0.101}), Holds},
		{"at least: noise", AtLeast(0, 0)("", []float64{-0.1, 0.3}), Undecided},
		{"at least: below", AtLeast(0, 0)("", []float64{-0.1, -0.101}), Contradicted},
		{"never: below", Never(1.4)("", []float64{1, 1.4}), Holds},
		{"never: one exception", Never(1.4)("", []float64{1, 1.5, 1}), Contradicted},
	} {
		if c.claim.Verdict != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.claim.Verdict, c.want)
		}
	}
}

// TestConfidence by the table of Student's t: 4.303 for two degrees of freedom. The mean of 1.1
// and 1.31 is 1.205; its interval is 1.205 ± 12.706 · 0.105.
func TestConfidence(t *testing.T) {
	low, high := Samples{1, 2, 3}.Confidence()
	if half := 4.30265 / math.Sqrt(3); math.Abs(low-2+half) > 1e-4 || math.Abs(high-2-half) > 1e-4 {
		t.Errorf("%g … %g", low, high)
	}
	c := AtMost(1.2, 0)("x", []float64{1.31, 1.1})
	if c.Ours != 1.205 || c.Interval[0] != -0.1292 || c.Interval[1] != 2.5392 ||
		c.Published != "≤ 1.2" {
		t.Errorf("%+v", c)
	}
}

// around is a curve of two samples a point, at this distance to both sides.
func around(distance float64, ys ...float64) Curve {
	c := Curve{Name: "B"}
	for i, y := range ys {
		c.Points = append(c.Points, Point{float64(i), []float64{y - distance, y + distance}})
	}
	return c
}

func line(ys ...float64) Curve { return around(0.1, ys...) }

func TestBelow(t *testing.T) {
	low := line(1, 1, 1, 1)
	for _, c := range []struct {
		name   string
		uppers []Curve
		want   Verdict
		ours   string
	}{
		{"everywhere", []Curve{line(2, 2, 2, 2), line(3, 3, 3, 3)}, Holds, "at 8 of 8 points"},
		{"equal is not below", []Curve{line(2, 2, 2, 1)}, Undecided, "at 3 of 4 points, the opposite at 0"},
		{"half", []Curve{line(2, 2, 0, 0)}, Differs, "at 2 of 4 points, the opposite at 2"},
		{"less than half", []Curve{line(2, 0, 0, 0)}, Contradicted, "at 1 of 4 points, the opposite at 3"},
		{"shared points only", []Curve{line(2, 2)}, Holds, "at 2 of 2 points"},
		{"no points", []Curve{line()}, Undecided, "at 0 of 0 points"},
	} {
		got := Below("", low, c.uppers)
		if got.Verdict != c.want || got.Ours != c.ours {
			t.Errorf("%s: %s %s, want %s %s", c.name, got.Verdict, got.Ours, c.want, c.ours)
		}
	}
}

func figure() *Figure {
	main, other, published := line(1.5, 1.25), line(1.75, 1.5), line(1.6)
	main.Name, main.Style = "A", Main
	other.Name, other.Style, other.Color = "B", Alternative, 1
	published.Name, published.Style = "A, published", Published
	published.Points[0].Samples = []float64{1.6}
	return &Figure{Name: "f", Title: "Title & <more>", Paper: "we", Source: "us", XLabel: "x", YLabel: "y",
		Curves:     []Curve{main, other, published},
		Claims:     []Claim{{Claim: "c < this", Published: 1.5, Ours: 1.5, Interval: []float64{1.4873, 1.5127}, Verdict: Holds}},
		Parameters: map[string]any{"b": 1, "a": "x"}}
}

func TestCSV(t *testing.T) {
	f := figure()
	f.Groups = []string{"one", "two, or more"}
	want := `curve,style,x,mean,min,max,seeds
A,main,one,1.5,1.4,1.6,2
A,main,"two, or more",1.25,1.15,1.35,2
B,alternative,one,1.75,1.65,1.85,2
B,alternative,"two, or more",1.5,1.4,1.6,2
"A, published",published,one,1.6,1.6,1.6,1
`
	if got := written(t, f.WriteCSV); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestJSON(t *testing.T) {
	text := written(t, figure().WriteJSON)
	var doc struct {
		Name, Title, Source string
		Claims              []Claim
		Parameters          map[string]any
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	if c := doc.Claims[0]; doc.Name != "f" || c.Published != 1.5 || c.Ours != 1.5 || c.Verdict != Holds {
		t.Errorf("%+v", doc)
	}
	if !strings.Contains(text, "c < this") {
		t.Error("the text is escaped for HTML")
	}
}

// TestSVG: lines and bars are well-formed, deterministic, and name every curve.
func TestSVG(t *testing.T) {
	for _, kind := range []string{"lines", "bars"} {
		f := figure()
		if kind == "bars" {
			f.Groups = []string{"one", "two"}
		}
		text := written(t, f.WriteSVG)
		if written(t, f.WriteSVG) != text {
			t.Error("two drawings of one figure differ")
		}
		for _, want := range []string{"Title &amp; &lt;more&gt;", ">A<", ">B<", ">A, published<"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing", kind, want)
			}
		}
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestSpread: the whiskers of a line and of a bar reach from the least to the largest sample; published points have
// none, and bars begin at 0.
func TestSpread(t *testing.T) {
	f := figure()
	p, text := f.lines(), written(t, f.WriteSVG)
	if n := strings.Count(text, "whisker\" d="); n != 4 {
		t.Errorf("%d whiskers of lines, want one for each of 4 points", n)
	}
	x, low, high := p.X.At(1), p.Y.At(1.15), p.Y.At(1.35) // of A
	if want := fmt.Sprintf("M%.4g %.4gV%.4g", x, low, high); !strings.Contains(text, want) {
		t.Errorf("no whisker %s in %s", want, text)
	}
	f.Groups = []string{"one", "two"}
	p, text = f.bars(), written(t, f.WriteSVG)
	if p.Y.Low != 0 || strings.Count(text, "whisker\" d=") != 4 || strings.Count(text, "<rect class=\"c1 h3 edge\"") != 3 {
		t.Errorf("from %v: %s", p.Y.Low, text)
	}
	f.Curves[0].Points[0].Samples = []float64{-2}
	if p := f.bars(); p.Y.Low >= -2 {
		t.Errorf("a bar to −2 leaves the plot, which begins at %v", p.Y.Low)
	}
}

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestUndrawable: a value without a place on the axes is an error that names the curve.
func TestUndrawable(t *testing.T) {
	for value, want := range map[float64]string{math.NaN(): `cannot draw NaN in curve "B"`,
		math.Inf(1): `cannot draw +Inf in curve "B"`} {
		f := figure()
		f.Curves[1].Points[0].Samples[0] = value
		if err := f.WriteSVG(io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", value, err)
		}
	}
}

func TestSummary(t *testing.T) {
	f := figure()
	f.Claims = append(f.Claims, Claim{Claim: "a|b", Published: "everywhere", Ours: "at 1 of 3 points",
		Verdict: Contradicted}, Claim{Claim: "n", Own: true, Published: "≤ 1", Ours: 1, Verdict: Holds},
		Claim{Claim: "o", Fitted: true, Published: "2", Ours: 2, Verdict: Holds})
	got := written(t, func(to io.Writer) error { return WriteSummary(to, []*Figure{f}) })
	want := `| paper | claims | hold | differ | contradicted | undecided |
|---|--:|--:|--:|--:|--:|
| we | 2 | 1 | 0 | 1 | 0 |
| limits and questions of our own | 1 | 1 | 0 | 0 | 0 |
| what was fitted or put in | 1 | 1 | 0 | 0 | 0 |

### We

| statement | where | published | here | verdict |
|---|---|---|---|---|
| c < this | f | 1.5 | 1.5 [1.4873, 1.5127] | holds |
| a\|b | f | everywhere | at 1 of 3 points | contradicted |

### Limits and questions of our own

| statement | where | published | here | verdict |
|---|---|---|---|---|
| n | f | ≤ 1 | 1 | holds |

### What was fitted or put in

| statement | where | published | here | verdict |
|---|---|---|---|---|
| o | f | 2 | 2 | holds |
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}
