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
	// moveRows bounds the entries of a job whose moves are tried, those that end last.
	moveRows = 8
	// moveWork bounds the entries that all timetables together pass through.
	moveWork = 50_000_000
	// moveTries bounds the moves that the checker may refuse for each alternative wanted: with pieces, some fail.
	moveTries = 4
	// moveDense is the largest number of entries on a slot for which every position among them is tried.
	moveDense = 16
)

// move moves a block of entries to a slot, ahead of the entries there that start at a time or later. Otherwise every
// slot keeps its order.
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

// mover makes timetables of moves. An entry that starts just when what it waits for ends keeps doing so, earlier or
// later. Any other entry stays where it is unless it is pushed. So without a move nothing changes.
type mover struct {
	*explainer
	order []int32 // entries: maps, then partitions, of goal partitions job by job; in the order of time
	tight []bool  // by entry

	// of the current timetable
	slotEnd []model.Time
	ready   []model.Time   // by job
	phaseOf int32          // of goal partitions: the job whose phase it is
	latest  model.Time     // end
	after   model.Schedule // the timetable
}

func newMover(x *explainer) *mover {
	n := len(x.s.Entries)
	m := &mover{explainer: x, order: numbers(0, int32(n)), tight: make([]bool, n), slotEnd: make([]model.Time, x.in.Slots),
		ready: make([]model.Time, x.in.Jobs), after: model.Schedule{Entries: make([]model.Entry, n)}}
	slices.SortFunc(m.order, func(a, b int32) int { return cmp.Or(cmp.Compare(m.phase(a), m.phase(b)), x.compare(a, b)) })
	for _, i := range m.order {
		e := x.entry(i)
		m.tight[i] = e.Start == max(x.fixed(i), m.slotEnd[e.Machine])
		m.slotEnd[e.Machine] = e.End
	}
	return m
}

// timetable makes the schedule after a move, and what it costs. The block starts as early as possible.
func (m *mover) timetable(v *move) {
	clear(m.slotEnd)
	m.phaseOf, m.latest = -1, 0
	copy(m.ready, m.in.Release)
	first := v.block[0]
	insert := sort.Search(len(m.order), func(k int) bool {
		p, q := m.phase(m.order[k]), m.phase(first)
		return p > q || p == q && m.entry(m.order[k]).Start >= v.at
	})
	v.pushed, v.sooner = 0, 0
	for k := 0; ; k++ {
		if k == insert {
			for _, i := range v.block {
				m.put(i, v.slot, 0)
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
		switch start := m.put(i, e.Machine, earliest); {
		case start > e.Start:
			v.pushed++
		case start < e.Start:
			v.sooner++
		}
	}
	v.start, v.end = m.after.Entries[first].Start, m.after.Entries[v.block[len(v.block)-1]].End
	v.cost = m.in.Ends(&m.after)
}

// put places the next entry on a slot, not before a time. It returns the start.
func (m *mover) put(i, slot int32, earliest model.Time) model.Time {
	in, t, j := m.in, m.taskOf(i), m.jobOf(i)
	length := m.entry(i).End - m.entry(i).Start // pieces stay on their worker
	if in.WorkerOf[slot] != m.worker(i) {
		length = in.Time(t, in.WorkerOf[slot])
	}
	at := max(earliest, m.slotEnd[slot], in.ReleaseOf(t))
	if in.IsMap(t) {
		m.ready[j] = max(m.ready[j], at+length+in.Shuffle[t])
	} else {
		if m.r.goal.serial && j != m.phaseOf {
			m.phaseOf, m.ready[j] = j, m.latest
		}
		at = max(at, m.ready[j])
	}
	m.slotEnd[slot], m.latest = at+length, max(m.latest, at+length)
	m.after.Entries[i] = model.Entry{Task: m.entry(i).Task, Machine: slot, Start: at, End: at + length}
	return at
}

// blocks are the candidates for moves: each entry asked about and, for partitions, also all entries of the job on the
// same slot. Pieces do not move; split says that some were left out.
func (x *explainer) blocks() (list [][]int32, split bool) {
	rows := slices.Clone(x.rows)
	slices.SortFunc(rows, func(a, b int32) int {
		return cmp.Or(cmp.Compare(x.entry(b).End, x.entry(a).End), x.compare(b, a))
	})
	units := map[int32]bool{} // slots of which all partitions have been considered
	for _, i := range rows[:min(len(rows), moveRows)] {
		slot := x.entry(i).Machine
		if x.pieces(x.taskOf(i)) > 1 {
			split = true
			continue
		}
		list = append(list, []int32{i})
		if x.isMap(i) || units[slot] {
			continue
		}
		units[slot] = true
		var unit []int32
		whole := true
		for _, k := range x.bySlot[slot] {
			if x.jobOf(k) == x.job {
				unit = append(unit, k)
				whole = whole && x.pieces(x.taskOf(k)) == 1
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
	in, first, fixed := x.in, x.entry(block[0]), x.fixed(block[0])
	for _, slot := range in.SlotsFor(in.KindOf(int32(first.Task))) {
		own := slot == first.Machine
		if own && len(block) > 1 || !own && x.tooMany(block, slot) {
			continue
		}
		length := model.Time(0)
		for _, i := range block {
			length += in.Time(x.taskOf(i), in.WorkerOf[slot])
		}
		gap, _ := x.gap(slot, fixed, length, block[0])
		times := []model.Time{gap, fixed, first.Start}
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

// alternatives are the best moves, one for each block and slot; why says why some are missing.
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
	sortBy(moves, func(v move) model.Time { return v.free })
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
		if broken := a.Try(alternative, &m.after); broken != nil {
			refused++
			why = fmt.Sprintf("%d better places are left out, as what follows them breaks a constraint: %s", refused, broken[0])
		}
	}
	return a.List(), why, nil
}

// distinct sorts moves by cost and keeps the best of each block and slot that changes something.
func (x *explainer) distinct(moves []move) (list []move) {
	slices.SortStableFunc(moves, func(a, b move) int {
		return cmp.Or(x.r.goal.cost(a.cost).compare(x.r.goal.cost(b.cost)), cmp.Compare(a.end, b.end),
			cmp.Compare(a.slot, b.slot))
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
			x.slotName(v.block[0])))
	}
	if before, after := x.ends.Job[x.job], v.cost.Job[x.job]; before != after {
		parts = append(parts, fmt.Sprintf("job %s ends at %s, not %s", x.jobID(x.job), after, before))
	}
	for _, how := range []string{"late", "on time"} {
		var jobs []int32
		for j, due := range x.in.Due {
			if late := v.cost.Job[j] > due; late != (x.ends.Job[j] > due) && late == (how == "late") {
				jobs = append(jobs, int32(j))
			}
		}
		if n := len(jobs); n > 0 {
			parts = append(parts, fmt.Sprintf("then %s %s %s %s", model.Plural(n, "job"), solver.Names(jobs, x.jobID),
				model.Are(n), how))
		}
	}
	return strings.Join(append(parts, v.others()), "; ")
}

// others says how many other entries start later or earlier.
func (v *move) others() string {
	var parts []string
	if n := v.pushed; n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s %s pushed back", n, model.Plural(n, "other"), model.Are(n)))
	}
	if n := v.sooner; n > 1 {
		parts = append(parts, fmt.Sprintf("%d others start earlier", n))
	} else if n == 1 {
		parts = append(parts, "1 other starts earlier")
	}
	if len(parts) == 0 {
		return "nothing else moves"
	}
	return strings.Join(parts, ", ")
}
