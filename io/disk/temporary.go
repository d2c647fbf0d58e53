package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// Temporary files stand next to their target as .NAME.mrsched-RANDOM, where NAME is the target's name, cut to maxName
// bytes. A killed process leaves them behind; the next process that writes the same target removes them. A lock, which
// ends with its process, protects those of a living process.
const (
	mark    = ".mrsched-"
	aside   = ".old" // ends the name of an old directory that was moved aside where names cannot be exchanged
	maxName = 200    // so that the whole name stays below the 255 bytes that file systems take
)

// prefix is how the names of a target's temporary files begin.
func prefix(path string) string {
	name := filepath.Base(path)
	return "." + name[:min(len(name), maxName)] + mark
}

// temporary is a locked file or directory that is being written next to its target.
type temporary struct {
	path string
	lock *os.File // of a file the one to write to
}

// newTemporary makes a file or directory beside path.
func newTemporary(path string, directory bool) (*temporary, error) {
	for {
		t, err := makeTemporary(path, directory)
		if err != nil {
			return nil, err
		}
		// Another process may have removed it as a leftover between its creation and the lock.
		held := syscall.Flock(int(t.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(held, syscall.EWOULDBLOCK) && t.stands() { // file systems without locks work without them
			return t, nil
		}
		if err := t.lock.Close(); err != nil {
			return nil, err
		}
	}
}

func makeTemporary(path string, directory bool) (*temporary, error) {
	parent, pattern := filepath.Dir(path), prefix(path)+"*"
	if !directory {
		f, err := os.CreateTemp(parent, pattern)
		if err != nil {
			return nil, err
		}
		return &temporary{f.Name(), f}, nil
	}
	for {
		dir, err := os.MkdirTemp(parent, pattern)
		if err != nil {
			return nil, err
		}
		f, err := os.Open(dir)
		if err == nil {
			return &temporary{dir, f}, nil
		}
		if !errors.Is(err, os.ErrNotExist) || !isDirectory(parent) {
			return nil, errors.Join(err, ignore(os.Remove(dir), os.ErrNotExist))
		}
	}
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// stands says whether what was made is still there.
func (t *temporary) stands() bool {
	mine, err := t.lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(t.path)
	return err == nil && os.SameFile(mine, there)
}

// close gives up the lock. What was written is on the disk by then, so that nothing can be lost here.
func (t *temporary) close() error { return ignore(t.lock.Close(), os.ErrClosed) }

// remove takes away what was written.
func (t *temporary) remove() error {
	underway.Lock()
	delete(underway.made, t)
	underway.Unlock()
	return errors.Join(t.close(), os.RemoveAll(t.path))
}

// underway are the temporaries that have no name yet, each with what undoes their parents; over: none gets one any
// more.
var underway = struct {
	sync.Mutex
	made map[*temporary]func()
	over bool
}{made: map[*temporary]func(){}}

// named lets give give the temporary its name, unless the program has abandoned its work.
func (t *temporary) named(give func() error) error {
	underway.Lock()
	defer underway.Unlock()
	if underway.over {
		return errAbandoned
	}
	delete(underway.made, t)
	return give()
}

var errAbandoned = errors.New("the program ends")

// Abandon removes all that is being written, and lets nothing more appear: for a program that ends without waiting for
// its work.
func Abandon() {
	underway.Lock()
	defer underway.Unlock()
	underway.over = true
	for t, undo := range underway.made {
		for os.RemoveAll(t.path) != nil && t.stands() { // files may still be added
			continue
		}
		undo()
	}
}

// called is an error whose text names the target instead of the temporary file, whose name is random.
func (t *temporary) called(path string, err error) error { return &calledError{err, t.path, path} }

type calledError struct {
	err           error
	path, instead string
}

// Error is the text of the error, with the target's name.
func (e *calledError) Error() string { return strings.ReplaceAll(e.err.Error(), e.path, e.instead) }

// Unwrap is the error.
func (e *calledError) Unwrap() error { return e.err }

func ignore(err, kind error) error {
	if errors.Is(err, kind) {
		return nil
	}
	return err
}

// listed holds, by directory and target, the temporary names found when this process first wrote there: directories may
// have a million entries, so they are read only once.
var listed sync.Map

// clearLeftovers removes what killed processes left when they wrote path. It restores an old directory that was moved
// aside, unless something took its place.
func clearLeftovers(path string) error {
	parent := filepath.Dir(path)
	all, ok := listed.Load(parent)
	if !ok {
		found, err := leftovers(parent)
		if err != nil {
			return err
		}
		all, _ = listed.LoadOrStore(parent, found)
	}
	for _, name := range all.(map[string][]string)[prefix(path)] {
		if err := clearLeftover(filepath.Join(parent, name), path); err != nil {
			return err
		}
	}
	return nil
}

// leftovers lists the temporary names in a directory by their prefix.
func leftovers(parent string) (map[string][]string, error) {
	found := map[string][]string{}
	d, err := os.Open(parent)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) { // writing may be allowed, listing not
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close() // it was only read
	for {
		names, err := d.Readdirnames(1 << 10)
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if i := strings.LastIndex(name, mark); i > 0 && name[0] == '.' {
				found[name[:i+len(mark)]] = append(found[name[:i+len(mark)]], name)
			}
		}
	}
}

// clearLeftover removes or restores one leftover, unless its process lives.
func clearLeftover(leftover, path string) error {
	info, err := os.Lstat(leftover)
	if err != nil {
		return ignore(err, os.ErrNotExist)
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return os.Remove(leftover) // a link that was replaced
	}
	f, err := os.Open(leftover)
	if err != nil {
		return ignore(ignore(err, os.ErrNotExist), os.ErrPermission) // it belongs to another user
	}
	defer f.Close() // it was only locked
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil // its process lives, or that is unknown
	}
	if strings.HasSuffix(leftover, aside) {
		if err := renameNew(leftover, path); !errors.Is(err, os.ErrExist) {
			return ignore(err, os.ErrNotExist)
		}
	}
	return ignore(os.RemoveAll(leftover), os.ErrPermission)
}
