package rcmax

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/realtime"
)

// maxHead is how many bytes of a file are examined for its layout.
const maxHead = 64 << 10

// Import reads a matrix in one of the two layouts, plain or gzip; name is the file's, for messages and the workload's
// name. The workload's notes say what was assumed.
//
// Errors: *model.InputError with every finding.
//
// Complexity: O(bytes). Memory: the numbers, never the file.
func Import(matrix io.Reader, name string) (*model.Workload, error) {
	r := &reader{in: textpos.NewReader(matrix, name), name: name}
	r.read()
	if err := r.findings.Err(); err != nil {
		return nil, err
	}
	title := textpos.Stem(name, ".gz", ".txt", ".csv")
	b := model.NewBuilder()
	machines, jobs := r.size()
	notes := []string{
		fmt.Sprintf("imported from a matrix of %d × %d times (machines × jobs): its jobs are the partitions of one job",
			machines, jobs),
		"every partition is given a byte for each microsecond of its least time, as a matrix knows no sizes",
	}
	if r.pairs != nil {
		notes = append(notes, "every job runs on one of the machines of its line; the order of the operations of a flow "+
			"shop, whose files look the same, is not kept")
	}
	b.Scalars(title, realtime.Name, model.Optional[int64]{}, notes)
	r.emit(b, title)
	return b.Build()
}

// reader reads one file.
type reader struct {
	in       *textpos.Reader
	name     string
	findings model.Findings
	rows     [][]model.Time // as the file has them: a line a machine in a matrix, a line a job in pairs
	lines    []int32        // by row: where it is
	pairs    *pairs         // nil: a matrix
	width    int            // numbers of a row
}

// read reads the file in the layout of its first line.
func (r *reader) read() {
	text := bufio.NewReaderSize(r.in, maxHead)
	head, _ := text.Peek(maxHead) // an error comes again when reading
	if pairsBegin(string(head)) {
		r.pairs = &pairs{reader: r, Words: trace.NewWordsOf(r.in, text, r.name, &r.findings)}
		r.pairs.read()
		return
	}
	m := trace.ReadMatrix(r.in, text, r.name, &r.findings, func(int) (what, expected string) {
		return "time", trace.Seconds
	})
	r.rows, r.lines, r.width = m.Rows, m.Lines, m.Width()
}

// size is how many machines and jobs there are.
func (r *reader) size() (machines, jobs int) {
	if r.pairs != nil {
		return r.width, len(r.rows)
	}
	return len(r.rows), r.width
}

// time is what a job takes on a machine.
func (r *reader) time(machine, job int) model.Time {
	if r.pairs != nil {
		return r.rows[job][machine]
	}
	return r.rows[machine][job]
}

// emit enters the matrix into a workload.
func (r *reader) emit(b *model.Builder, job string) {
	machines, jobs := r.size()
	at := func(machine, job int) model.Locus { // where the row of this time is
		row := machine
		if r.pairs != nil {
			row = job
		}
		return model.Locus{Pos: model.Position{File: r.name, Line: r.lines[row], Column: 1}}
	}
	b.Job(model.Job{ID: job, Weight: model.UnitWeight, Reduces: model.Some(int64(machines))}, at(0, 0))
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at(0, 0))
	for m := range machines {
		b.Node(model.Node{ID: trace.MachineName(m), Kind: model.HostNode, ReduceSlots: 1}, "root", at(m, 0))
	}
	for k := range jobs {
		least := r.time(0, k)
		for m := range machines {
			least = min(least, r.time(m, k))
		}
		partition := "p" + strconv.Itoa(k+1)
		b.Part(model.Part{Partition: partition, Bytes: model.Bytes(least)}, job, at(0, k))
		for m := range machines {
			b.GivenTime(model.GivenTime{Task: partition, Time: r.time(m, k)}, job, trace.MachineName(m), at(m, k))
		}
	}
}
