package trace

import "mrsched/model"

// Stage is a set of tasks of a job; all of them may wait for all of another stage.
type Stage struct {
	Tasks []string
	// Done is a task of no length that stands for the end of all tasks, where that takes fewer rows. It changes no
	// optimum. Its kind, length and weight need not be set.
	Done model.Task
	At   model.Locus
}

// PlanWaits decides which stages get a task Done, by their numbers of tasks, and counts the rows of delays. An edge's
// second stage waits for its first: a tasks that b tasks wait for are a·b rows or, with a task between them, a + b. A
// job whose stages wait for nothing needs a row that says so, for its maps and reduces.
func PlanWaits(sizes []int64, edges [][2]int32) (joined []bool, rows int64) {
	followers := make([]int64, len(sizes))
	for _, e := range edges {
		followers[e[0]] += sizes[e[1]]
	}
	joined = make([]bool, len(sizes))
	for k, n := range sizes {
		f := followers[k]
		if joined[k] = n*f > n+f || len(edges) == 0 && k == 0; joined[k] {
			rows += n + f
		} else {
			rows += n * f
		}
	}
	return joined, rows
}

// EnterWaits enters the tasks Done of the stages that PlanWaits joins, and the rows of delays. It returns the number of
// tasks Done.
func EnterWaits(b *model.Builder, job string, stages []Stage, edges [][2]int32, joined []bool) (joins int) {
	ends := make([][]string, len(stages))
	for k := range stages {
		s := &stages[k]
		if ends[k] = s.Tasks; !joined[k] {
			continue
		}
		joins++
		done := s.Done
		done.Kind, done.Processing, done.Weight = model.Reduce, model.Some(model.Time(0)), model.Some(model.Weight(0))
		b.Task(done, job, "", s.At)
		for _, id := range s.Tasks {
			b.Delay(id, done.ID, 0, s.At)
		}
		ends[k] = []string{done.ID}
	}
	for _, e := range edges {
		for _, from := range ends[e[0]] {
			for _, to := range stages[e[1]].Tasks {
				b.Delay(from, to, 0, stages[e[1]].At)
			}
		}
	}
	return joins
}
