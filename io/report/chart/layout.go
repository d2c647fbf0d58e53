package chart

import "slices"

// rowText is the height of a name, in pixels.
const rowText = 13

// NewRows starts a plot of rows from top to bottom, as high as they are, with the names left of them. A name has
// levels, such as rack, node and slot; rows of one group share all but the last, and stand together. Above the rows is
// a strip. The frame's heights and its y axis mean nothing.
func NewRows(id string, f Frame, names [][]string, height, strip float64) *Plot {
	p := &Plot{Drawing: Drawing{Name: id, Width: f.Width}}
	p.Defs()
	top := 10.0 + strip
	if len(f.Entries) > 0 {
		top += 4 + p.Legend(8, 18, p.Width-16, f.Entries)
	}
	groups := groupsOf(names, height)
	widths, left := levelWidths(names, len(groups), p.Width*0.36), 14.0
	for _, w := range widths {
		left += w + 8
	}
	rows := float64(max(1, len(names)))
	p.X = Scale{Low: f.XLow, High: f.XHigh, From: left, To: p.Width - 14}
	p.Y = Scale{High: rows, From: top, To: top + height*rows}
	p.Height = p.Y.To + 42
	for _, v := range f.XUnit.Ticks(f.XLow, f.XHigh, int(p.Width/100)) {
		x := p.X.At(v)
		p.Line("grid", x, p.Y.From, x, p.Y.To)
		p.Text("t", "middle", x, p.Y.To+18, minus(f.XUnit.Text(v)))
	}
	p.Text("t m", "middle", (p.X.From+p.X.To)/2, p.Height-5, Shorten(f.XUnit.Label(f.XLabel), p.Width-8))
	x := 6.0
	for level, w := range widths {
		p.rowNames(names, groups, level, x, w)
		x += w + 8
	}
	return p
}

// groupsOf is where groups of rows begin that share the parts of their names down to a level, and the end; by level.
// Levels end with the first whose groups are, on average, too low for a name. Lines separate the groups of the others.
func groupsOf(names [][]string, height float64) (groups [][]int) {
	for level := 0; len(names) > 0 && level < len(names[0]); level++ {
		var begins []int
		for k := range names {
			if k == 0 || level == len(names[0])-1 || !slices.Equal(names[k][:level+1], names[k-1][:level+1]) {
				begins = append(begins, k)
			}
		}
		groups = append(groups, append(begins, len(names)))
		if float64(len(begins))*rowText > float64(len(names))*height {
			break
		}
	}
	return groups
}

// rowNames writes a level's names: the last one's beside their rows, the others' in the middle of their groups, with a
// line between groups. A name that would touch another one or a line is left out.
func (p *Plot) rowNames(names [][]string, groups [][]int, level int, x, width float64) {
	last, lined := level == len(names[0])-1, level < len(groups)-1
	begins, around, beyond := groups[level], []int{0, len(names)}, 4.0
	if level > 0 {
		around, beyond = groups[level-1], 0
	}
	free, of := p.Y.From-beyond, 0
	for k, begin := range begins[:len(begins)-1] {
		from, to := p.Y.At(float64(begin)), p.Y.At(float64(begins[k+1]))
		if lined && begin > 0 {
			p.Line("grid", x, from, p.X.To, from)
		}
		for around[of+1] <= begin {
			of++
		}
		const half = rowText/2.0 - 0.1
		y := (from + to) / 2
		above, below := max(free, p.Y.At(float64(around[of]))-beyond), p.Y.At(float64(around[of+1]))+beyond
		name := Tail(names[begin][level], width)
		if name == "" || y-half < above || y+half > below || lined && to-from < 2*half {
			continue
		}
		if last {
			p.Text("t", "end", x+width, y+4, name)
		} else {
			p.Text("t", "start", x, y+4, name)
		}
		free = y + half
	}
}

// levelWidths divides a width among the first levels of names: each gets what it needs, and the longest share what is
// left.
func levelWidths(names [][]string, levels int, width float64) []float64 {
	list := make([]float64, levels)
	for _, n := range names {
		for level, s := range n[:levels] {
			list[level] = max(list[level], TextWidth(s))
		}
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(list[a] - list[b]) })
	for k, i := range order {
		list[i] = min(list[i], width/float64(len(order)-k))
		width -= list[i]
	}
	return list
}
