package spark

import (
	"io"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"mrsched/io/trace"
)

// repeats is a log that repeats the jobs of a small one, each time with new ids and 100 s later. It measures the live
// heap ten times while it is read.
type repeats struct {
	body        string // with a zero byte where the number of the repeat belongs
	rest        []byte
	repeat      int
	read, total int
	live        uint64 // the most, in bytes
}

var (
	idMark   = regexp.MustCompile(`"(?:Job|Stage|Task|RDD) ID":`)
	listMark = regexp.MustCompile(`"(?:Parent|Stage) IDs":\[\d[\d,]*`)
)

// newRepeats is a log of at least this many bytes. Numbers of repeats have four digits: so, put before an id, they make
// ids that are all different.
func newRepeats(t *testing.T, total int) *repeats {
	head, jobs, _ := strings.Cut(string(content(t, "app.json")), "{\"Event\":\"SparkListenerJobStart\"")
	jobs, _, _ = strings.Cut("{\"Event\":\"SparkListenerJobStart\""+jobs, "{\"Event\":\"SparkListenerExecutorRemoved\"")
	jobs = idMark.ReplaceAllString(jobs, "$0\x00")
	jobs = listMark.ReplaceAllStringFunc(jobs, func(s string) string {
		return strings.NewReplacer("[", "[\x00", ",", ",\x00").Replace(s)
	})
	return &repeats{body: strings.ReplaceAll(jobs, "17000000", "1700\x00"), rest: []byte(head), repeat: 1000, total: total}
}

func (r *repeats) Read(p []byte) (int, error) {
	if len(r.rest) == 0 && r.read >= r.total {
		return 0, io.EOF
	}
	if len(r.rest) == 0 {
		r.rest = []byte(strings.ReplaceAll(r.body, "\x00", strconv.Itoa(r.repeat)))
		r.repeat++
	}
	n := copy(p, r.rest)
	if tenth := r.total / 10; r.read/tenth != (r.read+n)/tenth {
		r.live = max(r.live, liveHeap())
	}
	r.rest, r.read = r.rest[n:], r.read+n
	return n, nil
}

// liveHeap is the number of bytes in use on the heap.
func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestHeapOfLargeLogs: an import keeps numbers of tasks and not the log. A log of 50 MB takes at most a quarter of the
// 40 MB by which it is longer than one of 10 MB; what tasks and jobs take is measured with it.
func TestHeapOfLargeLogs(t *testing.T) {
	const short, long = 10_000_000, 50_000_000
	live := map[int]uint64{}
	for _, total := range []int{short, long} {
		before := liveHeap()
		r := newRepeats(t, total)
		w, err := Import([]trace.File{{Name: "log", Text: r}}, Options{Jobs: Recorded})
		if err != nil {
			t.Fatal(err)
		}
		if jobs := 4 * (r.repeat - 1000); len(w.Jobs) != jobs || r.read < total {
			t.Fatalf("%d jobs of %d bytes, want %d", len(w.Jobs), r.read, jobs)
		}
		live[total] = r.live - min(before, r.live)
		t.Logf("%d bytes, %d tasks: %d bytes in use while it is read", r.read, len(w.Tasks), live[total])
	}
	if live[long] > live[short]+(long-short)/4 {
		t.Errorf("%d bytes are in use for %d bytes of log, %d for %d", live[short], short, live[long], long)
	}
}
