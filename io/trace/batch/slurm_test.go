package batch

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
	"mrsched/model/shop"
)

const data = "../../../testdata/"

// TestSlurmRules is worked by hand. On batch, 2, which begins before 1 ends, has 8 CPUs and 1 has 4: 12 at once.
func TestSlurmRules(t *testing.T) {
	w := golden.Must(t)(ImportSlurm(golden.Files(t, data+"slurm", "sacct.txt"), Options{}))
	golden.Same(t, w, `sacct for "cluster": 11 tasks, 0 delays, 0 machines
1 at 0 s, ended at 70 s of ann
  map 1 60 s, 4 cores, memory 2147483648 on batch
2 at 20 s, ended at 180 s of bob
  map 2 120 s, 8 cores, memory 25165824000 on batch
3 at 30 s, ended at 129660 s of ann
  map 3 129600 s, 96 cores, memory 25769803776 on long
5_1 at 40 s, ended at 210 s of ann
  map 5_1 30 s, 1 cores, memory 1048576000 on batch
6+0 at 60 s, ended at 210 s of ann
  map 6+0 30 s, 2 cores on batch
6+1 at 60 s, ended at 210 s of ann
  map 6+1 30 s, 1 cores on long
7 at 120 s, ended at 300 s of bob
  map 7 60 s, 1 cores, memory 4294967296 on batch
7#2 at 300 s, ended at 540 s of bob
  map 7#2 180 s, 1 cores, memory 4294967296 on batch
8 at 600 s, ended at 780 s of bob
  map 8 120 s, 1 cores, memory 209715200 on batch
9 at 720 s, ended at 1020 s of bob
  map 9 300 s, 1 cores, memory 1536 on batch
10 at 1200 s, ended at 1260 s of bob
  map 10 60 s, 1 cores on batch
root root 0+0
node batch 0+0, 12 cores
node long 0+0, 97 cores
imported from sacct: 11 jobs that ran, of 17 lines
time 0 is the first submission, 2026-10-24T10:00:00; a job is released when it was submitted
a partition is a node, with as many CPUs as its jobs had at once unless --cpu says so: batch 12, long 97
3 lines of jobs that did not run are left out
2 lines of steps are left out: jobs have lines of their own
1 line repeats the run of a job
1 run of requeued jobs is a job, named JOB#2 and so on
4 jobs that did not complete are work all the same, for as long as they ran
1 job without an end takes the time that it had run
1 job ran for another time than from start to end, as suspended jobs do: the run counts
1 job submitted after its start is released at the start
1 job without allocated CPUs takes those asked for, or one
1 job names several partitions, of which the first one counts
2 components of heterogeneous jobs are jobs, planned apart
`)
	in, err := shop.New(w)
	if err != nil {
		t.Fatal(err)
	}
	if in, s := in.Recorded(); s == nil || len(in.Check(s)) > 0 {
		t.Error("what happened is no schedule of the workload")
	}
}

// TestSlurmClock: in the night in which Berlin puts its clocks back, a began at 02:10 of summer time and ended at 02:40
// of winter time; b, submitted at 02:50 by the summer's clock, began at 02:45 by the winter's; c at 02:50 of either.
func TestSlurmClock(t *testing.T) {
	w := golden.Must(t)(ImportSlurm(golden.Files(t, data+"slurm", "clock.txt"), Options{Zone: "Europe/Berlin"}))
	golden.Same(t, w, `clock for "cluster": 3 tasks, 0 delays, 0 machines
a at 0 s, ended at 6600 s
  map a 5400 s, 2 cores on none
b at 3600 s, ended at 8700 s
  map b 1800 s, 2 cores on none
c at 7200 s, ended at 8760 s
  map c 60 s, 1 cores on none
root root 0+0
node none 0+0, 2 cores
imported from sacct: 3 jobs that ran, of 3 lines
time 0 is the first submission, 2026-10-25T01:50:00+02:00[Europe/Berlin]; a job is released when it was submitted
a partition is a node, with as many CPUs as its jobs had at once unless --cpu says so: none 2
`)
	if w.Origin.String() != "2026-10-25T01:50:00+02:00[Europe/Berlin]" {
		t.Error(w.Origin)
	}
}

// TestSlurmVariants: columns of a file without a header, sizes of nodes, several clusters.
func TestSlurmVariants(t *testing.T) {
	o := Options{Columns: "JobID,JobName%20,Submit,Elapsed"}
	w := golden.Must(t)(ImportSlurm(golden.Files(t, data+"slurm", "bare.txt"), o))
	golden.Holds(t, w, `bare for "cluster": 2 tasks, 0 delays, 0 machines`, "node none 0+0, 1 cores", "map 7 10 s, 1 cores",
		"map 8 3600 s, 1 cores", "8 at 5 s",
		"2 jobs without a start have no recorded start, so that there is no recorded plan",
		"2 jobs without allocated CPUs take those asked for, or one")
	sizes := Options{CPU: trace.PerNode[float64]{All: model.Some(16.0), Named: map[string]float64{"long": 96}},
		Memory: trace.PerNode[model.Bytes]{All: model.Some[model.Bytes](1 << 40)}}
	w = golden.Must(t)(ImportSlurm(golden.Files(t, data+"slurm", "sacct.txt"), sizes))
	golden.Holds(t, w, "node batch 0+0, 16 cores, memory 1099511627776", "node long 0+0, 96 cores, memory 1099511627776")
	two := "JobID|Cluster|Partition|Submit|Elapsed\n1|a|p|2026-11-01T08:00:00|00:01\n1|b|p|2026-11-01T08:00:00|00:02\n"
	w = golden.Must(t)(ImportSlurm(golden.Text(two), Options{}))
	golden.Holds(t, w, "map a/1 1 s, 1 cores", "map b/1 2 s, 1 cores", "node a/p 0+0, 1 cores", "node b/p 0+0, 1 cores")
}

// recount reads lines with the columns JobID, Submit, Elapsed and NCPUS at these places by the simplest rules.
func recount(text string, id, submit, elapsed, cpus int) (jobs, seconds int64, first string) {
	for line := range strings.Lines(text) {
		f := strings.Split(line, "|")
		var d, h, m, s, n int64
		if _, err := fmt.Sscanf(f[elapsed], "%d-%d:%d:%d", &d, &h, &m, &s); err != nil {
			d = 0
			fmt.Sscanf(f[elapsed], "%d:%d:%d", &h, &m, &s)
		}
		if took := d*86400 + h*3600 + m*60 + s; took > 0 && !strings.Contains(f[id], ".") {
			fmt.Sscan(f[cpus], &n)
			jobs, seconds = jobs+1, seconds+took*max(n, 1) // without CPUs it takes one
			if first == "" || f[submit] < first {
				first = f[submit]
			}
		}
	}
	return jobs, seconds, first
}

// TestSlurmCounts counts jobs and CPU seconds again: of the test's own file, and of the traces' if they are at hand.
func TestSlurmCounts(t *testing.T) {
	own, err := os.ReadFile(data + "slurm/sacct.txt")
	if err != nil {
		t.Fatal(err)
	}
	count(t, strings.Replace(string(own), "00:00:30|RUNNING", "00:00:00|RUNNING", 1), 4, 7, 10) // it is there again
	for name, want := range map[string]int64{"phillips.log": 4024, "accounting-logs.log": 3} {
		text, err := os.ReadFile("../../../../shared/traces/slurm/" + name)
		if err != nil {
			t.Skip("the traces are not beside the project: ", err)
		}
		if jobs := count(t, string(text), 10, 14, 18); jobs != want {
			t.Errorf("%s: %d jobs, want %d", name, jobs, want)
		}
	}
}

// count compares an import with a recount.
func count(t *testing.T, text string, submit, elapsed, cpus int) int64 {
	w := golden.Must(t)(ImportSlurm(golden.Text(text), Options{}))
	jobs, seconds, first := recount(text, 0, submit, elapsed, cpus)
	got := int64(0)
	for _, x := range w.Tasks {
		got += int64(x.CPU.Value) * int64(x.Processing.Value/model.Second)
	}
	if int64(len(w.Jobs)) != jobs || int64(len(w.Tasks)) != jobs || w.Origin.String() != first || got != seconds {
		t.Errorf("%d jobs from %s with %d CPU seconds, want %d from %s with %d", len(w.Jobs), w.Origin, got, jobs, first,
			seconds)
	}
	return jobs
}

// TestSlurmMemory: amounts in all, for each CPU and for each node; 0 is no amount.
func TestSlurmMemory(t *testing.T) {
	const mib = 1 << 20
	for text, want := range map[string]model.Bytes{"4G": 4096 * mib, "3000Mn": 6000 * mib, "1000Mc": 5000 * mib, "0": 0,
		"0n": 0, "2147486648Mn": 15000 * mib, "9223372036854778808M": 15000 * mib, "62.50G": 64000 * mib, "512K": mib / 2,
		"1T": mib * mib, "100": 100 * mib, "8Gn": 16384 * mib} {
		if got, ok := parseMemory(text, 2, 5); !ok || got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	for _, text := range []string{"", "G", "x", "4Q", "-1G", "NaN", "9e99G"} {
		if got, ok := parseMemory(text, 2, 5); ok {
			t.Errorf("%s: %d", text, got)
		}
	}
}

// TestSlurmElapsed: forms of durations.
func TestSlurmElapsed(t *testing.T) {
	for text, want := range map[string]time.Duration{"10-13:27:06": 912426 * time.Second, "00:00:24": 24 * time.Second,
		"01:02": 62 * time.Second, "3600": time.Hour, "00:00.5": time.Second / 2} {
		if got, ok := parseElapsed(text); !ok || got != model.Time(want/1000) {
			t.Errorf("%s: %s", text, got)
		}
	}
	for _, text := range []string{"", "1-2", "1:2:3:4", "UNLIMITED", "-1:00", "1-", "99999999999:00:00"} {
		if got, ok := parseElapsed(text); ok {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestSlurmBad imports every file of testdata/slurm/bad.
func TestSlurmBad(t *testing.T) {
	golden.Bad(t, data+"slurm/bad/*.txt", func(path string) (*model.Workload, error) {
		return ImportSlurm(golden.Files(t, "", path), Options{})
	})
}

// TestSlurmRefused refuses bad options and an id that is too long.
func TestSlurmRefused(t *testing.T) {
	golden.Refused(t, "V210")(ImportSlurm(nil, Options{Zone: "Mars"}))
	golden.Refused(t, "T503")(ImportSlurm(nil, Options{}))
	golden.Refused(t, "V210")(ImportSlurm(golden.Files(t, data+"slurm", "sacct.txt"), Options{Columns: "JobID,Submit,Elapsed"}))
	golden.Refused(t, "V210, V210")(ImportSlurm(golden.Files(t, data+"slurm", "sacct.txt"), Options{
		CPU:    trace.PerNode[float64]{Named: map[string]float64{"bach": 1}},
		Memory: trace.PerNode[model.Bytes]{Named: map[string]model.Bytes{"lung": 1}}}))
	golden.Refused(t, "F106 f:1:1")(ImportSlurm(golden.Endless("", 'x'), Options{}))
	long := "JobID|Submit|Elapsed\n" + strings.Repeat("k", trace.MaxID+1) + "|2026-11-01T08:00:00|00:01\n"
	golden.Refused(t, "V202 f:2:1")(ImportSlurm(golden.Text(long), Options{}))
}

func FuzzSlurm(f *testing.F) {
	golden.Fuzz(f, data+"slurm", func(files []File) (*model.Workload, error) { return ImportSlurm(files, Options{Zone: "Europe/Berlin"}) },
		func(files []File) (*model.Workload, error) {
			return ImportSlurm(files, Options{Columns: "JobID,JobName%20,Submit,Elapsed"})
		})
}
