package shop

import (
	"fmt"

	"mrsched/model"
)

// OwnPrices are prices ν ≥ 0 that the tasks of one job pay in addition to λ. They apply if the job completes at From or
// later, but before its next From. They are a step function of the same cells and unit. At most m of the job's tasks
// run at a time, and none after its completion C. So they pay at most m·N(C) in total, where N is the integral of ν;
// this amount is subtracted again. Entries are in the order of jobs and of From.
type OwnPrices struct {
	Job   int32      `json:"job"`
	From  model.Time `json:"from"`
	Steps []int64    `json:"steps,omitempty"`
}

// highestOwn is the largest price of a job's own. Errors: entries that are negative, too long or out of order.
func (e *PriceEvaluator) highestOwn() (top int64, err error) {
	list := e.m.Own
	for i, o := range list {
		if o.Job < 0 || int(o.Job) >= e.in.Jobs || o.From < 0 || len(o.Steps) > len(e.m.Steps) ||
			i > 0 && (o.Job < list[i-1].Job || o.Job == list[i-1].Job && o.From <= list[i-1].From) {
			return 0, fmt.Errorf("machine prices: own prices of job %d from %s", o.Job, o.From)
		}
		t, err := highest(o.Steps)
		if err != nil {
			return 0, err
		}
		top = max(top, t)
	}
	return top, nil
}

// refund is m·N(t) of the loaded own prices.
func (e *PriceEvaluator) refund(t model.Time) (sum int64) {
	if e.own == nil {
		return 0
	}
	left := t
	for _, v := range e.own.Steps {
		part := min(left, e.m.Cell)
		sum += v * int64(part)
		left -= part
	}
	return sum * int64(e.in.Nodes)
}
