package bench

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
)

const data = "../../../testdata/"

// benchmarks are the formats with one file each.
var benchmarks = map[string]func(f trace.File) (*model.Workload, error){
	"pcmax": PCMax.Read, "psplib": PSPLIB.Read, "rwct": RWCT.Read, "stg": STG.Read}

// TestBenchmarks imports the small files of testdata, plain and packed, and compares with values worked out by hand.
func TestBenchmarks(t *testing.T) {
	const small = `small for "cluster": 4 tasks, 2 delays, 0 machines
small at 0 s
  map t2 3 s, 2 R1, 1 R2
  map t3 4 s, 2 R1
  map t4 2 s, 1 R2
  map t5 5 s, 1 R1, 2 R2
t2 > t4 0
t3 > t5 0
root root 0+0
node m1 0+0, 3 R1, 2 R2
imported from a project of 4 tasks with 2 edges and 2 renewable resources
2 tasks of length 0, first or last, are left out: they change nothing
the project's own objective is the makespan: solve it with --objective makespan
`
	for _, c := range []struct{ format, file, want string }{
		{"stg", "fork.stg", `fork for "msjo": 5 tasks, 5 delays, 3 machines
fork at 0 s
  map t1 3 s
  map t2 1.5 s
  map t3 2 s
  map t4 4 s
  map t5 0 s
t1 > t2 0
t1 > t3 0
t2 > t4 0
t3 > t4 0
t1 > t5 0
imported from a standard task graph: 5 tasks, 5 edges
2 tasks of length 0, first or last, are left out: they change nothing
a graph states no machines: there are 3, as many as its widest level has tasks (--machines)
`},
		{"psplib", "small.sm", small},
		{"psplib", "small.rcp", small},
		{"psplib", "many.rcmp", `many for "cluster": 3 tasks, 0 delays, 0 machines
p1 at 0 s
  map p1.t2 3 s, 2 R1, 1 R2
  map p1.t3 4 s, 2 R1
p2 at 10 s
  map p2.t2 2.5 s, 1 R1, 1 R2
root root 0+0
node m1 0+0, 3 R1, 2 R2
imported from 3 projects of 3 tasks with 0 edges and 2 renewable resources
the projects share all resources; each is a job, with its release
1 project without a task that takes time is left out
1 request is of a resource that its project says it does not use, and counts all the same
6 tasks of length 0, first or last, are left out: they change nothing
the objective is the makespan of all projects together: solve it with --objective makespan
`},
		{"psplib", "joined.rcmp", `joined for "cluster": 3 tasks, 2 delays, 0 machines
joined at 0 s
  map p1.t1 3 s from 0 s, 2 R1
  map p2.t1 4 s from 7 s, 1 R1
  map p2.t2 1 s from 7 s, 2 R1
p1.t1 > p2.t1 0
p2.t1 > p2.t2 0
root root 0+0
node m1 0+0, 2 R1
imported from 2 projects of 3 tasks with 2 edges and 1 renewable resource
the projects share all resources and wait for each other: they are one job, whose tasks have their projects' releases
1 task of length 0, first or last, is left out: it changes nothing
the objective is the makespan of all projects together: solve it with --objective makespan
`},
		{"pcmax", "three.txt", `three for "msjo": 5 tasks, 0 delays, 2 machines
three at 0 s
  map t1 3 s
  map t2 3 s
  map t3 2 s
  map t4 2 s
  map t5 2 s
imported from the lengths of 5 tasks, for 2 machines
`},
		{"rwct", "two.csv", `two for "cluster": 3 tasks, 0 delays, 0 machines
j1 at 0 s × 3
  map t1 m1=4 m2=1
j2 at 0 s
  map t2 m1=2 m2=5
j3 at 0 s × 2.5
  map t3 m1=6 m2=6
root root 0+0
node m1 1+0
node m2 1+0
imported from the weights of 3 jobs and their times on 2 machines
`},
	} {
		text, err := os.ReadFile(data + c.format + "/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		plain := trace.File{Name: c.file, Text: bytes.NewReader(text)}
		packed := golden.Packed(t, trace.File{Name: "x/" + c.file + ".gz", Text: bytes.NewReader(text)})
		spaced := strings.ReplaceAll(string(text), "\n", "\r\n\r\n")
		other := trace.File{Name: "y/" + c.file, Text: strings.NewReader("\xef\xbb\xbf" + spaced)}
		for _, f := range []trace.File{plain, packed, other} {
			t.Run(c.format+"/"+f.Name, func(t *testing.T) {
				golden.Same(t, golden.Must(t)(benchmarks[c.format](f)), c.want)
			})
		}
	}
}

// TestBadBenchmarks imports every file of testdata/FORMAT/bad, and refuses a line without end.
func TestBadBenchmarks(t *testing.T) {
	for format, read := range benchmarks {
		golden.Bad(t, data+format+"/bad/*", func(path string) (*model.Workload, error) {
			return read(golden.Files(t, "", path)[0])
		})
		golden.Refused(t, "F106 f:1:1")(read(golden.Endless("1 ", '1')[0]))
	}
}

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
		w := golden.Must(t)(benchmarks[c.format](golden.Text(c.text)[0]))
		golden.Holds(t, w, c.note)
		if len(w.Tasks) != 2 || len(w.Delays) != 1 {
			t.Errorf("%q: %d tasks, %d delays", c.text, len(w.Tasks), len(w.Delays))
		}
	}
	for _, text := range []string{"2 0\n3 1 2\n4 0 5\n", "2 -0\n3 1 2\n4 0\n", "0 0\n"} {
		if _, err := PSPLIB.Read(golden.Text(text)[0]); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

func FuzzPCMax(f *testing.F)  { fuzz(f, "pcmax") }
func FuzzPSPLIB(f *testing.F) { fuzz(f, "psplib") }
func FuzzRWCT(f *testing.F)   { fuzz(f, "rwct") }
func FuzzSTG(f *testing.F)    { fuzz(f, "stg") }

func fuzz(f *testing.F, format string) {
	golden.Fuzz(f, data+format, func(files []trace.File) (*model.Workload, error) { return benchmarks[format](files[0]) })
}
