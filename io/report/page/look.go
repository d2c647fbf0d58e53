package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// The colours of what pictures show: one each, on the whole page. Only reduces, and what reduces fetch, are hatched.
// Jobs, users, and values of other columns are too many for that: they take c0, c1, … in turn where a legend names
// them.
const (
	mapsLook      = "c0" // maps, and what they read
	reducesLook   = "c1" // reduces, hatched, and what they fetch
	objectiveLook = "c5" // the objective, and the jobs' parts of it
	otherLook     = "c6" // what has no colour of its own
	trafficLook   = "c5" // of maps and reduces together
	lateLook      = "late"
	inTimeLook    = "in-time"
)

// localities are where a map's data lies: what schedule.csv says, the page's word, which is that of the metrics and
// tables, and its colour.
var localities = []struct {
	value, name string
	colour      int
}{
	{"node", "node-local", 2}, {"rack", "rack-local", 4}, {"remote", "off-rack", 3},
}

// nameLocalities brings a column of localities into the page's words and their order; values that are none of them come
// last.
func (c *column) nameLocalities() {
	rank := func(value string) int {
		for k, l := range localities {
			if l.value == value {
				return k
			}
		}
		return len(localities)
	}
	order := make([]int32, len(c.values))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(rank(c.values[a]), rank(c.values[b])) })
	names, to := make([]string, len(order)), make([]int32, len(order))
	for k, i := range order {
		names[k], to[i] = c.values[i], int32(k)
		if r := rank(c.values[i]); r < len(localities) {
			names[k] = localities[r].name
		}
	}
	c.values = names
	for u := range c.index {
		c.index[u] = to[c.index[u]]
	}
}

// looks are the colours of a column's values; nil: they take the colours in turn.
func (c *column) looks() []int {
	if c.role != model.RoleLocality {
		return nil
	}
	list := make([]int, len(c.values))
	for i, v := range c.values {
		list[i] = chart.Colours - 1
		for _, l := range localities {
			if l.name == v {
				list[i] = l.colour
			}
		}
	}
	return list
}

// colourClass is the class of a colour.
func colourClass(k int) string { return fmt.Sprintf("c%d", k) }

// words writes the names of metrics as the page's words.
var words = strings.NewReplacer("node_local", "node-local", "rack_local", "rack-local", "off_rack",
	"off-rack", "_", " ")

// spaced writes a name with spaces.
func spaced(name string) string { return words.Replace(name) }
