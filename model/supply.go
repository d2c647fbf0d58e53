package model

// Supply is a resource of which the machines of an instance have a limited amount.
type Supply struct {
	Name string // as people call it
	Unit string // of all amounts: B, cores or slots; empty: it is counted
	// Takes is how much of it a task takes while it runs on a machine; 0 on a machine that has no limit.
	Takes func(task, machine string) float64
	// Has is how much of it the machines with a limit have together: each step lasts until the next, and the first begins
	// at 0.
	Has []SupplyStep
}

// SupplyStep is an amount from a time on.
type SupplyStep struct {
	From   Time
	Amount float64
}
