package bench

import (
	"fmt"
	"strconv"

	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/shop"
)

func readRWCT(x *input) (enter func()) {
	m := x.matrix(func(row int) (what, expected string) {
		if row == 0 {
			return "weight", "a number, such as 1.5"
		}
		return "time", trace.Seconds
	})
	if x.Findings.Empty() && m.Width() == 1 { // such as the lengths of P||Cmax
		x.Findings.Add(model.Finding{Code: model.CodeFormat, Pos: x.line(m.Lines[0]).Pos,
			What:     "the first line has one number",
			Expected: "the weights of two jobs or more, separated by commas",
			Hint:     "a list of lengths is an instance of P||Cmax: mrsched import pcmax"})
	}
	if len(m.Rows) == 1 && x.Findings.Empty() {
		x.Findings.Add(model.Finding{Code: model.CodeRowShape, Pos: x.line(m.Lines[0]).Pos, What: "the file has one line",
			Expected: "a line of weights, then a line a machine"})
	}
	return func() {
		x.cluster(model.Node{MapSlots: 1}, m.Lines[1:])
		x.Reserve(m.Width())
		for k, weight := range m.Rows[0] {
			job, task, at := "j"+strconv.Itoa(k+1), trace.TaskName(int64(k+1)), x.line(m.Lines[0])
			x.Job(model.Job{ID: job, Weight: model.Weight(weight)}, at) // both count millionths
			x.Task(model.Task{ID: task}, job, "", at)
			for i, row := range m.Rows[1:] {
				x.GivenTime(model.GivenTime{Task: task, Time: row[k]}, job, trace.MachineName(i), x.line(m.Lines[i+1]))
			}
		}
		x.Scalars(x.title, shop.Cluster, model.Optional[int64]{}, []string{fmt.Sprintf("imported from the weights of %s and "+
			"their times on %s", model.Counted(m.Width(), "job"), model.Counted(len(m.Rows)-1, "machine"))})
	}
}
