package msjo

import (
	"math/rand/v2"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
)

// randomTwoSided draws prices that use up the weight of the job that can pay least, and a bound for each job.
func randomTwoSided(r *rand.Rand, in *shop.Instance) *shop.Certificate {
	var p sides
	paid := make([]int64, in.Jobs)
	for _, list := range []*[]int64{&p.both, &p.forward, &p.backward} {
		most := []int64{0, 3, 1000, 1 << 20}[r.IntN(4)] + 1
		for u := range in.Tasks {
			q := r.Int64N(most)
			if in.Weight[in.Job[u]] == 0 {
				q = 0
			}
			*list = append(*list, q)
			paid[in.Job[u]] += q * int64(in.Least[u])
		}
	}
	shift := 0
	for j, sum := range paid {
		for int64(in.Weight[j])<<shift < sum {
			shift++
		}
	}
	cert := twoSidedCertificate(in, shift, p)
	cert.Ends, cert.Starts = randomEnds(r, in), randomEnds(r, in.Backwards())
	e := shop.NewEvaluator(in)
	tight, err := e.Tightened(&cert.Bounds)
	if err != nil {
		panic(err)
	}
	for j := range in.Jobs {
		nodes := in.JobSteps(j)
		a, b := nodes[r.IntN(len(nodes))], nodes[r.IntN(len(nodes))]
		set := randomSet(r, tight.Head[a], tight.Tail[b])
		known := cert.Alone
		cert.Alone = append(known[:len(known):len(known)], shop.AloneBound{Job: int32(j), AloneSet: set})
		if _, err := e.Tightened(&cert.Bounds); err != nil {
			cert.Alone = known
		}
	}
	return cert
}

// randomPreemptive draws a certificate that its nodes can pay. From the last node on, each passes on parts of the
// weight that it has received.
func randomPreemptive(r *rand.Rand, in *shop.Instance) *shop.Certificate {
	place := make([]int64, in.Tasks)
	cert := preemptiveFrom(shop.Bounds{Pools: machineTimePool(), Ends: randomEnds(r, in)}, 1<<20, make([]int64, len(in.SuccStep)))
	cert.Terms = []shop.PriceTerm{{Prices: place}}
	rest := make([]int64, in.Steps)
	for u := range rest {
		rest[u] = int64(in.TaskWeight[u]) << 20
	}
	take := func(u int32, unit int64) (number int64) { // a random part of what u has, in units
		if unit == 0 || r.IntN(2) == 0 {
			return 0
		}
		number = int64(float64(rest[u]) * []float64{0.1, 0.5, 1}[r.IntN(3)] / float64(unit))
		number = min(number, rest[u]/unit)
		rest[u] -= number * unit
		return number
	}
	for _, t := range slices.Backward(in.Topo) {
		if t < int32(in.Tasks) {
			place[t] = take(t, int64(in.Least[t]))
		}
		for u := range int32(in.Steps) {
			for k := in.SuccFirst[u]; k < in.SuccFirst[u+1]; k++ {
				if in.SuccStep[k] == t {
					cert.Arcs[k] = take(t, int64(model.UnitWeight))
					rest[u] += cert.Arcs[k] * int64(model.UnitWeight)
				}
			}
		}
	}
	return cert
}

// randomEnds draws a bound for some steps.
func randomEnds(r *rand.Rand, in *shop.Instance) (list []shop.StepBound) {
	path, e := make([]model.Time, in.Steps), shop.NewEvaluator(in)
	for u := range int32(in.Steps) {
		nodes := in.JobSteps(int(in.Job[u]))
		in.PathsTo(u, path)
		a, b := nodes[r.IntN(len(nodes))], nodes[r.IntN(len(nodes))]
		if path[b] < 0 {
			continue
		}
		set := randomSet(r, in.Head[a], path[b])
		more := append(list[:len(list):len(list)], shop.StepBound{Step: u, AloneSet: set})
		if _, err := e.Tightened(&shop.Bounds{Pools: machineTimePool(), Ends: more}); err == nil {
			list = more
		}
	}
	return list
}

// randomSet draws a kind of bound for the tasks between two thresholds.
func randomSet(r *rand.Rand, head, tail model.Time) shop.AloneSet {
	set := shop.AloneSet{Head: head, Tail: tail}
	if r.IntN(3) == 0 {
		set.Count = 1 + r.Int64N(2)
	}
	return set
}
