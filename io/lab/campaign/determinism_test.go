package campaign

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
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
	"time"

	"mrsched/model/tier"
)

// setting is a way to run the program on which no output may depend.
type setting struct {
	name    string
	env     []string // beside PATH, HOME and TMPDIR
	threads string   // of --threads, where a command has it
	away    bool     // from another directory, with absolute paths
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
		{name: "GOMAXPROCS 1, 1 thread", threads: "1", env: []string{"GOMAXPROCS=1"}, always: true},
		{name: "GOGC 5, 7 threads", threads: "7", env: []string{"GOGC=5"}, always: true},
		{name: "elsewhere, absolute paths", threads: "2", away: true, always: true},
		// reads of uninitialised memory show up
		{name: "C heap full of 0xaa; TZ, LANG, umask", threads: "2", umask: "077", env: []string{
			"GLIBC_TUNABLES=glibc.malloc.perturb=85", "TZ=Pacific/Kiritimati", "LANG=tr_TR.UTF-8",
			"LC_ALL=tr_TR.UTF-8", "LANGUAGE=de", "COLUMNS=40", "TERM=xterm", "NO_COLOR=1"}},
		{name: "C heap full of 0xfe, 1 thread, no preemption, memory limit", threads: "1", env: []string{
			"GLIBC_TUNABLES=glibc.malloc.perturb=1", "GODEBUG=asyncpreemptoff=1", "GOMEMLIMIT=64MiB"}},
		{name: "an old processor, GOMAXPROCS 2, 7 threads", threads: "7", env: append(old, "GOMAXPROCS=2")},
	}
}

// scenario is a series of calls in an empty directory. In their words @in is the directory of the inputs, @out that of
// the calls, @threads the number of threads.
type scenario struct {
	name  string
	calls [][]string
	runs  string // "PROBLEM ALGORITHM" that the scenario runs, if it ends with 0
	named bool   // what it writes names the instances as the command line does: paths must stay as they are
}

// observed holds digests of what a scenario wrote, by file, and of what it printed, by the call's number.
type observed map[string][sha256.Size]byte

// upwards leads from the directory of a scenario to the inputs.
const upwards = "../../../in"

// timings matches the only line on standard error that may depend on a clock.
var timings = regexp.MustCompile(`(?m)^[0-9.]+ s in all, [0-9]+ MiB\n`)

type lab struct {
	t           *testing.T
	program, in string
	out         string // directories of scenarios stand here

	mu                  sync.Mutex // of all below: scenarios run side by side
	tried, found, cells int
	ran                 map[string]bool
	calls               int
	broken              int // calls that panicked, or did not end
	codes               map[int]int
}

// TestDeterminism runs every command and every algorithm under settings that results must not depend on, and compares
// every byte printed or written.
func TestDeterminism(t *testing.T) {
	dir := t.TempDir()
	l := &lab{t: t, program: filepath.Join(dir, "mrsched"), in: filepath.Join(dir, "in"), out: filepath.Join(dir, "out"),
		ran: map[string]bool{}, codes: map[int]int{}}
	if text, err := exec.Command("go", "build", "-o", l.program, "../../..").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	all := l.scenarios()
	list := slices.DeleteFunc(settings(), func(s setting) bool { return !tier.Nightly && !s.always })
	var jobs []func()
	for _, d := range all {
		jobs = append(jobs, func() { l.compare(d, list) })
	}
	side(jobs)
	l.complete(all)
	Record(t, Row{Name: "determinism", Command: "make determinism", Tried: l.tried, Found: l.found + l.broken,
		Text: fmt.Sprintf("comparisons of files and outputs: %d series of commands under %d settings are %d cells, %d "+
			"calls of the program; %d algorithms",
			len(all), len(list), l.cells, l.calls, len(l.ran))})
	t.Logf("exit codes: %v", l.codes)
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

// compare runs a scenario under all settings and compares what it writes with that under the first.
func (l *lab) compare(d scenario, list []setting) {
	l.t.Helper()
	begin := time.Now()
	var first observed
	for k, s := range list {
		if d.named && s.away {
			continue
		}
		got, size := l.do(d, s)
		differ := []string{}
		if k == 0 {
			first = got
		} else {
			differ = differing(first, got)
		}
		for _, name := range differ {
			l.t.Errorf("%s: %s differs under %q\n%s", d.name, name, s.name, l.show(d, name, s))
		}
		if size == 0 {
			l.t.Errorf("%s: nothing was printed or written", d.name)
		}
		l.mu.Lock()
		l.cells++
		l.found += len(differ)
		if k > 0 {
			l.tried += len(got)
		}
		l.mu.Unlock()
		if k > 0 {
			l.remove(d, s)
		}
	}
	l.remove(d, list[0])
	if took := time.Since(begin); took > slow {
		l.t.Logf("%s took %s", d.name, took.Round(time.Second))
	}
}

// complete demands that every algorithm of every problem ran on some instance.
func (l *lab) complete(all []scenario) {
	for _, d := range all {
		if d.runs != "" && !l.ran[d.runs] {
			l.t.Errorf("%s ran on no instance", d.runs)
		}
	}
}

func (l *lab) place(d scenario, s setting) string {
	return filepath.Join(l.out, strings.ReplaceAll(s.name, " ", "-"), strings.ReplaceAll(d.name, " ", "-"))
}

func (l *lab) remove(d scenario, s setting) {
	if err := os.RemoveAll(l.place(d, s)); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) do(d scenario, s setting) (got observed, size int) {
	l.t.Helper()
	place := l.place(d, s)
	if err := os.MkdirAll(place, 0o755); err != nil {
		l.t.Fatal(err)
	}
	in, out, cwd := upwards, "", place
	if s.away {
		in, out, cwd = l.in, place+"/", l.t.TempDir()
	}
	got = observed{}
	well := true
	for k, words := range d.calls {
		args := make([]string, len(words))
		for i, w := range words {
			args[i] = strings.NewReplacer("@in", in, "@out/", out, "@threads", s.threads).Replace(w)
		}
		code, stdout, stderr := l.call(s, cwd, args)
		well = well && code == 0
		text := fmt.Sprintf("exit %d\n%s\n%s", code, stdout, timings.ReplaceAllString(stderr, ""))
		if s.away { // the program prints paths as they were given
			text = strings.NewReplacer(l.in, upwards, place+"/", "").Replace(text)
		}
		if err := os.WriteFile(filepath.Join(place, fmt.Sprintf("printed-%d", k)), []byte(text), 0o600); err != nil {
			l.t.Fatal(err)
		}
		size += len(stdout) + len(stderr)
	}
	if d.runs != "" && well {
		l.mu.Lock()
		l.ran[d.runs] = true
		l.mu.Unlock()
	}
	return got, size + l.collect(place, got)
}

func (l *lab) call(s setting, cwd string, args []string) (code int, stdout, stderr string) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), patience)
	defer cancel()
	if s.umask != "" {
		args = append([]string{"-c", `umask ` + s.umask + `; exec "$0" "$@"`, l.program}, args...)
	}
	c := exec.CommandContext(ctx, l.program, args...)
	if s.umask != "" {
		c = exec.CommandContext(ctx, "sh", args...)
	}
	var o, e bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = cwd, &o, &e
	c.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + l.out, "TMPDIR=" + l.out}, s.env...)
	err := c.Run()
	if c.ProcessState == nil {
		l.t.Fatal(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	l.codes[c.ProcessState.ExitCode()]++
	if ctx.Err() != nil || c.ProcessState.ExitCode() < 0 || c.ProcessState.ExitCode() == 1 ||
		strings.Contains(e.String(), "goroutine 1 [") {
		l.broken++
		l.t.Errorf("mrsched %q under %s: %v\n%s", args, s.name, err, e.Bytes())
	}
	return c.ProcessState.ExitCode(), o.String(), e.String()
}

// collect adds the digests of all files. A sweep's rows are sorted first, because they stand in the order in which runs
// ended; its timings are left out.
func (l *lab) collect(place string, got observed) (size int) {
	l.t.Helper()
	err := filepath.WalkDir(place, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(e.Name(), "timings-") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(place, path)
		if strings.HasPrefix(e.Name(), "rows-") {
			rows := slices.Sorted(strings.Lines(string(text)))
			text = []byte(strings.Join(rows, ""))
		}
		got[name] = sha256.Sum256(text)
		size += len(text)
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return size
}

// differing names the files that differ.
func differing(a, b observed) []string {
	names := maps.Clone(a)
	maps.Copy(names, b)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(names)), func(name string) bool {
		x, inA := a[name]
		y, inB := b[name]
		return inA && inB && x == y
	})
}

// show is the first line of a file that differs from that under the first setting. It keeps both files if the
// environment asks for evidence.
func (l *lab) show(d scenario, name string, s setting) string {
	var texts [2][]byte
	for k, s := range []setting{settings()[0], s} {
		texts[k], _ = os.ReadFile(filepath.Join(l.place(d, s), name)) // absent: shown as empty
	}
	kept := files{"first-" + filepath.Base(name): texts[0], "then-" + filepath.Base(name): texts[1]}
	where := kept.keep(l.t, "differs/"+strings.ReplaceAll(d.name+"/"+s.name, " ", "-"))
	a, b := bytes.Split(texts[0], []byte("\n")), bytes.Split(texts[1], []byte("\n"))
	for k := range min(len(a), len(b)) {
		if !bytes.Equal(a[k], b[k]) {
			return fmt.Sprintf("line %d: %.200q\nthen:   %.200q\nkept in %s", k+1, a[k], b[k], where)
		}
	}
	return fmt.Sprintf("%d lines, then %d; kept in %s", len(a), len(b), where)
}
