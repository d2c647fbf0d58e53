package textpos

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mrsched/model"
)

// TestMaxInput: a file may have exactly as many bytes as the limit, plain or packed.
func TestMaxInput(t *testing.T) {
	defer SetMaxInput(1000)()
	for _, size := range []int{0, 999, 1000, 1001, 5000} {
		text := strings.Repeat("0123456789", 500)[:size]
		for name, file := range map[string][]byte{"plain": []byte(text), "packed": pack(text),
			"two members": pack(text[:size/2], text[size/2:])} {
			in := NewReader(bytes.NewReader(file), "f")
			got, err := io.ReadAll(in)
			if len(got) != min(size, 1000) || (err != nil) != (size > 1000) {
				t.Errorf("%s, %d bytes: %d read, %v", name, size, len(got), err)
			}
			if err != nil && at(in.Finding(err)) != string(model.CodeTooLarge)+" f:1:1001" {
				t.Errorf("%s, %d bytes: %v", name, size, in.Finding(err))
			}
		}
	}
}

// TestHeldBomb: unpacking into memory stops at the limit, long before the bomb's end.
func TestHeldBomb(t *testing.T) {
	defer SetMaxInput(1 << 20)()
	bomb := pack(strings.Repeat("0", 64<<20))
	var large *TooLargeError
	counted := &counting{r: bytes.NewReader(bomb)}
	if text, err := Unpacked(counted); !errors.As(err, &large) || text != nil || counted.n > len(bomb)/8 {
		t.Errorf("%d bytes, %v; %d of %d packed bytes read", len(text), err, counted.n, len(bomb))
	}
	var packed *TextError
	for name, file := range map[string][]byte{"garbage behind": append(pack("x"), "garbage"...),
		"zeros behind": append(pack("x"), 0, 0, 0), "cut": pack("some text")[:20], "none": []byte("x")} {
		if _, err := Unpacked(bytes.NewReader(file)); !errors.As(err, &packed) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "none" {
			continue
		}
		in := NewReader(bytes.NewReader(file), "f")
		if _, err := io.ReadAll(in); err == nil || in.Finding(err).Code != model.CodeCompression {
			t.Errorf("%s, as a stream: %v", name, err)
		}
	}
	if text, err := Unpacked(bytes.NewReader(pack("one ", "two"))); err != nil || string(text) != "one two" {
		t.Errorf("two members: %q, %v", text, err)
	}
}

type counting struct {
	r io.Reader
	n int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// TestBelow: files of a directory are regular, and links do not lead out of it.
func TestBelow(t *testing.T) {
	outer := t.TempDir()
	dir := filepath.Join(outer, "d")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.Mkdir(filepath.Join(dir, "folder"), 0o755),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644),
		os.WriteFile(filepath.Join(outer, "secret"), []byte("secret"), 0o644),
		os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o644),
		os.Symlink("file", filepath.Join(dir, "inner")), os.Symlink("../secret", filepath.Join(dir, "up")),
		os.Symlink("/dev/zero", filepath.Join(dir, "zero"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"file": "text", "inner": "text", "up": "", "zero": "", "pipe": "",
		"folder": "", "../secret": "", "none": ""} {
		text, err := ReadBelow(dir, name)
		if string(text) != want || (err == nil) != (want != "") || errors.Is(err, os.ErrNotExist) != (name == "none") {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	defer SetMaxInput(3)()
	var large *TooLargeError
	for _, read := range []func() ([]byte, error){
		func() ([]byte, error) { return ReadBelow(dir, "file") },
		func() ([]byte, error) { return ReadFile(filepath.Join(dir, "file")) },
		func() ([]byte, error) { return ReadFile("/dev/zero") },
	} {
		if text, err := read(); !errors.As(err, &large) || text != nil {
			t.Errorf("%q, %v", text, err)
		}
	}
}
