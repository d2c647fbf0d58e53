package proof

// Model is a problem over whole numbers.
type Model struct {
	Least, Most []int64 // by variable: its window at the root
	Arcs        []Arc
	Limits      []Limit
	Choices     []Choice
	Sums        []Sum
	Objective   int32 // the variable that is to be as small as possible
}

// Arc states S_To ≥ S_From + Delay, if the option If is 1. Without an option If is 0: variable 0 is none.
type Arc struct {
	From, To int32
	Delay    int64
	If       int32
}

// Limit states that at any time the tasks that run need at most Capacity together.
type Limit struct {
	Capacity int64
	Tasks    []Need
}

// Need is a task of a limit: from its start on, it needs Amount > 0 for Length > 0, if the option If is 1 (0: always).
type Need struct {
	Variable       int32
	Length, Amount int64
	If             int32
}

// Choice states that one of its options at least is 1. They are variables from 0 to 1, and say where a task runs.
type Choice struct {
	Start   int32 // of the task
	Options []int32
}

// Sum states that S_Of is no less than the sum of its terms.
type Sum struct {
	Of    int32
	Terms []Term
}

// Term is Factor · max(0, S_Variable − Due), or, as a step, Factor if S_Variable > Due; Factor > 0.
type Term struct {
	Variable    int32
	Due, Factor int64
	Step        bool
}

// Of is the term's value if its variable is s.
func (t *Term) Of(s int64) int64 {
	if t.Step {
		return t.Factor * min(1, max(0, s-t.Due))
	}
	return t.Factor * max(0, s-t.Due)
}

// MaxTime bounds windows, lengths and delays of a model, and times of a log, so that sums of three fit.
const MaxTime = 1 << 61

// Literal says that a side is at least T. See the package.
type Literal struct {
	Side int32
	T    int64
}

// AtLeast is the literal S_v ≥ t.
func AtLeast(v int32, t int64) Literal { return Literal{2 * v, t} }

// AtMost is the literal S_v ≤ t.
func AtMost(v int32, t int64) Literal { return Literal{2*v + 1, -t} }

// Not is the negation.
func (l Literal) Not() Literal { return Literal{l.Side ^ 1, 1 - l.T} }

// Ends are the source and the target of an arc, as sides: forwards, 0, the least values move, backwards, 1, the most.
func (a Arc) Ends(backwards int32) (from, to int32) {
	if backwards == 0 {
		return 2 * a.From, 2 * a.To
	}
	return 2*a.To + 1, 2*a.From + 1
}

// windows are the bounds of all sides.
func (m *Model) windows() []int64 {
	list := make([]int64, 0, 2*len(m.Least))
	for v := range m.Least {
		list = append(list, m.Least[v], -m.Most[v])
	}
	return list
}

// Clause is the choice as a clause.
func (x *Choice) Clause() []Literal {
	list := make([]Literal, len(x.Options))
	for k, o := range x.Options {
		list[k] = AtLeast(o, 1)
	}
	return list
}
