package msjo

import (
	"fmt"
	"math"
	"math/big"

	"mrsched/model"
	"mrsched/model/msjo"
)

const (
	// priceBits is the size of the largest integer price of a certificate. 40 bits lose less than 1e-9 of a bound and keep
	// every number exact in JSON readers that use doubles.
	priceBits = 40
	// shave is the relative step by which prices that exceed a job's weight by rounding are lowered.
	shave = 1.0 / (1 << 45)
)

// pricedTerm is one threshold's prices per second of processing, by task.
type pricedTerm struct {
	threshold model.Time
	price     []float64
}

// certify turns any prices into a certificate. It scales prices of a job down if they cost more than its weight, so
// that the bound is valid whatever the prices were.
func certify(in *msjo.Instance, method string, terms []pricedTerm) (*msjo.Certificate, error) {
	factor, top := affordable(in, terms)
	cert := &msjo.Certificate{Method: method, Kind: msjo.KindMidpointPrices, Denominator: 1}
	if top > 0 {
		_, e := math.Frexp(top)
		cert.Denominator = 1 << min(max(0, priceBits-e), 62)
	}
	for _, t := range terms {
		q := make([]int64, in.Tasks)
		used := false
		for u, v := range t.price {
			if v > 0 && in.Head[u] >= t.threshold {
				q[u] = int64(v * factor[in.Job[u]] * float64(cert.Denominator))
				used = used || q[u] > 0
			}
		}
		if used {
			cert.Terms = append(cert.Terms, msjo.PriceTerm{Threshold: t.threshold, Prices: q})
		}
	}
	repair(in, cert)
	if err := in.Sign(cert); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return cert, nil
}

// affordable is, per job, the factor that brings its prices within its weight, and the largest price.
func affordable(in *msjo.Instance, terms []pricedTerm) (factor []float64, top float64) {
	paid := make([]float64, in.Jobs)
	for _, t := range terms {
		for u, v := range t.price {
			if v > 0 && in.Head[u] >= t.threshold {
				paid[in.Job[u]] += v * in.Processing[u].Seconds()
			}
		}
	}
	factor = make([]float64, in.Jobs)
	for j := range factor {
		factor[j] = 1
		if w := in.Weight[j].Float(); paid[j] > w {
			factor[j] = w / paid[j]
		}
	}
	for _, t := range terms {
		for u, v := range t.price {
			if in.Head[u] >= t.threshold {
				top = max(top, v*factor[in.Job[u]])
			}
		}
	}
	return factor, top
}

// repair lowers the integer prices of every job that exceeds its weight by rounding.
func repair(in *msjo.Instance, c *msjo.Certificate) {
	paid, x, y := new(big.Int), new(big.Int), new(big.Int)
	over := func(j int) bool {
		paid.SetInt64(0)
		for _, t := range c.Terms {
			for u := range tasksOf(in, j) {
				paid.Add(paid, x.Mul(x.SetInt64(int64(in.Processing[u])), y.SetInt64(t.Prices[u])))
			}
		}
		return paid.Cmp(x.Mul(x.SetInt64(int64(in.Weight[j])), y.SetInt64(c.Denominator))) > 0
	}
	for j := range in.Jobs {
		for by := shave; over(j); by *= 2 {
			for _, t := range c.Terms {
				for u := range tasksOf(in, j) {
					t.Prices[u] = max(0, t.Prices[u]-1-int64(float64(t.Prices[u])*min(by, 1)))
				}
			}
		}
	}
}
