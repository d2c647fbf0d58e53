package workload

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
	"mrsched/model/shop"
)

// MappedFile is a table of another program, and the table that it becomes; "": told by the columns that are mapped.
type MappedFile struct {
	Table, Name string
	Text        io.Reader
}

// Mapping says how tables of other programs become tables of a workload.
type Mapping struct {
	// Map has pairs between commas: TABLE.COLUMN=SOURCE, or COLUMN=SOURCE of a single file. SOURCE is a column of the
	// file; A.B is the texts of two between a point; A:UNIT is numbers of a unit; =TEXT is the text in every row.
	Map       string
	Delimiter rune         // 0: the one of , ; tab and | that the first line has most of
	Comma     bool         // decimals have a comma
	Origin    model.Origin // of a new workload
	Replace   bool         // tables that files become have only the rows of files
}

// sheet is a table as text. Its first columns, the keys, identify rows.
type sheet struct {
	columns []column
	keys    int
	rows    []sheetRow
	index   map[string]int
	written func(r *sheetRow, under []string) // see canonical
	fresh   bool                              // files replace it
}

type sheetRow struct {
	cells []string
	at    []model.Position // by cell, nowhere for one of the base; nil: a row of the base that no file changed
	file  string           // that added or changed it last
}

// rule is a pair of a map.
type rule struct {
	table, name, source, unit string // table may be empty
	constant                  bool
	column                    int
	places                    []int // of the parts of the source in the file
	at                        model.Position
	doubt                     string // the unit at the end of the source's name, if it is not clear
	plain                     bool   // some cell was a number without a unit
}

// mapper is a mapping that is under way.
type mapper struct {
	by     Mapping
	found  model.Findings
	sheets map[string]*sheet
	rules  []rule
	notes  []string
	clocks bool // some text is a clock time
	kept   int  // deadlines at their times
	doubts []model.Warning
}

// Read adds the rows of files to a workload, which may be nil, or the columns to rows that are there, by their keys.
// It makes the jobs, racks and the root that rows name and no table has.
//
// Errors: *model.InputError with every finding, at the place in its file.
func (m Mapping) Read(base *model.Workload, files []MappedFile) (*model.Workload, error) {
	p := &mapper{by: m, sheets: map[string]*sheet{}}
	scalars := &model.Workload{Name: textpos.Stem(files[0].Name, gzSuffix, csvSuffix), Problem: shop.Cluster,
		Origin: m.Origin}
	if base != nil {
		scalars, p.notes = base, base.Notes
	}
	for _, t := range tables {
		p.sheets[t.tableName()] = &sheet{columns: t.tableColumns(), keys: t.listed(&model.Workload{}).Keys,
			index: map[string]int{}, written: t.canonical(scalars.Origin, &p.doubts)}
	}
	p.parse(len(files))
	var takes []func()
	for _, f := range files {
		g, rules := p.rulesOf(f)
		takes = append(takes, func() { p.take(f, g, rules) })
	}
	if err := p.found.Err(); err != nil {
		return nil, err
	}
	for _, t := range tables {
		if g := p.sheets[t.tableName()]; base != nil && !g.fresh {
			for cells := range t.listed(base).Rows {
				g.add(sheetRow{cells: slices.Clone(cells)})
			}
		}
	}
	for _, step := range takes {
		step()
	}
	if err := p.found.Err(); err != nil {
		return nil, err
	}
	p.complete()
	w, err := p.build(scalars)
	if err != nil {
		return nil, err
	}
	w.ReaderWarnings = p.doubts
	zone := fmt.Sprintf("clock times without an offset from UTC are in the zone of time 0, %s", w.Origin)
	if p.kept > 0 {
		p.notes = append(p.notes, model.Counted(p.kept, "deadline")+" kept at the same time as releases changed")
	}
	if w.Notes = p.notes; p.clocks && !slices.Contains(p.notes, zone) {
		w.Notes = append(w.Notes, zone)
	}
	return w, nil
}

// key is the text that identifies a row.
func (g *sheet) key(cells []string) string {
	text := ""
	for k := range g.keys {
		text += cmp.Or(cells[k], g.columns[k].byDefault) + "\x00"
	}
	return text
}

func (g *sheet) add(r sheetRow) {
	g.index[g.key(r.cells)] = len(g.rows)
	g.rows = append(g.rows, r)
}

// bad reports something about the map.
func (p *mapper) bad(what, expected, hint string) {
	p.found.Add(model.Finding{Code: model.CodeParameter, What: what, Expected: expected, Hint: hint})
}

// parse takes the pairs of the map.
func (p *mapper) parse(files int) {
	for pair := range strings.SplitSeq(p.by.Map, ",") {
		left, source, _ := strings.Cut(strings.TrimSpace(pair), "=")
		r := rule{name: left}
		if table, column, both := strings.Cut(left, "."); both {
			r.table, r.name = table, column
		}
		switch r.source, r.constant = strings.CutPrefix(source, "="); {
		case r.source == "":
			p.bad(fmt.Sprintf("%.80q in the map", pair), "COLUMN=SOURCE", "")
		case r.table != "" && p.sheets[r.table] == nil:
			p.bad(fmt.Sprintf("table %.40q in the map", r.table), wordList(tableNames()), "")
		case r.table == "" && files > 1:
			p.bad(fmt.Sprintf("%.80q in the map of several files", pair), "TABLE.COLUMN=SOURCE", "")
		}
		p.rules = append(p.rules, r)
	}
}

// rulesOf finds the table that a file becomes, and the pairs about it; what is wrong is a finding.
func (p *mapper) rulesOf(f MappedFile) (*sheet, []rule) {
	fits := []string{f.Table}
	if f.Table == "" {
		fits = slices.DeleteFunc(tableNames(), func(t string) bool {
			return slices.ContainsFunc(p.rules, func(r rule) bool {
				return r.table != "" && r.table != t || find(p.sheets[t].columns, r.name) < 0
			})
		})
	}
	named := cmp.Or(p.rules[0].table, textpos.Stem(f.Name, gzSuffix, csvSuffix))
	if f.Table == "" && len(fits) != 1 && p.sheets[named] != nil {
		fits = []string{named} // perhaps it lacks a column
	}
	if len(fits) != 1 {
		p.bad(strings.TrimSuffix(fmt.Sprintf("the map fits %s: %s", model.Counted(len(fits), "table"),
			strings.Join(fits, ", ")), ": "), "one table", "say which: TABLE="+f.Name)
		return nil, nil
	}
	g := p.sheets[fits[0]]
	var list []rule
	for _, r := range p.rules {
		if r.column = find(g.columns, r.name); r.table != "" && r.table != fits[0] {
			continue
		} else if r.column < 0 {
			all := columnNames(g.columns)
			p.bad(fmt.Sprintf("table %s has no column %.40q", fits[0], r.name), "one of "+strings.Join(all, ", "),
				didYouMean(r.name, all))
		}
		list = append(list, r)
	}
	if g.fresh = p.by.Replace; len(list) == 0 {
		p.bad("the map says nothing about table "+fits[0], fits[0]+".COLUMN=SOURCE", "")
	}
	return g, list
}

func tableNames() (list []string) {
	for _, t := range tables {
		list = append(list, t.tableName())
	}
	return list
}

// take reads a file.
func (p *mapper) take(f MappedFile, g *sheet, rules []rule) {
	in, text, comma := beginning(f)
	records := textpos.NewRecords(in, text, maxGap, &p.found)
	if records.Comma = comma; p.by.Delimiter != 0 {
		records.Comma = p.by.Delimiter
	}
	var count struct{ added, changed, same, left int }
	var first model.Position // that is left out
	named := false
	records.Each(func(record []string) bool {
		if !named {
			named = true
			return header(records, slices.Clone(record), g, rules)
		}
		for _, r := range p.rows(records, record, f.Name, g, rules) {
			old, there := g.find(&r)
			switch {
			case there:
				again := g.rows[old].file == f.Name
				if changed := p.merge(g, &g.rows[old], &r, rules); changed && !again {
					count.changed++
				} else if !again {
					count.same++
				}
			case g.lacks(&r):
				if count.left++; count.left == 1 {
					first = records.At(0)
				}
			default:
				count.added++
				g.add(r)
			}
		}
		return true
	}, func(record []string) bool {
		records.Report(model.CodeRowShape, 0, model.Counted(len(record), "field"), fmt.Sprint(records.FieldsPerRecord),
			"put texts with delimiters or line ends in quotes; --delimiter says what is between columns")
		return true
	})
	if !named && p.found.Empty() {
		p.found.Add(model.Finding{Code: model.CodeNothingLeft, Pos: model.Position{File: f.Name}, What: "the file is empty",
			Expected: "a line with the names of columns, and rows"})
	}
	note := fmt.Sprintf("%s: %s added, %d changed", path.Base(f.Name), model.Counted(count.added, "row"), count.changed)
	if count.same > 0 {
		note += fmt.Sprintf(", %d as before", count.same)
	}
	if count.left > 0 {
		note += fmt.Sprintf(", %d left out that have no key or are not there, the first in line %d", count.left, first.Line)
	}
	p.notes = append(p.notes, note+unitsRead(g, rules))
}

// find writes the cells of a row as workloads do, and finds the row with its key.
func (g *sheet) find(r *sheetRow) (row int, there bool) {
	var under []string
	if row, there = g.index[g.key(r.cells)]; there {
		under = g.rows[row].cells
	}
	g.written(r, under)
	row, there = g.index[g.key(r.cells)]
	return row, there
}

// lacks says whether a row that is not there lacks what every row has, apart from words that have a default.
func (g *sheet) lacks(r *sheetRow) bool {
	return !slices.ContainsFunc(r.cells[:g.keys], func(text string) bool { return text != "" }) ||
		slices.ContainsFunc(g.columns, func(c column) bool {
			return c.required && c.words == nil && r.cells[find(g.columns, c.name)] == ""
		})
}

// merge takes the mapped cells of another row with the key of one, and says whether some are new. A row of the same
// file may not contradict it, and no row moves a task to another job. A deadline counts from the release, but stays at
// its time if only the release is new.
func (p *mapper) merge(g *sheet, r, other *sheetRow, rules []rule) (changed bool) {
	if r.file = other.file; r.at == nil {
		r.at = make([]model.Position, len(r.cells))
	}
	if due, release := find(g.columns, "deadline"), find(g.columns, "release"); due >= 0 && other.cells[due] == "" {
		p.keepDue(r, other, due, release)
	}
	for _, rule := range rules {
		k, name := rule.column, rule.name
		was, is, same := r.cells[k], other.cells[k], r.at[k].File == other.at[k].File
		if is == "" {
			continue
		}
		if was != "" && is != was && (same || name == "job") {
			key, place := strings.Join(columnNames(g.columns[:g.keys]), ", "), "of the workload"
			if same {
				place = fmt.Sprintf("in line %d", r.at[k].Line)
			}
			p.found.Add(model.Finding{Code: model.CodeDuplicate, Pos: other.at[k], Like: name,
				Expected: "one row for each " + key, What: fmt.Sprintf("the %s is that of a row %s, but %s is %s and was %s", key,
					place, name, textpos.Quoted(is), textpos.Quoted(was)),
				Hint: "keep one of the rows; if jobs share names of tasks, map the texts of two columns, id=JOB.TASK, wherever " +
					"tables name tasks"})
			break
		}
		changed = changed || is != was
		r.cells[k], r.at[k] = is, other.at[k]
	}
	return changed
}

// keepDue moves the deadline of a job against its new release.
func (p *mapper) keepDue(r, other *sheetRow, due, release int) {
	from, err1 := model.ParseTime(cmp.Or(r.cells[release], "0"))
	to, err2 := model.ParseTime(other.cells[release])
	d, err3 := model.ParseTime(r.cells[due])
	switch {
	case errors.Join(err1, err2, err3) != nil || from == to: // also if there is none
	case from+d < to:
		p.found.Add(model.Finding{Code: model.CodeNegative, Pos: other.at[release], Like: "release",
			What:     fmt.Sprintf("the release of job %s is %s s after its deadline", textpos.Quoted(r.cells[0]), to-from-d),
			Expected: "a release before the deadline", Hint: "map the deadline, too"})
	default:
		r.cells[due] = (from + d - to).String()
		p.kept++
	}
}
