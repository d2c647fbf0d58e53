package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	containerfile = "kubernetes/Containerfile"
	root          = ".."
)

// buildVariable, if set, makes the tests build what images build: make test-deploy does.
const buildVariable = "TEST_DEPLOY_BUILD"

// instruction is one instruction of a Containerfile: COPY and its arguments.
type instruction struct {
	name string
	args []string
}

// stages are the instructions of a Containerfile from each FROM to the next.
func stages(t *testing.T) [][]instruction {
	t.Helper()
	var list [][]instruction
	whole := ""
	for _, line := range lines(t, containerfile) {
		if rest, more := strings.CutSuffix(line, `\`); more {
			whole += rest
			continue
		}
		f := strings.Fields(whole + line)
		whole = ""
		if f[0] == "FROM" {
			list = append(list, nil)
		}
		if len(list) == 0 {
			t.Fatalf("%s stands before FROM", f[0])
		}
		last := len(list) - 1
		list[last] = append(list[last], instruction{f[0], f[1:]})
	}
	if whole != "" || len(list) != 2 {
		t.Fatalf("%d stages, and at the end %q", len(list), whole)
	}
	return list
}

func TestContainerfile(t *testing.T) {
	known := []string{"FROM", "RUN", "COPY", "WORKDIR", "USER", "ENTRYPOINT", "CMD"}
	image := regexp.MustCompile(`^(golang|debian):[a-z0-9.-]+$`) // no registry's host, and not whatever is the latest
	names := []string{}
	user := ""
	list := stages(t)
	for i, stage := range list {
		for _, x := range stage {
			switch {
			case !slices.Contains(known, x.name):
				t.Errorf("unknown instruction %s", x.name)
			case x.name == "FROM":
				if !image.MatchString(x.args[0]) || strings.HasSuffix(x.args[0], ":latest") {
					t.Errorf("image %s", x.args[0])
				}
				user = "root"
				if len(x.args) == 3 && x.args[1] == "AS" {
					names = append(names, x.args[2])
				}
			case x.name == "USER":
				user = x.args[0]
			case x.name == "RUN" && i == len(list)-1:
				t.Errorf("the final stage runs %v", x.args)
			case x.name == "COPY" && strings.HasPrefix(x.args[0], "--"):
				from, ok := strings.CutPrefix(x.args[0], "--from=")
				if !ok || !slices.Contains(names, from) {
					t.Errorf("COPY %s: the stages are %v", x.args[0], names)
				}
			case x.name == "COPY":
				for _, source := range x.args[:len(x.args)-1] {
					if _, err := os.Stat(filepath.Join(root, source)); err != nil {
						t.Errorf("COPY: %v", err)
					}
				}
			}
		}
	}
	if !regexp.MustCompile(`^[1-9][0-9]*:[1-9][0-9]*$`).MatchString(user) {
		t.Errorf("the final user is %s", user)
	}
	makefile := lines(t, filepath.Join(root, "Makefile"))
	for _, target := range targets(list[0]) {
		if !slices.ContainsFunc(makefile, func(line string) bool { return strings.HasPrefix(line, target+":") }) {
			t.Errorf("the Makefile has no target %s", target)
		}
	}
}

// targets are what a stage makes.
func targets(stage []instruction) (list []string) {
	for _, x := range stage {
		if x.name == "RUN" && x.args[0] == "make" {
			list = append(list, x.args[1:]...)
		}
	}
	return list
}

// TestContainerSources copies the files that the first stage copies. They must include every package and embedded file
// of mrsched, and in make test-deploy its command must build a working program.
func TestContainerSources(t *testing.T) {
	dir := t.TempDir()
	build := stages(t)[0]
	for _, x := range build {
		if x.name != "COPY" {
			continue
		}
		for _, source := range x.args[:len(x.args)-1] {
			from, to := filepath.Join(root, source), filepath.Join(dir, source)
			if info, err := os.Stat(from); err != nil {
				t.Fatal(err)
			} else if info.IsDir() {
				if err := os.CopyFS(to, os.DirFS(from)); err != nil {
					t.Fatal(err)
				}
				continue
			}
			text, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			write(t, to, string(text), 0o644)
		}
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	run("go", "list", "-deps", ".")
	if os.Getenv(buildVariable) == "" {
		t.Log("not built: " + buildVariable + " is not set")
		return
	}
	run("make", targets(build)...)
	if out := run("bin/mrsched", "--help"); !strings.Contains(out, "sweep") {
		t.Errorf("the program of the image prints %s", out)
	}
}
