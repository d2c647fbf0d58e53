package msjo

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// Settings of the bound by cases.
const (
	// caseSteps is the number of iterations of an ascent. Without a deadline, all ascents together take no more
	// iterations than the run may.
	caseSteps = 150
	// caseGain: a case is split once an ascent raises its bound by a smaller share.
	caseGain = 1e-4
	// The search for cases ends when casePatience ascents together raise the bound by a share of casesGain at most.
	casePatience = 8
	casesGain    = 2e-4
	// casesShare is its share of the remaining time for bounds.
	casesShare = 0.5
)

// flowCase is a case, with the best prices known for it.
type flowCase struct {
	place       *shop.CompletionCases // in the certificate
	first, last []int                 // by job: the first and last column that the case allows
	lambda      []float64
	own         [][]shop.OwnPrices // by job
	cost        []float64          // by job: its part of value
	value       float64
	climbed     bool         // another ascent promises little
	job, at     int          // the column that best splits the completions of a job; None: there is none
	plan        []model.Time // starts by task
	due         []model.Time // by job
}

// cases raises the bound by cases. The least bound of all cases counts. So the case with the least bound either gets
// better prices, or it is split where that promises most: at the mean completion of the job whose chosen completions
// are spread most, times its weight. It returns the tree of cases and the case with the least bound. The tree is nil if
// there is one case only. Afterwards lambda and the jobs are as before, but for the flows that their columns keep.
func (f *flows) cases(ctx context.Context, target float64, opt solver.Options) (*shop.CompletionCases, *flowCase) {
	ascents := opt.Iterations / min(caseSteps, opt.Iterations)
	if _, limited := ctx.Deadline(); limited {
		ascents = math.MaxInt
	}
	defer f.restore(slices.Clone(f.jobs), slices.Clone(f.lambda))
	for j := range f.jobs {
		f.jobs[j].mean = slices.Clone(f.jobs[j].mean)
	}
	tree := &shop.CompletionCases{}
	root := &flowCase{place: tree, climbed: true} // flows has climbed
	f.keep(root, f.evaluate(opt.Threads, true, make([]float64, flowCells)))
	f.means(root)
	list := []*flowCase{root}
	before := root.value
	for n := 0; n < ascents && len(list) < shop.MaxCases && ctx.Err() == nil; {
		i := leastCase(list)
		c := list[i]
		if len(list) > 1 {
			opt.Watch.Bound(c.value-f.grid(), methodCases)
		}
		switch {
		case !c.climbed:
			if n++; n%casePatience == 0 {
				if c.value-before < casesGain*c.value {
					return f.certified(tree, list), c
				}
				before = c.value
			}
			f.climbCase(ctx, c, target, opt)
		case c.job == model.None:
			return f.certified(tree, list), c
		default:
			list = append(slices.Delete(list, i, i+1), f.split(c)...)
		}
	}
	return f.certified(tree, list), list[leastCase(list)]
}

// restore puts back jobs and prices saved before.
func (f *flows) restore(jobs []flowJob, lambda []float64) {
	copy(f.jobs, jobs)
	copy(f.lambda, lambda)
}

// leastCase is the case with the least bound; ties: the first.
func leastCase(list []*flowCase) (least int) {
	for i, c := range list {
		if c.value < list[least].value {
			least = i
		}
	}
	return least
}

// certified fills in the prices of all cases.
func (f *flows) certified(tree *shop.CompletionCases, list []*flowCase) *shop.CompletionCases {
	if len(list) == 1 {
		return nil
	}
	for _, c := range list {
		copy(f.lambda, c.lambda)
		c.place.MachinePrices = f.prices(c.own)
	}
	return tree
}

// open makes a case the current one.
func (f *flows) open(c *flowCase) {
	copy(f.lambda, c.lambda)
	for j := range f.jobs {
		f.jobs[j].first, f.jobs[j].last = c.first[j], c.last[j]
	}
}

// keep stores the current prices, which have just been evaluated exactly.
func (f *flows) keep(c *flowCase, value float64) {
	c.value, c.lambda = value, slices.Clone(f.lambda)
	c.first, c.last, c.own, c.cost = nil, nil, nil, nil
	for j := range f.jobs {
		job := &f.jobs[j]
		c.first, c.last = append(c.first, job.first), append(c.last, job.last)
		c.own, c.cost = append(c.own, f.own(j)), append(c.cost, job.value)
	}
}

// means stores what the moving averages of the last ascent say of a case.
func (f *flows) means(c *flowCase) {
	c.job, c.at = f.spread()
	c.plan, c.due = f.plan(), f.due()
}

// spread is the job whose chosen completions have the largest standard deviation, times its weight, and the column of
// their mean. It is None if every such mean is at an end of the job's columns.
func (f *flows) spread() (job, at int) {
	job = model.None
	var most float64
	for j := range f.jobs {
		x := &f.jobs[j]
		k := x.first
		for k < x.last && x.columns[k].completion < x.completion {
			k++
		}
		s := x.weight * math.Sqrt(max(0, x.square-float64(x.completion*x.completion)))
		if k > x.first && k < x.last && s > most {
			most, job, at = s, j, k
		}
	}
	return job, at
}

// climbCase raises the bound of a case by better prices.
func (f *flows) climbCase(ctx context.Context, c *flowCase, target float64, opt solver.Options) {
	f.open(c)
	f.run(ctx, min(caseSteps, opt.Iterations), flowScale, target, opt)
	v := f.evaluate(opt.Threads, true, make([]float64, flowCells))
	if c.climbed = v-c.value < caseGain*v; v > c.value {
		f.keep(c, v)
	}
	f.means(c)
}

// split divides a case in two. Both keep its prices, but for those of the job's own.
func (f *flows) split(c *flowCase) []*flowCase {
	job := &f.jobs[c.job]
	s := &shop.CaseSplit{Job: int32(c.job), At: job.columns[c.at].at, Until: &shop.CompletionCases{},
		From: &shop.CompletionCases{}}
	c.place.CaseSplit = s
	early, late := *c, *c
	early.place, early.last = s.Until, slices.Clone(c.last)
	late.place, late.first = s.From, slices.Clone(c.first)
	early.last[c.job], late.first[c.job] = c.at, c.at
	for _, half := range []*flowCase{&early, &late} {
		f.open(half)
		f.iteration++
		f.arrange()
		f.exactly(job)
		half.own, half.cost = slices.Clone(c.own), slices.Clone(c.cost)
		half.own[c.job], half.cost[c.job] = f.own(c.job), job.value
		half.value += job.value - c.cost[c.job]
		half.climbed = false
	}
	return []*flowCase{&early, &late}
}

// arrange orders the cells by rising price.
func (f *flows) arrange() {
	slices.SortStableFunc(f.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(f.lambda[a], f.lambda[b]), int(b-a))
	})
}
