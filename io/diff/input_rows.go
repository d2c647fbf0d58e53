package diff

import (
	"cmp"
	"math"
	"slices"

	"mrsched/model"
)

// inputComparison compares tables of two inputs. Memory grows with the rows that differ.
type inputComparison struct {
	unused map[string]bool // TABLE.COLUMN
	keep   int
	tables []*tableComparison
	// owners are the rows that only one side has, by table and id, of the old and the new side.
	owners [2]map[string]*loneRow
}

// tableComparison is what differs in a table.
type tableComparison struct {
	columns   []model.InputColumn
	name, row string
	keys      int
	partial   bool // a missing row means nothing on either side
	both      int
	moved     bool // some row has another place
	lone      [2][]*loneRow
	changed   [][]*changedCell // by column
}

// loneRow is a row that only one side has. Its owner is the row that it came or went with.
type loneRow struct {
	InputRow
	texts []string
	owner *loneRow
}

// changedCell is a value that differs.
type changedCell struct {
	key      []string
	at       int
	old, new string
}

// placed is a row and its position.
type placed struct {
	texts []string
	at    int
}

// table compares a table of both sides, which has the same columns on both.
func (c *inputComparison) table(old, new model.InputTable, partial bool) {
	t := &tableComparison{columns: old.Columns, name: old.Name, row: old.Row, keys: old.Keys, partial: partial,
		changed: make([][]*changedCell, len(old.Columns))}
	numbered := func(in model.InputTable) func(func(placed) bool) {
		return func(yield func(placed) bool) {
			at := 0
			for texts := range in.Rows {
				if !yield(placed{texts, at}) {
					return
				}
				at++
			}
		}
	}
	pairs(numbered(old), numbered(new), func(p placed) string { return rowKey(p.texts[:t.keys]) },
		func(p placed) placed { return placed{slices.Clone(p.texts), p.at} }, t.visit)
	c.tables = append(c.tables, t)
}

func (t *tableComparison) visit(old, new *placed, at int) {
	for side, p := range [2]*placed{old, new} {
		if other := [2]*placed{new, old}[side]; other == nil && !t.partial {
			texts := slices.Clone(p.texts)
			t.lone[side] = append(t.lone[side], &loneRow{InputRow: InputRow{Key: texts[:t.keys:t.keys]}, texts: texts})
		}
	}
	if old == nil || new == nil {
		return
	}
	t.both++
	t.moved = t.moved || old.at != new.at
	var key []string
	for i := t.keys; i < len(t.columns); i++ {
		a, b := old.texts[i], new.texts[i]
		if a == b {
			continue
		}
		if key == nil {
			key = slices.Clone(new.texts[:t.keys])
		}
		t.changed[i] = append(t.changed[i], &changedCell{key: key, at: at, old: a, new: b})
	}
}

// found lists all changes. In results rows have the order of the schedule, which is not that of the input.
func (c *inputComparison) found(ordered bool) (list []InputChange) {
	for side := range c.owners {
		c.owners[side] = map[string]*loneRow{}
		for _, t := range c.tables {
			for _, r := range t.lone[side] {
				c.own(side, t, r)
			}
		}
		for _, t := range c.tables { // a node of the topology that changed its kind did not come or go
			for _, r := range t.lone[1-side] {
				delete(c.owners[side], ownerKey(t.name, r.Key[0]))
			}
		}
		for _, t := range c.tables {
			for _, r := range t.lone[side] {
				c.attribute(side, t, r)
			}
		}
		for _, t := range c.tables {
			for _, r := range t.lone[side] {
				r.countIn(t)
			}
		}
	}
	for _, t := range c.tables {
		list = append(list, t.loneRows(c, 0, inputRemoved)...)
		list = append(list, t.loneRows(c, 1, inputAdded)...)
		list = append(list, t.rest(c, false)...)
		list = append(list, t.rest(c, true)...)
		if ordered && t.moved && len(t.lone[0])+len(t.lone[1]) == 0 {
			list = append(list, InputChange{Change: inputReordered, Table: t.name, About: t.row, Rows: t.both})
		}
	}
	return list
}

func ownerKey(table, id string) string { return table + " " + id }

// own registers a row that other tables may refer to, and the block that a task alone reads.
func (c *inputComparison) own(side int, t *tableComparison, r *loneRow) {
	if t.keys == 1 {
		c.owners[side][ownerKey(t.name, r.Key[0])] = r
	}
	for i := t.keys; i < len(t.columns); i++ {
		if t.columns[i].Refers != model.TableBlocks || r.texts[i] == "" {
			continue
		}
		if key := ownerKey(model.TableBlocks, r.texts[i]); c.owners[side][key] == nil {
			c.owners[side][key] = r
		}
	}
}

// attribute finds the first row that a row refers to and that only this side has, too.
func (c *inputComparison) attribute(side int, t *tableComparison, r *loneRow) {
	for i, column := range t.columns {
		if column.Refers == "" || column.Refers == model.TableBlocks && t.keys == 1 { // a task owns its block
			continue
		}
		owner := c.owners[side][ownerKey(column.Refers, r.texts[i])]
		if owner == nil || owner == r {
			continue
		}
		r.owner = owner
		return
	}
}

// countIn counts a row at its owner, the row with which it came or went; owners have no owner.
func (r *loneRow) countIn(t *tableComparison) {
	if r.owner == nil {
		return
	}
	root := r.owner
	for root.owner != nil {
		root = root.owner
	}
	k := slices.IndexFunc(root.With, func(n RowCount) bool { return n.Table == t.name && n.About == t.row })
	if k < 0 {
		k = len(root.With)
		root.With = append(root.With, RowCount{Table: t.name, About: t.row})
	}
	root.With[k].Rows++
}

// loneRows are the rows that only one side has, without those that came or went with others.
func (t *tableComparison) loneRows(c *inputComparison, side int, change string) []InputChange {
	x := InputChange{Change: change, Table: t.name, About: t.row, Unused: true, keys: t.columns[:t.keys]}
	for i := range t.keys {
		x.Unused = x.Unused && c.unused[t.name+"."+t.columns[i].Name]
	}
	for _, r := range t.lone[side] {
		if r.owner != nil {
			continue
		}
		x.Rows++
		for i := t.keys; i < len(t.columns) && (c.keep == 0 || len(x.List) < c.keep); i++ {
			if text := r.texts[i]; text != "" && text != t.columns[i].Default && !c.unused[t.name+"."+t.columns[i].Name] {
				v := Values{Name: t.columns[i].Name, New: cellText(text)}
				if side == 0 {
					v.Old, v.New = v.New, nil
				}
				r.Values = append(r.Values, v)
			}
		}
		if c.keep == 0 || len(x.List) < c.keep {
			x.List = append(x.List, r.InputRow)
		}
	}
	if x.Rows == 0 {
		return nil
	}
	return []InputChange{x}
}

// restRow is a row with other values.
type restRow struct {
	cells   []*changedCell
	columns []string
	size    float64
}

// rest are the changed values, by row.
func (t *tableComparison) rest(c *inputComparison, unused bool) []InputChange {
	rows := map[string]*restRow{}
	x := InputChange{Change: inputChanged, Table: t.name, About: t.row, Of: t.both, Unused: unused,
		keys: t.columns[:t.keys]}
	for i, cells := range t.changed {
		name := t.columns[i].Name
		if c.unused[t.name+"."+name] != unused {
			continue
		}
		count := ColumnCount{Column: name}
		var least, most extreme
		for _, cell := range cells {
			count.Rows++
			key := rowKey(cell.key)
			r := rows[key]
			if r == nil {
				r = &restRow{}
				rows[key] = r
			}
			r.cells, r.columns = append(r.cells, cell), append(r.columns, name)
			size, factor := cell.measure()
			r.size = max(r.size, size)
			if factor > 0 {
				least.take(cell, -factor)
				most.take(cell, factor)
			}
		}
		if count.Rows > 0 {
			count.Least, count.Most = least.text(model.RoundDown), most.text(model.RoundUp)
			x.Columns = append(x.Columns, count)
		}
	}
	if x.Rows = len(rows); x.Rows == 0 {
		return nil
	}
	list := largest[*restRow]{keep: c.keep, order: func(a, b *restRow) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.cells[0].at, b.cells[0].at),
			slices.Compare(a.cells[0].key, b.cells[0].key))
	}}
	for _, r := range rows {
		list.add(r)
	}
	for _, r := range list.sorted() {
		row := InputRow{Key: r.cells[0].key}
		for k, cell := range r.cells {
			row.Values = append(row.Values, cell.values(r.columns[k]))
		}
		x.List = append(x.List, row)
	}
	return []InputChange{x}
}

func (c *changedCell) values(column string) Values {
	v, _ := valuesOf(column, cellText(c.old), cellText(c.new))
	return v
}

// measure returns the change relative to the larger value, or 1 if they are not numbers, and new/old, or 0 if there is
// none. It is for ordering only.
func (c *changedCell) measure() (size, factor float64) {
	a, fine := roughly(c.old)
	b, fine2 := roughly(c.new)
	if !fine || !fine2 {
		return 1, 0
	}
	if a > 0 && b > 0 {
		factor = b / a
	}
	return math.Abs(b-a) / max(math.Abs(a), math.Abs(b)), factor
}

func roughly(text string) (float64, bool) {
	if micro, ok := microOf(text); ok && text != "" {
		return float64(micro), true
	}
	r := decimal(text)
	if r == nil {
		return 0, false
	}
	v, _ := r.Float64()
	return v * float64(model.Second), true
}

// extreme is the cell with the largest value so far.
type extreme struct {
	cell  *changedCell
	value float64
}

func (e *extreme) take(c *changedCell, value float64) {
	if e.cell == nil || value > e.value {
		e.cell, e.value = c, value
	}
}

// text is the cell's factor.
func (e *extreme) text(mode model.Rounding) model.Number {
	if e.cell == nil {
		return ""
	}
	a, b := decimal(e.cell.old), decimal(e.cell.new)
	if a == nil || b == nil {
		return ""
	}
	return model.Number(model.FormatRat(b.Quo(b, a), model.ValueDigits, mode))
}
