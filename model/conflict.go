package model

import "fmt"

// Conflict is a set of requirements that exclude each other. Texts name the user's own ids.
type Conflict struct {
	// What states the impossibility in one line, such as "of these 3 jobs at least one is late in every schedule".
	What string `json:"what"`
	// Members are the demands, in a readable order.
	Members []Demand `json:"members"`
	// Minimal says that without any single member the rest can be met, as far as the proof shows.
	Minimal bool `json:"minimal"`
	// Infeasible says that the conflict rules out every schedule. Otherwise schedules exist that meet some of the demands;
	// or, in a Finding, statements of the input contradict each other.
	Infeasible bool `json:"infeasible"`
	// Proof says in one line why, with its numbers.
	Proof string `json:"proof,omitempty"`
}

// Demand is one member of a conflict.
type Demand struct {
	Kind string `json:"kind"`         // the table or column that states it, such as "deadline" or "delays"
	ID   string `json:"id,omitempty"` // of the row that states it
	Text string `json:"text"`
}

// reportCycle reports a shortest cycle of rows, each of which makes a task or job, to, wait for another one, from. job
// is the job that the cycle lies in, if it lies in one.
func (b *Builder) reportCycle(table Table, cycle []int32, noun, job string,
	row func(r int32) (from, to string, delay Time)) {
	c := &Conflict{Minimal: true, Infeasible: true,
		Proof: fmt.Sprintf("each of these %ss would have to end before it starts", noun)}
	var ring []string
	for _, r := range cycle {
		from, to, delay := row(r)
		ring = append(ring, from)
		c.Members = append(c.Members, Demand{Kind: string(table), ID: from + " → " + to,
			Text: fmt.Sprintf("%s starts at least %s s after %s ends", to, delay, from)})
	}
	in, of := "", ""
	if job != "" {
		in, of = fmt.Sprintf("in job %q ", job), fmt.Sprintf(" of job %q", job)
	}
	c.What = "no schedule exists: " + in + circular(len(ring), noun)
	b.Findings.Add(Finding{Code: CodeCycle, Pos: b.at[table].at(int(cycle[len(cycle)-1])),
		What:     fmt.Sprintf("the %s%s form a cycle: %s", table, of, ringText(append(ring, ring[0]))),
		Expected: "precedence without cycles", Hint: "drop one of these rows", Conflict: c})
}

func circular(n int, noun string) string {
	if n == 1 {
		return fmt.Sprintf("a %s waits for itself", noun)
	}
	return fmt.Sprintf("%d %ss wait for each other in a circle", n, noun)
}

// rootless is the conflict of two rows of the topology without parents.
func (b *Builder) rootless(x, y int) *Conflict {
	c := &Conflict{What: "the topology is no tree: two of its rows have no parent", Minimal: true,
		Proof: "a tree has one root"}
	for _, i := range []int{x, y} {
		c.Members = append(c.Members, Demand{Kind: string(TableTopology), ID: b.w.Topology[i].ID,
			Text: b.w.Topology[i].ID + " has no parent"})
	}
	return c
}

// ring is the conflict of the rows of the topology that lead from row k back to it.
func (b *Builder) ring(k int) *Conflict {
	c := &Conflict{Minimal: true, Proof: "every row of a tree leads to its root"}
	topo := b.w.Topology
	for i := NodeIndex(k); len(c.Members) == 0 || i != NodeIndex(k); i = topo[i].Parent {
		c.Members = append(c.Members, Demand{Kind: string(TableTopology), ID: topo[i].ID,
			Text: fmt.Sprintf("%s hangs under %s", topo[i].ID, topo[topo[i].Parent].ID)})
	}
	c.What = fmt.Sprintf("the topology is no tree: %d of its rows are above each other in a circle", len(c.Members))
	if len(c.Members) == 1 {
		c.What = "the topology is no tree: a row is above itself"
	}
	return c
}

// NoSlot is the conflict of a task with machines that have no slot for its kind.
func NoSlot(kind TaskKind, id string) *Conflict {
	return &Conflict{What: fmt.Sprintf("no schedule exists: a %s has no slot to run on", kind), Minimal: true,
		Infeasible: true,
		Proof:      fmt.Sprintf("a %s needs a %s slot", kind, kind),
		Members: []Demand{{Kind: string(TableTasks), ID: id, Text: fmt.Sprintf("%s is a %s", id, kind)},
			{Kind: string(TableTopology), Text: fmt.Sprintf("all nodes together have 0 %s_slots", kind)}}}
}

// NoRoom is the conflict of a task with nodes that have a slot for it, but not the memory and cores that it needs.
func NoRoom(kind TaskKind, id, needs string) *Conflict {
	return &Conflict{What: fmt.Sprintf("no schedule exists: no node can hold a %s", kind), Minimal: true, Infeasible: true,
		Proof: fmt.Sprintf("a %s needs a node with a %s slot that has all the memory and cores that it needs", kind, kind),
		Members: []Demand{{Kind: string(TableTasks), ID: id, Text: fmt.Sprintf("%s needs %s", id, needs)},
			{Kind: string(TableTopology), Text: fmt.Sprintf("every node with %s_slots has less", kind)}}}
}

// OtherReduceCount is the finding of a job that states a number of reduces and lists another.
func OtherReduceCount(w *Workload, row int, stated, listed int64) Finding {
	job := w.Jobs[row].ID
	return Finding{Code: CodeJobData, Pos: w.Where(TableJobs, row), Expected: "the same number", Hint: "leave reduces out",
		What: fmt.Sprintf("job %q has reduces %d and %s", job, stated, Counted(listed, "reduce task")),
		Conflict: &Conflict{What: "the input contradicts itself: a job states one number of reduces and lists another",
			Minimal: true, Proof: fmt.Sprintf("%d ≠ %d", stated, listed),
			Members: []Demand{{Kind: string(TableJobs), ID: job, Text: fmt.Sprintf("job %s has reduces %d", job, stated)},
				{Kind: string(TableTasks), ID: job, Text: fmt.Sprintf("%s of the table tasks %s reduces of job %s",
					Counted(listed, "row"), Are(listed), job)}}}}
}

// Slotless is the conflict of a workload that has something to run with a topology without slots; nil if there is no
// topology.
func Slotless(w *Workload) *Conflict {
	if maps, reduces := w.Slots(); !w.HasTopology || maps+reduces > 0 || len(w.Jobs) == 0 {
		return nil
	}
	return &Conflict{What: "no schedule exists: no node of the topology has a slot", Minimal: true, Infeasible: true,
		Proof: "every task needs a slot",
		Members: []Demand{{Kind: string(TableJobs), ID: w.Jobs[0].ID, Text: fmt.Sprintf("job %s has tasks", w.Jobs[0].ID)},
			{Kind: string(TableTopology), Text: "all nodes together have 0 map_slots and 0 reduce_slots"}}}
}

// Contradictions lists the jobs whose intermediate_bytes differ from the output of their maps, where both are stated in
// full.
func (w *Workload) Contradictions() []Finding {
	sum, known := make([]float64, len(w.Jobs)), make([]int, len(w.Jobs)) // known: maps, or -1 if one states no output
	reduces := make([]int64, len(w.Jobs))
	for j := range w.Jobs {
		reduces[j] = w.Jobs[j].Reduces.Or(0)
	}
	exact := make([]Bytes, len(w.Jobs))
	for u := range w.Tasks {
		t := &w.Tasks[u]
		switch {
		case t.Kind == Reduce:
			reduces[t.Job]++
		case !t.OutputBytes.Known:
			known[t.Job] = -1
		case known[t.Job] >= 0:
			known[t.Job]++
			sum[t.Job] += float64(t.OutputBytes.Value)
			exact[t.Job] += t.OutputBytes.Value // may wrap around; sum detects that
		}
	}
	var found []Finding
	for j := range w.Jobs {
		job := &w.Jobs[j]
		stated := job.IntermediateBytes
		if !stated.Known || known[j] <= 0 || reduces[j] == 0 || exact[j] == stated.Value && sum[j] < 1<<62 {
			continue
		}
		found = append(found, Finding{Code: CodeContradiction, Pos: w.Where(TableJobs, j),
			What: fmt.Sprintf("job %q states intermediate_bytes %s, and its maps write %.0f", job.ID, stated.Value,
				sum[j]),
			Expected: "intermediate_bytes equal to the sum of the maps' output_bytes", Hint: "leave one of the two out"})
	}
	return found
}
