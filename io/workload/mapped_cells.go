package workload

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

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
			r.source = source
		}
		parts := []string{source}
		if !slices.Contains(names, source) {
			parts = strings.Split(source, ".")
		}
		r.places = nil
		for _, name := range parts {
			r.places = append(r.places, place(name))
			if r.at = records.At(max(place(name), 0)); place(name) < 0 {
				sound = false
				records.Report(model.CodeUnknown, 0, fmt.Sprintf("the header has no column %.80q", name),
					"one of "+strings.Join(names, ", "), didYouMean(name, names))
			}
		}
		if r.unit == "" && len(parts) == 1 && r.places[0] >= 0 {
			r.source = names[r.places[0]]
			r.unit, r.doubt = unitOf(r.source, g.columns[r.column].unit)
		}
	}
	return sound
}

// unitOf is the unit with which the name of a column ends, as in ram_gb or Time (hrs); "" if there is none. One that is
// not clear is a doubt: a word in brackets that is no unit, or one that cells may not have either, such as G.
func unitOf(name, quantity string) (unit, doubt string) {
	d := dimensions()[quantity]
	if d == nil {
		return "", ""
	}
	bare := strings.TrimRight(name, ")] ")
	word := bare[strings.LastIndexAny(bare, "_- ([")+1:]
	spellings := []string{word}
	if name == strings.ToLower(name) || name == strings.ToUpper(name) { // case says nothing
		spellings = append(spellings, strings.ToLower(word), strings.ToUpper(word))
	}
	for _, unit := range spellings {
		if d.factors[d.spelling(unit)] != nil {
			return unit, ""
		}
	}
	if word != "" && (strings.ContainsAny(name[len(bare):], ")]") || d.hint("", word) != d.list) {
		return "", word
	}
	return "", ""
}

// unitsRead says in which units plain numbers were read.
func unitsRead(g *sheet, rules []rule) (note string) {
	for _, r := range rules {
		if r.plain {
			note += fmt.Sprintf(", %s in %s", r.source, cmp.Or(r.unit, g.columns[r.column].unit))
		}
	}
	return strings.Replace(note, ", ", "; numbers: ", 1)
}

// rows are the rows that a record becomes: several if a column that refers to rows has a list.
func (p *mapper) rows(records *textpos.Records, record []string, file string, g *sheet, rules []rule) []sheetRow {
	n := len(g.columns)
	rows := []sheetRow{{make([]string, n), slices.Repeat([]model.Position{records.At(0)}, n), file}}
	for i := range rules {
		r := &rules[i]
		texts := []string{r.source}
		if !r.constant {
			texts = p.texts(r, &g.columns[r.column], record)
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
		var more []string
		for _, before := range list {
			if k > 0 {
				before += "."
			}
			if c.kind.name == "ref" {
				more = append(more, p.listed(before, cell)...)
			} else {
				more = append(more, before+cell)
			}
		}
		list = more
	}
	for i := range list {
		list[i] = p.convert(list[i], c, r)
	}
	return list
}

// listed are the ids that a cell names, behind the same text: those between | or, if all of them are known, between
// commas or semicolons.
func (p *mapper) listed(before, cell string) (ids []string) {
	unknown := func(id string) bool {
		return !slices.ContainsFunc([]string{"jobs", "tasks", "topology"}, func(table string) bool {
			_, ok := p.sheets[table].index[id+"\x00"]
			return ok
		})
	}
	for part := range strings.SplitSeq(cell, "|") {
		whole := before + strings.TrimSpace(part)
		list := strings.FieldsFunc(part, func(c rune) bool { return c == ',' || c == ';' })
		for i := range list {
			list[i] = before + strings.TrimSpace(list[i])
		}
		if len(list) < 2 || !unknown(whole) || slices.ContainsFunc(list, unknown) {
			list = []string{whole}
		}
		ids = append(ids, list...)
	}
	return ids
}

var (
	// clockSpan is what durations such as 1:02:03, 1-02:03:04 and 2 days, 1:02:03 look like.
	clockSpan = regexp.MustCompile(`^(?:(\d+)(?: days?,? |-))?(\d+):(\d\d):(\d\d(?:\.\d+)?)$`)
	// shortOffset is an offset from UTC in hours alone.
	shortOffset = regexp.MustCompile(`:\d\d(\.\d+)?[+-]\d\d$`)
)

// convert writes a cell as the columns of a workload have it.
func (p *mapper) convert(text string, c *column, r *rule) string {
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
	if !isDecimal(strings.TrimPrefix(text, "-")) || dimensions()[c.unit] == nil {
		return text
	}
	if r.plain = true; r.doubt != "" {
		d, hint := dimensions()[c.unit], fmt.Sprintf("name it in the map: %s=%s:UNIT", r.name, r.source)
		if advice := d.hint("", r.doubt); advice != d.list {
			hint = advice + ", or " + hint
		}
		p.found.Add(model.Finding{Code: model.CodeNumber, Pos: r.at, Expected: d.list, Hint: hint,
			What: fmt.Sprintf("the unit of %s is not clear", textpos.Quoted(r.source))})
		r.doubt = ""
	}
	return text + r.unit
}

// canonical returns a function that writes the cells of a row as workloads do, so that equal values have equal texts,
// and leaves wrong texts as they are. A deadline counts from the release in the row, or else in the one under it.
func (t *table[R, M]) canonical(from model.Origin, doubts *[]model.Warning) func(*sheetRow, []string) {
	var found model.Findings
	var r *sheetRow
	v := &values{findings: &found, columns: t.columns, shared: newInterner(), origin: &origin{value: from}, table: t.name,
		warnings: doubts, at: func(k int) place { return placeOf(r.at[k]) }}
	fields := bind[R](v, t.columns, new(M))
	return func(row *sheetRow, under []string) {
		r, v.file = row, row.file
		if v.since != nil {
			if *v.since = 0; under != nil {
				*v.since, _ = model.ParseTime(under[find(t.columns, "release")]) // a wrong one is a finding later
			}
		}
		for k, text := range r.cells {
			if text == "" || !t.columns[k].number {
				continue
			}
			found = model.Findings{}
			fields[k].set(text)
			if text = fields[k].get(); found.Empty() && text != "" {
				r.cells[k] = text
			}
		}
	}
}
