package solver

import (
	"context"
	"fmt"

	"mrsched/model"
)

// Method is one row of a problem's table of algorithms: the description, and how it makes an O from an opened instance
// R.
type Method[R, O any] struct {
	Algorithm
	Solve func(ctx context.Context, r R, opt Options) (O, error)
	// Guarantee is what is proven on this instance; nil if nothing is.
	Guarantee func(r R) *model.Guarantee
}

// Methods is a problem's table of algorithms.
type Methods[R, O any] []Method[R, O]

// Algorithms lists the descriptions.
func (m Methods[R, O]) Algorithms() []Algorithm {
	list := make([]Algorithm, len(m))
	for i := range m {
		list[i] = m[i].Algorithm
	}
	return list
}

// Find looks an algorithm up by its name.
func (m Methods[R, O]) Find(name string) (Method[R, O], error) {
	for i := range m {
		if m[i].Name == name {
			return m[i], nil
		}
	}
	return Method[R, O]{}, fmt.Errorf("there is no algorithm %q", name)
}

// BestNeverWorse pairs best with every algorithm that makes a schedule without a search.
func (m Methods[R, O]) BestNeverWorse() (pairs [][2]string) {
	for i := range m {
		if a := &m[i]; !a.Search && !a.Exhaustive && !a.BoundOnly {
			pairs = append(pairs, [2]string{"best", a.Name})
		}
	}
	return pairs
}

// Promise is what is proven for an algorithm on an instance; nil if a limit stopped it.
func (m Methods[R, O]) Promise(r R, name string, limited bool) *model.Guarantee {
	a, err := m.Find(name)
	if err != nil || a.Guarantee == nil || limited {
		return nil
	}
	return a.Guarantee(r)
}
