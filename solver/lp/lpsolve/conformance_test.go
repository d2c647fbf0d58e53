package lpsolve

import (
	"testing"

	"mrsched/solver/lp/lptest"
)

func TestConformance(t *testing.T) { lptest.Run(t, NewSolver) }
