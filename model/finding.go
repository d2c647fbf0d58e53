package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Position is a place in an input file. Line and Column count from 1; 0 means unknown.
type Position struct {
	File   string
	Line   int32
	Column int32
}

// String prints file:line:column, leaving out what is unknown.
func (p Position) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Finding is one thing wrong with an input.
type Finding struct {
	Code     Code
	Pos      Position
	What     string
	Expected string
	Hint     string
	// Conflict is set if single rows are valid and only exclude each other.
	Conflict *Conflict
	// Like is what the finding is about, such as a column. Of findings with the same file, code and Like, only the
	// first few are kept. Empty: the finding resembles no other.
	Like string
	More int // similar findings that were not kept
}

// String prints "CODE file:line:column: what; expected …; hint: …".
func (f Finding) String() string {
	var b strings.Builder
	b.WriteString(string(f.Code))
	if at := f.Pos.String(); at != "" {
		b.WriteString(" " + at)
	}
	b.WriteString(": " + f.What)
	if f.More > 0 {
		fmt.Fprintf(&b, " (and %d more like it)", f.More)
	}
	if f.Expected != "" {
		b.WriteString("; expected " + f.Expected)
	}
	if f.Hint != "" {
		b.WriteString("; hint: " + f.Hint)
	}
	return b.String()
}

// maxFindings is how many findings a reader keeps by default; the rest are counted.
const maxFindings = 100

// Findings collects what is wrong with an input; the zero value is ready to use.
type Findings struct {
	list    []Finding
	dropped int
	most    int // to keep; 0: maxFindings
	alike   map[alike]*kept
}

// alike is what similar findings have in common.
type alike struct {
	file string
	code Code
	like string
}

// kept counts similar findings; last is the index of the last one that is kept.
type kept struct{ count, last int }

// maxAlike is how many similar findings are kept.
const maxAlike = 3

// Keep sets how many findings are kept, similar ones included; 0 is the default.
func (f *Findings) Keep(most int) { f.most = most }

func (f *Findings) limit() int { return cmp.Or(f.most, maxFindings) }

// Add keeps a finding, or only counts it once there are very many. It always keeps what ended the reading of a file,
// because that explains missing rows.
func (f *Findings) Add(x Finding) {
	if x.Like != "" && f.most == 0 {
		key := alike{x.Pos.File, x.Code, x.Like}
		if f.alike == nil {
			f.alike = map[alike]*kept{}
		}
		k := f.alike[key]
		if k == nil {
			k = &kept{}
			f.alike[key] = k
		}
		if k.count++; k.count > maxAlike {
			f.list[k.last].More++
			return
		}
		k.last = len(f.list)
	}
	if f.full() && (!endings[x.Code] || len(f.list) >= 2*f.limit()) {
		f.dropped++
		return
	}
	f.list = append(f.list, x)
}

// Merge adds the findings of another collection, including those that it only counted.
func (f *Findings) Merge(from *Findings) {
	from.sort()
	for _, x := range from.list {
		f.Add(x)
	}
	f.dropped += from.dropped
}

// endings are the codes of findings that end the reading of a file.
var endings = map[Code]bool{CodeUnreadable: true, CodeCompression: true, CodeTruncated: true, CodeTooLarge: true}

// full says that further findings are only counted.
func (f *Findings) full() bool { return len(f.list) >= f.limit() }

// Empty says whether nothing was found.
func (f *Findings) Empty() bool { return len(f.list) == 0 }

// Err is nil if nothing was found, else an *InputError with all findings in file order.
func (f *Findings) Err() error {
	if f.Empty() {
		return nil
	}
	f.sort()
	return &InputError{Findings: f.list, More: f.dropped}
}

// sort puts the findings in file order.
func (f *Findings) sort() {
	slices.SortStableFunc(f.list, func(x, y Finding) int {
		a, b := x.Pos, y.Pos
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// InputError is an input that cannot be used; it carries every finding.
type InputError struct {
	Findings []Finding
	More     int // findings beyond those kept
}

// Error prints one finding a line.
func (e *InputError) Error() string {
	lines := make([]string, 0, len(e.Findings)+1)
	for _, f := range e.Findings {
		lines = append(lines, f.String())
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more findings", e.More))
	}
	return strings.Join(lines, "\n")
}

// NewInputError is an InputError of one finding.
func NewInputError(f Finding) error { return &InputError{Findings: []Finding{f}} }
