package campaign

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
)

// sixTasks is an instance whose bound by clauses is above all others.
const sixTasks = `{"format":"mrsched-workload/1","problem":"cluster","topology":[{"id":"n","kind":"node","cpu":5}],
"jobs":[{"id":"j"}],"tasks":[{"id":"a","job":"j","kind":"map","processing_time":3,"cpu":1},{"id":"b","job":"j","kind":"map","processing_time":1,"cpu":3},
{"id":"c","job":"j","kind":"map","processing_time":1,"cpu":1},{"id":"d","job":"j","kind":"map","processing_time":5,"cpu":2},
{"id":"e","job":"j","kind":"map","processing_time":2,"cpu":3},{"id":"f","job":"j","kind":"map","processing_time":6,"cpu":4}],
"capacities":[{"node":"n","resource":"licence","amount":3}],
"demands":[{"task":"a","resource":"licence","amount":2},{"task":"f","resource":"licence","amount":2}]}`

// clauses is a log of true clauses: task 0 starts at 1 or later, or at 0 or earlier. They have so many literals, a
// multiple of 2, no hints, and are never forgotten.
func clauses(literals, size int) (log []byte) {
	for len(log) < size {
		log = binary.AppendUvarint(log, uint64(literals))
		for range literals / 2 {
			log = append(log, 1, 2, 2, 0)
		}
		log = append(log, 0, 0)
	}
	return log
}

// listed is a log whose only step states a list of that many items, behind the lists before it, and has a few.
func listed(before []byte, items uint64) []byte {
	return append(binary.AppendUvarint(before, items), bytes.Repeat([]byte{1, 2}, 9)...)
}

// TestBombs: a log of up to 50 KB that unpacks to much more is refused by check in less than 400 MB, and by the second
// checker, which is slow, in 130 MB and 5 bytes for each of the log. As 50 KB unpack to 52 MB at most, that is less.
func TestBombs(t *testing.T) {
	dir := t.TempDir()
	instance, made := filepath.Join(dir, "i.json"), filepath.Join(dir, "r")
	noError(t, os.WriteFile(instance, []byte(sixTasks), 0o600))
	must(t, "solve", instance, "-a", "exact", "--objective", "makespan", "-q", "-o", made)
	x := readFiles(t, made)
	for name, log := range map[string]func(size int) []byte{
		"short clauses":     func(size int) []byte { return clauses(2, size) },
		"the longest lists": func(size int) []byte { return clauses(1<<20, size) },
		"a step of hints": func(size int) []byte {
			return append(binary.AppendUvarint([]byte{0}, 1<<20), bytes.Repeat([]byte{1}, 1<<20)...)
		},
		"literals that are not there": func(int) []byte { return listed(nil, 1<<20) },
		"hints that are not there":    func(int) []byte { return listed([]byte{0}, 1<<20) },
		"steps that are not there":    func(int) []byte { return listed([]byte{2, 1, 2, 2, 0, 0}, 1<<20) },
		"longer lists":                func(int) []byte { return listed(nil, 1<<40) },
		"nothing but zeros":           func(size int) []byte { return append([]byte{1, 1, 0, 0, 0}, make([]byte, size)...) },
	} {
		root := parse(x["certificate.json"])
		bomb := func(size int) {
			var packed bytes.Buffer
			w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
			noError(t, err)
			_, err = w.Write(log(size))
			noError(t, err)
			noError(t, w.Close())
			if packed.Len() > 50<<10 {
				t.Fatalf("%s: %d bytes", name, packed.Len())
			}
			root.set("log", fmt.Sprintf("%q", base64.StdEncoding.EncodeToString(packed.Bytes())))
			x["certificate.json"] = append(root.compact(), '\n')
			x.reseal()
			x.write(t, made)
		}
		bomb(30 << 20)
		debug.FreeOSMemory()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		o := run("check", instance, made)
		runtime.ReadMemStats(&after) // memory that the heap once had stays in HeapSys
		if o.code != exitViolation || after.HeapSys > before.HeapInuse+400<<20 {
			t.Errorf("%s: %d %s%s, %d MB", name, o.code, o.stdout, o.stderr, (after.HeapSys-before.HeapInuse)>>20)
		}
		const size = 4 << 20
		bomb(size)
		c := exec.Command("sh", "-c", fmt.Sprintf("ulimit -v %d; exec python3 ../../../deploy/verify %s %s",
			(130<<20+5*size)>>10, instance, made))
		if text, _ := c.CombinedOutput(); c.ProcessState.ExitCode() != 1 {
			t.Errorf("%s: the second checker ends with %d: %s", name, c.ProcessState.ExitCode(), text)
		}
	}
}
