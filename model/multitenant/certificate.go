package multitenant

import (
	"errors"
	"math/big"

	"mrsched/model"
)

// Certificate proves a lower bound on the makespan of every schedule.
type Certificate struct {
	Format  string `json:"format"`
	Problem string `json:"problem"`
	Method  string `json:"method"`
	// Value is the bound as an exact rational, in seconds.
	Value string `json:"value"`
}

// Sign completes a certificate: it computes Value. Errors: the certificate proves nothing.
func (in *Instance) Sign(c *Certificate) error {
	c.Format, c.Problem = model.CertificateFormat, "multitenant"
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
	return model.Confirm("multitenant", c.Format, c.Problem, c.Method, c.Value, func() (*big.Rat, error) { return in.prove(&c) })
}

// prove computes what a certificate proves.
func (in *Instance) prove(*Certificate) (*big.Rat, error) {
	return nil, errors.New("certificate: not yet")
}
