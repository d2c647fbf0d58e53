package workload

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mrsched/model"
)

const (
	// maxField is how many bytes an id, a text or a number may have.
	maxField = 64 << 10
	// maxGap limits the part of a JSON document without a token, and the length of a CSV record (the fields of any table
	// together are shorter). It bounds the decoders' memory.
	maxGap = 1 << 20
)

// StdinName is the file name of standard input in findings.
const StdinName = "stdin"

// Options say how strict a reader is. The zero value is strict.
type Options struct {
	// AllowUnknown skips unknown keys, columns and tables instead of reporting them; Workload.Skipped names them.
	AllowUnknown bool
	// MaxCount limits the sum of the counts of machines, slots, reduces or partitions, for each kind; 0 is
	// DefaultMaxCount.
	MaxCount int64
}

// Read reads the workload at a path: a JSON file, a directory of CSV files, each plain or gzip, or "-"
// for JSON on stdin.
//
// Errors are *model.InputError with every finding of every file.
func Read(path string, stdin io.Reader, opt Options) (*model.Workload, error) {
	if path == "-" {
		if stdin == nil {
			stdin = strings.NewReader("")
		}
		return ReadJSON(stdin, StdinName, opt)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	if info.IsDir() {
		root, err := os.OpenRoot(path) // follows no link out of the directory
		if err != nil {
			return nil, unreadable(path, err)
		}
		defer root.Close()
		return readDirectory(root.FS(), path, opt)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	return ReadJSON(f, path, opt)
}

// ReadBytes reads a JSON document, plain or gzip; see ReadJSON.
func ReadBytes(document []byte, name string, opt Options) (*model.Workload, error) {
	return ReadJSON(bytes.NewReader(document), name, opt)
}

// ReadJSON reads one JSON document, plain or gzip, to its end; name stands in the positions of findings. It never holds
// the whole document, which may have textpos.MaxStream bytes; see textpos.SetMaxInput.
//
// Errors are *model.InputError with every finding.
func ReadJSON(r io.Reader, name string, opt Options) (*model.Workload, error) {
	return build(name, opt, func(l *lane) { readDocument(l, r, name, tables) })
}

// unreadable is F101.
func unreadable(path string, err error) error {
	f := model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: path}, What: "cannot be read: " + cause(err),
		Expected: "a JSON file, a directory of CSV files, or - for standard input",
		Hint:     "check the path and its permissions"}
	if errors.Is(err, fs.ErrNotExist) {
		if hint := model.DidYouMean(filepath.Base(path), siblings(path)); hint != "" {
			f.Hint = hint
		}
	}
	return model.NewInputError(f)
}

// cause is an error's text without the operation and the path.
func cause(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

func siblings(path string) []string {
	entries, _ := os.ReadDir(filepath.Dir(path)) // no hint if it cannot be read
	var list []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			list = append(list, e.Name())
		}
	}
	return list
}
