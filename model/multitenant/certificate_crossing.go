package multitenant

import (
	"errors"
	"fmt"
	"math/big"

	"mrsched/model"
)

// mostWindows bounds the windows of a proof, so that sums of prices fit.
const mostWindows = 8

// Crossing proves a lower bound on the bytes that cross racks in every schedule that ends no later than Makespan.
//
// Each window has prices of the time of slots and of the bytes over links from its From on, and the same price of
// crossing. A job that arrives at From or later uses all of its resources within the window, and pays for that too; so
// the windows state where slots are short late in the schedule. The bound ignores that whole jobs must be split over
// racks, and no constant factor relates it to the least traffic. Docs/mathematics.md, section multitenant, proves both.
type Crossing struct {
	Makespan model.Time `json:"makespan"` // microseconds
	Windows  []Prices   `json:"windows"`  // by ascending From
	Value    string     `json:"value"`    // bytes, an exact rational; what reduces write counts
}

// SignCrossing completes a proof: it computes Value. Errors: it proves nothing.
func (in *Instance) SignCrossing(c *Crossing) error {
	v, err := in.Relax().crossing(c)
	if err == nil {
		c.Value = v.RatString()
	}
	return err
}

// CertifyCrossing re-evaluates a proof in exact arithmetic and requires that it states what it proves.
func (in *Instance) CertifyCrossing(raw []byte) (*big.Rat, error) {
	var c Crossing
	if err := model.ReadCertificate(raw, &c); err != nil {
		return nil, err
	}
	v, err := in.Relax().crossing(&c)
	if err == nil && v.RatString() != c.Value {
		return nil, fmt.Errorf("certificate states %s and proves %s", c.Value, v.RatString())
	}
	return v, err
}

// crossing is the bound that a proof proves: (Σ paid + Σ outside − rate·makespan)/cross, and what reduces write.
func (x *Relaxation) crossing(c *Crossing) (*big.Rat, error) {
	if n := len(c.Windows); n == 0 || n > mostWindows {
		return nil, fmt.Errorf("certificate: %d windows, not 1 to %d", n, mostWindows)
	}
	cross := c.Windows[0].Cross
	for k := range c.Windows {
		if c.Windows[k].Cross != cross || cross < 1 {
			return nil, errors.New("certificate: crossing racks has no price, or several")
		}
	}
	s, err := x.settleAll(c.Windows)
	if err != nil {
		return nil, err
	}
	s.paid.Add(s.paid, s.outside)
	s.paid.Sub(s.paid, s.rate.Mul(s.rate, big.NewInt(int64(c.Makespan))))
	v := new(big.Rat).SetFrac(s.paid, new(big.Int).Mul(big.NewInt(cross), million))
	return v.Add(v, new(big.Rat).SetInt64(int64(x.in.Written))), nil
}
