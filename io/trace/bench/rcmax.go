package bench

import (
	"fmt"
	"slices"
	"strconv"

	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/realtime"
)

// times are the times of jobs on machines.
type times struct {
	by             func(machine, job int) model.Time
	line           func(machine, job int) int32 // where it is
	machines, jobs int
	notes          []string
}

// readRCMax reads a file in the layout of its first line.
func readRCMax(x *input) (enter func()) {
	if !pairsBegin(x.head()) {
		m := x.matrix(func(int) (what, expected string) { return "time", trace.Seconds })
		return func() {
			x.realtime(times{func(i, k int) model.Time { return m.Rows[i][k] }, func(i, _ int) int32 { return m.Lines[i] },
				len(m.Rows), m.Width(), nil})
		}
	}
	p := &pairs{Words: x.words(), input: x}
	p.Comment = '#'
	p.read()
	return func() {
		x.realtime(times{func(i, k int) model.Time { return p.rows[k][i] }, func(_, k int) int32 { return p.lines[k] },
			p.width, p.jobs, []string{"every job runs on one of the machines of its line; the order of the operations of a " +
				"flow shop, whose files look the same, is not kept"}})
	}
}

// realtime enters jobs as the partitions of one job.
func (x *input) realtime(t times) {
	at := func(machine, job int) model.Locus { return x.line(t.line(machine, job)) }
	x.Job(model.Job{ID: x.title, Weight: model.UnitWeight, Reduces: model.Some(int64(t.machines))}, at(0, 0))
	lines := make([]int32, t.machines)
	for i := range lines {
		lines[i] = t.line(i, 0)
	}
	x.cluster(model.Node{ReduceSlots: 1}, lines)
	for k := range t.jobs {
		all := make([]model.Time, t.machines)
		for i := range all {
			all[i] = t.by(i, k)
		}
		partition := "p" + strconv.Itoa(k+1)
		x.Part(model.Part{Partition: partition, Bytes: model.Bytes(slices.Min(all))}, x.title, at(0, k))
		for i, time := range all {
			x.GivenTime(model.GivenTime{Task: partition, Time: time}, x.title, trace.MachineName(i), at(i, k))
		}
	}
	x.Scalars(x.title, realtime.Name, model.Optional[int64]{}, append([]string{
		fmt.Sprintf("imported from a matrix of %d × %d times (machines × jobs): its jobs are the partitions of one job",
			t.machines, t.jobs),
		"every partition is given a byte for each microsecond of its least time, as a matrix knows no sizes"},
		t.notes...))
}
