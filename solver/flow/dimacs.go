package flow

import "fmt"

// Kind tells the problems of DIMACS files apart.
type Kind uint8

// The kinds of problems.
const (
	MaximumFlow Kind = iota // `p max`
	MinimumCost             // `p min`
)

// String returns the designator of the problem line.
func (k Kind) String() string {
	if k == MinimumCost {
		return "min"
	}
	return "max"
}

// Problem is the content of a DIMACS file. Node 1 of the file is Node 0 here; arcs keep their order.
type Problem struct {
	Kind         Kind
	Network      *Network
	Source, Sink Node // of MaximumFlow
}

// ParseError is a mistake in a DIMACS file.
type ParseError struct {
	Line, Column int    // from 1; columns count bytes. Column 0: the line as a whole
	Text         string // what stands there, shortened; empty: the end of the line or file
	Expected     string
}

func (e *ParseError) Error() string {
	found := "nothing more"
	if e.Text != "" {
		found = fmt.Sprintf("%q", e.Text)
	}
	return fmt.Sprintf("%d:%d: expected %s, found %s", e.Line, e.Column, e.Expected, found)
}
