package sat

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"mrsched/model"
)

// ReadCNF reads a formula in DIMACS CNF: comment lines that begin with c, one line "p cnf VARIABLES CLAUSES", then
// clauses of non-zero numbers that end with 0, regardless of line breaks. A % ends the formula, as in SATLIB's files.
//
// name is the file's name in positions. A clause with fewer than three literals repeats its last; one with more, an
// empty clause and an empty formula are errors. All findings come at once, as one *model.InputError: F101 unreadable,
// F103 bad header, F104 cut short, F109 a clause of no or too many literals, or more clauses than stated, S401 no
// clause, V202 not a number, V204 a number beyond those stated, V208 a second header. A reader with a method Finding
// like that of textpos.Reader explains its own errors.
func ReadCNF(r io.Reader, name string) (*Formula, error) {
	p := &parser{formula: &Formula{Name: name}, at: model.Position{File: name}}
	text, err := io.ReadAll(r)
	if err != nil {
		f := model.Finding{Code: model.CodeUnreadable, Pos: p.at, What: err.Error()}
		if known, ok := r.(interface{ Finding(error) model.Finding }); ok {
			f = known.Finding(err)
		}
		return nil, model.NewInputError(f)
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if p.at.Line++; !p.line(line) {
			break
		}
		p.at.Column = int32(len(line)) + 1
	}
	p.end()
	if err := p.findings.Err(); err != nil {
		return nil, err
	}
	return p.formula, nil
}

// parser holds what was read so far.
type parser struct {
	at       model.Position
	findings model.Findings
	formula  *Formula

	header   bool // seen, or reported as missing
	bounded  bool // Declared and stated are known
	stated   int
	headerAt model.Position

	clause  Clause
	size    int  // of the clause that is being read
	broken  bool // one of its literals is reported
	begin   model.Position
	surplus model.Position // of its first literal too many
	read    int            // clauses that ended, valid or not
}

const (
	blanks = " \t\v\f\r"
	// maxToken is how much of a word, or of a header, messages show; longer ones are invalid anyway.
	maxToken = 64
)

// line reads a line; false: the formula ends there.
func (p *parser) line(line string) bool {
	rest := strings.TrimLeft(line, blanks)
	if strings.HasPrefix(rest, "c") {
		return true
	}
	for rest != "" {
		p.at.Column = int32(len(line)-len(rest)) + 1
		word, after := rest, ""
		if k := strings.IndexAny(rest, blanks); k >= 0 {
			word, after = rest[:k], strings.TrimLeft(rest[k:], blanks)
		}
		switch word {
		case "%":
			return false
		case "p":
			p.readHeader(after)
			return true
		}
		p.token(word[:min(len(word), maxToken)])
		rest = after
	}
	return true
}

func (p *parser) report(code model.Code, at model.Position, what, expected, hint string) {
	p.findings.Add(model.Finding{Code: code, Pos: at, What: what, Expected: expected, Hint: hint})
}

// token takes the next word of the file.
func (p *parser) token(token string) {
	at := p.at
	if !p.header {
		p.header = true
		p.report(model.CodeSyntax, at, fmt.Sprintf("%q before the header", token), `a line "p cnf VARIABLES CLAUSES" first`,
			"comment lines begin with c")
	}
	if p.size == 0 && !p.broken {
		p.begin = at
	}
	v, err := strconv.ParseInt(token, 10, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		p.broken = true
		p.report(model.CodeNumber, at, fmt.Sprintf("%q is not a number", token),
			"a literal such as 3 or -3, or 0 at the end of a clause", "")
	case err != nil || v > p.maximum() || v < -p.maximum():
		p.broken = true
		what, hint := fmt.Sprintf("literal %s", token), ""
		if p.bounded {
			hint = "correct the literal or the header's number of variables"
		}
		p.report(model.CodeOverflow, at, what, fmt.Sprintf("variables 1 to %d", p.maximum()), hint)
	case v == 0:
		p.endClause(at)
	default:
		p.literal(Literal(v), at)
	}
}

// maximum is the largest variable that literals may have.
func (p *parser) maximum() int64 {
	if p.bounded {
		return int64(p.formula.Declared)
	}
	return math.MaxInt32
}

func (p *parser) literal(l Literal, at model.Position) {
	if p.size < clauseSize {
		p.clause[p.size] = l
	} else if p.size == clauseSize {
		p.surplus = at
	}
	p.size++
}

// endClause keeps the clause that was read, or reports its size.
func (p *parser) endClause(at model.Position) {
	p.read++
	switch {
	case p.size > clauseSize:
		p.report(model.CodeRowShape, p.surplus, fmt.Sprintf("clause %d has %d literals", p.read, p.size), "at most three",
			"split it with new variables: (a∨b∨c∨d) is (a∨b∨y)∧(¬y∨c∨d)")
	case p.broken:
	case p.size == 0:
		p.report(model.CodeRowShape, at, fmt.Sprintf("clause %d is empty", p.read), "one to three literals",
			"an empty clause is false: the formula has no solution")
	default:
		if p.size < clauseSize {
			p.formula.Short++
		}
		for i := p.size; i < clauseSize; i++ {
			p.clause[i] = p.clause[p.size-1]
		}
		p.formula.Clauses = append(p.formula.Clauses, p.clause)
	}
	p.size, p.broken = 0, false
}

// readHeader reads what follows the word p on its line.
func (p *parser) readHeader(line string) {
	field := strings.Fields(line)
	if p.bounded || p.read > 0 || p.size > 0 {
		p.report(model.CodeTwice, p.at, "a second header, or one after the first clause", "one header, before the clauses",
			"keep one formula a file")
		return
	}
	p.header, p.headerAt = true, p.at
	if len(field) == 3 && field[0] == "cnf" {
		variables, errV := strconv.ParseUint(field[1], 10, 31)
		clauses, errC := strconv.ParseUint(field[2], 10, 31)
		if errV == nil && errC == nil {
			p.bounded, p.formula.Declared, p.stated = true, int(variables), int(clauses)
			return
		}
	}
	text := strings.Join(append([]string{"p"}, field...), " ")
	p.report(model.CodeSyntax, p.at, fmt.Sprintf("the header is %q", text[:min(len(text), maxToken)]),
		`"p cnf VARIABLES CLAUSES" with two whole numbers`, "")
}

// end runs the checks that need the end of the file.
func (p *parser) end() {
	at := p.at
	switch {
	case p.size > 0 || p.broken:
		p.report(model.CodeTruncated, p.begin, fmt.Sprintf("clause %d has no end", p.read+1), "0 after its last literal",
			"was the file cut?")
	case !p.header:
		p.report(model.CodeSyntax, at, "the file has no header", `a line "p cnf VARIABLES CLAUSES"`,
			"is it a DIMACS CNF file?")
	case p.bounded && p.read < p.stated:
		p.report(model.CodeTruncated, at, fmt.Sprintf("%d clauses, but the header says %d", p.read, p.stated),
			"as many as the header says", "was the file cut?")
	case p.bounded && p.read > p.stated:
		p.report(model.CodeRowShape, p.headerAt, fmt.Sprintf("the header says %d clauses, but there are %d",
			p.stated, p.read),
			"as many as the header says", "correct the header")
	case p.read == 0:
		p.report(model.CodeEmpty, at, "the formula has no clause", "at least one",
			"an empty formula is true: there is nothing to schedule")
	}
}
