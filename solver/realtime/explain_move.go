package realtime

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

const (
	// moveRows is of how many entries of a job moves are tried: those that end last.
	moveRows = 8
	// moveWork bounds the entries that all timetables together pass through.
	moveWork = 50_000_000
	// moveTries is how many of the best moves are shown to the checker for each alternative wanted: with pieces, some
	// fail.
	moveTries = 4
	// moveDense is up to how many entries of a slot every position among them is tried.
	moveDense = 16
)

// move is that a block of entries, one after another, goes to a slot, ahead of the entries there that start at a time
// or later. Every slot keeps its order else.
type move struct {
	block []int32
	slot  int32
	at    model.Time
	free  model.Time // about when the block ends, to choose moves by

	cost       realtime.Ends // of the timetable
	start, end model.Time    // of the block
	pushed     int           // other entries that start later
	sooner     int           // other entries that start earlier
}

// mover makes timetables of moves. An entry that starts just when it may, because what it waits for ends then, keeps
// doing so, earlier or later; any other one stays where it is unless it is pushed. So without a move nothing changes.
type mover struct {
	*explainer
	order []int32 // entries: maps, then partitions, of goal partitions job by job; in the order of time
	tight []bool  // by entry

	// of the timetable at hand
	start, end []model.Time // by entry
	slotEnd    []model.Time
	ready      []model.Time   // by job
	phaseOf    int32          // of goal partitions: the job whose phase it is
	phaseReady model.Time     // when that began
	latest     model.Time     // end
	after      model.Schedule // as a schedule
}

func newMover(x *explainer) *mover {
	n := len(x.s.Entries)
	m := &mover{explainer: x, order: make([]int32, n), tight: make([]bool, n), start: make([]model.Time, n),
		end:     make([]model.Time, n),
		slotEnd: make([]model.Time, x.in.Slots), ready: make([]model.Time, x.in.Jobs),
		after: model.Schedule{Entries: make([]model.Entry, n)}}
	for i := range m.order {
		m.order[i] = int32(i)
	}
	slices.SortFunc(m.order, func(a, b int32) int { return cmp.Or(cmp.Compare(m.phase(a), m.phase(b)), x.compare(a, b)) })
	for _, i := range m.order {
		e := x.entry(i)
		m.tight[i] = e.Start == max(x.fixed(i), m.slotEnd[e.Machine])
		m.slotEnd[e.Machine] = e.End
	}
	return m
}

// phase numbers what runs before what, whatever the order of slots.
func (m *mover) phase(i int32) int32 {
	t := int32(m.entry(i).Task)
	switch {
	case m.in.IsMap(t):
		return -1
	case m.in.Goal == realtime.Partitions:
		return m.in.JobOf(t)
	}
	return 0
}

// timetable fills start and end for a move, and what it costs. The block starts as soon as it may.
func (m *mover) timetable(v *move) {
	m.reset()
	insert := sort.Search(len(m.order), func(k int) bool {
		p, q := m.phase(m.order[k]), m.phase(v.block[0])
		return p > q || p == q && m.entry(m.order[k]).Start >= v.at
	})
	v.pushed, v.sooner = 0, 0
	for k := 0; ; k++ {
		if k == insert {
			for _, i := range v.block {
				m.put(i, v.slot, 0, m.length(i, v.slot))
			}
		}
		if k == len(m.order) {
			break
		}
		i := m.order[k]
		if slices.Contains(v.block, i) {
			continue
		}
		e := m.entry(i)
		earliest := e.Start
		if m.tight[i] {
			earliest = 0
		}
		switch m.put(i, e.Machine, earliest, e.End-e.Start); {
		case m.start[i] > e.Start:
			v.pushed++
		case m.start[i] < e.Start:
			v.sooner++
		}
	}
	v.start, v.end = m.start[v.block[0]], m.end[v.block[len(v.block)-1]]
	v.cost = m.in.Ends(m.schedule(v))
}

// reset begins a timetable.
func (m *mover) reset() {
	clear(m.slotEnd)
	m.phaseOf, m.latest, m.phaseReady = -1, 0, 0
	copy(m.ready, m.in.Release)
}

// length is what an entry takes on a slot; pieces stay on their worker.
func (m *mover) length(i, slot int32) model.Time {
	e := m.entry(i)
	if m.in.WorkerOf[slot] == m.worker(i) {
		return e.End - e.Start
	}
	return m.in.Time(int32(e.Task), m.in.WorkerOf[slot])
}

// put places the next entry on a slot, not before a time.
func (m *mover) put(i, slot int32, earliest, length model.Time) {
	in, t := m.in, int32(m.entry(i).Task)
	j := in.JobOf(t)
	at := max(earliest, m.slotEnd[slot])
	switch {
	case in.IsMap(t):
		at = max(at, in.ReleaseOf(t))
		m.ready[j] = max(m.ready[j], at+length+in.Shuffle[t])
	case in.Goal == realtime.Partitions:
		if j != m.phaseOf {
			m.phaseOf, m.phaseReady = j, m.latest
		}
		at = max(at, m.phaseReady)
	default:
		at = max(at, m.ready[j], in.ReleaseOf(t))
	}
	m.start[i], m.end[i], m.slotEnd[slot], m.latest = at, at+length, at+length, max(m.latest, at+length)
}

// schedule is that of the timetable at hand.
func (m *mover) schedule(v *move) *model.Schedule {
	copy(m.after.Entries, m.s.Entries)
	for i := range m.after.Entries {
		m.after.Entries[i].Start, m.after.Entries[i].End = m.start[i], m.end[i]
	}
	for _, i := range v.block {
		m.after.Entries[i].Machine = v.slot
	}
	return &m.after
}

// blocks are what moves: each of some entries, and of partitions also all that its job has on the same slot. Pieces
// stay; split says that some were left out for that.
func (x *explainer) blocks() (list [][]int32, split bool) {
	rows := slices.Clone(x.rows)
	slices.SortFunc(rows, func(a, b int32) int {
		return cmp.Or(cmp.Compare(x.entry(b).End, x.entry(a).End), x.compare(b, a))
	})
	units := map[int32]bool{} // slots of which all partitions have been considered
	for _, i := range rows[:min(len(rows), moveRows)] {
		t, slot := int32(x.entry(i).Task), x.entry(i).Machine
		if x.pieces(t) > 1 {
			split = true
			continue
		}
		list = append(list, []int32{i})
		if x.in.IsMap(t) || units[slot] {
			continue
		}
		units[slot] = true
		var unit []int32
		whole := true
		for _, k := range x.byJob[x.job] {
			if u := int32(x.entry(k).Task); !x.in.IsMap(u) && x.entry(k).Machine == slot {
				unit = append(unit, k)
				whole = whole && x.pieces(u) == 1
			}
		}
		if len(unit) > 1 && whole {
			list = append(list, unit)
		}
	}
	return list, split
}

// moves lists where a block may go: on every slot into the first gap, to when it runs now, to the earliest time, and in
// between on slots with few entries; not where its job would use more slots than it has reducers.
func (x *explainer) moves(block []int32) (list []move) {
	in := x.in
	first := int32(x.entry(block[0]).Task)
	fixed, kind := x.fixed(block[0]), in.KindOf(first)
	for _, slot := range in.SlotsFor(kind) {
		own := slot == x.entry(block[0]).Machine
		if own && len(block) > 1 || kind == model.Reduce && !own && x.usedAfter(x.job, block,
			slot) > int(in.Reducers[x.job]) {
			continue
		}
		length := model.Time(0)
		for _, i := range block {
			length += in.Time(int32(x.entry(i).Task), in.WorkerOf[slot])
		}
		gap, _ := x.gap(slot, fixed, length, block[0])
		times := []model.Time{gap, fixed, x.entry(block[0]).Start}
		if rows := x.bySlot[slot]; len(rows) <= moveDense {
			for _, k := range rows {
				if at := x.entry(k).Start; at > fixed {
					times = append(times, at)
				}
			}
			times = append(times, x.ends.Last)
		}
		slices.Sort(times)
		for _, at := range slices.Compact(times) {
			list = append(list, move{block: block, slot: slot, at: at, free: max(at, gap) + length})
		}
	}
	return list
}

// alternatives are the best moves, one for each block and slot, and why there are none, or fewer than there could be.
func (x *explainer) alternatives(ctx context.Context, most int) (list []solver.Alternative, why string, err error) {
	if most <= 0 {
		return nil, "", nil
	}
	blocks, split := x.blocks()
	if split {
		why = "what is worked off in pieces would have to be divided anew elsewhere, so that such moves are not tried"
	}
	var moves []move
	for _, b := range blocks {
		moves = append(moves, x.moves(b)...)
	}
	slices.SortStableFunc(moves, func(a, b move) int { return cmp.Compare(a.free, b.free) })
	moves = moves[:min(len(moves), max(moveDense, moveWork/(len(x.s.Entries)+1)))]
	m := newMover(x)
	for k := range moves {
		if ctx.Err() != nil {
			return nil, why, ctx.Err()
		}
		m.timetable(&moves[k])
	}
	a := solver.NewAlternatives(x.in, x.s, most)
	refused := 0
	for _, v := range x.distinct(moves) {
		if a.Missing() == 0 || refused >= most*moveTries {
			break
		}
		m.timetable(&v)
		alternative := solver.AlternativeAt(x.in.MachineName(v.slot), v.start, v.end)
		alternative.Note = x.note(&v)
		if x.task == model.None {
			alternative.Task = x.id(v.block[0])
		}
		if broken := a.Try(alternative, m.schedule(&v)); broken != nil {
			refused++
			why = fmt.Sprintf("%d better places are left out, as what follows them breaks a constraint: %s", refused, broken[0])
		}
	}
	return a.List(), why, nil
}

// distinct sorts moves by what they cost and keeps the best of each block and slot; those that change nothing are left
// out.
func (x *explainer) distinct(moves []move) (list []move) {
	slices.SortStableFunc(moves, func(a, b move) int {
		if x.in.Goal == realtime.Partitions {
			return cmp.Or(cmp.Compare(a.cost.Last, b.cost.Last), cmp.Compare(a.end, b.end), cmp.Compare(a.slot, b.slot))
		}
		return cmp.Or(cmp.Compare(a.cost.Missed, b.cost.Missed), cmp.Compare(a.cost.Late, b.cost.Late),
			cmp.Compare(a.end, b.end), cmp.Compare(a.slot, b.slot))
	})
	type key struct {
		first int32
		count int
		slot  int32
	}
	seen := map[key]bool{}
	for _, v := range moves {
		e, k := x.entry(v.block[0]), key{v.block[0], len(v.block), v.slot}
		if seen[k] || v.slot == e.Machine && v.start == e.Start {
			continue
		}
		seen[k] = true
		list = append(list, v)
	}
	return list
}

// note says what else a move changes.
func (x *explainer) note(v *move) string {
	var parts []string
	if len(v.block) > 1 {
		parts = append(parts, fmt.Sprintf("with all %d partitions that the job has on %s", len(v.block),
			x.in.MachineName(x.entry(v.block[0]).Machine)))
	}
	if before, after := x.ends.Job[x.job], v.cost.Job[x.job]; before != after {
		parts = append(parts, fmt.Sprintf("job %s ends at %s, not %s", x.jobID(x.job), after, before))
	}
	if x.in.Goal == realtime.Deadlines {
		var late, punctual []int32
		for j, due := range x.in.Due {
			switch before, after := x.ends.Job[j] > due, v.cost.Job[j] > due; {
			case after && !before:
				late = append(late, int32(j))
			case before && !after:
				punctual = append(punctual, int32(j))
			}
		}
		for _, l := range []struct {
			jobs []int32
			how  string
		}{{late, "late"}, {punctual, "on time"}} {
			if len(l.jobs) > 0 {
				parts = append(parts, fmt.Sprintf("then %s %s %s", model.Plural(len(l.jobs), "job"), solver.Names(l.jobs, x.jobID),
					map[bool]string{true: "are ", false: "is "}[len(l.jobs) > 1]+l.how))
			}
		}
	}
	return strings.Join(append(parts, v.others()), "; ")
}

// others says how many other entries start later or earlier.
func (v *move) others() string {
	var parts []string
	if v.pushed > 0 {
		parts = append(parts, fmt.Sprintf("%d %s pushed back", v.pushed, map[bool]string{true: "others are",
			false: "other is"}[v.pushed > 1]))
	}
	if v.sooner > 0 {
		parts = append(parts, fmt.Sprintf("%d %s earlier", v.sooner, map[bool]string{true: "others start",
			false: "other starts"}[v.sooner > 1]))
	}
	if len(parts) == 0 {
		return "nothing else moves"
	}
	return strings.Join(parts, ", ")
}
