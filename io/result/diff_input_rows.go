package result

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"mrsched/model"
)

// minAlike is how many rows a rule needs; fewer are told one by one.
const minAlike = 4

// maxRules is how many rules are looked for in a column.
const maxRules = 4

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
	partial   bool // that a side lacks a row means nothing
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
	taken    bool // by a rule
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
			t.lone[side] = append(t.lone[side], &loneRow{InputRow: InputRow{Key: texts[:t.keys:t.keys], at: at}, texts: texts})
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
		for i := range t.columns {
			list = append(list, t.rules(c, i)...)
		}
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

// countIn counts a row in the row with which it came or went, which has no owner.
func (r *loneRow) countIn(t *tableComparison) {
	if r.owner == nil {
		return
	}
	root := r.owner
	for root.owner != nil {
		root = root.owner
	}
	k := slices.IndexFunc(root.With, func(n RowCount) bool { return n.Table == t.name })
	if k < 0 {
		k = len(root.With)
		root.With = append(root.With, RowCount{Table: t.name, row: t.row})
	}
	root.With[k].Rows++
}

// loneRows are the rows that only one side has, without those that came or went with others.
func (t *tableComparison) loneRows(c *inputComparison, side int, change string) []InputChange {
	x := InputChange{Change: change, Table: t.name, About: t.row, Unused: true}
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

// rest are the changed values that no rule explains, by row.
func (t *tableComparison) rest(c *inputComparison, unused bool) []InputChange {
	rows := map[string]*InputRow{}
	x := InputChange{Change: inputChanged, Table: t.name, About: t.row, Of: t.both, Unused: unused}
	for i, cells := range t.changed {
		if c.unused[t.name+"."+t.columns[i].Name] != unused {
			continue
		}
		count := ColumnCount{Column: t.columns[i].Name}
		var least, most *big.Rat
		for _, cell := range cells {
			if cell.taken {
				continue
			}
			count.Rows++
			key := rowKey(cell.key)
			r := rows[key]
			if r == nil {
				r = &InputRow{Key: cell.key, at: cell.at}
				rows[key] = r
			}
			v, _ := valuesOf(count.Column, cellText(cell.old), cellText(cell.new))
			r.Values = append(r.Values, v)
			r.size = max(r.size, sizeOf(v))
			if f := factorOf(cell.old, cell.new); f != nil {
				if least == nil || f.Cmp(least) < 0 {
					least = f
				}
				if most == nil || f.Cmp(most) > 0 {
					most = f
				}
			}
		}
		if count.Rows == 0 {
			continue
		}
		if least != nil {
			count.Least = model.LowerNumber(least)
			count.Most = model.Number(model.FormatRat(most, model.ValueDigits, model.RoundUp))
		}
		x.Columns = append(x.Columns, count)
	}
	if x.Rows = len(rows); x.Rows == 0 {
		return nil
	}
	list := largest[InputRow]{keep: c.keep, order: func(a, b InputRow) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.at, b.at), slices.Compare(a.Key, b.Key))
	}}
	for _, r := range rows {
		list.add(*r)
	}
	x.List = list.sorted()
	return []InputChange{x}
}

// sizeOf is a change relative to the larger of both values; 1 if they are no numbers.
func sizeOf(v Values) float64 {
	change := decimal(string(v.Change))
	if change == nil {
		return 1
	}
	old, new := decimal(string(v.Old)), decimal(string(v.New))
	most := old.Abs(old)
	if new.Abs(new).Cmp(most) > 0 {
		most = new
	}
	size, _ := change.Quo(change.Abs(change), most).Float64() // not 0: they differ
	return size
}

func factorOf(old, new string) *big.Rat {
	a, b := decimal(old), decimal(new)
	if a == nil || b == nil || a.Sign() == 0 {
		return nil
	}
	return b.Quo(b, a)
}

// rule explains how an old value became the new one: the same pair of values, a factor, a difference, or a factor up to
// rounding.
type rule struct {
	kind     int
	old, new string // the rounded factor is new
	a, b     int64  // the factor a/b in lowest terms, or the difference a, in millionths
}

// The kinds of rules; of two that explain as much the smaller one counts.
const (
	rulePair = iota
	ruleFactor
	ruleShift
	ruleAbout
)

// aboutDigits are the digits of a rounded factor.
const aboutDigits = 3

// rulesOf are those that explain a cell.
func rulesOf(c *changedCell) []rule {
	list := []rule{{kind: rulePair, old: c.old, new: c.new}}
	a, fine := microOf(c.old)
	b, fine2 := microOf(c.new)
	if !fine || !fine2 {
		return list
	}
	if a > 0 && b > 0 {
		g := gcd(a, b)
		list = append(list, rule{kind: ruleFactor, a: b / g, b: a / g})
		about := strconv.FormatFloat(float64(b)/float64(a), 'g', aboutDigits, 64)
		if r := decimal(about); r != nil && about != "1" {
			list = append(list, rule{kind: ruleAbout, new: string(exactText(r))})
		}
	}
	if b-a > b == (a < 0) { // it does not overflow
		list = append(list, rule{kind: ruleShift, a: b - a})
	}
	return list
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// rules finds what explains many of the changed values of a column, and marks these.
func (t *tableComparison) rules(c *inputComparison, column int) (list []InputChange) {
	cells := t.changed[column]
	for range maxRules {
		counts := map[rule]int{}
		var best rule
		for _, cell := range cells {
			if cell.taken {
				continue
			}
			for _, r := range rulesOf(cell) {
				counts[r]++
				if n := counts[r] - counts[best]; n > 0 || n == 0 && compareRules(r, best) < 0 {
					best = r
				}
			}
		}
		if counts[best] < minAlike {
			break
		}
		name := t.columns[column].Name
		x := InputChange{Change: inputChanged, Table: t.name, About: t.row, Column: name, Rows: counts[best], Of: t.both,
			Unused: c.unused[t.name+"."+name]}
		switch best.kind {
		case rulePair:
			x.Old, x.New = cellText(best.old), cellText(best.new)
		case ruleFactor:
			x.Factor = model.Number(model.FormatRat(big.NewRat(best.a, best.b), 2*model.ValueDigits, model.RoundDown))
		case ruleAbout:
			x.Factor, x.Rounded = model.Number(best.new), true
		default:
			x.Shift = exactText(big.NewRat(best.a, int64(model.Second)))
		}
		for _, cell := range cells {
			if cell.taken || !slices.Contains(rulesOf(cell), best) {
				continue
			}
			cell.taken = true
			if c.keep == 0 || len(x.List) < c.keep {
				v, _ := valuesOf(name, cellText(cell.old), cellText(cell.new))
				x.List = append(x.List, InputRow{Key: cell.key, Values: []Values{v}})
			}
		}
		list = append(list, x)
	}
	return list
}

func compareRules(a, b rule) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), strings.Compare(a.old, b.old), strings.Compare(a.new, b.new),
		cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b))
}
