package batch

import (
	"compress/gzip"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
	"mrsched/model/shop"
)

// TestSWFRules is worked by hand. The origin is 2026-10-24T20:00 of Berlin, before clocks are put back, plus the
// 100 s of the first submission. 3 began at 160 s of the log; 1 had ended at 165 s, and 3 was to wait 45 s more.
func TestSWFRules(t *testing.T) {
	w := golden.Must(t)(ImportSWF(golden.Files(t, data+"swf", "log.swf")[0], Options{}))
	golden.Same(t, w, `log for "cluster": 7 tasks, 0 delays, 0 machines
1 at 0 s, ended at 65 s of 7
  map 1 60 s, 4 cores on machine
2 at 3 s, ended at 33.5 s of 8
  map 2 30.5 s, 2 cores on machine
3 at 10 s, ended at 160 s
  map 3 100 s, 8 cores on machine
6 at 30 s, ended at 250 s of 7
  map 6 20 s, 1 cores on machine
7 at 40 s, ended at 300 s
  map 7 40 s, 2 cores on machine
8 at 50 s, ended at 460 s
  map 8 10 s, 1 cores on machine
8#2 at 500 s, ended at 505 s
  map 8#2 5 s, 1 cores on machine
root root 0+0
node machine 0+0, 8 cores
imported from SWF: 7 jobs that ran, of 11 lines
time 0 is the first submission, 2026-10-24T20:01:40+02:00[Europe/Berlin]; a job is released when it was submitted
a partition is a node, with as many CPUs as the file states unless --cpu says so: machine 8
2 lines of jobs that did not run are left out
2 lines about parts of runs are left out: others sum the runs up
1 run of requeued jobs is a job, named JOB#2 and so on
1 job without allocated CPUs takes those asked for, or one
1 job waits for a preceding one, and the think time after its end
1 job waits for nothing, as the preceding one did not run
`)
	in, err := shop.New(w)
	if err != nil {
		t.Fatal(err)
	}
	if in, s := in.Recorded(); s == nil || len(in.Check(s)) == 0 {
		t.Error("3 began before the end of 1, and that is a schedule")
	}
}

// TestSWFVariants: a log without waiting times says so, and its processors are those in use at once; options.
func TestSWFVariants(t *testing.T) {
	w := golden.Must(t)(ImportSWF(golden.Files(t, data+"swf", "starts.swf")[0], Options{}))
	golden.Holds(t, w, "node machine 0+0, 7 cores", "map 2 10 s, 3 cores on machine", "2 at 4 s, ended at 14 s",
		"time 0 is the first submission; a job is released when it was submitted",
		"submissions are starts, as in logs without waiting times: releases are when jobs began, so that what a plan saves "+
			"by waiting less does not show",
		"a partition is a node, with as many CPUs as its jobs had at once unless --cpu says so: machine 7")
	in, err := shop.New(w)
	if err != nil {
		t.Fatal(err)
	}
	if in, s := in.Recorded(); s == nil || len(in.Check(s)) > 0 {
		t.Error("what happened is no schedule of the workload")
	}
	w = golden.Must(t)(ImportSWF(golden.Files(t, data+"swf", "log.swf")[0], Options{CPU: trace.PerNode[float64]{All: model.Some(16.0)}, Zone: "UTC"}))
	golden.Holds(t, w, "node machine 0+0, 16 cores", "no submissions are starts")
	if w.Origin.String() != "2026-10-24T18:01:40Z" {
		t.Error(w.Origin)
	}
	narrow := strings.Replace(text(t), "MaxProcs: 8", "MaxProcs: 3", 1)
	w = golden.Must(t)(ImportSWF(golden.Text(narrow)[0], Options{}))
	golden.Holds(t, w, "node machine 0+0, 8 cores", "1 node has more CPUs than the file states, as one of its jobs had")
}

func text(t *testing.T) string {
	text, err := os.ReadFile(data + "swf/log.swf")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSWFCounts counts jobs and processor seconds again, of a part of a real log if it is at hand.
func TestSWFCounts(t *testing.T) {
	f, err := os.Open("../../../../shared/traces/swf/nasa-ipsc-part.swf.gz")
	if err != nil {
		t.Skip("the trace is not beside the project: ", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	jobs, seconds := 0, 0
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); line[0] != ';' && f[3] != "0" && f[3] != "-1" {
			run, _ := strconv.Atoi(f[3])
			procs, _ := strconv.Atoi(f[4])
			jobs, seconds = jobs+1, seconds+run*procs
		}
	}
	w := golden.Must(t)(ImportSWF(golden.Text(string(text))[0], Options{}))
	got := 0
	for _, x := range w.Tasks {
		got += int(x.CPU.Value) * int(x.Processing.Value/model.Second)
	}
	if len(w.Jobs) != jobs || len(w.Tasks) != jobs || got != seconds ||
		w.Origin.String() != "1993-10-01T00:00:03-07:00[US/Pacific]" {
		t.Errorf("%d jobs with %d s from %s, want %d with %d s", len(w.Jobs), got, w.Origin, jobs, seconds)
	}
}

// TestSWFBad imports every file of testdata/swf/bad.
func TestSWFBad(t *testing.T) {
	golden.Bad(t, data+"swf/bad/*.swf", func(path string) (*model.Workload, error) {
		return ImportSWF(golden.Files(t, "", path)[0], Options{})
	})
}

// TestSWFRefused refuses a zone that there is not, and a line without end.
func TestSWFRefused(t *testing.T) {
	golden.Refused(t, "V210")(ImportSWF(File{}, Options{Zone: "Mars"}))
	golden.Refused(t, "F106 f:1:1")(ImportSWF(golden.Endless("", 'x')[0], Options{}))
}

func FuzzSWF(f *testing.F) {
	golden.Fuzz(f, data+"swf", func(files []trace.File) (*model.Workload, error) { return ImportSWF(files[0], Options{}) })
}
