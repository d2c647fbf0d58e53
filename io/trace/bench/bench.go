package bench

import (
	"bufio"
	"fmt"
	"math"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// Format is a format of benchmark instances.
type Format struct {
	endings []string // of names of files
	// read reads a file. It returns what enters it into the workload, unless there are findings.
	read func(x *input) (enter func())
}

// The formats.
var (
	PCMax  = Format{[]string{".txt"}, readPCMax}
	PSPLIB = Format{[]string{".sm", ".rcp", ".rcmp", ".txt"}, readPSPLIB}
	RCMax  = Format{[]string{".txt", ".csv"}, readRCMax}
	RWCT   = Format{[]string{".csv", ".txt"}, readRWCT}
	STG    = Format{[]string{".stg"}, readSTG}
)

// Options say what a file does not say.
type Options struct {
	Machines model.Optional[int64] // of STG; unknown: as many as the widest level has tasks
}

// maxHead is how many bytes of a file are examined for its layout.
const maxHead = 64 << 10

// Import reads an instance, plain or gzip. The workload's notes say what was assumed.
//
// Errors: *model.InputError with every finding.
//
// Complexity: O(bytes). Memory: the numbers, never the text.
func (f Format) Import(file trace.File, opt Options) (*model.Workload, error) {
	x := &input{Builder: model.NewBuilder(), in: textpos.NewReader(file.Text, file.Name), file: file.Name,
		title: textpos.Stem(file.Name, append([]string{".gz"}, f.endings...)...), machines: opt.Machines}
	var enter func()
	return trace.Build(x.Builder, func() {
		trace.Options{Found: &x.Findings}.Count(opt.Machines.Or(1), math.MaxInt32, "machines",
			fmt.Sprintf("from 1 to %d", math.MaxInt32))
	}, func() {
		x.text = bufio.NewReaderSize(x.in, maxHead)
		enter = f.read(x)
	}, func() { enter() })
}

// Read imports a file without options.
func (f Format) Read(file trace.File) (*model.Workload, error) { return f.Import(file, Options{}) }

// input is a file that becomes a workload.
type input struct {
	*model.Builder
	in          *textpos.Reader
	text        *bufio.Reader
	file, title string
	machines    model.Optional[int64]
}

// head is how the file begins. An error comes again when reading.
func (x *input) head() string {
	head, _ := x.text.Peek(maxHead)
	return string(head)
}

func (x *input) words() *trace.Words { return trace.NewWordsOf(x.in, x.text, x.file, &x.Findings) }

func (x *input) matrix(cell func(row int) (what, expected string)) *trace.Matrix {
	return trace.ReadMatrix(x.in, x.text, x.file, &x.Findings, cell)
}

// line is where a line begins.
func (x *input) line(number int32) model.Locus {
	return model.Locus{Pos: model.Position{File: x.file, Line: number, Column: 1}}
}

// cluster enters a root and machines that are like a node, each where a line says so.
func (x *input) cluster(like model.Node, lines []int32) {
	x.Node(model.Node{ID: "root", Kind: model.RootNode}, "", x.line(lines[0]))
	for k, line := range lines {
		like.ID, like.Kind = trace.MachineName(k), model.HostNode
		x.Node(like, "root", x.line(line))
	}
}
