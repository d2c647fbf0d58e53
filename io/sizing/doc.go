// Package sizing asks how many nodes a workload needs: it solves an instance with several numbers of nodes. What
// comes in are Options; an Answer goes out. Read size.go first.
//
// A schedule for k machines is one for k + 1 that costs no more (see model.Workload.Resize). Hence the optimum never
// rises with the number of machines: every schedule for k machines counts for more, and every bound for k machines
// counts for fewer. A size without any schedule, because a task fits no node or a row needs a removed one, excludes all
// smaller ones. This holds because nodes are only added: speeds, racks and links of the others stay. What an added node
// lacks, as a named resource, makes it less useful, but takes nothing from a schedule for fewer nodes. An added replica
// makes reading faster, never slower: tasks keep their starts and end earlier (see solver.Problem.Carried). The rule
// would not hold if nodes shared a link whose rate falls with their number; no problem with Carried has such a link.
package sizing
