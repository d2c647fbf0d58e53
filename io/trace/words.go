package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// MaxLine is how many bytes a line of numbers may have.
const MaxLine = 1 << 24

// Words reads a file line by line as words between blanks, or between separators. Quotes mean nothing.
type Words struct {
	Comment   byte              // lines that begin with it are none; 0: no line is a comment
	Remark    func(text string) // takes the text of comments; may be nil
	Separator byte              // of words, which then may be empty; 0: blanks

	in     *textpos.Reader
	text   *bufio.Reader
	name   string
	found  *model.Findings
	offset int64 // bytes of text before the next line
	number int32 // of the line
	line   []byte
	words  []word // of the line
	failed bool
}

// word is where a word of a line begins and ends.
type word struct{ from, to int32 }

const blanks = " \t\r\n"

// Seconds is what a message expects instead of a number of seconds.
const Seconds = "seconds, such as 12.5"

// NewWords reads a file.
func NewWords(f File, found *model.Findings) *Words {
	in := textpos.NewReader(f.Text, f.Name)
	return NewWordsOf(in, bufio.NewReader(in), f.Name, found)
}

// NewWordsOf reads text that comes from in, whose name is given.
func NewWordsOf(in *textpos.Reader, text *bufio.Reader, name string, found *model.Findings) *Words {
	w := &Words{in: in, text: text, name: name, found: found}
	in.Limit(MaxLine, func() int64 { return w.offset })
	return w
}

// Next goes to the next line that has a word. It is false at the end, and if a finding says why there is no more.
func (w *Words) Next() bool {
	for w.words = w.words[:0]; len(w.words) == 0; {
		text, err := w.text.ReadSlice('\n')
		w.line = append(w.line[:0], text...)
		if errors.Is(err, bufio.ErrBufferFull) {
			text, err = w.text.ReadBytes('\n')
			w.line = append(w.line, text...)
		}
		w.number++
		w.offset += int64(len(w.line))
		w.in.Release(w.offset)
		if err != nil && !errors.Is(err, io.EOF) {
			w.found.Add(w.in.Finding(err))
			w.failed = true
			return false
		}
		if w.split(); w.Comment != 0 && len(w.words) > 0 && w.line[w.words[0].from] == w.Comment {
			if w.Remark != nil {
				w.Remark(strings.Trim(string(w.line[w.words[0].from+1:]), blanks))
			}
			w.words = w.words[:0]
		}
		if err != nil {
			break
		}
	}
	return len(w.words) > 0
}

// split cuts the line at its separators. A line of blanks has no words.
func (w *Words) split() {
	if line := bytes.TrimRight(w.line, "\r\n"); w.Separator != 0 {
		if len(bytes.Trim(line, blanks)) == 0 {
			return
		}
		from := 0
		for i := range len(line) + 1 {
			if i == len(line) || line[i] == w.Separator {
				w.words = append(w.words, word{int32(from), int32(i)})
				from = i + 1
			}
		}
		return
	}
	for i := 0; i < len(w.line); {
		if strings.IndexByte(blanks, w.line[i]) >= 0 {
			i++
			continue
		}
		end := bytes.IndexAny(w.line[i:], blanks)
		if end < 0 {
			end = len(w.line) - i
		}
		w.words = append(w.words, word{int32(i), int32(i + end)})
		i += end
	}
}

// Failed reports whether reading has failed, which is a finding.
func (w *Words) Failed() bool { return w.failed }

// Len is how many words the line has.
func (w *Words) Len() int { return len(w.words) }

// Word is a word of the line.
func (w *Words) Word(i int) string { return string(w.line[w.words[i].from:w.words[i].to]) }

// At is where a word of the line is.
func (w *Words) At(i int) model.Position {
	return model.Position{File: w.name, Line: w.number, Column: w.words[i].from + 1}
}

// Line is where the line begins.
func (w *Words) Line() model.Position { return model.Position{File: w.name, Line: w.number, Column: 1} }

// Report adds a finding.
func (w *Words) Report(code model.Code, at model.Position, what, expected, hint string) {
	w.found.Add(model.Finding{Code: code, Pos: at, What: what, Expected: expected, Hint: hint})
}

// Shape reports a wrong number of words in the line, or of lines in the file.
func (w *Words) Shape(at model.Position, what, expected string) {
	w.Report(model.CodeRowShape, at, what, expected, "")
}

// Sound says that there is no finding so far.
func (w *Words) Sound() bool { return w.found.Empty() }

// Bad reports that a word is not the number that it should be.
func (w *Words) Bad(i int, what string, err error, expected string) {
	w.found.Add(textpos.NumberFinding(w.At(i), what, w.Word(i), err, expected))
}

// Whole reads a whole number, or reports what is wrong with it.
func (w *Words) Whole(i int, what, expected string) (int64, bool) {
	v, err := model.ParseBytes(w.Word(i))
	if err != nil {
		w.Bad(i, what, err, expected)
	}
	return int64(v), err == nil
}

// Count reads a whole number from 1 to 2^31 − 1, or reports what is wrong with it.
func (w *Words) Count(i int, what string) (int64, bool) {
	v, ok := w.Whole(i, what, "a whole number")
	if ok && v == 0 {
		w.Report(model.CodeNegative, w.At(i), "the "+what+" is 0", "1 or more", "")
	}
	if ok && v > math.MaxInt32 {
		w.Report(model.CodeOverflow, w.At(i), fmt.Sprintf("the %s is %d", what, v), fmt.Sprintf("at most %d", math.MaxInt32),
			"")
	}
	return v, ok && v > 0 && v <= math.MaxInt32
}

// Time reads a number of seconds, or reports what is wrong with it.
func (w *Words) Time(i int, what string) model.Time {
	t, err := model.ParseTime(w.Word(i))
	if err != nil {
		w.Bad(i, what, err, Seconds)
	}
	return t
}

// Amount reads an amount of a resource, or reports what is wrong with it.
func (w *Words) Amount(i int, what string) model.Amount {
	a, err := model.ParseAmount(w.Word(i))
	if err != nil {
		w.Bad(i, what, err, "a number")
	}
	return a
}

// Empty reports a file without a word, unless there are other findings.
func (w *Words) Empty(expected string) {
	NothingLeft(w.found, []File{{Name: w.name}}, "the file is empty", expected)
}
