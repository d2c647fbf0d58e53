package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestInstall: make install puts the program, its man page and its completions into a tree, and make uninstall removes
// them all.
func TestInstall(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("there is no make")
	}
	dir := t.TempDir()
	run := func(target string) {
		t.Helper()
		if out, err := exec.Command("make", "-C", "..", target, "PREFIX=/usr", "DESTDIR="+dir).CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
	}
	run("install")
	paths := []string{"bin/mrsched", "share/man/man1/mrsched.1", "share/bash-completion/completions/mrsched",
		"share/zsh/site-functions/_mrsched", "share/fish/vendor_completions.d/mrsched.fish"}
	for _, path := range paths {
		if info, err := os.Stat(filepath.Join(dir, "usr", path)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
	if out, err := exec.Command(filepath.Join(dir, "usr/bin/mrsched"), "version").CombinedOutput(); err != nil {
		t.Error(err, string(out))
	}
	run("uninstall")
	for _, path := range paths {
		if _, err := os.Stat(filepath.Join(dir, "usr", path)); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", path, err)
		}
	}
}
