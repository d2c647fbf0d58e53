package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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

// where lists the codes of an input error with their positions, a comma between two.
func where(t *testing.T, err error) string {
	t.Helper()
	var list []string
	if input, ok := errors.AsType[*InputError](err); ok {
		for _, f := range input.Findings {
			list = append(list, fmt.Sprint(f.Code, " ", f.Pos))
		}
	}
	return strings.Join(list, ", ")
}

// columns locates the rows of a file by its line, and its columns by their names, from the first on.
func columns(file string, line int32, names ...string) Locus {
	return Locus{Pos: Position{file, line, 9}, Column: func(c string) Position {
		return Position{file, line, int32(slices.Index(names, c)) + 1}
	}}
}

func second(n Time) Optional[Time] { return Some(n * Second) }
