package multitenant

import "mrsched/model"

// dominant is a user's dominant share: the larger of the cluster's shares of cores and of memory that its running maps,
// or reduces, use. A node without stated cores counts as one per slot, a task without as one; memory counts if all
// nodes state theirs.
//
// Source: Ghodsi et al., Dominant Resource Fairness, NSDI 2011. Differs: slots also limit what runs on a node.
func (s *simulation) dominant(u *user, kind model.TaskKind) float64 {
	share := float64(u.cpu[kind]) / 1000 / s.in.Cores
	if s.in.RAM > 0 {
		share = max(share, float64(u.memory[kind])/float64(s.in.RAM))
	}
	return share
}
