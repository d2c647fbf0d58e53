package artifact

import (
	"os"
	"path/filepath"

	"mrsched/io/textpos"
)

// maxInside is how many entries of a directory are looked into for a hint.
const maxInside = 1000

// inside is a hint that names the first folder inside a directory that has the table jobs; "" if none has it.
func inside(dir string) string {
	entries, _ := os.ReadDir(dir) // no hint if it cannot be read
	for _, e := range entries[:min(len(entries), maxInside)] {
		path := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(path, "jobs.csv")); e.IsDir() && err == nil {
			return "the folder " + textpos.Quoted(e.Name()) + " inside is a workload: pass " + path
		}
	}
	return ""
}
