package bench

import (
	"slices"

	"mrsched/io/trace"
	"mrsched/model"
)

// Kinds of job shops, which mrsched does not import.
const (
	JobShop      = "a job shop"
	FlexibleShop = "a flexible job shop" // an operation chooses among machines
)

// Shop is the kind of job shop that a file is; empty if it is none. Both begin with a line "jobs machines", perhaps
// with a third number, and have a line per job. That of a job shop is pairs of a machine and a time, in the order of
// the operations; a machine may come again, or not at all. That of a flexible one is the number of operations and, for
// each, how many pairs follow. Machines count from 0 or 1. If the machines of all lines ascend, it is no job shop.
func Shop(f trace.File) string {
	var found model.Findings
	p := trace.NewWords(f, &found)
	p.Comments = true
	var lines [][]model.Time
	for p.Next() {
		line := make([]model.Time, p.Len())
		for i := range line {
			line[i] = p.Time(i, "number")
		}
		lines = append(lines, line)
	}
	if !found.Empty() || len(lines) < 2 || len(lines[0]) != 2 && len(lines[0]) != 3 ||
		lines[0][0] != model.Time(len(lines)-1)*model.Second {
		return ""
	}
	ordered := func(list []model.Time) bool { return !ascends(list) }
	switch machines, jobs := lines[0][1], lines[1:]; {
	case visits(jobs, machines, operations) && slices.ContainsFunc(jobs, ordered):
		return JobShop
	case visits(jobs, machines, choices):
		return FlexibleShop
	}
	return ""
}

// ascends says whether the machines of pairs ascend.
func ascends(pairs []model.Time) bool {
	for i := 2; i < len(pairs); i += 2 {
		if pairs[i] <= pairs[i-2] {
			return false
		}
	}
	return true
}

// visits says whether each line is pairs of machines and times; the pairs of a line are empty if it is not.
func visits(jobs [][]model.Time, machines model.Time, pairsOf func(line []model.Time) []model.Time) bool {
	low, high := model.MaxTime, model.Time(0)
	for _, line := range jobs {
		pairs := pairsOf(line)
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i]%model.Second != 0 {
				return false
			}
			low, high = min(low, pairs[i]), max(high, pairs[i])
		}
		if len(pairs) == 0 {
			return false
		}
	}
	return high < machines || low > 0 && high <= machines
}

// operations are the pairs of a line of a job shop.
func operations(line []model.Time) []model.Time {
	if len(line)%2 != 0 {
		return nil
	}
	return line
}

// choices are the pairs of a line of a flexible job shop.
func choices(line []model.Time) (pairs []model.Time) {
	const one = model.Second
	left, rest := line[0], line[1:]
	for ; left >= one && len(rest) > 0; left -= one {
		n := 2 * int64(rest[0]/one)
		if rest[0] < one || rest[0]%one != 0 || n > int64(len(rest)-1) {
			return nil
		}
		pairs, rest = append(pairs, rest[1:n+1]...), rest[n+1:]
	}
	if left != 0 || len(rest) > 0 {
		return nil
	}
	return pairs
}
