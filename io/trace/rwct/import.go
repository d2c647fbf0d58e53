package rwct

import (
	"fmt"
	"strconv"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/shop"
)

// Import reads an instance. The workload's notes say what became of it.
//
// Errors: *model.InputError with every finding.
//
// Complexity: O(bytes). Memory: the numbers, never the file.
func Import(file trace.File) (*model.Workload, error) {
	b := model.NewBuilder()
	in := textpos.NewReader(file.Text, file.Name)
	m := trace.ReadMatrix(in, in, file.Name, &b.Findings, func(row int) (what, expected string) {
		if row == 0 {
			return "weight", "a number, such as 1.5"
		}
		return "time", trace.Seconds
	})
	if len(m.Rows) == 1 && b.Findings.Empty() {
		b.Findings.Add(model.Finding{Code: model.CodeRowShape, Pos: model.Position{File: file.Name, Line: m.Lines[0],
			Column: 1}, What: "the file has one line", Expected: "a line of weights, then a line a machine"})
	}
	if err := b.Findings.Err(); err != nil {
		return nil, err
	}
	emit(b, m, file.Name)
	b.Scalars(textpos.Stem(file.Name, ".gz", ".csv", ".txt"), shop.Cluster, model.Optional[int64]{}, []string{
		fmt.Sprintf("imported from the weights of %s and their times on %s", model.Counted(m.Width(), "job"),
			model.Counted(len(m.Rows)-1, "machine"))})
	return b.Build()
}

// emit enters the matrix into a workload.
func emit(b *model.Builder, m *trace.Matrix, file string) {
	at := func(row int) model.Locus {
		return model.Locus{Pos: model.Position{File: file, Line: m.Lines[row], Column: 1}}
	}
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at(0))
	for i := range m.Rows[1:] {
		b.Node(model.Node{ID: trace.MachineName(i), Kind: model.HostNode, MapSlots: 1}, "root", at(i+1))
	}
	b.Reserve(m.Width())
	for k, weight := range m.Rows[0] {
		job, task := "j"+strconv.Itoa(k+1), trace.TaskName(int64(k+1))
		b.Job(model.Job{ID: job, Weight: model.Weight(weight)}, at(0)) // both count millionths
		b.Task(model.Task{ID: task}, job, "", at(0))
		for i, row := range m.Rows[1:] {
			b.GivenTime(model.GivenTime{Task: task, Time: row[k]}, job, trace.MachineName(i), at(i+1))
		}
	}
}
