package cluster

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/cluster"
	"mrsched/model/tier"
	"mrsched/solver"
)

// TestHeldByResource: tasks cores and memory of a node with 4 cores and 8 GB end at 100 s. A task that needs 1 core and
// 6 GB waits for memory, which holds 6 GB; one that needs 4 cores and nothing else waits for cores, which holds one.
// What is needed and free is told.
func TestHeldByResource(t *testing.T) {
	for _, c := range []struct {
		cpu    float64
		memory model.Bytes
		by     int32
		lacks  string
	}{
		{1, 6e9, 1, "n has too little memory_bytes (6000000000 needed, 2000000000 of 8000000000 free)"},
		{4, 0, 0, "n has too little cpu (4 needed, 3 of 4 free)"},
		{3.5, 7e9, 0, "n has too little cpu (3.5 needed, 3 of 4 free) and too little memory_bytes (7000000000 needed, " +
			"2000000000 of 8000000000 free)"},
	} {
		b, at := model.NewBuilder(), model.Locus{}
		b.Node(model.Node{ID: "n", Kind: model.HostNode, CPU: model.Some(4.0), MemoryBytes: model.Some(model.Bytes(8e9))},
			"", at)
		b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, at)
		for _, x := range []struct {
			id     string
			cpu    float64
			memory model.Bytes
		}{{"cores", 1, 0}, {"memory", 0, 6e9}, {"late", c.cpu, c.memory}} {
			b.Task(model.Task{ID: x.id, Processing: model.Some(100 * model.Second), CPU: model.Some(x.cpu),
				MemoryBytes: model.Some(x.memory)}, "j", "", at)
		}
		in := built(t, b, cluster.WeightedEnds)
		s := &model.Schedule{Entries: []model.Entry{{Task: 0, End: 100 * model.Second}, {Task: 1, End: 100 * model.Second},
			{Task: 2, Start: 100 * model.Second, End: 200 * model.Second}}}
		if v := in.Check(s); len(v) > 0 {
			t.Fatal(v)
		}
		e := &explainer{in: in, w: in.Workload(), c: newChain(in, s, nil)}
		if kind, by := e.held(2); kind != solver.ReasonMachine || by != c.by {
			t.Errorf("%v cores, %v bytes: %s by %d, want %d", c.cpu, c.memory, kind, by, c.by)
		}
		if got := e.lacking(2, 0, 100*model.Second-1); got != c.lacks {
			t.Errorf("%v cores, %v bytes: %s, want %s", c.cpu, c.memory, got, c.lacks)
		}
	}
}

// TestFullNodes: a task of 2 cores has to end at 150 s, when the next one starts. On n1, a task holds 3 of 4 cores to
// 400 s, so that 1 is free; on n2, one holds 2.5 of 4 cores from 0 s to 60 s and another from 120 s to 400 s, so that
// 1.5 are free for 100 s; n3 has 1 core.
func TestFullNodes(t *testing.T) {
	b := begun(4, 4, 4, 1)
	var s model.Schedule
	for k, x := range []struct {
		id           string
		node         int32
		cores        float64
		start, takes model.Time
	}{{"task", 0, 2, 50, 100}, {"next", 0, 2, 150, 10}, {"b1", 1, 3, 0, 400}, {"c1", 2, 2.5, 0, 60},
		{"c2", 2, 2.5, 120, 280}} {
		add(b, x.id, x.takes, x.cores)
		s.Entries = append(s.Entries, model.Entry{Task: model.TaskIndex(k), Machine: x.node, Start: x.start * model.Second,
			End: (x.start + x.takes) * model.Second})
	}
	b.Delay("task", "next", 0, model.Locus{})
	in := built(t, b, cluster.WeightedEnds)
	x, err := (&run{in: in}).Explain(t.Context(), solver.Question{Schedule: &s, Alternatives: 3})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range x.Where {
		got = append(got, r.Text)
	}
	for _, want := range []string{
		"1 node is always too small for it: too little cpu (2 needed, at most 1 there)",
		"n1, n2: too little cpu for it (2 needed, at most 1.5 free for so long) from 0 s to 150 s, when it has to end for " +
			"what waits for it",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

// TestExplainUnderPlan: under a plan everything can be explained. What is frozen has no alternatives, and those of
// other tasks start no earlier than the freeze ends. What holds a task beside others has a name.
func TestExplainUnderPlan(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 5))
	frozen, moved, named := 0, 0, 0
	for k := range tier.Draws(60, 300) {
		x := underPlan(t, r, small(t, r, k))
		s := repaired(t.Context(), x.in)
		if s == nil {
			continue
		}
		p := x.in.Replan()
		for u := range int32(x.in.Tasks) {
			e, err := x.Explain(t.Context(), solver.Question{Schedule: s, Task: model.TaskIndex(u), Job: 0, Alternatives: 9})
			if err != nil {
				t.Fatal(err)
			}
			if p.Frozen(model.TaskIndex(u)) != nil {
				if frozen++; e.Where[0].Text != p.WhyFrozen() || len(e.Alternatives) > 0 {
					t.Errorf("%d: frozen, and %+v", k, e)
				}
			}
			for _, a := range e.Alternatives {
				if start, err := model.ParseSignedTime(string(a.Start)); err != nil || start < p.Until {
					t.Errorf("%d: the freeze ends at %s: %+v, %v", k, p.Until, a, err)
				}
				moved++
			}
			for _, w := range e.When {
				if w.Kind != solver.ReasonMachine {
					continue
				}
				if named++; !strings.Contains(w.Text, "too little ") && !strings.Contains(w.Text, "is unavailable") {
					t.Errorf("%d: %s", k, w.Text)
				}
			}
		}
		for j := range x.in.Jobs {
			q := solver.Question{Schedule: s, Task: model.None, Job: model.JobIndex(j)}
			if _, err := x.Explain(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
	}
	if frozen < 40 || moved < 40 || named < 10 {
		t.Errorf("%d frozen tasks, %d alternatives, %d tasks that wait for a resource", frozen, moved, named)
	}
}
