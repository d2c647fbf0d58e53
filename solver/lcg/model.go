package lcg

// Model is a problem over whole numbers. The engine does not change it.
type Model struct {
	Least, Most []int64 // by variable: its window at the root
	Arcs        []Arc
	Limits      []Limit
	Objective   int32 // the variable that is to be as small as possible
}

// Arc states S_To ≥ S_From + Delay.
type Arc struct {
	From, To int32
	Delay    int64
}

// Limit states that at any time the tasks that run need at most Capacity together.
type Limit struct {
	Capacity int64
	Tasks    []Need
}

// Need is a task of a limit: from its start on, it needs Amount > 0 for Length > 0.
type Need struct {
	Variable       int32
	Length, Amount int64
}

// literal says that a side is at least t. See the package.
type literal struct {
	side int32
	t    int64
}

func atLeast(v int32, t int64) literal { return literal{2 * v, t} }
func atMost(v int32, t int64) literal  { return literal{2*v + 1, -t} }
func (l literal) not() literal         { return literal{l.side ^ 1, 1 - l.t} }
