package multitenant

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
)

// Certificate proves a lower bound on the makespan of every schedule that Check accepts: either by one job alone, or by
// prices of slots and links.
type Certificate struct {
	model.Claim
	// Job is the id of a job that alone takes that long: after its arrival all maps, then all reduces, which first fetch
	// (Relaxation.Alone).
	Job string `json:"job,omitempty"`
	// Prices count what all jobs need that arrive from some time on.
	Prices *Prices `json:"prices,omitempty"`
}

// Sign completes a certificate: it computes Value. Errors: the certificate proves nothing.
func (in *Instance) Sign(c *Certificate) error {
	return c.Claim.Sign(Name, func() (*big.Rat, error) { return in.prove(c) })
}

// Certify re-evaluates a certificate in exact arithmetic and requires that it states what it proves.
func (in *Instance) Certify(raw []byte) (model.Certified, error) {
	var c Certificate
	return model.Certify(raw, &c, &c.Claim, Name, kindsOf, func() (*big.Rat, error) {
		if !c.named() {
			return nil, fmt.Errorf("certificate: method %q does not make such a certificate", c.Method)
		}
		return in.prove(&c)
	})
}

// The methods that make certificates.
const (
	LongestJob  = "longest-job"  // a job alone
	MapSlots    = "map-slots"    // prices of map slots alone
	ReduceSlots = "reduce-slots" // prices of reduce slots alone
	RackLP      = "rack-lp"      // any prices
)

// kindsOf lists the kinds of certificates that each method makes: they have none.
var kindsOf = map[string][]string{LongestJob: {""}, MapSlots: {""}, ReduceSlots: {""}, RackLP: {""}}

// named reports whether the certificate's method makes certificates of this kind.
func (c *Certificate) named() bool {
	p := c.Prices
	if p == nil {
		return c.Method == LongestJob
	}
	links := len(p.Out)+len(p.In)+len(p.Fabric) > 0
	switch c.Method {
	case MapSlots:
		return len(p.Reduce) == 0 && !links
	case ReduceSlots:
		return len(p.Map) == 0 && !links
	}
	return c.Method == RackLP
}

// prove computes what a certificate proves.
func (in *Instance) prove(c *Certificate) (*big.Rat, error) { return in.Relax().prove(c) }

// ProvenWithout is what the certificate's numbers prove about the instance without a job; 0 if nothing.
func (in *Instance) ProvenWithout(c *Certificate, job int32) *big.Rat {
	x := *in.Relax()
	x.Jobs = slices.Clone(x.Jobs)
	x.Jobs[job] = JobGroups{}
	v, err := x.prove(c)
	if err != nil {
		return new(big.Rat)
	}
	return v
}

func (x *Relaxation) prove(c *Certificate) (*big.Rat, error) {
	switch {
	case c.Job == "" && c.Prices != nil:
		return x.Makespan(c.Prices)
	case c.Prices != nil:
		return nil, errors.New("certificate: both a job and prices")
	}
	for j := range x.Jobs {
		if x.in.JobID(int32(j)) == c.Job && !x.Jobs[j].empty() {
			return big.NewRat(int64(x.Alone(int32(j))), int64(model.Second)), nil
		}
	}
	return nil, fmt.Errorf("certificate: there is no job %q with tasks", c.Job)
}

// JobID is the id of a job.
func (in *Instance) JobID(job int32) string { return in.work.Jobs[job].ID }
