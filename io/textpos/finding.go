package textpos

import (
	"encoding/csv"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/model"
)

// TextError says what is wrong with the text of a file, except for TooLargeError.
type TextError struct {
	Code   model.Code
	Offset int64 // the place; atEnd: where reading ended; nowhere: in no place of the file
	What   string
	Err    error // below it; nil if there is none
}

const (
	atEnd   = -1
	nowhere = -2
)

func (e *TextError) Error() string { return e.What }

// Unwrap is the error below, such as the file's.
func (e *TextError) Unwrap() error { return e.Err }

// readError is an error of the file itself.
func readError(err error) error { return &TextError{model.CodeUnreadable, nowhere, err.Error(), err} }

// compressionError is a gzip stream that is cut short or damaged.
func compressionError(err error) error {
	what := "the gzip data are damaged (" + err.Error() + ")"
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		what = "the gzip data are cut short"
	}
	return &TextError{model.CodeCompression, atEnd, what, nil}
}

// remedies say what a TextError expects, and a hint.
var remedies = map[model.Code][2]string{
	model.CodeCompression: {"a whole gzip file", "copy or compress the file again"},
	model.CodeEncoding: {"UTF-8", "save it as UTF-8: in a spreadsheet \"CSV UTF-8\", in a shell iconv -f WINDOWS-1252 " +
		"-t UTF-8, if that is its encoding"},
	model.CodeFormat: {"a file of text", "save each sheet of a workbook as \"CSV UTF-8\", and unpack an archive; of " +
		"compressed files, mrsched reads gzip"},
	model.CodeTooLong: {"shorter values", "look for a missing quote"},
}

// Finding turns an error of Read, or of a jsontext.Decoder that reads from r, into a finding: F101 unreadable, F102
// gzip, F103 not JSON, F104 truncated, F105 not UTF-8, F106 too long, F110 too large.
func (r *Reader) Finding(err error) model.Finding {
	if e, ok := errors.AsType[*TextError](err); ok {
		remedy := remedies[e.Code]
		f := model.Finding{Code: e.Code, Pos: model.Position{File: r.name}, What: e.What, Expected: remedy[0],
			Hint: remedy[1]}
		switch e.What {
		case utf16:
			f.Hint = "save it as UTF-8: in a spreadsheet \"CSV UTF-8\", in a shell iconv -f UTF-16 -t UTF-8"
		case parquetFile:
			f.Hint = "export it as CSV"
		}
		switch e.Offset {
		case nowhere:
		case atEnd:
			f.Pos = r.Position(r.offset)
		default:
			f.Pos = r.Position(e.Offset)
		}
		return f
	}
	if e, ok := errors.AsType[*TooLargeError](err); ok {
		return e.Finding(r.Position(r.offset))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) && r.blank() {
		return model.Finding{Code: model.CodeTruncated, Pos: r.Position(0), What: "the input is empty", Expected: "JSON",
			Hint: "the command that should have written it may have failed: look at its messages and exit code"}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return model.Finding{Code: model.CodeTruncated, Pos: r.Position(r.offset),
			What: "the file ends in the middle of a value", Expected: "the rest of it",
			Hint: "the file was cut: produce or copy it again"}
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return model.Finding{Code: model.CodeSyntax, Pos: r.Position(e.ByteOffset), What: e.Err.Error(), Expected: "JSON"}
	}
	return model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: r.name}, What: err.Error()}
}

// CSVFinding turns an error of a csv.Reader that reads from r into a finding: F103 not CSV, else as Finding. The caller
// handles records of the wrong length.
func (r *Reader) CSVFinding(err error) model.Finding {
	e, ok := errors.AsType[*csv.ParseError](err)
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

// Stem is a file's name without directories of any system, and without the given endings, each removed at most once, in
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

// NumberFinding turns an error of model.ParseFixed into a finding: V202 no number, V203 negative, V204 too large. what
// names the value; text is what the file has at pos.
func NumberFinding(pos model.Position, what, text string, err error, expected string) model.Finding {
	shown := Quoted(text)
	f := model.Finding{Code: model.CodeNumber, Pos: pos, What: what + " " + shown + " is not a number", Expected: expected}
	switch {
	case model.LooksLikeClock(text):
		f.Hint = "this is a clock time: write seconds since the start of the schedule"
	case errors.Is(err, model.ErrNegative):
		f.Code, f.What = model.CodeNegative, what+" "+shown+" is negative"
	case errors.Is(err, model.ErrOverflow):
		f.Code, f.What = model.CodeOverflow, what+" "+shown+" is too large"
	}
	return f
}
