package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func never(string) bool { return false }

func opened(t rapid.TB, dir string, done func(string) bool) *Attempts {
	t.Helper()
	a, err := OpenAttempts(dir, 1, 1, done)
	must(t, err)
	return a
}

// die ends a process like SIGKILL: nothing more is written, and its lock is released.
func (a *Attempts) die(t rapid.TB) {
	t.Helper()
	must(t, a.log.Close())
}

// told lists the suspicions as sorted text: a2 for two deaths, a2! if a was alone in one of them.
func (a *Attempts) told() string {
	var list []string
	for id, s := range a.suspects {
		text := fmt.Sprint(id, s.Times)
		if s.Alone {
			text += "!"
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// played executes a line of words: +a begins a, -a ends it, "left" releases and closes, "dies" dies, "open" opens. The
// result ends with the suspects.
func played(t rapid.TB, dir string, words []string, done func(string) bool) string {
	t.Helper()
	var a *Attempts
	for _, word := range words {
		if a == nil {
			a = opened(t, dir, done)
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
		a = opened(t, dir, done)
	}
	defer a.die(t)
	return a.told()
}

func TestAttempts(t *testing.T) {
	for _, c := range []struct{ words, want string }{
		{"", ""},
		{"+a -a dies", ""},
		{"+a dies", "a1!"},
		{"+a +b dies", "a1 b1"},
		{"+a +b -a dies", "b1!"},
		{"+a +b left", ""},                          // told to end
		{"+a +b dies +a dies", "a2! b1"},            // a alone
		{"+a +b dies +b -b +a dies", "a2!"},         // the guilty one alone is counted twice
		{"+a +b dies +a +c dies", "a2 b1 c1"},       // next to another one, which nothing prevents here
		{"+a dies +a left", "a1!"},                  // a deliberate end counts nothing, and forgives nothing
		{"+a dies +a left +a dies", "a2!"},          //
		{"+a dies +a dies +a -a left", ""},          // it ended after all
		{"+a dies -a", ""},                          // given up
		{"+a dies -a +a dies", "a1!"},               // and tried again, which counts anew
		{"+a dies +b -b dies dies", "a1!"},          // deaths while nothing is under way
		{"+a dies +x +y left +a +z dies", "a2! z1"}, //
	} {
		if got := played(t, t.TempDir(), strings.Fields(c.words), never); got != c.want {
			t.Errorf("%s: %s, want %s", c.words, got, c.want)
		}
	}
	if got := played(t, t.TempDir(), []string{"+a", "+b", "dies"}, func(id string) bool { return id == "a" }); got !=
		"b1" {
		t.Errorf("a has a row: %s", got)
	}
}

// TestAttemptsFile: the log exists while a process works; afterwards only if it has entries to keep.
func TestAttemptsFile(t *testing.T) {
	dir := t.TempDir()
	path := logFile(dir, Begun, 1, 1)
	exists := func() bool {
		_, err := os.Stat(path)
		return err == nil
	}
	a := opened(t, dir, never)
	if err := errors.Join(a.Begin("a"), a.Begin("b"), a.End("a")); err != nil || !exists() {
		t.Error(err)
	}
	var locked *LockedError
	if _, err := OpenAttempts(dir, 1, 1, never); !errors.As(err, &locked) {
		t.Errorf("a second process: %v", err)
	}
	if err := errors.Join(a.Release(), a.Begin("c"), a.End("b"), a.Close()); err != nil || exists() {
		t.Errorf("%v, there: %t", err, exists())
	}
	if got := played(t, dir, []string{"+a", "dies", "+b", "left"}, never); got != "a1!" || !exists() {
		t.Errorf("%s, there: %t", got, exists())
	}
	if a := opened(t, dir, func(string) bool { return true }); a.Close() != nil || exists() {
		t.Error("what was noted about a run that is done is still there")
	}
	a = opened(t, dir, never)
	must(t, os.Remove(path))
	if err := a.Begin("a"); err == nil || !strings.Contains(err.Error(), "was removed") {
		t.Errorf("a log that somebody removed: %v", err)
	}
	if err := a.Release(); err != nil {
		t.Error(err)
	}
	a.die(t)
}

// TestAttemptsOnFullDisk: an intended end is no death, even if it cannot be recorded.
func TestAttemptsOnFullDisk(t *testing.T) {
	for _, before := range [][]string{{}, {"+b", "dies"}} {
		dir := t.TempDir()
		want := played(t, dir, before, never)
		a := opened(t, dir, never)
		must(t, a.Begin("a"))
		a.log.mu.Lock()
		a.log.err = os.ErrInvalid // as of a write without space
		a.log.mu.Unlock()
		if err := a.End("b"); err == nil {
			t.Error("the error is lost")
		}
		a.suspects["foreign"] = Suspicion{} // so that the log cannot be removed
		if err := a.Release(); err != nil {
			t.Error(err)
		}
		a.die(t)
		if got := played(t, dir, nil, never); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAttemptsTorn: a process may die within any line. All earlier lines count; a run without a complete begin line was
// not begun.
func TestAttemptsTorn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "begun")
		must(t, err)
		defer os.RemoveAll(dir)
		suspects := map[string]Suspicion{}
		for range rapid.IntRange(1, 4).Draw(t, "processes") {
			under := process(t, dir, suspects)
			for id := range under {
				suspects[id] = Suspicion{suspects[id].Times + 1, suspects[id].Alone || len(under) == 1}
			}
		}
		a := opened(t, dir, never)
		defer a.die(t)
		want := (&Attempts{suspects: suspects}).told()
		if got := a.told(); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	})
}

// process works on some runs, ends in any way, and perhaps tears its last line; it returns the runs under way, without
// that of the torn line. suspects are those known before.
func process(t *rapid.T, dir string, suspects map[string]Suspicion) map[string]bool {
	a := opened(t, dir, never)
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

// TestFailed: rows of errors come in the requested order, with the files that hold the rest.
func TestFailed(t *testing.T) {
	p := mustPlan(t, spec(`{"generate":"line","seeds":{"from":1,"to":5}}`, `"b"`, ``))
	dir := t.TempDir()
	rows := make([][]*Row, 2)
	var ids []string
	for i, run := range p.Runs() {
		r := finished(p, run, "1", "1")
		if i > 0 {
			r.Status, r.Note = StatusError, fmt.Sprint("note ", i)
		}
		rows[i%2] = append(rows[i%2], r)
		ids = append(ids, run.ID)
	}
	write(t, dir, p, rows...)
	for _, c := range []struct {
		most int
		want string
	}{
		{9, "note 1, note 2, note 3, note 4; "},
		{3, "note 1, note 2, note 3; rows-1-of-2.jsonl"},
		{1, "note 1; rows-1-of-2.jsonl rows-2-of-2.jsonl"},
	} {
		first, rest, err := Failed(dir, append(ids, "none"), c.most)
		must(t, err)
		var notes []string
		for _, r := range first {
			notes = append(notes, r.Note)
		}
		for i := range rest {
			rest[i] = filepath.Base(rest[i])
		}
		if got := strings.Join(notes, ", ") + "; " + strings.Join(rest, " "); got != c.want {
			t.Errorf("%d: %s, want %s", c.most, got, c.want)
		}
	}
}

// TestLongLineAmongEvents: a damaged long line does not hide the deaths after it.
func TestLongLineAmongEvents(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(logFile(dir, Begun, 1, 1), []byte(strings.Repeat("\x00", 3*maxEvent)+"\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	if got := played(t, dir, []string{"+a", "dies", "+a", "dies"}, never); got != "a2!" {
		t.Error(got)
	}
}
