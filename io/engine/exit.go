package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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

// Patience is how long work may go on after a signal: long enough to write the best schedule so far. BatchPatience is
// that of one instance of several, so that there is time for the summary.
const (
	Patience      = 4 * time.Second
	BatchPatience = 3 * time.Second
)

// Patiently carries out work. After ctx has ended it waits a while, and then leaves the work behind: the program is to
// end, and does not depend on how often work looks at ctx.
func Patiently(ctx context.Context, patience time.Duration, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return ErrInterrupted
	}
}

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
