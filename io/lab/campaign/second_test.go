package campaign

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// certificateChecker is a script that prints what the second checker derives from a certificate for the instance of a
// result, and what the certificate states.
const certificateChecker = `
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from check import *
rep, text = Report(), open(sys.argv[4], "rb").read()
res = Result(sys.argv[3], rep)
m = model_of(rep, Workload(sys.argv[2]), res)
cert = read(text, res.doc.problem, m.known.get(m.goal, m.known), m.sizes())
m.method = cert.method
print(Fraction(import_module(res.doc.problem).proven(m, cert)), cert.value)
`

// TestSecondOnExamples: the second checker derives what the worked examples of certificates state.
func TestSecondOnExamples(t *testing.T) {
	paths, err := filepath.Glob("../../../testdata/certificates/*/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no certificates", err)
	}
	for _, path := range paths {
		words := strings.Split(filepath.Base(path), ".")
		if words[0] == "workload" {
			continue
		}
		w, dir := filepath.Join(filepath.Dir(path), "workload.json"), filepath.Join(t.TempDir(), "r")
		args := quiet("solve", w, "-o", dir)
		if len(words) == 3 {
			args = append(args, "--objective", words[1])
		}
		must(t, args...)
		out, err := exec.Command("python3", "-c", certificateChecker, "../../../deploy/verify", w, dir, path).CombinedOutput()
		if values := strings.Fields(string(out)); err != nil || len(values) != 2 || values[0] != values[1] {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
}

// TestSecondOnUnused: what states the bytes of a job without reduces is unused, since nothing fetches them.
func TestSecondOnUnused(t *testing.T) {
	dir := t.TempDir()
	w, r := filepath.Join(dir, "w.json"), filepath.Join(dir, "r")
	noError(t, os.WriteFile(w, []byte(`{"format":"mrsched-workload/1","problem":"reduceplace",
		"jobs":[{"id":"a","map_work":2,"intermediate_bytes":7},{"id":"b","map_work":2,"shuffle_ratio":2},
			{"id":"c","map_work":2},{"id":"d","reduces":1,"map_work":3}],
		"tasks":[{"id":"a.m","job":"a","kind":"map"},{"id":"b.m","job":"b","kind":"map","input_bytes":5},
			{"id":"c.m","job":"c","kind":"map","output_bytes":5},{"id":"d.r","job":"d","kind":"reduce","input_bytes":5}],
		"slots":[{"id":"s1","cost":1}]}`), 0o600))
	must(t, quiet("solve", w, "-o", r)...)
	text, err := os.ReadFile(filepath.Join(r, "result.json"))
	noError(t, err)
	unused := strings.Join(strings.Fields(string(text)), "")
	if found := newSecond(t).judge(w, r); len(found) > 0 || !strings.Contains(unused,
		`"unused":["jobs.intermediate_bytes","jobs.shuffle_ratio","tasks.output_bytes"]`) {
		t.Errorf("%v\n%s", found, text)
	}
}

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
