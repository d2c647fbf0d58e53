package result

import (
	"fmt"
	"io"
	"strings"

	"mrsched/io/show"
)

// Sizes of WriteBrief.
const (
	briefWidth  = 76
	briefInputs = 8 // lines of changes of the input
)

// asciiText replaces the signs of mrsched itself, which not every mail program shows.
var asciiText = strings.NewReplacer("→", "->", "×", "x", "…", "...", "–", "-", "≤", "<=")

// WriteBrief writes the difference in a few lines for a mail: the verdict, what changed in the input, cost, bound and
// gap, and the jobs. No line is wider than briefWidth, except for names.
func (d *Difference) WriteBrief(w io.Writer) error {
	var b strings.Builder
	line := func(indent, text string) {
		b.WriteString(show.Wrapped(asciiText.Replace(text), briefWidth, indent, indent+"    "))
	}
	head, in := d.verdict(), "  "
	if d.Input != nil {
		t := &inputText{in: d.Input, name: plainName, most: briefInputs}
		line("", head+": "+t.sizes())
		for _, text := range t.lines() {
			line(in, text)
		}
		if d.Input.Source == fromResults {
			line(in, "(from the results alone; name the instances to see all)")
		}
		if d.Compared != ComparedInstances {
			line(in, "the result, of another input:")
			in += in
		}
	} else {
		line("", head)
	}
	if s := d.Status; s != nil && s.Old != s.New {
		line(in, "status "+arrow(named(s.Old, plainName), named(s.New, plainName)))
	}
	if o := d.Objective; o != nil && o.Name != "" {
		line(in, plainName(o.Name)+" "+withPercent(o.Numbers))
	} else if o != nil {
		line(in, fmt.Sprintf("objective %s %s → %s %s", plainName(o.OldName), shown(o.Old), plainName(o.NewName),
			shown(o.New)))
	}
	if c := d.LowerBound; c != nil && (c.Old == nil || c.New == nil || c.Old.Value != c.New.Value) {
		line(in, "lower bound "+boundsText(c, plainName))
	}
	if d.Ratio != nil && d.Ratio.changed() {
		line(in, "gap "+arrow(show.Gap(d.Ratio.Old), show.Gap(d.Ratio.New)))
	}
	for _, v := range d.Metrics {
		if ofReplan(v) {
			line(in, plainName(v.Name)+" "+arrow(valueText(v.Old, plainName), valueText(v.New, plainName)))
		}
	}
	if d.Old.Algorithm != d.New.Algorithm {
		line(in, "algorithm "+arrow(named(d.Old.Algorithm, plainName), named(d.New.Algorithm, plainName)))
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
