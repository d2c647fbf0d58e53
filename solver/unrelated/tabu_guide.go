package unrelated

import (
	"math"

	"mrsched/model"
)

// guide makes steps prefer machines on which tasks waste little at the prices of a relaxation of value T: within a
// limit all tasks together waste at most R·(limit − T). On related machines hardly any step wastes anything.
func (x *tabu) guide(f *relaxation) {
	x.bound, x.vertex = f.Value, f.shares
	if f.waste == nil {
		return
	}
	x.waste = make([]model.Time, len(f.waste))
	for k, w := range f.waste {
		x.waste[k] = model.Time(w)
	}
	total := 0.0
	for i := range x.n {
		most := model.Time(0)
		for c := range x.speed {
			most = max(most, x.time(i, c))
		}
		total += float64(most)
	}
	if total > tabuTotal {
		return
	}
	x.price = make([]model.Time, x.m)
	for k, v := range f.price {
		x.price[k] = model.Time(math.Max(1, math.Min(tabuHeavy, v*tabuUnit)))
	}
}

// tabuWaste are the factors by which waste counts, in halves of the excess, and tabuPart the values of part. None is
// good for all instances.
var (
	tabuWaste = [...]model.Time{1, 2, 4, 6, 10}
	tabuPart  = [...]float64{0.05, 0.15, 0.3}
)

// draw chooses the settings of the next search: the weight of waste, how much of it a task may have, and whether the
// prices of machines weight excess.
func (x *tabu) draw() {
	x.factor = tabuWaste[x.random.IntN(len(tabuWaste))]
	x.part = tabuPart[x.random.IntN(len(tabuPart))]
	x.weight = nil
	if x.price != nil && x.random.IntN(2) == 0 {
		x.weight = x.price
	}
}

// rounded draws the class of every task with the probabilities that the vertex states, and puts it on the machine of
// that class with the least load.
func (x *tabu) rounded() Assignment {
	class, left := make([]int32, x.n), make([]float64, x.n)
	for _, s := range x.vertex {
		if left[s.task] += s.part; x.random.Float64()*left[s.task] < s.part {
			class[s.task] = s.class
		}
	}
	a := x.spread(class)
	if x.Used(a) > x.most {
		return x.Greedy()
	}
	return a
}
