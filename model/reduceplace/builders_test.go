package reduceplace

import (
	"errors"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"mrsched/model"
)

// built builds the workload that fill describes.
func built(t rapid.TB, fill func(b *model.Builder)) *model.Workload {
	t.Helper()
	b := model.NewBuilder()
	fill(b)
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func opened(t rapid.TB, o Options, fill func(b *model.Builder)) *Instance {
	t.Helper()
	in, err := New(built(t, fill), o)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// refused returns the codes of New's findings.
func refused(t rapid.TB, o Options, fill func(b *model.Builder)) []model.Code {
	t.Helper()
	_, err := New(built(t, fill), o)
	var input *model.InputError
	if err != nil && !errors.As(err, &input) {
		t.Fatal(err)
	}
	var codes []model.Code
	if err != nil {
		for _, f := range input.Findings {
			codes = append(codes, f.Code)
		}
	}
	return codes
}

// expectRefused requires that New has findings of these codes only.
func expectRefused(t rapid.TB, name string, o Options, fill func(b *model.Builder), want ...model.Code) {
	t.Helper()
	if got := refused(t, o, fill); !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// slots adds slots s0, s1, … of these costs.
func slots(b *model.Builder, cost ...float64) {
	for s, c := range cost {
		b.ReduceSlot(model.ReduceSlot{ID: fmt.Sprint("s", s), Cost: model.CostOf(c)}, model.Locus{})
	}
}

// addJob adds a job that states all that an instance needs.
func addJob(b *model.Builder, id string, at, work model.Time, reduces int64, bytes model.Bytes) {
	b.Job(model.Job{ID: id, Weight: model.UnitWeight, Release: at, MapWork: model.Some(work),
		Reduces: model.Some(reduces), IntermediateBytes: model.Some(bytes)}, model.Locus{})
	if reduces == 0 {
		b.Task(model.Task{ID: id + "-m"}, id, "", model.Locus{})
	}
}

// oneJob adds a job of one reduce.
func oneJob(b *model.Builder) { addJob(b, "j", 0, model.Second, 1, 1) }
