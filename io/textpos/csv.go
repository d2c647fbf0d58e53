package textpos

import (
	"encoding/csv"
	"errors"
	"path"
	"strconv"
	"strings"

	"mrsched/model"
)

// CSVFinding is the finding that an error of a csv.Reader that reads from r amounts to: F103 not CSV, else as Finding.
// Records of the wrong length are the caller's.
func (r *Reader) CSVFinding(err error) model.Finding {
	e, ok := asError[*csv.ParseError](err)
	if !ok {
		return r.Finding(err)
	}
	f := model.Finding{Code: model.CodeSyntax, Pos: model.Position{File: r.name, Line: int32(e.StartLine),
		Column: int32(e.Column)}, What: e.Err.Error(), Expected: "CSV",
		Hint: `put fields with quotes, commas or line ends in quotes and double the quotes inside: "a ""b"""`}
	if errors.Is(err, csv.ErrQuote) && e.Line != e.StartLine {
		f.Pos.Column = 1
	} else {
		f.Pos.Line = int32(e.Line)
	}
	return f
}

// Stem is a file's name without directories, whatever the system, and without some endings, of which each goes once, in
// their order.
func Stem(name string, endings ...string) string {
	stem := path.Base(strings.ReplaceAll(name, "\\", "/"))
	for _, ending := range endings {
		stem = strings.TrimSuffix(stem, ending)
	}
	return stem
}

// MaxQuoted is how many bytes of a bad value a message repeats.
const MaxQuoted = 60

// Quoted quotes a text and shortens it if it is long.
func Quoted(text string) string {
	if len(text) <= MaxQuoted {
		return strconv.Quote(text)
	}
	return strconv.Quote(strings.ToValidUTF8(text[:MaxQuoted], "")) + "…"
}

// NumberFinding is the finding that an error of model.ParseFixed amounts to: V202 no number, V203 negative, V204 too
// large. What calls the value by name, text is what stands at pos.
func NumberFinding(pos model.Position, what, text string, err error, expected string) model.Finding {
	shown := Quoted(text)
	f := model.Finding{Code: model.CodeNumber, Pos: pos, What: what + " " + shown + " is not a number", Expected: expected}
	switch {
	case errors.Is(err, model.ErrNegative):
		f.Code, f.What = model.CodeNegative, what+" "+shown+" is negative"
	case errors.Is(err, model.ErrOverflow):
		f.Code, f.What = model.CodeOverflow, what+" "+shown+" is too large"
	}
	return f
}
