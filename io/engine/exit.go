package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mrsched/io/disk"
	"mrsched/model"
	"mrsched/solver"
)

// MostSerious is the most serious of some exit codes; of none it is exitDone.
func MostSerious(codes []int) int {
	worst := len(Severity) - 1
	for _, code := range codes {
		worst = min(worst, slices.Index(Severity, code))
	}
	return Severity[worst]
}

// Exit codes.
const (
	ExitDone        = 0
	ExitInternal    = 1
	ExitUsage       = 2
	ExitInfeasible  = 3
	ExitViolation   = 4
	exitBackend     = 5
	ExitLimit       = 6 // with --fail-on-limit
	ExitInterrupted = 130
)

// Severity lists the exit codes, the most serious first: several runs in one call end with the most
// serious of their codes.
var Severity = []int{ExitInterrupted, ExitInternal, exitBackend, ExitViolation, ExitUsage, ExitLimit, ExitDone}

// ErrInterrupted is the end of a run that a signal stopped before it had a result.
var ErrInterrupted = errors.New("interrupted")

// ExitError ends the program with a code; its text, if any, was printed already.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit %d", e.Code) }

// ExitCode is the program's exit code for an error, and whether the error must still be printed.
func ExitCode(err error) (code int, printIt bool) {
	var exit *ExitError
	var usage *UsageError
	var input *model.InputError
	var backend *solver.BackendError
	switch {
	case err == nil:
		return ExitDone, false
	case errors.As(err, &exit):
		return exit.Code, false
	case errors.As(err, &usage), errors.As(err, &input), errors.Is(err, disk.ErrExists), errors.Is(err, disk.ErrKept):
		return ExitUsage, true
	case errors.As(err, &backend):
		return exitBackend, true
	case errors.Is(err, ErrInterrupted), errors.Is(err, context.Canceled):
		return ExitInterrupted, true
	}
	return ExitInternal, true
}
