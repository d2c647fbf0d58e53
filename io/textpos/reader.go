package textpos

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sort"
	"unicode/utf8"

	"mrsched/model"
)

const (
	bufferSize = 64 << 10
	gzipMagic  = "\x1f\x8b"
	byteOrder  = "\xef\xbb\xbf"

	// maxEmptyReads is how often in a row a source may deliver nothing without saying why.
	maxEmptyReads = 100
)

// Reader is an io.Reader of the text of one file. It is not safe for concurrent use.
type Reader struct {
	name   string
	source *source
	text   *bufio.Reader // nil before the first Read
	packed bool

	offset  int64  // bytes handed out
	filled  bool   // some are not white space
	err     error  // the result of every further Read
	partial []byte // first bytes of a character that continues in the next read
	lines   lines

	max      int64 // bytes of text that there may be
	fixed    bool  // the kind of file sets the limit, not SetMaxInput
	limit    int64
	consumed func() int64
}

// NewReader reads r, plain or gzip; name is the file's name in positions. The text may have MaxStream bytes, see
// SetMaxInput. Nothing is read yet.
func NewReader(r io.Reader, name string) *Reader {
	return &Reader{name: name, source: &source{r: r}, partial: make([]byte, 0, utf8.UTFMax),
		lines: lines{starts: []int64{0}}, max: limited(MaxStream)}
}

// Limit makes Read fail with F106 rather than hand out text that is more than max bytes ahead
// of consumed(), the place up to which the consumer is done. With the InputOffset of a jsontext.Decoder
// this bounds the decoder's buffer, which otherwise grows to hold any token, however long.
func (r *Reader) Limit(max int64, consumed func() int64) { r.limit, r.consumed = max, consumed }

// Max limits the text to this many bytes, whatever SetMaxInput says, for kinds of files that are never larger.
func (r *Reader) Max(bytes int64) {
	if bytes < r.max {
		r.max, r.fixed = bytes, true
	}
}

// Read hands out text. Besides io.EOF its errors are *TextError, *TooLargeError and, for a text that ends within a
// character, io.ErrUnexpectedEOF (wrapped). An error comes after all text before it and is then repeated forever.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 || r.err != nil {
		return 0, r.err
	}
	if r.limit > 0 {
		if done := r.consumed(); r.offset-done > r.limit {
			r.err = &TextError{Code: model.CodeTooLong, Offset: done,
				What: fmt.Sprintf("more than %d bytes from here without the end of a value", r.limit)}
			return 0, r.err
		}
	}
	n, err := r.fill(p)
	if err != nil {
		r.err = r.explain(err)
	}
	if left := r.max - r.offset; int64(n) > left {
		n, r.err = int(left), &TooLargeError{Max: r.max, Fixed: r.fixed}
	}
	if n = r.checkRunes(p[:n]); r.err == io.EOF && len(r.partial) > 0 {
		r.err = errHalfRune
	}
	r.lines.add(r.offset, p[:n])
	r.filled = r.filled || len(bytes.TrimSpace(p[:n])) > 0
	r.offset += int64(n)
	if n > 0 {
		return n, nil
	}
	return 0, r.err
}

// blank says that there was only white space so far.
func (r *Reader) blank() bool { return !r.filled }

// Offset is how many bytes of text Read has handed out.
func (r *Reader) Offset() int64 { return r.offset }

// Position is where a byte of the text is; offset must not be behind the last Release nor beyond
// Offset (it is moved to the nearest known line if it is).
func (r *Reader) Position(offset int64) model.Position {
	line, column := r.lines.find(offset)
	return model.Position{File: r.name, Line: line, Column: column}
}

// Release forgets the lines before the one that holds offset.
func (r *Reader) Release(offset int64) { r.lines.release(offset) }

// fill reads at least one byte or fails.
func (r *Reader) fill(p []byte) (int, error) {
	if r.text == nil {
		if err := r.open(); err != nil {
			return 0, err
		}
	}
	for range maxEmptyReads {
		n, err := r.text.Read(p)
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// open looks at the first bytes. Errors of Peek come again from Read.
func (r *Reader) open() error {
	r.text = bufio.NewReaderSize(r.source, bufferSize)
	if magic, _ := r.text.Peek(len(gzipMagic)); string(magic) == gzipMagic {
		r.packed = true
		unpacked, err := gzip.NewReader(r.text)
		if err != nil {
			return err
		}
		r.text = bufio.NewReaderSize(unpacked, bufferSize)
	}
	if head, _ := r.text.Peek(headBytes); NotText(head) != nil {
		return NotText(head)
	}
	if mark, _ := r.text.Peek(len(byteOrder)); string(mark) == byteOrder {
		_, err := r.text.Discard(len(byteOrder))
		return err
	}
	return nil
}

// explain attributes an error of the layers below.
func (r *Reader) explain(err error) error {
	foreign, ok := errors.AsType[*TextError](err)
	switch {
	case ok:
		return foreign
	case r.source.err != nil && r.source.err != io.EOF:
		return readError(r.source.err)
	case err == io.EOF:
		return io.EOF
	case r.packed:
		return compressionError(err)
	}
	return readError(err)
}

// errHalfRune is the end of a text within a character.
var errHalfRune = fmt.Errorf("the text ends within a character: %w", io.ErrUnexpectedEOF)

// checkRunes returns how many bytes of p are fine, and sets the error if not all are. Characters may be
// spread over two reads: their first bytes are handed out before the last ones are seen.
func (r *Reader) checkRunes(p []byte) int {
	i := 0
	for ; len(r.partial) > 0 && i < len(p); i++ {
		r.partial = append(r.partial, p[i])
		if !utf8.FullRune(r.partial) {
			continue
		}
		if c, size := utf8.DecodeRune(r.partial); c == utf8.RuneError && size == 1 {
			r.err = encodingError(r.offset+int64(i+1-len(r.partial)), r.partial[0])
			return 0
		}
		r.partial = r.partial[:0]
	}
	if len(r.partial) > 0 || utf8.Valid(p[i:]) {
		return len(p)
	}
	for i < len(p) {
		c, size := utf8.DecodeRune(p[i:])
		if c == utf8.RuneError && size == 1 {
			if !utf8.FullRune(p[i:]) {
				r.partial = append(r.partial, p[i:]...)
				return len(p)
			}
			r.err = encodingError(r.offset+int64(i), p[i])
			return i
		}
		i += size
	}
	return i
}

// encodingError is text that is not UTF-8, from the first byte of the bad sequence on.
func encodingError(offset int64, bad byte) error {
	return &TextError{Code: model.CodeEncoding, Offset: offset,
		What: fmt.Sprintf("byte 0x%02x does not begin a valid UTF-8 sequence", bad)}
}

// source repeats the first error of a reader, so that looking ahead loses none.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	s.err = err
	return n, err
}

// lines knows where the lines since the last release start.
type lines struct {
	starts []int64
	before int64 // lines that start before starts[0]
	old    int   // how many of starts were released
}

// add notes the lines that start in text, whose first byte is at offset.
func (l *lines) add(offset int64, text []byte) {
	l.before += int64(l.old)
	l.starts = l.starts[:copy(l.starts, l.starts[l.old:])]
	l.old = 0
	for i := 0; ; i++ {
		k := bytes.IndexByte(text[i:], '\n')
		if k < 0 {
			return
		}
		i += k
		l.starts = append(l.starts, offset+int64(i)+1)
	}
}

// near is how many lines are looked at one by one.
const near = 4

// row is the index of the line that holds offset: mostly the last one released, or the next.
func (l *lines) row(offset int64) int {
	later := l.starts[l.old+1:]
	for i := range min(near, len(later)) {
		if later[i] > offset {
			return l.old + i
		}
	}
	return l.old + sort.Search(len(later), func(i int) bool { return later[i] > offset })
}

const maxPlace = 1<<31 - 1

func (l *lines) find(offset int64) (line, column int32) {
	row := l.row(offset)
	n, c := l.before+int64(row)+1, max(offset-l.starts[row], 0)+1
	if n > maxPlace {
		return 0, 0
	}
	if c > maxPlace {
		return int32(n), 0
	}
	return int32(n), int32(c)
}

func (l *lines) release(offset int64) { l.old = l.row(offset) }
