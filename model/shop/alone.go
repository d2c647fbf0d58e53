package shop

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
)

// AloneBound is a lower bound on the completion of one job, whatever the other jobs do, or on that of all jobs.
type AloneBound struct {
	Job int32 `json:"job"` // in the order of the workload; AllJobs: all of them
	AloneSet
}

// AloneSet is a set of tasks that all run before some end: those with a head of at least Head whose least time from
// their own end to that end is at least Tail. They run between Head and the end − Tail. Of a pool they take their
// areas, so that
//
//	end ≥ Tail + the first time by which the pool has done the sum of the areas since Head.
//
// With Count k, the pool has Least, and M is the sum of ⌊capacity/Least⌋ over the nodes that may run one of these tasks
// with a demand of at least Least. Of a group it is ⌊its capacity/Least⌋, and only tasks with an area count. There are
// at least k·M + 1 of them. Then k + 1 of the k·M + 1 longest run one after another.
type AloneSet struct {
	Head  model.Time `json:"head"`
	Tail  model.Time `json:"tail"`
	Pool  int32      `json:"pool"`
	Count int64      `json:"count,omitempty"`
}

// maxAlone bounds the ends of an AloneSet, so that sums fit.
const maxAlone = 2 * model.MaxHorizon

// alone is the end that a set of some tasks proves. A set without tasks proves nothing. Errors: it does not hold.
func (x *raising) alone(s *AloneSet, tasks []int32, head, tail []model.Time) (model.Time, error) {
	if s.Head < 0 || s.Tail < 0 || s.Head > maxAlone || s.Tail > maxAlone || s.Pool < 0 || int(s.Pool) >= len(x.pools) {
		return 0, fmt.Errorf("has a bound from %s to %s", s.Head, s.Tail)
	}
	if s.Count != 0 {
		return x.inLanes(s, tasks, head, tail)
	}
	area, y := new(big.Int), new(big.Int)
	for _, u := range tasks {
		if head[u] >= s.Head && tail[u] >= s.Tail {
			area.Add(area, y.SetInt64(x.pools[s.Pool].Area[u]))
		}
	}
	if area.Sign() == 0 {
		return 0, nil
	}
	return x.pools[s.Pool].Done(s.Head, area) + s.Tail, nil
}

// Done returns the first time by which a pool has worked off a positive area since from, or from if the pool never
// does.
func (x *Pooled) Done(from model.Time, area *big.Int) model.Time {
	left, does := new(big.Int).Set(area), new(big.Int)
	for k, s := range x.Speeds {
		begin, end := max(s.From, from), maxAlone
		if k+1 < len(x.Speeds) {
			end = min(end, x.Speeds[k+1].From)
		}
		if begin >= end || s.Speed == 0 {
			continue
		}
		speed := big.NewInt(s.Speed)
		if does.Mul(speed, big.NewInt(int64(end-begin))); does.Cmp(left) >= 0 {
			left.Add(left, does.Sub(speed, big.NewInt(1)))
			return begin + model.Time(left.Div(left, speed).Int64())
		}
		left.Sub(left, does)
	}
	return from
}

// inLanes evaluates a set by its count.
func (x *raising) inLanes(s *AloneSet, tasks []int32, head, tail []model.Time) (model.Time, error) {
	in, p := x.in, &x.Pools[s.Pool]
	if p.Least <= 0 || s.Count < 0 {
		return 0, errors.New("has a count without a least demand")
	}
	runs := make([]bool, in.Classes)
	var lengths []model.Time
	for _, u := range tasks {
		if !in.Fixed(u) && in.Least[u] > 0 && head[u] >= s.Head && tail[u] >= s.Tail && x.pools[s.Pool].Counts(in, p, u) {
			lengths = append(lengths, in.Least[u])
			for k, length := range x.Lengths(u) {
				runs[k] = runs[k] || length >= 0
			}
		}
	}
	lanes, value := in.Lanes(p, runs, int64(len(lengths))), s.Head+s.Tail
	if lanes == 0 || s.Count > (int64(len(lengths))-1)/lanes {
		return 0, fmt.Errorf("has too few tasks for count %d", s.Count)
	}
	slices.SortFunc(lengths, func(a, b model.Time) int { return cmp.Compare(b, a) })
	last := s.Count * lanes
	for _, t := range lengths[last-s.Count : last+1] {
		value += t
	}
	return value, nil
}

// Counts says whether a task is among those of which a pool with Least counts how many run at a time.
func (x *Pooled) Counts(in *Instance, p *Pool, u int32) bool {
	return in.Needs(u, p.Resource) >= p.Least && (p.Group == 0 || x.Area[u] > 0)
}

// Lanes is how many tasks with a demand of at least p.Least run at a time on the nodes of some classes, at most the
// given number.
func (in *Instance) Lanes(p *Pool, runs []bool, most int64) (lanes int64) {
	if p.Group > 0 {
		return min(most, in.Groups[p.Group-1].Capacity/p.Least)
	}
	for k := range int32(in.Classes) {
		if !runs[k] {
			continue
		}
		each := most
		if c := in.Capacities(k)[p.Resource]; c != Unlimited {
			each = min(most, c/p.Least)
		}
		if each > 0 && int64(len(in.ClassNodes(k))) > (most-lanes)/each {
			return most
		}
		lanes += each * int64(len(in.ClassNodes(k)))
	}
	return lanes
}
