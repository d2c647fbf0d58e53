package page

import (
	"cmp"
	"slices"
	"strings"

	"mrsched/io/report/chart"
	"mrsched/io/show"
	"mrsched/model"
)

// Hues stand for one thing on all charts of an instance's results: the tenants whose jobs the tasks belong to, or the
// jobs if these are all of one tenant or nobody says whose they are, or where a map's data lies if there is one job.
// Everything else is neutral: kinds of tasks are grey, and so are jobs of which there are more than hues.
const (
	mapsLook    = "k0"   // maps, and what they read
	reducesLook = "k1"   // reduces, and what they fetch
	restLook    = "rest" // what has no look of its own
)

// hueKey says what hues stand for in a schedule: names, the look of each, and which of them each task has.
type hueKey struct {
	what         string
	names, looks []string
	of           []int32
}

// lookOf is a task's look.
func (k *hueKey) lookOf(u int) string { return k.looks[k.of[u]] }

// setHues decides what hues stand for, and which each name has.
func (s *schedule) setHues() {
	where, tenant := s.column(model.RoleLocality), s.column(model.RoleTenant)
	if tenant != nil && len(tenant.values) == 1 {
		tenant = nil
	}
	switch {
	case where != nil && len(s.jobs) == 1 && tenant == nil:
		s.key = hueKey{where.name, where.values, where.looks(), where.index}
	case tenant != nil:
		s.key = hueKey{tenant.name, tenant.values, looksOf(tenant.values, tenant.index, chart.Colours), tenant.index}
	default:
		s.key = hueKey{"job", s.jobs, looksOf(s.jobs, s.job, 0), s.job}
	}
	s.jobLooks = map[string]string{}
	if s.key.what == "job" || tenant != nil {
		for u := range s.id {
			s.jobLooks[s.jobs[s.job[u]]] = s.key.lookOf(u)
		}
	}
}

// looksOf are the looks of names: hues in natural order, so that names have the same in all results of an instance. Of
// more names than hues, only some have one: those with the most tasks, of which each has one of the names.
func looksOf(names []string, tasks []int32, some int) []string {
	order, count := model.Indices(len(names)), make([]int, len(names))
	for _, i := range tasks {
		count[i]++
	}
	natural := func(a, b int32) int { return show.Natural(names[a], names[b]) }
	slices.SortFunc(order, natural)
	if len(order) > chart.Hues {
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(count[b], count[a]) })
		order = order[:some]
		slices.SortFunc(order, natural)
	}
	looks := slices.Repeat([]string{restLook}, len(names))
	for k, i := range order {
		looks[i] = chart.Hue(k)
	}
	return looks
}

// jobLook is a job's look on charts of jobs.
func (s *schedule) jobLook(job string) string { return cmp.Or(s.jobLooks[job], restLook) }

// entries is the legend of what hues stand for. Names without a hue are one entry.
func (k *hueKey) entries() []chart.Entry {
	var list []chart.Entry
	rest := 0
	for i, look := range k.looks {
		if look == restLook {
			rest++
			continue
		}
		list = append(list, chart.Entry{Class: look, Text: cmp.Or(k.names[i], "none")})
	}
	slices.SortStableFunc(list, func(a, b chart.Entry) int { return show.Natural(a.Class, b.Class) })
	if rest > 0 {
		list = append(list, chart.Entry{Class: restLook, Text: plural(rest, strings.ReplaceAll(k.what, "_", " "))})
	}
	return list
}

// localities are where a map's data lies: what schedule.csv says, the page's word, which is that of the metrics and
// tables, and its look.
var localities = []struct{ value, name, look string }{
	{"node", "node-local", "n0"}, {"rack", "rack-local", "n1"}, {"remote", "off-rack", "n2"},
}
