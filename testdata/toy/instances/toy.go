package instances

import (
	"fmt"
	"math/rand/v2"

	"mrsched/model"
	"mrsched/solver"
)

// toyPreset makes random instances of toy.
func toyPreset() Preset {
	return Preset{Problem: "toy", Name: "random", Summary: "four random tasks", Source: "mrsched",
		Examples: []string{"mrsched generate toy -o toy.json"},
		Generate: func(_ solver.Params, seed uint64) (*model.Workload, error) { return SmallToy(rand.New(stream(seed, 1))) }}
}

// SmallToy makes a random instance.
func SmallToy(r *rand.Rand) (*model.Workload, error) {
	b := model.NewBuilder()
	b.Scalars("toy", "toy", model.Optional[int64]{}, nil)
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	for i := range 4 {
		b.Task(model.Task{ID: fmt.Sprintf("t%d", i+1), Processing: model.Some(model.Time(r.IntN(9)) * model.Second)}, "j", "",
			model.Locus{})
	}
	return b.Build()
}
