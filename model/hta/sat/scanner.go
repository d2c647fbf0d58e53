package sat

import (
	"bufio"
	"io"
	"math"

	"mrsched/model"
)

// maxToken is how much of a word, or of a header, is kept for messages; longer ones are invalid anyway.
const maxToken = 64

// scanner splits a DIMACS file into words. It reads byte by byte, so that no line is too long for it.
type scanner struct {
	in           *bufio.Reader
	name         string
	line, column int64 // of the byte that comes next, from 1
	fresh        bool  // only blanks are before it on its line
	err          error // the result of every further read
}

func newScanner(r io.Reader, name string) *scanner {
	return &scanner{in: bufio.NewReader(r), name: name, line: 1, column: 1, fresh: true}
}

// position is where the next byte stands; a place beyond 2³¹−1 lines or columns is unknown.
func (s *scanner) position() model.Position {
	p := model.Position{File: s.name}
	if s.line <= math.MaxInt32 && s.column <= math.MaxInt32 {
		p.Line, p.Column = int32(s.line), int32(s.column)
	}
	return p
}

// peek returns the next byte without taking it.
func (s *scanner) peek() (byte, error) {
	if s.err != nil {
		return 0, s.err
	}
	b, err := s.in.Peek(1)
	if err != nil {
		s.err = err
		return 0, err
	}
	return b[0], nil
}

// skip consumes the byte that peek returned.
func (s *scanner) skip() {
	b, _ := s.in.ReadByte() // peek has buffered it
	s.column++
	if b == '\n' {
		s.line, s.column, s.fresh = s.line+1, 1, true
	}
}

func blank(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }

// next is the next word outside comments, cut to maxToken bytes. A comment is a line whose first word begins with c.
func (s *scanner) next() (token string, at model.Position, err error) {
	for {
		b, err := s.peek()
		if err != nil {
			return "", s.position(), err
		}
		switch {
		case blank(b):
			s.skip()
		case s.fresh && b == 'c':
			s.restOfLine()
		default:
			at = s.position()
			s.fresh = false
			return s.take(func(b byte) bool { return !blank(b) }), at, nil
		}
	}
}

// restOfLine consumes the line to its end, and says whether what it returns is complete.
func (s *scanner) restOfLine() (text string, complete bool) {
	text = s.take(func(b byte) bool { return b != '\n' })
	return text, len(text) < maxToken
}

// take consumes bytes as long as they satisfy a condition and returns the first maxToken of them. It leaves a read
// error to the next call of peek.
func (s *scanner) take(good func(byte) bool) string {
	var text []byte
	for {
		b, err := s.peek()
		if err != nil || !good(b) {
			return string(text)
		}
		s.skip()
		if len(text) < maxToken {
			text = append(text, b)
		}
	}
}
