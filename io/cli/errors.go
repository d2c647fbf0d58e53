package cli

import (
	"context"
	"errors"
	"fmt"
	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/solver"
)

// Exit codes.
const (
	exitDone        = 0
	exitInternal    = 1
	exitUsage       = 2
	exitInfeasible  = 3
	exitViolation   = 4
	exitBackend     = 5
	exitLimit       = 6 // with --fail-on-limit
	exitInterrupted = 130
)

// severity lists the exit codes, the most serious first: a call with several runs ends with the most serious of theirs.
var severity = []int{exitInterrupted, exitInternal, exitBackend, exitViolation, exitUsage, exitInfeasible,
	exitLimit, exitDone}

// errInterrupted is the end of a run that a signal stopped before it had a result.
var errInterrupted = errors.New("interrupted")

// exitError ends the program with a code; its text, if any, was printed already.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }

// exitCode is the program's exit code for an error, and whether the error must still be printed.
func exitCode(err error) (code int, printIt bool) {
	var exit *exitError
	var usage *engine.UsageError
	var input *model.InputError
	var backend *solver.BackendError
	switch {
	case err == nil:
		return exitDone, false
	case errors.As(err, &exit):
		return exit.code, false
	case errors.As(err, &usage), errors.As(err, &input), errors.Is(err, disk.ErrExists), errors.Is(err, disk.ErrKept):
		return exitUsage, true
	case errors.As(err, &backend):
		return exitBackend, true
	case errors.Is(err, errInterrupted), errors.Is(err, context.Canceled):
		return exitInterrupted, true
	}
	return exitInternal, true
}
