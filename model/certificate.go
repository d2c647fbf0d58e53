package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// ReadCertificate reads a certificate's text into the struct that c points to. The text must be, blanks aside, the one
// that the struct is written as: a key that is given twice or is unknown would tell people something else than is checked.
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
