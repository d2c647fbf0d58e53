package wfformat

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mrsched/model"
)

// TestLong refuses a value without end, and values within each other without end.
func TestLong(t *testing.T) {
	for start, part := range map[string]string{`{"name":"`: "x", `{"name":`: "["} {
		code := map[string]string{"x": "F106", "[": "T501"}[part]
		if _, err := Import([]File{{Name: "f", Text: io.MultiReader(strings.NewReader(start), endless(part[0]))}}, Options{}); err ==
			nil || !strings.HasPrefix(err.Error(), code+" f:1:") {
			t.Error(err)
		}
	}
	many := strings.Repeat("{},", 300)
	_, err := Import([]File{{Name: "f", Text: strings.NewReader(`{"schemaVersion":"1.5","workflow":{"specification":{"tasks":[` +
		many + `{}]}}}`)}}, Options{})
	if err == nil || !strings.HasSuffix(err.Error(), "… and 201 more findings") {
		t.Error(err)
	}
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for k := range p {
		p[k] = byte(e)
	}
	return len(p), nil
}

// TestProperties: a random DAG comes back with its edges and times, whichever shape and ends it is stated with.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "tasks")
		parents, children := make([][]string, n), make([][]string, n)
		want := map[string]bool{}
		for i := range n {
			for k := range i {
				if rapid.Bool().Draw(t, "edge") {
					parents[i] = append(parents[i], fmt.Sprintf("%q", name(k)))
					children[k] = append(children[k], fmt.Sprintf("%q", name(i)))
					want[name(k)+">"+name(i)] = true
				}
			}
		}
		older, ends := rapid.Bool().Draw(t, "older"), rapid.IntRange(1, 3).Draw(t, "ends")
		var tasks, runs []string
		for _, i := range rapid.Permutation(places(n)).Draw(t, "order") {
			text := fmt.Sprintf(`{"id":%q,"name":"any"`, name(i))
			if ends&1 > 0 {
				text += `,"parents":[` + strings.Join(parents[i], ",") + "]"
			}
			if ends&2 > 0 {
				text += `,"children":[` + strings.Join(children[i], ",") + "]"
			}
			if older {
				text += fmt.Sprintf(`,"runtimeInSeconds":%d`, i)
			}
			tasks, runs = append(tasks, text+"}"), append(runs, fmt.Sprintf(`{"id":%q,"runtimeInSeconds":%d}`, name(i), i))
		}
		flow := fmt.Sprintf(`"specification":{"tasks":[%s]},"execution":{"tasks":[%s]}`, strings.Join(tasks, ","),
			strings.Join(runs, ","))
		if older {
			flow = fmt.Sprintf(`"tasks":[%s]`, strings.Join(tasks, ","))
		}
		w, err := Import([]File{{Name: "f", Text: strings.NewReader(`{"schemaVersion":"1.4","workflow":{` + flow + `}}`)}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, d := range w.Delays {
			got[w.Tasks[d.From].ID+">"+w.Tasks[d.To].ID] = true
		}
		if diff := cmp.Diff(want, got); diff != "" || len(w.Delays) != len(want) || len(w.Tasks) != n {
			t.Fatal(diff)
		}
		for _, u := range w.Tasks {
			if name(int(u.Processing.Value/model.Second)) != u.ID {
				t.Fatalf("%s takes %s s", u.ID, u.Processing.Value)
			}
		}
	})
}

func name(i int) string { return fmt.Sprintf("t%d", i) }

func places(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func FuzzImport(f *testing.F) {
	for _, pattern := range []string{"*.json", "bad/*.json"} {
		files, _ := filepath.Glob(filepath.Join(data, pattern))
		for _, path := range files {
			if b, err := os.ReadFile(path); err == nil {
				f.Add(b)
			}
		}
	}
	diamond := read(f, "diamond.json")
	other, _ := io.ReadAll(diamond[0].Text)
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, files := range [][]File{{{Name: "f", Text: bytes.NewReader(text)}}, {{Name: "f", Text: bytes.NewReader(text)},
			{Name: "g", Text: bytes.NewReader(other)}}} {
			w, err := Import(files, Options{Bandwidth: model.Some(1e6)})
			if err != nil {
				if input, ok := err.(*model.InputError); !ok || len(input.Findings) == 0 || w != nil {
					t.Fatalf("workload %v, error %T %v", w, err, err)
				}
				continue
			}
			if len(w.Jobs) != len(files) || len(w.Tasks) < len(w.Jobs) || w.Machines.Value < 1 {
				t.Fatalf("%d jobs, %d tasks, %d machines", len(w.Jobs), len(w.Tasks), w.Machines.Value)
			}
			for _, x := range w.Jobs {
				if x.Release < 0 || x.RecordedCompletion.Value < 0 {
					t.Fatalf("job %+v", x)
				}
			}
		}
	})
}
