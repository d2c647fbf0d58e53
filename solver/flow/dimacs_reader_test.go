package flow

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

const (
	// maxLine is the longest line in bytes, comments excepted.
	maxLine = 4096

	// maxText is the most of a line that an error quotes, in bytes.
	maxText = 40

	// spareNodes and nodesPerArc limit the nodes of a file by its arcs. So memory depends on the content of a file, not on
	// its problem line.
	spareNodes  = 1 << 20
	nodesPerArc = 16

	problemLines = "the problem line, `p max NODES ARCS` or `p min NODES ARCS`"
)

// ParseError is a mistake in a DIMACS file.
type ParseError struct {
	Line, Column int    // from 1; columns count bytes. Column 0: the whole line
	Text         string // the text there, shortened; empty: the end of the line or file
	Expected     string
}

func (e *ParseError) Error() string {
	found := "nothing more"
	if e.Text != "" {
		found = fmt.Sprintf("%q", e.Text)
	}
	return fmt.Sprintf("%d:%d: expected %s, found %s", e.Line, e.Column, e.Expected, found)
}

// ReadDIMACS reads a maximum flow problem,
//
//	p max NODES ARCS
//	n ID s
//	n ID t
//	a TAIL HEAD CAPACITY
//
// or a minimum-cost flow problem, whose supplies may be absent and in which capacity −1 means [Infinite]:
//
//	p min NODES ARCS
//	n ID SUPPLY
//	a TAIL HEAD LOWER CAPACITY COST
//
// Lines that begin with c are comments, blank lines are skipped, lines may end with CR LF, and node lines may follow
// arc lines. Numbers are integers. A capacity of 2⁶³−1 is also Infinite. A mistake in the file is a [*ParseError];
// other errors are the reader's. Memory is proportional to the size of the file, plus 16 MB, whatever its problem line
// states.
//
// Source: DIMACS, The First DIMACS International Algorithm Implementation Challenge: Problem Definitions and
// Specifications, 1990.
func ReadDIMACS(r io.Reader) (*Problem, error) {
	p := &parser{in: bufio.NewReaderSize(r, 1<<16)}
	for p.next() {
		p.statement()
		if p.err != nil {
			return nil, p.err
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.finish()
}

// parser reads one line at a time and stops at the first mistake.
type parser struct {
	in     *bufio.Reader
	text   []byte // of the line, without its end
	line   int    // its number
	offset int    // number of bytes read
	word   string // last word read; empty at the end of the line
	column int    // of word
	err    error

	problem   Problem
	b         Builder
	arcs      int // as declared
	begun     bool
	place     int          // line of the problem line
	terminals [2]int       // lines of source and sink
	given     map[Node]int // the node lines so far

	supply            map[Node]int64 // as stated; the network gets them at the end, when its size is known to be right
	supplies, demands int64          // their sums
}

// fail records an error: what was expected at a column. Only the first one counts.
func (p *parser) fail(column int, text, format string, args ...any) {
	if p.err != nil {
		return
	}
	if len(text) > maxText {
		text = text[:maxText] + "…"
	}
	p.err = &ParseError{Line: p.line, Column: column, Text: text, Expected: fmt.Sprintf(format, args...)}
}

// unexpected records what was expected instead of the last word.
func (p *parser) unexpected(format string, args ...any) { p.fail(p.column, p.word, format, args...) }

// next moves to the next line that is neither blank nor a comment; false: the end of the file, or an error.
func (p *parser) next() bool {
	for p.err == nil {
		p.line++
		p.offset = 0
		var err error
		p.text, err = p.in.ReadSlice('\n')
		comment := len(p.text) > 0 && p.text[0] == 'c'
		switch {
		case err == io.EOF && len(p.text) == 0:
			return false
		case errors.Is(err, bufio.ErrBufferFull) && comment:
			p.skip()
			continue
		case err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull):
			p.err = fmt.Errorf("flow: line %d: %w", p.line, err)
			return false
		case comment:
			continue
		case len(p.text) > maxLine:
			p.fail(1, string(p.text[:maxText+1]), "a line of at most %d bytes", maxLine)
			return false
		}
		p.text = bytes.TrimRight(p.text, "\r\n")
		if len(bytes.Trim(p.text, " \t")) > 0 {
			return true
		}
	}
	return false
}

// skip reads the rest of a long comment.
func (p *parser) skip() {
	for {
		_, err := p.in.ReadSlice('\n')
		if err == nil || err == io.EOF {
			return
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			p.err = fmt.Errorf("flow: line %d: %w", p.line, err)
			return
		}
	}
}

// field reads the next word of the line.
func (p *parser) field() string {
	blank := func(c byte) bool { return c == ' ' || c == '\t' }
	begin := p.offset
	for begin < len(p.text) && blank(p.text[begin]) {
		begin++
	}
	end := begin
	for end < len(p.text) && !blank(p.text[end]) {
		end++
	}
	p.offset, p.word, p.column = end, string(p.text[begin:end]), begin+1
	return p.word
}

// number reads an integer from least to most.
func (p *parser) number(what string, least, most int64) int64 {
	v, err := strconv.ParseInt(p.field(), 10, 64)
	if err != nil || v < least || v > most {
		p.unexpected("%s, an integer from %d to %d", what, least, most)
		return 0
	}
	return v
}

// node reads the number of a node.
func (p *parser) node(what string) Node {
	return Node(p.number(what, 1, int64(p.b.NumNodes())) - 1)
}

// end requires the end of the line.
func (p *parser) end() {
	if p.field() != "" {
		p.unexpected("the end of the line")
	}
}

func (p *parser) statement() {
	word := p.field()
	switch {
	case !p.begun && word != "p":
		p.unexpected(problemLines)
	case word == "p" && p.begun:
		p.unexpected("no second problem line (the first is line %d)", p.place)
	case word == "p":
		p.problemLine()
	case word == "n":
		p.nodeLine()
	case word == "a" && p.b.NumArcs() == p.arcs:
		p.unexpected("no more than the %d arcs that line %d declares", p.arcs, p.place)
	case word == "a":
		p.arcLine()
	default:
		p.unexpected("a line that begins with c, n or a")
	}
}

func (p *parser) problemLine() {
	switch p.field() {
	case "max":
		p.problem.Kind = MaximumFlow
	case "min":
		p.problem.Kind = MinimumCost
	default:
		p.unexpected("max or min")
	}
	nodes := p.number("the number of nodes", 0, MaxNodes)
	p.arcs = int(p.number("the number of arcs", 0, MaxArcs))
	p.end()
	p.b.AddNodes(int(nodes))
	p.begun, p.place, p.given, p.supply = true, p.line, map[Node]int{}, map[Node]int64{}
}

func (p *parser) nodeLine() {
	v := p.node("a node")
	if p.err != nil {
		return
	}
	if line, ok := p.given[v]; ok {
		p.unexpected("another node (line %d describes this one)", line)
		return
	}
	p.given[v] = p.line
	if p.problem.Kind == MaximumFlow {
		p.terminal(v)
	} else if supply := p.number("the node's supply", -MaxTotal, MaxTotal); p.err == nil {
		p.supply[v] = supply
		p.supplies += max(supply, 0)
		p.demands += max(-supply, 0)
		if max(p.supplies, p.demands) > MaxTotal {
			p.unexpected("supplies, and demands, that add up to at most %d", MaxTotal)
		}
	}
	p.end()
}

func (p *parser) terminal(v Node) {
	k := 0
	switch p.field() {
	case "s":
		p.problem.Source = v
	case "t":
		p.problem.Sink, k = v, 1
	default:
		p.unexpected("s (source) or t (sink)")
		return
	}
	if p.terminals[k] != 0 {
		p.unexpected("only one such node (line %d names another)", p.terminals[k])
	}
	p.terminals[k] = p.line
}

func (p *parser) arcLine() {
	tail, head := p.node("the arc's tail"), p.node("the arc's head")
	var lower, cost, least int64
	if p.problem.Kind == MinimumCost {
		lower, least = p.number("the arc's lower bound", 0, MaxTotal), -1
		if lower > MaxTotal-p.b.lowers {
			p.unexpected("lower bounds that add up to at most %d", MaxTotal)
		}
	}
	capacity := p.number("the arc's capacity", least, Infinite)
	if capacity < 0 {
		capacity = Infinite
	}
	switch {
	case capacity < lower:
		p.unexpected("a capacity of at least the lower bound, %d", lower)
	case capacity != Infinite && capacity > MaxTotal-p.b.finite:
		p.unexpected("capacities that add up to at most %d", MaxTotal)
	}
	if p.problem.Kind == MinimumCost {
		cost = p.number("the arc's cost", -math.MaxInt64, math.MaxInt64)
	}
	p.end()
	if p.err == nil {
		p.b.SetLower(p.b.AddArc(tail, head, capacity, cost), lower)
	}
}

// finish checks the file as a whole, at its end.
func (p *parser) finish() (*Problem, error) {
	nodes, arcs := p.b.NumNodes(), p.b.NumArcs()
	switch {
	case !p.begun:
		p.fail(1, "", problemLines)
	case arcs < p.arcs:
		p.fail(1, "", "%d more arcs: line %d declares %d", p.arcs-arcs, p.place, p.arcs)
	case p.problem.Kind == MaximumFlow && p.terminals[0] == 0:
		p.fail(1, "", "a line `n ID s`, the source")
	case p.problem.Kind == MaximumFlow && p.terminals[1] == 0:
		p.fail(1, "", "a line `n ID t`, the sink")
	case nodes > spareNodes+nodesPerArc*arcs:
		p.line = p.place
		p.fail(1, "p", "at most %d nodes for %d arcs", spareNodes+nodesPerArc*arcs, arcs)
	}
	if p.err != nil {
		return nil, p.err
	}
	for v, amount := range p.supply {
		p.b.AddSupply(v, amount)
	}
	n, err := p.b.Build()
	p.problem.Network = n
	return &p.problem, err
}
