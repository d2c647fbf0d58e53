package page

import (
	"math"
	"slices"
	"strings"

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
	size         int        // machines of the instance, with and without tasks
	listed       int        // of these, those that charts list one by one
	horizon      model.Time // the end of the last task
	reduces      int        // rows
	pieces       int        // rows beyond the first of their task, which is a reduce
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

// idleMachines is how many machines without tasks charts list, at most: what a result says of its instance may be
// anything.
const idleMachines = 100_000

// scheduleOf reads a result's rows; nil if it has none.
func scheduleOf(r *Result) *schedule {
	if r.Tasks == nil {
		return nil
	}
	s := &schedule{}
	var jobs, machines number
	own := make([]number, len(r.Own))
	s.own = make([]column, len(r.Own))
	for t := range r.Tasks {
		s.id = append(s.id, strings.Clone(t.ID))
		s.job = append(s.job, jobs.of(t.Job))
		s.machine = append(s.machine, machines.of(t.Machine))
		s.reduce = append(s.reduce, t.Reduce)
		s.start, s.end = append(s.start, t.Start), append(s.end, t.End)
		s.horizon = max(s.horizon, t.End)
		if t.Reduce {
			s.reduces++
		}
		if s.further(len(s.id) - 1) {
			s.pieces++
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
	s.sortMachines(machines.names)
	s.size = max(r.Instance.Machines, len(s.machines))
	s.listed = min(s.size, len(s.machines)+idleMachines)
	return s
}

// sortMachines brings the machines into natural order.
func (s *schedule) sortMachines(names []string) {
	order := make([]int32, len(names))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return natural(names[a], names[b]) })
	rank := make([]int32, len(names))
	for k, i := range order {
		rank[i] = int32(k)
		s.machines = append(s.machines, names[i])
	}
	for u := range s.machine {
		s.machine[u] = rank[s.machine[u]]
	}
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

// natural orders names so that m2 comes before m10.
var natural = show.Natural

// grid is how long, in each of its cells, machines of a group are busy with maps and with reduces: the share of the
// cell's time times machines.
type grid struct {
	groups, buckets int
	perGroup        int // machines of a group; the last may have fewer
	width           float64
	maps, reduces   []float32 // by group · buckets + bucket
}

// gridOf divides machines into at most so many groups and the time until the horizon into buckets.
func (s *schedule) gridOf(groups, buckets int) *grid {
	n := max(1, len(s.machines))
	g := &grid{perGroup: (n + groups - 1) / groups, buckets: buckets}
	g.groups = (n + g.perGroup - 1) / g.perGroup
	g.width = float64(max(1, s.horizon)) / float64(buckets)
	g.maps, g.reduces = make([]float32, g.groups*buckets), make([]float32, g.groups*buckets)
	for u := range s.id {
		group := int(s.machine[u]) / g.perGroup
		members := min(g.perGroup, n-group*g.perGroup)
		busy := g.maps
		if s.reduce[u] {
			busy = g.reduces
		}
		g.spread(float64(s.start[u]), float64(s.end[u]), func(bucket int, share float64) {
			busy[group*buckets+bucket] += float32(share / float64(members))
		})
	}
	return g
}

// spread says for every bucket which share of it lies between two times.
func (g *grid) spread(from, until float64, add func(bucket int, share float64)) {
	for k := int(from / g.width); k < g.buckets; k++ {
		left, right := float64(k)*g.width, float64(k+1)*g.width
		if left >= until {
			return
		}
		if share := (math.Min(right, until) - math.Max(left, from)) / g.width; share > 0 {
			add(k, share)
		}
	}
}
