package explain

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/model"
)

// gap is when a machine could run a row if nothing else moved.
type gap struct {
	machine    int32
	start, end model.Time
	by         int32 // the row that it would come behind, or None
}

// gaps are the first gaps of all machines but a row's own, those in which it ends first before others.
func (d *Desk) gaps(row int32) (list []gap) {
	ready := d.Ready(row)
	for _, m := range d.p.Machines(row) {
		if m == d.Rows[row].Machine {
			continue
		}
		if start, by, ok := d.p.Room(row, m, ready); ok {
			list = append(list, gap{m, start, d.p.End(row, m, start), by})
		}
	}
	slices.SortStableFunc(list, func(a, b gap) int {
		return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.machine, b.machine))
	})
	return list
}

// where compares a row's machine with the others: what they take, and when they have room.
func (d *Desk) where(row int32) {
	machines, e := d.p.Machines(row), d.Rows[row]
	if len(machines) == 0 {
		return
	}
	if n := d.View.Size(); len(machines) < n {
		d.Where(Place, "%d of %s may run it", len(machines), model.Counted(n, "machine"))
	}
	d.speeds(row, machines)
	gaps := d.gaps(row)
	if len(gaps) == 0 {
		return
	}
	best := slices.IndexFunc(gaps, func(g gap) bool { return g.end > e.End })
	if best < 0 {
		best = len(gaps)
	}
	if best > 0 {
		end := func(g gap) string { return fmt.Sprintf("%s (%s)", d.View.MachineName(g.machine), d.At(g.end)) }
		d.Where(Place, "with nothing else moved, it would end as soon or sooner on %s%s", Names(gaps[:best], end), d.If)
		return
	}
	g := gaps[0]
	behind := ""
	if g.by != model.None {
		behind = fmt.Sprintf(", after %s, which ends at %s", d.Named(g.by), d.At(d.Rows[g.by].End))
	}
	d.Told.Where = append(d.Told.Where, Fact{Kind: Machine, Until: model.Number(g.start.String()), Text: fmt.Sprintf(
		"no other machine would end it as soon: with nothing else moved on %s, it would end there at %s, not %s%s%s",
		d.View.MachineName(g.machine), d.At(g.end), d.At(e.End), behind, d.If)})
}

// speeds says what a row takes on its machine and on the fastest.
func (d *Desk) speeds(row int32, machines []int32) {
	e := d.Rows[row]
	takes := func(m int32) model.Time { return d.p.End(row, m, e.Start) - e.Start }
	own, least, most := takes(e.Machine), takes(e.Machine), takes(e.Machine)
	var fastest []int32
	for _, m := range machines {
		t := takes(m)
		if t < least {
			least, fastest = t, nil
		}
		if t == least && t < own {
			fastest = append(fastest, m)
		}
		most = max(most, t)
	}
	switch {
	case least < own:
		d.Where(Place, "it takes %s there, and %s on %s", d.Time(own), d.Time(least), Names(fastest, d.View.MachineName))
	case most > own:
		d.Where(Place, "no machine is faster: it takes %s there, and up to %s elsewhere", d.Time(own), d.Time(most))
	case len(machines) > 1:
		d.Where(Place, "it takes %s, as on all machines that may run it", d.Time(own))
	default:
		d.Where(Place, "it takes %s; no other machine may run it", d.Time(own))
	}
}
