package campaign

import (
	"fmt"
	"os/exec"
)

// harmless asks the second checker, deploy/verify, which shares no code with check. It returns nil if that accepts a
// corrupted result too.
func harmless(instance, dir string) error {
	text, err := exec.Command("python3", "../../../deploy/verify", instance, dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("the second checker: %w: %s", err, text)
	}
	return nil
}
