package realtime

import (
	"context"
	"errors"
	"io"

	"mrsched/solver"
)

// packings lists the algorithms for R||Cmax that belong to goal partitions alone.
func packings() []method { return nil }

// bestPartitions and exactPartitions are best and exact of goal partitions.
func bestPartitions(context.Context, *run, solver.Options) (*solver.Outcome, error) {
	return nil, errors.New("not yet")
}

func exactPartitions(context.Context, *run, solver.Options) (*solver.Outcome, error) {
	return nil, errors.New("not yet")
}

// provePhases computes the bounds of goal partitions, the strongest first.
func (r *run) provePhases(context.Context, solver.Options) ([]solver.Bound, error) { return nil, nil }

// formulate writes the mixed-integer program.
func (r *run) formulate(io.Writer, string) error { return errors.New("not yet") }
