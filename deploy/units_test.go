package deploy

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	service = "nightly/mrsched-nightly.service"
	timer   = "nightly/mrsched-nightly.timer"
	// installed is where units and crontab expect the script.
	installed = "/usr/local/lib/mrsched/nightly.sh"
)

// TestUnits lets systemd-analyze read the units.
func TestUnits(t *testing.T) {
	needs(t, "systemd-analyze")
	dir := t.TempDir()
	for _, path := range []string{service, timer} {
		// The script need not be installed for the test.
		text := strings.ReplaceAll(strings.Join(lines(t, path), "\n"), installed, "/bin/true")
		write(t, filepath.Join(dir, filepath.Base(path)), text+"\n", 0o600)
	}
	out, err := exec.Command("systemd-analyze", "verify", filepath.Join(dir, filepath.Base(service)),
		filepath.Join(dir, filepath.Base(timer))).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}
}

func TestCrontab(t *testing.T) {
	assignment := regexp.MustCompile(`^[A-Z]+=`)
	job := regexp.MustCompile(`^([0-9*/,-]+ ){5}[a-z]+ timeout [0-9]+h ` + regexp.QuoteMeta(installed) + ` /\S+$`)
	jobs := 0
	for _, line := range lines(t, "nightly/crontab") {
		switch {
		case assignment.MatchString(line):
		case job.MatchString(line):
			jobs++
		default:
			t.Errorf("%q is neither a variable nor a job", line)
		}
	}
	if jobs != 1 {
		t.Errorf("%d jobs", jobs)
	}
}
