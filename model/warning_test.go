package model

import (
	"fmt"
	"strings"
	"testing"
)

// TestAllLong tests times on both sides of half a day.
func TestAllLong(t *testing.T) {
	for _, c := range []struct {
		seconds []Time
		want    int
	}{{[]Time{43199, 43200, 43200}, 1}, {[]Time{43199, 43199, 43200}, 0}, {[]Time{43200, 43200}, 0}} {
		b := NewBuilder()
		b.Job(Job{ID: "j"}, Locus{})
		for i, p := range c.seconds {
			b.Task(Task{ID: fmt.Sprint(i), Processing: Some(p * Second)}, "j", "", Locus{})
		}
		if found := built(t, b).allLong(); len(found) != c.want {
			t.Errorf("%v: %v", c.seconds, found)
		}
	}
}

// TestFar tests deadlines of 30 days and of the length of a task, and releases of five days, on both sides.
func TestFar(t *testing.T) {
	const day = DaySeconds * Second
	for _, c := range []struct {
		release, deadline Time
		want              []Code
	}{{5 * day, 30 * day, nil}, {5*day + 1, Second, []Code{CodeFarRelease}}, {0, 30*day + 1, []Code{CodeLoose}},
		{0, Second - 1, []Code{CodeHopeless}}} {
		b := NewBuilder()
		b.Job(Job{ID: "j", Release: c.release, Deadline: Some(c.deadline), Weight: UnitWeight}, Locus{})
		b.Task(Task{ID: "m", Processing: Some(Time(Second))}, "j", "", Locus{})
		var codes []Code
		for _, w := range built(t, b).Warnings() {
			codes = append(codes, w.Code)
		}
		if fmt.Sprint(codes) != fmt.Sprint(c.want) {
			t.Errorf("%v: %v", c, codes)
		}
	}
}

// TestSmallMemory warns of memory that is no plausible number of bytes, and suggests its unit.
func TestSmallMemory(t *testing.T) {
	for memory, hint := range map[Bytes]string{4: "4GB", 1024: "1024GB", 4096: "4096MB", 999_999: "999999MB",
		1_000_000: "", 0: ""} {
		b := NewBuilder()
		b.Job(Job{ID: "j"}, Locus{})
		b.Task(Task{ID: "m", MemoryBytes: Some(memory)}, "j", "", Locus{})
		w := built(t, b)
		found := w.smallMemory()
		if (len(found) == 0) != (hint == "") || hint != "" && !strings.HasSuffix(found[0].Hint, "write the unit: "+hint) {
			t.Errorf("%s: %v", memory, found)
		}
	}
}
