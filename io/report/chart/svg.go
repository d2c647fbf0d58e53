package chart

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"mrsched/io/textpos"
)

// Drawing is an SVG being written. Coordinates are pixels of its view box; classes are those of svg.css.
type Drawing struct {
	Name   string // unique in the page
	Width  float64
	Height float64
	body   strings.Builder
}

// num prints a coordinate.
func num(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// escaped turns any text into XML and makes invisible and misleading characters visible, as textpos.Visible does.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(textpos.VisibleLines(s))) // a builder takes all
	return b.String()
}

func (d *Drawing) add(format string, args ...any) { fmt.Fprintf(&d.body, format, args...) }

// Rect draws a rectangle.
func (d *Drawing) Rect(class string, x, y, w, h float64) {
	d.add(`<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, num(x), num(y), num(w), num(h))
}

// Titled draws a rectangle with a text that appears under the pointer.
func (d *Drawing) Titled(class string, x, y, w, h float64, title string) {
	d.add(`<rect class="%s" x="%s" y="%s" width="%s" height="%s"><title>%s</title></rect>`, class, num(x), num(y), num(w),
		num(h), escaped(title))
}

// Dot draws a circle.
func (d *Drawing) Dot(class string, at Point, radius float64) {
	d.add(`<circle class="%s" cx="%s" cy="%s" r="%s"/>`, class, num(at.X), num(at.Y), num(radius))
}

// Cross draws two short lines that cross at a point.
func (d *Drawing) Cross(class string, at Point) {
	d.add(`<path class="%s cross" d="M%s %sl8 8m0 -8l-8 8"/>`, class, num(at.X-4), num(at.Y-4))
}

// Mark says what is marked at a point in time.
type Mark int

// The marks.
const (
	NoMark  Mark = iota
	Release      // a triangle that points to where time goes
	Due          // a cross
	Later        // two chevrons: what is marked lies beyond the edge
)

// markPaths are the marks around their point.
var markPaths = [...]string{Release: "m0 -5v10l8 -5z", Due: "m-4 -4l8 8m0 -8l-8 8",
	Later: "m-4 -4l4 4l-4 4m5 -8l4 4l-4 4"}

// Event marks a point in time, with a text that appears under the pointer.
func (d *Drawing) Event(class string, m Mark, at Point, title string) {
	if title != "" {
		title = "<title>" + escaped(title) + "</title>"
	}
	d.add(`<path class="%s event" data-mark="%d" d="M%s %s%s">%s</path>`, class, m, num(at.X), num(at.Y), markPaths[m],
		title)
}

// Whisker draws a vertical line between two heights, with a short bar at each end.
func (d *Drawing) Whisker(class string, x, low, high float64) {
	left := num(x - 3)
	d.add(`<path class="%s whisker" d="M%s %sh6M%s %sV%sM%s %sh6"/>`, class, left, num(low), num(x), num(low), num(high),
		left, num(high))
}

// Line draws a line from one point to another.
func (d *Drawing) Line(class string, x1, y1, x2, y2 float64) {
	d.add(`<path class="%s" d="M%s %sL%s %s"/>`, class, num(x1), num(y1), num(x2), num(y2))
}

// Path draws the points of a path; nothing if there are none.
func (d *Drawing) Path(class, points string) {
	if points != "" {
		d.add(`<path class="%s" d="%s"/>`, class, points)
	}
}

// Box is a rectangle as a part of a path.
func Box(x, y, w, h float64) string {
	return "M" + num(x) + " " + num(y) + "h" + num(w) + "v" + num(h) + "h" + num(-w) + "z"
}

// Text writes at an anchor: start, middle or end. Where its middle would put a text beyond the drawing's edge, it moves
// inwards.
func (d *Drawing) Text(class, anchor string, x, y float64, s string) {
	if half := TextWidth(s) / 2; anchor == "middle" {
		x = max(min(x, d.Width-half), half)
	}
	if anchor == "start" {
		d.add(`<text class="%s" x="%s" y="%s">%s</text>`, class, num(x), num(y), escaped(s))
		return
	}
	d.add(`<text class="%s" x="%s" y="%s" text-anchor="%s">%s</text>`, class, num(x), num(y), anchor, escaped(s))
}

// upright is text that is read from below, around its middle.
func (d *Drawing) upright(class string, x, y float64, s string) {
	d.add(`<text class="%s" x="%s" y="%s" text-anchor="middle" transform="rotate(-90 %s %s)">%s</text>`, class, num(x),
		num(y), num(x), num(y), escaped(s))
}

// hatched is the fill that tells things apart without colour; Defs must have been called.
func (d *Drawing) hatched() string { return "url(#" + d.Name + "-hatch)" }

// Defs defines the hatching.
func (d *Drawing) Defs() {
	d.add(`<defs><pattern id="%s-hatch" width="6" height="6" patternUnits="userSpaceOnUse" `+
		`patternTransform="rotate(45)"><path class="hatch" d="M3 0v6"/></pattern></defs>`, d.Name)
}

// Hatch lays the hatching over a path.
func (d *Drawing) Hatch(points string) {
	if points != "" {
		d.add(`<path fill="%s" d="%s"/>`, d.hatched(), points)
	}
}

// fontSize is the size of all text, in pixels.
const fontSize = 12

// letterWidth is about how wide a letter is in wide fonts, in font sizes.
func letterWidth(r rune) float64 {
	switch {
	case strings.ContainsRune("ijlI.,:;'|! ()[]/", r):
		return 0.4
	case strings.ContainsRune("mwMW%@…", r):
		return 1
	case 'A' <= r && r <= 'Z', r == '_', r == '+', r == '≤', r == '<', r == '>', r == '=':
		return 0.8
	case r >= 0x2e80: // ideographs and pictures
		return 1.4
	}
	return 0.65
}

// TextWidth estimates the width of a text, rather too large than too small.
func TextWidth(s string) float64 {
	w := 0.0
	for _, r := range s {
		w += letterWidth(r)
	}
	return w * fontSize
}

// Shorten cuts a text to a width.
func Shorten(s string, width float64) string {
	if TextWidth(s) <= width {
		return s
	}
	w := TextWidth("…")
	for i, r := range s {
		if w += letterWidth(r) * fontSize; w > width {
			return s[:i] + "…"
		}
	}
	return s
}

// Tail cuts a text to a width, on the left: of names of machines the end says most.
func Tail(s string, width float64) string {
	if TextWidth(s) <= width {
		return s
	}
	w := TextWidth("…")
	for i := len(s); i > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if w += letterWidth(r) * fontSize; w > width {
			return "…" + s[i:]
		}
		i -= n
	}
	return s
}

// wrapped breaks a text between words into lines of a width; a longer word is cut.
func wrapped(s string, width float64) (lines []string) {
	for _, word := range strings.Fields(s) {
		if n := len(lines) - 1; n >= 0 && TextWidth(lines[n]+" "+word) <= width {
			lines[n] += " " + word
			continue
		}
		lines = append(lines, Shorten(word, width))
	}
	return lines
}

// Inline is the drawing as a part of a page, described by a label.
func (d *Drawing) Inline(label string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" role="img" aria-label="%s">%s</svg>`,
		num(d.Width), num(d.Height), escaped(label), d.body.String())
}

// Standalone is the drawing as a file with its own style.
func (d *Drawing) Standalone(label string) string {
	return fmt.Sprintf(
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img" aria-label="%s">`+
			`<title>%s</title><style>%s</style><rect class="paper" width="100%%" height="100%%"/>%s</svg>`+"\n",
		num(d.Width), num(d.Height), num(d.Width), num(d.Height), escaped(label), escaped(label), LightStyle(),
		d.body.String())
}

// Entry is a line of a legend.
type Entry struct {
	Class string // of the swatch
	Hatch bool
	Line  bool // the swatch is a line
	Cross bool // the swatch is a cross
	Event Mark // the swatch is a mark of this kind
	Text  string
}

// Legend writes entries from left to right, in as many lines as they need, and returns the height that they take.
func (d *Drawing) Legend(x, y, width float64, entries []Entry) float64 {
	at, top := x, y
	for _, e := range entries {
		text := Shorten(e.Text, width-24)
		w := 20 + TextWidth(text) + 14
		if at > x && at+w > x+width {
			at, top = x, top+18
		}
		switch {
		case e.Line:
			d.Line(e.Class, at, top-4, at+14, top-4)
		case e.Event != NoMark:
			d.Event(e.Class, e.Event, Point{at + 5, top - 4}, "")
		case e.Cross:
			d.Cross(e.Class, Point{at + 7, top - 4})
		default:
			class := e.Class
			if strings.Contains(class, " h") { // it is pale
				class += " edge"
			}
			d.Rect(class, at, top-10, 12, 12)
			if e.Hatch {
				d.Hatch(Box(at, top-10, 12, 12))
			}
		}
		d.Text("t", "start", at+19, top, text)
		at += w
	}
	return top - y + 18
}
