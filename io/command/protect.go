package command

import (
	"fmt"
	"runtime/debug"
)

// panicked is a panic as an error.
type panicked struct {
	what  any
	stack []byte
}

func (e *panicked) Error() string { return fmt.Sprint(e.what) }

// protect turns a panic into an error.
func protect(err *error) {
	if r := recover(); r != nil {
		*err = &panicked{r, debug.Stack()}
	}
}
