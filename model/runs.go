package model

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
)

// RunState is how a past run of a task ended, or that it has not ended.
type RunState uint8

// The states of runs.
const (
	Succeeded RunState = iota
	Failed
	Running
)

var runStateNames = []string{"success", "failed", "running"}

// String is the state's name in files.
func (s RunState) String() string { return runStateNames[s] }

// RunStateNames lists the names of the states as files state them.
func RunStateNames() []string { return slices.Clone(runStateNames) }

// TaskRun is one row of the table runs: a try of a task in an earlier run of its job. Tasks of runs need not exist.
type TaskRun struct {
	Task, Run  string
	Start, End Optional[Time]
	Duration   Optional[Time] // of rows that state no end
	State      RunState
	Try        int64
}

// Took is how long a try took, if it has ended.
func (r *TaskRun) Took() Optional[Time] {
	if r.Start.Known && r.End.Known {
		return Some(r.End.Value - r.Start.Value)
	}
	return r.Duration
}

// TaskRun adds a row of runs.
func (b *Builder) TaskRun(r TaskRun, at Locus) {
	switch {
	case r.Start.Known && r.End.Known && r.End.Value < r.Start.Value:
		b.Findings.Add(Finding{Code: CodeInterval, Pos: at.At("end"), Expected: "a later time",
			What: fmt.Sprintf("end %s is before start %s", r.End.Value, r.Start.Value)})
	case !r.Took().Known && r.State == Succeeded:
		b.Findings.Add(Finding{Code: CodeMissing, Pos: at.At("end"), Expected: "start and end, or a duration",
			What: "a run that succeeded does not say how long it took",
			Hint: "a run that has not ended has the state " + Running.String()})
	}
	b.w.Runs = append(b.w.Runs, r)
	b.at[TableRuns].add(at)
}

// DurationRules are the names of the rules by which past runs say how long a task will take.
func DurationRules() []string { return []string{"p50", "p90", "mean", "max", "last"} }

// DurationOf is what a rule makes of the times of at least one run, in the order in which they ran. Percentiles
// interpolate linearly between the two times around place q·(n − 1), counted from 0.
func DurationOf(rule string, times []Time) Time {
	switch rule {
	case "last":
		return times[len(times)-1]
	case "mean":
		sum, n := new(big.Int), big.NewInt(int64(len(times)))
		for _, t := range times {
			sum.Add(sum, big.NewInt(int64(t)))
		}
		return Time(sum.Div(sum.Add(sum.Lsh(sum, 1), n), n.Lsh(n, 1)).Int64())
	}
	sorted := slices.Sorted(slices.Values(times))
	hundredths := map[string]int{"p50": 50, "p90": 90, "p95": 95, "max": 100}[rule] * (len(sorted) - 1)
	low, part := sorted[hundredths/100], Time(hundredths%100)
	if part == 0 {
		return low
	}
	step := sorted[hundredths/100+1] - low
	return low + step/100*part + (step%100*part+50)/100
}

// Estimated is the workload with the processing times that a rule makes of its successful runs, and in words what of
// how many runs. Tasks without such runs keep their times.
func (w *Workload) Estimated(rule string) (*Workload, string, error) {
	times := make(map[string][]Time, len(w.Tasks))
	order := Indices(len(w.Runs))
	slices.SortStableFunc(order, func(i, j int32) int {
		return cmp.Compare(w.Runs[i].Start.Or(-MaxTime), w.Runs[j].Start.Or(-MaxTime))
	})
	for _, k := range order {
		if r := &w.Runs[k]; r.State == Succeeded {
			times[r.Task] = append(times[r.Task], r.Took().Value)
		}
	}
	out := *w
	out.Tasks = slices.Clone(w.Tasks)
	tasks, runs, fewest, most := 0, 0, len(w.Runs), 0
	for u := range out.Tasks {
		t := &out.Tasks[u]
		list := times[t.ID]
		if len(list) == 0 {
			continue
		}
		t.Processing = Some(DurationOf(rule, list))
		tasks, runs, fewest, most = tasks+1, runs+len(list), min(fewest, len(list)), max(most, len(list))
	}
	if tasks == 0 {
		return nil, "", NewInputError(Finding{Code: CodeNoTime, Pos: w.File(TableRuns),
			What: "no task has a successful run in the table runs", Expected: "rows with ids of tasks"})
	}
	each := fmt.Sprintf("%d to %d each", fewest, most)
	if fewest == most {
		each = fmt.Sprintf("%d each", most)
	}
	said := fmt.Sprintf("the %s of %s of %s (%s)", rule, Counted(runs, "successful run"), Counted(tasks, "task"), each)
	if rest := len(w.Tasks) - tasks; rest > 0 {
		said += fmt.Sprintf("; of %s there is none, and processing_time stays", Counted(rest, "task"))
	}
	var sum Horizon
	for u := range out.Tasks {
		sum.Add(out.Tasks[u].Processing.Or(0))
	}
	if sum.Over {
		return nil, "", NewInputError(BeyondHorizon(w.File(TableRuns), "the times of runs",
			"are times given in milliseconds?"))
	}
	out.Notes = append(slices.Clone(w.Notes), "processing times: "+said)
	return &out, said, nil
}
