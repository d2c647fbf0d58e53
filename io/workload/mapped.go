package workload

import (
	"encoding/csv"
	"fmt"
	"io"
	"path"
	"regexp"
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
}

// sheet is a table as text. Its first columns, the keys, identify rows.
type sheet struct {
	columns []column
	keys    int
	rows    []sheetRow
	index   map[string]int
}

type sheetRow struct {
	cells []string
	at    []model.Position // by cell; nil: a row of the base that no file changed
	file  string           // that added or changed it last
}

// rule is a pair of a map.
type rule struct {
	table, name, source, unit string // table may be empty
	constant                  bool
	column                    int
	places                    []int // of the parts of the source in the file
}

// mapper is a mapping that is under way.
type mapper struct {
	by     Mapping
	found  model.Findings
	sheets map[string]*sheet
	rules  []rule
	notes  []string
	clocks bool // some text is a clock time
}

// Read adds the rows of files to a workload, which may be nil, or the columns to rows that are there, by their keys.
// It makes the jobs, racks and the root that rows name and no table has.
//
// Errors: *model.InputError with every finding, at the place in its file.
func (m Mapping) Read(base *model.Workload, files []MappedFile) (*model.Workload, error) {
	p := &mapper{by: m, sheets: map[string]*sheet{}}
	for _, t := range tables {
		p.sheets[t.tableName()] = &sheet{columns: t.tableColumns(), keys: t.listed(&model.Workload{}).Keys,
			index: map[string]int{}}
	}
	scalars := &model.Workload{Name: textpos.Stem(files[0].Name, gzSuffix, csvSuffix), Problem: shop.Cluster,
		Origin: m.Origin}
	if base != nil {
		scalars, p.notes = base, base.Notes
		if err := p.begin(base); err != nil {
			return nil, err
		}
	}
	p.parse(len(files))
	for _, f := range files {
		if g, rules := p.rulesOf(f); p.found.Empty() {
			p.take(f, g, rules)
		}
	}
	if err := p.found.Err(); err != nil {
		return nil, err
	}
	p.complete()
	w, err := p.build(scalars)
	if err != nil {
		return nil, err
	}
	zone := fmt.Sprintf("clock times without an offset from UTC are in the zone of time 0, %s", w.Origin)
	if w.Notes = p.notes; p.clocks && !slices.Contains(p.notes, zone) {
		w.Notes = append(w.Notes, zone)
	}
	return w, nil
}

// begin takes the rows of a workload.
func (p *mapper) begin(base *model.Workload) error {
	return writeTables(func(name string, write func(io.Writer) error) error {
		var text strings.Builder
		g := p.sheets[strings.TrimSuffix(name, csvSuffix)]
		if err := write(&text); err != nil || g == nil { // these are the scalars
			return err
		}
		records, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
		for _, record := range records[min(1, len(records)):] {
			textpos.Bare(record)
			g.add(sheetRow{cells: record})
		}
		return err
	}, base)
}

func (g *sheet) key(cells []string) string { return strings.Join(cells[:g.keys], "\x00") }

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
	if stem := textpos.Stem(f.Name, gzSuffix, csvSuffix); f.Table == "" && slices.Contains(fits, stem) {
		fits = []string{stem}
	}
	if len(fits) != 1 {
		p.bad(fmt.Sprintf("the map fits %s: %s", model.Counted(len(fits), "table"), strings.Join(fits, ", ")), "one table",
			"say which: TABLE="+f.Name)
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
	if len(list) == 0 {
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
	var count struct{ added, changed, left, twice int }
	var first model.Position // that is left out
	named := false
	records.Each(func(record []string) bool {
		if !named {
			named = true
			return header(records, slices.Clone(record), g, rules)
		}
		for _, r := range p.rows(records, record, f.Name, g, rules) {
			old, there := g.index[g.key(r.cells)]
			switch {
			case there && g.rows[old].file == f.Name:
				count.twice++
			case there:
				count.changed++
			case g.lacks(&r):
				if count.left++; count.left == 1 {
					first = records.At(0)
				}
				continue
			default:
				count.added++
				g.add(r)
				continue
			}
			g.rows[old].merge(&r, rules)
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
	if count.left > 0 {
		note += fmt.Sprintf(", %d left out that have no key or are not there, the first in line %d", count.left, first.Line)
	}
	if count.twice > 0 {
		note += fmt.Sprintf(", %d with the key of an earlier row of the file, which they replace", count.twice)
	}
	p.notes = append(p.notes, note)
}

// lacks says whether a row that is not there lacks what every row has, apart from words that have a default.
func (g *sheet) lacks(r *sheetRow) bool {
	return !slices.ContainsFunc(r.cells[:g.keys], func(text string) bool { return text != "" }) ||
		slices.ContainsFunc(g.columns, func(c column) bool {
			return c.required && c.words == nil && r.cells[find(g.columns, c.name)] == ""
		})
}

// merge takes the mapped cells of another row.
func (r *sheetRow) merge(other *sheetRow, rules []rule) {
	if r.file = other.file; r.at == nil {
		r.at = slices.Clone(other.at)
	}
	for _, rule := range rules {
		if text := other.cells[rule.column]; text != "" {
			r.cells[rule.column], r.at[rule.column] = text, other.at[rule.column]
		}
	}
}

// header finds the sources of the rules in the names of columns; false after a finding.
func header(records *textpos.Records, names []string, g *sheet, rules []rule) bool {
	place := func(name string) int {
		return slices.IndexFunc(names, func(n string) bool { return plainName(n) == plainName(name) })
	}
	sound := true
	for k := range rules {
		r := &rules[k]
		if r.constant {
			continue
		}
		source := r.source
		if i := strings.LastIndexByte(source, ':'); i > 0 && place(source) < 0 {
			source, r.unit = source[:i], source[i+1:]
		}
		parts := []string{source}
		if !slices.Contains(names, source) {
			parts = strings.Split(source, ".")
		}
		r.places = nil
		for _, name := range parts {
			r.places = append(r.places, place(name))
			if place(name) < 0 {
				sound = false
				records.Report(model.CodeUnknown, 0, fmt.Sprintf("the header has no column %.80q", name),
					"one of "+strings.Join(names, ", "), didYouMean(name, names))
			}
		}
		if r.unit == "" && len(parts) == 1 {
			source = strings.ToLower(strings.TrimRight(source, ")]"))
			r.unit = headerUnits[g.columns[r.column].unit][source[strings.LastIndexAny(source, "_- ([")+1:]]
		}
	}
	return sound
}

// headerUnits are the units with which names of columns end, such as ram_gb, by the unit of plain numbers.
var headerUnits = map[string]map[string]string{
	"seconds": {"ms": "ms", "millis": "ms", "min": "m", "mins": "m", "minutes": "m", "h": "h", "hours": "h", "days": "d"},
	"bytes":   {"kb": "KB", "mb": "MB", "gb": "GB", "tb": "TB", "kib": "KiB", "mib": "MiB", "gib": "GiB", "tib": "TiB"},
}

// rows are the rows that a record becomes: several if a column that refers to rows has a list.
func (p *mapper) rows(records *textpos.Records, record []string, file string, g *sheet, rules []rule) []sheetRow {
	n := len(g.columns)
	rows := []sheetRow{{make([]string, n), slices.Repeat([]model.Position{records.At(0)}, n), file}}
	for _, r := range rules {
		texts := []string{r.source}
		if !r.constant {
			texts = p.texts(&r, &g.columns[r.column], record)
		}
		var more []sheetRow
		for _, before := range rows {
			for _, text := range texts {
				next := sheetRow{slices.Clone(before.cells), slices.Clone(before.at), file}
				if next.cells[r.column] = text; !r.constant {
					next.at[r.column] = records.At(r.places[0])
				}
				more = append(more, next)
			}
		}
		rows = more
	}
	return rows
}

// texts are the texts of a column in a record. A key with a part missing is none.
func (p *mapper) texts(r *rule, c *column, record []string) []string {
	list := []string{""}
	for k, place := range r.places {
		cell := strings.TrimSpace(record[place])
		if cell == "" || cell == `\N` || strings.EqualFold(cell, "null") {
			return []string{""}
		}
		parts := []string{cell}
		if c.kind.name == "ref" {
			parts = strings.Split(cell, "|")
		}
		var more []string
		for _, before := range list {
			for _, part := range parts {
				if part = strings.TrimSpace(part); k > 0 {
					part = before + "." + part
				}
				more = append(more, part)
			}
		}
		list = more
	}
	for i := range list {
		list[i] = p.convert(list[i], c, r.unit)
	}
	return list
}

var (
	// clockSpan is what durations such as 1:02:03, 1-02:03:04 and 2 days, 1:02:03 look like.
	clockSpan = regexp.MustCompile(`^(?:(\d+)(?: days?,? |-))?(\d+):(\d\d):(\d\d(?:\.\d+)?)$`)
	// shortOffset is an offset from UTC in hours alone.
	shortOffset = regexp.MustCompile(`:\d\d(\.\d+)?[+-]\d\d$`)
)

// convert writes a cell as the columns of a workload have it.
func (p *mapper) convert(text string, c *column, unit string) string {
	if !c.number {
		return text
	}
	if p.by.Comma && strings.Trim(text, "0123456789.,+- '\u00a0\u202f") == "" {
		text = strings.NewReplacer(".", "", "'", "", " ", "", "\u00a0", "", "\u202f", "", ",", ".").Replace(text)
	}
	p.clocks = p.clocks || c.clock != noClock && model.LooksLikeClock(text)
	if c.unit != "seconds" {
	} else if m := clockSpan.FindStringSubmatch(text); m != nil && c.clock == noClock {
		if m[1] != "" {
			m[1] += "d"
		}
		return m[1] + m[2] + "h" + m[3] + "m" + m[4] + "s"
	} else if shortOffset.MatchString(text) {
		return text + ":00"
	}
	if isDecimal(text) {
		text += unit
	}
	return text
}
