package flow

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// Problem is the content of a DIMACS file, whose nodes count from 1.
type Problem struct {
	Comments []string // lines that come first
	Kind     string   // "max" or "min"
	Nodes    int
	Ends     []string // nodes with what they are: s or t, or their supply
	Width    int      // the numbers of an arc
	Arcs     []int64  // arc by arc: tail, head, with costs the least flow, the capacity, and the cost
}

// WriteDIMACS writes a problem. The bytes depend on it only. The error is the writer's.
//
// Source: DIMACS, The First DIMACS International Algorithm Implementation Challenge: Problem Definitions and
// Specifications, 1990.
func WriteDIMACS(w io.Writer, p *Problem) error {
	out, number := bufio.NewWriterSize(w, 1<<16), []byte(nil)
	for _, c := range p.Comments {
		out.WriteString("c " + c + "\n")
	}
	fmt.Fprintf(out, "p %s %d %d\n", p.Kind, p.Nodes, len(p.Arcs)/p.Width)
	for _, e := range p.Ends {
		out.WriteString("n " + e + "\n")
	}
	for k, v := range p.Arcs {
		if k%p.Width == 0 {
			out.WriteByte('a')
		}
		number = strconv.AppendInt(append(number[:0], ' '), v, 10)
		if k%p.Width == p.Width-1 {
			number = append(number, '\n')
		}
		out.Write(number)
	}
	return out.Flush() // bufio keeps the first error
}
