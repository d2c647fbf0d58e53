package hta

import (
	"context"
	"fmt"
	"io"

	"mrsched/solver/flow"
	"mrsched/solver/lp"
)

// Formulate writes the max-cover problem of Algorithm 2 for the threshold `tau`, by default ⌈m/n⌉, at which every task
// might be local: as many tasks as possible run on servers that hold their block, at most τ on each. Its value is ℓ(τ).
// In DIMACS it is a maximum flow problem, source → blocks → servers → sink; as an LP it has one column per replica.
func (r *run) Formulate(_ context.Context, w io.Writer, format string) error {
	tau := int32(min(r.p.tau, int64(r.in.Tasks)))
	if tau == 0 {
		tau = int32((r.in.Tasks + r.in.Servers - 1) / r.in.Servers)
	}
	if format == "dimacs" {
		return r.writeDIMACS(w, tau)
	}
	return lp.Write(w, r.maxCover(tau), format)
}

// maxCover is the LP: maximise Σ x_bs subject to Σ_s x_bs ≤ readers of b, Σ_b x_bs ≤ τ. Columns are in the order of
// ReplicaRows. The readers of a block are identical tasks, so they form one supply.
func (r *run) maxCover(tau int32) *lp.Model {
	in := r.in
	m := lp.NewModel("hta-max-cover")
	m.Maximize = true
	m.Comments = []string{value(tau),
		"column local_B_S: tasks that read block B and run on server S, which holds it",
		"row readers_B: all tasks that read block B; row most_S: tau, for server S"}
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

// value describes the optimum.
func value(tau int32) string {
	return fmt.Sprintf("max-cover for tau = %d: the value is the number of tasks that can be local, "+
		"at most tau on a server", tau)
}

func (r *run) blockName(b int32) string {
	u := r.in.TaskIndex(r.in.Reader[r.in.ReaderFirst[b]])
	return r.w.Blocks[r.w.Tasks[u].Block]
}

// writeDIMACS writes the network: node 1 is the source, 2 the sink, then come the blocks, then the servers.
func (r *run) writeDIMACS(w io.Writer, tau int32) error {
	in := r.in
	first, replica := in.ReplicaRows()
	blocks, servers := int64(3), int64(3+in.Blocks)
	p := &flow.Problem{Kind: "max", Nodes: 2 + in.Blocks + in.Servers, Ends: []string{"1 s", "2 t"}, Width: 3,
		Comments: []string{value(tau),
			"flow from a block to a server: tasks that read the block and run on the server, which holds it",
			"node 1 source", "node 2 sink"}}
	for k := range int64(in.Blocks) {
		p.Arcs = append(p.Arcs, 1, blocks+k, int64(in.Readers(int32(k))))
	}
	for k := range int64(in.Blocks) {
		for _, s := range replica[first[k]:first[k+1]] {
			p.Arcs = append(p.Arcs, blocks+k, servers+int64(s), int64(in.Readers(int32(k))))
		}
	}
	for s := range int64(in.Servers) {
		p.Arcs = append(p.Arcs, servers+s, 2, int64(tau))
	}
	for k := range int32(in.Blocks) {
		text := fmt.Appendf(nil, "node %d block %q tasks", blocks+int64(k), r.blockName(k))
		for _, t := range in.Reader[in.ReaderFirst[k]:in.ReaderFirst[k+1]] {
			text = fmt.Appendf(text, " %q", r.w.Tasks[in.TaskIndex(t)].ID)
		}
		p.Comments = append(p.Comments, string(text))
	}
	for s := range int32(in.Servers) {
		p.Comments = append(p.Comments, fmt.Sprintf("node %d server %q", servers+int64(s), in.MachineName(s)))
	}
	return flow.WriteDIMACS(w, p)
}
