package solver

import (
	"context"
	"fmt"

	"mrsched/model"
)

// Method is one row of a problem's table of algorithms: the description, and how it runs on an opened instance R.
type Method[R any] struct {
	Algorithm
	Solve func(ctx context.Context, r R, opt Options) (*Outcome, error)
	// Guarantee is what is proven on this instance; nil where nothing is.
	Guarantee func(r R) *model.Guarantee
}

// Methods is a problem's table of algorithms.
type Methods[R any] []Method[R]

// Algorithms lists the descriptions.
func (m Methods[R]) Algorithms() []Algorithm {
	list := make([]Algorithm, len(m))
	for i := range m {
		list[i] = m[i].Algorithm
	}
	return list
}

// Find looks an algorithm up by its name.
func (m Methods[R]) Find(name string) (*Method[R], error) {
	for i := range m {
		if m[i].Name == name {
			return &m[i], nil
		}
	}
	return nil, fmt.Errorf("there is no algorithm %q", name)
}
