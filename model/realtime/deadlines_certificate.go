package realtime

import (
	"errors"
	"fmt"
	"math/big"

	"mrsched/model"
)

// Late proves that some jobs miss their deadlines, in every schedule. docs/mathematics.md, Late windows, defines Head,
// Tail, work, room, windows and sure misses, and proves the bound: the misses of all windows, which share no job, plus
// the sure misses.
type Late struct {
	// Prices are shared by windows.
	Prices  []Price  `json:"prices,omitempty"`
	Windows []Window `json:"windows,omitempty"`
}

// LateWindows is the method that makes them.
const LateWindows = "late-windows"

// Price is a vector of prices of slots.
type Price struct {
	Kind   string  `json:"kind"`   // of tasks and slots: map or reduce
	Unit   int64   `json:"unit"`   // U
	Worker []int64 `json:"worker"` // Y by worker; 0 for those without slots of the kind
}

// Window is a set of jobs of which some must be late.
type Window struct {
	From  model.Time `json:"from"`
	Until model.Time `json:"until"`
	// Price is the position of its prices in Late.Prices.
	Price int `json:"price"`
}

// TaskKind is the kind of tasks and slots.
func (p *Price) TaskKind() model.TaskKind {
	if p.Kind == model.Map.String() {
		return model.Map
	}
	return model.Reduce
}

// proveLate counts the jobs that must be late.
func (in *Instance) proveLate(c *Certificate) (*big.Rat, error) {
	if c.Late == nil {
		return nil, errors.New("certificate: late is missing")
	}
	l, err := in.Lateness(c.Late.Prices)
	if err != nil {
		return nil, err
	}
	late, seen := l.SureMisses(), make([]bool, in.Jobs)
	for k, w := range c.Late.Windows {
		if w.Price < 0 || w.Price >= len(c.Late.Prices) {
			return nil, fmt.Errorf("certificate: window %d has prices number %d of %d", k, w.Price, len(c.Late.Prices))
		}
		jobs := l.Inside(w)
		for _, j := range jobs {
			if seen[j] {
				return nil, fmt.Errorf("certificate: job %q is in window %d and an earlier one", in.work.Jobs[j].ID, k)
			}
			seen[j] = true
		}
		late += l.Misses(w, jobs)
	}
	return big.NewRat(int64(late), 1), nil
}
