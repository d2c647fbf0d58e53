package model

import "testing"

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 reduce slots", 1: "1 reduce slot", 2: "2 reduce slots",
		-1: "-1 reduce slots"} {
		if got := Counted(n, "reduce slot"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := Plural(2, "capacity") + " " + Plural(2, "key") + " " + Plural(2, "day"); got != "capacities keys days" {
		t.Errorf("%q", got)
	}
	if got := Are(1) + " " + Are(0) + " " + Are(2); got != "is are are" {
		t.Errorf("%q", got)
	}
	if got := Counted(int32(1), "map") + ", " + Plural(int64(3), "map"); got != "1 map, maps" {
		t.Errorf("%q", got)
	}
}
