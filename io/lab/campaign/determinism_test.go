package campaign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mrsched/model/tier"
)

// setting is a way to run the program on which no output may depend.
type setting struct {
	name    string
	env     []string // beside PATH, HOME and TMPDIR
	threads string   // of --threads, where a command has it
	umask   string
	always  bool // also in the small version
}

// settings are compared with the first of them.
func settings() []setting {
	old := []string{"GODEBUG=cpu.all=off",
		"GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512F,-FMA,-FMA4,-SSE4_1,-SSE4_2"}
	return []setting{
		{name: "2 threads", threads: "2", always: true},
		{name: "the same again, GOGC off", threads: "2", env: []string{"GOGC=off"}},
		{name: "GOMAXPROCS 1, 1 thread", threads: "1", env: []string{"GOMAXPROCS=1"}},
		{name: "GOGC 5, 7 threads", threads: "7", env: []string{"GOGC=5"}, always: true},
		// reads of uninitialised memory show up
		{name: "C heap full of 0xaa; TZ, LANG, umask", threads: "2", umask: "077", env: []string{
			"GLIBC_TUNABLES=glibc.malloc.perturb=85", "TZ=Pacific/Kiritimati", "LANG=tr_TR.UTF-8",
			"LC_ALL=tr_TR.UTF-8", "LANGUAGE=de", "COLUMNS=40", "TERM=xterm"}, always: true},
		{name: "C heap full of 0xfe, 1 thread, no preemption, memory limit", threads: "1", env: []string{
			"GLIBC_TUNABLES=glibc.malloc.perturb=1", "GODEBUG=asyncpreemptoff=1", "GOMEMLIMIT=64MiB"}},
		{name: "an old processor, GOMAXPROCS 2, 7 threads", threads: "7", env: append(old, "GOMAXPROCS=2")},
	}
}

// series are commands that run one after the other in a directory with links ex and td, to the shipped examples and to
// testdata.
type series struct {
	name     string
	commands []string
}

// further are commands that testdata/recorded lacks: sweeps, whole and in shards, sizes, formats, words and bad input.
const further = `
sweep spec.json -o whole -q
sweep merge whole --json --force
sweep spec.json -o parts -q --shard 1/3
sweep spec.json -o parts -q --shard 3/3
sweep spec.json -o parts -q --shard 2/3
sweep merge parts
sweep spec.json --dry-run --shards 3
generate cluster --tasks 12 --nodes 4 --mean-tasks 1 -o cluster.json.gz
size cluster.json.gz --nodes 2..4 --iterations 20 -o sizes
size cluster.json.gz --nodes 3 --iterations 20 --json
generate msjo --preset mars --jobs 4 -o -
import pcmax td/pcmax/three.txt -o -
import psplib td/psplib/small.sm -o psplib.json.gz
import rwct td/rwct/two.csv -o rwct
import stg td/stg/fork.stg --machines 2 -o -
man
completion bash
solve --help
experiment
sove
solve ex/phi.cnf
solve nowhere.json
compare spec.json
`

// spec is a sweep over several problems.
const spec = `{"format":"mrsched-sweep/1","name":"problems","instances":[
{"path":"ex/fig1.json"},{"path":"ex/d*.json"},{"path":"none.json"},
{"generate":"hta","parameters":{"tasks":40,"servers":8,"zipf":1.2},"seeds":[1]}],
"algorithms":["mars","best","flow","edf","delay","tetris"],
"parameters":{"tie":["first","random"]},"iterations":10,"seeds":[1,2]}
`

// allSeries are the recorded commands, in full campaigns only, since TestRecorded runs them too, and the further ones.
func allSeries(t *testing.T) []series {
	t.Helper()
	list := []series{{"further", strings.Split(strings.TrimSpace(further), "\n")}}
	if !tier.Nightly {
		return list
	}
	paths, err := filepath.Glob("../../../testdata/recorded/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		noError(t, err)
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		list = append(list, series{filepath.Base(path), slices.DeleteFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, "#")
		})})
	}
	return list
}

// timings matches the only line on standard error that may depend on a clock.
var timings = regexp.MustCompile(`(?m)^[0-9.]+ s in all, [0-9]+ MiB\n`)

type lab struct {
	t            *testing.T
	program, out string // directories of series stand in the latter

	mu           sync.Mutex // of all below: series run side by side
	tried, found int
}

// TestDeterminism runs commands under settings that results must not depend on, and compares every byte printed or
// written. TestMatrix does so for every algorithm with more threads and in another order.
func TestDeterminism(t *testing.T) {
	dir := t.TempDir()
	l := &lab{t: t, program: filepath.Join(dir, "mrsched"), out: filepath.Join(dir, "out")}
	if text, err := exec.Command("go", "build", "-o", l.program, "../../..").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	list := slices.DeleteFunc(settings(), func(s setting) bool { return !tier.Nightly && !s.always })
	var jobs []func()
	for _, d := range allSeries(t) {
		jobs = append(jobs, func() { l.compare(d, list) })
	}
	side(jobs)
	Record(t, Row{"determinism", l.tried, l.found})
}

// TestDeterminismOfProducts: no line of the models and generators becomes a fused multiply-add, which rounds once
// instead of twice, on processors that have it. So verdicts are the same on all of them, and so are instances whose
// generators do not call functions such as math.Pow, which the library itself rounds otherwise there.
func TestDeterminismOfProducts(t *testing.T) {
	if !tier.Nightly || runtime.GOARCH != "amd64" {
		t.Skip("compiles for amd64, in make determinism")
	}
	build := exec.Command("go", "build", "-trimpath", "-gcflags=mrsched/...=-S", "../../../model/...",
		"../../../instances/...")
	build.Env = append(os.Environ(), "GOAMD64=v3")
	text, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v", err)
	}
	fused := regexp.MustCompile(`\((mrsched/(?:model|instances)/\S+)\)\s+VFN?M(?:ADD|SUB)\S*`)
	if !regexp.MustCompile(`\(mrsched/model/\S+\)\s+V?MULSD`).Match(text) {
		t.Error("the compiler printed no instructions of model")
	}
	for _, m := range fused.FindAllSubmatch(text, -1) {
		t.Errorf("%s: write float64(x*y) around the product, which is added in the same instruction", m[1])
	}
}

// compare runs a series under all settings and compares what it writes with that under the first.
func (l *lab) compare(d series, list []setting) {
	l.t.Helper()
	first := l.do(d, list[0])
	for _, s := range list[1:] {
		got := l.do(d, s)
		all := maps.Clone(first)
		maps.Copy(all, got)
		found := 0
		for _, name := range slices.Sorted(maps.Keys(all)) {
			was, before := first[name]
			is, now := got[name]
			if before != now || was != is {
				found++
				l.t.Errorf("%s: %s differs under %q\n%s", d.name, name, s.name, brief(cmp.Diff(was, is)))
			}
		}
		l.mu.Lock()
		l.found += found
		l.tried += len(got)
		l.mu.Unlock()
	}
}

// withThreads are the commands that have the flag --threads.
var withThreads = regexp.MustCompile(`^(solve|compare|validate|experiment|size|sweep) .*-[oq] `)

// do runs a series and returns what it prints and writes, by file. A sweep's rows are sorted, because they stand in the
// order in which runs ended; its statistics are left out.
func (l *lab) do(d series, s setting) map[string]string {
	l.t.Helper()
	place := filepath.Join(l.out, strings.ReplaceAll(s.name, " ", "-"), d.name)
	examples, err := filepath.Abs("../../../instances/examples")
	data, err2 := filepath.Abs("../../../testdata")
	if err := errors.Join(err, err2, os.MkdirAll(place, 0o755), os.Symlink(examples, filepath.Join(place, "ex")),
		os.Symlink(data, filepath.Join(place, "td")),
		os.WriteFile(filepath.Join(place, "spec.json"), []byte(spec), 0o600)); err != nil {
		l.t.Fatal(err)
	}
	for k, line := range d.commands {
		args := strings.Fields(line)
		if withThreads.MatchString(line + " ") {
			args = append(args, "--threads", s.threads)
		}
		code, stdout, stderr := l.call(s, place, args)
		text := fmt.Sprintf("mrsched %s: exit %d\n%s\n%s", line, code, stdout, timings.ReplaceAllString(stderr, ""))
		noError(l.t, os.WriteFile(filepath.Join(place, fmt.Sprintf("printed-%d", k)), []byte(text), 0o600))
	}
	list := listing(l.t, place)
	for name, text := range list {
		switch base := filepath.Base(name); {
		case base == "stats.json":
			delete(list, name)
		case strings.HasPrefix(base, "rows-"):
			list[name] = strings.Join(slices.Sorted(strings.Lines(text)), "")
		}
	}
	noError(l.t, os.RemoveAll(place))
	return list
}

func (l *lab) call(s setting, cwd string, args []string) (code int, stdout, stderr string) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), patience)
	defer cancel()
	line := append([]string{"-c", `[ -z "$0" ] || umask "$0"; exec "$@"`, s.umask, l.program}, args...)
	c := exec.CommandContext(ctx, "sh", line...)
	var o, e bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = cwd, &o, &e
	c.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + l.out, "TMPDIR=" + l.out}, s.env...)
	err := c.Run()
	if c.ProcessState == nil {
		l.t.Fatal(err)
	}
	code = c.ProcessState.ExitCode()
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() != nil || code < 0 || code == exitInternal || strings.Contains(e.String(), "goroutine 1 [") {
		l.found++
		l.t.Errorf("mrsched %q under %s: %v\n%s", args, s.name, err, e.Bytes())
	}
	return code, o.String(), e.String()
}
