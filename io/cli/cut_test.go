package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/model/tier"
	"mrsched/solver"
)

// fuse is a context that ends after a given number of checks: a limit at the same point of an algorithm each time,
// independent of the clock.
type fuse struct {
	context.Context
	mu   sync.Mutex
	left int
	end  context.CancelFunc
}

func newFuse(ctx context.Context, asked int) *fuse {
	inner, end := context.WithCancel(ctx)
	return &fuse{Context: inner, left: asked, end: end}
}

// Err counts checks and reports whether the context has ended.
func (f *fuse) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left--; f.left < 0 {
		f.end()
	}
	return f.Context.Err()
}

// TestNothingCutShortIsKept: after runs that limits cut short, an algorithm without a limit has the same outcome as in
// a fresh run.
func TestNothingCutShortIsKept(t *testing.T) {
	for _, c := range matrixCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(tier.Draws(2, 50)) {
				c.cutShort(t, 100+seed)
			}
		})
	}
}

func (c matrixCase) cutShort(t *testing.T, seed uint64) {
	first, cut := c.open(t, seed), c.open(t, seed)
	if first == nil {
		return
	}
	opt := solver.Options{Iterations: 3, Seed: seed, Threads: 1}
	list := slices.Clone(first.Problem.Algorithms)
	list = slices.DeleteFunc(list, func(a solver.Algorithm) bool { return !runs(first, a) })
	want := map[string]string{}
	for _, a := range list {
		want[a.Name] = told(first, t, a, opt)
	}
	for n, a := range list {
		for _, asked := range []int{0, n, 4 * n * n} {
			f := newFuse(t.Context(), asked)
			var input *model.InputError
			if _, err := cut.Solve(f, a, opt); err != nil && !errors.As(err, &input) {
				t.Errorf("%s, instance %d: %s, cut short: %v", c.name, seed, a.Name, err)
			}
			f.end()
		}
	}
	slices.Reverse(list)
	for _, a := range list {
		if got := told(cut, t, a, opt); got != want[a.Name] {
			t.Errorf("%s, instance %d: after limits have cut algorithms short, %s finds\n%.2000s\nelse\n%.2000s",
				c.name, seed, a.Name, got, want[a.Name])
		}
	}
}

// told is the full outcome of an algorithm as text.
func told(o *engine.Opened, t *testing.T, a solver.Algorithm, opt solver.Options) string {
	t.Helper()
	v, err := o.Solve(t.Context(), a, opt)
	if err != nil {
		return err.Error()
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v.Outcome); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(&b, o.Guarantee(v))
	return b.String()
}
