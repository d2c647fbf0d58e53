package workload

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"

	"mrsched/io/textpos"
	"mrsched/model"
)

// plainName is a name without case, spaces, hyphens and underscores: what different spellings have in common.
func plainName(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, name)
}

// spelled is the name that another spelling means; empty: none.
func spelled(name string, names []string) string {
	for _, n := range names {
		if n != name && plainName(n) == plainName(name) {
			return n
		}
	}
	return ""
}

// didYouMean is model.DidYouMean that looks for other spellings first.
func didYouMean(name string, names []string) string {
	if n := spelled(name, names); n != "" {
		return fmt.Sprintf("did you mean %q?", n)
	}
	return model.DidYouMean(name, names)
}

// synonym is the column, of any table, for which a name is another common one; "" if there is none.
func synonym(name string) string {
	for _, t := range tables {
		for _, c := range t.tableColumns() {
			if slices.Contains(c.also, plainName(name)) {
				return c.name
			}
		}
	}
	return ""
}

// meant is the hint for a synonym of one of the names; "" for other names.
func meant(name string, names []string) string {
	if column := synonym(name); slices.Contains(names, column) {
		return fmt.Sprintf("did you mean %q?", column)
	}
	return ""
}

// unknownHint is the hint for an unknown name, where `all` are known.
func unknownHint(name string, all []string) string {
	return cmp.Or(meant(name, all), didYouMean(name, all))
}

// header checks the names of the columns.
func (f *csvFile) header(names []string) bool {
	f.place = make([]int, len(f.columns))
	for i := range f.place {
		f.place[i] = -1
	}
	all := columnNames(f.columns)
	if f.noHeader(names) {
		return false
	}
	unnamed, respelled, first := 0, 0, 0
	wanted := append([]string{}, names...) // the header as it should be
	for k, name := range names {
		i := find(f.columns, name)
		switch {
		case i < 0 && strings.TrimSpace(name) == "":
			unnamed++
		case i < 0 && !f.intake.opt.AllowUnknown && spelled(name, all) != "" && !slices.Contains(names, spelled(name, all)):
			if respelled++; respelled == 1 {
				first = k
			}
			wanted[k] = spelled(name, all)
			if i := find(f.columns, wanted[k]); f.place[i] < 0 {
				f.place[i] = k
			}
		case i < 0:
			hint := unknownHint(name, all)
			if other := cmp.Or(spelled(name, all), synonym(name)); other != "" && slices.Contains(names, other) {
				hint = fmt.Sprintf("the header has %q too: delete one of the two columns, or skip this one with "+
					"--allow-unknown", other)
			}
			f.intake.unknown(model.Finding{Pos: f.At(k), What: "unknown column " + textpos.Quoted(name),
				Expected: "one of " + strings.Join(all, ", "), Hint: hint})
		case f.place[i] >= 0:
			f.Found.Add(textpos.Twice(f.At(k), "column", name))
		default:
			f.place[i] = k
		}
	}
	if unnamed > 0 {
		f.unnamed(names, unnamed)
	}
	if respelled > 0 {
		f.intake.findings.Add(model.Finding{Code: model.CodeUnknown, Pos: f.At(first), More: respelled - 1,
			What:     "the header says " + textpos.Quoted(names[first]) + " instead of " + wanted[first],
			Expected: "names in lower case, with _ between words",
			Hint:     "write the first line as " + pasted(strings.Join(wanted, ","))})
	}
	return f.complete() && respelled == 0
}

// maxPasted is how many bytes of a line are printed that people may copy.
const maxPasted = 1000

// pasted quotes a whole line, unless it is too long or unprintable.
func pasted(line string) string {
	if len(line) > maxPasted {
		return textpos.Quoted(line)
	}
	return `"` + line + `"`
}

// unnamed reports columns without a name, which spreadsheets leave behind.
func (f *csvFile) unnamed(names []string, n int) {
	for k, name := range names {
		if strings.TrimSpace(name) == "" {
			f.intake.unknown(model.Finding{Pos: f.At(k), What: model.Counted(n, "column") + " without a name",
				Expected: "a name for each column", Hint: "delete the empty columns, or the commas at the ends of lines"})
			return
		}
	}
}

// complete reports required columns that the header lacks.
func (f *csvFile) complete() bool {
	complete := true
	for i := range f.columns {
		if c := &f.columns[i]; c.required && f.place[i] < 0 {
			complete = false
			f.Report(model.CodeMissing, 0, fmt.Sprintf("the header has no column %s", c.name),
				"the columns "+strings.Join(requiredNames(f.columns), ", "),
				"add the column to the first line and to each row, or rename the one that holds it: "+meaning(f.columns, i))
		}
	}
	return complete
}

// maxMeanings is how many required columns are explained together, because their order may be mistaken.
const maxMeanings = 3

// meaning says what a column holds and, if few are required, what these hold.
func meaning(columns []column, i int) string {
	texts := []string{columns[i].name + " is " + columns[i].doc}
	for k := range columns {
		if columns[k].required && k != i && len(requiredNames(columns)) <= maxMeanings {
			texts = append(texts, columns[k].name+" is "+columns[k].doc)
		}
	}
	return strings.Join(texts, "; ")
}

// lacked reports a required column that no name means, however spelled.
func (c *column) lacked(names []string) bool {
	return c.required && !slices.Contains(names, c.name) && spelled(c.name, names) == ""
}

// noHeader reports a first line that names no column of the table and lacks some even in other spellings. It says why
// that may be.
func (f *csvFile) noHeader(names []string) bool {
	carriage := slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, "\r") })
	known := slices.ContainsFunc(names, func(name string) bool { return find(f.columns, name) >= 0 })
	if (known || !slices.ContainsFunc(f.columns, func(c column) bool { return c.lacked(names) })) && !carriage {
		return false
	}
	command, foreign := "", false
	if IsFile(path.Base(f.file)) {
		command, foreign = propose(f.file, names)
	}
	at := f.At(max(0, slices.IndexFunc(names, func(name string) bool { return strings.Contains(name, "\r") })))
	what, hint := "the first line names no column of this table: "+textpos.Quoted(strings.Join(names, ",")),
		"the first line names the columns: rename them, and delete lines above it"
	if first := slices.IndexFunc(f.columns, func(c column) bool { return c.required }); first >= 0 {
		hint += ": " + meaning(f.columns, first)
	}
	switch {
	case carriage && f.another(): // there are other line ends
		what, hint = "there is a carriage return inside the first line", "delete it: it belongs to the end of a line alone, "+
			"before the line feed"
	case carriage:
		what, hint = "the lines end with carriage returns alone", "save the file with line ends of Unix (LF) or Windows "+
			"(CR LF)"
	case strings.HasPrefix(names[0], "<"):
		what, hint = "the file is an HTML or XML document", "export the table as \"CSV UTF-8\""
	case len(names) == 1 && strings.ContainsAny(names[0], ";\t|") || strings.HasPrefix(names[0], "sep="):
		what = "the header is one field, " + textpos.Quoted(names[0])
		hint = "separate columns with commas, and write decimals with a point"
	case foreign:
		hint = "if another program wrote it: " + command
	}
	f.Found.Add(model.Finding{Code: model.CodeRowShape, Pos: at, What: what,
		Expected: "the columns " + strings.Join(requiredNames(f.columns), ", "), Hint: hint})
	return true
}

// another reads another record, if there is one, be it wrong.
func (f *csvFile) another() bool {
	_, err := f.Read()
	return err != io.EOF
}
