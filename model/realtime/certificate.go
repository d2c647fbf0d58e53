package realtime

import (
	"fmt"
	"math/big"

	"mrsched/model"
)

// Certificate proves a lower bound on the objective of every schedule, even one made with knowledge of all true times.
//
// For goal Partitions it holds prices of slots or partitions, for goal Deadlines windows of time.
type Certificate struct {
	model.Claim
	// Phases are the proofs for the jobs that have partitions, in their order.
	Phases []Phase `json:"phases,omitempty"`
	// Late proves that jobs miss their deadlines.
	Late *Late `json:"late,omitempty"`
}

// Sign completes a certificate: it computes Value. Errors: the certificate proves nothing.
func (in *Instance) Sign(c *Certificate) error {
	return c.Claim.Sign(Name, func() (*big.Rat, error) { return in.prove(c) })
}

// kindsOf lists the kinds of certificates that each method makes: they have none.
var kindsOf = map[string][]string{LateWindows: {""}, SlotPrices: {""}, PartitionPrices: {""}, CaseTree: {""}}

// Certify re-evaluates a certificate in exact arithmetic and requires that it states what it proves.
func (in *Instance) Certify(raw []byte) (model.Certified, error) {
	var c Certificate
	return model.Certify(raw, &c, &c.Claim, Name, kindsOf, func() (*big.Rat, error) {
		if in.Goal == Deadlines && c.Method != LateWindows { // provePhases compares the method itself
			return nil, fmt.Errorf("certificate: method %q proves nothing about late jobs", c.Method)
		}
		return in.prove(&c)
	})
}

// prove computes what a certificate proves.
func (in *Instance) prove(c *Certificate) (*big.Rat, error) {
	if in.Goal == Partitions {
		if c.Late != nil {
			return nil, fmt.Errorf("certificate: late jobs prove nothing for goal %s", in.Goal)
		}
		return in.provePhases(c)
	}
	if c.Phases != nil {
		return nil, fmt.Errorf("certificate: phases prove nothing for goal %s", in.Goal)
	}
	return in.proveLate(c)
}
