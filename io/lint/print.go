package lint

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"mrsched/io/show"
	"mrsched/io/textpos"
)

// Print writes the report for people.
func (r *Report) Print(w io.Writer) {
	errors := 0
	for _, f := range r.Findings {
		if f.Severity == Error {
			errors++
		}
	}
	fmt.Fprintf(w, "%s: ", textpos.Visible(r.Instance))
	if len(r.Problems) > 0 {
		fmt.Fprintf(w, "%s, %s, %s; ", show.Counted(r.Jobs, "job"), show.Counted(r.Tasks, "task"), r.machines())
	}
	fmt.Fprintf(w, "%s, %s%s\n", show.Counted(errors+r.More, "error"), show.Counted(len(r.Findings)-errors, "warning"),
		r.refused())
	for _, f := range r.Findings {
		fmt.Fprintf(w, "%s %s\n", f.Severity, textpos.Visible(f.String()))
	}
	if r.More > 0 {
		fmt.Fprintf(w, "… and %s\n", show.Counted(r.More, "more finding"))
	}
	r.unsolvable(w)
	for _, u := range r.Problems {
		u.print(w)
	}
}

// machines says what the instance knows of its machines.
func (r *Report) machines() string {
	switch {
	case r.Topology && r.Maps+r.Reduces == 0:
		return show.Counted(r.Nodes, "row") + " of topology without slots, which then limit nothing"
	case r.Topology:
		return fmt.Sprintf("%s of topology, %s, %s", show.Counted(r.Nodes, "row"), show.Counted(int(r.Maps), "map slot"),
			show.Counted(int(r.Reduces), "reduce slot"))
	case r.Nodes > 0:
		return "the table topology is missing (placements name " + show.Counted(r.Nodes, "node") + ")"
	}
	return "no topology"
}

// unsolvable says first of all how many problems cannot solve the instance, and what prevents the first of them, unless
// the named problem can solve it.
func (r *Report) unsolvable(w io.Writer) {
	if r.named && r.Problems[0].Solvable {
		return
	}
	var list []Use
	for _, u := range r.Problems {
		if !u.Solvable && len(u.Prevents) > 0 {
			list = append(list, u)
		}
	}
	if len(list) > 0 && len(r.Problems) > 1 {
		fmt.Fprintf(w, "%d of %d problems cannot solve this; for %s: %s\n", len(list), len(r.Problems), list[0].Problem,
			textpos.Visible(list[0].Prevents[0].String()))
	}
}

func (u *Use) print(w io.Writer) {
	if !u.Solvable {
		fmt.Fprintf(w, "%s: cannot solve this\n", u.Problem)
		for i := 0; i < len(u.Prevents); { // of each code the first
			first, next := u.Prevents[i], i+1
			n := 0
			for ; next < len(u.Prevents) && u.Prevents[next].Code == first.Code; next++ {
				n += 1 + u.Prevents[next].more
			}
			more := ""
			if n > 0 {
				more = fmt.Sprintf(" (and %d more %s)", n, first.Code)
			}
			fmt.Fprintf(w, "  %s%s\n", textpos.Visible(first.String()), more)
			i = next
		}
		return
	}
	fmt.Fprintf(w, "%s: can solve this\n", u.Problem)
	line := func(what, list, rest string) {
		if list != "" {
			fmt.Fprintf(w, "  %s %s%s\n", what, list, rest)
		}
	}
	line("uses", grouped(u.Uses), "")
	var whens []string // "": never used
	ignored := map[string][]string{}
	for _, i := range u.Ignores {
		if ignored[i.When] == nil && i.When != "" {
			whens = append(whens, i.When)
		}
		ignored[i.When] = append(ignored[i.When], i.Column)
	}
	line("ignores", grouped(ignored[""]), "")
	for _, when := range whens {
		line("ignores", grouped(ignored[when]), " here; used "+when)
	}
	line("assumes", strings.Join(u.Assumes, ", "), "")
	for _, note := range u.Notes {
		fmt.Fprintf(w, "  note: %s\n", textpos.Visible(note))
	}
}

// refused says why an instance that was read without errors is refused: the only requested problem cannot solve it, or
// warnings count as errors.
func (r *Report) refused() string {
	if len(r.Problems) == 1 && !r.Problems[0].Solvable {
		return fmt.Sprintf(", and %s cannot solve it", r.Problems[0].Problem)
	}
	switch warned := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == Warning }); {
	case r.objected:
		return ", of which some count as errors"
	case r.strict && warned && !r.named:
		return ", which count as errors"
	}
	return ""
}

// grouped lists columns by table: "machines; jobs: release, weight".
func grouped(columns []string) string {
	var text strings.Builder
	last := ""
	for i, name := range columns {
		table, column, ok := strings.Cut(name, ".")
		switch {
		case i > 0 && ok && table == last:
			text.WriteString(", " + column)
			continue
		case i > 0:
			text.WriteString("; ")
		}
		text.WriteString(table)
		if ok {
			text.WriteString(": " + column)
		}
		last = table
	}
	return text.String()
}

// String is the finding in one line, with the remedy of its code if it has no hint of its own.
func (f Finding) String() string {
	if f.Code == "" {
		return f.What
	}
	text := string(f.Code)
	if f.At != "" {
		text += " " + f.At
	}
	text += ": " + f.What
	if f.Expected != "" {
		text += "; expected " + f.Expected
	}
	if f.Hint = hintOr(f.Hint, f.Remedy); f.Hint != "" {
		text += "; hint: " + f.Hint
	}
	return text
}
