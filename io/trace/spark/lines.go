package spark

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/io/textpos"
	"mrsched/model"
)

// maxLine is how many bytes a line may have. The plans of large SQL queries take some megabytes.
const maxLine = 64 << 20

// lines reads a file line by line.
type lines struct {
	in       *textpos.Reader
	buffered *bufio.Reader
	name     string
	row      int32  // number of the line
	offset   int64  // bytes before the next line
	line     []byte // without blanks at its ends
	long     []byte // holds it if it is longer than the buffer
	whole    bool   // the line has an end
	done     bool

	buffer bytes.Buffer
	dec    *jsontext.Decoder
}

func newLines(text io.Reader, name string) *lines {
	l := &lines{in: textpos.NewReader(text, name), name: name}
	l.buffered = bufio.NewReaderSize(l.in, peeked)
	l.in.Limit(maxLine, func() int64 { return l.offset })
	l.dec = jsontext.NewDecoder(&l.buffer)
	return l
}

// next goes to the next line that is not blank; false at the end, or with an error of the file.
func (l *lines) next() (bool, error) {
	for !l.done {
		line, err := l.buffered.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			l.long = append(l.long[:0], line...)
			for errors.Is(err, bufio.ErrBufferFull) {
				line, err = l.buffered.ReadSlice('\n')
				l.long = append(l.long, line...)
			}
			line = l.long
		}
		l.row++
		l.offset += int64(len(line))
		l.in.Release(l.offset)
		l.whole = err == nil
		l.done = err != nil
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if l.line = bytes.TrimSpace(line); len(l.line) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// check says why the line is not one JSON value, and at which byte.
func (l *lines) check() (byteOffset int64, err error) {
	l.buffer = *bytes.NewBuffer(l.line)
	l.dec.Reset(&l.buffer, jsontext.AllowDuplicateNames(true))
	if _, err = l.dec.ReadValue(); err == nil {
		if _, err = l.dec.ReadToken(); errors.Is(err, io.EOF) {
			return 0, nil
		}
		if err == nil {
			err = errors.New("a second value follows")
		}
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok && !errors.Is(err, io.ErrUnexpectedEOF) {
		return e.ByteOffset, e.Err
	}
	return l.dec.InputOffset(), err
}

// at is where a byte of the line is. Blanks before the line are rare and not counted.
func (l *lines) at(byteOffset int64) model.Position {
	return model.Position{File: l.name, Line: l.row, Column: int32(min(byteOffset, maxLine)) + 1}
}

// where is where a part of the line is: both slices end where their common array does.
func (l *lines) where(part []byte) model.Position { return l.at(int64(cap(l.line) - cap(part))) }
