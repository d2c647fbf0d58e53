package realtime

import (
	"fmt"
	"math/big"

	"mrsched/model"
)

// Certificate proves a lower bound on the objective of every schedule, also of one that knows all true times.
//
// Of goal Partitions it holds prices of slots or partitions (certificate_phases.go), of goal Deadlines windows of time
// (certificate_late.go).
type Certificate struct {
	Format  string `json:"format"`
	Problem string `json:"problem"`
	Method  string `json:"method"`
	// Value is the bound as an exact rational: seconds, or jobs.
	Value string `json:"value"`
	// Phases are those of the jobs that have partitions, in their order.
	Phases []Phase `json:"phases,omitempty"`
	// Late proves that jobs miss their deadlines.
	Late *Late `json:"late,omitempty"`
}

// Sign completes a certificate: it computes Value. Errors: the certificate proves nothing.
func (in *Instance) Sign(c *Certificate) error {
	c.Format, c.Problem = model.CertificateFormat, "realtime"
	v, err := in.prove(c)
	if err != nil {
		return err
	}
	c.Value = v.RatString()
	return nil
}

// Certify re-evaluates a certificate in exact arithmetic and demands that it states what it proves.
func (in *Instance) Certify(raw []byte) (model.Certified, error) {
	var c Certificate
	if err := model.ReadCertificate(raw, &c); err != nil {
		return model.Certified{}, err
	}
	return model.Confirm("realtime", c.Format, c.Problem, c.Method, c.Value, func() (*big.Rat, error) {
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
