//go:build !race

package campaign

// residentMargin belongs to the margins of leaks_test.go. Resident memory is fragmented, and the holes move.
const residentMargin = 24 << 20
