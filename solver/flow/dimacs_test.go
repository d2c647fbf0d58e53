package flow

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// same fails unless two problems are equal in all that their kind of file stores.
func same(t rapid.TB, p, q *Problem) {
	t.Helper()
	n, o := p.Network, q.Network
	ensure(t, p.Kind == q.Kind && n.NumNodes() == o.NumNodes() && n.NumArcs() == o.NumArcs(), "sizes differ")
	ensure(t, p.Kind == MinimumCost || p.Source == q.Source && p.Sink == q.Sink, "terminals differ")
	for a := range Arc(n.NumArcs()) {
		ensure(t, n.Tail(a) == o.Tail(a) && n.Head(a) == o.Head(a) && n.Capacity(a) == o.Capacity(a), "arc %d differs", a)
		ensure(t, p.Kind == MaximumFlow || n.Lower(a) == o.Lower(a) && n.Cost(a) == o.Cost(a), "costs of arc %d differ", a)
	}
	for v := range Node(n.NumNodes()) {
		ensure(t, p.Kind == MaximumFlow || n.Supply(v) == o.Supply(v), "supplies of node %d differ", v)
	}
}

func TestDIMACSRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Problem{Kind: MinimumCost, Network: drawNetwork(t)}
		if rapid.Bool().Draw(t, "maximum") {
			p.Kind = MaximumFlow
			p.Network, p.Source, p.Sink = drawMax(t)
		}
		var text, again bytes.Buffer
		ensure(t, WriteDIMACS(&text, p) == nil, "written")
		first := text.String()
		q, err := ReadDIMACS(iotest.OneByteReader(&text))
		ensure(t, err == nil, "%v in\n%s", err, first)
		same(t, p, q)
		ensure(t, WriteDIMACS(&again, q) == nil && again.String() == first, "written again: %s", &again)
	})
}

func TestReadDIMACS(t *testing.T) {
	long := strings.Repeat("long comment ", 20_000)
	text := "c a comment\r\n\n \t\nc" + long + "\r\np  max\t3 2\r\na 1 2 5\r\nn 3 t\nn 1 s\n  a 2 3 9223372036854775807"
	p := must(ReadDIMACS(strings.NewReader(text)))(t)
	same(t, p, &Problem{Network: build(t, 3, arc{0, 1, 5, 0}, arc{1, 2, Infinite, 0}), Source: 0, Sink: 2})

	var b Builder
	b.AddNodes(2)
	b.SetLower(b.AddArc(0, 1, 5, -3), 2)
	b.AddArc(1, 0, Infinite, 7)
	b.AddSupply(0, 4)
	b.AddSupply(1, -4)
	p = must(ReadDIMACS(strings.NewReader("p min 2 2\nn 1 4\nn 2 -4\na 1 2 2 5 -3\na 2 1 0 -1 7\n")))(t)
	same(t, p, &Problem{Kind: MinimumCost, Network: must(b.Build())(t)})
}

func TestReadDIMACSErrors(t *testing.T) {
	const head = "p max 3 1\nn 1 s\nn 3 t\n"
	const huge = "2305843009213693952" // MaxTotal
	for _, c := range []struct{ text, want string }{
		{"", "1:1: expected the problem line, `p max NODES ARCS` or `p min NODES ARCS`, found nothing more"},
		{"c only\n\n", "3:1: expected the problem line"},
		{"a 1 2 3\n", `1:1: expected the problem line, ` + "`p max NODES ARCS` or `p min NODES ARCS`" + `, found "a"`},
		{"p\n", "1:2: expected max or min, found nothing more"},
		{"p asn 3 1\n", `1:3: expected max or min, found "asn"`},
		{"p max three 1\n", `1:7: expected the number of nodes, an integer from 0 to 2147483647, found "three"`},
		{"p max 3000000000 1\n", `1:7: expected the number of nodes`},
		{"p max 3 1.0\n", `1:9: expected the number of arcs, an integer from 0 to 1073741823, found "1.0"`},
		{"p max 3 -1\n", `1:9: expected the number of arcs`},
		{"p max 3 1 7\n", `1:11: expected the end of the line, found "7"`},
		{"p max 3 1\np max 3 1\n", `2:1: expected no second problem line (the first is line 1), found "p"`},
		{"p max 3 1\nn 4 s\n", `2:3: expected a node, an integer from 1 to 3, found "4"`},
		{"p max 3 1\nn  0 s\n", `2:4: expected a node, an integer from 1 to 3, found "0"`},
		{"p max 3 1\nn 1 q\n", `2:5: expected s (source) or t (sink), found "q"`},
		{"p max 3 1\nn 1 s\nn 2 s\n", `3:5: expected only one such node (line 2 names another), found "s"`},
		{"p max 3 1\nn 1 s\nn 1 t\n", `3:3: expected another node (line 2 describes this one), found "1"`},
		{"p max 3 1\nn 1 s t\n", `2:7: expected the end of the line, found "t"`},
		{head + "a 1 2\n", `4:6: expected the arc's capacity, an integer from 0 to 9223372036854775807, found nothing more`},
		{head + "a 1 2 NaN\n", `4:7: expected the arc's capacity, an integer from 0 to 9223372036854775807, found "NaN"`},
		{head + "a 1 2 -1\n", `4:7: expected the arc's capacity`},
		{head + "a 1 2 9223372036854775808\n", `4:7: expected the arc's capacity`},
		{head + "a 1 2 2305843009213693953\n", `4:7: expected capacities that add up to at most ` + huge},
		{head + "a 1 4 5\n", `4:5: expected the arc's head, an integer from 1 to 3, found "4"`},
		{head + "a 1 2 5 6\n", `4:9: expected the end of the line, found "6"`},
		{head + "a 1 2 5\na 1 2 5\n", `5:1: expected no more than the 1 arcs that line 1 declares, found "a"`},
		{head, `4:1: expected 1 more arcs: line 1 declares 1, found nothing more`},
		{head + "x\n", `4:1: expected a line that begins with c, n or a, found "x"`},
		{head + "\x00\xff\n", `4:1: expected a line that begins with c, n or a, found "\x00\xff"`},
		{"p max 2 0\nn 2 t\n", "3:1: expected a line `n ID s`, the source, found nothing more"},
		{"p max 2 0\nn 2 s\n", "3:1: expected a line `n ID t`, the sink, found nothing more"},
		{"p max 0 0\n", "2:1: expected a line `n ID s`"},
		{"p max 2147483647 0\nn 1 s\nn 2 t", "1:1: expected at most 1048576 nodes for 0 arcs"},
		{"p max 2 1073741823\nn 1 s\nn 2 t", "4:1: expected 1073741823 more arcs"},
		{head + strings.Repeat("a", 5000),
			`4:1: expected a line of at most 4096 bytes, found "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…"`},
		{head + strings.Repeat(" ", 1<<20), `4:1: expected a line of at most 4096 bytes`},
		{"p min 2 1\nn 1 s\n",
			`2:5: expected the node's supply, an integer from -2305843009213693952 to 2305843009213693952, found "s"`},
		{"p min 2 1\nn 1 2\nn 2 2305843009213693952\n", `3:5: expected supplies, and demands, that add up to at most ` +
			huge},
		{"p min 2 1\na 1 2 4 3 0\n", `2:9: expected a capacity of at least the lower bound, 4, found "3"`},
		{"p min 2 1\na 1 2 -1 3 0\n", `2:7: expected the arc's lower bound`},
		{"p min 2 1\na 1 2 0 -2 0\n", `2:9: expected the arc's capacity, an integer from -1`},
		{"p min 2 1\na 1 2 0 1\n", `2:10: expected the arc's cost`},
		{"p min 2 1\na 1 2 0 1 -9223372036854775808\n", `2:11: expected the arc's cost`},
		{"p min 2 2\na 1 2 2305843009213693952 -1 0\na 1 2 1 -1 0\n", `3:7: expected lower bounds that add up to at most ` +
			huge},
	} {
		p, err := ReadDIMACS(strings.NewReader(c.text))
		var parse *ParseError
		if p != nil || !errors.As(err, &parse) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.60q:\n%v, not\n%s", c.text, err, c.want)
		}
	}
}

func TestReadDIMACSPassesReaderErrors(t *testing.T) {
	for _, begin := range []string{"p max 2 1\n", "p max", "c comment", "c" + strings.Repeat("comment", 20_000)} {
		broken := errors.New("broken disk")
		_, err := ReadDIMACS(io.MultiReader(strings.NewReader(begin), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) {
			t.Errorf("%.20q: %v", begin, err)
		}
	}
}

func TestWriteDIMACSRefuses(t *testing.T) {
	n := build(t, 2, arc{0, 1, 5, 0})
	var b Builder
	b.AddNodes(2)
	b.SetLower(b.AddArc(0, 1, 5, 0), 1)
	bounded := must(b.Build())(t)
	for _, p := range []*Problem{{Network: n}, {Network: n, Sink: 2}, {Network: bounded, Sink: 1}, {Kind: 9, Network: n}} {
		if WriteDIMACS(io.Discard, p) == nil {
			t.Errorf("%+v", p)
		}
	}
	if err := WriteDIMACS(failing{}, &Problem{Network: n, Sink: 1}); err == nil {
		t.Error("the writer's error is lost")
	}
}

// failing is a writer that always fails.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// FuzzReadDIMACS: the reader never panics, errors state a place, and accepted problems survive writing and reading.
func FuzzReadDIMACS(f *testing.F) {
	for _, s := range []string{
		"c comment\r\np max 4 3\nn 1 s\nn 4 t\na 1 2 5\na 2 3 4\na 3 4 9223372036854775807\n",
		"p min 3 2\nn 1 4\nn 3 -4\na 1 2 1 5 -3\na 2 3 0 -1 7\n",
		"p max 2147483647 1073741823\nn 1 s\n", "p min 0 0\n", "p max 2 1\nn 1 s\nn 2 t\na 1 2 NaN\n",
		"p min 1 1\na 1 1 0 3 -2",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := ReadDIMACS(bytes.NewReader(text))
		if err != nil {
			var parse *ParseError
			ensure(t, p == nil && errors.As(err, &parse) && parse.Line > 0 && parse.Column > 0 && parse.Expected != "",
				"%#v", err)
			return
		}
		var out bytes.Buffer
		ensure(t, WriteDIMACS(&out, p) == nil, "written")
		same(t, p, must(ReadDIMACS(&out))(t))
	})
}
