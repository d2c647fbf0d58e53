package cli

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"mrsched/io/artifact"
	"mrsched/io/engine"
	"mrsched/io/textpos"
	"mrsched/io/workload"
	"mrsched/model"
)

// readGrace is how long a workload may still be read after a signal: longer than any that is there takes, so that there
// is a result; but a named pipe without a writer blocks for ever, and a packed file may take long to unpack.
const readGrace = 3 * time.Second

// readWorkload reads a workload as workload.Read does and prints which rows it skipped. If a signal comes and reading
// goes on for readGrace, the error is that of the context; what still reads ends with the process.
func (s *session) readWorkload(c *cli.Context, path string) (*model.Workload, error) {
	if err := artifact.Expect(path, artifact.ArgInstance); err != nil {
		return nil, err
	}
	var w *model.Workload
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer engine.Protect(&err) // a panic here would end the other instances of a call
		w, err = workload.Read(path, s.stdin, readOptions(c))
	}()
	select {
	case <-done:
	case <-c.Context.Done():
		select {
		case <-done:
		case <-time.After(readGrace):
			return nil, c.Context.Err()
		}
	}
	if err == nil && !c.Bool(flagQuiet.Name) {
		for _, line := range w.Skipped {
			fmt.Fprintf(s.stderr, "note: %s: %s\n", textpos.Visible(artifact.Titled(path)), textpos.Visible(line))
		}
	}
	return w, err
}
