package deploy

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stub stands for mrsched: solve makes one result of instance a, and each command ends with the code that its variable
// says.
const stub = `#!/bin/bash
command=$1
all=$*
while (($# > 1)); do [ "$1" != -o ] || out=$2; shift; done
[ "${GOTRACEBACK-}" = crash ] || exit 99 # else a crash ends with 2, as bad input does
case $command in
solve)
	if [ -n "${UNWRITABLE-}" ]; then mkdir -p report.txt; fi
	if [ "$out" = results/b ]; then
		echo 'F104 b.json:1:1: the end' >&2
		mkdir -p "$out" && echo '{}' >"$out/result.json" && exit "${ALONE-0}"
	fi
	if [ -z "${EMPTY-}" ]; then mkdir -p "$out/a" && echo "${MARK-}" >"$out/a/result.json"; fi
	if [ -n "${LATE-}" ]; then printf "$LATE" >results/a/jobs.csv; fi
	if [ -n "${SLOW-}" ]; then
		trap 'exit 130' TERM
		if [ -n "${DEAF-}" ]; then trap '' TERM; fi
		echo $$ >"$SLOW"
		for ((i = 0; i < 600; i++)); do sleep 0.1; done
	fi
	if [ -n "${KILLED-}" ]; then
		printf 'fatal error: out of memory\n\ngoroutine 1 [running]:\nmain.main()\n' >&2
		kill -KILL $$
	fi
	exit "${SOLVE-0}" ;;
lint)
	if [ -z "${LINTED-}" ]; then echo 'error F104 the end'; exit 2; fi
	echo 'a.json: 1 job; 0 errors, 1 warning'
	echo "warning S420 $LINTED:2:1: the processing_time 197000 of task \"m\" is 961 times the median"
	exit 0 ;;
check)
	if [ -n "${SLOW_CHECK-}" ]; then
		trap 'exit 130' TERM
		echo $$ >"$SLOW_CHECK"
		for ((i = 0; i < 600; i++)); do sleep 0.1; done
	fi
	echo 'results/a: ok: best'
	echo '2 instances, 1 result'
	exit "${CHECK-0}" ;;
diff)
	case " $all " in *' --brief '*) printf '1 worse\n\na: worse\n'; exit 0 ;; esac
	echo compared; exit "${DIFF-0}" ;;
esac
exit 1
`

// night is a folder with two instances, settings and the stub.
type night struct {
	t   *testing.T
	dir string
}

func newNight(t *testing.T, settings string) night {
	t.Helper()
	needs(t, "bash", "flock")
	n := night{t, t.TempDir()}
	write(t, n.path("mrsched"), stub, 0o700)
	write(t, n.path("instances/a.json"), "{}", 0o600)
	write(t, n.path("instances/b.json"), "{}", 0o600)
	write(t, n.path("conf"), fmt.Sprintf("INSTANCES=%s\nRESULTS=%s\nMRSCHED=%s\n%s", n.path("instances"), n.path("nights"),
		n.path("mrsched"), settings), 0o600)
	return n
}

func (n night) path(name string) string { return filepath.Join(n.dir, name) }

func (n night) command(env ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command(absolute(n.t, "nightly/nightly.sh"), n.path("conf"))
	cmd.Env = append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

// run is a night's exit code and what it printed.
func (n night) run(env ...string) (int, string) {
	n.t.Helper()
	cmd, out := n.command(env...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		n.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// kept are the names of the nights that are kept.
func (n night) kept() []string {
	n.t.Helper()
	list, err := filepath.Glob(n.path("nights/[0-9]*"))
	if err != nil {
		n.t.Fatal(err)
	}
	for i := range list {
		list[i] = filepath.Base(list[i])
	}
	return list
}

// file is the text of a file of the nights.
func (n night) file(name string) string {
	n.t.Helper()
	text, err := os.ReadFile(filepath.Join(n.path("nights"), name))
	if err != nil {
		n.t.Fatal(err)
	}
	return string(text)
}

// TestNightlyCodes lets mrsched end with every code that it has, and with some that it has not. Only what passes the
// check replaces the last good results.
func TestNightlyCodes(t *testing.T) {
	for _, c := range []struct {
		env  string // of the second night
		want int
		says string // in the report
		good bool   // the night's results are the last good ones
	}{
		{"SOLVE=0", 0, "all solved", true}, {"SOLVE=1", 1, "internal error", true}, {"SOLVE=2", 2, "bad input", true},
		{"SOLVE=4", 4, "violates", true}, {"SOLVE=5", 5, "LP solver", true}, {"SOLVE=6", 6, "limit", true},
		{"SOLVE=130", 130, "interrupted", true}, {"KILLED=yes", 137, "ended with code 137", true},
		{"CHECK=4", 4, "violates", false}, {"CHECK=2", 2, "bad input", true}, {"CHECK=1", 1, "internal error", false},
		{"CHECK=5", 5, "LP solver", false}, {"CHECK=130", 130, "interrupted", false},
		{"DIFF=1", 0, "; 1 worse\n\na: worse\n", true}, {"DIFF=2", 0, "all solved", true},
		{"DIFF=70", 1, "internal error", true}, {"DIFF=130", 130, "interrupted", true},
		// The most serious code counts: 130, 1, 5, 4, 2, 6, 0.
		{"SOLVE=6 CHECK=4", 4, "violates", false}, {"SOLVE=5 CHECK=4", 5, "LP solver", false},
		{"SOLVE=6 CHECK=2", 2, "bad input", true}, {"SOLVE=2 DIFF=70", 1, "internal error", true},
		{"EMPTY=yes SOLVE=2", 2, "the night is not kept", false}, {"EMPTY=yes SOLVE=0", 1, "the night is not kept", false},
	} {
		t.Run(c.env, func(t *testing.T) {
			t.Parallel()
			n := newNight(t, "")
			if code, out := n.run("MARK=first"); code != 0 {
				t.Fatalf("the first night ends with %d\n%s", code, out)
			}
			first := n.kept()
			code, out := n.run(append(strings.Fields(c.env), "MARK=second")...)
			if code != c.want || !strings.Contains(out, c.says) {
				t.Errorf("exit %d, want %d; the report should say %q:\n%s", code, c.want, c.says, out)
			}
			if is := n.file("last/results/a/result.json") == "second\n"; is != c.good {
				t.Errorf("the results are the last good ones: %v", is)
			}
			names := n.kept()
			if strings.Contains(c.env, "EMPTY") {
				if len(names) != 1 {
					t.Errorf("kept %v", names)
				}
			} else if len(names) != 2 || names[0] != first[0] || n.file(names[1]+"/results/a/result.json") != "second\n" {
				t.Errorf("kept %v", names)
			}
		})
	}
}

// until waits for a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timed out: %s", what)
		}
	}
}

// TestNightlyKilled kills a night: the next one removes what it left half done, and succeeds. As long as mrsched itself
// goes on, there is no next one.
func TestNightlyKilled(t *testing.T) {
	n := newNight(t, "")
	cmd, _ := n.command("SLOW=" + n.path("solving"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout, cmd.Stderr = nil, nil // else Wait would wait for the stub too
	n.begin(cmd)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if code, out := n.run(); code != 75 || !strings.Contains(out, "another night") {
		t.Errorf("mrsched still runs, and the next night ends with %d\n%s", code, out)
	}
	stub, err := os.ReadFile(n.path("solving"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(stub)))
	if err != nil {
		t.Fatal(err)
	}
	group, err := syscall.Getpgid(pid) // mrsched is in a process group of its own
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(-group, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "the lock is still held", func() bool { code, _ := n.run(); return code == 0 })
	entries, err := os.ReadDir(n.path("nights"))
	if err != nil || len(entries) != 3 { // .lock, last and the night
		t.Errorf("left: %v %v", entries, err)
	}
}

// TestNightlyUsage: without a file of settings, or with several, the script says how it is called.
func TestNightlyUsage(t *testing.T) {
	needs(t, "bash")
	for _, c := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{nil, 2, "", "usage: nightly.sh CONFIG\n"}, {[]string{"a", "b"}, 2, "", "usage: nightly.sh CONFIG\n"},
		{[]string{"--help"}, 0, "usage: nightly.sh CONFIG\n", ""},
		{[]string{"nowhere"}, 2, "", "nightly: cannot read nowhere\n"}, {[]string{"/"}, 2, "", "nightly: cannot read /\n"},
	} {
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(absolute(t, "nightly/nightly.sh"), c.args...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		_ = cmd.Run() // its code is looked at
		if got := cmd.ProcessState.ExitCode(); got != c.code || !strings.HasPrefix(stdout.String(), c.stdout) ||
			!strings.HasPrefix(stderr.String(), c.stderr) || (c.stdout == "") != (stdout.Len() == 0) {
			t.Errorf("%q: exit %d\n%s%s", c.args, got, &stdout, &stderr)
		}
	}
}

// TestNightlySettings: what is no setting, or a wrong one, is refused before anything is written; what the shell allows
// besides settings is not.
func TestNightlySettings(t *testing.T) {
	for settings, says := range map[string]string{ // they begin on line 4
		"KEEPS=3\nexport TIMELIMIT=4m\n": "nightly: CONF: unknown setting KEEPS TIMELIMIT; expected one of INSTANCES, ",
		"KEEP=2\nKEEP = 14\n":            "CONF: line 5: KEEP: ",
		"cd /nowhere\nKEEP=2":            "CONF: line 4: cd: ",
		"NOTIFY='cat":                    "CONF: line 4: ",
		"OPTIONS=(--seed 1":              "CONF: line ",
		"INSTANCES=/nowhere":             "INSTANCES",
		"RESULTS=":                       "RESULTS",
		"KEEP=0":                         "KEEP",
		"NOTIFY_WHEN=never":              "NOTIFY_WHEN",
		"MRSCHED=/nowhere/mr":            "MRSCHED",
		"folder=x\nPATH=$PATH:/opt\nNOTIFY='cat <<END\nFOO=bar\nEND\n'\nOPTIONS=(\n  --seed 1 # one\n)\nif false; then " +
			"KEPE=1; fi\n[ -d /nowhere ] && KEEP=1": "",
	} {
		n := newNight(t, settings)
		code, out := n.run()
		out = strings.ReplaceAll(out, n.path("conf"), "CONF")
		if want := map[bool]int{true: 2}[says != ""]; code != want || !strings.Contains(out, says) ||
			want != 0 && len(n.kept()) > 0 {
			t.Errorf("%s: exit %d\n%s", settings, code, out)
		}
	}
}
