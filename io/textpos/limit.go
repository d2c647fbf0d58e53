package textpos

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"

	"mrsched/model"
)

// How many bytes a file may have, unpacked, unless SetMaxInput says otherwise.
const (
	// MaxStream is for files that are read piece by piece.
	MaxStream = 16 << 30
	// MaxHeld is for files whose text is held in memory.
	MaxHeld = 2 << 30
)

// maxInput is the limit of SetMaxInput; 0: there is none.
var maxInput atomic.Int64

// SetMaxInput limits the unpacked bytes of every file that the process reads from now on; 0 restores MaxStream and
// MaxHeld. restore undoes it.
func SetMaxInput(bytes int64) (restore func()) {
	before := maxInput.Swap(bytes)
	return func() { maxInput.Store(before) }
}

// limited is the limit in force, or another one if none was set.
func limited(unset int64) int64 {
	if n := maxInput.Load(); n > 0 {
		return n
	}
	return unset
}

// TooLargeError is a file with more bytes than it may have.
type TooLargeError struct {
	Max   int64
	Fixed bool // no flag raises it
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the file has more than %d bytes, unpacked if it was packed", e.Max)
}

// Finding is F110, at a place.
func (e *TooLargeError) Finding(at model.Position) model.Finding {
	f := model.Finding{Code: model.CodeTooLarge, Pos: at, What: e.Error(), Expected: "fewer"}
	if !e.Fixed {
		f.Hint = "if the file is right, raise --max-input"
	}
	return f
}

// errNotRegular is for pipes and devices, whose opening might block.
var errNotRegular = errors.New("it is not a regular file")

// Cause is an error's text without the operation and the path.
func Cause(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// OpenIn opens a file of a directory, which must be a regular one; links may not lead out of the directory.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	return root.Open(name)
}

// OpenDirIn opens a subdirectory; links may not lead out of root. It checks the kind first, as opening a pipe blocks.
func OpenDirIn(root *os.Root, name string) (*os.Root, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	return root.OpenRoot(name)
}

// OpenBelow is OpenIn for a directory's path.
func OpenBelow(dir, name string) (*os.File, error) {
	root, err := os.OpenRoot(cmp.Or(dir, "."))
	if err != nil {
		return nil, err
	}
	defer root.Close() // it was only read
	return OpenIn(root, name)
}

// ReadBelow is ReadIn for a directory's path.
func ReadBelow(dir, name string) ([]byte, error) { return readOpened(OpenBelow(dir, name)) }

// ReadIn is the text of a file of a directory, as it is; see OpenIn and ReadAll.
func ReadIn(root *os.Root, name string) ([]byte, error) { return readOpened(OpenIn(root, name)) }

// ReadFile is the text of the file at a path, as it is; see ReadAll.
func ReadFile(path string) ([]byte, error) { return readOpened(os.Open(path)) }

func readOpened(f *os.File, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	return ReadAll(f)
}

// ReadAll reads all of a reader, at most MaxHeld bytes: beyond that the error is a *TooLargeError, and it stops
// reading.
func ReadAll(r io.Reader) ([]byte, error) {
	most := limited(MaxHeld)
	var text []byte
	if f, ok := r.(fs.File); ok {
		info, err := f.Stat()
		if err == nil && info.Mode().IsRegular() {
			if info.Size() > most {
				return nil, &TooLargeError{Max: most}
			}
			text = make([]byte, 0, info.Size()+1) // one more, to see the end
		}
	}
	for {
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		switch {
		case int64(len(text)) > most:
			return nil, &TooLargeError{Max: most}
		case err == io.EOF:
			return text, nil
		case err != nil:
			return nil, err
		}
	}
}

// Unpacked is the text that a gzip reader delivers; see ReadAll. Errors are *TooLargeError and *TextError.
func Unpacked(packed io.Reader) ([]byte, error) {
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil, compressionError(err)
	}
	text, err := ReadAll(z)
	if _, large := errors.AsType[*TooLargeError](err); err == nil || large {
		return text, err
	}
	return nil, compressionError(err)
}
