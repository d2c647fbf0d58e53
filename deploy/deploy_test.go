// Package deploy tests the scripts, units and images that run mrsched on other engines. It has no code of its own.
package deploy

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mrsched/instances"
	"mrsched/io/cli"
	"mrsched/model/tier"
)

// TestMain lets scripts run this test binary as mrsched.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mrsched": func() { cli.Exit(cli.Main(os.Args, os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// needs skips a test if a program that it runs is missing; under make release-test it fails then.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		switch _, err := exec.LookPath(p); {
		case err != nil && os.Getenv(releaseVariable) != "":
			t.Fatalf("this machine has no %s; make release-deps installs compilers, file and qemu-user", p)
		case err != nil:
			t.Skipf("this machine has no %s", p)
		}
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// TestScripts runs testdata/*.txtar. Every script finds the shipped examples in examples/, and the scripts in $DEPLOY.
func TestScripts(t *testing.T) {
	needs(t, "bash", "flock")
	deploy := absolute(t, ".")
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(cond string) (bool, error) {
			if cond != "nightly" {
				return false, errors.New("unknown condition " + cond)
			}
			return tier.Nightly, nil
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("DEPLOY", deploy)
			dir := filepath.Join(e.WorkDir, "examples")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			for _, p := range instances.Examples() {
				if err := os.WriteFile(filepath.Join(dir, p.Name+".json"), p.Document, 0o600); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

// TestShell lets shellcheck read every shell script.
func TestShell(t *testing.T) {
	needs(t, "shellcheck")
	var scripts []string
	for _, pattern := range []string{"*/*.sh", "*/*.sbatch"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		scripts = append(scripts, found...)
	}
	if len(scripts) < 4 {
		t.Fatalf("only %v", scripts)
	}
	if out, err := exec.Command("shellcheck", scripts...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// lines returns the non-empty lines of a text file, without comments.
func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if s := strings.TrimSpace(line); s != "" && !strings.HasPrefix(s, "#") {
			list = append(list, line)
		}
	}
	return list
}

// write makes a file, with its folder.
func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
