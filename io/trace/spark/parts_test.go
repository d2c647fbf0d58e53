package spark

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

func gzipped(text []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(text)
	_ = z.Close()
	return b.Bytes()
}

// zstded packs text into one frame of several blocks, so that a part of it can be unpacked.
func zstded(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		_, _ = z.Write(line)
		_ = z.Flush()
	}
	_ = z.Close()
	return b.Bytes()
}

// TestPacked: the same log plain, packed as a whole, and in parts that are packed in different ways.
func TestPacked(t *testing.T) {
	log := content(t, "app.json")
	half := bytes.IndexByte(log[len(log)/2:], '\n') + len(log)/2 + 1
	want := show(imported(t, "app.json", unchanged))
	for name, files := range map[string][]trace.File{
		"gzip":   {file("log.gz", gzipped(log))},
		"zstd":   {file("log.zstd", zstded(t, log))},
		"frames": {file("log", slices.Concat(zstded(t, log[:half]), zstded(t, log[half:])))},
		"parts":  {file("events_1_a.zstd", zstded(t, log[:half])), file("events_2_a", log[half:])},
		"dated":  {file("eventlog-2021.gz", gzipped(log[:half])), file("eventlog", log[half:])},
		"CRLF":   {file("log", bytes.ReplaceAll(log, []byte("\n"), []byte("\r\n")))},
		"blank":  {file("log", slices.Concat([]byte("\xef\xbb\xbf\n\n"), log, []byte(" \n")))},
		"no end": {file("log", bytes.TrimSpace(log))},
	} {
		w, err := Import(files, Options{Jobs: Recorded})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(want, show(w)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestCut: a log that ends early is imported up to there, and lacks the later parts, which are not read. Only a log
// without a task is a finding.
func TestCut(t *testing.T) {
	log := content(t, "app.json")
	whole := len(imported(t, "app.json", unchanged).Tasks)
	for name, packed := range map[string][]byte{"plain": log, "gzip": gzipped(log), "zstd": zstded(t, log)} {
		most := 0
		for n := len(packed) * 6 / 10; n < len(packed)-1; n += len(packed)/23 + 1 {
			w, err := Import([]trace.File{file("log", packed[:n]), file("more", []byte("no log"))}, Options{Jobs: Recorded})
			if name == "plain" && packed[n-1] == '\n' {
				continue // not within an event: the next part is read
			}
			if err != nil {
				t.Errorf("%s, %d bytes: %v", name, n, err)
				continue
			}
			checkRecorded(t, w)
			lack := []string{"log is cut short; of the 1 part after it nothing is imported"}
			if len(w.Tasks) < most || len(w.Tasks) > whole || !slices.Equal(lacks(w), lack) {
				t.Errorf("%s, %d bytes: %d tasks, notes %q", name, n, len(w.Tasks), w.Notes)
			}
			most = len(w.Tasks)
		}
		if _, err := Import([]trace.File{file("log", packed[:20])}, Options{Jobs: Recorded}); err == nil ||
			!strings.HasPrefix(err.Error(), "T503 log: the log is empty") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDamaged: packed data that is damaged, not cut, and unreadable files.
func TestDamaged(t *testing.T) {
	log := content(t, "app.json")
	for name, packed := range map[string][]byte{"gzip": gzipped(log), "zstd": zstded(t, log)} {
		bad := slices.Clone(packed)
		for k := len(bad) / 2; k < len(bad)/2+8; k++ {
			bad[k] ^= 0xff
		}
		_, err := Import([]trace.File{file("log", bad)}, Options{Jobs: Recorded})
		if err == nil || !strings.Contains(err.Error(), "F102 log:") ||
			!strings.Contains(err.Error(), "the "+name+" data are damaged") {
			t.Errorf("%s: %v", name, err)
		}
		broken := io.MultiReader(bytes.NewReader(packed[:len(packed)/2]), iotest.ErrReader(errors.New("the disk is gone")))
		if _, err := Import([]trace.File{{Name: "log", Text: broken}}, Options{Jobs: Recorded}); err == nil ||
			err.Error() != "F101 log: the disk is gone" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLong: lines of any length are read completely; an endless one is rejected.
func TestLong(t *testing.T) {
	log := content(t, "app.json")
	var b bytes.Buffer
	for line := range bytes.Lines(log) {
		b.Write(line)
		b.WriteString(`{"Event":"SparkListenerUnknown","plan":"` + strings.Repeat("x", peeked+b.Len()%7) + "\"}\n")
	}
	w, err := Import([]trace.File{file("app.json", b.Bytes())}, Options{Jobs: Recorded})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(show(imported(t, "app.json", unchanged)), show(w)); diff != "" {
		t.Error(diff)
	}
	if _, err := Import(golden.Endless("", 'x'), Options{Jobs: Recorded}); err == nil ||
		!strings.HasPrefix(err.Error(), "F106 f:1:1: ") {
		t.Error(err)
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"appstatus_a events_10_a events_2_a events_1_a", "events_1_a events_2_a events_10_a"},
		{"events_1_a.zstd events_2_a.zstd.compact events_2_a.zstd events_3_a.zstd", "events_2_a.zstd.compact events_3_a.zstd"},
		{"eventlog eventlog-2021-06-14--21-00.gz eventlog-2021-06-14--20-00.gz README _SUCCESS",
			"eventlog-2021-06-14--20-00.gz eventlog-2021-06-14--21-00.gz eventlog"},
		{"events_x_a notes.txt events_3", ""}, {"", ""},
	} {
		if got := strings.Join(Parts(strings.Fields(c.in)), " "); got != c.want {
			t.Errorf("%s: %s", c.in, got)
		}
	}
	for _, c := range []struct{ in, want string }{
		{"d/events_10_a d/events_9_a", "d/events_9_a d/events_10_a"}, {"b a", "b a"}, {"events_2_a x events_1_a",
			"events_2_a x events_1_a"}, {"l/eventlog l/eventlog-2021.gz", "l/eventlog-2021.gz l/eventlog"},
	} {
		if got := strings.Join(InOrder(strings.Fields(c.in)), " "); got != c.want {
			t.Errorf("%s: %s", c.in, got)
		}
	}
}

// TestReasons: every reason of Spark has its own count, and no others have.
func TestReasons(t *testing.T) {
	log := short
	for k, reason := range append(reasons[1:len(reasons)-1], "NewReason", "NewerReason") {
		log += fmt.Sprintf(`{"Event":"SparkListenerTaskEnd","Stage ID":3,"Task End Reason":{"Reason":%q},`+
			`"Task Info":{"Index":%d,"Launch Time":33,"Executor ID":"2","Finish Time":40}}`+"\n", reason, k)
	}
	w, err := Import([]trace.File{file("log", []byte(log))}, Options{Jobs: Recorded})
	if err != nil {
		t.Fatal(err)
	}
	const want = "14 ends of tasks in the log: 4 Success, 1 FetchFailed, 1 ExceptionFailure, 1 TaskKilled, " +
		"1 TaskCommitDenied, 1 ExecutorLostFailure, 1 TaskResultLost, 1 UnknownReason, 1 Resubmitted, 2 for other reasons"
	if !slices.Contains(w.Notes, want) {
		t.Errorf("%q", w.Notes)
	}
}
