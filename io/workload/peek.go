package workload

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"

	"github.com/go-json-experiment/json/jsontext"
)

// peeked is how much of a document PeekProblem reads, unpacked: mrsched writes the scalars first.
const peeked = 64 << 10

// PeekProblem is the problem that the beginning of a workload file names; empty if it names none or there is no such
// file. It reads little, never blocks, and reports no errors.
func PeekProblem(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		root, err := os.OpenRoot(path) // as the reader, it follows no link out of the directory
		if err != nil {
			return ""
		}
		defer root.Close()
		for _, name := range []string{scalarFile, scalarFile + gzSuffix} {
			if info, err := root.Stat(name); err == nil && info.Mode().IsRegular() {
				f, err := root.Open(name)
				if err != nil {
					return ""
				}
				defer f.Close()
				return peekProblem(f)
			}
		}
		return ""
	} else if err != nil || !info.Mode().IsRegular() { // a pipe may never say anything
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	return peekProblem(f)
}

func peekProblem(r io.Reader) string {
	b := bufio.NewReader(io.LimitReader(r, peeked))
	r = b
	if magic, err := b.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return ""
		}
		r = io.LimitReader(z, peeked)
	}
	d := jsontext.NewDecoder(r)
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return ""
	}
	for d.PeekKind() == '"' {
		key, err := d.ReadToken()
		if err != nil {
			return ""
		}
		if key.String() != "problem" {
			if d.SkipValue() != nil {
				return ""
			}
			continue
		}
		if value, err := d.ReadToken(); err == nil && value.Kind() == '"' {
			return value.String()
		}
		return ""
	}
	return ""
}
