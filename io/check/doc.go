// Package check checks results against their instances: one result, a directory of them, or what one call of solve
// wrote for several instances.
package check
