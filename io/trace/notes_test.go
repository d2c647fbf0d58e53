package trace

import (
	"slices"
	"testing"
)

// TestNotesCount: one thing and several have their own words, and none has no sentence.
func TestNotesCount(t *testing.T) {
	var notes Notes
	for n := range 3 {
		notes.Count(n, "task", "of {a job|jobs} {is|are} left out")
	}
	if want := (Notes{"1 task of a job is left out", "2 tasks of jobs are left out"}); !slices.Equal(notes, want) {
		t.Errorf("%q; want %q", notes, want)
	}
}
