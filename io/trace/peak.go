package trace

import (
	"cmp"
	"slices"
)

// Usage is how much of something is in use over time.
type Usage struct{ changes []change }

type change struct{ at, by int64 }

// Add says that an amount is in use from one time to another.
func (u *Usage) Add(from, to, amount int64) {
	if from < to {
		u.changes = append(u.changes, change{from, amount}, change{to, -amount})
	}
}

// Peak is the most that is in use at once. What begins when something else ends does not overlap it.
func (u *Usage) Peak() (most int64) {
	slices.SortFunc(u.changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	now := int64(0)
	for _, c := range u.changes {
		now += c.by
		most = max(most, now)
	}
	return most
}
