// Package toy orders tasks on one machine, to minimise the sum of their completion times.
package toy

import (
	"errors"
	"math/big"
	"slices"

	"mrsched/model"
)

// Instance is the view of a workload: the tasks' processing times.
type Instance struct {
	model.ViewDefaults
	model.WorkloadTasks
	Time []model.Time // by task
}

// New reads a workload. Errors are *model.InputError.
func New(w *model.Workload) (*Instance, error) {
	in := &Instance{WorkloadTasks: model.TasksOf(w)}
	var found model.Findings
	for _, t := range w.Tasks {
		if !t.Processing.Known {
			found.Add(model.Finding{Code: model.CodeMissing, What: "task " + t.ID + " has no processing_time",
				Expected: "seconds"})
		}
		in.Time = append(in.Time, t.Processing.Value)
	}
	return in, found.Err()
}

// Describe says what results of the problem hold.
func Describe() *model.Description { return &description }

var description = model.Description{Problem: "toy", Criteria: []model.Criterion{{Name: "total"}}}

// Description says what results hold.
func (in *Instance) Description() *model.Description { return &description }

// Size is the number of machines.
func (in *Instance) Size() int { return 1 }

// MachineName is the name of the machine.
func (in *Instance) MachineName(int32) string { return "m1" }

// Machine is the inverse of MachineName.
func (in *Instance) Machine(name string) (int32, bool) { return 0, name == "m1" }

// Evaluate adds the completion times.
func (in *Instance) Evaluate(s *model.Schedule) model.Evaluation {
	total := model.Time(0)
	for _, e := range s.Entries {
		total += e.End
	}
	return model.Evaluation{Name: "total", Value: seconds(total), Metrics: map[string]any{}}
}

func seconds(t model.Time) *big.Rat { return big.NewRat(int64(t), int64(model.Second)) }

// Check demands every task once, for its time, one after another.
func (in *Instance) Check(s *model.Schedule) []model.Violation {
	var found model.Violations
	seen, end := make([]bool, len(in.Time)), model.Time(0)
	for _, e := range s.Entries {
		id, _, _ := in.TaskName(e.Task)
		if seen[e.Task] {
			found.Add(model.CodeTaskTwice, "task %q has several rows", id)
		}
		if e.End-e.Start != in.Time[e.Task] {
			found.Add(model.CodeDuration, "task %q takes %s s", id, in.Time[e.Task])
		}
		if e.Start < end {
			found.Add(model.CodeOverlap, "task %q starts at %s, before %s", id, e.Start, end)
		}
		seen[e.Task], end = true, e.End
	}
	for u, there := range seen {
		if id, _, _ := in.TaskName(model.TaskIndex(u)); !there {
			found.Add(model.CodeTaskMissing, "task %q is not scheduled", id)
		}
	}
	return found.List()
}

// Certificate proves a lower bound: the shortest tasks first are optimal, by Smith's rule.
type Certificate struct {
	Format  string `json:"format"`
	Problem string `json:"problem"`
	Method  string `json:"method"`
	Value   string `json:"value"`
}

// Bound is the total under Smith's rule.
func (in *Instance) Bound() *big.Rat {
	total, end := model.Time(0), model.Time(0)
	for _, p := range slices.Sorted(slices.Values(in.Time)) {
		end += p
		total += end
	}
	return seconds(total)
}

// Certify proves a certificate again.
func (in *Instance) Certify(raw []byte) (model.Certified, error) {
	var c Certificate
	if err := model.ReadCertificate(raw, &c); err != nil {
		return model.Certified{}, err
	}
	return model.Confirm("toy", c.Format, c.Problem, c.Method, c.Value, func() (*big.Rat, error) {
		if c.Method != "smith" {
			return nil, errors.New("certificate: unknown method")
		}
		return in.Bound(), nil
	})
}
