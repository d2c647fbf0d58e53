package hta

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/solver"
	"mrsched/solver/flow"
	"mrsched/solver/lp/lpsolve"
)

func formulated(t *testing.T, r *run, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := r.Formulate(context.Background(), &b, format); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readMaxFlow reads a maximum flow problem in DIMACS format.
func readMaxFlow(t *testing.T, text []byte) (n *flow.Network, source, sink flow.Node) {
	t.Helper()
	var b flow.Builder
	for line := range strings.Lines(string(text)) {
		var x, y, z int64
		var end string
		switch line[0] {
		case 'p':
			fmt.Sscanf(line, "p max %d", &x)
			b.AddNodes(int(x))
		case 'n':
			fmt.Sscanf(line, "n %d %s", &x, &end)
			if end == "s" {
				source = flow.Node(x - 1)
			} else {
				sink = flow.Node(x - 1)
			}
		case 'a':
			fmt.Sscanf(line, "a %d %d %d", &x, &y, &z)
			b.AddArc(flow.Node(x-1), flow.Node(y-1), z, 0)
		}
	}
	n, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return n, source, sink
}

// TestFormulate: other solvers find ℓ(τ) in the written models, as the balanced loads state it.
func TestFormulate(t *testing.T) {
	for seed := range uint64(3) {
		r := preset(t, "replicated", seed, solver.Params{"tasks": int64(80), "servers": int64(13), "zipf": 0.5,
			"server-zipf": 1.0, "replicas": int64(2)})
		for _, tau := range []int64{0, 1, 3, 7, 1e9} {
			r.p.tau = tau
			most := tau
			if tau == 0 {
				most = 7 // ⌈80/13⌉
			}
			want := int64(0)
			for _, x := range r.balance(context.Background()).Load {
				want += min(int64(x), most)
			}
			m, err := flow.NewMaxFlow(readMaxFlow(t, formulated(t, r, "dimacs")))
			if err != nil {
				t.Fatal(err)
			}
			if m.Solve(context.Background()); m.Value() != want {
				t.Errorf("seed %d, τ = %d: maximum flow %d, want %d", seed, tau, m.Value(), want)
			}
			for format, reader := range map[string]lpsolve.Format{"lp": lpsolve.FormatLP, "mps": lpsolve.FormatFreeMPS} {
				path := filepath.Join(t.TempDir(), "model")
				if err := os.WriteFile(path, formulated(t, r, format), 0o644); err != nil {
					t.Fatal(err)
				}
				l, err := lpsolve.ReadFile(path, reader)
				if err != nil {
					t.Fatal(err)
				}
				if kind, err := l.Solve(context.Background()); err != nil || kind != lpsolve.Optimal ||
					int64(l.Objective()+0.5) != want {
					t.Errorf("seed %d, τ = %d: %s: %v, %g, %v, want %d", seed, tau, format, kind, l.Objective(), err, want)
				}
				l.Close()
			}
		}
	}
}

// TestFormulateNames: nodes, rows and columns carry the ids of the workload.
func TestFormulateNames(t *testing.T) {
	r := preset(t, "thm43", 1, solver.Params{"tasks": int64(3), "servers": int64(3)})
	r.p.tau = 2
	block, server := r.blockName(0), r.in.MachineName(r.in.Replicas(0)[0])
	for format, want := range map[string]string{
		"lp":     "local_" + block + "_" + server,
		"mps":    "readers_" + block,
		"dimacs": "c node 3 block \"" + block + "\" tasks \"",
	} {
		if got := string(formulated(t, r, format)); !strings.Contains(got, want) {
			t.Errorf("%s lacks %s:\n%s", format, want, got)
		}
	}
}
