package golden

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/io/trace"
	"mrsched/model"
)

// Files reads files of a directory.
func Files(t testing.TB, dir string, names ...string) []trace.File {
	t.Helper()
	var list []trace.File
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, trace.File{Name: filepath.Base(name), Text: bytes.NewReader(text)})
	}
	return list
}

// Text is a file f of this text.
func Text(text string) []trace.File {
	return []trace.File{{Name: "f", Text: strings.NewReader(text)}}
}

// Endless is a file f that begins like this and goes on with a character without end.
func Endless(start string, c byte) []trace.File {
	return []trace.File{{Name: "f", Text: io.MultiReader(strings.NewReader(start), endless(c))}}
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for k := range p {
		p[k] = byte(e)
	}
	return len(p), nil
}

// Packed is a file packed by gzip, of which only the content tells.
func Packed(t testing.TB, f trace.File) trace.File {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.Copy(z, f.Text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return trace.File{Name: f.Name, Text: &packed}
}

// Must takes what an import returns, and ends the test if that is an error.
func Must(t testing.TB) func(w *model.Workload, err error) *model.Workload {
	return func(w *model.Workload, err error) *model.Workload {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
}

// Refused requires of what an import returns the codes and positions of findings, such as "F106 f:1:1, V210", and no
// workload. The words are pinned by .golden files.
func Refused(t testing.TB, want string) func(w *model.Workload, err error) {
	return func(w *model.Workload, err error) {
		t.Helper()
		var got []string
		if input, ok := err.(*model.InputError); ok {
			for _, f := range input.Findings {
				got = append(got, strings.TrimSpace(string(f.Code)+" "+f.Pos.String()))
			}
		}
		if strings.Join(got, ", ") != want || w != nil {
			t.Errorf("%q, workload %v; want %s: %v", got, w != nil, want, err)
		}
	}
}

// Import is how a format reads files.
type Import = func(files []trace.File) (*model.Workload, error)

// Fuzz feeds text like that of the files of a directory and of its subdirectory bad. Each import has to refuse it with
// findings and without a workload, or to make jobs that hold tasks or keys.
func Fuzz(f *testing.F, dir string, imports ...Import) {
	for _, pattern := range []string{"*.*", "bad/*.*"} {
		files, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, path := range files {
			if text, err := os.ReadFile(path); err == nil && !strings.HasSuffix(path, ".golden") {
				f.Add(text)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, read := range imports {
			w, err := read(Text(string(text[:min(len(text), 1<<16)])))
			if err == nil {
				sound(t, w)
			} else if input, ok := err.(*model.InputError); !ok || len(input.Findings) == 0 || w != nil {
				t.Fatalf("workload %v, error %T %v", w, err, err)
			}
		}
	})
}

// sound requires jobs that hold something, machines or nodes, and times of 0 or more.
func sound(t *testing.T, w *model.Workload) {
	t.Helper()
	if len(w.Jobs) == 0 || len(w.Tasks) < len(w.Jobs) && len(w.Keys) == 0 || len(w.Topology) == 0 && w.Machines.Value < 1 {
		t.Fatalf("%d jobs, %d tasks, %d machines", len(w.Jobs), len(w.Tasks), w.Machines.Value)
	}
	for _, x := range w.Jobs {
		if x.Release < 0 || x.RecordedCompletion.Value < 0 {
			t.Fatalf("job %+v", x)
		}
	}
	for _, x := range w.Tasks {
		given := slices.ContainsFunc(w.Times, func(g model.GivenTime) bool { return g.Task == x.ID })
		if x.Processing.Known == given || x.Processing.Value < 0 {
			t.Fatalf("task %+v", x)
		}
	}
}
