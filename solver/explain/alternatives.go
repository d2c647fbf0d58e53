package explain

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"mrsched/model"
)

// alternatives are the cheapest moves of some rows, at most one for each row and machine. All are ranked by the jobs'
// ends, the best of them by the objective, and those that are told are checked.
func (d *Desk) alternatives(rows []int32) {
	now := d.View.Evaluate(d.Q.Schedule)
	seen := map[[2]int32]bool{}
	var told []Move
	var broken []model.Violation
	for _, m := range d.priced(rows, now) {
		key := [2]int32{m.Row, m.at().Machine}
		full := len(told) == d.Q.Alternatives
		if len(broken) > maxBroken || full && told[len(told)-1].total.Cmp(m.total) < 0 {
			break
		}
		if seen[key] || d.joined(told, &m) || full {
			seen[key] = true
			continue
		}
		if v := d.View.Check(d.changed(&m)); len(v) > 0 {
			broken = append(broken, v[0])
			continue
		}
		m.Note = d.noted(&m)
		seen[key] = true
		told = append(told, m)
	}
	for k := range told {
		d.tellMove(&told[k], now)
	}
	if len(told) == 0 {
		d.Change("no other place is known for it, as long as %s", map[bool]string{true: "everything else stays",
			false: "what stands where it is stays"}[d.Packed])
	}
	if n := len(broken); n > 0 {
		d.Change("%s %s left out, as what follows breaks a constraint: %s", model.Counted(n, "better place"), model.Are(n),
			broken[0].What)
	}
}

// joined adds a move to one that is told, if they differ in the machine only and it breaks no constraint.
func (d *Desk) joined(told []Move, m *Move) bool {
	k := slices.IndexFunc(told, func(t Move) bool { return d.like(&t, m) })
	if k < 0 || d.alike == maxAlike {
		return k >= 0
	}
	d.alike++
	sure := d.If == "" && len(m.Entries) == 1
	if d.noted(m) != told[k].Note || !sure && len(d.View.Check(d.changed(m))) > 0 {
		return false
	}
	told[k].also = append(told[k].also, m.at().Machine)
	return true
}

// moving counts the other rows that move: of problems without machines, to another place.
func (d *Desk) moving(m *Move) (n int) {
	places := len(d.p.Machines(m.Row)) == 0
	for i, e := range m.Entries {
		if i != m.Row && (!places || e.Machine != d.Rows[i].Machine) {
			n++
		}
	}
	return n
}

// like reports whether two moves of one row differ in the machine only and move as many others.
func (d *Desk) like(m, o *Move) bool {
	a, b := m.at(), o.at()
	return m.Row == o.Row && a.Start == b.Start && a.End == b.End && m.total.Cmp(o.total) == 0 &&
		d.moving(m) == d.moving(o)
}

// priced are moves by what they cost; ties: the earlier end, then the order of moves.
func (d *Desk) priced(rows []int32, now model.Evaluation) (list []Move) {
	for _, row := range rows {
		if d.p.Stands(row) == "" {
			list = append(list, d.p.Moves(row)...)
		}
	}
	for k := range list {
		m := &list[k]
		if d.Placed {
			break
		}
		ends := d.ends(m)
		for _, j := range slices.Sorted(maps.Keys(ends)) {
			m.About += float64(d.W.Jobs[j].Weight.Float() * (ends[j] - d.Done[j]).Seconds())
		}
	}
	slices.SortStableFunc(list, about)
	list = list[:min(len(list), max(minPriced, maxPriced/(len(d.Rows)+1)))]
	for k := range list {
		m, e := &list[k], d.View.Evaluate(d.changed(&list[k]))
		m.total, m.change = new(big.Rat).Sub(e.Total(), now.Total()), new(big.Rat).Sub(e.Value, now.Value)
	}
	slices.SortStableFunc(list, func(a, b Move) int { return cmp.Or(a.total.Cmp(b.total), about(a, b)) })
	return list
}

// about orders moves by what they cost about, then by their end, then by how many rows move.
func about(a, b Move) int {
	return cmp.Or(cmp.Compare(a.About, b.About), cmp.Compare(a.at().End, b.at().End),
		cmp.Compare(len(a.Entries), len(b.Entries)))
}

// noted is the note of a move with what the problem adds.
func (d *Desk) noted(m *Move) string {
	return strings.TrimPrefix(strings.TrimSuffix(m.Note+"; "+d.p.Note(m, d.changed(m)), "; "), "; ")
}

// tellMove adds a move to the alternatives.
func (d *Desk) tellMove(m *Move, now model.Evaluation) {
	at := m.at()
	a := Alternative{Machine: d.View.MachineName(at.Machine), Start: model.Number(at.Start.String()),
		End: model.Number(at.End.String()), Objective: model.ExactNumber(new(big.Rat).Add(now.Value, m.change)),
		Change: model.ExactNumber(m.change), Note: d.effect(m)}
	if d.Q.Task == model.None {
		a.Task = d.ID(m.Row)
	}
	if p := new(big.Rat).Sub(m.total, m.change); p.Sign() != 0 {
		more := map[int]string{1: "more", -1: "less"}[p.Sign()]
		a.Note += fmt.Sprintf("; changes of the earlier plan cost %s %s", model.ExactNumber(p.Abs(p)), more)
	}
	d.Told.Alternatives = append(d.Told.Alternatives, a)
}

// effect says what else a move changes.
func (d *Desk) effect(m *Move) string {
	moving := "nothing else moves"
	if n := d.moving(m); n == 1 {
		moving = "1 other task moves"
	} else if n > 1 {
		moving = model.Counted(n, "other task") + " move"
	}
	if len(m.also) > 0 {
		moving += ", as on " + Names(m.also, d.View.MachineName)
	}
	var jobs []string
	ends := d.ends(m)
	for _, j := range slices.Sorted(maps.Keys(ends)) {
		if end := ends[j]; end != d.Done[j] && !d.Placed {
			text := fmt.Sprintf("job %s ends %s earlier", d.JobID(j), d.Time(d.Done[j]-end))
			if end > d.Done[j] {
				text = fmt.Sprintf("job %s ends %s later", d.JobID(j), d.Time(end-d.Done[j]))
			}
			if due, ok := d.p.Due(j); ok && (end > due) != (d.Done[j] > due) {
				text += map[bool]string{true: " and is late", false: " and is on time"}[end > due]
			}
			jobs = append(jobs, text)
		}
	}
	if len(jobs) > 0 {
		moving += "; " + Names(jobs, func(text string) string { return text })
	}
	return strings.TrimPrefix(m.Note+"; "+moving, "; ")
}
