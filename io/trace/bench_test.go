package trace_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"mrsched/io/trace"
	"mrsched/io/trace/pcmax"
	"mrsched/io/trace/psplib"
	"mrsched/io/trace/rwct"
	"mrsched/io/trace/stg"
	"mrsched/model"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const data = "../../testdata"

// benchmarks are the importers of benchmark formats with one file each.
var benchmarks = map[string]func(f trace.File) (*model.Workload, error){
	"pcmax":  pcmax.Import,
	"psplib": psplib.Import,
	"rwct":   rwct.Import,
	"stg":    func(f trace.File) (*model.Workload, error) { return stg.Import(f, stg.Options{}) },
}

// show prints a workload in words that an expectation can be written in.
func show(w *model.Workload) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s, machines %d\n", w.Name, cmp.Or(w.Problem, "-"), w.Machines.Value)
	for _, n := range w.Topology {
		fmt.Fprintf(&b, "%s %s %d+%d\n", n.Kind, n.ID, n.MapSlots, n.ReduceSlots)
	}
	for i, t := range w.Tasks {
		j := w.Jobs[t.Job]
		fmt.Fprintf(&b, "%s of %s × %s", t.ID, j.ID, j.Weight)
		if t.Release.Known || j.Release > 0 {
			fmt.Fprintf(&b, ", from %s s", max(t.Release.Value, j.Release))
		}
		b.WriteString(":")
		if t.Processing.Known {
			fmt.Fprintf(&b, " %s s", t.Processing.Value)
		}
		for _, g := range w.Times {
			if g.Task == t.ID {
				fmt.Fprintf(&b, " %s=%s", w.Topology[g.Worker].ID, g.Time)
			}
		}
		for _, d := range w.Delays {
			if int(d.To) == i {
				fmt.Fprintf(&b, " after %s", w.Tasks[d.From].ID)
			}
		}
		for _, d := range w.Demands {
			if int(d.Task) == i {
				fmt.Fprintf(&b, " %s %s", d.Amount, d.Resource)
			}
		}
		b.WriteString("\n")
	}
	for _, c := range w.Capacities {
		fmt.Fprintf(&b, "%s has %s %s\n", w.Topology[c.Node].ID, c.Amount, c.Resource)
	}
	return b.String() + strings.Join(w.Notes, "\n") + "\n"
}

// TestBenchmarks imports the small files of testdata, plain and packed, and compares with values worked out by hand.
func TestBenchmarks(t *testing.T) {
	for _, c := range []struct{ format, file, want string }{
		{"stg", "fork.stg", `fork msjo, machines 3
t1 of fork × 1: 3 s
t2 of fork × 1: 1.5 s after t1
t3 of fork × 1: 2 s after t1
t4 of fork × 1: 4 s after t2 after t3
t5 of fork × 1: 0 s after t1
imported from a standard task graph: 5 tasks, 5 edges
2 tasks of length 0, first or last, are left out: they change nothing
a graph states no machines: there are 3, as many as its widest level has tasks (--machines)
`},
		{"psplib", "small.sm", `small cluster, machines 0
root root 0+0
node m1 0+0
t2 of small × 1: 3 s 2 R1 1 R2
t3 of small × 1: 4 s 2 R1
t4 of small × 1: 2 s after t2 1 R2
t5 of small × 1: 5 s after t3 1 R1 2 R2
m1 has 3 R1
m1 has 2 R2
imported from a project of 4 tasks with 2 edges and 2 renewable resources
2 tasks of length 0, first or last, are left out: they change nothing
the project's own objective is the makespan: solve it with --objective makespan
`},
		{"psplib", "small.rcp", `small cluster, machines 0
root root 0+0
node m1 0+0
t2 of small × 1: 3 s 2 R1 1 R2
t3 of small × 1: 4 s 2 R1
t4 of small × 1: 2 s after t2 1 R2
t5 of small × 1: 5 s after t3 1 R1 2 R2
m1 has 3 R1
m1 has 2 R2
imported from a project of 4 tasks with 2 edges and 2 renewable resources
2 tasks of length 0, first or last, are left out: they change nothing
the project's own objective is the makespan: solve it with --objective makespan
`},
		{"psplib", "many.rcmp", `many cluster, machines 0
root root 0+0
node m1 0+0
p1.t2 of p1 × 1: 3 s 2 R1 1 R2
p1.t3 of p1 × 1: 4 s 2 R1
p2.t2 of p2 × 1, from 10 s: 2.5 s 1 R1 1 R2
m1 has 3 R1
m1 has 2 R2
imported from 3 projects of 3 tasks with 0 edges and 2 renewable resources
the projects share all resources; each is a job, with its release
1 project without a task that takes time is left out
1 request is of a resource that its project says it does not use, and counts all the same
6 tasks of length 0, first or last, are left out: they change nothing
the objective is the makespan of all projects together: solve it with --objective makespan
`},
		{"psplib", "joined.rcmp", `joined cluster, machines 0
root root 0+0
node m1 0+0
p1.t1 of joined × 1, from 0 s: 3 s 2 R1
p2.t1 of joined × 1, from 7 s: 4 s after p1.t1 1 R1
p2.t2 of joined × 1, from 7 s: 1 s after p2.t1 2 R1
m1 has 2 R1
imported from 2 projects of 3 tasks with 2 edges and 1 renewable resource
the projects share all resources and wait for each other: they are one job, whose tasks have their projects' releases
1 task of length 0, first or last, is left out: it changes nothing
the objective is the makespan of all projects together: solve it with --objective makespan
`},
		{"pcmax", "three.txt", `three msjo, machines 2
t1 of three × 1: 3 s
t2 of three × 1: 3 s
t3 of three × 1: 2 s
t4 of three × 1: 2 s
t5 of three × 1: 2 s
imported from the lengths of 5 tasks, for 2 machines
`},
		{"rwct", "two.csv", `two cluster, machines 0
root root 0+0
node m1 1+0
node m2 1+0
t1 of j1 × 3: m1=4 m2=1
t2 of j2 × 1: m1=2 m2=5
t3 of j3 × 2.5: m1=6 m2=6
imported from the weights of 3 jobs and their times on 2 machines
`},
	} {
		text, err := os.ReadFile(filepath.Join(data, c.format, c.file))
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(text)
		_ = z.Close()
		for name, r := range map[string]io.Reader{c.file: bytes.NewReader(text), "x/" + c.file + ".gz": &packed,
			"y/" + c.file: strings.NewReader("\xef\xbb\xbf" + strings.ReplaceAll(string(text), "\n", "\r\n\r\n"))} {
			w, err := benchmarks[c.format](trace.File{Name: name, Text: r})
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(c.want, show(w)); diff != "" {
				t.Errorf("%s %s: %s", c.format, name, diff)
			}
		}
	}
}

// TestBadBenchmarks imports every file of testdata/FORMAT/bad, named after the code that it provokes, and compares the
// whole message with the .golden file next to it.
func TestBadBenchmarks(t *testing.T) {
	for format, read := range benchmarks {
		files, err := filepath.Glob(filepath.Join(data, format, "bad", "*"))
		if err != nil || len(files) == 0 {
			t.Fatal("no files", err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, ".golden") {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(path)
			w, err := read(trace.File{Name: name, Text: bytes.NewReader(text)})
			input, ok := err.(*model.InputError)
			if !ok || w != nil {
				t.Errorf("%s: workload %v, error %v", path, w, err)
				continue
			}
			if code := model.Code(name[:4]); input.Findings[0].Code != code {
				t.Errorf("%s: code %s", path, input.Findings[0].Code)
			}
			golden := path + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(err.Error()+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, _ := os.ReadFile(golden)
			if diff := gocmp.Diff(string(want), err.Error()+"\n"); diff != "" {
				t.Errorf("%s: %s", golden, diff)
			}
		}
	}
}

// TestLongLine rejects an endless line without reading on.
func TestLongLine(t *testing.T) {
	for format, read := range benchmarks {
		_, err := read(trace.File{Name: "f", Text: io.MultiReader(strings.NewReader("1 "), endless{})})
		if err == nil || !strings.HasPrefix(err.Error(), "F106 f:1:1: ") {
			t.Error(format, err)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for k := range p {
		p[k] = '1'
	}
	return len(p), nil
}

func FuzzPCMax(f *testing.F) { fuzz(f, "pcmax") }

// TestNothingNew: an edge that is stated twice counts once, and a project may have no resources.
func TestNothingNew(t *testing.T) {
	const repeat = "1 edge is there again and counts once"
	for _, c := range []struct{ format, text, note string }{
		{"psplib", "2 1\n2\n3 1 2 2 2\n4 1 0\n", repeat},
		{"psplib", "2 1\n2\n3 1 2 2 2\n4 1 0\n", "imported from a project of 2 tasks with 1 edge and 1 renewable resource"},
		{"psplib", "2 0\n3 1 2\n4 0\n", "imported from a project of 2 tasks with 1 edge and 0 renewable resources"},
		{"psplib", "1 1\n2\n2 5 1\n3 1 2 1:2 1:2\n4 1 0\n", repeat},
		{"stg", "2\n0 0 0\n1 3 1 0\n2 4 2 1 1\n3 0 1 2\n", repeat},
	} {
		w, err := benchmarks[c.format](trace.File{Name: "f", Text: strings.NewReader(c.text)})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if len(w.Tasks) != 2 || len(w.Delays) != 1 || !slices.Contains(w.Notes, c.note) {
			t.Errorf("%q: %d tasks, %d delays, notes %q", c.text, len(w.Tasks), len(w.Delays), w.Notes)
		}
	}
	for _, text := range []string{"2 0\n3 1 2\n4 0 5\n", "2 -0\n3 1 2\n4 0\n", "0 0\n"} {
		if _, err := psplib.Import(trace.File{Name: "f", Text: strings.NewReader(text)}); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

func FuzzPSPLIB(f *testing.F) { fuzz(f, "psplib") }
func FuzzRWCT(f *testing.F)   { fuzz(f, "rwct") }
func FuzzSTG(f *testing.F)    { fuzz(f, "stg") }

// fuzz requires findings or a workload with tasks.
func fuzz(f *testing.F, format string) {
	for _, pattern := range []string{"*.*", "bad/*.*"} {
		files, _ := filepath.Glob(filepath.Join(data, format, pattern))
		for _, path := range files {
			if b, err := os.ReadFile(path); err == nil {
				f.Add(b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := benchmarks[format](trace.File{Name: "f", Text: bytes.NewReader(text)})
		if err != nil {
			if input, ok := err.(*model.InputError); !ok || len(input.Findings) == 0 || w != nil {
				t.Fatalf("workload %v, error %T %v", w, err, err)
			}
			return
		}
		if len(w.Jobs) == 0 || len(w.Tasks) == 0 {
			t.Fatalf("%d jobs, %d tasks", len(w.Jobs), len(w.Tasks))
		}
	})
}
