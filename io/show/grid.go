package show

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"mrsched/io/textpos"
	"mrsched/model"
)

// grid is a table as people see it: texts, with the heading as the first row.
type grid struct {
	columns []Column
	cells   [][]string
	widths  []int
	indent  string
}

// columns is how wide a text is.
func columns(text string) int { return utf8.RuneCountInString(text) }

func (t *Table) grid() *grid {
	g := &grid{columns: slices.Clone(t.Columns), cells: make([][]string, len(t.Rows)+1),
		widths: make([]int, len(t.Columns)), indent: t.Indent}
	for i := range g.cells {
		g.cells[i] = make([]string, len(t.Columns))
	}
	for k := range t.Columns {
		c := &t.Columns[k]
		if !t.filled(k) {
			g.columns[k].About = ""
		}
		show := t.shower(k)
		for i := range g.cells {
			text := c.heading()
			if i > 0 {
				text = show(t.Rows[i-1][k])
			}
			g.cells[i][k] = textpos.Visible(text)
			g.widths[k] = max(g.widths[k], columns(g.cells[i][k]))
		}
	}
	return g
}

// shower prints the values of column k. All points in time of a table have one format, and so have all durations of a
// column.
func (t *Table) shower(k int) func(exact string) string {
	c := &t.Columns[k]
	var style clock
	switch {
	case c.Show != nil:
		return c.Show
	case !c.number():
		return Dash
	case c.Unit == model.UnitMoment && t.Origin.Known():
		return t.clockTimes()
	case c.Unit == model.UnitMoment:
		style = t.clock(func(other int) bool { return t.Columns[other].Unit == model.UnitMoment })
	case c.Unit == model.UnitSeconds:
		style = t.clock(func(other int) bool { return other == k })
	default:
		return func(exact string) string { return Value(model.Number(exact), c.Unit, c.Mode) }
	}
	return func(exact string) string {
		v, ok := Rational(model.Number(exact))
		if !ok {
			return Dash(exact)
		}
		return inStyle(v, c.Unit, style, c.Mode)
	}
}

// clockTimes prints points in time as clock times, with dates if one of the table is on another day than the origin.
func (t *Table) clockTimes() func(exact string) string {
	dated := false
	for k := range t.Columns {
		for _, row := range t.Rows {
			if at, err := model.ParseTime(row[k]); err == nil && t.Columns[k].Unit == model.UnitMoment {
				dated = dated || !t.Origin.SameDay(at)
			}
		}
	}
	return func(exact string) string {
		at, err := model.ParseTime(exact)
		if err != nil {
			return Dash(exact)
		}
		return t.Origin.Clock(at, dated)
	}
}

// clock is how the times of some columns are shown.
func (t *Table) clock(of func(column int) bool) clock {
	var times []*big.Rat
	for k := range t.Columns {
		if !of(k) {
			continue
		}
		for _, row := range t.Rows {
			if v, ok := Rational(model.Number(row[k])); ok {
				times = append(times, v)
			}
		}
	}
	return clockOf(times...)
}

// Widths of texts in tables that are too wide: long texts are cut first, and further only if no column can be spared.
const (
	longText  = 32
	shortText = 12
)

// fit makes the grid at most this many columns wide, as far as it can, and names the columns that it left out.
func (g *grid) fit(width int) (lost []string) {
	if width <= 0 {
		return nil
	}
	g.cut(width, longText)
	for g.width() > width {
		least, rank := -1, 1
		for k := range g.columns {
			if r := g.rank(k); r >= rank {
				least, rank = k, r
			}
		}
		if least < 0 {
			break
		}
		lost = append(lost, g.columns[least].heading())
		g.drop(least)
	}
	g.cut(width, shortText)
	return lost
}

// rank is the rank of a column. A column without values ranks above all others, so that it is dropped first.
func (g *grid) rank(k int) int {
	r := g.columns[k].Rank
	if r > 0 && !slices.ContainsFunc(g.cells[1:], func(row []string) bool { return row[k] != Dash("") }) {
		return math.MaxInt
	}
	return r
}

func (g *grid) width() int {
	sum := columns(g.indent) + len(gap)*(len(g.widths)-1)
	for _, w := range g.widths {
		sum += w
	}
	return sum
}

// drop leaves a column out.
func (g *grid) drop(k int) {
	g.columns, g.widths = slices.Delete(g.columns, k, k+1), slices.Delete(g.widths, k, k+1)
	for i := range g.cells {
		g.cells[i] = slices.Delete(g.cells[i], k, k+1)
	}
}

// cut shortens columns of texts, the widest first, to no less than a width or their heading.
func (g *grid) cut(width, least int) {
	for g.width() > width {
		widest, low := -1, 0
		for k := range g.columns {
			floor := max(least, columns(g.cells[0][k]))
			if !g.columns[k].number() && g.widths[k] > floor && (widest < 0 || g.widths[k] > g.widths[widest]) {
				widest, low = k, floor
			}
		}
		if widest < 0 {
			return
		}
		g.widths[widest] = max(low, g.widths[widest]-(g.width()-width))
		for i := range g.cells {
			g.cells[i][widest] = middle(g.cells[i][widest], g.widths[widest])
		}
	}
}

// middle cuts a text in the middle: names often differ at their ends.
func middle(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	tail := (width - 1) / 2
	return string(runes[:width-1-tail]) + "…" + string(runes[len(runes)-tail:])
}

// gap separates columns.
const gap = "  "

// line is a row with its line end and no blanks before it.
func (g *grid) line(row []string) string {
	var b strings.Builder
	b.WriteString(g.indent)
	for k, text := range row {
		if k > 0 {
			b.WriteString(gap)
		}
		pad := strings.Repeat(" ", g.widths[k]-columns(text))
		if g.columns[k].number() {
			text = pad + text
		} else {
			text += pad
		}
		b.WriteString(text)
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}
