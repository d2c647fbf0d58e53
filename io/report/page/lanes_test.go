package page

import (
	"slices"
	"testing"

	"mrsched/model"
)

// TestDivide: on a, tasks 0 and 1 overlap and 2 fits behind 0; b has no overlap.
func TestDivide(t *testing.T) {
	s := &schedule{id: make([]string, 5), machine: []int32{0, 0, 0, 1, 1}, start: []model.Time{0, 2, 5, 0, 4},
		end: []model.Time{5, 9, 6, 4, 8}}
	names := s.divide([]string{"a", "b"})
	if !slices.Equal(names, []string{"a/1", "a/2", "b"}) || !slices.Equal(s.machine, []int32{0, 1, 0, 2, 2}) {
		t.Errorf("%v, %v", names, s.machine)
	}
}
