package diff

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"mrsched/io/show"
	"mrsched/model"
)

// How many rows of a section are kept for WriteText and for WriteMarkdown.
const (
	Keep         = 8
	KeepMarkdown = 5
)

// Sizes of WriteBrief.
const (
	briefWidth = 76
	briefRows  = 3 // of each table of the input
)

// verdict is the whole comparison in two words.
func (d *Difference) verdict() string {
	switch {
	case d.Same:
		return "the same"
	case d.Compared == ComparedInstances:
		return "changed"
	case d.section(SectionInput) != nil:
		return "another input"
	case d.Verdict == VerdictBetter || d.Verdict == VerdictWorse:
		return d.Verdict
	}
	return "different"
}

// title is the first line of a section. Numbers of another input must not be taken for progress.
func (d *Difference) title(s *Section) string {
	title := s.Name
	if s.Name == SectionResult && d.section(SectionInput) != nil {
		title += ", of another input"
	}
	var counts []string
	for _, name := range countOrder {
		if s.Name == SectionTasks && d.Tolerance > 0 && (name == countAll || name == countMoved) {
			if name == countAll {
				counts = append(counts, fmt.Sprintf("%d of %d moved by more than %s or to another machine",
					s.Counts[countMoved], s.Counts[countAll], show.Time(d.Tolerance)))
			}
			continue
		}
		if n, ok := s.Counts[name]; ok {
			counts = append(counts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(name, "_", " ")))
		}
	}
	return strings.TrimSpace(title + ": " + strings.Join(counts, ", "))
}

// lines are the cells of at most most lines of a section, 0: all, and how many more there are.
func (s *Section) lines(name func(string) string, most int) (lines [][]string, more int) {
	shares := s.Name == SectionResult || s.Name == SectionMetrics
	for i := range s.Values {
		lines = append(lines, []string{name(s.Values[i].title()), s.Values[i].text(name, true, shares)})
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		var keys []string
		for _, key := range r.Key {
			keys = append(keys, name(key))
		}
		cells := []string{strings.Join(keys, ", ")}
		if r.Change != countChanged {
			cells = append(cells, r.Change)
		}
		for k := range r.Values {
			v := s.clocked(r.Values[k])
			cells = append(cells, name(v.title())+" "+v.text(name, r.Change == countChanged, false))
		}
		if r.Moved > 0 {
			cells = append(cells, model.Counted(r.Moved, "task")+" moved")
		}
		lines = append(lines, cells)
	}
	more = s.rows - len(s.Rows)
	if most > 0 && len(lines) > most {
		more += len(lines) - most
		lines = lines[:most]
	}
	return lines, more
}

// clocked is a value with clock times in place of starts and ends, if both sides have the same origin.
func (s *Section) clocked(v Value) Value {
	for _, side := range []*Text{&v.Old, &v.New} {
		t, err := model.ParseSignedTime(string(*side))
		if err == nil && s.origin.Known() && (v.Name == "start" || v.Name == "end") {
			*side = Text(s.origin.Near(t))
		}
	}
	return v
}

func (v *Value) title() string {
	if v.Name == valueRatio {
		return "gap"
	}
	return v.Name
}

// text is old → new, with the change of numbers, also in per cent if asked. A value of a row that one side has stands
// alone.
func (v *Value) text(name func(string) string, both, share bool) string {
	side := func(t Text) string {
		switch r := decimal(string(t)); {
		case t == "":
			return show.Dash("")
		case v.Name == valueRatio:
			return show.Gap(model.Number(t))
		case r != nil:
			return shown(r)
		}
		return name(string(t))
	}
	switch {
	case !v.differs() || !both && v.Old == "":
		return side(v.New)
	case !both && v.New == "":
		return side(v.Old)
	}
	text := side(v.Old) + " → " + side(v.New)
	if v.Change == "" || v.Name == valueRatio {
		return text
	}
	change := decimal(string(v.Change))
	text += " (" + signed(change)
	if share {
		text += percent(decimal(string(v.Old)), change)
	}
	return text + ")"
}

// WriteText writes the difference for people, with everything or with at most Keep lines of each section.
func (d *Difference) WriteText(w io.Writer, all bool) error {
	name, most := plainName, Keep
	if all {
		name, most = wholeName, 0
	}
	out := bufio.NewWriter(w) // whose errors Flush returns
	if d.Problem != "" {
		fmt.Fprintf(out, "%s: ", name(d.Problem))
	}
	fmt.Fprintf(out, "%s → %s: %s\n", wholeName(d.Old.Name), wholeName(d.New.Name), d.verdict())
	for _, s := range d.Sections {
		fmt.Fprintln(out, d.title(s))
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		lines, more := s.lines(name, most)
		for _, cells := range lines {
			fmt.Fprintf(t, "  %s\t%s\n", cells[0], strings.Join(cells[1:], ", "))
		}
		t.Flush()
		if more > 0 {
			fmt.Fprintf(out, "  … and %d more (--all lists them)\n", more)
		}
	}
	for _, n := range d.Notes {
		fmt.Fprintf(out, "note: %s\n", wholeName(n))
	}
	return out.Flush()
}

// WriteMarkdown writes the difference as a comment for a code review: a verdict, and the largest changes. Everything
// that comes from files is written as code, so no name can act as markup.
func (d *Difference) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** (%s → %s)\n", upper(d.verdict()), codeText(d.Old.Name), codeText(d.New.Name))
	for _, s := range d.Sections {
		fmt.Fprintf(&b, "\n%s\n\n", upper(d.title(s)))
		lines, more := s.lines(codeName, KeepMarkdown)
		if s.Name == SectionResult || s.Name == SectionInput {
			lines, more = s.lines(codeName, 0)
		}
		for _, cells := range lines {
			fmt.Fprintf(&b, "- %s: %s\n", cells[0], strings.Join(cells[1:], ", "))
		}
		if more > 0 {
			fmt.Fprintf(&b, "- … and %d more\n", more)
		}
	}
	for _, text := range slices.Concat(d.Notes, d.Warnings) {
		fmt.Fprintf(&b, "\nNote: %s\n", codeText(text))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// asciiText replaces the signs of mrsched itself, which not every mail program shows.
var asciiText = strings.NewReplacer("→", "->", "…", "...", "–", "-", "≤", "<=")

// WriteBrief writes the difference in a few lines for a mail: the verdict, what changed in the input, what both results
// state, what was planned again, and how many jobs and tasks changed. No line is wider than briefWidth, except for
// names.
func (d *Difference) WriteBrief(w io.Writer) error {
	var b strings.Builder
	line := func(indent, text string) {
		b.WriteString(show.Wrapped(asciiText.Replace(text), briefWidth, indent, indent+"    "))
	}
	line("", d.verdict())
	for _, s := range d.Sections {
		short, most := *s, briefRows
		short.Values = slices.DeleteFunc(slices.Clone(s.Values), func(v Value) bool {
			return (s.Name == SectionResult || s.Name == SectionInput) && !v.differs() ||
				s.Name == SectionMetrics && !slices.Contains(model.ReplanMetrics(), v.Name)
		})
		switch {
		case s.Name == SectionSettings || len(short.Values)+len(s.Counts) == 0:
			continue
		case len(short.Values) > 0:
			most = 0
		case !strings.HasPrefix(s.Name, SectionInput):
			short.Rows, short.rows = nil, 0
		}
		line("  ", d.title(s))
		lines, more := short.lines(plainName, most)
		for _, cells := range lines {
			line("    ", cells[0]+": "+strings.Join(cells[1:], ", "))
		}
		if more > 0 {
			line("    ", fmt.Sprintf("... and %d more", more))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

//go:embed schema.json
var schema []byte

// Schema is the JSON Schema (2020-12) of a Difference.
func Schema() []byte { return schema }

// WriteJSON writes the difference as one line of JSON.
func (d *Difference) WriteJSON(w io.Writer) error {
	out := bufio.NewWriter(w) // whose errors Flush returns
	head := *d
	head.Sections = []*Section{}
	_, _ = out.WriteString(strings.TrimSuffix(show.JSONText(head), "]}"))
	for i, s := range d.Sections {
		_, _ = out.WriteString(either(i > 0, ",", ""))
		short := *s
		short.Rows = nil
		text := show.JSONText(short)
		for k := range s.Rows { // one by one: there may be millions
			text = either(k > 0, ",", strings.TrimSuffix(text, "}")+`,"rows":[`)
			_, _ = out.WriteString(text + show.JSONText(s.Rows[k]))
			text = "]}"
		}
		_, _ = out.WriteString(text)
	}
	_, _ = out.WriteString("]}\n")
	return out.Flush()
}
