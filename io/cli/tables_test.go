package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	goodNodes  = "id,parent,kind,map_slots,reduce_slots\nroot,,root,,\nn1,root,node,1,1\nn2,root,node,1,1\n"
	goodBlocks = "id,job,kind,processing_time,block\na1,a,map,10,x\nb1,b,map,20,y\nb2,b,map,20,z\n"
)

// crossed are mistakes across several files of one directory: the difference from good files, and the first line that
// names the mistake.
var crossed = []struct {
	name       string
	files      map[string]string
	says, hint string
	lines      int // of the message
}{
	{"unknown kind of machine", map[string]string{
		"topology.csv": strings.ReplaceAll(goodNodes, ",node,", ",server,"), "tasks.csv": goodBlocks,
		"placements.csv": "block,node\nx,n1\ny,n2\nz,n1\n"},
		`V205 topology.csv:3:9: kind "server" is unknown`, "a machine that runs tasks is a node", 2},
	{"a node that is gone", map[string]string{
		"topology.csv": strings.ReplaceAll(goodNodes, "n2,root,node,1,1\n", ""), "tasks.csv": goodBlocks,
		"placements.csv": "block,node\nx,n1\ny,n2\nz,n2\nz,n1\n"},
		`R305 placements.csv:3:3: 2 placements name node "n2", which the topology does not have`,
		"if the node is gone, delete its placements; else add it to the topology", 1},
	{"a mistyped node", map[string]string{"topology.csv": goodNodes, "tasks.csv": goodBlocks,
		"placements.csv": "block,node\nx,n1\ny,n-2\n"},
		`R305 placements.csv:3:3: 1 placement names node "n-2", which the topology does not have`,
		`did you mean "n2"?`, 1},
	{"headers swapped", map[string]string{
		"tasks.csv": "job,id,kind,processing_time\na1,a,map,10\nb1,b,map,20\nb2,b,map,20\nb3,b,map,20\n"},
		`R302 tasks.csv:2:1: in all 4 rows of tasks the id is a job, such as "a", and the job is not, such as "a1"`,
		"are the two headers id and job swapped?", 1},
	{"no column of times", map[string]string{"tasks.csv": "id,job,kind\na1,a,map\nb1,b,map\nb2,b,map\n"},
		"S410 tasks.csv: none of 3 tasks has a processing_time",
		"the column processing_time is missing or empty: look at the header of the table tasks", 1},
	{"times and delays swapped", map[string]string{
		"tasks.csv": "id,job,kind,shuffle_delay,processing_time\na1,a,map,10,2\na2,a,reduce,9,\nb1,b,map,20,2\n"},
		`S410 tasks.csv:3:1: task "a2" has no processing_time`,
		"reduces have a shuffle_delay, which only maps use: are the two headers shuffle_delay and processing_time swapped?", 1},
	{"times and kinds swapped", map[string]string{
		"tasks.csv": "id,job,processing_time,kind\na1,a,map,10\nb1,b,map,20\n"},
		`V202 tasks.csv:1:1: with the headers processing_time and kind exchanged, there is no error; as it is, there are ` +
			`4 errors, the first: processing_time "map" is not a number`,
		"are the two headers processing_time and kind swapped?", 1},
	{"a copy in place of the table", map[string]string{"jobs.csv": "", "jobs (1).csv": goodJobs},
		"F108 DIR: the directory has no jobs.csv", `"jobs (1).csv" looks like a copy of it: rename it to jobs.csv`, 1},
	{"two folders above", map[string]string{"jobs.csv": "", "tasks.csv": "", "workload.json": "",
		"monday/night/jobs.csv": goodJobs, "monday/x.txt": "x"},
		"F107 DIR: this is a directory of other files", `the folder "monday/night" inside is a workload: pass monday/night`,
		1},
	{"a copy beside", map[string]string{"jobs (1).csv": goodJobs},
		`V207 jobs (1).csv: unknown table "jobs (1).csv"`,
		"it looks like a copy of jobs.csv, which is here too: move one of the two away", 1},
	{"a copy alone", map[string]string{"Copy of placements.csv": "block,node\n"},
		`V207 Copy of placements.csv: unknown table "Copy of placements.csv"`,
		"it looks like a copy of placements.csv: rename it", 1},
	{"the folder above", map[string]string{"jobs.csv": "", "night/jobs.csv": goodJobs, "other/x.txt": "x"},
		"F108 DIR: the directory has no jobs.csv", `"night" inside has one: pass that folder`, 1},
	{"the folder above, without tables", map[string]string{"jobs.csv": "", "tasks.csv": "", "workload.json": "",
		"night/jobs.csv": goodJobs, "other/x.txt": "x"},
		"F107 DIR: this is a directory of other files", `the folder "night" inside is a workload: pass night`, 1},
	{"delays of jobs", map[string]string{"delays.csv": "from,to,delay\na,b,0\nb,a,0\n"},
		`R303 delays.csv:2:1: a delay joins tasks, and "a" and "b" are jobs (and 1 more like it)`,
		"for problem cluster, state it in the table dependencies; else put both into one job, or set the release " +
			"of the later one", 1},
}

// TestCrossedTables: a mistake that shows in several files is reported once, by its cause.
func TestCrossedTables(t *testing.T) {
	for _, c := range crossed {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			files := map[string]string{"jobs.csv": goodJobs, "tasks.csv": goodTasks, "workload.json": goodScalars}
			for name, text := range c.files {
				files[name] = text
			}
			for name, text := range files {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if text == "" {
					continue // absent
				}
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			var out, errs bytes.Buffer
			code := Main([]string{"mrsched", "solve", dir, "--quiet"}, nil, &out, &errs)
			got := strings.ReplaceAll(strings.TrimSuffix(errs.String(), "\n"), dir+string(filepath.Separator), "")
			first, _, _ := strings.Cut(strings.ReplaceAll(got, dir, "DIR"), "\n")
			what, rest, _ := strings.Cut(first, "; expected ")
			_, hint, _ := strings.Cut(rest, "; hint: ")
			if lines := strings.Count(got, "\n") + 1; what != c.says || hint != c.hint || code != 2 || lines != c.lines {
				t.Errorf("exit %d, %d lines, %q, hint %q\n%s", code, lines, what, hint, got)
			}
		})
	}
}
