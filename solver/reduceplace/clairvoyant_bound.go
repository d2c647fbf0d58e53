package reduceplace

import (
	"context"
	"iter"
	"maps"
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
		opt.Tell(r.bounds...)
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
	opt.Tell(r.bounds...)
	return nil
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
	thin(rows, maxEntries)
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
	// complete says that the rows prove M at all levels.
	complete bool
}

// last is the level of the last row.
func (c *curve) last() int32 {
	if len(c.ends) == 0 {
		return 0
	}
	return c.ends[len(c.ends)-1]
}

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
	before := int64(-1)
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
		if worth == before {
			c.ends[len(c.ends)-1] = w.flow.level
			continue
		}
		before = worth
		c.rows, c.ends = append(c.rows, w.row()), append(c.ends, w.flow.level)
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

// thin leaves out every other row of each curve, again and again, until at most limit changes remain. A row's prices
// prove a line at every level, so that what stays bounds M between two rows, too.
func thin(curves []curve, limit int) {
	for entries(curves) > limit {
		for k := range curves {
			rows := curves[k].rows
			curves[k].rows = nil
			for i := 0; i+1 < len(rows); i += 2 {
				curves[k].rows = append(curves[k].rows, join(rows[i], rows[i+1]))
			}
		}
	}
}

// entries is how many changes of prices the rows hold.
func entries(curves []curve) (n int) {
	for k := range curves {
		for _, row := range curves[k].rows {
			n += len(row) / 2
		}
	}
	return n
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

// join makes the changes of two rows, one after the other, one row.
func join(rows ...[]int64) []int64 {
	sum := map[int]int64{} // by point
	for _, row := range rows {
		for at, rise := range changes(row) {
			sum[at] += rise
		}
	}
	joined, last := []int64{}, -1
	for _, at := range slices.Sorted(maps.Keys(sum)) {
		if sum[at] != 0 {
			joined = append(joined, int64(at-last), sum[at])
			last = at
		}
	}
	return joined
}
