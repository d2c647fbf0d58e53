package spark

import (
	"cmp"
	"slices"
	"strings"

	"mrsched/model"
	"mrsched/model/cluster"
)

// failer is the common part of tests and properties.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// checkRecorded checks independently that the recorded starts are a schedule of the workload: on existing nodes with
// enough cores, after releases, and after all waits.
func checkRecorded(t failer, w *model.Workload) {
	t.Helper()
	end := make([]model.Time, len(w.Tasks))
	on := map[string][]int{}
	jobEnd, jobStart := make([]model.Time, len(w.Jobs)), make([]model.Time, len(w.Jobs))
	for j := range jobStart {
		jobStart[j] = model.MaxTime
	}
	for u, x := range w.Tasks {
		if !x.RecordedStart.Known || x.RecordedNode == "" {
			t.Fatalf("task %s has no recorded start or node", x.ID)
		}
		start := x.RecordedStart.Value
		end[u] = start + x.Processing.Value
		on[x.RecordedNode] = append(on[x.RecordedNode], u)
		jobEnd[x.Job], jobStart[x.Job] = max(jobEnd[x.Job], end[u]), min(jobStart[x.Job], start)
	}
	for j, x := range w.Jobs {
		if jobStart[j] < x.Release || jobEnd[j] != x.RecordedCompletion.Value {
			t.Errorf("%s runs from %s to %s: release %s, recorded completion %s", x.ID, jobStart[j], jobEnd[j], x.Release,
				x.RecordedCompletion.Value)
		}
	}
	for _, d := range w.Dependencies {
		if jobStart[d.Job] < jobEnd[d.After]+d.Delay {
			t.Errorf("%s starts at %s, %s ends at %s, delay %s", w.Jobs[d.Job].ID, jobStart[d.Job], w.Jobs[d.After].ID,
				jobEnd[d.After], d.Delay)
		}
	}
	checkWaits(t, w, end)
	full := slices.ContainsFunc(w.Notes, func(n string) bool { return strings.Contains(n, "does not fit") })
	if most := overfull(w, end, on); (len(most) > 0) != full {
		t.Errorf("overfull: %v; notes %q", most, w.Notes)
	}
	for _, a := range w.Unavailable {
		for _, u := range on[w.Topology[a.Node].ID] {
			if from := w.Tasks[u].RecordedStart.Value; end[u] > a.From && (!a.Until.Known || from < a.Until.Value) {
				t.Errorf("%s runs from %s to %s on %s, gone from %s until %v", w.Tasks[u].ID, from, end[u],
					w.Topology[a.Node].ID, a.From, a.Until)
			}
		}
	}
}

// checkModel checks that the problem's own checker accepts the recorded schedule.
func checkModel(t failer, w *model.Workload) {
	t.Helper()
	in, err := cluster.New(w)
	if err != nil {
		t.Fatalf("%v", err)
	}
	s := in.Recorded()
	if s == nil {
		t.Fatalf("no recorded schedule")
	}
	for _, v := range in.Check(s) {
		t.Errorf("the recorded schedule: %s", v)
	}
}

// checkWaits checks delays, and of jobs without any that reduces start after all maps.
func checkWaits(t failer, w *model.Workload, end []model.Time) {
	t.Helper()
	stated := map[model.JobIndex]bool{}
	for _, d := range w.Delays {
		stated[w.Tasks[d.From].Job] = true
		if w.Tasks[d.To].RecordedStart.Value < end[d.From]+d.Delay {
			t.Errorf("%s starts before %s ends", w.Tasks[d.To].ID, w.Tasks[d.From].ID)
		}
	}
	maps := map[model.JobIndex]model.Time{}
	for u, x := range w.Tasks {
		if x.Kind == model.Map {
			maps[x.Job] = max(maps[x.Job], end[u])
		}
	}
	for _, x := range w.Tasks {
		if x.Kind == model.Reduce && !stated[x.Job] && x.RecordedStart.Value < maps[x.Job] {
			t.Errorf("%s starts before the maps of its job end", x.ID)
		}
	}
}

// overfull names the nodes whose tasks took more cores at once than they have.
func overfull(w *model.Workload, end []model.Time, on map[string][]int) (list []string) {
	for _, n := range w.Topology {
		type change struct {
			at  model.Time
			cpu float64
		}
		var changes []change
		for _, u := range on[n.ID] {
			if x := &w.Tasks[u]; x.Processing.Value > 0 {
				changes = append(changes, change{x.RecordedStart.Value, x.CPU.Value}, change{end[u], -x.CPU.Value})
			}
		}
		slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.cpu, b.cpu)) })
		now, most := 0.0, 0.0
		for _, c := range changes {
			now += c.cpu
			most = max(most, now)
		}
		if most > n.CPU.Value {
			list = append(list, n.ID)
		}
	}
	return list
}
