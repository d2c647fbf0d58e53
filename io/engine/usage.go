package engine

import (
	"errors"
	"fmt"

	"mrsched/io/disk"
	"mrsched/model"
	"mrsched/solver"
)

// UsageError is a command line that cannot be executed.
type UsageError struct{ text string }

func (e *UsageError) Error() string { return e.text }

// Usagef makes a UsageError.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// Kind names an error in one word: the code of its first finding, else its origin.
func Kind(err error) string {
	var usage *UsageError
	var input *model.InputError
	var backend *solver.BackendError
	switch {
	case errors.As(err, &input) && len(input.Findings) > 0:
		return string(input.Findings[0].Code)
	case errors.Is(err, disk.ErrExists):
		return "exists"
	case errors.As(err, &usage):
		return "usage"
	case errors.As(err, &backend):
		return "backend"
	}
	return "internal"
}
