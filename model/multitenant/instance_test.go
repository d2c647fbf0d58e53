package multitenant

import (
	"errors"
	"testing"

	"mrsched/model"
)

// TestReducesFromNowhere: reduces of a job without maps process its intermediate_bytes, which must be stated.
func TestReducesFromNowhere(t *testing.T) {
	build := func(bytes model.Optional[model.Bytes]) (*Instance, error) {
		b := model.NewBuilder()
		b.Scalars("", "multitenant", model.Some(int64(2)), nil)
		b.Job(model.Job{ID: "j", Reduces: model.Some(int64(2)), ReduceRate: model.Some(1e6), IntermediateBytes: bytes},
			model.Locus{})
		w, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return New(w, Options{})
	}
	in, err := build(model.Some(model.Bytes(6e6)))
	if err != nil {
		t.Fatal(err)
	}
	if got := in.Compute(1, 0); got != 3*model.Second { // 3 MB each at 1 MB/s
		t.Errorf("a reduce computes %s s, not 3", got)
	}
	var input *model.InputError
	if _, err = build(model.Optional[model.Bytes]{}); !errors.As(err, &input) || len(input.Findings) != 1 ||
		input.Findings[0].Code != model.CodeJobData {
		t.Errorf("without bytes: %v", err)
	}
}
