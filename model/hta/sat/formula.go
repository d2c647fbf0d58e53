package sat

import (
	"fmt"
	"maps"
	"slices"
)

// Literal is a variable's number, negated for its negation, as in DIMACS files; never 0.
type Literal int32

// Variable is the literal's variable.
func (l Literal) Variable() int { return int(max(l, -l)) }

// String is "x3" or "-x3".
func (l Literal) String() string {
	if l < 0 {
		return fmt.Sprintf("-x%d", -l)
	}
	return fmt.Sprintf("x%d", l)
}

// clauseSize is the number of literals of a clause: the 3 of 3SAT.
const clauseSize = 3

// Clause is a disjunction. One with fewer literals repeats its last.
type Clause [clauseSize]Literal

// Formula is a conjunction of clauses.
type Formula struct {
	Name     string // of the file that it was read from, for findings
	Declared int    // variables that the file declares; some may not occur
	Clauses  []Clause
	Short    int // clauses that had fewer than three literals
}

// Truth is a truth assignment: one value per variable. Variables without an entry are false.
type Truth map[int]bool

// of is the value of a literal.
func (t Truth) of(l Literal) bool { return t[l.Variable()] == (l > 0) }

// Variables lists the variables that occur, in rising order.
func (f *Formula) Variables() []int {
	seen := map[int]bool{}
	for _, c := range f.Clauses {
		for _, l := range c {
			seen[l.Variable()] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// Omega is the largest number of times that one literal occurs.
func (f *Formula) Omega() int {
	count := map[Literal]int{}
	most := 0
	for _, c := range f.Clauses {
		for _, l := range c {
			count[l]++
			most = max(most, count[l])
		}
	}
	return most
}

// Falsified is the index of the first clause that is false, or -1 if the formula is true.
func (f *Formula) Falsified(t Truth) int {
	return slices.IndexFunc(f.Clauses, func(c Clause) bool { return !slices.ContainsFunc(c[:], t.of) })
}
