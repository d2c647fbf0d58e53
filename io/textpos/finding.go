package textpos

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/model"
)

// ReadError is an error of the file itself.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return e.Err.Error() }

// Unwrap is the file's error.
func (e *ReadError) Unwrap() error { return e.Err }

// CompressionError is a gzip stream that is cut short or damaged.
type CompressionError struct{ Err error }

// Error tells the two apart.
func (e *CompressionError) Error() string {
	if errors.Is(e.Err, io.ErrUnexpectedEOF) || errors.Is(e.Err, io.EOF) {
		return "the gzip data are cut short"
	}
	return "the gzip data are damaged (" + e.Err.Error() + ")"
}

// EncodingError is text that is not UTF-8.
type EncodingError struct {
	Offset int64 // of the first byte of the bad sequence
	Byte   byte
}

func (e *EncodingError) Error() string {
	return fmt.Sprintf("byte 0x%02x does not begin a valid UTF-8 sequence", e.Byte)
}

// TooLongError is a token, or a run of blanks, beyond Limit.
type TooLongError struct {
	Offset int64 // where the consumer was done
	Max    int64
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("more than %d bytes from here without the end of a value", e.Max)
}

// Finding is the finding that an error of Read, or of a jsontext.Decoder that reads from r, amounts to:
// F101 unreadable, F102 gzip, F103 not JSON, F104 truncated, F105 not UTF-8, F106 too long, F110 too large.
func (r *Reader) Finding(err error) model.Finding {
	if e, ok := asError[*CompressionError](err); ok {
		return model.Finding{Code: model.CodeCompression, Pos: r.Position(r.offset), What: e.Error(),
			Expected: "a whole gzip file", Hint: "copy or compress the file again"}
	}
	if e, ok := asError[*EncodingError](err); ok {
		return model.Finding{Code: model.CodeEncoding, Pos: r.Position(e.Offset), What: e.Error(), Expected: "UTF-8"}
	}
	if e, ok := asError[*TooLongError](err); ok {
		return model.Finding{Code: model.CodeTooLong, Pos: r.Position(e.Offset), What: e.Error(),
			Expected: "shorter values", Hint: "look for a missing quote"}
	}
	if e, ok := asError[*TooLargeError](err); ok {
		return e.Finding(r.Position(r.offset))
	}
	if e, ok := asError[*ReadError](err); ok {
		return model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: r.name}, What: e.Error()}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return model.Finding{Code: model.CodeTruncated, Pos: r.Position(r.offset),
			What: "the file ends in the middle of a value",
			Hint: "the file was cut: produce or copy it again"}
	}
	if e, ok := asError[*jsontext.SyntacticError](err); ok {
		return model.Finding{Code: model.CodeSyntax, Pos: r.Position(e.ByteOffset), What: e.Err.Error(), Expected: "JSON"}
	}
	return model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: r.name}, What: err.Error()}
}
