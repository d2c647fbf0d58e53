package solve

import (
	"path/filepath"
	"strings"

	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/workload"
)

// merged is where the merged instance goes; empty: nowhere.
func (j *Job) merged() string {
	if !j.Merged || j.Out == "" || j.toStdout() {
		return ""
	}
	return BesideResult(j.Out)
}

// BesideResult is the place of the merged instance of a result.
func BesideResult(out string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Clean(out), ".gz"), ".json") + ".instance.json"
}

// mergedFree refuses a place for the merged instance that may not be written.
func (j *Job) mergedFree() error {
	switch at := j.merged(); {
	case at != "":
		return disk.Vacant(at, j.Force)
	case j.Merged && j.toStdout():
		return engine.Usagef("-o - with --state leaves no place for the instance with this state: name a directory or file")
	}
	return nil
}

// WriteMerged writes the merged instance.
func (j *Job) WriteMerged() error {
	if j.merged() == "" {
		return nil
	}
	return engine.Misplaced(j.merged(), workload.Write(j.merged(), j.W, j.Force, nil))
}
