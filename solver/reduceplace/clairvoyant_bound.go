package reduceplace

import (
	"context"
	"iter"
	"math"
	"math/big"
	"slices"
	"sync/atomic"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

const (
	// exactData is the total of units up to which data is kept exactly: every JSON reader keeps such numbers.
	exactData = 1 << 53
	// maxUnit is a limit that the parts of the unit must stay below.
	maxUnit = 1 << 31
)

// prove computes the clairvoyant bound, once, in a share of the time limit. If ctx ends first, the bound is weaker, and
// the next call continues.
func (r *run) prove(ctx context.Context, opt solver.Options, share float64) error {
	if r.curves.complete() || r.bounds != nil && ctx.Err() != nil {
		r.tell(opt)
		return nil
	}
	ctx, end := opt.Phase(ctx, solver.PhaseBound, share)
	defer end()
	if r.curves == nil {
		c := &curves{in: r.in, line: r.in.Timeline()}
		c.num, c.den = unit(r.in, c.line)
		c.left = len(c.line.Periods)
		c.list = make([]curve, c.left)
		r.curves = c
	}
	c := r.curves.certificate(ctx, opt)
	if err := r.in.SignOn(c, r.curves.line); err != nil {
		return err
	}
	r.bounds = []solver.Bound{{Method: c.Method, Certificate: c}}
	r.tell(opt)
	return nil
}

// tell reports the bound.
func (r *run) tell(opt solver.Options) {
	for _, b := range r.bounds {
		if value, ok := new(big.Rat).SetString(b.Certificate.(*reduceplace.Certificate).Value); ok {
			bound, _ := value.Float64()
			opt.Watch.Bound(bound, b.Method)
		}
	}
}

// curves are the basis of the clairvoyant bound, by busy period.
type curves struct {
	in       *reduceplace.Instance
	line     *reduceplace.Timeline
	num, den int64
	list     []curve
	left     int // busy periods whose curve is not complete
}

func (c *curves) complete() bool { return c != nil && c.left == 0 }

// firstLevels: under a time limit all curves are computed up to these levels first, which prove most.
var firstLevels = []int32{32, 256}

// certificate computes curves until ctx ends and makes an unsigned certificate. It has the first levels of an
// incomplete curve, whose prices prove something about the other levels, too.
func (c *curves) certificate(ctx context.Context, opt solver.Options) *reduceplace.Certificate {
	if _, limited := ctx.Deadline(); limited {
		for _, level := range firstLevels {
			c.rise(ctx, opt, level)
		}
	}
	c.rise(ctx, opt, math.MaxInt32)
	rows := slices.Clone(c.list)
	thin(c.in, rows, maxEntries)
	cert := &reduceplace.Certificate{Unit: big.NewRat(c.num, c.den).RatString(),
		Claim: model.Claim{Method: reduceplace.MethodClairvoyant, Kind: reduceplace.KindSlotPrices}}
	c.left = 0
	for k := range rows {
		if !rows[k].complete {
			c.left++
		}
		if len(rows[k].rows) > 0 {
			cert.Prices = append(cert.Prices, reduceplace.Prices{Period: int32(k), Rows: rows[k].rows})
		}
	}
	return cert
}

// rise extends incomplete curves up to a level.
func (c *curves) rise(ctx context.Context, opt solver.Options, level int32) {
	var done atomic.Int64
	inParallel(ctx, opt.Threads, len(c.list), func() func(int) {
		w := newWeigher(c.in, c.num, c.den)
		return func(k int) {
			own := &c.list[k]
			if !own.complete {
				further := w.curve(ctx, &c.line.Periods[k], c.line.Intervals, level)
				if further.complete || further.last() >= own.last() {
					*own = further
				}
			}
			if own.complete {
				opt.Report(int(done.Add(1)), len(c.list))
			}
		}
	})
}

// unit is the unit of data, bytes·num/den, chosen if possible so that the data of every task is an integer.
func unit(in *reduceplace.Instance, t *reduceplace.Timeline) (num, den int64) {
	sum, common := 0.0, int64(1)
	for _, v := range t.Intervals {
		count, bytes := in.Amount(v)
		sum += float64(bytes)
		if g := model.GCD(common, int64(count)); common < maxUnit {
			common *= int64(count) / g // both below 2³¹
		}
	}
	if common < maxUnit && sum*float64(common) <= exactData {
		return 1, common
	}
	for den = 1; den < maxUnit/2 && sum*float64(2*den) <= exactData; den *= 2 {
	}
	for num = 1; num < maxUnit/2 && sum > exactData*float64(num); num *= 2 {
	}
	return num, den
}

// curve is M_k of a busy period, which is concave, and prices that prove it.
type curve struct {
	rows [][]int64 // of the certificate: prices whose line is M between two ends
	ends []int32   // by row: the level up to which it is; from the end before
	most []int64   // by row: M at its end
	all  int64     // M without a limit to slots
	// complete says that the rows prove M at all levels.
	complete bool
}

// last is the level of the last row.
func (c *curve) last() int { return c.end(len(c.ends) - 1) }

// weigher computes curves, one after another, in the same memory.
type weigher struct {
	in     *reduceplace.Instance
	num    uint64
	den    uint64
	flow   lineFlow
	weight []int64
	room   []int32
	price  []int64 // by point, of the row before
}

func newWeigher(in *reduceplace.Instance, num, den int64) *weigher {
	return &weigher{in: in, num: uint64(num), den: uint64(den)}
}

// checkSteps is how many slots are filled between looks at the context.
const checkSteps = 16

// curve solves one busy period, up to the level from which on everything is held, or a given one; if ctx ends, up to
// any level before.
func (w *weigher) curve(ctx context.Context, p *reduceplace.Period, all []reduceplace.Interval, level int32) curve {
	intervals := all[p.First:p.Last]
	w.weight, w.room = w.weight[:0], w.room[:0]
	for _, v := range intervals {
		count, bytes := w.in.Amount(v)
		w.weight, w.room = append(w.weight, scaled(uint64(bytes), w.den, w.num*uint64(count))), append(w.room, count)
	}
	w.flow.load(p, intervals, w.weight, w.room)
	w.price = sized(w.price, int(p.Points))
	clear(w.price)
	var c curve
	for a, x := range w.weight {
		c.all += x * int64(w.room[a])
	}
	most, before := int64(0), int64(-1)
	top := int32(w.in.Slots) - 1 // the last slot does not matter for what the first ones hold
	for w.flow.level < top {
		if w.flow.level >= level {
			return c
		}
		units, worth, ended := w.flow.step(ctx, top-w.flow.level)
		if ended {
			return c
		}
		if units == 0 {
			break
		}
		if most += int64(units) * worth; worth == before {
			last := len(c.ends) - 1
			c.ends[last], c.most[last] = w.flow.level, most
			continue
		}
		before = worth
		c.rows, c.ends, c.most = append(c.rows, w.row()), append(c.ends, w.flow.level), append(c.most, most)
	}
	c.complete = true
	return c
}

// scaled is ⌊x·a/b⌋, which must be below 2⁶³.
func scaled(x, a, b uint64) int64 {
	if x <= math.MaxUint64/a {
		return int64(x * a / b)
	}
	v := new(big.Int).SetUint64(x)
	v.Mul(v, new(big.Int).SetUint64(a))
	return v.Quo(v, new(big.Int).SetUint64(b)).Int64()
}

// row is the difference of the prices from the last row: the price of a point is the rise of the potential behind it.
func (w *weigher) row() []int64 {
	row, last := []int64{}, int64(-1)
	for t, y := range w.price {
		now := w.flow.potent[t+1] - w.flow.potent[t]
		if now != y {
			row = append(row, int64(t)-last, now-y)
			w.price[t], last = now, int64(t)
		}
	}
	return row
}

// maxEntries is the most changes of prices that a certificate keeps; it is then some 100 MB long. A million jobs that
// keep the maps busy for 98 % of the time take 3.3 million.
const maxEntries = 1 << 22

// thinner leaves out rows of curves. The prices of a row prove a line at every level: M at the row's end, and its
// slope. So between two rows that stay the bound on M is the lower of two lines, and the loss is known without a new
// flow.
type thinner struct {
	rise    []float64 // by level k: H(k+1) − H(k)
	curves  []curve
	change  []int64 // by point: of the rows that are being joined
	touched []int32
}

// thin leaves out rows until at most limit changes remain: longest runs of rows that lose at most ε for each change
// that they hold. It bisects the exponent of ε.
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
		curves[k].rows = t.thinned(&curves[k], power(high))
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
		n += entries(t.thinned(&t.curves[k], epsilon))
	}
	return n
}

// thinned lists the rows that stay for an ε, each with the changes of those before it.
func (t *thinner) thinned(c *curve, epsilon float64) (rows [][]int64) {
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
			rows = append(rows, t.join(c.rows[i+1:j+1]))
		}
		i = j
	}
	return rows
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

// changes lists the points at which a row changes prices, and by how much.
func changes(row []int64) iter.Seq2[int, int64] {
	return func(yield func(int, int64) bool) {
		at := -1
		for k := 0; k < len(row); k += 2 {
			if at += int(row[k]); !yield(at, row[k+1]) {
				return
			}
		}
	}
}

func (t *thinner) join(rows [][]int64) []int64 {
	if len(rows) == 1 {
		return rows[0]
	}
	t.touched = t.touched[:0]
	for _, row := range rows {
		for at, rise := range changes(row) {
			if at >= len(t.change) {
				t.change = append(t.change, make([]int64, at+1-len(t.change))...)
			}
			t.change[at] += rise
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
