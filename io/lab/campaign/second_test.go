package campaign

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"mrsched/model"
)

// secondChecker is a script that prints what deploy/verify finds wrong with each result that it is told of, as JSON.
const secondChecker = `
import json, sys
sys.dont_write_bytecode = True
sys.setrecursionlimit(100000)
sys.path.insert(0, sys.argv[1])
from check import verdict
for line in sys.stdin:
    try:
        found = verdict(*line.rstrip("\n").split("\t")).found
    except Exception as e:
        found = [("none", "no verdict: %r" % e)]
    print(json.dumps([{"Code": code, "What": what} for code, what in found]), flush=True)
`

// second is a process of the second checker, which was written from the documents and shares no code with check.
type second struct {
	t    testing.TB
	in   io.Writer
	out  *bufio.Reader
	seen int // results that it has judged
}

func newSecond(t testing.TB) *second {
	t.Helper()
	c := exec.Command("python3", "-c", secondChecker, "../../../deploy/verify")
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	out, err2 := c.StdoutPipe()
	noError(t, errors.Join(err, err2, c.Start()))
	t.Cleanup(func() { noError(t, errors.Join(in.Close(), c.Wait())) })
	return &second{t: t, in: in, out: bufio.NewReader(out)}
}

// judge is what the second checker finds wrong with a result.
func (s *second) judge(instance, result string) (found []model.Violation) {
	s.t.Helper()
	s.seen++
	_, err := fmt.Fprintf(s.in, "%s\t%s\n", instance, result)
	line, err2 := s.out.ReadBytes('\n')
	noError(s.t, errors.Join(err, err2))
	noError(s.t, json.Unmarshal(line, &found))
	return found
}
