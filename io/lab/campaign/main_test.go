package campaign

import (
	"flag"
	"os"
	"testing"
)

// TestMain runs nothing with -short: every campaign takes longer than a moment.
func TestMain(m *testing.M) {
	flag.Parse()
	if !testing.Short() {
		os.Exit(m.Run())
	}
}
