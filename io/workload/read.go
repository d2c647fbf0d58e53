package workload

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

const (
	// maxField is how many bytes an id, a text or a number may have.
	maxField = 64 << 10
	// maxGap limits the part of a JSON document without a token, and the length of a CSV record (the fields of any table
	// together are shorter). It bounds the decoders' memory.
	maxGap = 1 << 20
)

// StdinName is the file name of standard input in findings.
const StdinName = "stdin"

// Options say how strict a reader is. The zero value is strict.
type Options struct {
	// AllowUnknown skips unknown keys, columns and tables instead of reporting them; Workload.Skipped names them.
	AllowUnknown bool
	// MaxCount limits the sum of the counts of machines, slots, reduces or partitions, for each kind; 0 is
	// DefaultMaxCount.
	MaxCount int64
	// MaxFindings is how many findings are kept; 0 is the default.
	MaxFindings int
	// Unknown, unless nil, takes the findings of unknown keys, columns and tables, which then do not end the reading.
	Unknown *[]model.Finding
	// Again, unless nil, is merged with the workload.
	Again *Again
}

// Read reads the workload at a path: a JSON file, a directory of CSV files, each plain or gzip, or "-"
// for JSON on stdin.
//
// Errors are *model.InputError with every finding of every file.
func Read(path string, stdin io.Reader, opt Options) (*model.Workload, error) {
	if path == "-" {
		if stdin == nil {
			stdin = strings.NewReader("")
		}
		return ReadJSON(stdin, StdinName, opt)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	if info.IsDir() {
		root, err := os.OpenRoot(path) // follows no link out of the directory
		if err != nil {
			return nil, unreadable(path, err)
		}
		defer root.Close()
		return readDirectory(root.FS(), path, opt)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	return ReadJSON(f, path, opt)
}

// ReadBytes reads a JSON document, plain or gzip; see ReadJSON.
func ReadBytes(document []byte, name string, opt Options) (*model.Workload, error) {
	return ReadJSON(bytes.NewReader(document), name, opt)
}

// ReadJSON reads one JSON document, plain or gzip, to its end; name is in the positions of findings. It never holds
// the whole document, which may have textpos.MaxStream bytes; see textpos.SetMaxInput.
//
// Errors are *model.InputError with every finding.
func ReadJSON(r io.Reader, name string, opt Options) (*model.Workload, error) {
	return build(name, opt, func(l *intake) {
		for table, rows := range countObjects(r) {
			l.reserve(table.reserver(), rows)
		}
		readDocument(l, r, name, tables)
	})
}

// unreadable is F101.
func unreadable(path string, err error) error {
	f := model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: path},
		What:     "cannot be read: " + textpos.Cause(err),
		Expected: "a JSON file, a directory of CSV files, or - for standard input",
		Hint:     "check the path and its permissions"}
	if errors.Is(err, fs.ErrNotExist) {
		if hint := model.DidYouMean(filepath.Base(path), siblings(path)); hint != "" {
			f.Hint = hint
		}
	}
	return model.NewInputError(f)
}

func siblings(path string) []string {
	entries, _ := os.ReadDir(filepath.Dir(path)) // no hint if it cannot be read
	var list []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			list = append(list, e.Name())
		}
	}
	return list
}

// ProblemOf is the problem that a workload document names; empty if it names none or cannot be read.
func ProblemOf(r io.Reader) (problem string) {
	d := textpos.NewValues(r, "", "", &model.Findings{})
	d.In.Max(textpos.MaxStream)
	_, _ = d.Object("the document", textpos.NewFields("problem"), func(key string) (err error) {
		problem, err = d.Text(key)
		return cmp.Or(err, io.EOF) // nothing else matters
	})
	return problem
}

// DefaultMaxCount is the default limit on the sum of the counts of machines, slots, reduces or partitions in a
// workload: a row of a few bytes can make a problem allocate that many.
const DefaultMaxCount = 10_000_000

// LimitCounts reports, for each kind of counted thing, the row that exceeds the limit; 0 is DefaultMaxCount.
//
// Errors: *model.InputError.
func LimitCounts(w *model.Workload, most int64) error {
	most = cmp.Or(most, DefaultMaxCount)
	var found model.Findings
	report := func(at model.Position, what string) {
		found.Add(model.Finding{Code: model.CodeOverflow, Pos: at, What: fmt.Sprintf("%s than %d", what, most),
			Expected: "fewer", Hint: "if the counts are right, raise --max-count"})
	}
	if n := w.Machines.Or(0); n > most {
		report(model.Position{}, fmt.Sprintf("machines is %d, more", n))
	}
	sums := map[string]int64{} // each adds less than 2³¹ rows of less than 2³¹
	add := func(table model.Table, row int, id, format, what string, n int64) {
		before := sums[what]
		if sums[what] += n; before <= most && before+n > most {
			report(w.Where(table, row), fmt.Sprintf(format, textpos.Quoted(id), what))
		}
	}
	for i := range w.Jobs {
		j := &w.Jobs[i]
		add(model.TableJobs, i, j.ID, "up to job %s the %s are more", "reduces", j.Reduces.Or(0))
		add(model.TableJobs, i, j.ID, "up to job %s the %s are more", "partitions", j.Partitions.Or(0))
	}
	for i := range w.Topology {
		if n := &w.Topology[i]; n.Kind == model.HostNode {
			add(model.TableTopology, i, n.ID, "up to node %s the map and reduce %s are more", "slots", n.MapSlots)
			add(model.TableTopology, i, n.ID, "up to node %s the map and reduce %s are more", "slots", n.ReduceSlots)
		}
	}
	return found.Err()
}
