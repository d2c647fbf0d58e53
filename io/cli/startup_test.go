package cli

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Limits on allocations at the start of the program. Unlike time, they are the same in every run.
const (
	maxInitBytes = 96 << 10  // by the initialisation of one package of mrsched
	maxOwnBytes  = 224 << 10 // by that of all of them together
	maxAppBytes  = 2 << 20   // by making the commands
)

var initLine = regexp.MustCompile(`^init (\S+) @\S+ ms, \S+ ms clock, (\d+) bytes, (\d+) allocs$`)

// TestInitialisation: packages build their tables on first use, not at the start.
func TestInitialisation(t *testing.T) {
	cmd := exec.Command("mrsched", "--version") // TestMain put it into PATH
	cmd.Env = append(cmd.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	own, seen := 0, 0
	for line := range strings.Lines(trace.String()) {
		m := initLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		seen++
		n, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(m[1], "mrsched/") {
			continue
		}
		if own += n; n > maxInitBytes {
			t.Errorf("%s allocates %d bytes", m[1], n)
		}
	}
	if seen == 0 {
		t.Skip("this Go has no inittrace")
	}
	if own > maxOwnBytes {
		t.Errorf("mrsched's own packages allocate %d bytes", own)
	}
}

// TestAppIsSmall bounds the cost of every call before it reads its arguments.
func TestAppIsSmall(t *testing.T) {
	r := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			(&session{}).app()
		}
	})
	if n := r.AllocedBytesPerOp(); n > maxAppBytes {
		t.Errorf("making the commands allocates %d bytes", n)
	}
}
