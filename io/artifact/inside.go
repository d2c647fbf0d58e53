package artifact

import (
	"os"
	"path/filepath"

	"mrsched/io/textpos"
)

// Limits of the search for a hint.
const (
	maxInside = 1000 // entries of all directories together
	maxBelow  = 2    // folders above the workload
)

// inside is a hint that names a folder below a directory that has the table jobs, the nearest one first; "" if none has
// it.
func inside(dir string) string {
	folders, left := []string{""}, maxInside
	for range maxBelow {
		var next []string
		for _, folder := range folders {
			entries, _ := os.ReadDir(filepath.Join(dir, folder)) // no hint if it cannot be read
			for _, e := range entries[:min(len(entries), left)] {
				left--
				path := filepath.Join(folder, e.Name())
				if !e.IsDir() {
					continue
				}
				if _, err := os.Stat(filepath.Join(dir, path, "jobs.csv")); err == nil {
					return "the folder " + textpos.Quoted(path) + " inside is a workload: pass " + filepath.Join(dir, path)
				}
				next = append(next, path)
			}
		}
		folders = next
	}
	return ""
}
