//go:build !race

package campaign

// residentMargin belongs to the margins of leaks_test.go. Resident memory has holes, which move.
const residentMargin = 24 << 20
