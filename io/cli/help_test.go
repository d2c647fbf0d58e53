package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"mrsched/io/grammar"
	"mrsched/model/tier"
)

// exampleFixture prepares the files of the examples, besides the shipped instances and each other's output.
const exampleFixture = `mkdir instances results workflows && ln -s "$PWD" instances/examples
mrsched solve fig1.json -a mars,best -o results/fig1 -q && cp -r results/fig1 results/r && cp -r results/fig1/mars results/a
for d in yesterday today; do mrsched solve fig1.json -a mars -o $d/r -q; cp fig1.json $d.json; done
for f in results/b old new; do mrsched solve fig1.json -a mars -o $f.json.gz -q; done
echo '{"format":"mrsched-sweep/1","instances":[{"path":"fig1.json"},{"path":"dag.json"}],"algorithms":["mars","best"]}' > spec.json
gzip -c "$DATA/rumen/history.json" > trace.json.gz && gzip -c "$DATA/rumen/topology.json" > topology.json.gz
cp "$DATA/alibaba/jobs.csv" batch_task.csv && tar -czf batch_task.tar.gz batch_task.csv && gzip batch_task.csv
cp "$DATA/rcmax/two.txt" matrix.txt && cp "$DATA/swim/jobs.tsv" FB-2009.tsv
cp "$DATA/psplib/small.sm" j301_1.sm && cp "$DATA/psplib/small.rcp" RG300_1.rcp && cp "$DATA/stg/fork.stg" graph.stg && cp "$DATA/pcmax/three.txt" lengths.txt && cp "$DATA/rwct/two.csv" weighted.csv
mkdir eventlog_v2_app-20261123 && cp "$DATA/spark/app.json" eventlog_v2_app-20261123/events_1_app && cp "$DATA/spark/app.json" app.zstd
cp -r "$DATA/airflow/night" exports && mrsched import airflow exports -q -o night.json
for d in night p50 p90; do mrsched solve night.json -a fifo -o results/$d -q; done
cp "$DATA/wfformat/diamond.json" montage.json && cp "$DATA/wfformat/diamond.json" "$DATA/wfformat/plain.json" workflows
cp -r "$DATA/dbt" target && cp target/*[st].json . && cp "$DATA/slurm/sacct.txt" . && gzip -c "$DATA/swf/log.swf" > log.swf.gz
printf 'dag_id,task_id,duration\na,b,1:00:00\n' > tries.csv && printf 'hostname;cores;ram_gb\nn1;8;32\n' > hosts.csv`

// TestExitCodes: the help and docs/operations.md say the same about every exit code.
func TestExitCodes(t *testing.T) {
	_, help, _ := strings.Cut(described((&session{}).app()).Help(nil, grammar.Everything), "\nExit codes:\n")
	help, _, _ = strings.Cut(help, "A call with several")
	_, guide, _ := strings.Cut(readText(t, filepath.Join(root, "docs/operations.md")), "| exit code | |\n|---|---|\n")
	guide, _, _ = strings.Cut(guide, "\n\n")
	words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	want := words(strings.NewReplacer("`", "", "|", "").Replace(guide))
	if got := words(help); got != want || !strings.Contains(got, " 141 ") {
		t.Errorf("the help says\n%s\nand the document\n%s", got, want)
	}
}

// TestExamples runs every example of every help text, in order, in a folder with the shipped examples.
func TestExamples(t *testing.T) {
	tier.Slow(t)
	dir := t.TempDir()
	shipped, err := filepath.Glob(filepath.Join(root, "instances/examples/*"))
	if err != nil || len(shipped) == 0 {
		t.Fatal(err)
	}
	for _, path := range shipped {
		writeText(t, filepath.Join(dir, filepath.Base(path)), readText(t, path))
	}
	data, err := filepath.Abs(filepath.Join(root, "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	run := func(line string) (string, error) {
		cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", line) // TestMain put mrsched into PATH
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "DATA="+data)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(exampleFixture); err != nil {
		t.Fatal(err, out)
	}
	program := described((&session{stdout: io.Discard}).app())
	program.Walk(func(path []string, c *grammar.Command) {
		name := strings.Join(path, " ")
		if len(c.Examples) == 0 {
			t.Errorf("%s has no example", name)
		}
		lines := c.Examples
		for _, topic := range program.Topics {
			if c.Chooses && topic.Example != "" {
				lines = append(lines, fmt.Sprintf(topic.Example, name))
			}
		}
		for _, line := range lines {
			if out, err := run(line); err != nil {
				t.Errorf("%s\n%v\n%s", line, err, out)
			}
		}
	})
}

// TestHelpFits: columns are aligned, and lines fit, except for paths and words that cannot be broken.
func TestHelpFits(t *testing.T) {
	program := described((&session{}).app())
	texts := []string{program.Help(nil, ""), program.Help(nil, grammar.Everything)}
	program.Walk(func(path []string, _ *grammar.Command) {
		texts = append(texts, program.Help(path, ""), program.Help(path, "msjo"))
	})
	for _, text := range texts {
		title, _, _ := strings.Cut(text, "\n")
		for line := range strings.Lines(text) {
			words := strings.Fields(line)
			if utf8.RuneCountInString(line) > grammar.HelpWidth+1 && len(words) > 1 && !strings.Contains(line, "mrsched") {
				t.Errorf("%s: a long line: %s", title, line)
			}
			if strings.Contains(line, "(default: false)") || strings.Contains(line, "(default: )") {
				t.Errorf("%s: %s", title, line)
			}
		}
	}
}
