package solve

import "syscall"

// peakMiB is the largest resident set of this process so far.
func peakMiB() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Maxrss) / 1024 // Linux counts KiB
}
