package chart

// How many columns have names, and how many there are at most.
const (
	NamedColumns = 30
	MostColumns  = 280
)

// ColumnPlot is a plot with a column for each item, or for each of equally many items.
type ColumnPlot struct {
	*Plot
	N, Each     int  // columns, and items of each but the last
	Named       bool // each column has its item's name
	ColumnWidth float64
	step, gap   float64 // from one column to the next, and between them
	labels      []string
}

// NewColumns starts a plot of columns for items of some kind.
func NewColumns(id string, names []string, what string, f Frame) *ColumnPlot {
	t := &ColumnPlot{Each: max(1, (len(names)+MostColumns-1)/MostColumns), Named: len(names) <= NamedColumns}
	t.N = (len(names) + t.Each - 1) / t.Each
	f.XHigh, f.XUnit, f.NoX, f.XLabel = float64(t.N), Unit{Size: 1 / float64(t.Each)}, t.Named, "rank"
	if t.Named {
		f.XLabel = what
	}
	t.Plot = NewPlot(id, f)
	t.step = (t.X.To - t.X.From) / float64(max(1, t.N))
	if t.step > 4 {
		t.gap = min(6, t.step/5)
	}
	t.ColumnWidth = t.step - t.gap
	t.labels = Tails(names, t.step*0.9)
	return t
}

// Left is where column k begins.
func (t *ColumnPlot) Left(k int) float64 { return t.X.From + t.step*float64(k) + t.gap/2 }

// Label writes the name below column k if there is room for names.
func (t *ColumnPlot) Label(k int) {
	if t.Named {
		t.Text("t", "middle", t.X.From+t.step*(float64(k)+0.5), t.Y.From+17, Shorten(t.labels[k], t.step*0.9))
	}
}

// Rows gives an empty plot a legend, rows of a height from top to bottom, and an axis of time until a horizon in
// microseconds. Every so many rows have their label, which is cut to a width.
func (p *Plot) Rows(entries []Entry, labels []string, width, height float64, every int, horizon float64) {
	top := 14 + p.Legend(8, 18, p.Width-16, entries)
	left := 0.0
	for _, l := range labels {
		left = max(left, TextWidth(l))
	}
	left = min(left, width) + 16
	rows := float64(max(1, len(labels)))
	p.X = Scale{High: horizon, From: left, To: p.Width - 14}
	p.Y = Scale{High: rows, From: top, To: top + height*rows}
	p.Height = p.Y.To + 42
	p.timeAxis()
	for k := 0; k < len(labels); k += every {
		p.Text("t", "end", left-7, p.Y.At(float64(k)+0.5)+4, Shorten(labels[k], left-12))
	}
}
