package model

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// MaxHorizon bounds the sum of all times of a workload (about 36 000 years): below it every schedule without needless
// waiting can be computed in Time without overflow.
const MaxHorizon = Time(1) << 60

// Horizon is a sum of non-negative times, and whether it is over MaxHorizon.
type Horizon struct {
	sum  Time
	Over bool
}

// Add adds a time.
func (h *Horizon) Add(t Time) {
	var ok bool
	h.sum, ok = AddTime(h.sum, t)
	h.Over = h.Over || !ok || h.sum > MaxHorizon
}

// BeyondHorizon is the finding for times whose sum is over MaxHorizon; what names them.
func BeyondHorizon(pos Position, what, hint string) Finding {
	return Finding{Code: CodeTotalTime, Pos: pos, Expected: "a sum that can be kept exactly", Hint: hint,
		What: what + " add up to more than " + MaxHorizon.String() + " s"}
}

// maxSuggestionPool bounds how many ids are searched for the nearest one.
const maxSuggestionPool = 20_000

// idsOf are the ids of the rows of one of the ReferredTables.
func (b *Builder) idsOf(table Table) rowsByID {
	return map[Table]rowsByID{TableJobs: b.jobs, TableTasks: b.tasks, TableTopology: b.nodes}[table]
}

// reportUnknown reports an id that no row of a table has, with the nearest one that exists.
func (b *Builder) reportUnknown(code Code, pos Position, what, id string, table Table) {
	if b.lost[table] {
		return // a missing row may have it
	}
	key := unknownID{code, pos.File, id}
	if at, ok := b.unknown[key]; ok { // one missing row may be named by thousands, so further rows are only counted
		at.more++
		return
	}
	if b.unknown == nil {
		b.unknown = map[unknownID]*unknownAt{}
	}
	if b.Findings.full() { // only counted: do not search
		b.unknown[key] = &unknownAt{at: None}
		b.Findings.Add(Finding{})
		return
	}
	b.unknown[key] = &unknownAt{at: len(b.Findings.list)}
	var names []string
	known := b.idsOf(table)
	if len(known) <= maxSuggestionPool && len(b.Findings.list) < maxFindings { // the search takes time
		names = slices.Collect(maps.Keys(known))
	}
	f := unknownAmong(code, pos, what, id, names)
	if near := Nearest(id, names); strings.TrimSpace(near) != near {
		f.Hint = fmt.Sprintf("%s says %q, with a blank: delete the blank there", b.at[table].at(int(known.find(near))), near)
	}
	task := b.tasks.find(id)
	switch {
	case code == CodeUnknownTask && b.job(id) != None:
		f.Hint = fmt.Sprintf("%q is a job: name one of its tasks; jobs wait for each other in the table dependencies", id)
	case code == CodeUnknownParent && f.Hint == "":
		f.Hint = "add a row for it to the topology, or correct the name"
	case listed(id, names):
		f.Hint = fmt.Sprintf("write one row for each %s", what)
	case code == CodeUnknownJob && task != None && b.w.Tasks[task].Job != None:
		f.Hint = fmt.Sprintf("%q is a task of job %q: name the job", id, b.w.Jobs[b.w.Tasks[task].Job].ID)
	}
	b.Findings.Add(f)
}

// listed says whether an id is a list of several names.
func listed(id string, names []string) bool {
	parts := strings.FieldsFunc(id, func(r rune) bool { return strings.ContainsRune(",;| ", r) })
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(part string) bool { return !slices.Contains(names, part) })
}

// firstUse says where a row is that another one repeats.
func (b *Builder) firstUse(table Table, row int) string {
	at := b.at[table].at(row)
	if at.Line == 0 {
		return ""
	}
	at.File, at.Column = filepath.Base(at.File), 0
	return "; it is first used at " + at.String()
}

// hostNode is the index of a node of the topology that is not a root, switch or rack, or None.
func (b *Builder) hostNode(id string) NodeIndex {
	if n := b.nodes.find(id); n != None && b.w.Topology[n].Kind == HostNode {
		return NodeIndex(n)
	}
	return None
}

// unknownID is an id that rows of a file name but that does not exist.
type unknownID struct {
	code     Code
	file, id string
}

// unknownAt is the finding of the first row that names such an id, and how many more rows do.
type unknownAt struct{ at, more int }

// countUnknown says in each finding of an unknown id how many further rows name it.
func (b *Builder) countUnknown() {
	for _, u := range b.unknown {
		if u.more > 0 && u.at != None {
			f := &b.Findings.list[u.at]
			f.What += fmt.Sprintf(" (and %s)", Counted(u.more, "further row"))
		}
	}
}

// unknownAmong is the finding for an unknown id, with the nearest of some names, in any order.
func unknownAmong(code Code, pos Position, what, id string, names []string) Finding {
	f := Finding{Code: code, Pos: pos, What: fmt.Sprintf("unknown %s %q", what, id),
		Expected: "an id that the workload defines"}
	slices.Sort(names)
	f.Hint = DidYouMean(id, names)
	return f
}

// reportSwapped reports a table of tasks in which all ids are jobs and no entry of the column job is one; it replaces
// all findings that follow from that.
func (b *Builder) reportSwapped() bool {
	w := &b.w
	if len(w.Jobs) == 0 || len(w.Tasks) == 0 || len(b.rowJobs[TableTasks]) < len(w.Tasks) || len(b.lost) > 0 {
		return false
	}
	for _, p := range b.rowJobs[TableTasks] {
		if b.job(p.id) != None || b.job(w.Tasks[p.row].ID) == None {
			return false
		}
	}
	file := b.taskAt.file
	b.Findings.list = slices.DeleteFunc(b.Findings.list, func(f Finding) bool {
		return f.Code == CodeDuplicate && f.Pos.File == file
	})
	b.Findings.dropped = 0 // they were probably repeated ids
	b.Findings.Add(Finding{Code: CodeUnknownJob, Pos: b.rowJobs[TableTasks][0].pos,
		What: fmt.Sprintf("in all %s of tasks the id is a job, such as %q, and the job is not, such as %q",
			Counted(len(w.Tasks), "row"), w.Tasks[0].ID, b.rowJobs[TableTasks][0].id),
		Expected: "an id of its own for each task, and its job", Hint: "are the two headers id and job swapped?"})
	return true
}

func (b *Builder) resolveTopology() {
	w := &b.w
	w.HasTopology = len(w.Topology) > 0
	resolved := true
	for _, p := range b.parents {
		n := b.nodes.find(p.id)
		if n == None {
			b.reportUnknown(CodeUnknownParent, p.pos, "parent", p.id, TableTopology)
			resolved = false
			continue
		}
		w.Topology[p.row].Parent = NodeIndex(n)
	}
	if len(w.Topology) == 0 || !resolved {
		return
	}
	b.checkRoots()
	b.checkTopologyCycles()
	for i := range w.Topology {
		n := &w.Topology[i]
		if n.Parent == None {
			continue
		}
		if p := w.Topology[n.Parent]; p.Kind >= n.Kind && (p.Kind != SwitchNode || n.Kind != SwitchNode) {
			b.Findings.Add(Finding{Code: CodeTopologyKind, Pos: b.at[TableTopology].at(i),
				What:     fmt.Sprintf("%s %q hangs under %s %q", n.Kind, n.ID, p.Kind, p.ID),
				Expected: "node under rack, rack under switch or root, switch under switch or root"})
		}
	}
}

func (b *Builder) checkRoots() {
	var roots []int
	for i := range b.w.Topology {
		if b.w.Topology[i].Parent == None {
			roots = append(roots, i)
		}
	}
	if len(roots) > 1 {
		for _, i := range roots[1:] {
			b.Findings.Add(Finding{Code: CodeTopologyRoot, Pos: b.at[TableTopology].at(i),
				What:     fmt.Sprintf("%q has no parent, and neither has %q", b.w.Topology[i].ID, b.w.Topology[roots[0]].ID),
				Expected: "one root", Hint: "set its parent", Conflict: b.rootless(roots[0], i)})
		}
	}
}

// checkTopologyCycles reports each cycle of parents once, at its first row.
func (b *Builder) checkTopologyCycles() {
	topo := b.w.Topology
	state := make([]int32, len(topo)) // 0 new, i+1 seen on the walk from row i
	for i := range topo {
		k := NodeIndex(i)
		for k != None && state[k] == 0 {
			state[k] = int32(i) + 1
			k = topo[k].Parent
		}
		if k != None && state[k] == int32(i)+1 {
			ring := []string{topo[k].ID}
			for x := topo[k].Parent; x != k; x = topo[x].Parent {
				ring = append(ring, topo[x].ID)
			}
			b.Findings.Add(Finding{Code: CodeTopologyCycle, Pos: b.at[TableTopology].at(int(k)),
				What: "the parents form a cycle: " + ringText(append(ring, topo[k].ID)), Expected: "a tree with one root",
				Hint: "leave the root's parent empty", Conflict: b.ring(int(k))})
		}
	}
}

// maxRingNames bounds how many ids of a cycle a message lists.
const maxRingNames = 12

func ringText(ids []string) string {
	if len(ids) > maxRingNames {
		ids = append(append([]string(nil), ids[:maxRingNames-1]...), "…")
	}
	return strings.Join(ids, " → ")
}

// reportEmpty reports a workload without jobs or without tasks, unless some other finding explains what is missing.
// Then rows that name tasks are not wrong besides.
func (b *Builder) reportEmpty() {
	w := &b.w
	implied := slices.ContainsFunc(w.Jobs, func(j Job) bool { return j.ImpliesReduces() })
	if len(w.Tasks) > 0 || implied || !b.Findings.Empty() || len(b.lost) > 0 {
		return
	}
	b.Findings.Add(Finding{Code: CodeEmpty, Pos: Position{File: b.at[TableJobs].file},
		What:     fmt.Sprintf("the workload has %s and 0 tasks", Counted(len(w.Jobs), "job")),
		Expected: "at least one job with one task",
		Hint:     "fill the table tasks (in a folder, tasks.csv); jobs that state reduces need no rows in it"})
	b.Lose(TableTasks)
}

func (b *Builder) checkJobs() {
	w := &b.w
	if (len(w.Jobs) == 0 || len(w.Tasks) == 0) && !b.Findings.Empty() {
		return // what was found explains what is missing
	}
	tasks := make([]int32, len(w.Jobs))
	for i := range w.Tasks {
		if j := w.Tasks[i].Job; j != None {
			tasks[j]++
		} else if len(w.Jobs) > 0 {
			return // a task of an unknown job may be the task that a job lacks
		}
	}
	for j, n := range tasks {
		if n > 0 || w.Jobs[j].ImpliesReduces() {
			continue
		}
		// the tasks of a repeated id belong to its first row
		if first := b.jobs.find(w.Jobs[j].ID); first == int32(j) {
			hint := "add tasks, state reduces, or drop the job"
			if LooksLikeTotal(w.Jobs[j].ID) {
				hint = TotalHint
			}
			b.Findings.Add(Finding{Code: CodeJobNoTasks, Pos: b.at[TableJobs].at(j),
				What: fmt.Sprintf("job %q has no tasks", w.Jobs[j].ID), Expected: "at least one task", Hint: hint})
		}
	}
}

func (b *Builder) checkTotals() {
	var latest Time
	var h Horizon
	for i := range b.w.Jobs {
		latest = max(latest, b.w.Jobs[i].Release)
	}
	for i := range b.w.Tasks {
		t := &b.w.Tasks[i]
		latest = max(latest, t.Release.Or(0))
		h.Add(t.Processing.Or(0))
		h.Add(t.ShuffleDelay)
	}
	for i := range b.w.Delays {
		h.Add(b.w.Delays[i].Delay)
	}
	for i := range b.w.Dependencies {
		h.Add(b.w.Dependencies[i].Delay)
	}
	for i := range b.w.Unavailable {
		u := &b.w.Unavailable[i]
		latest = max(latest, u.From, u.Until.Or(0))
	}
	for i := range b.w.Fixed {
		latest = max(latest, b.w.Fixed[i].Start)
	}
	latest = max(latest, b.w.Now.Or(0))
	for i := range b.w.State {
		h.Add(max(0, -b.w.State[i].Start))
		h.Add(max(b.w.State[i].Remaining.Or(0), b.w.Grace.Or(DefaultGrace)))
	}
	h.Add(latest)
	if j := b.latestRelease(); h.Over && j != None && b.w.Jobs[j].Release > MaxHorizon/2 {
		job := &b.w.Jobs[j]
		b.Findings.Add(Finding{Code: CodeTotalTime, Pos: b.at[TableJobs].at(int(j)),
			What:     fmt.Sprintf("job %q is released at %s s", job.ID, job.Release),
			Expected: "less than " + (MaxHorizon / 2).String() + " s, so that sums can be kept exactly",
			Hint:     "if it is in milliseconds since 1970, subtract the first release from all of them, and write the unit"})
	} else if h.Over {
		b.Findings.Add(BeyondHorizon(Position{File: b.at[TableTasks].file}, "releases, processing times and delays",
			"are times given in milliseconds?"))
	}
}

// latestRelease is the job that is released last; ties: the first; None without jobs.
func (b *Builder) latestRelease() int32 {
	last := int32(None)
	for i := range b.w.Jobs {
		if last == None || b.w.Jobs[i].Release > b.w.Jobs[last].Release {
			last = int32(i)
		}
	}
	return last
}

// checkCost requires that the load of one server fits into a Time even if every task is remote on it. Local tasks cost
// no more, unless the cost has a fault, which was already reported.
func (b *Builder) checkCost() {
	c := b.w.Cost
	if c == nil {
		return
	}
	if what, _ := c.fault(); what != "" {
		return
	}
	if !c.Remote.fits(len(b.w.Tasks)) {
		b.Findings.Add(BeyondHorizon(b.costAt, "the costs of all tasks, were they remote,",
			"are costs given in milliseconds?"))
	}
}

// checkPrecedence looks for cycles in the delays and in the dependencies.
func (b *Builder) checkPrecedence() {
	w := &b.w
	if cycle := (precedence{len(w.Tasks), len(w.Delays), func(r int32) (from, to int32) {
		return int32(w.Delays[r].From), int32(w.Delays[r].To)
	}}).cycle(); cycle != nil {
		job := ""
		if !slices.ContainsFunc(cycle, func(r int32) bool { return !w.WithinJob(w.Delays[r]) }) {
			job = w.Jobs[w.Tasks[w.Delays[cycle[0]].To].Job].ID
		}
		b.reportCycle(TableDelays, cycle, "task", job, func(r int32) (from, to string, delay Time) {
			d := w.Delays[r]
			return w.Tasks[d.From].ID, w.Tasks[d.To].ID, d.Delay
		})
	}
	if slices.ContainsFunc(w.Dependencies, func(d Dependency) bool { return d.Job == None || d.After == None }) {
		return // reported already
	}
	if cycle := (precedence{len(w.Jobs), len(w.Dependencies), func(r int32) (from, to int32) {
		return int32(w.Dependencies[r].After), int32(w.Dependencies[r].Job)
	}}).cycle(); cycle != nil {
		b.reportCycle(TableDependencies, cycle, "job", "", func(r int32) (from, to string, delay Time) {
			d := w.Dependencies[r]
			return w.Jobs[d.After].ID, w.Jobs[d.Job].ID, d.Delay
		})
	}
	if b.Findings.Empty() && slices.ContainsFunc(w.Delays, func(d Delay) bool { return !w.WithinJob(d) }) {
		b.checkJobCycles()
	}
}
