package spark

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

const (
	peeked = 64 << 10
	// maxWindow is how far back zstd data may refer; zstd itself reads no more by default.
	maxWindow = 128 << 20
)

// magics are the first bytes of packed files.
const (
	gzipMagic = "\x1f\x8b"
	zstdMagic = "\x28\xb5\x2f\xfd"
)

// codecs are the packed files that mrsched does not read, by their first bytes, with Spark's class for them.
var codecs = []struct{ magic, name, class string }{
	{"LZ4Block", "lz4", "LZ4"}, {"\x04\x22\x4d\x18", "lz4", "LZ4"}, {"\x82SNAPPY\x00", "snappy", "Snappy"},
	{"\xff\x06\x00\x00sNaPpY", "snappy", "Snappy"}, {"ZV\x00", "lzf", "LZF"}, {"ZV\x01", "lzf", "LZF"},
}

// unpacker reads a file that may be packed with gzip or zstd. It accepts packed data that end early: the application
// still runs, or its driver was killed.
type unpacker struct {
	source *source
	text   io.Reader
	packed string // by what; empty: plain
	cut    bool   // the data ended early
	close  func()
}

// source remembers the error of a file, to distinguish it from damaged data.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// unpack looks at the first bytes of a file.
func unpack(f trace.File) (*unpacker, *model.Finding) {
	u := &unpacker{source: &source{r: f.Text}, close: func() {}}
	text := bufio.NewReaderSize(u.source, peeked)
	head, _ := text.Peek(16) // an error comes again
	for _, c := range codecs {
		if strings.HasPrefix(string(head), c.magic) {
			return nil, &model.Finding{Code: model.CodeCompression, Pos: model.Position{File: f.Name},
				What: "the log is packed with " + c.name, Expected: "plain text, gzip or zstd",
				Hint: fmt.Sprintf("unpack it in spark-shell: java.nio.file.Files.copy(new org.apache.spark.io."+
					"%sCompressionCodec(sc.getConf).compressedInputStream(new java.io.FileInputStream(%q)), "+
					"java.nio.file.Paths.get(\"events.json\")); later logs: spark.eventLog.compression.codec=zstd", c.class,
					f.Name)}
		}
	}
	u.text = text
	switch {
	case strings.HasPrefix(string(head), gzipMagic):
		u.packed = "gzip"
		z, err := gzip.NewReader(text)
		switch {
		case err == nil:
			u.text = z
		case u.source.err == nil && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
			u.text, u.cut = strings.NewReader(""), true
		default:
			u.text = text // which fails again, or is no text
		}
	case strings.HasPrefix(string(head), zstdMagic):
		u.packed = "zstd"
		z, err := zstd.NewReader(text, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, &model.Finding{Code: model.CodeCompression, Pos: model.Position{File: f.Name}, What: err.Error()}
		}
		u.text, u.close = z, z.Close
	}
	return u, nil
}

func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.text.Read(p)
	switch {
	case err == nil || err == io.EOF || u.packed == "":
		return n, err
	case u.source.err != nil:
		return n, u.source.err
	case errors.Is(err, io.ErrUnexpectedEOF):
		u.cut = true
		return n, io.EOF
	}
	return n, &textpos.TextError{Code: model.CodeCompression, Offset: -1,
		What: fmt.Sprintf("the %s data are damaged (%v)", u.packed, err), Err: err}
}
