package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestManual runs every installed formatter on the manual page; none may report a mistake.
func TestManual(t *testing.T) {
	text := described((&session{}).app()).Manual()
	for _, section := range []string{"NAME", "DESCRIPTION", "COMMANDS", "ALGORITHMS"} {
		if !strings.Contains(text, "\n.SH "+section+"\n") {
			t.Errorf("there is no section %s", section)
		}
	}
	for i, r := range text {
		if r > 126 {
			t.Fatalf("a character beyond ASCII: %q", text[i:i+20])
		}
	}
	ran := false
	for _, command := range []string{"man --warnings -l -", "groff -man -Tutf8 -ww", "mandoc -T lint -W warning"} {
		words := strings.Fields(command)
		if _, err := exec.LookPath(words[0]); err != nil {
			continue
		}
		ran = true
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Stdin, cmd.Env = strings.NewReader(text), append(os.Environ(), "LC_ALL=C.UTF-8", "MANWIDTH=80", "MANPAGER=cat")
		var warnings strings.Builder
		cmd.Stderr = &warnings
		if words[0] == "mandoc" {
			cmd.Stdout = &warnings
		}
		if err := cmd.Run(); err != nil || warnings.Len() > 0 {
			t.Errorf("%s: %v\n%s", command, err, warnings.String())
		}
	}
	if !ran {
		t.Skip("there is neither man nor groff nor mandoc")
	}
}
