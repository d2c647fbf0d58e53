package page

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"mrsched/io/textpos"
)

// drawing is an SVG being written. Coordinates are pixels of its view box; looks are classes of svg.css.
type drawing struct {
	name   string // unique in the page
	width  float64
	height float64
	body   strings.Builder
}

// num prints a coordinate.
func num(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// escaped makes any text XML, with what people could not see, or would be misled by, as textpos.Visible has it.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(textpos.VisibleLines(s))) // a builder takes all
	return b.String()
}

func (d *drawing) add(format string, args ...any) { fmt.Fprintf(&d.body, format, args...) }

func (d *drawing) rect(class string, x, y, w, h float64) {
	d.add(`<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, num(x), num(y), num(w), num(h))
}

// titled is a rectangle that says what it is under the pointer.
func (d *drawing) titled(class string, x, y, w, h float64, title string) {
	d.add(`<rect class="%s" x="%s" y="%s" width="%s" height="%s"><title>%s</title></rect>`, class, num(x), num(y), num(w),
		num(h), escaped(title))
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	d.add(`<path class="%s" d="M%s %sL%s %s"/>`, class, num(x1), num(y1), num(x2), num(y2))
}

// path is nothing if it has no points.
func (d *drawing) path(class, points string) {
	if points != "" {
		d.add(`<path class="%s" d="%s"/>`, class, points)
	}
}

// box is a rectangle as a part of a path.
func box(x, y, w, h float64) string {
	return "M" + num(x) + " " + num(y) + "h" + num(w) + "v" + num(h) + "h" + num(-w) + "z"
}

// text writes at an anchor: start, middle or end.
func (d *drawing) text(class, anchor string, x, y float64, s string) {
	if anchor == "start" {
		d.add(`<text class="%s" x="%s" y="%s">%s</text>`, class, num(x), num(y), escaped(s))
		return
	}
	d.add(`<text class="%s" x="%s" y="%s" text-anchor="%s">%s</text>`, class, num(x), num(y), anchor, escaped(s))
}

// upright is text that is read from below, around its middle.
func (d *drawing) upright(class string, x, y float64, s string) {
	d.add(`<text class="%s" x="%s" y="%s" text-anchor="middle" transform="rotate(-90 %s %s)">%s</text>`, class, num(x),
		num(y), num(x), num(y), escaped(s))
}

// hatched is the fill of things that are told apart without colour; defs must have been called.
func (d *drawing) hatched() string { return "url(#" + d.name + "-hatch)" }

// defs defines the hatching.
func (d *drawing) defs() {
	d.add(`<defs><pattern id="%s-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M3 0v6"/></pattern></defs>`, d.name)
}

// hatch lays the hatching over a path.
func (d *drawing) hatch(points string) {
	if points != "" {
		d.add(`<path fill="%s" d="%s"/>`, d.hatched(), points)
	}
}

// averageLetter is the mean width of a letter over the size of the font, for layouts.
const averageLetter = 0.6

// fontSize is that of all text in pictures.
const fontSize = 12

// widthOf is about how wide a text is.
func widthOf(s string) float64 { return averageLetter * fontSize * float64(utf8.RuneCountInString(s)) }

// cut shortens a text to a width.
func cut(s string, width float64) string {
	n := int(width / (averageLetter * fontSize))
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:max(0, n-1)]) + "…"
}

// tails drops what all names begin with, up to a number in them, if that makes them fit a width better.
func tails(names []string, width float64) []string {
	fits, common := true, names[:min(1, len(names))]
	prefix := strings.Join(common, "")
	for _, n := range names {
		fits = fits && widthOf(n) <= width
		for !strings.HasPrefix(n, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	if fits || len(names) < 2 {
		return names
	}
	prefix = strings.TrimRight(prefix, "0123456789")
	for prefix != "" && !utf8.ValidString(prefix) { // it ended inside of a letter
		prefix = prefix[:len(prefix)-1]
	}
	if len(prefix) < 3 {
		return names
	}
	list := make([]string, len(names))
	for i, n := range names {
		end := []rune(strings.TrimPrefix(n, prefix))
		room := max(1, int(width/(averageLetter*fontSize))-1)
		list[i] = "…" + string(end[max(0, len(end)-room):])
	}
	return list
}

// inline is the drawing as a part of the page, described by a label.
func (d *drawing) inline(label string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" role="img" aria-label="%s">%s</svg>`,
		num(d.width), num(d.height), escaped(label), d.body.String())
}

// standalone is the drawing as a file, with its own style.
func (d *drawing) standalone(label string) string {
	return fmt.Sprintf(
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img" aria-label="%s"><title>%s</title><style>%s</style><rect class="paper" width="100%%" height="100%%"/>%s</svg>`+"\n",
		num(d.width), num(d.height), num(d.width), num(d.height), escaped(label), escaped(label), literal(svgStyle),
		d.body.String())
}

// entry is a line of a legend.
type entry struct {
	class string // of the swatch
	hatch bool
	line  bool // the swatch is a line
	text  string
}

// legend writes entries from left to right, in as many lines as they need, and gives the height that they take.
func (d *drawing) legend(x, y, width float64, entries []entry) float64 {
	at, top := x, y
	for _, e := range entries {
		text := cut(e.text, width-24)
		w := 20 + widthOf(text) + 14
		if at > x && at+w > x+width {
			at, top = x, top+18
		}
		switch {
		case e.line:
			d.line(e.class, at, top-4, at+14, top-4)
		default:
			d.rect(e.class+" edge", at, top-10, 12, 12)
			if e.hatch {
				d.hatch(box(at, top-10, 12, 12))
			}
		}
		d.text("t", "start", at+19, top, text)
		at += w
	}
	return top - y + 18
}
