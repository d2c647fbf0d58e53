package page

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"mrsched/io/report/chart"
	"mrsched/io/show"
	"mrsched/model"
)

// schedule holds a result's rows as columns. There is one row per task, or one per piece if a task has several.
type schedule struct {
	id           []string
	job, machine []int32
	reduce       []bool
	start, end   []model.Time
	jobs         []string // in the order of their first rows
	machines     []string // those with tasks, in natural order
	own          []column
	key          hueKey            // what hues stand for
	jobLooks     map[string]string // on charts of jobs
	nodes        []string          // by machine: what it is a lane of
	away         []Absence
	simulated    []Band
	labels       []string     // by machine: its name, after that of its rack if there are several
	release, due []model.Time // by job; −1: unknown
	unit, moment chart.Unit   // of all times of the page, and of points in time
	size         int          // machines of the instance, with and without tasks
	row          string       // what charts have rows for: each machine, or each lane of one; see divide
	horizon      model.Time   // the end of the last task
	reduces      int          // rows
	takes        [][]float64  // by resource and row: how much a task takes
	pieces       int          // rows beyond the first of their task, which is a reduce
}

// further says that a row is a further piece of the task of the row before.
func (s *schedule) further(u int) bool {
	return u > 0 && s.reduce[u] && s.id[u] == s.id[u-1] && s.job[u] == s.job[u-1]
}

// counted is how many tasks there are, and in how many pieces if some are in several.
func (s *schedule) counted() string {
	text := plural(len(s.id)-s.pieces, "task")
	if s.pieces > 0 {
		text += " in " + plural(len(s.id), "piece")
	}
	return text
}

// column is one of the problem's own columns: every row has one of its values.
type column struct {
	name   string
	role   model.Role
	values []string
	index  []int32
}

// at is the text of a row.
func (c *column) at(u int) string { return c.values[c.index[u]] }

// number gives the indices of names in the order in which they are first asked for.
type number struct {
	index map[string]int32
	names []string
}

func (n *number) of(name string) int32 {
	i, ok := n.index[name]
	if !ok {
		if n.index == nil {
			n.index = map[string]int32{}
		}
		i = int32(len(n.names))
		name = strings.Clone(name) // it may be a part of a whole line
		n.index[name] = i
		n.names = append(n.names, name)
	}
	return i
}

// scheduleOf reads a result's rows; nil if it has none.
func scheduleOf(r *Result) *schedule {
	if r.Tasks == nil {
		return nil
	}
	s := &schedule{takes: make([][]float64, len(r.Supplies))}
	var jobs, machines number
	own := make([]number, len(r.Own))
	s.own = make([]column, len(r.Own))
	for t := range r.Tasks {
		s.id = append(s.id, strings.Clone(t.ID))
		s.job = append(s.job, jobs.of(t.Job))
		s.machine = append(s.machine, machines.of(t.Machine))
		s.reduce = append(s.reduce, t.Reduce)
		// The axis begins at 0: a task that runs already shows from there on.
		s.start, s.end = append(s.start, max(0, t.Start)), append(s.end, t.End)
		s.horizon = max(s.horizon, t.End)
		if t.Reduce {
			s.reduces++
		}
		if s.further(len(s.id) - 1) {
			s.pieces++
		}
		for k := range r.Supplies {
			s.takes[k] = append(s.takes[k], r.Supplies[k].Takes(t.ID, t.Machine))
		}
		for i := range own {
			text := ""
			if i < len(t.Own) {
				text = t.Own[i]
			}
			s.own[i].index = append(s.own[i].index, own[i].of(text))
		}
	}
	for i := range own {
		s.own[i].name, s.own[i].values, s.own[i].role = r.Own[i], own[i].names, r.About.Role(r.Own[i])
		if s.own[i].role == model.RoleLocality {
			s.own[i].nameLocalities()
		}
	}
	s.jobs = jobs.names
	s.readJobs(r)
	s.sortMachines(r, s.divide(machines.names))
	if s.row = "machine"; len(s.machines) > len(machines.names) {
		s.row = "lane"
	}
	s.size = r.Instance.Machines + len(s.machines) - len(machines.names)
	s.size = max(s.size, len(s.machines))
	if r.Asked != nil {
		s.away, s.simulated = r.Asked.Absences, r.Asked.Bands
	}
	return s
}

// sortMachines brings the machines into natural order, those of a rack together.
func (s *schedule) sortMachines(r *Result, names []string) {
	racks := make([]string, len(names))
	for m, name := range names {
		racks[m] = r.rackOf(name)
	}
	if rack := s.column(model.RoleRack); rack != nil {
		for u := range s.id {
			racks[s.machine[u]] = rack.at(u)
		}
	}
	order := model.Indices(len(names))
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(show.Natural(racks[a], racks[b]), show.Natural(names[a], names[b]))
	})
	several := slices.ContainsFunc(racks, func(rack string) bool { return rack != racks[0] })
	rank, nodes := make([]int32, len(names)), s.nodes
	s.nodes = nil
	for k, i := range order {
		rank[i] = int32(k)
		s.machines, s.labels = append(s.machines, names[i]), append(s.labels, names[i])
		s.nodes = append(s.nodes, nodes[i])
		if several && racks[i] != "" {
			s.labels[k] = racks[i] + "/" + names[i]
		}
	}
	for u := range s.machine {
		s.machine[u] = rank[s.machine[u]]
	}
}

// readJobs finds out when jobs arrive, when they are due and whose they are: from the problem's own columns, or from
// the table of jobs.
func (s *schedule) readJobs(r *Result) {
	n := len(s.jobs)
	index := make(map[string]int, n)
	for j, name := range s.jobs {
		index[name] = j
	}
	read := func(role model.Role) []string { // nil: not stated
		list := make([]string, n)
		if c := s.column(role); c != nil {
			for u := range s.id {
				list[s.job[u]] = c.at(u)
			}
			return list
		}
		rows, at, ok := r.table("jobs", "job", r.About.JobColumn(role))
		if !ok {
			return nil
		}
		for row := range rows {
			if j, ok := index[row[at[0]]]; ok {
				list[j] = strings.Clone(row[at[1]])
			}
		}
		return list
	}
	s.release, s.due = times(read(model.RoleRelease), n), times(read(model.RoleDue), n)
	if tenants := read(model.RoleTenant); slices.ContainsFunc(tenants, func(t string) bool { return t != "" }) {
		var values number
		c := column{name: r.About.JobColumn(model.RoleTenant), role: model.RoleTenant}
		for u := range s.id {
			c.index = append(c.index, values.of(tenants[s.job[u]]))
		}
		c.values = values.names
		c.sortValues(show.Natural)
		s.own = append([]column{c}, s.own...)
	}
}

// times are times in seconds, as many as there should be; −1 where there is none.
func times(texts []string, n int) []model.Time {
	list := make([]model.Time, n)
	for i := range list {
		list[i] = -1
		if i < len(texts) {
			if v, ok := cell(texts[i]); ok && v >= 0 && v <= model.MaxTime.Seconds() {
				list[i] = model.Time(math.Round(v * float64(model.Second)))
			}
		}
	}
	return list
}

// column is the problem's own column with a role; nil if there is none.
func (s *schedule) column(role model.Role) *column {
	for i := range s.own {
		if s.own[i].role == role {
			return &s.own[i]
		}
	}
	return nil
}
