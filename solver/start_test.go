package solver

import (
	"context"
	"errors"
	"testing"

	"mrsched/model"
	"mrsched/solver/lp"
)

// failing is a run whose algorithms all fail.
type failing struct {
	Run
	why map[string]error
}

func (failing) View() model.View          { return nil }
func (failing) Excludes(string) Exclusion { return Exclusion{} }

func (f failing) Solve(_ context.Context, name string, _ Options) (*Outcome, error) {
	return nil, f.why[name]
}

// TestStartShortOfMemory: Start leaves out an algorithm that fails, but fails itself if one had no memory.
func TestStartShortOfMemory(t *testing.T) {
	f := failing{why: map[string]error{"a": errors.New("no"), "b": &BackendError{Err: lp.ErrMemory}}}
	a, b := Algorithm{Name: "a"}, Algorithm{Name: "b"}
	for _, list := range [][]Algorithm{{a}, {a, b}, {b, a}} {
		out, _, err := Start(context.Background(), f, list, 1, Options{})
		if short := len(list) > 1; out != nil || errors.Is(err, lp.ErrMemory) != short || !short && err != nil {
			t.Errorf("%v: %v, %v", list, out, err)
		}
	}
}
