// Package heap holds binary heaps. [Heap] is for hot loops: it orders indices by a key, and the compiler inlines the
// comparisons. [By] orders anything by a function.
package heap
