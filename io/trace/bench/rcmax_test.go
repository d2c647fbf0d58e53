package bench

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
	"mrsched/model/realtime"
)

const (
	rcmaxes  = data + "rcmax"
	matrices = "../../../../shared/bench/rcmax" // of developers; not part of the repository
)

// importRCMax reads a matrix.
func importRCMax(matrix io.Reader, name string) (*model.Workload, error) {
	return RCMax.Read(trace.File{Name: name, Text: matrix})
}

// show prints a workload in words that an expectation can be written in.
func show(w *model.Workload) string {
	var b strings.Builder
	for _, j := range w.Jobs {
		fmt.Fprintf(&b, "%s %s R=%d\n", w.Problem, j.ID, j.Reduces.Value)
	}
	for _, n := range w.Topology {
		fmt.Fprintf(&b, "%s %s %d+%d\n", n.Kind, n.ID, n.MapSlots, n.ReduceSlots)
	}
	for _, p := range w.Parts {
		fmt.Fprintf(&b, "%s %d B:", p.Partition, p.Bytes)
		for _, t := range w.Times {
			if t.Task == p.Partition {
				fmt.Fprintf(&b, " %s=%s", w.Topology[t.Worker].ID, t.Time)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestRules: two machines and three jobs, by hand. Bytes are the least time in microseconds.
func TestRules(t *testing.T) {
	const want = `realtime two R=2
root root 0+0
node m1 0+1
node m2 0+1
p1 2000000 B: m1=3 m2=2
p2 1500000 B: m1=1.5 m2=4
p3 0 B: m1=0 m2=0.25
`
	text, err := os.ReadFile(filepath.Join(rcmaxes, "two.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(text)
	_ = z.Close()
	for name, r := range map[string]io.Reader{"x/two.txt": bytes.NewReader(text), "two.txt.gz": &packed,
		"two.csv": strings.NewReader("\xef\xbb\xbf3,1.5,0\r\n2,4,0.25")} {
		w, err := importRCMax(r, name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, show(w)); diff != "" || len(w.Notes) != 2 {
			t.Errorf("%s: %v\n%s", name, w.Notes, diff)
		}
	}
}

// TestSolvable: problem realtime takes the workload as it is, with the times of the matrix.
func TestSolvable(t *testing.T) {
	w, err := importRCMax(strings.NewReader("3,1.5,0\n2,4,0.25\n"), "f")
	if err != nil {
		t.Fatal(err)
	}
	in, err := realtime.New(w, realtime.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if in.Goal != realtime.Partitions || in.Workers != 2 || in.Reducers[0] != 2 || in.Tasks != 3 {
		t.Errorf("goal %s, %d workers, %d reducers, %d tasks", in.Goal, in.Workers, in.Reducers[0], in.Tasks)
	}
	for k, want := range [][2]string{{"3", "2"}, {"1.5", "4"}, {"0", "0.25"}} {
		if got := [2]string{in.Time(int32(k), 0).String(), in.Time(int32(k), 1).String()}; got != want {
			t.Errorf("partition %d takes %v, want %v", k+1, got, want)
		}
	}
}

// TestBad imports every file of testdata/rcmax/bad, named after the code that it provokes, and compares the whole
// message with the .golden file next to it.
func TestBad(t *testing.T) {
	golden.Bad(t, filepath.Join(rcmaxes, "bad", "*.txt"), func(path string) (*model.Workload, error) {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return importRCMax(f, filepath.Base(path))
	})
}

// TestLong rejects an endless line without reading on.
func TestLong(t *testing.T) {
	_, err := importRCMax(io.MultiReader(strings.NewReader("1,2\n"), endless{}), "f")
	if err == nil || !strings.HasPrefix(err.Error(), "F106 f:2:1: ") {
		t.Error(err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for k := range p {
		p[k] = '1'
	}
	return len(p), nil
}

// TestProperties: every number of any matrix comes back in its place, and a partition is as large as its least time.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machines, jobs := rapid.IntRange(1, 6).Draw(t, "machines"), rapid.IntRange(1, 6).Draw(t, "jobs")
		times := make([][]model.Time, machines)
		var text strings.Builder
		for m := range times {
			for k := range jobs {
				p := model.Time(rapid.Int64Range(0, 1<<40).Draw(t, "time"))
				times[m] = append(times[m], p)
				if k > 0 {
					text.WriteString(",")
				}
				text.WriteString(p.String())
			}
			text.WriteString("\n")
		}
		w, err := importRCMax(strings.NewReader(text.String()), "f")
		if err != nil {
			t.Fatal(err)
		}
		if len(w.Parts) != jobs || len(w.Times) != machines*jobs || w.Jobs[0].Reduces.Value != int64(machines) {
			t.Fatalf("%d partitions, %d times, %d reduces", len(w.Parts), len(w.Times), w.Jobs[0].Reduces.Value)
		}
		for i, row := range w.Times {
			k, m := i/machines, i%machines
			if row.Time != times[m][k] || row.Task != w.Parts[k].Partition || w.Topology[row.Worker].ID != trace.MachineName(m) {
				t.Fatalf("row %d is %+v", i, row)
			}
			if w.Parts[k].Bytes > model.Bytes(times[m][k]) {
				t.Fatalf("partition %d has %d B and takes %s", k, w.Parts[k].Bytes, times[m][k])
			}
		}
	})
}

// TestRealMatrices compares sizes, and sums that another program computed from the files.
func TestRealMatrices(t *testing.T) {
	for name, want := range map[string][3]int{
		"P10-10-5-1_t.txt":   {10, 10, 2842},
		"P20-10-5-1_t.txt":   {20, 10, 5246},
		"P100-50-10-1_t.txt": {100, 50, 137022},
	} {
		f, err := os.Open(filepath.Join(matrices, name))
		if os.IsNotExist(err) {
			t.Skipf("the matrices are absent (%v)", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w, err := importRCMax(f, name)
		if err != nil {
			t.Fatal(err)
		}
		sum := model.Time(0)
		for _, r := range w.Times {
			sum += r.Time
		}
		if got := [3]int{len(w.Parts), len(w.Topology) - 1, int(sum / model.Second)}; got != want || sum%model.Second != 0 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func FuzzImport(f *testing.F) {
	for _, pattern := range []string{"*.txt", "bad/*.txt"} {
		files, _ := filepath.Glob(filepath.Join(rcmaxes, pattern))
		for _, path := range files {
			if b, err := os.ReadFile(path); err == nil {
				f.Add(b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, matrix []byte) {
		w, err := importRCMax(bytes.NewReader(matrix), "f")
		if err != nil {
			if input, ok := err.(*model.InputError); !ok || len(input.Findings) == 0 || w != nil {
				t.Fatalf("workload %v, error %T %v", w, err, err)
			}
			return
		}
		if len(w.Jobs) != 1 || len(w.Times) != len(w.Parts)*(len(w.Topology)-1) || len(w.Times) == 0 {
			t.Fatalf("%d partitions, %d rows of topology, %d times", len(w.Parts), len(w.Topology), len(w.Times))
		}
	})
}

// TestBenchmarkLayoutWasNotRead: "n m k", the number of machines again and one line per job of machines, ascending, and
// times give the same workload as the matrix, except for positions.
func TestBenchmarkLayoutWasNotRead(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(rcmaxes, "pairs.txt"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `realtime two R=2
root root 0+0
node m1 0+1
node m2 0+1
p1 2000000 B: m1=3 m2=2
p2 1500000 B: m1=1.5 m2=4
p3 0 B: m1=0 m2=0.25
`
	for name, text := range map[string]string{"file": string(text), "short": "\n 3 2\n0 3 1 2\n\n0 1.5 1 4\n0 0 1 0.25",
		"jobs again": "\xef\xbb\xbf3\t2\t0\n3\n0 3 1 2\n0 1.5 1 4\n0 0 1 0.25\n"} {
		w, err := importRCMax(strings.NewReader(text), "two.txt")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, show(w)); diff != "" || len(w.Notes) != 3 || w.Notes[2] != flowShop ||
			w.Notes[0] != "imported from a matrix of 2 × 3 times (machines × jobs): its jobs are the partitions of one job" {
			t.Errorf("%s: %v\n%s", name, w.Notes, diff)
		}
	}
	w, err := importRCMax(bytes.NewReader(text), "two.txt")
	if err != nil {
		t.Fatal(err)
	}
	if at := w.Where(model.TableTimes, 5).String(); at != "two.txt:5:1" {
		t.Errorf("the times of job 3 stand at %s", at)
	}
}

// flowShop is the note of every file of pairs.
const flowShop = "every job runs on one of the machines of its line; the order of the operations of a flow shop, " +
	"whose files look the same, is not kept"

// TestJobShop: the first machine that does not ascend is the one finding. Two jobs on two machines, whose operations
// have an order, were taken for R||Cmax: "optimal 2 s", where the best schedule of the job shop takes 6 s.
func TestJobShop(t *testing.T) {
	for text, at := range map[string]string{"2 2\n0 3 1 2\n1 4 0 1\n": "f:3:5", "# comment\n2 2\n1 4 0 1\n1 3 0 2\n": "f:3:5",
		"1 3\n0 1 2 1 1 1\n": "f:2:9"} {
		_, err := importRCMax(strings.NewReader(text), "f")
		if err == nil || !strings.HasPrefix(err.Error(), "T501 "+at+": machine ") || strings.Contains(err.Error(), "\n") {
			t.Error(err)
		}
	}
}

// TestLayouts: any numbers give the same workload in both layouts.
func TestLayouts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machines, jobs := rapid.IntRange(1, 5).Draw(t, "machines"), rapid.IntRange(1, 5).Draw(t, "jobs")
		times := make([][]string, machines)
		for m := range times {
			for range jobs {
				times[m] = append(times[m], model.Time(rapid.Int64Range(0, 1<<40).Draw(t, "time")).String())
			}
		}
		var matrix, pairs strings.Builder
		fmt.Fprintf(&pairs, "%d %d 1\n%d\n", jobs, machines, machines)
		for _, row := range times {
			matrix.WriteString(strings.Join(row, ",") + "\n")
		}
		for k := range jobs {
			for m := range machines {
				fmt.Fprintf(&pairs, "\t%d\t%s", m, times[m][k])
			}
			pairs.WriteString("\n")
		}
		a, errA := importRCMax(strings.NewReader(matrix.String()), "f")
		b, errB := importRCMax(strings.NewReader(pairs.String()), "f")
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if diff := cmp.Diff(show(a), show(b)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestLongPairs: lines beyond the buffer are read; an endless line is rejected, and a damaged file is one finding.
func TestLongPairs(t *testing.T) {
	const machines = 30_000
	line := strings.Builder{}
	for m := range machines {
		fmt.Fprintf(&line, "%d 7 ", m)
	}
	w, err := importRCMax(strings.NewReader(fmt.Sprintf("2 %d\n%s\n%s", machines, line.String(), line.String())), "f")
	if err != nil || len(w.Times) != 2*machines {
		t.Fatal(err)
	}
	if _, err := importRCMax(io.MultiReader(strings.NewReader("2 2\n"), endless{}), "f"); err == nil || err.Error() !=
		"F106 f:2:1: more than 16777216 bytes from here without the end of a value; expected shorter values; hint: look "+
			"for a missing quote" {
		t.Error(err)
	}
	if _, err := importRCMax(strings.NewReader("2 2\n0 1 1 \xff\n"), "f"); err == nil || !strings.HasPrefix(err.Error(),
		"F105 f:2:7: byte 0xff does not begin a valid UTF-8 sequence; expected UTF-8") {
		t.Error(err)
	}
}
