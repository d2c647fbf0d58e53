package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mrsched/model"
)

// Never stands for no time, where a function may pass one.
const Never = model.Time(math.MinInt64)

// Hold keeps a row from starting before a time, whatever the machines do.
type Hold struct {
	Kind  string
	Until model.Time
	By    int32   // the row that it waits for, or None
	With  []int32 // further rows that end it at the same time
	Text  string  // in one line; a full sentence without its full stop
}

// Problem is what a Desk asks a problem about the rows of a schedule, which breaks no constraint. A Desk itself has all
// but Holds and Tell, for problems that have nothing to say there: times that do not depend on places, machines that
// run one row at a time.
type Problem interface {
	// Holds are what keeps a row from starting earlier, apart from its machine; at least one. What binds comes first if
	// several end at once.
	Holds(row int32) []Hold
	// Machines are those that could run a row if they were empty; none if times do not depend on places.
	Machines(row int32) []int32
	// End is when a row would end on a machine if it started at a time. It does not fall with the start.
	End(row, machine int32, start model.Time) model.Time
	// Room is the earliest start of a row on a machine, at a time or later, if nothing else moved, and the row that it
	// would come behind; None if it does not have to wait. ok is false if there is no such start.
	Room(row, machine int32, from model.Time) (start model.Time, by int32, ok bool)
	// Next passes the rows that wait for a row, with the earliest start and end that they may have if it ends at a time.
	// Either may be Never.
	Next(row int32, end model.Time, each func(row int32, start, end model.Time))
	// Moves are other places for a row.
	Moves(row int32) []Move
	// Stands says why a row may not move; empty: it may.
	Stands(row int32) string
	// Due is when a job has to be done; ok is false if it has no deadline.
	Due(job int32) (due model.Time, ok bool)
	// Tell adds the problem's own facts about a row: where, when and prices.
	Tell(row int32) error
	// Note says in a few words what else a move means in a changed schedule; it may be empty.
	Note(m *Move, s *model.Schedule) string
}

// Desk has a schedule's rows at hand. It answers one question.
type Desk struct {
	View model.View
	W    *model.Workload
	Q    Question
	Told Explanation

	Rows  []model.Entry // of the schedule
	On    [][]int32     // rows by machine, in the order of time
	Of    [][]int32     // rows by job, in the order of time
	Row   []int32       // by task: its first row, or None
	Done  []model.Time  // by job: its end
	Alone []model.Time  // by job: when it ends at the earliest; nil: not known
	Asked []int32       // rows asked about, in the order of time
	Job   int32         // asked about, or that of the task
	JobOf func(row int32) int32

	Unit   string // of times in texts
	If     string // on what condition rows may run elsewhere or earlier, such as ", if links are free"
	Packed bool   // several rows share a machine, so that no row can be pushed
	Placed bool   // only places are decided: Moves say what they cost about, and the ends of jobs do not matter

	p     Problem
	late  []int32       // rows of Job, the last to end first
	place []int32       // by row: its place in On
	now   []model.Entry // by row: its place while others are pushed
	stamp []int         // by row: the push that now is of
	push  int
	work  int // rows that all pushes together moved
	alike int // moves that were compared with one that is told
}

// NewDesk spreads out a schedule; jobOf is the job of a task.
//
// Complexity: O(n log n) for n rows.
func NewDesk(view model.View, q Question, jobOf func(task int32) int32) *Desk {
	n, w := len(q.Schedule.Entries), q.Workload
	d := &Desk{View: view, W: w, Q: q, Rows: q.Schedule.Entries, On: make([][]int32, view.Size()),
		Of: make([][]int32, len(w.Jobs)), Row: slices.Repeat([]int32{model.None}, view.TaskCount()), Job: int32(q.Job),
		Unit: " s", place: make([]int32, n), now: make([]model.Entry, n), stamp: make([]int, n)}
	d.JobOf = func(row int32) int32 { return jobOf(int32(d.Rows[row].Task)) }
	if q.Task != model.None {
		d.Job = jobOf(int32(q.Task))
	}
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, d.compare)
	d.Done = make([]model.Time, len(w.Jobs))
	for _, i := range order {
		e, j := d.Rows[i], d.JobOf(i)
		d.Done[j] = max(d.Done[j], e.End)
		d.place[i] = int32(len(d.On[e.Machine]))
		d.On[e.Machine], d.Of[j] = append(d.On[e.Machine], i), append(d.Of[j], i)
		if d.Row[e.Task] == model.None {
			d.Row[e.Task] = i
		}
		if e.Task == q.Task || q.Task == model.None && j == d.Job {
			d.Asked = append(d.Asked, i)
		}
	}
	d.late = slices.Clone(d.Of[d.Job])
	slices.SortStableFunc(d.late, func(a, b int32) int { return cmp.Compare(d.Rows[b].End, d.Rows[a].End) })
	return d
}

// compare orders rows by start, then by end, then by number.
func (d *Desk) compare(a, b int32) int {
	i, k := &d.Rows[a], &d.Rows[b]
	return cmp.Or(cmp.Compare(i.Start, k.Start), cmp.Compare(i.End, k.End), cmp.Compare(a, b))
}

// ID is the id of a row's task.
func (d *Desk) ID(row int32) string {
	id, _, _ := d.View.TaskName(d.Rows[row].Task)
	return id
}

// JobID is the id of a job.
func (d *Desk) JobID(job int32) string { return d.W.Jobs[job].ID }

// Named is a row's task with its job, unless the question is about that job.
func (d *Desk) Named(row int32) string {
	if d.JobOf(row) == d.Job {
		return d.ID(row)
	}
	return d.ID(row) + " of job " + d.JobID(d.JobOf(row))
}

// Machine is the name of the machine of a row.
func (d *Desk) Machine(row int32) string { return d.View.MachineName(d.Rows[row].Machine) }

// Time is a time as texts have it.
func (d *Desk) Time(t model.Time) string { return t.String() + d.Unit }

// At is a point in time as texts have it: with an origin, a clock time.
func (d *Desk) At(t model.Time) string {
	if d.W.Origin.Known() && d.Unit != "" {
		return d.W.At(t)
	}
	return d.Time(t)
}

// Last is the row of a list that ends last; ties: the one that comes first in the list. None if the list is empty.
func (d *Desk) Last(rows []int32) int32 {
	last := int32(model.None)
	for _, i := range rows {
		if last == model.None || d.Rows[i].End > d.Rows[last].End {
			last = i
		}
	}
	return last
}

// Certificate reads that of the bound which the result states; false: it states none.
func (d *Desk) Certificate(c any) (bool, error) {
	if d.Q.Certificate == nil {
		return false, nil
	}
	err := model.ReadCertificate(d.Q.Certificate, c)
	return err == nil, err
}

// Released holds a task until its release, which may be later than that of its job; came says that this one arrives.
func (d *Desk) Released(at, job model.Time, came string) Hold {
	if at > job {
		came = "the task itself is released"
	}
	return Hold{Kind: Release, Until: at, By: model.None, Text: fmt.Sprintf("%s at %s", came, d.At(at))}
}

// Ready is when a row could start if its machine were free.
func (d *Desk) Ready(row int32) model.Time {
	ready := model.Time(0)
	for _, h := range d.p.Holds(row) {
		ready = max(ready, h.Until)
	}
	return ready
}

// Machines is empty: times do not depend on places.
func (d *Desk) Machines(int32) []int32 { return nil }

// End keeps the length of a row.
func (d *Desk) End(row, _ int32, start model.Time) model.Time {
	return start + d.Rows[row].End - d.Rows[row].Start
}

// Room is the first gap of a machine that runs one row at a time; the present start if times do not depend on places.
func (d *Desk) Room(row, machine int32, from model.Time) (start model.Time, by int32, ok bool) {
	if len(d.p.Machines(row)) == 0 {
		return d.Rows[row].Start, model.None, true
	}
	start, by = from, model.None
	for _, k := range d.On[machine] {
		switch e := &d.Rows[k]; {
		case k == row || e.End <= start:
		case e.Start >= d.p.End(row, machine, start):
			return start, by, true
		default:
			start, by = e.End, k
		}
	}
	return start, by, true
}

// Next passes nothing: no row waits for another one.
func (d *Desk) Next(int32, model.Time, func(row int32, start, end model.Time)) {}

// Stands lets every row move.
func (d *Desk) Stands(int32) string { return "" }

// Due says that no job has a deadline.
func (d *Desk) Due(int32) (due model.Time, ok bool) { return 0, false }

// Note adds nothing.
func (d *Desk) Note(*Move, *model.Schedule) string { return "" }
