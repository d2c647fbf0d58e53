package msjo

import (
	"math"

	"mrsched/model/msjo"
)

// prices of machine time: a step function λ on cells of equal length, 0 from the horizon on.
// Λ, its integral, is piecewise linear.
type stepPrice struct {
	cell float64   // seconds
	step []float64 // λ by cell, weight
	sum  []float64 // Λ at the cells' ends, one longer
	// rising is the first cell from which on λ never rises: a task whose window begins there is cheapest as
	// late as possible.
	falling int
}

func (s *stepPrice) integrate() {
	s.falling = 0
	for k, v := range s.step {
		s.sum[k+1] = s.sum[k] + v*s.cell
		if k > 0 && v > s.step[k-1] {
			s.falling = k
		}
	}
}

// lagrangian evaluates the bound LB(λ) in floating-point numbers and finds prices that make it large.
//
// A task u of job j that completes by C is cheapest at some start in [h_u, C − L_u − p_u]: at the ends of that
// window or where the start or the end of the task meets a cell border.
type lagrangian struct {
	in    *msjo.Instance
	m     float64
	price stepPrice
	// by task, job by job: task[k] with head, lag = L_u + p_u and length in seconds
	task         []int32
	first        []int32
	head, lag, p []float64
	alone        []float64 // by job
	weight       []float64
	usage        []float64 // by cell: machines in use, on average
	scratch      [][]float64
}

func newLagrangian(in *msjo.Instance, cells int, horizon float64) *lagrangian {
	l := &lagrangian{in: in, m: float64(in.Machines), first: make([]int32, in.Jobs+1)}
	for j := range in.Jobs {
		for _, u := range in.JobNodes(j) {
			if u < int32(in.Tasks) && in.Processing[u] > 0 {
				l.task = append(l.task, u)
				l.head = append(l.head, in.Head[u].Seconds())
				l.lag = append(l.lag, (in.Tail[u] + in.Processing[u]).Seconds())
				l.p = append(l.p, in.Processing[u].Seconds())
			}
		}
		l.first[j+1] = int32(len(l.task))
		l.alone = append(l.alone, in.Alone[j].Seconds())
		l.weight = append(l.weight, in.Weight[j].Float())
	}
	l.price = stepPrice{cell: horizon / float64(cells), step: make([]float64, cells), sum: make([]float64, cells+1)}
	l.usage = make([]float64, cells)
	return l
}

// at is Λ(t).
func (s *stepPrice) at(t float64) float64 {
	k := int(t / s.cell)
	if k >= len(s.step) {
		return s.sum[len(s.step)]
	}
	return s.sum[k] + (t-float64(k)*s.cell)*s.step[k]
}

func (l *lagrangian) cost(k int, s float64) float64 { return l.price.at(s+l.p[k]) - l.price.at(s) }

// job finds job j's cheapest completion on the grid alone_j + i·cell; f is scratch for its costs.
func (l *lagrangian) job(j int, f []float64) (value, completion float64) {
	s := &l.price
	n := len(s.step)
	last := int(math.Ceil((float64(n)*s.cell - l.alone[j]) / s.cell))
	if last < 0 {
		last = 0
	}
	f = f[:last+1]
	for i := range f {
		f[i] = l.weight[j] * (l.alone[j] + float64(i)*s.cell)
	}
	for k := int(l.first[j]); k < int(l.first[j+1]); k++ {
		x := l.alone[j] - l.lag[k]
		g := l.cost(k, l.head[k])
		// candidates between head and x on cell borders, both kinds, as x advances
		next := int(math.Ceil(l.head[k] / s.cell))
		nextEnd := int(math.Ceil((l.head[k] + l.p[k]) / s.cell))
		for i := range f {
			for next <= n && float64(next)*s.cell <= x {
				if next <= s.falling {
					g = min(g, l.cost(k, float64(next)*s.cell))
				}
				next++
			}
			for nextEnd <= n && float64(nextEnd)*s.cell-l.p[k] <= x {
				if nextEnd <= s.falling {
					g = min(g, s.sum[nextEnd]-s.at(float64(nextEnd)*s.cell-l.p[k]))
				}
				nextEnd++
			}
			g = min(g, l.cost(k, x))
			f[i] += g
			x += s.cell
		}
	}
	best := 0
	for i, v := range f {
		if v < f[best] {
			best = i
		}
	}
	return f[best], l.alone[j] + float64(best)*s.cell
}

// place finds task k's cheapest start no later than x.
func (l *lagrangian) place(k int, x float64) float64 {
	s := &l.price
	best, at := l.cost(k, x), x
	try := func(t float64) {
		if t < l.head[k] || t > x {
			return
		}
		if c := l.cost(k, t); c < best {
			best, at = c, t
		}
	}
	try(l.head[k])
	for i := int(l.head[k] / s.cell); i <= s.falling; i++ {
		try(float64(i) * s.cell)
		try(float64(i)*s.cell - l.p[k])
	}
	return at
}

// evaluate is LB(λ) up to the grid of completions, and sets usage.
func (l *lagrangian) evaluate() float64 {
	s := &l.price
	s.integrate()
	for k := range l.usage {
		l.usage[k] = 0
	}
	f := make([]float64, len(s.step)+2)
	total := -l.m * s.sum[len(s.step)]
	for j := range l.alone {
		v, c := l.job(j, f)
		total += v
		for k := int(l.first[j]); k < int(l.first[j+1]); k++ {
			l.use(l.place(k, c-l.lag[k]), l.p[k])
		}
	}
	return total
}

// use adds a task's run to usage.
func (l *lagrangian) use(start, p float64) {
	s := &l.price
	end := start + p
	for k := int(start / s.cell); k < len(s.step) && float64(k)*s.cell < end; k++ {
		from, to := max(start, float64(k)*s.cell), min(end, float64(k+1)*s.cell)
		l.usage[k] += (to - from) / s.cell
	}
}
