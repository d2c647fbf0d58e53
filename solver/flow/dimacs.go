package flow

import (
	"bufio"
	"errors"
	"io"
	"strconv"
)

// Kind distinguishes the problems of DIMACS files.
type Kind uint8

// The kinds of problems.
const (
	MaximumFlow Kind = iota // `p max`
	MinimumCost             // `p min`
)

// Problem is the content of a DIMACS file. Node 1 of the file is Node 0 here; arcs keep their order.
type Problem struct {
	Kind         Kind
	Network      *Network
	Source, Sink Node     // of MaximumFlow
	Comments     []string // lines that come first
}

// WriteDIMACS writes a problem: supplies in the order of nodes, arcs in theirs, Infinite as 2⁶³−1. A maximum flow file
// leaves out the network's costs and supplies. The bytes depend on the problem only. The
// error is the problem's or the writer's.
//
// Source: DIMACS, The First DIMACS International Algorithm Implementation Challenge: Problem Definitions and
// Specifications, 1990.
func WriteDIMACS(w io.Writer, p *Problem) error {
	n := p.Network
	out := &dimacsWriter{w: bufio.NewWriterSize(w, 1<<16)}
	for _, c := range p.Comments {
		out.w.WriteString("c " + c + "\n")
	}
	switch p.Kind {
	case MaximumFlow:
		if err := checkTerminals(n, p.Source, p.Sink); err != nil {
			return err
		}
		out.line("p max", int64(n.NumNodes()), int64(n.NumArcs()))
		out.terminal(p.Source, " s\n")
		out.terminal(p.Sink, " t\n")
	case MinimumCost:
		out.line("p min", int64(n.NumNodes()), int64(n.NumArcs()))
		for v := range Node(n.NumNodes()) {
			if s := n.Supply(v); s != 0 {
				out.line("n", int64(v)+1, s)
			}
		}
	default:
		return errors.New("flow: unknown kind of problem")
	}
	for a := range Arc(n.NumArcs()) {
		tail, head := int64(n.Tail(a))+1, int64(n.Head(a))+1
		if p.Kind == MaximumFlow {
			out.line("a", tail, head, n.Capacity(a))
		} else {
			out.line("a", tail, head, 0, n.Capacity(a), n.Cost(a))
		}
	}
	return out.w.Flush() // bufio keeps the first error
}

type dimacsWriter struct {
	w   *bufio.Writer
	num []byte
}

func (o *dimacsWriter) line(designator string, numbers ...int64) {
	o.w.WriteString(designator)
	for _, v := range numbers {
		o.w.WriteByte(' ')
		o.num = strconv.AppendInt(o.num[:0], v, 10)
		o.w.Write(o.num)
	}
	o.w.WriteByte('\n')
}

func (o *dimacsWriter) terminal(v Node, role string) {
	o.w.WriteString("n ")
	o.w.WriteString(strconv.Itoa(int(v) + 1))
	o.w.WriteString(role)
}
