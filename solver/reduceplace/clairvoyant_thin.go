package reduceplace

import (
	"math"
	"slices"

	"mrsched/model/reduceplace"
)

// maxEntries is the most changes of prices that a certificate keeps; it is then some 100 MB long. A million jobs that
// keep the maps busy for 98 % of the time take 3.3 million.
const maxEntries = 1 << 22

// thinner leaves out rows of curves. What is lost is known without solving anything again: a row's prices prove a line,
// M at the row's end and its slope, at every level, so between two rows that stay the bound on M is the lower of two
// lines.
type thinner struct {
	rise    []float64 // by level k: H(k+1) − H(k)
	curves  []curve
	change  []int64 // by point: of the rows that are being joined
	touched []int32
}

// thin leaves out rows until at most limit changes remain. It drops the rows that lose least for each change they hold:
// longest runs whose loss is at most some ε a change, where ε is found by bisection of its exponent.
func thin(in *reduceplace.Instance, curves []curve, limit int) {
	total := 0
	for k := range curves {
		total += entries(curves[k].rows)
	}
	if total <= limit {
		return
	}
	t := &thinner{curves: curves, rise: make([]float64, in.Slots)}
	for k := 1; k < in.Slots; k++ {
		t.rise[k] = (in.Cost[k] - in.Cost[k-1]).Float()
	}
	low, high := -512, 2048 // of exponents in eighths; at the upper end everything goes
	for low+1 < high {
		if try := (low + high) / 2; t.size(power(try)) <= limit {
			high = try
		} else {
			low = try
		}
	}
	for k := range curves {
		c := &curves[k]
		var rows [][]int64
		from := 0
		for _, j := range t.keep(c, power(high)) {
			rows = append(rows, t.join(c.rows[from:j+1]))
			from = j + 1
		}
		c.rows = rows
	}
}

// power is about 2^(k/8), and the same on every machine.
func power(k int) float64 { return math.Ldexp(float64(8+k&7), k>>3) }

func entries(rows [][]int64) int {
	n := 0
	for _, row := range rows {
		n += len(row) / 2
	}
	return n
}

// size is how many changes remain for an ε.
func (t *thinner) size(epsilon float64) int {
	n := 0
	for k := range t.curves {
		c, from := &t.curves[k], 0
		for _, j := range t.keep(c, epsilon) {
			n += len(t.join(c.rows[from:j+1])) / 2
			from = j + 1
		}
	}
	return n
}

// keep lists the rows that stay for an ε.
func (t *thinner) keep(c *curve, epsilon float64) []int {
	var list []int
	for i := -1; i < len(c.rows); {
		j, held := i+1, 0 // the next row that stays; changes of those before it
		for j < len(c.rows) {
			held += len(c.rows[j]) / 2
			if t.loss(c, i, j+1) > epsilon*float64(held) {
				break
			}
			j++
		}
		if j < len(c.rows) {
			list = append(list, j)
		}
		i = j
	}
	return list
}

// loss is how much the bound falls if no row between i and j stays. Row −1 is no bound, the one behind the last is all
// data at every level.
func (t *thinner) loss(c *curve, i, j int) float64 {
	sum, row := 0.0, i+1
	last := int(c.ends[j-1])
	for k := c.end(i) + 1; k <= last && k < len(t.rise); k++ {
		for k > int(c.ends[row]) {
			row++
		}
		sum += t.rise[k] * (min(c.line(i, k), c.line(j, k)) - c.line(row, k))
	}
	return sum
}

// end is the level up to which a row is M.
func (c *curve) end(row int) int {
	if row < 0 {
		return 0
	}
	return int(c.ends[row])
}

// line is what a row proves at a level.
func (c *curve) line(row, k int) float64 {
	if row < 0 {
		return math.Inf(1)
	}
	if row == len(c.ends) {
		return float64(c.all)
	}
	from, most := 0, 0.0
	if row > 0 {
		from, most = int(c.ends[row-1]), float64(c.most[row-1])
	}
	slope := (float64(c.most[row]) - most) / float64(int(c.ends[row])-from)
	return most + slope*float64(k-from)
}

func (t *thinner) join(rows [][]int64) []int64 {
	if len(rows) == 1 {
		return rows[0]
	}
	t.touched = t.touched[:0]
	for _, row := range rows {
		at := int64(-1)
		for k := 0; k < len(row); k += 2 {
			at += row[k]
			if int(at) >= len(t.change) {
				t.change = append(t.change, make([]int64, int(at)+1-len(t.change))...)
			}
			t.change[at] += row[k+1]
			t.touched = append(t.touched, int32(at))
		}
	}
	slices.Sort(t.touched)
	joined, last := []int64{}, int64(-1)
	for _, p := range t.touched {
		if t.change[p] != 0 {
			joined = append(joined, int64(p)-last, t.change[p])
			last, t.change[p] = int64(p), 0
		}
	}
	return joined
}
