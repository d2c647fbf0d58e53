package flow

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// readDIMACS reads a file that follows the format.
func readDIMACS(t rapid.TB, r io.Reader) *Problem {
	t.Helper()
	var b Builder
	p, declared := &Problem{}, int64(0)
	for lines := bufio.NewScanner(r); lines.Scan(); {
		words := strings.Fields(lines.Text())
		number := func(k int) int64 { return must(strconv.ParseInt(words[k], 10, 64))(t) }
		node := func(k int) Node { return Node(number(k) - 1) }
		switch words[0] {
		case "c":
			p.Comments = append(p.Comments, strings.TrimPrefix(lines.Text(), "c "))
		case "p":
			if words[1] == "min" {
				p.Kind = MinimumCost
			}
			b.AddNodes(int(number(2)))
			declared = number(3)
		case "n":
			switch words[2] {
			case "s":
				p.Source = node(1)
			case "t":
				p.Sink = node(1)
			default:
				b.AddSupply(node(1), number(2))
			}
		case "a":
			if p.Kind == MaximumFlow {
				b.AddArc(node(1), node(2), number(3), 0)
			} else {
				b.AddArc(node(1), node(2), number(4), number(5))
			}
		}
	}
	p.Network = must(b.Build())(t)
	ensure(t, int64(p.Network.NumArcs()) == declared, "%d arcs, declared %d", p.Network.NumArcs(), declared)
	return p
}

// TestDIMACS: a problem is read back as written, by comparing all that its kind of file stores.
func TestDIMACS(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Problem{Kind: MinimumCost, Network: drawNetwork(t), Comments: []string{"one", "two words"}}
		if rapid.Bool().Draw(t, "maximum") {
			p.Kind = MaximumFlow
			p.Network, p.Source, p.Sink = drawMax(t)
		}
		var text, again bytes.Buffer
		ensure(t, WriteDIMACS(&text, p) == nil, "not written")
		first := text.String()
		q := readDIMACS(t, &text)
		n, o := p.Network, q.Network
		ensure(t, p.Kind == q.Kind && n.NumNodes() == o.NumNodes() && n.NumArcs() == o.NumArcs(), "sizes differ")
		ensure(t, p.Kind == MinimumCost || p.Source == q.Source && p.Sink == q.Sink, "terminals differ")
		for a := range Arc(n.NumArcs()) {
			ensure(t, n.Tail(a) == o.Tail(a) && n.Head(a) == o.Head(a) && n.Capacity(a) == o.Capacity(a), "arc %d", a)
			ensure(t, p.Kind == MaximumFlow || n.Cost(a) == o.Cost(a), "cost of arc %d", a)
		}
		for v := range Node(n.NumNodes()) {
			ensure(t, p.Kind == MaximumFlow || n.Supply(v) == o.Supply(v), "supplies of node %d differ", v)
		}
		ensure(t, WriteDIMACS(&again, q) == nil && again.String() == first, "written again: %s", &again)
	})
}

func TestWriteDIMACSRefuses(t *testing.T) {
	n := build(t, 2, arc{0, 1, 5, 0})
	for _, p := range []*Problem{{Network: n}, {Network: n, Sink: 2}, {Kind: 9, Network: n}} {
		ensure(t, WriteDIMACS(io.Discard, p) != nil, "%+v is written", p)
	}
	closed, into := io.Pipe()
	closed.Close()
	ensure(t, WriteDIMACS(into, &Problem{Network: n, Sink: 1}) != nil, "the writer's error is lost")
}

// TestReferenceInstances solves instances that do not belong to the repository. Their list has file, nodes, arcs and
// value, one a line.
func TestReferenceInstances(t *testing.T) {
	const instances = "../../../shared/bench/maxflow"
	list, err := os.ReadFile(filepath.Join(instances, "REFERENCE.txt"))
	if os.IsNotExist(err) {
		t.Skipf("the reference instances are absent (%v)", err)
	}
	ensure(t, err == nil, "%v", err)
	for line := range strings.Lines(string(list)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		text := must(os.ReadFile(filepath.Join(instances, words[0])))(t)
		p := readDIMACS(t, bytes.NewReader(text))
		value := solveMax(t, p.Network, p.Source, p.Sink).Value()
		ensure(t, strconv.FormatInt(value, 10) == words[3], "%s: value %d, not %s", words[0], value, words[3])
	}
}
