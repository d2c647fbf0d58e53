package shop

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
)

// MaxCases is the largest number of cases with prices. It bounds the time of an evaluation, because each case refines
// the completions of all jobs anew.
const MaxCases = 64

// CompletionCases divide the schedules into cases by the completions of jobs. A case is split in two, or it has prices
// of machine time, which bound the cost of its schedules. The bound is the least of all cases.
//
// Each schedule is in some case: a split asks whether a job completes by a time, or at that time or later.
type CompletionCases struct {
	*CaseSplit
	*MachinePrices
}

// CaseSplit divides a case by the completion of a job.
type CaseSplit struct {
	Job   int32            `json:"job"`
	At    model.Time       `json:"at"`
	Until *CompletionCases `json:"until"` // the job completes at At or earlier
	From  *CompletionCases `json:"from"`  // it completes at At or later
}

// completionWindow holds, by job, the first and the last completion of a case.
type completionWindow struct{ from, until []model.Time }

func (in *Instance) allCompletions() completionWindow {
	return completionWindow{make([]model.Time, in.Jobs), slices.Repeat([]model.Time{math.MaxInt64}, in.Jobs)}
}

// PricesOfCase returns the prices of a case in which the jobs complete at the given times, with their evaluator. The
// cases must be those of a certificate that holds.
func (in *Instance) PricesOfCase(c *CompletionCases, completion []model.Time) (*MachinePrices, *PriceEvaluator, error) {
	w := in.allCompletions()
	for c.CaseSplit != nil {
		if j, at := c.Job, c.At; completion[j] <= at {
			c, w.until[j] = c.Until, min(w.until[j], at)
		} else {
			c, w.from[j] = c.From, max(w.from[j], at)
		}
	}
	left := uint64(maxRuns)
	e, err := newPriceEvaluator(in, c.MachinePrices, w, &left)
	return c.MachinePrices, e, err
}

// evaluateCases is the value of a certificate, in weight × seconds.
func (e *Evaluator) evaluateCases(c *Certificate) (*big.Rat, error) {
	if !e.in.plain() {
		return nil, errIdentical
	}
	if n := c.Cases.priced(); n > MaxCases {
		return nil, fmt.Errorf("certificate: %d cases with prices, more than %d", n, MaxCases)
	}
	tight, err := e.Tightened(&c.Bounds)
	if err != nil {
		return nil, err
	}
	left := uint64(maxRuns)
	return tight.leastCase(c.Cases, tight.allCompletions(), &left)
}

// priced is the number of cases with prices.
func (c *CompletionCases) priced() int {
	if c == nil || c.CaseSplit == nil {
		return 1
	}
	return c.Until.priced() + c.From.priced()
}

// leastCase is the least bound of the cases in c; nil if they have no schedules. Among all cases one has, because each
// split leaves in one of its cases the schedules in which every job completes as early as it may. left is the work that
// evaluations may still take.
func (in *Instance) leastCase(c *CompletionCases, w completionWindow, left *uint64) (*big.Rat, error) {
	if c == nil || (c.CaseSplit == nil) == (c.MachinePrices == nil) {
		return nil, errors.New("certificate: a case needs either a split or prices")
	}
	if c.MachinePrices != nil {
		return in.caseBound(c.MachinePrices, w, left)
	}
	s := c.CaseSplit
	if s.Job < 0 || int(s.Job) >= in.Jobs || s.At < 0 {
		return nil, fmt.Errorf("certificate: a case splits the completion of job %d at %s", s.Job, s.At)
	}
	from, until := w.from[s.Job], w.until[s.Job]
	w.until[s.Job] = min(until, s.At)
	early, err := in.leastCase(s.Until, w, left)
	w.until[s.Job] = until
	if err != nil {
		return nil, err
	}
	w.from[s.Job] = max(from, s.At)
	late, err := in.leastCase(s.From, w, left)
	w.from[s.Job] = from
	if early == nil || late != nil && late.Cmp(early) < 0 {
		return late, err
	}
	return early, err
}

// caseBound is the bound of a case without splits; nil if no schedule is in it.
func (in *Instance) caseBound(m *MachinePrices, w completionWindow, left *uint64) (*big.Rat, error) {
	for j, alone := range in.Alone {
		if max(alone, w.from[j]) > w.until[j] {
			return nil, nil
		}
	}
	e, err := newPriceEvaluator(in, m, w, left)
	if err != nil {
		return nil, err
	}
	return e.Bound(), nil
}
