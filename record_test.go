package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/model/tier"
)

var update = flag.Bool("update", false, "write the digests of testdata/recorded anew")

// unrecorded lists the files that TestRecorded does not compare: they hold durations or drawings.
var unrecorded = []string{"*.svg", "*.html", "rows-*", "summary.md"}

// TestRecorded runs the commands of testdata/recorded/*.txt in the built program. It compares the exit code, and a
// digest of the standard output and of every file that changes, with those beside them. A change that moves code keeps
// all digests. One that changes results writes new ones with -update, and its description says which and why.
func TestRecorded(t *testing.T) {
	tier.Slow(t)
	bin := filepath.Join(t.TempDir(), "mrsched")
	command(t, ".", "go", "build", "-buildvcs=false", "-o", bin, ".")
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
				write(t, sums, strings.Join(got, "\n")+"\n")
			}
			compareRecords(t, strings.Split(strings.TrimSpace(read(t, sums)), "\n"), got)
		})
	}
}

// record runs the commands of a list in a directory of their own and returns a line for each.
func record(t *testing.T, bin, list string) (lines []string) {
	t.Helper()
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
	for n, command := range strings.Split(strings.TrimSpace(read(t, list)), "\n") {
		if strings.HasPrefix(command, "#") {
			continue
		}
		run := exec.Command(bin, strings.Fields(command)...)
		run.Dir, run.Env = dir, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TERM=dumb"}
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
		h := sha256.New()
		h.Write(out)
		now := written(t, dir)
		for _, name := range slices.Sorted(maps.Keys(now)) {
			if seen[name] != now[name] {
				fmt.Fprintln(h, now[name], name)
			}
		}
		seen = now
		lines = append(lines, fmt.Sprintf("%.12x %d %s", h.Sum(nil), code, command))
	}
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

// compareRecords lists every command that does not do what is recorded.
func compareRecords(t *testing.T, want, got []string) {
	t.Helper()
	for k, line := range got {
		if k >= len(want) || want[k] != line {
			t.Errorf("not as recorded: %s", line)
		}
	}
	if len(want) > len(got) {
		t.Errorf("%d lines are recorded, of %d commands", len(want), len(got))
	}
}
