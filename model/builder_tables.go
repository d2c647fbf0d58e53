package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// resolvePlacements keeps the placements of blocks that tasks read, and counts the others: a file system's block list
// names the blocks of every file.
func (b *Builder) resolvePlacements() {
	w := &b.w
	blocks := b.resolveBlocks()
	if len(w.Blocks) > 0 && !slices.ContainsFunc(w.Placements, func(p Placement) bool { return blocks[p.Block] != None }) {
		b.reportAllUnread()
	}
	nodes := b.placedNodeIndices(blocks)
	kept, first := 0, BlockIndex(None) // number of the first skipped block
	var firstAt Position
	var lost []lostNode // by number of a node
	for i, p := range w.Placements {
		block, node := blocks[p.Block], nodes[p.Node]
		if block == None {
			if first == None {
				first, firstAt = p.Block, b.placementsAt.at(i)
			}
			continue
		}
		if w.HasTopology && node == None {
			if lost == nil {
				lost = make([]lostNode, len(nodes))
			}
			if l := &lost[p.Node]; l.rows == 0 {
				l.first = b.placed[i].node
			}
			lost[p.Node].rows++
		}
		w.Placements[kept], b.placementsAt.rows[kept] = Placement{block, node}, b.placementsAt.rows[i]
		kept++
	}
	b.reportLost(lost)
	skipped := len(w.Placements) - kept
	w.Placements, b.placementsAt.rows = w.Placements[:kept], b.placementsAt.rows[:kept]
	if skipped > 0 {
		w.Skipped = b.skippedPlacements(blocks, nodes, skipped, b.blocks.ids[first], firstAt)
	}
}

// resolveBlocks numbers the blocks that tasks read in the order of the tasks, and returns the index of every block by
// its former number, None for blocks that only placements name.
func (b *Builder) resolveBlocks() []BlockIndex {
	w := &b.w
	indices := slices.Repeat([]BlockIndex{None}, len(b.blocks.ids))
	w.Blocks = make([]string, 0, len(indices))
	for i := range w.Tasks {
		k := w.Tasks[i].Block
		if k == None {
			continue
		}
		if indices[k] == None {
			indices[k] = BlockIndex(len(w.Blocks))
			w.Blocks = append(w.Blocks, b.blocks.ids[k])
		}
		w.Tasks[i].Block = indices[k]
	}
	return indices
}

// lostNode counts the placements that name a node which the topology does not have.
type lostNode struct {
	first place
	rows  int
}

// reportLost reports nodes that placements name and the topology does not have: mistyped ones, or nodes that are gone.
// It never suggests a name that placements use, too.
func (b *Builder) reportLost(lost []lostNode) {
	var names []string
	placed := func(id string) bool { _, ok := b.placedNodes.of[id]; return ok }
	if len(b.nodes) <= maxSuggestionPool {
		for i := range b.w.Topology {
			if n := &b.w.Topology[i]; n.Kind == HostNode && !placed(n.ID) {
				names = append(names, n.ID)
			}
		}
	}
	slices.Sort(names)
	for k, l := range lost {
		if l.rows == 0 {
			continue
		}
		id, pos := b.placedNodes.ids[k], l.first.in(b.placementsAt.file)
		if n := b.nodes.find(id); n != None {
			b.reportNode(pos, id)
			continue
		}
		verb := "name"
		if l.rows == 1 {
			verb = "names"
		}
		f := Finding{Code: CodeUnknownNode, Pos: pos, Expected: "a node of the topology",
			What: fmt.Sprintf("%s %s node %q, which the topology does not have", Counted(l.rows, "placement"), verb, id),
			Hint: "if the node is gone, delete its placements; else add it to the topology"}
		if !b.Findings.full() {
			f.Hint = cmp.Or(b.sameHost(id), DidYouMean(id, names), f.Hint)
		}
		b.Findings.Add(f)
	}
}

// sameHost is the hint with the node that is called the same but for the domain behind its name, or "".
func (b *Builder) sameHost(id string) string {
	host, _, long := strings.Cut(id, ".")
	for i := range b.w.Topology {
		n := b.w.Topology[i].ID
		if short, _, _ := strings.Cut(n, "."); short == host && (long || short != n) && (n == host || id == host) {
			return fmt.Sprintf("did you mean %q?", n)
		}
	}
	return ""
}

// placedNodeIndices is the index of every node by its number in placements, None for unknown nodes. Without a topology
// the nodes are those with blocks that tasks read, because the written document names no others.
func (b *Builder) placedNodeIndices(blocks []BlockIndex) []NodeIndex {
	w := &b.w
	nodes := make([]NodeIndex, len(b.placedNodes.ids))
	for k, id := range b.placedNodes.ids {
		nodes[k] = None
		if w.HasTopology {
			nodes[k] = b.hostNode(id)
		}
	}
	if w.HasTopology {
		return nodes
	}
	for _, p := range w.Placements {
		if nodes[p.Node] == None && blocks[p.Block] != None {
			nodes[p.Node] = NodeIndex(len(w.Topology))
			w.Topology = append(w.Topology, Node{ID: b.placedNodes.ids[p.Node], Parent: None, Kind: HostNode})
		}
	}
	return nodes
}

// reportAllUnread reports, once, that no placement is of a block that a task reads: the two tables name blocks
// differently, and skipping all rows would hide that.
func (b *Builder) reportAllUnread() {
	w := &b.w
	if len(w.Placements) == 0 {
		return
	}
	first := w.Placements[0].Block
	number := len(b.blocks.ids) - len(w.Blocks)
	b.Findings.Add(Finding{Code: CodeUnknownBlock, Pos: b.placed[0].block.in(b.placementsAt.file),
		What: fmt.Sprintf("no task reads any of the %s that placements name, the first being %q",
			Counted(number, "block"), b.blocks.ids[first]),
		Expected: fmt.Sprintf("blocks that tasks read, such as %q", w.Blocks[0]),
		Hint:     "use the same names of blocks in both tables"})
}

// skippedPlacements says how many rows of placements were left out, and the first one's block and position. It also
// names blocks that tasks read and no placement names: one of the two names may be mistyped.
func (b *Builder) skippedPlacements(blocks []BlockIndex, nodes []NodeIndex, rows int, first string,
	at Position) []string {
	var unread []string
	for k, id := range b.blocks.ids {
		if blocks[k] == None {
			unread = append(unread, id)
		}
	}
	more, verb := "", "were"
	if len(unread) > 1 {
		more = ", …"
	}
	if rows == 1 {
		verb = "was"
	}
	if at.Line > 0 {
		more += " at " + at.String()
	}
	line := fmt.Sprintf("%s of %s that no task reads (%q%s) %s skipped", Counted(rows, "placement"),
		Counted(len(unread), "block"), first, more, verb)
	if near := Nearest(first, b.w.Blocks[:min(len(b.w.Blocks), maxSuggestionPool)]); near != "" && rows == 1 {
		line += fmt.Sprintf(": did you mean %q?", near)
	}
	if lost := count(nodes, None); lost > 0 && !b.w.HasTopology {
		line += fmt.Sprintf(", and with them %s that nothing else names", Counted(lost, "node"))
	}
	if text := b.unplacedBlocks(unread); text != "" {
		return []string{line, text}
	}
	return []string{line}
}

// unplacedBlocks counts the blocks that tasks read and no placement names, and names the first with the nearest block
// that no task reads; "" if there are none. Placements must be resolved.
func (b *Builder) unplacedBlocks(unread []string) string {
	w := &b.w
	placed := make([]bool, len(w.Blocks))
	for _, p := range w.Placements {
		placed[p.Block] = true
	}
	n := count(placed, false)
	if n == 0 {
		return ""
	}
	if len(unread) > maxSuggestionPool {
		unread = nil
	}
	slices.Sort(unread) // rows of two tables come in any order
	var names []string
	for k, id := range w.Blocks {
		if placed[k] {
			continue
		}
		if len(names) == maxListed {
			names = append(names, "…")
			break
		}
		name := strconv.Quote(id)
		if near := Nearest(id, unread); near != "" {
			name += fmt.Sprintf(" (did you mean %q?)", near)
		}
		names = append(names, name)
	}
	verb := "have"
	if n == 1 {
		verb = "has"
	}
	return fmt.Sprintf("%s that tasks read %s no placement: %s", Counted(n, "block"), verb, strings.Join(names, ", "))
}

func count[E comparable](list []E, v E) (n int) {
	for _, e := range list {
		if e == v {
			n++
		}
	}
	return n
}

// The rows of the tables that only problem realtime reads: history, partitions, keys, times.

// PastRun adds a row of history. The builder finds r.Node by r.Worker.
func (b *Builder) PastRun(r PastRun, at Locus) {
	r.Node = None
	b.w.History = append(b.w.History, r)
	b.at[TableHistory].add(at)
}

// Part adds a row of partitions; job is an id.
func (b *Builder) Part(p Part, job string, at Locus) {
	p.Job = b.rowJob(TablePartitions, len(b.w.Parts), job, at)
	b.w.Parts = append(b.w.Parts, p)
	b.at[TablePartitions].add(at)
}

// KeyData adds a row of keys; job is an id.
func (b *Builder) KeyData(k KeyData, job string, at Locus) {
	k.Job = b.rowJob(TableKeys, len(b.w.Keys), job, at)
	b.w.Keys = append(b.w.Keys, k)
	b.at[TableKeys].add(at)
}

// GivenTime adds a row of times; job and worker are ids.
func (b *Builder) GivenTime(t GivenTime, job, worker string, at Locus) {
	row := len(b.w.Times)
	t.Job = b.rowJob(TableTimes, row, job, at)
	t.Worker = None
	b.rowNode(TableTimes, row, worker, at.At("worker"))
	b.w.Times = append(b.w.Times, t)
	b.at[TableTimes].add(at)
}

// rowJob is the index of the job that a row names, or None until Build.
func (b *Builder) rowJob(table Table, row int, id string, at Locus) JobIndex {
	j := b.job(id)
	if j == None {
		b.rowJobs[table] = append(b.rowJobs[table], pending{int32(row), id, at.At("job")})
	}
	return j
}

// resolveRows finds the jobs and workers of these tables' rows. Workers of history may no longer exist.
func (b *Builder) resolveRows() {
	w := &b.w
	b.resolveJobs(TablePartitions, func(row int32) *JobIndex { return &w.Parts[row].Job })
	b.resolveJobs(TableKeys, func(row int32) *JobIndex { return &w.Keys[row].Job })
	b.resolveJobs(TableTimes, func(row int32) *JobIndex { return &w.Times[row].Job })
	b.resolveHosts(TableTimes, func(row int32) *NodeIndex { return &w.Times[row].Worker })
	b.resolveClusterRows()
	for i := range w.History {
		if w.HasTopology {
			w.History[i].Node = b.hostNode(w.History[i].Worker)
		}
	}
}
