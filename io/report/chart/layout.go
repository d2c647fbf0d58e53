package chart

// rowText is the height of a name, in pixels.
const rowText = 13

// NewRows starts a plot of rows from top to bottom, as high as they are, with the names left of them; where rows are
// lower than a name, only some names are written. Above the rows is a strip. The frame's heights and its y axis mean
// nothing.
func NewRows(id string, f Frame, names []string, height, strip float64) *Plot {
	p := &Plot{Drawing: Drawing{Name: id, Width: f.Width}}
	p.Defs()
	top := 10.0 + strip
	if len(f.Entries) > 0 {
		top += 4 + p.Legend(8, 18, p.Width-16, f.Entries)
	}
	width := 0.0
	for _, name := range names {
		width = max(width, TextWidth(name))
	}
	width = min(width, p.Width*0.36)
	left := 6 + width
	rows := float64(max(1, len(names)))
	p.X = Scale{Low: f.XLow, High: f.XHigh, From: left + 16, To: p.Width - 14}
	p.Y = Scale{High: rows, From: top, To: top + height*rows}
	p.Height = p.Y.To + 42
	for _, v := range f.XUnit.Ticks(f.XLow, f.XHigh, int(p.Width/100)) {
		x := p.X.At(v)
		p.Line("grid", x, p.Y.From, x, p.Y.To)
		p.Text("t", "middle", x, p.Y.To+18, minus(f.XUnit.Text(v)))
	}
	p.Text("t m", "middle", (p.X.From+p.X.To)/2, p.Height-5, Shorten(f.XUnit.Label(f.XLabel), p.Width-8))
	free := 0.0
	for k, name := range names {
		if y := p.Y.At(float64(k) + 0.5); y-rowText/2 >= free {
			p.Text("t", "end", left, y+4, Tail(name, width))
			free = y + rowText/2 - 0.2
		}
	}
	return p
}
