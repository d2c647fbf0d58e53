package page

import (
	"bytes"
	"io"
	"os"
)

// mark is near the beginning of every page.
const mark = `<meta name="generator" content="mrsched report">`

// markedBefore is by which byte it ends.
const markedBefore = 256

// Written says whether a file is a page that Write wrote.
func Written(path string) bool {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false // a pipe would block
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() // it was only read
	head, err := io.ReadAll(io.LimitReader(f, markedBefore))
	return err == nil && bytes.HasPrefix(head, []byte("<!DOCTYPE html>")) && bytes.Contains(head, []byte(mark))
}
