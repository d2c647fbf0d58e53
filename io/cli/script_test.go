package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/model/tier"
)

var update = flag.Bool("update", false, "rewrite README.md, docs and scripts from what the program prints")

const (
	root    = "../.."
	scripts = root + "/testdata/script"
	traces  = root + "/../shared/traces" // of developers; does not belong to the repository
)

// TestMain lets scripts run this test binary as mrsched.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mrsched":        func() { Exit(Main(os.Args, os.Stdin, os.Stdout, os.Stderr)) },
		"mrsched-mortal": mortal,
	})
}

// TestScripts runs testdata/script/*.txtar: the command line as users see it. Every script finds the shipped
// examples and mars.json, a small generated instance, in its folder. "run mrsched …" runs in this process, "exec
// mrsched …" in one of its own, which takes the variables and the standard input that the script states.
func TestScripts(t *testing.T) {
	tier.Slow(t)
	testscript.RunT(serial{t}, testscript.Params{
		Dir:                 scripts,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "traces":
				return engine.Exists(traces), nil
			case "nightly":
				return tier.Nightly, nil
			case "tool":
				return os.Getenv(tier.Tool) != "", nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"run":     runHere,
			"exits":   exits,
			"valid":   valid,
			"replace": replace,
			"moved":   moved,
		},
	})
}

func setup(e *testscript.Env) error {
	for name, path := range map[string]string{"REPO": root, "TRACES": traces} {
		abs, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		e.Setenv(name, abs)
	}
	if race := os.Getenv("GORACE"); race != "" { // directory for the race detector's reports, also for the program's
		e.Setenv("GORACE", race)
	}
	for _, p := range instances.Examples() {
		if err := os.WriteFile(filepath.Join(e.WorkDir, p.Name+".json"), p.Document, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(e.WorkDir, "mars.json"), marsInstance(), 0o644)
}

// marsInstance is made once, because scripts run in parallel and Main runs only once in a process outside tests.
var marsInstance = sync.OnceValue(func() []byte {
	var out bytes.Buffer
	if code := Main([]string{"mrsched", "generate", "msjo", "--jobs", "4", "--machines", "20", "-o", "-"}, nil, &out,
		os.Stderr); code != engine.ExitDone {
		panic(fmt.Sprintf("generate: exit %d", code))
	}
	return out.Bytes()
})

// serial runs one script at a time, because the folder belongs to the process.
type serial struct{ *testing.T }

func (serial) Parallel() {}

func (serial) Verbose() bool { return testing.Verbose() }

func (t serial) Run(name string, run func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { run(serial{t}) })
}

// here runs mrsched in this process, in the folder of the script, and returns the exit code.
func here(ts *testscript.TestScript, args []string) int {
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	code := Main(append([]string{"mrsched"}, args...), strings.NewReader(""), ts.Stdout(), ts.Stderr())
	ts.Check(os.Chdir(before))
	return code
}

// run calls the program in this process, and returns its standard output.
func run(t *testing.T, want int, args ...string) string {
	t.Helper()
	stdout, _ := runBoth(t, want, args...)
	return stdout
}

// runBoth calls the program in this process, and returns what it prints.
func runBoth(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, messages bytes.Buffer
	if code := Main(append([]string{"mrsched"}, args...), nil, &out, &messages); code != want {
		t.Fatalf("%v: exit %d, want %d\n%s%s", args, code, want, out.String(), messages.String())
	}
	return out.String(), messages.String()
}

// runHere runs mrsched in this process; it must end with 0, or after "!" with another code: run mrsched solve ….
func runHere(ts *testscript.TestScript, neg bool, args []string) {
	if code := here(ts, args[1:]); (code == engine.ExitDone) == neg {
		ts.Fatalf("exit %d", code)
	}
}

// exits runs a command that must end with the given exit code: exits 2 mrsched solve …, or exits 2 exec PROGRAM ….
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if err != nil || neg || len(args) < 3 {
		ts.Fatalf("usage: exits CODE mrsched|exec PROGRAM [ARGUMENT…]")
	}
	got := 0
	if args[1] == "mrsched" {
		got = here(ts, args[2:])
	} else {
		var exit *exec.ExitError
		switch err := ts.Exec(args[2], args[3:]...); {
		case errors.As(err, &exit):
			got = exit.ExitCode()
		case err != nil:
			ts.Check(err)
		}
	}
	if got != want {
		ts.Fatalf("exit %d, want %d", got, want)
	}
}

// valid checks documents, one after another in a file, against a schema: valid SCHEMA FILE.
func valid(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: valid SCHEMA FILE")
	}
	text, err := schemaOf(args[0])
	ts.Check(err)
	schema, err := compile(text)
	ts.Check(err)
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[1])))
	n := 0
	for ; ; n++ {
		var doc json.RawMessage
		if err := d.Decode(&doc); errors.Is(err, io.EOF) {
			break
		} else {
			ts.Check(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
		ts.Check(err)
		ts.Check(schema.Validate(v))
	}
	if n == 0 {
		ts.Fatalf("%s holds no document", args[1])
	}
}

func compile(text []byte) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("schema.json")
}

// replace replaces the first occurrence of a text in a file: replace FILE OLD NEW.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 || neg {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("no %q in %s:\n%s", args[1], args[0], text)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o644))
}

// moved changes the start of a task in a schedule, in seconds: moved FILE TASK START.
func moved(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 || neg {
		ts.Fatalf("usage: moved FILE TASK START")
	}
	lines := strings.Split(ts.ReadFile(args[0]), "\n")
	for i, line := range lines {
		f := strings.Split(line, ",")
		if f[0] != args[1] {
			continue
		}
		start, err1 := strconv.ParseFloat(f[4], 64)
		end, err2 := strconv.ParseFloat(f[5], 64)
		to, err3 := strconv.ParseFloat(args[2], 64)
		ts.Check(errors.Join(err1, err2, err3))
		f[4], f[5] = args[2], strconv.FormatFloat(to+end-start, 'f', -1, 64)
		lines[i] = strings.Join(f, ",")
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(lines, "\n")), 0o644))
		return
	}
	ts.Fatalf("%s has no task %s", args[0], args[1])
}
