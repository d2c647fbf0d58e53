package solve

import (
	"fmt"
	"io"
	"syscall"
	"time"
)

// Took prints how long a call took since its beginning, and its memory.
func Took(begin time.Time, stderr io.Writer, quiet bool) {
	if !quiet {
		fmt.Fprintf(stderr, "%.2f s in all, %.0f MiB\n", time.Since(begin).Seconds(), peakMiB())
	}
}

// peakMiB is the largest resident set of this process so far.
func peakMiB() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Maxrss) / 1024 // Linux counts KiB
}
