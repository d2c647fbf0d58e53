package shop

import (
	"fmt"
	"slices"
	"strconv"

	"mrsched/model"
)

// reportRoom reports a task that no node can run.
func (in *Instance) reportRoom(u int32, found *model.Findings) {
	allowed, roomy := false, false
	most := make([]int64, in.Resources)
	for k := range int32(in.Classes) {
		if in.AllowedNodes(u, k) == 0 {
			continue
		}
		allowed, roomy = true, roomy || in.Fits(u, k)
		for r, c := range in.Capacities(k) {
			most[r] = max(most[r], c)
		}
	}
	f := model.Finding{Code: model.CodeNoRoom, Pos: in.workload.Where(model.TableTasks, int(u)),
		Expected: "a node that may run it and has what it needs", Like: "no node"}
	elsewhere := slices.ContainsFunc(model.Indices(in.Classes), func(k int32) bool {
		return in.AllowedNodes(u, k) == 0 && in.Fits(u, k)
	})
	id := in.workload.Tasks[u].ID
	switch {
	case in.reportExtra(u, &f):
	case !allowed:
		f.What = fmt.Sprintf("task %q may run nowhere: the table eligible leaves it no node", id)
		f.Hint = "the nodes of a job's rows and of its task's rows are those that both name"
	case roomy:
		f.What = fmt.Sprintf("task %q may run nowhere: no node with a row of times for it is eligible and has room", id)
	default:
		f.What = fmt.Sprintf("task %q fits no node that may run it: no such node has everything that it needs", id)
		for r, d := range in.Demands(u) {
			if d > most[r] {
				f.What = fmt.Sprintf("task %q fits no node that may run it: it needs %s of %s, and the most there is %s", id,
					in.Amount(r, d), in.Resource[r], in.Amount(r, most[r]))
				if f.Hint = in.roomHint(r); elsewhere {
					f.What += "; the table eligible excludes nodes that have room"
					f.Hint = "let it run there, or lower what it takes"
				}
				break
			}
		}
	}
	found.Add(f)
}

// reportExtra words a finding about a task that takes more of a resource without columns than any place has.
func (in *Instance) reportExtra(u int32, f *model.Finding) bool {
	for _, x := range in.Extra(u) {
		var most int64
		for _, g := range in.Groups {
			if g.Resource == x.resource && len(g.Nodes) > 0 {
				most = max(most, g.Capacity)
			}
		}
		if r := int(x.resource); x.amount > most {
			f.What = fmt.Sprintf("task %q fits no node that may run it: it needs %s of %s, and the most there is %s",
				in.workload.Tasks[u].ID, in.Amount(r, x.amount), in.Resource[r], in.Amount(r, most))
			f.Hint = in.roomHint(r)
			return true
		}
	}
	return false
}

// roomHint says what may be wrong with an amount of a resource that no node has.
func (in *Instance) roomHint(r int) string {
	if r < in.named {
		return in.workload.RoomHint(in.Resource[r])
	}
	return in.workload.CapacityHint(in.Resource[r])
}

// One is what one of a resource counts.
func (in *Instance) One(r int) int64 {
	if r < in.named && in.Resource[r] != ResourceCPU {
		return 1
	}
	return int64(model.UnitAmount)
}

// Amount prints how much of a resource something has or takes.
func (in *Instance) Amount(r int, v int64) string {
	if in.One(r) == 1 {
		return strconv.FormatInt(v, 10)
	}
	return model.Amount(v).String()
}
