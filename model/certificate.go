package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// ReadCertificate reads a certificate's text into the struct that c points to. Apart from white space, the text must
// equal the struct's own encoding: duplicate or unknown keys would show people something other than what is checked.
func ReadCertificate(raw []byte, c any) error {
	if err := json.Unmarshal(raw, c); err != nil {
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fmt.Errorf("certificate: %s is a JSON %s, which mrsched does not write there",
				e.Field[strings.LastIndex(e.Field, ".")+1:], e.Value)
		}
		return fmt.Errorf("certificate: %w", err)
	}
	want, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	var is bytes.Buffer
	if err := json.Compact(&is, raw); err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	if !bytes.Equal(is.Bytes(), want) {
		return errors.New("certificate: some key or number is not as mrsched writes it")
	}
	return nil
}

// Claim is what every certificate states; the problem's own numbers, which prove it, follow.
type Claim struct {
	Format  string `json:"format"`
	Problem string `json:"problem"`
	Method  string `json:"method"`
	Kind    string `json:"kind,omitempty"` // of the numbers; empty for problems with one kind
	// Value is the bound as an exact rational, in the objective's unit.
	Value string `json:"value"`
}

// Sign completes a claim with the value that prove computes. Errors: the certificate proves nothing.
func (c *Claim) Sign(problem string, prove func() (*big.Rat, error)) error {
	c.Format, c.Problem = CertificateFormat, problem
	v, err := prove()
	if err != nil {
		return err
	}
	c.Value = v.RatString()
	return nil
}

// Proven is the value; 0 if there is none.
func (c *Claim) Proven() *big.Rat {
	if v, ok := new(big.Rat).SetString(c.Value); ok {
		return v
	}
	return new(big.Rat)
}

// ErrKind says that a certificate is of a format or kind that another version of mrsched made.
var ErrKind = errors.New("this version of mrsched knows no")

// Certify reads a certificate whose head is claim, and requires that it states the problem, a kind that its method
// makes, and the value that prove computes. Kinds are those of each method.
func Certify(raw []byte, certificate any, claim *Claim, problem string, kinds map[string][]string,
	prove func() (*big.Rat, error)) (Certified, error) {
	var head Claim
	if err := json.Unmarshal(raw, &head); err != nil {
		return Certified{}, fmt.Errorf("certificate: %w", err)
	}
	switch {
	case head.Format != CertificateFormat:
		return Certified{}, fmt.Errorf("certificate: %w format %q; solve the instance again", ErrKind, head.Format)
	case head.Problem != problem:
		return Certified{}, fmt.Errorf("certificate: it is for problem %q", head.Problem)
	case !slices.Contains(kinds[head.Method], head.Kind):
		return Certified{}, fmt.Errorf("certificate: %w kind %q of method %q; solve the instance again", ErrKind, head.Kind,
			head.Method)
	}
	if err := ReadCertificate(raw, certificate); err != nil {
		return Certified{}, err
	}
	v, err := prove()
	if err != nil {
		return Certified{}, err
	}
	if v.RatString() != claim.Value {
		return Certified{}, fmt.Errorf("certificate states %s and proves %s", claim.Value, v.RatString())
	}
	return Certified{Method: claim.Method, Value: v}, nil
}
