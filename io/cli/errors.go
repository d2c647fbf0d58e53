package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"mrsched/io/engine"
)

// interruption is a context that ends with the first SIGINT, SIGTERM or SIGHUP; nohup keeps its meaning. A second
// signal ends the program at once.
func interruption() (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// writeErrors turns two signals into errors of writing, so that they do not end the program in the middle of its work:
// a reader of standard output that went away (SIGPIPE), and a file that exceeds its limit (SIGXFSZ). restore undoes it.
func writeErrors() (restore func()) {
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE, syscall.SIGXFSZ)
	return func() { signal.Stop(unread) }
}

// outlet is standard output: it remembers that something could not be written, so that no print goes wrong unnoticed.
type outlet struct {
	w   io.Writer
	err error
}

// Unwrap is the writer below.
func (o *outlet) Unwrap() io.Writer { return o.w }

// Write writes, unless that failed before.
func (o *outlet) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

// exitPipe is how shells call the end by SIGPIPE.
const exitPipe = 141

// judge combines a command's error with that of its output. If a reader such as head closed the pipe, the code
// is 141, without a message.
func (o *outlet) judge(err error) error {
	switch {
	case o.err == nil:
		return err
	case errors.Is(o.err, syscall.EPIPE) && (err == nil || errors.Is(err, syscall.EPIPE)):
		return &engine.ExitError{Code: exitPipe}
	case err == nil:
		return o.err
	}
	return err
}
