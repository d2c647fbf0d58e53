package workload

import (
	"bytes"
	"io"

	"mrsched/model"
)

// Before a long file is read, its rows are counted, roughly and quickly, so that tables need not grow.

const (
	// maxReserved limits the rows for which memory is reserved in advance.
	maxReserved = 1 << 22
	// minObject is how many bytes the shortest row of these tables has in JSON.
	minObject = len(`{"block":"","node":""},`)
	// minQuotes is how many quotes it has.
	minQuotes = 8
	// minLine is how many bytes a row has in CSV, if there are so many that their ids are not all short.
	minLine = len("t00,j0,map\n")
	// longFile is the size in bytes from which on that pays.
	longFile = 1 << 20
	// longName is at least the length of a table's name in quotes.
	longName = 16
)

// reserve makes room for rows of a table.
func (l *intake) reserve(reserve func(*model.Builder, int), rows int) {
	if rows > 0 {
		reserve(l.b, min(rows, maxReserved))
	}
}

// ahead calls look with piece after piece of a long file, until it returns false, and goes back to where it began.
func ahead(r io.Reader, look func(piece []byte) bool) {
	f, ok := r.(io.ReadSeeker)
	if !ok {
		return
	}
	start, err := f.Seek(0, io.SeekCurrent) // an error: a pipe, for example
	if err != nil {
		return
	}
	if end, err := f.Seek(0, io.SeekEnd); err == nil && end-start >= longFile {
		_, err = f.Seek(start, io.SeekStart)
		buf := make([]byte, 1<<16)
		for n := 0; err == nil; {
			if n, err = f.Read(buf); !look(buf[:n]) {
				break
			}
		}
	}
	_, _ = f.Seek(start, io.SeekStart) // if it fails, reading will report the end of the file
}

// countLines estimates the rows of a file, 0 if it is short or not seekable; of blank lines, few.
func countLines(r io.Reader) int {
	lines, size := 0, 0
	ahead(r, func(piece []byte) bool {
		lines += bytes.Count(piece, []byte{'\n'})
		size += len(piece)
		return min(lines, size/minLine) < maxReserved
	})
	return min(lines, size/minLine)
}

// countObjects estimates the rows of the tables of a document that may be very long.
func countObjects(r io.Reader) map[tableCodec]int {
	rows, sizes, quotes := map[tableCodec]int{}, map[tableCodec]int{}, map[tableCodec]int{}
	var table tableCodec // in which the text lies
	var hold []byte
	ahead(r, func(piece []byte) bool {
		hold = append(hold, piece...)
		text := hold
		for len(text) > 0 {
			if table == nil {
				at := 0
				if table, at = nextTable(text); table == nil {
					text = text[max(0, len(text)-longName):] // a name may continue
					break
				}
				text = text[at:]
			}
			inside, rest, closed := bytes.Cut(text, []byte{']'})
			rows[table] += bytes.Count(inside, []byte{'{'})
			quotes[table] += bytes.Count(inside, []byte{'"'})
			sizes[table] += len(inside)
			if text = rest; closed {
				table = nil
			}
		}
		hold = hold[:copy(hold, text)]
		return true
	})
	for t := range rows {
		rows[t] = min(rows[t], sizes[t]/minObject, quotes[t]/minQuotes)
	}
	return rows
}

// nextTable is the first table whose name is in the text, and where the name ends; nil if there is none.
func nextTable(text []byte) (first tableCodec, end int) {
	for _, t := range tables {
		name := []byte(`"` + t.tableName() + `"`)
		if at := bytes.Index(text, name); t.reserver() != nil && at >= 0 && (first == nil || at+len(name) < end) {
			first, end = t, at+len(name)
		}
	}
	return first, end
}
