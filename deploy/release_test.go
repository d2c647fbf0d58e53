package deploy

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// releaseVariable, if set, makes the tests examine dist/: make release-test sets it.
const releaseVariable = "TEST_RELEASE"

// released is the only file of dist/ that fits a pattern.
func released(t *testing.T, pattern string) string {
	t.Helper()
	if os.Getenv(releaseVariable) == "" {
		t.Skip(releaseVariable + " is not set; make release-snapshot release-test sets it")
	}
	dist, err := filepath.Abs(filepath.Join(root, "dist"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dist, pattern))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %v %v; please run make release-snapshot", pattern, files, err)
	}
	return files[0]
}

// output runs a program that must succeed, and returns its output.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// packaged are the files of the package.
var packaged = []string{"usr/bin/mrsched", "usr/share/man/man1/mrsched.1.gz",
	"usr/share/bash-completion/completions/mrsched", "usr/share/zsh/vendor-completions/_mrsched",
	"usr/share/fish/vendor_completions.d/mrsched.fish", "usr/share/doc/mrsched/copyright",
	"usr/share/doc/mrsched/changelog.gz"}

// TestReleasePackage installs the package below a folder with a database of its own, and removes it again.
func TestReleasePackage(t *testing.T) {
	deb := released(t, "*_"+runtime.GOARCH+".deb")
	needs(t, "dpkg", "dpkg-deb")
	dir := t.TempDir()
	info := filepath.Join(dir, "var/lib/dpkg")
	if err := errors.Join(os.MkdirAll(filepath.Join(info, "info"), 0o755), os.MkdirAll(filepath.Join(info, "updates"),
		0o755), os.WriteFile(filepath.Join(info, "status"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	dpkg := func(args ...string) {
		t.Helper()
		output(t, "dpkg", append([]string{"--root=" + dir, "--force-not-root", "--force-bad-path"}, args...)...)
	}
	dpkg("-i", deb)
	for _, name := range packaged {
		if s, err := os.Stat(filepath.Join(dir, name)); err != nil || s.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if licences, err := os.ReadFile(filepath.Join(dir, "usr/share/doc/mrsched/copyright")); err != nil {
		t.Error(err)
	} else {
		for _, part := range []string{"GNU LESSER GENERAL PUBLIC LICENSE", "MIT License", "BSD-3-clause",
			"gonum.org/v1/gonum", "liblpsolve55-dev"} {
			if !strings.Contains(string(licences), part) {
				t.Errorf("the licences lack %q", part)
			}
		}
	}
	solves(t, filepath.Join(dir, "usr/bin/mrsched"))
	dpkg("-r", "mrsched")
	for _, name := range packaged {
		if _, err := os.Stat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", name, err)
		}
	}
}

// solves lets a program solve an instance and check the results, and checks its version.
func solves(t *testing.T, command ...string) {
	t.Helper()
	run := func(args ...string) string {
		t.Helper()
		return output(t, command[0], slices.Concat(command[1:], args)...)
	}
	instance, results := filepath.Join(root, "instances", "etl"), filepath.Join(t.TempDir(), "results")
	run("solve", instance, "-p", "cluster", "-a", "fifo,best,exact", "-o", results, "--quiet")
	if out := run("check", instance, results); strings.Count(out, ": ok: ") != 3 {
		t.Errorf("check: %s", out)
	}
	stated := regexp.MustCompile(`^mrsched +[0-9.]+\nrevision +[0-9a-f]{40}.*Z\b`)
	if out := run("version"); !stated.MatchString(out) {
		t.Errorf("version: %s", out)
	}
}

// TestReleaseArchives: the archive of each architecture holds the licences and a program without shared libraries. The
// program must work, if necessary under qemu.
func TestReleaseArchives(t *testing.T) {
	for arch, qemu := range map[string]string{"amd64": "qemu-x86_64", "arm64": "qemu-aarch64"} {
		t.Run(arch, func(t *testing.T) {
			archive := released(t, "*_"+arch+".tar.gz")
			needs(t, "tar", "file")
			dir := t.TempDir()
			output(t, "tar", "-xzf", archive, "--strip-components=1", "-C", dir)
			for _, name := range []string{"LICENSE", "licences.txt", "README.md", "share/man/man1/mrsched.1"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Error(err)
				}
			}
			program := filepath.Join(dir, "mrsched")
			if out := output(t, "file", program); !strings.Contains(out, "statically linked") {
				t.Error(out)
			}
			if arch == runtime.GOARCH {
				solves(t, program)
				return
			}
			needs(t, qemu)
			solves(t, qemu, program)
		})
	}
}

// TestReleaseParts: the bills of materials name the Go modules and the C libraries, and the checksums match.
func TestReleaseParts(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		text, err := os.ReadFile(released(t, "*_"+arch+".cdx.json"))
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			BomFormat  string
			Components []struct{ Name, Version, Purl string }
		}
		if err := json.Unmarshal(text, &doc); err != nil || doc.BomFormat != "CycloneDX" {
			t.Fatal(doc.BomFormat, err)
		}
		names := map[string]bool{}
		for _, c := range doc.Components {
			if c.Version == "" || c.Purl == "" {
				t.Errorf("%s: %+v", arch, c)
			}
			names[c.Name] = true
		}
		want := append(required(t), "std", "lp_solve", "colamd", "suitesparseconfig", "glibc")
		for _, name := range want {
			if !names[name] {
				t.Errorf("%s: %s is missing", arch, name)
			}
		}
	}
	needs(t, "sha256sum")
	sums := released(t, "checksums.txt")
	cmd := exec.Command("sha256sum", "--check", "--strict", filepath.Base(sums))
	cmd.Dir = filepath.Dir(sums)
	if out, err := cmd.CombinedOutput(); err != nil || strings.Count(string(out), ": OK") != 6 {
		t.Errorf("%v, of six files:\n%s", err, out)
	}
}

// required are the modules of others that the program is built from.
func required(t *testing.T) (list []string) {
	t.Helper()
	out := output(t, "go", "list", "-C", root, "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
		if name := lines.Text(); name != "" && name != "mrsched" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
