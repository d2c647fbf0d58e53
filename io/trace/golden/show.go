package golden

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// Same compares a workload with an expectation as Show writes it.
func Same(t testing.TB, w *model.Workload, want string) {
	t.Helper()
	if got := Show(w); got != want {
		lines, other := strings.Split(got, "\n"), strings.Split(want, "\n")
		k := 0
		for k < min(len(lines), len(other))-1 && lines[k] == other[k] {
			k++
		}
		t.Errorf("%sline %d: %s\nwant:   %s", got, k+1, lines[k], other[k])
	}
}

// Holds requires lines that Show writes, apart from spaces before them; "no TEXT" wants that none of them has the text.
func Holds(t testing.TB, w *model.Workload, lines ...string) {
	t.Helper()
	text := Show(w)
	all := strings.Split(strings.ReplaceAll(text, "\n  ", "\n"), "\n")
	for _, line := range lines {
		absent, no := strings.CutPrefix(line, "no ")
		if no && strings.Contains(text, absent) || !no && !slices.Contains(all, line) {
			t.Errorf("%q\nis wrong about\n%s", line, text)
		}
	}
}

// printer writes a workload in words that an expectation can be written in.
type printer struct {
	strings.Builder
	w *model.Workload
}

// Show prints what importers make: jobs with their tasks, delays, keys, nodes, and notes.
func Show(w *model.Workload) string {
	p := &printer{w: w}
	p.add("%s for %q: %d tasks, ", w.Name, w.Problem, len(w.Tasks))
	p.add("%d delays, %d machines\n", len(w.Delays), w.Machines.Value)
	for j := range w.Jobs {
		p.job(model.JobIndex(j))
	}
	for _, d := range w.Delays {
		p.add("%s > %s %s\n", w.Tasks[d.From].ID, w.Tasks[d.To].ID, d.Delay)
	}
	for _, k := range w.Keys {
		p.add("%q %q %d B\n", k.Map, k.Key, k.Bytes)
	}
	for i := range w.Topology {
		p.node(model.NodeIndex(i))
	}
	for _, note := range w.Notes {
		p.add("%s\n", note)
	}
	return p.String()
}

func (p *printer) add(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// known adds a value that need not be known.
func known[T any](p *printer, format string, v model.Optional[T]) {
	if v.Known {
		p.add(format, v.Value)
	}
}

func (p *printer) job(j model.JobIndex) {
	x := p.w.Jobs[j]
	p.add("%s at %s s", x.ID, x.Release)
	known(p, ", ended at %s s", x.RecordedCompletion)
	if x.Tenant != "" {
		p.add(" of %s", x.Tenant)
	}
	if x.Weight != model.UnitWeight {
		p.add(" × %s", x.Weight)
	}
	known(p, ", R=%d", x.Reduces)
	known(p, ", V=%d", x.IntermediateBytes)
	known(p, ", ratio %v", x.ShuffleRatio)
	known(p, ", p=%d", x.Partitions)
	known(p, ", v=%v", x.ReduceRate)
	p.add("\n")
	for i, t := range p.w.Tasks {
		if t.Job == j {
			p.task(model.TaskIndex(i))
		}
	}
}

func (p *printer) task(i model.TaskIndex) {
	t := p.w.Tasks[i]
	p.add("  %s %s", t.Kind, t.ID)
	known(p, " %s s", t.Processing)
	known(p, " from %s s", t.Release)
	known(p, ", %v cores", t.CPU)
	known(p, ", in %d", t.InputBytes)
	known(p, ", out %d", t.OutputBytes)
	known(p, ", memory %d", t.MemoryBytes)
	if t.ShuffleDelay > 0 {
		p.add(", delay %s", t.ShuffleDelay)
	}
	for _, g := range p.w.Times {
		if g.Task == t.ID {
			p.add(" %s=%s", p.w.Topology[g.Worker].ID, g.Time)
		}
	}
	for _, d := range p.w.Demands {
		if d.Task == i {
			p.add(", %s %s", d.Amount, d.Resource)
		}
	}
	if t.Block != model.None {
		replicas := 0
		for _, x := range p.w.Placements {
			if x.Block == t.Block {
				replicas++
			}
		}
		p.add(", %s ×%d", p.w.Blocks[t.Block], replicas)
	}
	if t.RecordedNode != "" {
		p.add(" on %s", t.RecordedNode)
	}
	p.add("\n")
}

func (p *printer) node(i model.NodeIndex) {
	n := p.w.Topology[i]
	p.add("%s %s %d+%d", n.Kind, n.ID, n.MapSlots, n.ReduceSlots)
	known(p, ", %v cores", n.CPU)
	known(p, ", memory %d", n.MemoryBytes)
	known(p, ", speed %v", n.Speed)
	for _, c := range p.w.Capacities {
		if c.Node == i {
			p.add(", %s %s", c.Amount, c.Resource)
		}
	}
	p.add("\n")
}
