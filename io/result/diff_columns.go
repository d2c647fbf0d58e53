package result

import (
	"cmp"
	"maps"
	"slices"

	"mrsched/model"
)

// ColumnChange is how one of the problem's own columns of schedule.csv differs.
type ColumnChange struct {
	Name string `json:"name"`
	// Changed is how many tasks of both schedules have another value in their first row.
	Changed int `json:"changed"`
	// Sum is the total of costs or bytes over all rows.
	Sum *Numbers `json:"sum,omitempty"`
	// Values counts the rows by value, and Moves the tasks by old and new value, of localities.
	Values []ValueCount `json:"values,omitempty"`
	Moves  []ValueMove  `json:"moves,omitempty"`
}

// ValueCount is how many rows have a value.
type ValueCount struct {
	Value string `json:"value"`
	Numbers
}

// ValueMove is how many tasks changed from one value to another.
type ValueMove struct {
	Old   string `json:"old"`
	New   string `json:"new"`
	Tasks int    `json:"tasks"`
}

// columnTally collects the values of one column over all rows.
type columnTally struct {
	name    string
	sums    [2]total
	counts  map[string]*[2]int // nil: not counted
	moves   map[[2]string]int
	changed int
	summed  bool
}

// column is the tally of a column, usually the i-th.
func (t *taskTally) column(i int, name string) *columnTally {
	if i < len(t.columns) && t.columns[i].name == name {
		return t.columns[i]
	}
	for _, c := range t.columns {
		if c.name == name {
			return c
		}
	}
	c := &columnTally{name: name}
	switch t.about.Role(name) {
	case model.RoleLocality:
		c.counts, c.moves = map[string]*[2]int{}, map[[2]string]int{}
	case model.RoleAmount, model.RoleSlotCost, model.RoleCost:
		c.summed = true
	}
	t.columns = append(t.columns, c)
	return c
}

func (c *columnTally) row(side int, text string) {
	switch {
	case c.summed:
		c.sums[side].add(text)
	case c.counts != nil && text != "":
		n := c.counts[text]
		if n == nil {
			n = new([2]int)
			c.counts[text] = n
		}
		n[side]++
	}
}

// transitions counts the columns of a task that changed.
func (t *taskTally) transitions(old, new []Row) {
	if old == nil || new == nil {
		return
	}
	for _, c := range t.columns {
		a, b := old[0].Columns.text(c.name), new[0].Columns.text(c.name)
		if a == b {
			continue
		}
		c.changed++
		if c.moves != nil {
			c.moves[[2]string{a, b}]++
		}
	}
}

// change describes how a column differs, if it does.
func (c *columnTally) change() (change ColumnChange, differs bool) {
	change = ColumnChange{Name: c.name, Changed: c.changed}
	differs = c.changed > 0
	if c.summed {
		n := numbersOf(c.sums[0].value(), c.sums[1].value())
		change.Sum, differs = &n, differs || n.changed()
	}
	for _, value := range slices.Sorted(maps.Keys(c.counts)) {
		n := c.counts[value]
		change.Values = append(change.Values, ValueCount{value, counts(n[0], n[1])})
		differs = differs || n[0] != n[1]
	}
	for pair, n := range c.moves {
		change.Moves = append(change.Moves, ValueMove{pair[0], pair[1], n})
	}
	slices.SortFunc(change.Moves, func(a, b ValueMove) int {
		return cmp.Or(cmp.Compare(b.Tasks, a.Tasks), cmp.Compare(min(a.Old, a.New), min(b.Old, b.New)),
			cmp.Compare(a.Old, b.Old), cmp.Compare(a.New, b.New))
	})
	return change, differs
}
