package flow

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestDIMACS writes both kinds.
func TestDIMACS(t *testing.T) {
	for _, c := range []struct {
		p    Problem
		want string
	}{
		{Problem{Comments: []string{"one", "two words"}, Kind: "max", Nodes: 3, Ends: []string{"1 s", "3 t"}, Width: 3,
			Arcs: []int64{1, 2, 5, 2, 3, Infinite}},
			"c one\nc two words\np max 3 2\nn 1 s\nn 3 t\na 1 2 5\na 2 3 9223372036854775807\n"},
		{Problem{Kind: "min", Nodes: 2, Ends: []string{"1 4", "2 -4"}, Width: 5, Arcs: []int64{1, 2, 0, 4, -7}},
			"p min 2 1\nn 1 4\nn 2 -4\na 1 2 0 4 -7\n"},
	} {
		var text strings.Builder
		ensure(t, WriteDIMACS(&text, &c.p) == nil && text.String() == c.want, "%s", &text)
		closed, into := io.Pipe()
		closed.Close()
		ensure(t, WriteDIMACS(into, &c.p) != nil, "the writer's error is lost")
	}
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
		n, source, sink := readDIMACS(t, filepath.Join(instances, words[0]))
		value := solveMax(t, n, source, sink).Value()
		ensure(t, strconv.FormatInt(value, 10) == words[3], "%s: value %d, not %s", words[0], value, words[3])
	}
}

// readDIMACS reads the file of a maximum flow.
func readDIMACS(t rapid.TB, path string) (n *Network, source, sink Node) {
	t.Helper()
	n = &Network{}
	for line := range strings.Lines(string(must(os.ReadFile(path))(t))) {
		words := strings.Fields(line)
		number := func(k int) int64 { return must(strconv.ParseInt(words[k], 10, 64))(t) }
		node := func(k int) Node { return Node(number(k) - 1) }
		switch {
		case len(words) == 0:
		case words[0] == "p":
			n.AddNodes(int(number(2)))
		case words[0] == "n" && words[2] == "s":
			source = node(1)
		case words[0] == "n":
			sink = node(1)
		case words[0] == "a":
			n.AddArc(node(1), node(2), number(3))
		}
	}
	return n, source, sink
}
