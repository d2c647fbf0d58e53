package diff

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"mrsched/io/show"
)

// How many changes of jobs, machines and tasks each are kept for WriteText and for WriteMarkdown.
const (
	Keep         = 8
	KeepMarkdown = 5
)

// Sizes of WriteBrief.
const (
	briefWidth  = 76
	briefInputs = 8 // lines of changes of the input
)

// WriteText writes the difference for people. With all it leaves out nothing; otherwise, for a Difference made with
// Keep, it writes at most 60 lines.
func (d *Difference) WriteText(w io.Writer, all bool) error {
	f := form{name: plainName, text: strings.Clone, all: all, half: d.Input != nil, more: " (--all lists them)"}
	inputs := inputLines
	if all {
		f.name, inputs = wholeName, 0
	}
	var b bytes.Buffer
	if d.Problem != "" {
		fmt.Fprintf(&b, "%s: ", f.name(d.Problem))
	}
	fmt.Fprintf(&b, "%s → %s: %s\n", wholeName(d.Old.Name), wholeName(d.New.Name), d.verdict())
	if d.Input != nil {
		t := &inputText{in: d.Input, name: f.name, most: inputs, more: f.more}
		fmt.Fprintf(&b, "input: %s\n", t.sizes())
		for _, line := range t.lines() {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	for _, s := range d.sections(f) {
		if s.title != "" {
			fmt.Fprintln(&b, s.title)
		}
		t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, row := range s.rows {
			if s.title != "" {
				row[0] = "  " + row[0]
			}
			fmt.Fprintln(t, strings.Join(row, "\t"))
		}
		t.Flush() // it writes to memory
		if s.more > 0 {
			fmt.Fprintf(&b, "  … and %d more%s\n", s.more, f.more)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// WriteMarkdown writes the difference as a comment for a code review: a verdict, a table of numbers, the largest
// changes. Everything that comes from files is written as code, so no name can act as markup.
func (d *Difference) WriteMarkdown(w io.Writer) error {
	f := form{name: codeName, text: codeText, half: true}
	var b bytes.Buffer
	fmt.Fprintf(&b, "**%s**", upper(d.verdict()))
	if o := d.Objective; o != nil && o.Name != "" {
		fmt.Fprintf(&b, ": %s %s", codeName(o.Name), objectiveFact(o, codeName))
	}
	if d.Tasks != nil {
		fmt.Fprintf(&b, "; %d of %d tasks moved", d.Tasks.Moved, d.Tasks.Old+d.Tasks.Appeared)
	}
	fmt.Fprintf(&b, " (%s → %s)\n", codeText(d.Old.Name), codeText(d.New.Name))
	if d.Input != nil {
		t := &inputText{in: d.Input, name: codeName, most: inputLines}
		fmt.Fprintf(&b, "\nInput: %s.\n\n- %s\n", t.sizes(), strings.Join(t.lines(), "\n- "))
	}
	if facts := d.facts(codeName); len(facts) > 0 {
		if title := d.factsTitle(); title != "" {
			fmt.Fprintf(&b, "\n%s\n", upper(title))
		}
		fmt.Fprintf(&b, "\n| | old | new | change |\n|---|--:|--:|--:|\n")
		for _, x := range facts {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", x.name, none(x.old), none(x.new), x.remark())
		}
	}
	for _, s := range d.sections(f)[1:] {
		fmt.Fprintf(&b, "\n%s%s\n", upper(s.title), either(len(s.rows) > 0, "\n", ""))
		for _, row := range s.rows {
			cells := slices.DeleteFunc(row[1:], func(cell string) bool { return cell == "" })
			fmt.Fprintf(&b, "- %s: %s\n", row[0], strings.Join(cells, ", "))
		}
		if s.more > 0 {
			fmt.Fprintf(&b, "- … and %d more\n", s.more)
		}
	}
	for _, text := range d.Warnings {
		fmt.Fprintf(&b, "\nWarning: %s\n", codeText(text))
	}
	_, err := w.Write(b.Bytes())
	return err
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// asciiText replaces the signs of mrsched itself, which not every mail program shows.
var asciiText = strings.NewReplacer("→", "->", "×", "x", "…", "...", "–", "-", "≤", "<=")

// WriteBrief writes the difference in a few lines for a mail: the verdict, what changed in the input, what both results
// state, what was planned again, and how many jobs and tasks changed. No line is wider than briefWidth, except for
// names.
func (d *Difference) WriteBrief(w io.Writer) error {
	var b strings.Builder
	line := func(indent, text string) {
		b.WriteString(show.Wrapped(asciiText.Replace(text), briefWidth, indent, indent+"    "))
	}
	head, in := d.verdict(), "  "
	if d.Input == nil {
		line("", head)
	} else {
		t := &inputText{in: d.Input, name: plainName, most: briefInputs}
		line("", head+": "+t.sizes())
		for _, text := range t.lines() {
			line(in, text)
		}
		if d.Input.Source == fromResults {
			line(in, "(from the results alone; name the instances to see all)")
		}
	}
	if title := d.factsTitle(); title != "" {
		line(in, title)
		in += in
	}
	for _, x := range d.facts(plainName) {
		if x.differs() {
			line(in, x.name+" "+x.String())
		}
	}
	for _, v := range d.Metrics {
		if ofReplan(v) {
			line(in, plainName(v.Name)+" "+arrow(valueText(v.Old, plainName), valueText(v.New, plainName)))
		}
	}
	if e := d.Ends; e != nil && e.Earlier+e.Later+e.OnlyOld+e.OnlyNew > 0 {
		line(in, "jobs: "+e.String())
	}
	if d.Tasks != nil && d.Tasks.Moved > 0 {
		line(in, fmt.Sprintf("tasks: %d of %d moved", d.Tasks.Moved, d.Tasks.Old+d.Tasks.Appeared))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
