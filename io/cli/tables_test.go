package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	absent = "-" // in place of a text: the directory lacks the file

	goodNodes  = "id,parent,kind,map_slots,reduce_slots\nroot,,root,,\nn1,root,node,1,1\nn2,root,node,1,1\n"
	goodBlocks = "id,job,kind,processing_time,block\na1,a,map,10,x\nb1,b,map,20,y\nb2,b,map,20,z\n"
)

// crossed are mistakes across several files of one directory: the difference from good files.
var crossed = []struct {
	name  string
	files map[string]string
}{
	{"unknown kind of machine", map[string]string{
		"topology.csv": strings.ReplaceAll(goodNodes, ",node,", ",server,"), "tasks.csv": goodBlocks,
		"placements.csv": "block,node\nx,n1\ny,n2\nz,n1\n"}},
	{"a node that is gone", map[string]string{
		"topology.csv": strings.ReplaceAll(goodNodes, "n2,root,node,1,1\n", ""), "tasks.csv": goodBlocks,
		"placements.csv": "block,node\nx,n1\ny,n2\nz,n2\nz,n1\n"}},
	{"a mistyped node", map[string]string{"topology.csv": goodNodes, "tasks.csv": goodBlocks,
		"placements.csv": "block,node\nx,n1\ny,n-2\n"}},
	{"headers swapped", map[string]string{
		"tasks.csv": "job,id,kind,processing_time\na1,a,map,10\nb1,b,map,20\nb2,b,map,20\nb3,b,map,20\n"}},
	{"no column of times", map[string]string{"tasks.csv": "id,job,kind\na1,a,map\nb1,b,map\nb2,b,map\n"}},
	{"times and delays swapped", map[string]string{
		"tasks.csv": "id,job,kind,shuffle_delay,processing_time\na1,a,map,10,2\na2,a,reduce,9,\nb1,b,map,20,2\n"}},
	{"times and kinds swapped", map[string]string{
		"jobs.csv": "id\na\n", "tasks.csv": "id,job,processing_time,kind\na1,a,map,10\n"}},
	{"a copy in place of the table", map[string]string{"jobs.csv": absent, "jobs (1).csv": goodJobs}},
	{"two folders above", map[string]string{"jobs.csv": absent, "tasks.csv": absent, "workload.json": absent,
		"monday/night/jobs.csv": goodJobs, "monday/x.txt": "x"}},
	{"a copy beside", map[string]string{"jobs (1).csv": goodJobs}},
	{"a copy alone", map[string]string{"Copy of placements.csv": "block,node\n"}},
	{"the folder above", map[string]string{"jobs.csv": absent, "night/jobs.csv": goodJobs, "other/x.txt": "x"}},
	{"the folder above, without tables", map[string]string{"jobs.csv": absent, "tasks.csv": absent, "workload.json": absent,
		"night/jobs.csv": goodJobs, "other/x.txt": "x"}},
	{"delays of jobs", map[string]string{"delays.csv": "from,to,delay\na,b,0\nb,a,0\n"}},
}

// TestMistakes (finding 23): each mistake, in one file or across several, is reported once, by its cause, with what to
// do. The golden file has the first line of each.
func TestMistakes(t *testing.T) {
	var got strings.Builder
	for _, c := range mistakes {
		files := map[string]string{c.file: c.text}
		switch c.file {
		case "w.json":
			files["jobs.csv"], files["tasks.csv"], files["workload.json"] = absent, absent, absent
		case "jobs.xlsx":
			files["jobs.csv"] = absent
		case "tasks.parquet":
			files["tasks.csv"] = absent
		}
		got.WriteString(said(t, c.name, files))
	}
	for _, c := range crossed {
		got.WriteString(said(t, c.name, c.files))
	}
	path := filepath.Join(root, "testdata", "malformed", "mistakes.txt")
	if *update {
		writeText(t, path, got.String())
	}
	want, err := os.ReadFile(path)
	if err != nil || got.String() != string(want) {
		t.Errorf("%v: got\n%s", err, got.String())
	}
}

// said is the first line that solve says about good files but for these, after the name of the mistake; two rows of
// one kind may give two lines.
func said(t *testing.T, name string, changed map[string]string) string {
	t.Helper()
	files := map[string]string{"jobs.csv": goodJobs, "tasks.csv": goodTasks, "workload.json": goodScalars}
	dir := t.TempDir()
	path := dir
	for file, text := range changed {
		files[file] = text
		if file == "w.json" {
			path = filepath.Join(dir, file)
		}
	}
	for file, text := range files {
		if text == absent {
			continue
		}
		at := filepath.Join(dir, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o777), os.WriteFile(at, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	code := Main([]string{"mrsched", "solve", path, "--quiet"}, nil, &out, &errs)
	got := strings.ReplaceAll(strings.TrimSuffix(errs.String(), "\n"), dir+string(filepath.Separator), "")
	first, rest, _ := strings.Cut(strings.ReplaceAll(got, dir, "DIR"), "\n")
	if (code == 0) != (first == "" || strings.HasPrefix(first, "warning: ")) || strings.Contains(rest, "\n") {
		t.Errorf("%s: exit %d, %q, then\n%s", name, code, first, rest)
	}
	return fmt.Sprintf("%s: %s\n", name, first)
}
