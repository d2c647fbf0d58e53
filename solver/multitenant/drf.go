package multitenant

import "mrsched/model"

// dominant is a user's dominant share: the larger of what its running maps, or reduces, use of all cores and of all
// memory, each as a part of the cluster's. A node that states no cores counts as one a slot, a task that states none as
// one; memory counts if all nodes state theirs.
//
// Source: Ghodsi et al., Dominant Resource Fairness, NSDI 2011. Differs: slots limit what runs on a node, too.
func (s *simulation) dominant(u *user, kind model.TaskKind) float64 {
	share := float64(u.cpu[kind]) / 1000 / s.in.Cores
	if s.in.RAM > 0 {
		share = max(share, float64(u.memory[kind])/float64(s.in.RAM))
	}
	return share
}
