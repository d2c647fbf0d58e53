package textpos

import (
	"bytes"

	"mrsched/model"
)

// headBytes is how many bytes tell a file that is no UTF-8 text.
const headBytes = 4

const (
	utf16       = "the file is UTF-16 text"
	parquetFile = "the file is a Parquet file"
)

// NotText recognises files that people save or rename instead of UTF-8 text, UTF-16 and the workbooks of spreadsheets,
// by their beginning. It is nil for any other file.
func NotText(head []byte) *TextError {
	is := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case is("\xff\xfe"), is("\xfe\xff"), len(head) > 1 && (head[0] == 0) != (head[1] == 0):
		return &TextError{model.CodeEncoding, 0, utf16, nil}
	case is("PK\x03\x04"):
		return &TextError{model.CodeFormat, 0, "the file is a ZIP archive or a workbook (.xlsx, .ods)", nil}
	case is("\xd0\xcf\x11\xe0"):
		return &TextError{model.CodeFormat, 0, "the file is a workbook (.xls)", nil}
	case is("PAR1"):
		return &TextError{model.CodeFormat, 0, parquetFile, nil}
	}
	return nil
}
