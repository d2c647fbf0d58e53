package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestPatiently: work that does not look at its context is left behind after a while; other work may end in peace.
func TestPatiently(t *testing.T) {
	failed := errors.New("failed")
	for _, x := range []struct {
		work, took time.Duration // the signal comes after a second
		err        error
	}{{500 * time.Millisecond, 500 * time.Millisecond, failed}, {4 * time.Second, 4 * time.Second, failed},
		{time.Hour, 5 * time.Second, ErrInterrupted}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			time.AfterFunc(time.Second, cancel)
			begin := time.Now()
			err := Patiently(ctx, 4*time.Second, func() error { time.Sleep(x.work); return failed })
			if took := time.Since(begin); err != x.err || took != x.took {
				t.Errorf("work of %v: %v after %v, expected %v after %v", x.work, err, took, x.err, x.took)
			}
			time.Sleep(x.work) // until all has ended
		})
	}
}
