package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// told lists deaths as sorted text: a2 for two during a.
func told(of map[string]int) string {
	var list []string
	for id, n := range of {
		if n > 0 {
			list = append(list, fmt.Sprint(id, n))
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// played executes words in a shard's log: +a begins a, -a gives it a row, "left" is an end on purpose, "dies" one like
// SIGKILL. The result is what the next process is told.
func played(t *testing.T, words []string) string {
	t.Helper()
	dir := t.TempDir()
	path := logFile(dir, 1, 1)
	var u *underWay
	closed := func() {
		must(t, u.log.Close())
		u = nil
	}
	for _, word := range append(words, "dies") {
		if u == nil {
			log, err := OpenLog(path)
			must(t, err)
			u = &underWay{log: log, runs: map[string]bool{}}
		}
		switch {
		case word == "dies":
			closed()
		case word == "left":
			must(t, u.release())
			must(t, u.begin("after"))
			closed()
		case word[0] == '+':
			must(t, u.begin(word[1:]))
		case word[0] == '-':
			must(t, u.log.Append(&Row{ID: word[1:], Status: model.StatusFeasible}))
			u.end(word[1:])
		}
	}
	l, err := openLogs(dir)
	must(t, err)
	defer l.close()
	if l.damaged > 0 || len(l.deaths(logFile(dir, 2, 2))) > 0 {
		t.Error(l)
	}
	return told(l.deaths(path))
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
	} {
		if got := played(t, strings.Fields(c.words)); got != c.want {
			t.Errorf("%s: %s, want %s", c.words, got, c.want)
		}
	}
}
