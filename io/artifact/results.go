package artifact

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/model"
)

// CheckOne checks one of the results at a named path. If it cannot be read as a result, the bundle is nil; an error
// means that it cannot be opened, or that ctx ended. most limits the nodes of a repeated search.
func CheckOne(ctx context.Context, w *model.Workload, named, path string, most int) (*result.Bundle, []model.Violation,
	error) {
	b, found, err := ResultAt(named, path)
	switch {
	case err != nil || b == nil:
		return nil, found, err
	case b.Partial():
		return b, found, nil // everything else follows from the missing part
	}
	again, err := engine.Recheck(ctx, w, b, most)
	return b, append(found, again...), err
}

// ResultAt reads one of the results at a named path: the named path may be a link, but links inside it may not lead out
// of it.
func ResultAt(named, path string) (*result.Bundle, []model.Violation, error) {
	read := func() (*result.Bundle, []model.Violation, error) { return result.ReadBelow(named, path) }
	if path == named {
		read = func() (*result.Bundle, []model.Violation, error) { return result.Read(path) }
	}
	b, found, err := read()
	if b != nil && engine.KeepsFixed(b.Result.Problem) {
		for i := range found {
			if found[i].What == result.Changed(result.ScheduleFile) {
				found[i].What += "; to keep a change, write it into the table fixed (task,node,start) and solve"
			}
		}
	}
	return b, found, err
}

// ResultPaths is the path itself if it is a result, else the results directly inside it; see resultAt.
func ResultPaths(path string) ([]string, error) {
	if err := Expect(path, argResult); err != nil {
		return nil, err
	}
	if !engine.IsDir(path) {
		return []string{path}, nil
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	defer root.Close() // it was only read
	return ResultsIn(root, path)
}

// ResultsIn is resultPaths for a directory that is open. Links that lead out of it are among the results: reading them
// explains the error.
func ResultsIn(root *os.Root, path string) ([]string, error) {
	if _, err := root.Stat(result.ResultFile); err == nil {
		return []string{path}, nil
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if !e.IsDir() && e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		if _, err := root.Stat(filepath.Join(e.Name(), result.ResultFile)); !errors.Is(err, fs.ErrNotExist) &&
			!errors.Is(err, syscall.ENOTDIR) {
			paths = append(paths, filepath.Join(path, e.Name()))
		}
	}
	if len(paths) == 0 {
		return []string{path}, nil // reading it explains what is missing
	}
	sort.Strings(paths)
	return paths, nil
}

// Below are the results in the folders of a directory, relative to it: an instance each, or an instance and an
// algorithm.
func Below(dir string) (names []string) {
	for _, pattern := range []string{"*/", "*/*/"} {
		found, _ := fs.Glob(os.DirFS(dir), pattern+result.ResultFile) // the patterns are right
		for _, at := range found {
			names = append(names, filepath.Dir(at))
		}
	}
	sort.Strings(names)
	return names
}

// InstanceIn is the instance of a result's name in a folder of instances; empty if it is not there.
func InstanceIn(folder, name string) string {
	name, _, _ = strings.Cut(name, "/")
	for _, ending := range []string{"", ".json", ".json.gz"} {
		if at := filepath.Join(folder, name+ending); folder != "" && engine.Exists(at) {
			return at
		}
	}
	return ""
}
