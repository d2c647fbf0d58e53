package multitenant

import "mrsched/solver"

// policies lists the paper's policies.
func policies() solver.Methods[*run, *solver.Outcome] { return nil }
