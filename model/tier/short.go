//go:build !nightly

package tier

// Nightly says that tests try all they can.
const Nightly = false

const scale = 1
