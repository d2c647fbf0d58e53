//go:build !campaign

package cli

// Numbers of random instances of every case: of the matrix; how many of them are recorded; how many are solved again
// after algorithms that were cut short.
const matrixEach, recordedEach, cutEach = 4, 4, 2
