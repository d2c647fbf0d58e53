package workload

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// TestRecords: fields, places, offsets and errors equal those of csv.Reader, however the text is divided and however it
// ends.
func TestRecords(t *testing.T) {
	parts := rapid.SampledFrom([]string{"a", "b c", "7.5", ",", ",", "\n", "\n", "\r\n", "\r", `"`, `""`, `"x"`, "\"p\nq\"",
		"\"\r\n\"", "é", "'", strings.Repeat("long ", 50_000)})
	broken := errors.New("the disk is broken")
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(parts, 0, 20).Draw(t, "parts"), "")
		end := rapid.SampledFrom([]error{io.EOF, broken}).Draw(t, "end")
		open := func() io.Reader { return io.MultiReader(strings.NewReader(text), iotest.ErrReader(end)) }
		in := open()
		if len(text) < 1000 && rapid.Bool().Draw(t, "bytes come alone") {
			in = iotest.OneByteReader(in)
		}
		got, want := listRecords(in), listCSV(open())
		if got != want {
			t.Fatalf("%q, then %v:\n got %s\nwant %s", text, end, got, want)
		}
	})
}

// listRecords lists what records reads.
func listRecords(in io.Reader) string {
	var b strings.Builder
	for r := newRecords(in, func(int64) {}); ; {
		err := r.read()
		if err != nil {
			return b.String() + describeError(err)
		}
		fmt.Fprintf(&b, "%q %v to %d\n", r.fields, r.places, r.offset())
	}
}

// listCSV lists what csv.Reader reads.
func listCSV(in io.Reader) string {
	var b strings.Builder
	r := csv.NewReader(in)
	r.FieldsPerRecord = -1
	for {
		fields, err := r.Read()
		if err != nil {
			return b.String() + describeError(err)
		}
		places := make([]place, len(fields))
		for i := range places {
			line, column := r.FieldPos(i)
			places[i] = place{int32(line), int32(column)}
		}
		fmt.Fprintf(&b, "%q %v to %d\n", fields, places, r.InputOffset())
	}
}

// describeError prints the error with its places.
func describeError(err error) string { return fmt.Sprintf("%#v %v", err, err) }
