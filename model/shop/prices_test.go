package shop

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// TestCoarsePrices: in units of 2^24 millionths times microseconds, products that overflow in millionths are still
// exact enough. Prices 0 prove Σ w_j c_j = 2·8 + 0.5·5 = 18.5, rounded down to the unit.
func TestCoarsePrices(t *testing.T) {
	in, _ := fixture(t)
	for j := range in.Weight {
		in.Weight[j] *= 1_000_000_000_000
	}
	prices := func(shift int) error {
		c := &Certificate{Claim: model.Claim{Kind: KindMachinePrices}, Machine: &MachinePrices{Cell: model.Second, Shift: shift,
			Steps: []int64{0}}}
		if err := in.Sign(c); err != nil {
			return err
		}
		if c.Value != "18500000000000" && !strings.Contains(c.Value, "/") {
			t.Errorf("value %s", c.Value)
		}
		return nil
	}
	if err := prices(0); !errors.Is(err, ErrInexact) {
		t.Errorf("unit 1: %v", err)
	}
	if err := prices(-24); err != nil {
		t.Error(err)
	}
}

// TestHostileCells: Certify rejects a certificate with very many cells instead of evaluating it for hours.
func TestHostileCells(t *testing.T) {
	in, _ := fixture(t)
	in.Earliest[0] += 1_000_000 * model.Second
	c := &Certificate{Claim: model.Claim{Kind: KindMachinePrices}, Machine: &MachinePrices{Cell: 1, Steps: []int64{1}}}
	if err := in.Sign(c); err == nil {
		t.Error("a million million cells are evaluated")
	}
}

// TestCheapestStartFarBehindPrices: a job may end long after the last price, for example in an online schedule. Prices
// are 0 there, so its tasks' cheapest start is the latest one. An earlier version read past the end of the prices.
func TestCheapestStartFarBehindPrices(t *testing.T) {
	in, _ := fixture(t)
	e, err := NewPriceEvaluator(in, &MachinePrices{Cell: model.Second, Steps: []int64{3, 2, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for u := range int32(in.Tasks) {
		lag := in.Tail[u] + in.Least[u]
		for _, x := range []model.Time{3 * model.Second, 4*model.Second + 1, model.MaxHorizon / 2} {
			if got := e.Start(u, x+lag); in.Head[u] <= x && got != x {
				t.Errorf("task %d: %s, want %s", u, got, x)
			}
		}
	}
}

// TestLessRefinement: a search for the cheapest completion that stops early proves less, but never more than is true.
func TestLessRefinement(t *testing.T) {
	in, _ := fixture(t)
	flat := &MachinePrices{Cell: 3 * model.Second / 2, Steps: []int64{900_000, 700_001, 400_000, 100_003}}
	bound := func(most int) *big.Rat {
		e, err := NewPriceEvaluator(in, flat)
		if err != nil {
			t.Fatal(err)
		}
		e.most = most
		return e.Bound()
	}
	full := bound(1_000_000)
	if coarse := bound(0); coarse.Cmp(full) >= 0 {
		t.Errorf("without refinement %s, with it %s", coarse.FloatString(6), full.FloatString(6))
	}
	most := new(big.Rat).Mul(full, big.NewRat(1<<refineLoss+1, 1<<refineLoss)) // at least the true minimum
	for _, parts := range []int{5, 50, 500} {
		if v := bound(parts); v.Cmp(most) > 0 {
			t.Errorf("%d completions: %s, more than %s", parts, v.FloatString(6), most.FloatString(6))
		}
	}
}

// TestRefinementInOrder: the last part of a cell may overlap the next cell, but every part has its own window. The
// expected value comes from an independent implementation of docs/certificates.md.
func TestRefinementInOrder(t *testing.T) {
	b := model.NewBuilder()
	b.Scalars("order", "msjo", model.Some[int64](2), nil)
	b.Job(model.Job{ID: "j", Weight: 4 * model.UnitWeight / 5}, model.Locus{})
	b.Task(model.Task{ID: "t", Kind: model.Map, Processing: model.Some(31 * model.Second / 10),
		Release: model.Some(26 * model.Second / 10)}, "j", "", model.Locus{})
	in := made(t, b)
	p := &MachinePrices{Cell: 42_500, Shift: 16}
	for _, run := range []struct {
		price int64
		cells int
	}{{0, 61}, {49732144306, 1}, {72163306612, 38}, {87893301198, 1}, {64057218147, 1}, {54946613121, 8},
		{3554184154, 1}, {0, 7}, {54946613121, 16}, {0, 266}} {
		p.Steps = append(p.Steps, slices.Repeat([]int64{run.price}, run.cells)...)
	}
	e, err := NewPriceEvaluator(in, p)
	if err != nil {
		t.Fatal(err)
	}
	if v := e.Bound().RatString(); v != "82524914133/65536000000" {
		t.Errorf("%s", v)
	}
}
