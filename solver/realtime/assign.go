package realtime

import (
	"errors"

	"mrsched/model"
)

// assignments lists the algorithms of the paper for goal partitions.
func assignments() []method { return nil }

// assign puts the data of a job into partitions and those on reduce slots, as the algorithm of a name does: at most R
// slots. free is when each slot is thought to be free, by slot; nil: now. Results depend on nothing else.
func (r *run) assign(name string, job int32, b belief, free []model.Time) (assignment, error) {
	return assignment{}, errors.New("not yet")
}
