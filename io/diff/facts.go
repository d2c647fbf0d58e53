package diff

import (
	"strings"

	"mrsched/io/show"
	"mrsched/model"
)

// fact is what both sides state under a name.
type fact struct{ name, old, new, change, note string }

// differs says that the sides state different things.
func (x fact) differs() bool {
	return x.old != x.new || x.change != "" || strings.Contains(x.note, " → ")
}

// String is a fact without its name.
func (x fact) String() string {
	text := none(x.old)
	if x.old != x.new || x.change != "" { // which may be too small to be seen
		text += " → " + none(x.new)
	}
	if x.change != "" {
		text += " (" + x.change + ")"
	}
	if x.note != "" {
		text += ", " + x.note
	}
	return text
}

// remark is the change with the note.
func (x fact) remark() string {
	return strings.Trim(x.change+", "+x.note, ", ")
}

// numberFact are two numbers and their difference.
func numberFact(name string, n Numbers) fact {
	x := fact{name: name, old: shown(n.Old), new: shown(n.New)}
	if n.Change != "" && !n.changed() {
		x.old = x.new // written otherwise
	} else if n.Change != "" {
		x.change = signed(n.Change)
	}
	return x
}

// valueFact are two values, and the difference of numbers.
func valueFact(v Values, name func(string) string) fact {
	if v.Change != "" {
		return numberFact(name(v.Name), Numbers{model.Number(v.Old), model.Number(v.New), v.Change})
	}
	return fact{name: name(v.Name), old: valueText(v.Old, name), new: valueText(v.New, name)}
}

// facts are what both results state, without metrics.
func (d *Difference) facts(name func(string) string) (list []fact) {
	if d.Compared == ComparedSchedules || d.Compared == ComparedInstances {
		return nil
	}
	text := func(what, old, new string) fact {
		return fact{name: what, old: named(old, name), new: named(new, name)}
	}
	if s := d.Status; s != nil {
		list = append(list, text("status", s.Old, s.New))
	}
	if d.Objective != nil {
		list = append(list, objectiveFact(d.Objective, name))
	}
	if d.LowerBound != nil {
		list = append(list, boundFact(d.LowerBound, name))
	}
	if d.Ratio != nil {
		list = append(list, fact{name: "gap", old: show.Gap(d.Ratio.Old), new: show.Gap(d.Ratio.New)})
	}
	if g := d.Guarantee; g != nil {
		x := text("guarantee", promiseText(g.Old), promiseText(g.New))
		x.note = either(x.old == x.new, "of another source or premise", "")
		list = append(list, x)
	}
	if d.Old.Algorithm != d.New.Algorithm {
		list = append(list, text("algorithm", d.Old.Algorithm, d.New.Algorithm))
	}
	if !d.Schedule.Same && d.Tasks == nil {
		list = append(list, fact{name: "schedule", old: "another", new: "another"})
	}
	return list
}

// objectiveFact has the change relative to the old number, too.
func objectiveFact(o *ObjectiveChange, name func(string) string) fact {
	if o.Name == "" {
		return fact{name: "objective", old: name(o.OldName) + " " + shown(o.Old), new: name(o.NewName) + " " + shown(o.New)}
	}
	x := numberFact(name(o.Name), o.Numbers)
	if x.change != "" {
		x.change += percent(o.Numbers)
	}
	return x
}

// boundFact notes the methods of both bounds.
func boundFact(c *BoundChange, name func(string) string) fact {
	side := func(b *model.LowerBound) (value model.Number, method string) {
		if b == nil {
			return "", ""
		}
		return b.Value, name(b.Method) + either(b.Verified, "", " (not verified)")
	}
	a, from := side(c.Old)
	b, to := side(c.New)
	x := numberFact("lower bound", Numbers{a, b, c.Change})
	x.note = arrow(from, to)
	return x
}
