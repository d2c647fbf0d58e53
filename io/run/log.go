package run

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"mrsched/io/disk"
	"mrsched/io/textpos"
	"mrsched/model"
)

// logFile is the path of a shard's log; shards count from 1.
func logFile(dir string, shard, of int) string {
	return filepath.Join(dir, fmt.Sprintf("rows-%d-of-%d.jsonl", shard, of))
}

// syncEvery is how often fsync is called at most, since it takes long. Lines survive the end of the process at once;
// this is about crashes of the machine.
const syncEvery = time.Second

// LockedError says that another process works on the same shard in the same directory.
type LockedError struct{ Path string }

func (e *LockedError) Error() string {
	return fmt.Sprintf(
		"%s is in use: another process works on this shard; wait for it, or name another shard or directory", e.Path)
}

// Log appends lines to a file that it locks against other processes.
type Log struct {
	// Unlocked says that the file system cannot lock files, so that a second process goes unnoticed.
	Unlocked bool

	mu     sync.Mutex
	f      *os.File
	synced time.Time
	err    error // of writing; then nothing more is written
}

// OpenLog opens or creates a log for appending. It cuts off an unfinished last line, which a killed process
// left. Errors: *LockedError, those of the file system, or that of disk.Vacant for what is not a file.
func OpenLog(path string) (*Log, error) {
	if err := disk.Vacant(path, true); err != nil { // pipes cannot be searched, and opening a device may do anything
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW, 0o644) // a link may lead anywhere
	if err != nil {
		return nil, err
	}
	l := &Log{f: f}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, errors.Join(&LockedError{path}, f.Close())
	case err != nil: // ENOLCK, ENOSYS, …: some network file systems
		l.Unlocked = true
	}
	if err = trim(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

// trim cuts off what follows the last line end.
func trim(f *os.File) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	keep, buf := size, make([]byte, 64<<10)
	for keep > 0 {
		from := max(0, keep-int64(len(buf)))
		part := buf[:keep-from]
		if _, err := f.ReadAt(part, from); err != nil {
			return err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			keep = from + int64(i) + 1
			break
		}
		keep = from
	}
	if keep == size {
		return nil
	}
	return f.Truncate(keep)
}

// Append writes a value, which must be a nonempty JSON object, as one line in one call. After an error nothing more is
// written. Goroutines may call it concurrently.
func (l *Log) Append(v any) error {
	text, err := line(v)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		_, l.err = l.f.Write(text)
	}
	if l.err == nil {
		l.err = l.stands()
	}
	if l.err == nil && time.Since(l.synced) >= syncEvery {
		l.synced, l.err = time.Now(), l.f.Sync()
	}
	return l.err
}

// stands returns an error if the file has been removed or replaced: lines would be lost.
func (l *Log) stands() error {
	mine, err := l.f.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Lstat(l.f.Name()); err != nil || !os.SameFile(mine, there) {
		return fmt.Errorf("%s was removed or replaced while lines were written to it", l.f.Name())
	}
	return nil
}

// Close makes all lines durable and unlocks the file.
func (l *Log) Close() error { return errors.Join(l.f.Sync(), l.f.Close()) }

// maxRow bounds the length of a row in bytes; a typical row has some hundreds, or as many as its error's text.
const maxRow = 16 << 20

// place is where a row is.
type place struct {
	file   int
	offset int64
	size   int // without the line end
	crc    string
	failed bool
}

// logs are all rows of a sweep's directory.
type logs struct {
	files   []*os.File
	begun   []map[string]int // by file and run: marks of runs that ended neither with a row nor on purpose
	rows    map[string]place // by id
	damaged int              // damaged lines
	differ  map[string]bool  // ids with differing rows
}

// openLogs finds the row of every id. Any other row replaces an error row; otherwise the first in the order of file
// names counts.
func openLogs(dir string) (*logs, error) {
	names, err := fs.Glob(os.DirFS(dir), "rows-*-of-*.jsonl")
	l := &logs{rows: map[string]place{}, differ: map[string]bool{}}
	for file, name := range names {
		f, wrong := openRead(filepath.Join(dir, name))
		if wrong == nil {
			l.files, l.begun = append(l.files, f), append(l.begun, map[string]int{})
			wrong = eachLine(f, maxRow, func(text []byte, offset int64) {
				l.add(place{file: file, offset: offset, size: len(text)}, text)
			})
		}
		if wrong != nil {
			l.close()
			return nil, wrong
		}
	}
	return l, err
}

func (l *logs) add(at place, text []byte) {
	row, err := parseRow(text)
	if err != nil {
		l.damaged++
		return
	}
	switch begun := l.begun[at.file]; row.Status {
	case statusBegun:
		begun[row.ID]++
		return
	case statusReleased:
		begun[row.ID]--
		return
	default:
		delete(begun, row.ID)
	}
	at.failed, at.crc = row.Status == StatusError, string(text[len(text)-crcLen:])
	old, ok := l.rows[row.ID]
	switch {
	case !ok || old.failed && !at.failed:
		l.rows[row.ID] = at
	case old.crc != at.crc && old.failed == at.failed:
		l.differ[row.ID] = true
	}
}

// deaths says how often processes died during the runs of a log.
func (l *logs) deaths(path string) map[string]int {
	i := slices.IndexFunc(l.files, func(f *os.File) bool { return filepath.Base(f.Name()) == filepath.Base(path) })
	if i < 0 {
		return nil
	}
	return l.begun[i]
}

func (l *logs) close() {
	for _, f := range l.files {
		_ = f.Close() // they were only read
	}
}

// row is the row of an id, nil if there is none.
func (l *logs) row(id string) (*Row, error) {
	at, ok := l.rows[id]
	if !ok {
		return nil, nil
	}
	text := make([]byte, at.size)
	if _, err := l.files[at.file].ReadAt(text, at.offset); err != nil {
		return nil, err
	}
	row, err := parseRow(text)
	if errors.Is(err, errDamaged) {
		return nil, model.NewInputError(model.Finding{Code: model.CodeSyntax,
			Pos: model.Position{File: l.files[at.file].Name()}, What: "the file changes while it is read",
			Expected: "rows that stay"})
	}
	return row, err
}

// openRead opens a log of a sweep's directory for reading. Errors are *model.InputError.
func openRead(path string) (*os.File, error) {
	f, err := textpos.OpenBelow(filepath.Dir(path), filepath.Base(path))
	if err != nil {
		return nil, unreadable(path, err, "")
	}
	return f, nil
}

// eachLine calls each for every line, without its end, with the number of bytes before it. text is valid during the
// call, and nil if the line with its end is longer than most bytes. It leaves out text without a line end, which a
// killed process left or a living one is still writing.
func eachLine(from io.Reader, most int, each func(text []byte, offset int64)) error {
	in := bufio.NewReaderSize(from, most)
	for offset := int64(0); ; {
		text, err := in.ReadSlice('\n')
		size := len(text)
		for errors.Is(err, bufio.ErrBufferFull) {
			text, err = in.ReadSlice('\n')
			size += len(text)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case size > len(text):
			each(nil, offset)
		default:
			each(text[:size-1], offset)
		}
		offset += int64(size)
	}
}

// ReadRows reads what Append wrote to a log, and counts damaged lines.
func ReadRows[T any](path string) (rows []*T, damaged int, err error) {
	f, err := openRead(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close() // it was only read
	err = eachLine(f, maxRow, func(text []byte, _ int64) {
		row := new(T)
		if !whole(text) || json.Unmarshal(text, row) != nil {
			damaged++
			return
		}
		rows = append(rows, row)
	})
	return rows, damaged, err
}
