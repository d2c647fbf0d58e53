package hta

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"mrsched/solver/flow"
	"mrsched/solver/lp"
)

// Formulate writes the max-cover problem of Algorithm 2 for the threshold `tau`, by default ⌈m/n⌉, at which every task
// might be local: as many tasks as possible run on servers that hold their block, at most τ on each. In DIMACS it is a
// maximum flow problem, source → blocks → servers → sink, with the nodes' names as comments; as an LP, one column per
// replica. Its value is ℓ(τ).
func (r *run) Formulate(_ context.Context, w io.Writer, format string) error {
	tau := int32(min(r.p.tau, int64(r.in.Tasks)))
	if tau == 0 {
		tau = int32((r.in.Tasks + r.in.Servers - 1) / r.in.Servers)
	}
	switch format {
	case "dimacs":
		return r.writeDIMACS(w, tau)
	case "mps":
		return lp.WriteMPS(w, r.maxCover(tau))
	}
	return lp.WriteLP(w, r.maxCover(tau))
}

// maxCover is the LP: maximise Σ x_bs subject to Σ_s x_bs ≤ readers of b, Σ_b x_bs ≤ τ. Columns are in the order of
// ReplicaRows. The readers of a block are identical tasks, so they form one supply.
func (r *run) maxCover(tau int32) *lp.Model {
	in := r.in
	m := lp.NewModel("hta-max-cover")
	m.Maximize = true
	m.Comments = []string{
		fmt.Sprintf("max-cover for tau = %d: the value is the number of tasks that can be local, at most tau on a server",
			tau),
		"column local_B_S: tasks that read block B and run on server S, which holds it",
		"row readers_B: all tasks that read block B; row most_S: tau, for server S",
	}
	first, replica := in.ReplicaRows()
	onServer := make([][]lp.Entry, in.Servers)
	for b := range int32(in.Blocks) {
		var row []lp.Entry
		readers := float64(in.Readers(b))
		for _, s := range replica[first[b]:first[b+1]] {
			e := lp.Entry{Col: m.AddCol("local_"+r.blockName(b)+"_"+in.MachineName(s), 1, 0, readers), Coef: 1}
			row, onServer[s] = append(row, e), append(onServer[s], e)
		}
		if len(row) > 0 {
			m.AddRow("readers_"+r.blockName(b), row, lp.LE, readers)
		}
	}
	for s, row := range onServer {
		if len(row) > 0 {
			m.AddRow("most_"+in.MachineName(int32(s)), row, lp.LE, float64(tau))
		}
	}
	return m
}

func (r *run) blockName(b int32) string {
	u := r.in.TaskIndex(r.in.Reader[r.in.ReaderFirst[b]])
	return r.w.Blocks[r.w.Tasks[u].Block]
}

// writeDIMACS writes the network: node 1 is the source, 2 the sink, then come the blocks, then the servers.
func (r *run) writeDIMACS(w io.Writer, tau int32) error {
	in := r.in
	var b flow.Builder
	source, sink := b.AddNode(), b.AddNode()
	blocks, servers := b.AddNodes(in.Blocks), b.AddNodes(in.Servers)
	first, replica := in.ReplicaRows()
	for k := range int32(in.Blocks) {
		b.AddArc(source, blocks+flow.Node(k), int64(in.Readers(k)), 0)
	}
	for k := range int32(in.Blocks) {
		for _, s := range replica[first[k]:first[k+1]] {
			b.AddArc(blocks+flow.Node(k), servers+flow.Node(s), int64(in.Readers(k)), 0)
		}
	}
	for s := range in.Servers {
		b.AddArc(servers+flow.Node(s), sink, int64(tau), 0)
	}
	n, err := b.Build()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "c max-cover for tau = %d: the value is the number of tasks that can be local, at most tau on a "+
		"server\n", tau)
	fmt.Fprintln(out, "c flow from a block to a server: tasks that read the block and run on the server, which holds it")
	fmt.Fprintf(out, "c node %d source\nc node %d sink\n", source+1, sink+1)
	for k := range int32(in.Blocks) {
		fmt.Fprintf(out, "c node %d block %q tasks", int32(blocks)+k+1, r.blockName(k))
		for _, t := range in.Reader[in.ReaderFirst[k]:in.ReaderFirst[k+1]] {
			fmt.Fprintf(out, " %q", r.w.Tasks[in.TaskIndex(t)].ID)
		}
		fmt.Fprintln(out)
	}
	for s := range int32(in.Servers) {
		fmt.Fprintf(out, "c node %d server %q\n", int32(servers)+s+1, in.MachineName(s))
	}
	if err := out.Flush(); err != nil { // bufio keeps the first error
		return err
	}
	return flow.WriteDIMACS(w, &flow.Problem{Kind: flow.MaximumFlow, Network: n, Source: source, Sink: sink})
}
