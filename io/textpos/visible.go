package textpos

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Visible makes a text safe to show. It escapes control characters, line ends, tabs, invisible characters and bytes
// that are not UTF-8 as Go and JSON do: \x1b, \u202e.
func Visible(text string) string { return visible(text, steers) }

// UTF8 replaces bytes of a text, such as a file's name, that are not UTF-8 by U+FFFD: JSON documents cannot hold such
// bytes.
func UTF8(text string) string { return strings.ToValidUTF8(text, string(utf8.RuneError)) }

// VisibleLines is Visible for text of several lines and columns.
func VisibleLines(text string) string { return visible(text, steersLines) }

func visible(text string, steers func(rune) bool) string {
	if strings.IndexFunc(text, steers) < 0 && utf8.ValidString(text) {
		return text
	}
	return string(appendVisible(nil, []byte(text), steers))
}

// steers reports whether a character does something other than show a glyph. U+2028 and U+2029 are line ends.
func steers(c rune) bool { return !unicode.IsGraphic(c) }

// steersLines is steers for text of many lines and columns.
func steersLines(c rune) bool { return c != '\n' && c != '\t' && steers(c) }

// appendVisible appends a text with what steers and bytes that are no characters escaped.
func appendVisible(to, text []byte, steers func(rune) bool) []byte {
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		switch {
		case c == utf8.RuneError && size == 1:
			const hex = "0123456789abcdef"
			to = append(to, '\\', 'x', hex[text[0]>>4], hex[text[0]&15])
		case steers(c):
			quoted := strconv.AppendQuoteRuneToASCII(nil, c)
			to = append(to, quoted[1:len(quoted)-1]...)
		default:
			to = append(to, text[:size]...)
		}
		text = text[size:]
	}
	return to
}

// VisibleWriter escapes text as Visible does, but keeps line ends and tabs: for reports and messages, parts of which
// may come from untrusted files, not for documents for programs. Several goroutines may write.
type VisibleWriter struct {
	to io.Writer

	mu   sync.Mutex
	half []byte // the first bytes of a character that the next Write continues with
}

// NewVisibleWriter writes to w.
func NewVisibleWriter(w io.Writer) *VisibleWriter { return &VisibleWriter{to: w} }

// Unwrap is the writer below.
func (w *VisibleWriter) Unwrap() io.Writer { return w.to }

// Write writes a part of a text.
func (w *VisibleWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := append(w.half, p...)
	end := len(text)
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if utf8.RuneStart(text[len(text)-back]) {
			if !utf8.FullRune(text[len(text)-back:]) {
				end = len(text) - back
			}
			break
		}
	}
	out := appendVisible(nil, text[:end], steersLines)
	w.half = bytes.Clone(text[end:])
	if _, err := w.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}
