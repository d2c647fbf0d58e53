package run

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func opened(t rapid.TB, dir string) *Deaths {
	t.Helper()
	d, err := OpenBegun(logFile(dir, Begun, 1, 1), someRuns)
	must(t, err)
	return d
}

// someRuns are those whose deaths count.
var someRuns = []Run{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}}

// die ends a process like SIGKILL: nothing more is written, and its lock is released.
func (d *Deaths) die(t rapid.TB) {
	t.Helper()
	must(t, d.log.Close())
}

// told lists the deaths as sorted text: a2 for two during a.
func told(of map[string]int) string {
	var list []string
	for id, n := range of {
		list = append(list, fmt.Sprint(id, n))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// played executes a line of words: +a begins a, -a ends it, "left" releases and closes, "dies" dies, "open" opens. The
// result is what the next process is told.
func played(t rapid.TB, dir string, words []string) string {
	t.Helper()
	var a *Deaths
	for _, word := range words {
		if a == nil {
			a = opened(t, dir)
		}
		var err error
		switch {
		case word == "dies":
			a.die(t)
			a = nil
		case word == "left":
			err, a = a.Close(), nil
		case word[0] == '+':
			err = a.Begin(word[1:])
		case word[0] == '-':
			err = a.End(word[1:])
		}
		if err != nil {
			t.Fatal(word, err)
		}
	}
	if a == nil {
		a = opened(t, dir)
	}
	defer a.die(t)
	return told(a.of)
}

func TestDeaths(t *testing.T) {
	for _, c := range []struct{ words, want string }{
		{"", ""},
		{"+a -a dies", ""},
		{"+a dies", "a1"},
		{"+a +b dies", "a1 b1"},
		{"+a +b -a dies", "b1"},
		{"+a +b left", ""}, // told to end
		{"+a +b dies +a dies", "a2 b1"},
		{"+a +b dies +b -b +a dies", "a2"},
		{"+a dies +a left", "a1"}, // a deliberate end counts nothing, and forgives nothing
		{"+a dies +a left +a dies", "a2"},
		{"+a dies +a dies +a -a left", ""}, // it ended after all
		{"+a dies -a", ""},                 // given up
		{"+a dies -a +a dies", "a1"},       // and tried again, which counts anew
		{"+a dies +b -b dies dies", "a1"},  // deaths while nothing is under way
		{"+a dies +c +d left +a +b dies", "a2 b1"},
		{"+x dies", ""}, // which has a row by now
	} {
		if got := played(t, t.TempDir(), strings.Fields(c.words)); got != c.want {
			t.Errorf("%s: %s, want %s", c.words, got, c.want)
		}
	}
}

// TestEarlierBegun: a log of an earlier version, which noted when processes began and what they left on purpose.
func TestEarlierBegun(t *testing.T) {
	dir := t.TempDir()
	log, err := OpenLog(logFile(dir, Begun, 1, 1))
	must(t, err)
	for _, e := range []event{{Event: "open"}, {eventBegun, "a", 0}, {eventBegun, "b", 0}, {"left", "b", 0}} {
		must(t, log.Append(e))
	}
	must(t, log.Close())
	if got := played(t, dir, nil); got != "a1" {
		t.Error(got)
	}
}

// TestBegunFile: the log exists while a process works; afterwards only if it has entries to keep.
func TestBegunFile(t *testing.T) {
	dir := t.TempDir()
	path := logFile(dir, Begun, 1, 1)
	exists := func() bool {
		_, err := os.Stat(path)
		return err == nil
	}
	a := opened(t, dir)
	if err := errors.Join(a.Begin("a"), a.Begin("b"), a.End("a")); err != nil || !exists() {
		t.Error(err)
	}
	var locked *LockedError
	if _, err := OpenBegun(path, nil); !errors.As(err, &locked) {
		t.Errorf("a second process: %v", err)
	}
	if err := errors.Join(a.Release(), a.Begin("c"), a.End("b"), a.Close()); err != nil || exists() {
		t.Errorf("%v, there: %t", err, exists())
	}
	if got := played(t, dir, []string{"+a", "dies", "+b", "left"}); got != "a1" || !exists() {
		t.Errorf("%s, there: %t", got, exists())
	}
	if a, err := OpenBegun(path, nil); err != nil || a.Close() != nil || exists() {
		t.Error("what was noted about a run that is done is still there")
	}
	a = opened(t, dir)
	must(t, os.Remove(path))
	if err := a.Begin("a"); err == nil || !strings.Contains(err.Error(), "was removed") {
		t.Errorf("a log that somebody removed: %v", err)
	}
	if err := a.Release(); err != nil {
		t.Error(err)
	}
	a.die(t)
}

// TestBegunOnFullDisk: an intended end is no death, even if it cannot be recorded.
func TestBegunOnFullDisk(t *testing.T) {
	for _, before := range [][]string{{}, {"+b", "dies"}} {
		dir := t.TempDir()
		want := played(t, dir, before)
		a := opened(t, dir)
		must(t, a.Begin("a"))
		a.log.mu.Lock()
		a.log.err = os.ErrInvalid // as of a write without space
		a.log.mu.Unlock()
		if err := a.Begin("c"); err == nil {
			t.Error("the error is lost")
		}
		a.log.Unlocked = true // so that the log is not removed
		if err := a.Release(); err != nil {
			t.Error(err)
		}
		a.die(t)
		if got := played(t, dir, nil); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestBegunTorn: a process may die within any line. All earlier lines count; a run without a complete begin line was
// not begun.
func TestBegunTorn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "begun")
		must(t, err)
		defer os.RemoveAll(dir)
		suspects := map[string]int{}
		for range rapid.IntRange(1, 4).Draw(t, "processes") {
			under := process(t, dir, suspects)
			for id := range under {
				suspects[id]++
			}
		}
		a := opened(t, dir)
		defer a.die(t)
		if got, want := told(a.of), told(suspects); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	})
}

// process works on some runs, ends in any way, and perhaps tears its last line; it returns the runs under way, without
// that of the torn line. suspects are those known before.
func process(t *rapid.T, dir string, suspects map[string]int) map[string]bool {
	a := opened(t, dir)
	under := map[string]bool{}
	for range rapid.IntRange(0, 6).Draw(t, "events") {
		id := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "id")
		var err error
		if under[id] {
			err = a.End(id)
			delete(under, id)
			delete(suspects, id)
		} else {
			err = a.Begin(id)
			under[id] = true
		}
		must(t, err)
	}
	switch rapid.SampledFrom([]string{"dies", "left", "torn"}).Draw(t, "end") {
	case "left":
		must(t, a.Close())
		return nil
	case "torn":
		last := "z" // of no other run
		must(t, a.Begin(last))
		size, err := a.log.f.Seek(0, 2)
		must(t, err)
		must(t, a.log.f.Truncate(size-int64(rapid.IntRange(1, 20).Draw(t, "torn"))))
	}
	a.die(t)
	return under
}

// TestLongLineAmongEvents: a damaged long line does not hide the deaths after it.
func TestLongLineAmongEvents(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(logFile(dir, Begun, 1, 1), []byte(strings.Repeat("\x00", 3*maxEvent)+"\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	if got := played(t, dir, []string{"+a", "dies", "+a", "dies"}); got != "a2" {
		t.Error(got)
	}
}
