package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
)

// ReadCertificate reads a certificate's text into the struct that c points to. Apart from white space, the text must be
// the one that the struct is written as: duplicate or unknown keys would show people something other than what is
// checked.
func ReadCertificate(raw []byte, c any) error {
	if err := json.Unmarshal(raw, c); err != nil {
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

// Confirm checks the head of a certificate against the problem, and its stated value against the value that prove
// computes.
func Confirm(problem, format, stated, method, value string, prove func() (*big.Rat, error)) (Certified, error) {
	if format != CertificateFormat || stated != problem {
		return Certified{}, fmt.Errorf("certificate: format %q for problem %q", format, stated)
	}
	v, err := prove()
	if err != nil {
		return Certified{}, err
	}
	if v.RatString() != value {
		return Certified{}, fmt.Errorf("certificate states %s and proves %s", value, v.RatString())
	}
	return Certified{Method: method, Value: v}, nil
}
