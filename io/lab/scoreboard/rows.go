package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// row is the outcome for one instance.
type row struct {
	Set, Instance  string
	Of             int // instances of the set
	Limit          time.Duration
	Threads, Cores int
	Least, Most    string // known bounds on the optimum; empty: unknown
	Status         string
	Cost, Bound    string // ours; empty: none
	By             string // the method of the bound
	Took           time.Duration
	Note           string // what is wrong
}

var header = []string{"set", "instance", "of", "limit", "threads", "cores", "known_least", "known_most", "status",
	"cost", "bound", "bound_by", "seconds", "note"}

func (r *row) texts() []string {
	return []string{r.Set, r.Instance, strconv.Itoa(r.Of), r.Limit.String(), strconv.Itoa(r.Threads),
		strconv.Itoa(r.Cores), r.Least, r.Most, r.Status, r.Cost, r.Bound, r.By,
		strconv.FormatFloat(r.Took.Seconds(), 'f', 3, 64), r.Note}
}

func rowOf(x []string) (r row, err error) {
	var bad [5]error
	r = row{Set: x[0], Instance: x[1], Least: x[6], Most: x[7], Status: x[8], Cost: x[9], Bound: x[10], By: x[11],
		Note: x[13]}
	r.Of, bad[0] = strconv.Atoi(x[2])
	r.Limit, bad[1] = time.ParseDuration(x[3])
	r.Threads, bad[2] = strconv.Atoi(x[4])
	r.Cores, bad[3] = strconv.Atoi(x[5])
	r.Took, bad[4] = time.ParseDuration(x[12] + "s")
	return r, errors.Join(bad[:]...)
}

// rowLog is a file of rows that grows.
type rowLog struct {
	file *os.File
	rows []row
}

// openLog reads a file of rows, and opens it to add to it. A line that was cut short is dropped.
func openLog(path string) (*rowLog, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	l := &rowLog{}
	if l.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666); err != nil {
		return nil, err
	}
	if err := l.load(whole); err != nil {
		l.close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// load reads the file's complete lines, and drops the rest of it.
func (l *rowLog) load(whole []byte) error {
	if err := l.file.Truncate(int64(len(whole))); err != nil {
		return err
	}
	r := csv.NewReader(bytes.NewReader(whole))
	r.FieldsPerRecord = len(header)
	lines, err := r.ReadAll()
	switch {
	case err != nil:
		return err
	case len(lines) == 0:
		return l.write(header)
	case !slices.Equal(lines[0], header):
		return errors.New("the columns are others: move the file away")
	}
	for _, x := range lines[1:] {
		row, err := rowOf(x)
		if err != nil {
			return err
		}
		l.rows = append(l.rows, row)
	}
	return nil
}

func (l *rowLog) write(record []string) error {
	w := csv.NewWriter(l.file)
	_ = w.Write(record) // Error reports it
	w.Flush()
	return w.Error()
}

// has says whether the instance was run under the same limit and threads.
func (l *rowLog) has(r *row) bool {
	return slices.ContainsFunc(l.rows, func(x row) bool {
		return x.Set == r.Set && x.Instance == r.Instance && x.Limit == r.Limit && x.Threads == r.Threads
	})
}

// add writes a row.
func (l *rowLog) add(r row) error {
	l.rows = append(l.rows, r)
	return l.write(r.texts())
}

func (l *rowLog) close() { _ = l.file.Close() } // every row was flushed
