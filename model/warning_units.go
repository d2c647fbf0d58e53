package model

import (
	"cmp"
	"fmt"
	"slices"
)

// A task that takes this many times the median of its kind and job is probably stated in milliseconds, and the others
// in seconds.
const (
	leastOutlier = 500
	mostOutlier  = 2000

	mostElsewhere = 10_000 // the same for the median of all jobs, which differ more
	mostUsual     = 50     // times the median: a job with times between this and leastOutlier has long tasks
	fewTasks      = 3      // fewer tasks than this have no meaningful median
)

// gapped sorts times and returns their median; 0 if they are few, or if some are neither usual nor outliers.
func gapped(list []Time) Time {
	slices.Sort(list)
	median := middle(list)
	if len(list) < fewTasks || median == 0 || slices.ContainsFunc(list, func(p Time) bool {
		return p/mostUsual >= median && p/leastOutlier < median
	}) {
		return 0
	}
	return median
}

// middle is the lower median of sorted times; 0 if there are none.
func middle(list []Time) Time {
	if len(list) == 0 {
		return 0
	}
	return list[(len(list)-1)/2]
}

// timed are tasks whose times are compared: those of a kind in a job, or, where these are few, of a kind.
type timed struct {
	count       int
	least, most Time // of those above 0
	list        []Time
	median      Time // 0: there is no gap between usual times and outliers
}

func (g *timed) add(p Time) {
	g.count++
	if p > 0 {
		if g.least == 0 {
			g.least = p
		}
		g.least, g.most = min(g.least, p), max(g.most, p)
	}
}

// wide says that there may be outliers: only then are the times sorted.
func (g *timed) wide() bool { return g.most > 0 && g.most/leastOutlier >= g.least }

// timeColumn is a column with times of tasks.
type timeColumn struct {
	table Table
	name  string
	// row is a row's job, kind, task and time. Times of one job and kind are compared.
	row  func(i int) (job JobIndex, kind TaskKind, task string, x Optional[Time])
	rows int
	what string // the rows are called; empty: as the kind
}

func (w *Workload) processingTimes() timeColumn {
	return timeColumn{TableTasks, "processing_time", func(i int) (JobIndex, TaskKind, string, Optional[Time]) {
		t := &w.Tasks[i]
		return t.Job, t.Kind, t.ID, t.Processing
	}, len(w.Tasks), ""}
}

// shuffleDelays is the column shuffle_delay, which is 0 where it is not stated.
func (w *Workload) shuffleDelays() timeColumn {
	return timeColumn{TableTasks, "shuffle_delay", func(i int) (JobIndex, TaskKind, string, Optional[Time]) {
		t := &w.Tasks[i]
		return t.Job, t.Kind, t.ID, Optional[Time]{t.ShuffleDelay, t.ShuffleDelay > 0}
	}, len(w.Tasks), ""}
}

// givenTimes is the column seconds of the table times, whose rows do not state kinds.
func (w *Workload) givenTimes() timeColumn {
	return timeColumn{TableTimes, "seconds", func(i int) (JobIndex, TaskKind, string, Optional[Time]) {
		t := &w.Times[i]
		return t.Job, Map, t.Task, Some(t.Time)
	}, len(w.Times), "row"}
}

// outliers finds tasks with a time about a thousand times what is usual in their job or, where a job has few such
// tasks, in all jobs.
func (w *Workload) outliers(c timeColumn) (found []Finding) {
	own, all := make([]timed, 2*len(w.Jobs)), make([]timed, 2)
	each := func(visit func(i int, x Time, own, all *timed)) {
		for i := range c.rows {
			if job, kind, _, x := c.row(i); x.Known {
				visit(i, x.Value, &own[2*int(job)+int(kind)], &all[kind])
			}
		}
	}
	each(func(_ int, x Time, own, all *timed) {
		own.add(x)
		all.add(x)
	})
	each(func(_ int, x Time, own, all *timed) {
		for _, g := range []*timed{own, all} {
			if g.wide() {
				g.list = append(g.list, x)
			}
		}
	})
	for _, groups := range [][]timed{own, all} {
		for i := range groups {
			groups[i].median = gapped(groups[i].list)
		}
	}
	each(func(i int, x Time, own, all *timed) {
		job, kind, task, _ := c.row(i)
		median, most, whose := own.median, Time(mostOutlier), fmt.Sprintf("job %q", w.Jobs[job].ID)
		if own.count < fewTasks {
			median, most, whose = all.median, mostElsewhere, "all jobs"
		}
		if median == 0 || x/leastOutlier < median || x/most >= median {
			return
		}
		found = tally(found, func() Finding {
			return Finding{Code: CodeOutlier, Pos: w.Where(c.table, i),
				What: fmt.Sprintf("the %s %s of task %q is %.0f times the median %s of the %ss of %s", c.name, x, task,
					float64(x)/float64(median), median, cmp.Or(c.what, kind.String()), whose),
				Expected: "seconds", Hint: "if it is in milliseconds, or others in hours, write the unit, as in 1500ms or 2h"}
		})
	})
	return found
}

// outliers is the test of a column.
func outliers(column func(*Workload) timeColumn) func(*Workload) []Finding {
	return func(w *Workload) []Finding { return w.outliers(column(w)) }
}

// longMedian is a median processing_time that hardly any cluster reaches.
const longMedian = DaySeconds / 2 * Second

// allLong finds workloads whose times are probably all in milliseconds.
func (w *Workload) allLong() []Finding {
	var list []Time
	long, first := 0, -1
	for i := range w.Tasks {
		if t := &w.Tasks[i]; t.Processing.Known {
			list = append(list, t.Processing.Value)
			if t.Processing.Value >= longMedian {
				if long++; first < 0 {
					first = i
				}
			}
		}
	}
	if len(list) < fewTasks || 2*long <= len(list) {
		return nil
	}
	slices.Sort(list)
	median := middle(list)
	return []Finding{{Code: CodeOutlier, Pos: w.Where(TableTasks, first),
		What: fmt.Sprintf("half of the %d tasks take %s s or more, which is %.1f hours", len(list), median,
			median.Seconds()/3600),
		Expected: "seconds", Hint: "if times are in milliseconds, divide them by 1000 or write the unit, as in 1500ms; " +
			"look at those of jobs and delays too"}}
}

// leastMemory is less than any process needs, in bytes.
const leastMemory = 1_000_000

// smallMemory finds memory that is probably not in bytes.
func (w *Workload) smallMemory() (found []Finding) {
	look := func(table Table, i int, what, id string, memory Optional[Bytes]) {
		if memory.Value <= 0 || memory.Value >= leastMemory {
			return
		}
		found = tally(found, func() Finding {
			unit := "GB"
			if memory.Value > 1024 {
				unit = "MB"
			}
			return Finding{Code: CodeSmallMemory, Pos: w.Where(table, i),
				What:     fmt.Sprintf("the memory_bytes of %s %q are %s, less than any process needs", what, id, memory.Value),
				Expected: "bytes", Hint: fmt.Sprintf("if it is in %s, write the unit: %s%s", unit, memory.Value, unit)}
		})
	}
	for i := range w.Tasks {
		look(TableTasks, i, "task", w.Tasks[i].ID, w.Tasks[i].MemoryBytes)
	}
	for i := range w.Topology {
		look(TableTopology, i, "node", w.Topology[i].ID, w.Topology[i].MemoryBytes)
	}
	return found
}
