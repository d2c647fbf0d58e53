package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRevision: the version states what the linker was given.
func TestRevision(t *testing.T) {
	before := revision
	t.Cleanup(func() { revision = before })
	for stamp, want := range map[string]string{"": "not recorded in this build", "abc": "abc",
		"abc-modified": "abc, modified"} {
		revision = stamp
		var out bytes.Buffer
		if err := (&session{stdout: &out}).versionCommand().Action(nil); err != nil {
			t.Fatal(err)
		}
		if line := strings.Split(out.String(), "\n")[1]; strings.Join(strings.Fields(line), " ") != "revision "+want {
			t.Errorf("%q: %q", stamp, line)
		}
	}
}

// TestStamp checks what the Makefile gives the linker: for a commit, a changed one, a folder inside a repository, and
// without git.
func TestStamp(t *testing.T) {
	for _, program := range []string{"make", "git", "bash"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("there is no ", program)
		}
	}
	dir := t.TempDir()
	run := func(in string, command ...string) string {
		t.Helper()
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir = in
		for _, v := range os.Environ() { // a hook's would name another repository
			if !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "MAKE") {
				cmd.Env = append(cmd.Env, v)
			}
		}
		cmd.Env = append(cmd.Env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_CONFIG_NOSYSTEM=1", "GIT_COMMITTER_DATE=2026-11-23T22:37:35+01:00")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", command, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	makefile := readText(t, filepath.Join(root, "Makefile")) + "\nstamp:\n\t@$(STAMP)\n"
	for _, name := range []string{"Makefile", "inner/Makefile"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		writeText(t, filepath.Join(dir, name), makefile)
	}
	if got := run(dir, "make", "-s", "stamp"); got != "" {
		t.Errorf("without a repository: %q", got)
	}
	run(dir, "git", "init", "-q")
	if got := run(dir, "make", "-s", "stamp"); got != "" {
		t.Errorf("without a commit: %q", got)
	}
	run(dir, "git", "add", ".")
	run(dir, "git", "-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "m")
	want := "-X mrsched/io/cli.revisionTime=2026-11-23T21:37:35Z -X mrsched/io/cli.revision=" +
		run(dir, "git", "rev-parse", "HEAD")
	if got := run(dir, "make", "-s", "stamp"); got != want {
		t.Errorf("a commit: %q, want %q", got, want)
	}
	if got := run(filepath.Join(dir, "inner"), "make", "-s", "stamp"); got != "" {
		t.Errorf("inside of a repository: %q", got)
	}
	writeText(t, filepath.Join(dir, "new.go"), "")
	for _, x := range []struct {
		about string
		do    func()
	}{
		{"a changed commit", func() {}},
		{"files that git is not to show", func() { run(dir, "git", "config", "status.showUntrackedFiles", "no") }},
		{"an index that git cannot read", func() {
			if err := errors.Join(os.Remove(filepath.Join(dir, "new.go")), os.WriteFile(filepath.Join(dir, ".git", "index"),
				[]byte("broken"), 0o644)); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		x.do()
		if got := run(dir, "make", "-s", "stamp"); !strings.HasSuffix(got, want+modifiedMark) { // git may complain first
			t.Errorf("%s: %q, want %q", x.about, got, want+modifiedMark)
		}
	}
}
