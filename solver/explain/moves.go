package explain

import (
	"math/big"
	"slices"
	"sort"

	"mrsched/model"
	"mrsched/model/heap"
)

const (
	maxMovers = 8         // rows of a job that are moved, those that end last
	maxPlaces = 12        // of one row on one machine
	maxPushed = 500_000   // rows over all moves, divided among machines; beyond it, only gaps are tried
	maxPriced = 1_000_000 // rows of all schedules that are evaluated
	minPriced = 24        // schedules that are evaluated in any case
	maxBroken = 12        // moves that the checker may refuse
	maxAlike  = 32        // moves that are compared with one that is told
)

// Move is another place for a row, with all rows that change because of it.
type Move struct {
	Row     int32
	Entries map[int32]model.Entry // by row; that of Row is among them
	Note    string                // what is special about it; it may be empty
	About   float64               // change of the cost to choose moves by; if not Desk.Placed, of Σ weight·end of jobs
	Told    *model.Entry          // what is told of the row's place, if not its entry
	also    []int32               // further machines with the same effect
	total   *big.Rat              // change of the objective and of penalties
	change  *big.Rat              // change of the objective
}

// at is where the move brings its row, as it is told.
func (m *Move) at() model.Entry {
	if m.Told != nil {
		return *m.Told
	}
	return m.Entries[m.Row]
}

// Moves bring a row into the first gap of each machine and, on machines that run one row at a time, before rows that
// run there: these start as much later as they have to.
func (d *Desk) Moves(row int32) (list []Move) {
	e, ready, machines := d.Rows[row], d.Ready(row), d.p.Machines(row)
	for _, m := range machines {
		gap, _, ok := d.p.Room(row, m, ready)
		if !ok {
			continue
		}
		if m != e.Machine || gap != e.Start {
			list = d.shift(list, row, m, gap)
		}
		if d.Packed {
			continue
		}
		starts, most := d.starts(row, m, ready, gap), min(maxPushed, d.work+maxPushed/len(machines))
		for k, t := range starts {
			if d.work <= most && (m != e.Machine || t != e.Start) && !slices.Contains(starts[:k], t) {
				list = d.shift(list, row, m, t)
			}
		}
	}
	return list
}

// starts are some times before a gap at which a machine could start a row, when a row before it ends or when the row is
// ready, even if another row is under way then; first the one before the row that now starts next.
func (d *Desk) starts(row, machine int32, ready, gap model.Time) (list []model.Time) {
	on := slices.DeleteFunc(slices.Clone(d.On[machine]), func(i int32) bool { return i == row })
	first, until := d.ended(on, ready), d.ended(on, gap)
	places := []int{d.ended(on, max(ready, d.Rows[row].Start))}
	for k := first; k < until; k += max(1, (until-first)/maxPlaces) {
		places = append(places, k)
	}
	for _, k := range places {
		t := ready
		if k > 0 {
			t = max(t, d.Rows[on[k-1]].End)
		}
		if t < gap {
			list = append(list, t)
		}
	}
	return list
}

// ended counts the rows of a queue that end by a time.
func (d *Desk) ended(on []int32, t model.Time) int {
	return sort.Search(len(on), func(k int) bool { return d.Rows[on[k]].End > t })
}

// shift adds the move of a row to a machine and start, if the rows behind it can make room.
func (d *Desk) shift(list []Move, row, machine int32, start model.Time) []Move {
	to := model.Entry{Task: d.Rows[row].Task, Machine: machine, Start: start, End: d.p.End(row, machine, start)}
	if moved, ok := d.pushed(row, to); ok {
		list = append(list, Move{Row: row, Entries: moved})
	}
	return list
}

// pushed puts a row elsewhere and lets all others start as little later as they must, in their present order. ok is
// false if a row that would have to move stands, or if the row would have to wait for itself.
//
// Complexity: O(k log k) for k rows pushed, and those that wait for them.
func (d *Desk) pushed(row int32, to model.Entry) (moved map[int32]model.Entry, ok bool) {
	d.push++
	moved, ok = map[int32]model.Entry{}, true
	var open heap.Heap[model.Time]
	set := func(v int32, e model.Entry) {
		d.stamp[v], d.now[v], moved[v] = d.push, e, e
		open.Push(heap.Item[model.Time]{Key: e.Start, Index: v})
		d.work++
	}
	raise := func(v int32, start, end model.Time) {
		e := d.Rows[v]
		if d.stamp[v] == d.push {
			e = d.now[v]
		}
		late := max(start, e.Start) - e.Start
		next := model.Entry{Task: e.Task, Machine: e.Machine, Start: e.Start + late, End: max(e.End+late, end)}
		if next == e || !ok {
			return
		}
		if ok = v != row && !d.Packed && d.p.Stands(v) == ""; ok {
			set(v, next)
		}
	}
	set(row, to)
	for len(open) > 0 && ok {
		top := open.Pop()
		v := top.Index
		e := d.now[v]
		if top.Key < e.Start {
			continue // pushed further since
		}
		if next := d.behind(v, row, to); next == row {
			ok = ok && e.End <= to.Start
		} else if next != model.None {
			raise(next, e.End, Never)
		}
		d.p.Next(v, e.End, raise)
	}
	return moved, ok
}

// behind is the first row after a row on its machine, when a row has moved to another place, before all rows that end
// later than it starts there; None: none.
func (d *Desk) behind(v, row int32, to model.Entry) int32 {
	on := d.On[d.Rows[v].Machine]
	k := int(d.place[v]) + 1
	if v == row {
		on = d.On[to.Machine]
		k = d.ended(on, to.Start)
	}
	if k < len(on) && on[k] == row {
		k++
	}
	next := int32(model.None)
	if k < len(on) {
		next = on[k]
	}
	if v != row && d.Rows[v].Machine == to.Machine && d.Rows[v].End <= to.Start &&
		(next == model.None || d.Rows[next].End > to.Start) {
		return row
	}
	return next
}

// ends are the ends of the jobs whose rows move; only that of the moved row's may go back.
func (d *Desk) ends(m *Move) map[int32]model.Time {
	ends := map[int32]model.Time{d.Job: 0}
	for _, i := range d.late {
		if _, moves := m.Entries[i]; !moves {
			ends[d.Job] = d.Rows[i].End
			break
		}
	}
	for i, e := range m.Entries {
		j := d.JobOf(i)
		if _, known := ends[j]; !known {
			ends[j] = d.Done[j]
		}
		ends[j] = max(ends[j], e.End)
	}
	return ends
}

// changed is the schedule after a move.
func (d *Desk) changed(m *Move) *model.Schedule {
	s := &model.Schedule{Entries: slices.Clone(d.Rows)}
	for i, e := range m.Entries {
		s.Entries[i] = e
	}
	return s
}
