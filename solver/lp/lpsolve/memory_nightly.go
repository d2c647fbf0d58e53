//go:build nightly

package lpsolve

// #include <malloc.h>
import "C"

// Allocated gives unused memory of the C heap back to the system and returns how many bytes of it are in use, for
// campaigns that look for leaks.
func Allocated() int64 {
	C.malloc_trim(0)
	info := C.mallinfo2()
	return int64(info.uordblks + info.hblkhd)
}
