package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the digests of testdata/recorded anew")

// unrecorded lists the files that TestRecorded does not compare: they hold durations or drawings.
var unrecorded = []string{"*.svg", "*.html", "timings-*", "rows-*", "stats.json", "summary.md"}

// TestRecorded runs the commands of testdata/recorded/*.txt in the built program. It compares the exit code, the
// standard output and every written file with the digests beside them. A change that moves code keeps all digests. One
// that changes results writes new ones with -update, and its description says which and why.
func TestRecorded(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "mrsched")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lists, err := filepath.Glob("testdata/recorded/*.txt")
	if err != nil || len(lists) == 0 {
		t.Fatalf("no commands: %v", err)
	}
	for _, list := range lists {
		t.Run(strings.TrimSuffix(filepath.Base(list), ".txt"), func(t *testing.T) {
			t.Parallel()
			got := record(t, bin, list)
			sums := strings.TrimSuffix(list, ".txt") + ".sums"
			if *update {
				if err := os.WriteFile(sums, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(sums)
			if err != nil {
				t.Fatal(err)
			}
			compareRecords(t, strings.Split(strings.TrimSpace(string(want)), "\n"), got)
		})
	}
}

// record runs the commands of a list in a directory of their own and returns a line for each output and file.
func record(t *testing.T, bin, list string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, target := range map[string]string{"ex": "instances/examples", "td": "testdata"} {
		from, err := filepath.Abs(target)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(from, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]string{}
	for n, command := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if strings.HasPrefix(command, "#") {
			continue
		}
		run := exec.Command(bin, strings.Fields(command)...)
		run.Dir, run.Env = dir, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "NO_COLOR=1"}
		out, err := run.Output()
		code := 0
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			code = failed.ExitCode()
			if code != 4 && code != 3 { // a finding about the instance is a result
				t.Errorf("%s:%d: exit code %d: mrsched %s\n%s", list, n+1, code, command, failed.Stderr)
			}
		} else if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%x %s exit %d", sha256.Sum256(out), command, code))
		for name, sum := range written(t, dir) {
			if seen[name] != sum {
				seen[name] = sum
				lines = append(lines, sum+" "+name)
			}
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[65:], b[65:]) })
	return lines
}

// written is the digest of every recorded file below a directory.
func written(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || matches(unrecorded, d.Name()) {
			return err
		}
		text, err := os.ReadFile(path)
		sums[strings.TrimPrefix(path, dir+"/")] = fmt.Sprintf("%x", sha256.Sum256(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// compareRecords lists every line that one record lacks.
func compareRecords(t *testing.T, want, got []string) {
	t.Helper()
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("not as recorded: %s", line[65:])
		}
	}
	for _, line := range want {
		name := func(other string) bool { return other[65:] == line[65:] }
		if !slices.ContainsFunc(got, name) {
			t.Errorf("recorded, but not written now: %s", line[65:])
		}
	}
}
