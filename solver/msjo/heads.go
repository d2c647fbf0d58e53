package msjo

import (
	"slices"

	"mrsched/model"
	"mrsched/solver/lp"
)

const (
	// headThresholds is the largest number of thresholds that the LP separates; with more heads, they are spread evenly.
	headThresholds = 24
	// admmThresholds is the same for the first-order method, which keeps arrays for every threshold.
	admmThresholds = 8
)

// byDelayHeads is the collapsed formulation with the stronger inequalities
//
//	Σ_B p_u (M_u − h) ≥ p(B)²/2m,  h = the least head in B,
//
// which hold because no task of B starts before h. It separates prefixes of the tasks with head ≥ h for every
// threshold h.
type byDelayHeads struct {
	byDelay
	thresholds []model.Time
	terms      map[model.Time][]float64 // prices of the last solution, by threshold and position
}

func (f *byDelayHeads) name() string { return "collapsed, with heads" }

// separators look at the tasks of one threshold each.
func (f *byDelayHeads) separators() []separator {
	var seps []separator
	for _, h := range f.thresholds {
		s := separator{c: f.c, head: h.Seconds()}
		for k, u := range f.c.task {
			if f.c.in.Head[u] >= h {
				s.of = append(s.of, int32(k))
			}
		}
		seps = append(seps, s)
	}
	return seps
}

// headSet is a set of tasks with its least head.
type headSet struct {
	head    model.Time
	members []keyed
}

func (f *byDelayHeads) row(prefix []keyed) (entries []lp.Entry, rhs, scale float64, set any) {
	c := f.c
	head := c.in.Head[c.task[prefix[0].k]]
	work := make([]float64, c.in.Jobs)
	var a, pe float64
	for _, o := range prefix {
		if c.p[o.k] == 0 {
			continue
		}
		head = min(head, c.in.Head[c.task[o.k]])
		work[c.job[o.k]] += c.p[o.k]
		a += c.p[o.k]
		pe += c.p[o.k] * c.e[o.k]
	}
	for j, p := range work {
		if p > 0 {
			entries = append(entries, lp.Entry{Col: lp.Col(j), Coef: p / a})
		}
	}
	return entries, (a*a/(2*c.m) + a*head.Seconds() - pe) / a, a, headSet{head, prefix}
}

func (f *byDelayHeads) price(sets []any, dual []float64) []float64 {
	f.terms = map[model.Time][]float64{}
	all := make([]float64, len(f.c.task))
	for i, set := range sets {
		if dual[i] == 0 {
			continue
		}
		s := set.(headSet)
		if f.terms[s.head] == nil {
			f.terms[s.head] = make([]float64, len(f.c.task))
		}
		for _, o := range s.members {
			f.terms[s.head][o.k] += dual[i]
			all[o.k] += dual[i]
		}
	}
	return all
}

// priced lists the prices of the last solution by rising threshold.
func (f *byDelayHeads) priced() []pricedTerm {
	var terms []pricedTerm
	for h, price := range f.terms {
		terms = append(terms, pricedTerm{h, f.c.byTask(price)})
	}
	slices.SortFunc(terms, func(a, b pricedTerm) int { return int(min(1, max(-1, a.threshold-b.threshold))) })
	return terms
}

// thresholds are 0 and distinct heads, at most limit of them, spread evenly.
func (c *collapsed) thresholds(limit int) []model.Time {
	heads := []model.Time{0}
	for k, u := range c.task {
		if c.p[k] > 0 {
			heads = append(heads, c.in.Head[u])
		}
	}
	slices.Sort(heads)
	heads = slices.Compact(heads)
	if len(heads) <= limit {
		return heads
	}
	out := make([]model.Time, limit)
	for i := range out {
		out[i] = heads[i*len(heads)/limit]
	}
	return out
}
