package page

import (
	"cmp"
	"maps"
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

// assignHues gives the schedules of each instance the same hues. A name has the same hue in all of them, also where
// some of them lack it.
func assignHues(results []Result, schedules []*schedule) {
	index := map[string][]int{}
	for i := range results {
		if schedules[i] != nil {
			sha := results[i].Instance.SHA256
			index[sha] = append(index[sha], i)
		}
	}
	for _, same := range index {
		jobs, tenants := map[string]int{}, map[string]int{} // tasks of each
		for _, i := range same {
			s := schedules[i]
			tenant := s.column(model.RoleTenant)
			for u := range s.id {
				jobs[s.jobs[s.job[u]]]++
				if tenant != nil {
					tenants[tenant.at(u)]++
				}
			}
		}
		ofJobs, ofTenants := looksOf(jobs, 0), looksOf(tenants, chart.Colours)
		for _, i := range same {
			schedules[i].setKey(ofJobs, ofTenants)
		}
	}
}

// looksOf are the looks of names, by how many tasks each has: hues in natural order. Of more names than hues, only some
// have one: those with the most tasks.
func looksOf(tasks map[string]int, some int) map[string]string {
	names := slices.SortedFunc(maps.Keys(tasks), show.Natural)
	if len(names) > chart.Hues {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(tasks[b], tasks[a]) })
		names = names[:some]
		slices.SortFunc(names, show.Natural)
	}
	looks := map[string]string{}
	for i, name := range names {
		looks[name] = chart.Hue(i)
	}
	return looks
}

// setKey decides what hues stand for.
func (s *schedule) setKey(ofJobs, ofTenants map[string]string) {
	where, tenant := s.column(model.RoleLocality), s.column(model.RoleTenant)
	if len(ofTenants) == 1 {
		tenant = nil
	}
	switch {
	case where != nil && len(s.jobs) == 1 && tenant == nil:
		s.key = hueKey{where.name, where.values, where.looks(), where.index}
	case tenant != nil:
		s.key = hueKey{tenant.name, tenant.values, looksFor(tenant.values, ofTenants), tenant.index}
	default:
		s.key = hueKey{"job", s.jobs, looksFor(s.jobs, ofJobs), s.job}
	}
	s.jobLooks = map[string]string{}
	if s.key.what == "job" || tenant != nil {
		for u := range s.id {
			s.jobLooks[s.jobs[s.job[u]]] = s.key.lookOf(u)
		}
	}
}

// looksFor are the looks of names.
func looksFor(names []string, of map[string]string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = cmp.Or(of[name], restLook)
	}
	return list
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
