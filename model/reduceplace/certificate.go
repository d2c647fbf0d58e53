package reduceplace

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"mrsched/model"
)

// Certificate proves a lower bound on the fetching cost of every placement, even one made with knowledge of the future.
// With H(1) ≤ … ≤ H(r) the slots' costs, H(0) = 0, W the data of all tasks and M_k the most data that k slots can hold,
// every placement costs at least Σ_k (H(k) − H(k−1))·(W − M_{k−1}). Each row of prices bounds M_k by a line over k,
// busy period by busy period (docs/mathematics.md, section reduceplace).
//
// Kind "slot-prices". Each row holds the changes from the row before; the first row starts from prices of 0.
type Certificate struct {
	model.Claim
	// Unit is the unit of prices, in bytes: a rational.
	Unit string `json:"unit"`
	// Prices are by rising Period; busy periods that are not listed have no prices.
	Prices []Prices `json:"prices,omitempty"`
}

// Prices are those of one busy period.
type Prices struct {
	Period int32 `json:"period"` // in Timeline.Periods
	// Rows are vectors of prices by point, for rising levels. Each lists its changes against the row before as pairs:
	// how many points further than the last change (the first: than −1), and by how much the price there rises.
	Rows [][]int64 `json:"rows"`
}

// KindSlotPrices is the kind of certificate that flows along the time line produce.
const KindSlotPrices = "slot-prices"

// MethodClairvoyant is the method that makes them: flows that know all jobs.
const MethodClairvoyant = "clairvoyant"

// kindsOf lists the kinds of certificates that each method makes.
var kindsOf = map[string][]string{MethodClairvoyant: {KindSlotPrices}}

// maxPrice is the most that the prices of a row may add up to. With it, parts of the unit and counts below 2³¹ and
// bytes below 2⁶³, no sum leaves 127 bits.
const maxPrice = 1 << 62

// Sign completes a certificate: it computes Value. Errors: the certificate proves nothing.
func (in *Instance) Sign(c *Certificate) error { return in.SignOn(c, in.Timeline()) }

// SignOn is Sign for a given timeline of the instance, which saves computing it again.
func (in *Instance) SignOn(c *Certificate, t *Timeline) error {
	return c.Claim.Sign(Name, func() (*big.Rat, error) { return in.prove(c, t) })
}

// Certify re-evaluates a certificate in exact arithmetic and requires that it states what it proves.
func (in *Instance) Certify(raw []byte) (model.Certified, error) {
	var c Certificate
	return model.Certify(raw, &c, &c.Claim, Name, kindsOf, func() (*big.Rat, error) {
		return in.prove(&c, in.Timeline())
	})
}

// ProvenWithout is what the certificate's numbers prove if a job fetches nothing and all else is as it is.
func (in *Instance) ProvenWithout(c *Certificate, job int32) (*big.Rat, error) {
	t, less := in.Timeline(), *in
	less.Bytes, less.own = slices.Clone(in.Bytes), slices.Clone(in.own)
	if less.Bytes[job] = 0; in.Uneven(job) {
		clear(less.own[in.First[job]:in.First[job+1]])
	}
	return less.prove(c, t)
}

// prove computes what a certificate proves, in slot cost × bytes.
func (in *Instance) prove(c *Certificate, t *Timeline) (*big.Rat, error) {
	num, den, err := readUnit(c.Unit)
	if err != nil {
		return nil, err
	}
	p := prover{in: in, num: num, den: den, missing: make([]model.Wide, in.Slots)}
	next := 0
	for k := range t.Periods {
		var rows [][]int64
		if next < len(c.Prices) && int(c.Prices[next].Period) == k {
			rows = c.Prices[next].Rows
			next++
		}
		if err := p.period(&t.Periods[k], t.Intervals, rows); err != nil {
			return nil, fmt.Errorf("certificate: busy period %d: %w", k, err)
		}
	}
	if next < len(c.Prices) {
		return nil, fmt.Errorf(
			"certificate: prices of busy period %d; there are %d, and each has prices once, in their order",
			c.Prices[next].Period, len(t.Periods))
	}
	return p.value(), nil
}

// readUnit takes a unit apart.
func readUnit(text string) (num, den uint64, err error) {
	above, below, whole := strings.Cut(text, "/")
	if !whole {
		below = "1"
	}
	num, err1 := strconv.ParseUint(above, 10, 31)
	den, err2 := strconv.ParseUint(below, 10, 31)
	if err1 != nil || err2 != nil || num == 0 || den == 0 || big.NewRat(int64(num), int64(den)).RatString() != text {
		return 0, 0, errors.New("certificate: the unit is a positive fraction in lowest terms of numbers below 2³¹")
	}
	return num, den, nil
}
