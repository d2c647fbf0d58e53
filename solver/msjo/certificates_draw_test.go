package msjo

import (
	"math/rand/v2"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

// randomTwoSided draws prices that use up the weight of the job that can pay least, and a bound for each job.
func randomTwoSided(r *rand.Rand, in *msjo.Instance) *msjo.Certificate {
	cert := twoSidedCertificate(1, msjo.TwoSided{})
	cert.Ends, cert.Starts = randomEnds(r, in), randomEnds(r, in.Backwards())
	heads, tails, err := in.Windows(cert.Ends, cert.Starts)
	if err != nil {
		panic(err)
	}
	paid := make([]int64, in.Jobs)
	for _, list := range []*[]int64{&cert.Both, &cert.Forward, &cert.Backward} {
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
	for j, sum := range paid {
		if w := int64(in.Weight[j]); w > 0 {
			cert.Denominator = max(cert.Denominator, (sum+w-1)/w)
		}
	}
	for j := range in.Jobs {
		nodes := in.JobSteps(j)
		a, b := nodes[r.IntN(len(nodes))], nodes[r.IntN(len(nodes))]
		set := randomSet(r, heads[a], tails[b], in.Least[nodes[r.IntN(len(nodes))]])
		bound := msjo.AloneBound{Job: int32(j), AloneSet: set}
		if _, err := in.AloneBounds([]msjo.AloneBound{bound}, heads, tails); err == nil {
			cert.Alone = append(cert.Alone, bound)
		}
	}
	return cert
}

// randomPreemptive draws a certificate that its nodes can pay. From the last node on, each passes on parts of the
// weight that it has received.
func randomPreemptive(r *rand.Rand, in *msjo.Instance) *msjo.Certificate {
	place := make([]int64, in.Tasks)
	cert := preemptiveFrom(randomEnds(r, in), 1<<20, make([]int64, len(in.SuccStep)))
	cert.Terms = []msjo.PriceTerm{{Prices: place}}
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

// randomEnds draws a bound for some nodes.
func randomEnds(r *rand.Rand, in *msjo.Instance) (list []msjo.NodeBound) {
	path := make([]model.Time, in.Steps)
	for u := range int32(in.Steps) {
		nodes := in.JobSteps(int(in.Job[u]))
		in.PathsTo(u, path)
		a, b := nodes[r.IntN(len(nodes))], nodes[r.IntN(len(nodes))]
		if path[b] < 0 {
			continue
		}
		set := randomSet(r, in.Head[a], path[b], in.Least[nodes[r.IntN(len(nodes))]])
		if _, _, err := in.Windows(append(list, msjo.NodeBound{Node: u, AloneSet: set}), nil); err == nil {
			list = append(list, msjo.NodeBound{Node: u, AloneSet: set})
		}
	}
	return list
}

// randomSet draws a kind of bound for the tasks between two thresholds.
func randomSet(r *rand.Rand, head, tail, length model.Time) msjo.AloneSet {
	set := msjo.AloneSet{Head: head, Tail: tail}
	switch r.IntN(3) {
	case 1:
		set.Count = 1 + r.IntN(2)
	case 2:
		within := length*model.Time(1+r.IntN(4)) - model.Time(r.IntN(2))
		set.Packing = &msjo.Packing{Within: within, Cut: within * model.Time(r.IntN(3)) / 5, Steps: r.IntN(4)}
	}
	return set
}
