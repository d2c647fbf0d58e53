package msjo

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mrsched/model"
)

// TestEvaluateFar: the mean is right although the sum of completions overflows an int64: ten jobs at 2^60 − 1 µs.
func TestEvaluateFar(t *testing.T) {
	b := model.NewBuilder()
	b.Scalars("far", "msjo", model.Some(int64(10)), nil)
	s := &model.Schedule{}
	end := model.MaxHorizon - 1
	for k, id := range strings.Split("abcdefghij", "") {
		b.Job(model.Job{ID: id, Release: end, Weight: 1}, model.Locus{})
		b.Task(model.Task{ID: id, Processing: model.Some(model.Time(0))}, id, "", model.Locus{})
		s.Entries = append(s.Entries, model.Entry{Task: model.TaskIndex(k), Machine: int32(k), Start: end, End: end})
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := New(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := in.Evaluate(s).Metrics["mean_job_completion"]; got != model.Number(end.String()) {
		t.Errorf("mean %v, want %s", got, end)
	}
}

// TestCoarsePrices: in units of 2^24 millionths times microseconds, products that overflow in millionths are still
// exact enough. Prices 0 prove Σ w_j c_j = 2·8 + 0.5·5 = 18.5, rounded down to the unit.
func TestCoarsePrices(t *testing.T) {
	in, _ := fixture(t)
	for j := range in.Weight {
		in.Weight[j] *= 1_000_000_000_000
	}
	prices := func(shift int) error {
		c := &Certificate{Claim: model.Claim{Kind: KindMachinePrices}, MachinePrices: &MachinePrices{Cell: model.Second, Shift: shift,
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
	in.Alone[0] += 1_000_000 * model.Second
	c := &Certificate{Claim: model.Claim{Kind: KindMachinePrices}, MachinePrices: &MachinePrices{Cell: 1, Steps: []int64{1}}}
	if err := in.Sign(c); err == nil {
		t.Error("a million million cells are evaluated")
	}
}

// TestCertificateText: Certify rejects duplicate keys, unknown keys and numbers in another notation.
func TestCertificateText(t *testing.T) {
	in, _ := fixture(t)
	text, err := json.Marshal(signed(t, in))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range [][2]string{{`"value":`, `"value":"99","Value":`}, {`"denominator":`, `"extra":1,"denominator":`},
		{`"threshold":0`, `"threshold":0.0000001`}} {
		changed := strings.Replace(string(text), x[0], x[1], 1)
		if _, err := in.Certify([]byte(changed)); changed == string(text) || err == nil {
			t.Errorf("%s is accepted", changed)
		}
	}
	if _, err := in.Certify(append([]byte(" "), text...)); err != nil {
		t.Error(err)
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
		lag := in.Tail[u] + in.Processing[u]
		for _, x := range []model.Time{3 * model.Second, 4*model.Second + 1, model.MaxHorizon / 2} {
			if got := e.Start(u, x+lag); in.Head[u] <= x && got != x {
				t.Errorf("task %d: %s, want %s", u, got, x)
			}
		}
	}
}
