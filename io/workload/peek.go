package workload

import (
	"io"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/io/textpos"
)

// peeked is how much of a document PeekProblem reads, unpacked: mrsched writes the scalars first.
const peeked = 64 << 10

// PeekProblem is the problem that the beginning of a workload file names; empty if it names none or there is no such
// file. It reads little, never blocks, and reports no errors.
func PeekProblem(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case info.Mode().IsRegular(): // a pipe may never say anything
		if f, err := os.Open(path); err == nil {
			defer f.Close()
			return peekProblem(f)
		}
	case info.IsDir():
		for _, name := range []string{scalarFile, scalarFile + gzSuffix} {
			if f, err := textpos.OpenBelow(path, name); err == nil {
				defer f.Close()
				return peekProblem(f)
			}
		}
	}
	return ""
}

func peekProblem(r io.Reader) string {
	d := jsontext.NewDecoder(io.LimitReader(textpos.NewReader(io.LimitReader(r, peeked), ""), peeked))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return ""
	}
	for d.PeekKind() == '"' {
		key, err := d.ReadToken()
		switch {
		case err != nil:
			return ""
		case key.String() == "problem":
			if value, err := d.ReadToken(); err == nil && value.Kind() == '"' {
				return value.String()
			}
			return ""
		case d.SkipValue() != nil:
			return ""
		}
	}
	return ""
}
