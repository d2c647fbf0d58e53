package model

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// built is the workload of a builder that has no findings.
func built(t rapid.TB, b *Builder) *Workload {
	t.Helper()
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// codes are the codes of an input error, sorted; none without an error.
func codes(t *testing.T, err error) (list []Code) {
	t.Helper()
	var input *InputError
	if err != nil && !errors.As(err, &input) {
		t.Fatalf("error %v, want an *InputError", err)
	}
	if err != nil {
		for _, f := range input.Findings {
			list = append(list, f.Code)
		}
	}
	slices.Sort(list)
	return list
}

func second(n Time) Optional[Time] { return Some(n * Second) }
