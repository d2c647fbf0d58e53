package shop

import (
	"math"
	"slices"

	"mrsched/model"
)

// beginning is before every time of a schedule.
const beginning = model.Time(math.MinInt64 / 4)

// profile is the free capacity of a node as a step function of time: from at[k] up to at[k+1], exclusive, it is the
// k-th row of free. The first row begins at beginning; the last one has no end.
type profile struct {
	at   []model.Time
	free []int64 // a row has one number per resource
}

// find is the row that holds at a time.
func (p *profile) find(t model.Time) int {
	low, high := 0, len(p.at)
	for high-low > 1 {
		if mid := (low + high) / 2; p.at[mid] <= t {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// split makes a row begin at a time, and returns it.
func (p *profile) split(t model.Time, resources int) int {
	k := p.find(t)
	if p.at[k] == t {
		return k
	}
	p.at = slices.Insert(p.at, k+1, t)
	n := len(p.free)
	p.free = slices.Grow(p.free, resources)[:n+resources]
	copy(p.free[(k+1)*resources:], p.free[k*resources:n])
	return k + 1
}

// add adds sign × demand to what is free from start to end, start < end, and joins rows that become equal.
func (p *profile) add(start, end model.Time, demand []int64, sign int64) {
	resources := len(demand)
	first := p.split(start, resources)
	last := p.split(end, resources)
	for k := first; k < last; k++ {
		row := p.free[k*resources : (k+1)*resources]
		for r, d := range demand {
			row[r] += sign * d
		}
	}
	p.join(last, resources)
	p.join(first, resources)
}

// join drops row k if it equals the row before.
func (p *profile) join(k, resources int) {
	if k > 0 && slices.Equal(p.free[(k-1)*resources:k*resources], p.free[k*resources:(k+1)*resources]) {
		p.at = slices.Delete(p.at, k, k+1)
		p.free = slices.Delete(p.free, k*resources, (k+1)*resources)
	}
}

// room says whether row k has a demand free.
func (p *profile) room(k int, demand []int64) bool {
	row := p.free[k*len(demand):]
	for r, d := range demand {
		if d > row[r] {
			return false
		}
	}
	return true
}

// freeAt is what is free of the only resource at a time.
func (p *profile) freeAt(t model.Time) int64 { return p.free[p.find(t)] }

// earliest is the first start between from and limit at which a demand is free for a length above 0; Never if there is
// none.
func (p *profile) earliest(from, length, limit model.Time, demand []int64) model.Time {
	start := from
	for k := p.find(from); start <= limit; k++ {
		last := k+1 == len(p.at)
		switch {
		case !p.room(k, demand):
			if last {
				return model.MaxTime
			}
			start = p.at[k+1]
		case last || p.at[k+1] >= start+length:
			return start
		}
	}
	return model.MaxTime
}

// latest is the last start, at least limit, at which a demand is free for a length above 0 that ends by end; beginning
// if there is none.
func (p *profile) latest(end, length, limit model.Time, demand []int64) model.Time {
	for k := p.find(end - 1); end-length >= limit; k-- {
		switch {
		case !p.room(k, demand):
			if k == 0 {
				return beginning
			}
			end = p.at[k]
		case p.at[k] <= end-length:
			return end - length
		}
	}
	return beginning
}
