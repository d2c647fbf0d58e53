package spark

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/shop"
)

// show prints a workload in words that an expectation can be written in.
func show(w *model.Workload) string {
	var b strings.Builder
	for j, x := range w.Jobs {
		fmt.Fprintf(&b, "%s at %s of %s (%s), ended at %s\n", x.ID, x.Release, x.Tenant, x.Class,
			x.RecordedCompletion.Value)
		for _, t := range w.Tasks {
			if int(t.Job) == j {
				showTask(&b, &t)
			}
		}
	}
	for _, d := range w.Delays {
		fmt.Fprintf(&b, "%s > %s\n", w.Tasks[d.From].ID, w.Tasks[d.To].ID)
	}
	for _, d := range w.Dependencies {
		fmt.Fprintf(&b, "%s >> %s + %s\n", w.Jobs[d.After].ID, w.Jobs[d.Job].ID, d.Delay)
	}
	for _, n := range w.Topology {
		if n.Kind != model.HostNode {
			continue
		}
		fmt.Fprintf(&b, "%s in %s: %v cores", n.ID, w.Topology[n.Parent].ID, n.CPU.Value)
		if n.MemoryBytes.Known {
			fmt.Fprintf(&b, ", %d bytes", n.MemoryBytes.Value)
		}
		b.WriteString("\n")
	}
	for _, u := range w.Unavailable {
		fmt.Fprintf(&b, "%s gone from %s", w.Topology[u.Node].ID, u.From)
		if u.Until.Known {
			fmt.Fprintf(&b, " until %s", u.Until.Value)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func showTask(b *strings.Builder, t *model.Task) {
	fmt.Fprintf(b, "  %s %s %s s", t.Kind, t.ID, t.Processing.Value)
	if t.CPU.Known {
		fmt.Fprintf(b, ", %v cores", t.CPU.Value)
	}
	if t.InputBytes.Known {
		fmt.Fprintf(b, ", in %d", t.InputBytes.Value)
	}
	if t.OutputBytes.Known {
		fmt.Fprintf(b, ", out %d", t.OutputBytes.Value)
	}
	if t.MemoryBytes.Known {
		fmt.Fprintf(b, ", peak %d", t.MemoryBytes.Value)
	}
	fmt.Fprintf(b, ", %s at %s\n", t.RecordedNode, t.RecordedStart.Value)
}

// checkRecorded checks that the problem's own checker accepts the recorded starts as a schedule, unless a note says
// that they do not fit, and that jobs end when they are said to end.
func checkRecorded(t rapid.TB, w *model.Workload) {
	t.Helper()
	in, err := shop.New(w)
	if err != nil {
		t.Fatalf("%v", err)
	}
	in, s := in.Recorded()
	if s == nil {
		t.Fatalf("no recorded schedule")
	}
	fits := !slices.ContainsFunc(w.Notes, func(n string) bool { return strings.Contains(n, "does not fit") })
	if violations := in.Check(s); (len(violations) == 0) != fits {
		t.Errorf("the recorded schedule: %v; notes %q", violations, w.Notes)
	}
	end := make([]model.Time, len(w.Jobs))
	for _, x := range w.Tasks {
		end[x.Job] = max(end[x.Job], x.RecordedStart.Value+x.Processing.Value)
	}
	for j, x := range w.Jobs {
		if end[j] != x.RecordedCompletion.Value {
			t.Errorf("%s ends at %s, not %s", x.ID, end[j], x.RecordedCompletion.Value)
		}
	}
}
