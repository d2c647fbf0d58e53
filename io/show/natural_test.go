package show

import (
	"slices"
	"testing"
)

func TestNatural(t *testing.T) {
	got := []string{"m10", "m2", "m1", "a", "m2x", "m02", "", "é", "m1/r10", "m1/r9"}
	slices.SortStableFunc(got, Natural)
	if want := []string{"", "a", "m1", "m1/r9", "m1/r10", "m02", "m2", "m2x", "m10", "é"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
