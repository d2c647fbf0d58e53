package engine

import (
	"fmt"
	"runtime/debug"
)

// Panicked is a panic as an error.
type Panicked struct {
	What  any
	Stack []byte
}

func (e *Panicked) Error() string { return fmt.Sprint(e.What) }

// Protect turns a panic into an error.
func Protect(err *error) {
	if r := recover(); r != nil {
		*err = &Panicked{r, debug.Stack()}
	}
}
