package reduceplace

import (
	"errors"

	"mrsched/model"
)

// Certify re-evaluates a certificate in exact arithmetic and demands that it states what it proves.
func (in *Instance) Certify([]byte) (model.Certified, error) {
	return model.Certified{}, errors.New("certificate: not yet")
}
