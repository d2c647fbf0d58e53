package shop

import "mrsched/model"

// Recorded is the schedule that the workload's tasks.recorded_start and recorded_node state, with the instance in which
// tasks take as long as the runs that started then; nil if some task states none, or a node that is not there or cannot
// run it. Check of that instance says whether the schedule keeps all constraints.
func (in *Instance) Recorded() (*Instance, *model.Schedule) {
	if w := in.asRecorded(); w != nil {
		if then, err := New(w); err == nil {
			in = then.Under(in.Stated())
		}
	}
	s := &model.Schedule{Entries: make([]model.Entry, in.Tasks)}
	for u := range in.workload.Tasks {
		x := &in.workload.Tasks[u]
		i, there := in.Machine(x.RecordedNode)
		if !there || !x.RecordedStart.Known {
			return nil, nil
		}
		length := in.Length(int32(u), i)
		if length < 0 {
			return nil, nil
		}
		start := x.RecordedStart.Value
		s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: i, Start: start, End: start + length}
	}
	return in, s
}

// asRecorded is the workload with the times of the recorded runs: those that started then, or whole days before; nil if
// the table runs has none of them.
func (in *Instance) asRecorded() *model.Workload {
	w := in.workload
	if in.Identical || len(w.Runs) == 0 {
		return nil
	}
	type begun struct {
		task  string
		start model.Time
	}
	const day = model.DaySeconds * model.Second
	took := make(map[begun]model.Time, len(w.Runs))
	for k := range w.Runs {
		if r := &w.Runs[k]; r.Start.Known && r.Took().Known {
			took[begun{r.Task, (r.Start.Value%day + day) % day}] = r.Took().Value
		}
	}
	out, changed := *w, false
	out.Tasks = append([]model.Task(nil), w.Tasks...)
	for u := range out.Tasks {
		x := &out.Tasks[u]
		i, there := in.Machine(x.RecordedNode)
		if t, ok := took[begun{x.ID, x.RecordedStart.Value % day}]; ok && there && x.RecordedStart.Known {
			speed := 1.0
			if at := in.nodeAt[i]; at != model.None {
				speed = w.Topology[at].Speed.Or(1)
			}
			x.Processing, changed = model.Some(model.TimeOf(t.Seconds()*speed)), true
			if speed == 1 {
				x.Processing = model.Some(t)
			}
		}
	}
	if !changed {
		return nil
	}
	return &out
}
